-- +goose Up
-- Digests: what members want, when their next digest is due, the deliveries, and how mail is sent.

-- Preferences -----------------------------------------------------------------------------------------------

create type public.digest_setting as enum ('off', 'daily', 'weekly');
create type public.digest_frequency as enum ('daily', 'weekly');

-- Settings that triggers read, which the programs write when they start, and the time of the last backup.
create table private.settings (
  name text not null,
  value text not null,
  constraint settings_pkey primary key (name)
);
grant select, insert, update, delete on private.settings to service_role;

create table public.digest_preferences (
  user_id uuid not null
    constraint digest_preferences_user_id_fkey references public.profiles (id) on delete cascade,
  frequency public.digest_setting not null default 'weekly',
  timezone text not null default 'UTC',
  hour smallint not null default 8 constraint digest_preferences_hour_check check (hour between 0 and 23),
  weekday smallint not null default 1
    constraint digest_preferences_weekday_check check (weekday between 1 and 7),
  paused_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint digest_preferences_pkey primary key (user_id)
);
create index digest_preferences_frequency_idx on public.digest_preferences (frequency, user_id);
comment on table public.digest_preferences is
  'When a user wants the digest: one row a user, made with the account.';
comment on column public.digest_preferences.frequency is 'off, daily or weekly.';
comment on column public.digest_preferences.timezone is 'An IANA name, as Europe/Berlin.';
comment on column public.digest_preferences.hour is 'The local hour, 0 to 23.';
comment on column public.digest_preferences.weekday is
  'ISO 8601: 1 is Monday, 7 is Sunday. For weekly digests.';
comment on column public.digest_preferences.paused_until is 'No digest before this moment.';

alter table public.digest_preferences enable row level security;
alter table public.digest_preferences force row level security;
create policy service on public.digest_preferences to service_role using (true) with check (true);
create policy see on public.digest_preferences for select to authenticated
using (user_id = (select auth.uid()));
create policy add on public.digest_preferences for insert to authenticated
with check (user_id = (select auth.uid()));
create policy change on public.digest_preferences for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
grant select, insert, update, delete on public.digest_preferences to service_role;
grant select, insert, update on public.digest_preferences to authenticated;

create trigger digest_preferences_stamp before insert or update on public.digest_preferences
for each row execute function private.stamp();

set local role service_role;

-- +goose StatementBegin
create function private.add_digest_preference() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.digest_preferences (user_id, frequency)
  values (
    new.id,
    coalesce(
      (select s.value from private.settings s where s.name = 'digest_default_frequency'), 'weekly'
    )::public.digest_setting
  )
  on conflict (user_id) do nothing;
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger profiles_digest_preference after insert on public.profiles
for each row execute function private.add_digest_preference();

-- Time zones ------------------------------------------------------------------------------------------------

-- Time zones by their names in lower case, so that a preference is checked by an index.
create table private.time_zones (
  key text not null,
  name text not null,
  constraint time_zones_pkey primary key (key)
);
insert into private.time_zones (key, name)
select distinct on (private.fold(n.name)) private.fold(n.name), n.name
from pg_catalog.pg_timezone_names n
where n.name !~ '^(posix|right)/'
  and n.name not in ('localtime', 'posixrules', 'Factory')
order by private.fold(n.name), n.name collate "C";
grant select, insert on private.time_zones to service_role;

set local role service_role;

-- Requires an IANA name and corrects its case, because programs look the name up as well. PostgreSQL by
-- itself would also accept abbreviations (CEST) and POSIX rules. Reading PostgreSQL's own list takes a tenth
-- of a second, so it is read only for a name that is not in private.time_zones: a zone of newer zone files,
-- which is then added.
-- +goose StatementBegin
create function private.find_time_zone(wanted text) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  found_name text;
begin
  select z.name into found_name from private.time_zones z where z.key = private.fold(wanted);
  if found_name is null then
    select n.name into found_name
    from pg_catalog.pg_timezone_names n
    where private.fold(n.name) = private.fold(wanted)
      and n.name !~ '^(posix|right)/'
      and n.name not in ('localtime', 'posixrules', 'Factory')
    limit 1;
    if found_name is not null then
      insert into private.time_zones (key, name)
      values (private.fold(found_name), found_name)
      on conflict (key) do nothing;
    end if;
  end if;
  return found_name;
end $$;
-- +goose StatementEnd
grant execute on function private.find_time_zone(text) to authenticated;

reset role;

-- +goose StatementBegin
create function private.check_timezone() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  spelt text;
begin
  if new.timezone = 'UTC' then
    return new;
  end if;
  if length(new.timezone) <= 100 then -- the search takes a while for each character
    spelt := private.find_time_zone(new.timezone);
  end if;
  if spelt is null then
    raise exception 'unknown time zone'
      using errcode = 'check_violation', constraint = 'digest_preferences_timezone_check',
      detail = format('There is no time zone %L.', left(new.timezone, 100)),
      hint = 'Use an IANA name, as Europe/Berlin.';
  end if;
  new.timezone := spelt;
  return new;
end $$;
-- +goose StatementEnd

create trigger digest_preferences_timezone before insert on public.digest_preferences
for each row execute function private.check_timezone();
create trigger digest_preferences_other_timezone before update on public.digest_preferences
for each row when (old.timezone is distinct from new.timezone) execute function private.check_timezone();

-- The schedule ----------------------------------------------------------------------------------------------

-- When each member's next digest is due, so that an hourly tick reads only the members whose time has come.
-- One row for each member who wants digests. It is a table of its own because planning writes it once per
-- digest, and because members may write their preferences but not this.
create table private.digest_schedule (
  user_id uuid not null
    constraint digest_schedule_user_id_fkey references public.digest_preferences (user_id) on delete cascade,
  frequency public.digest_frequency not null,
  next_due_at timestamptz not null default '-infinity',
  constraint digest_schedule_pkey primary key (user_id)
);
create index digest_schedule_due_idx on private.digest_schedule (frequency, next_due_at, user_id);
comment on column private.digest_schedule.next_due_at is
  'No digest of the member is due before this time. -infinity: not computed since the preference changed.';
grant select, insert, update, delete on private.digest_schedule to service_role;

set local role service_role;

-- +goose StatementBegin
create function private.schedule_digest() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.frequency = 'off' then
    delete from private.digest_schedule s where s.user_id = new.user_id;
  else
    insert into private.digest_schedule (user_id, frequency)
    values (new.user_id, new.frequency::text::public.digest_frequency)
    on conflict (user_id) do update
    set frequency = excluded.frequency, next_due_at = excluded.next_due_at;
  end if;
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger digest_preferences_schedule after insert on public.digest_preferences
for each row execute function private.schedule_digest();
create trigger digest_preferences_reschedule after update on public.digest_preferences
for each row when (
  (old.frequency, old.timezone, old.hour, old.weekday)
  is distinct from (new.frequency, new.timezone, new.hour, new.weekday)
)
execute function private.schedule_digest();

-- Deliveries ------------------------------------------------------------------------------------------------

create type public.delivery_status as enum ('planned', 'sending', 'sent', 'skipped', 'uncertain', 'failed');

-- Divides deliveries, whose ids are random, into four shards. workflows.DigestShards is the same number.
create function private.digest_shard(delivery uuid) returns integer
language sql immutable
return get_byte(uuid_send(delivery), 15) & 3;
grant execute on function private.digest_shard(uuid) to authenticated, service_role;

-- Planned deliveries are a queue that several shards read at once, each in the order of the next attempts.
create table public.digest_deliveries (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null
    constraint digest_deliveries_user_id_fkey references public.profiles (id) on delete cascade,
  frequency public.digest_frequency not null,
  period text not null,
  window_start timestamptz not null,
  window_end timestamptz not null,
  status public.delivery_status not null default 'planned',
  reason text,
  requested_by text,
  run_id text,
  message_id text,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  claimed_at timestamptz,
  sent_at timestamptz,
  expires_at timestamptz not null default now() + interval '1 day',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint digest_deliveries_pkey primary key (id),
  constraint digest_deliveries_user_id_frequency_period_key unique (user_id, frequency, period)
);
create index digest_deliveries_queue_idx
on public.digest_deliveries (private.digest_shard(id), next_attempt_at, id)
where status = 'planned';
-- Finds where a member's last digest ended.
create index digest_deliveries_told_idx on public.digest_deliveries (user_id, window_end);
create index digest_deliveries_expiry_idx on public.digest_deliveries (expires_at) where status = 'planned';
create index digest_deliveries_sending_idx on public.digest_deliveries (claimed_at) where status = 'sending';
create index digest_deliveries_requested_idx on public.digest_deliveries (requested_by)
where requested_by is not null;
-- For operators: the latest deliveries, and those that need attention.
create index digest_deliveries_window_idx on public.digest_deliveries using brin (window_end);
create index digest_deliveries_trouble_idx on public.digest_deliveries (updated_at)
where status in ('failed', 'uncertain');
comment on table public.digest_deliveries is
  'One row a digest: claimed before the mail goes out. Own rows, read only for clients.';
comment on column public.digest_deliveries.frequency is 'daily or weekly.';
comment on column public.digest_deliveries.period is
  'The local day (2026-11-20) or ISO week (2026-W47) with which the digest ends.';
comment on column public.digest_deliveries.window_start is
  'Where the news begins: with the period, or earlier if earlier news was not sent yet.';
comment on column public.digest_deliveries.window_end is 'End of the period, exclusive.';
comment on column public.digest_deliveries.status is
  'planned, sending, sent; skipped, failed; uncertain where the mail may have gone out and is not sent '
  'again.';
comment on column public.digest_deliveries.reason is 'Why it was skipped, or failed.';
comment on column public.digest_deliveries.requested_by is
  'The run in Temporal that was asked to send it at once; null if it was planned by an hourly tick.';
comment on column public.digest_deliveries.run_id is 'The run in Temporal that claimed it last.';
comment on column public.digest_deliveries.message_id is 'The Message-ID of the mail.';
comment on column public.digest_deliveries.attempts is 'How often sending began.';
comment on column public.digest_deliveries.next_attempt_at is
  'While it is planned: it is not sent before this time. The first attempt is due with the digest.';
comment on column public.digest_deliveries.claimed_at is 'When sending began last.';
comment on column public.digest_deliveries.expires_at is
  'When the digest of the next period is due. From then on this one is not sent.';

alter table public.digest_deliveries enable row level security;
alter table public.digest_deliveries force row level security;
create policy service on public.digest_deliveries to service_role using (true) with check (true);
create policy see on public.digest_deliveries for select to authenticated
using (user_id = (select auth.uid()));
grant select, insert, update, delete on public.digest_deliveries to service_role;
grant select on public.digest_deliveries to authenticated;

create trigger digest_deliveries_stamp before insert or update on public.digest_deliveries
for each row execute function private.stamp();

-- Reports whether an event is worth a mail. Digests also mention corrected wording and accepted quotes, but
-- these alone are not a reason to send one.
create function private.is_news(entity_type text, verb text) returns boolean
language sql immutable
return case entity_type
  when 'evidence' then verb in ('created', 'rejected')
  when 'import' then verb in ('parsed', 'failed', 'timed_out', 'terminated')
  when 'hypothesis' then verb in ('created', 'status_changed')
  when 'question' then verb in ('created', 'status_changed')
  when 'project' then verb = 'created'
  when 'persona' then verb = 'created'
  when 'member' then verb = 'created'
  when 'theme' then verb = 'created'
  when 'comment' then verb in ('created', 'mentioned')
  else false
end;
grant execute on function private.is_news(text, text) to authenticated, service_role;

-- Mail ------------------------------------------------------------------------------------------------------

-- Addresses with permanent refusals. Three refusals in a row suppress an address; an accepted mail clears
-- them. Bounces and complaints are what a mail relay reports after it accepted a mail.
create table private.mail_refusals (
  address text not null,
  refusals integer not null default 1,
  bounces integer not null default 0,
  code integer not null,
  last_at timestamptz not null default now(),
  bounced_at timestamptz,
  suppressed_at timestamptz,
  suppressed_by text constraint mail_refusals_suppressed_by_check
    check (suppressed_by in ('refusals', 'bounces', 'hard_bounce', 'complaint')),
  constraint mail_refusals_pkey primary key (address)
);
comment on column private.mail_refusals.address is 'Lower case.';
comment on column private.mail_refusals.bounces is
  'Permanent bounces that are not about the address itself, such as those of a full mailbox.';
comment on column private.mail_refusals.code is
  'The SMTP reply code of the last refusal or bounce; 0 if a relay reported none.';
grant select, insert, update, delete on private.mail_refusals to service_role;

-- When the next mail may be sent by any worker.
create table private.mail_pace (
  one boolean not null default true constraint mail_pace_one_check check (one),
  next_at timestamptz not null default now(),
  constraint mail_pace_pkey primary key (one)
);
insert into private.mail_pace default values;
grant select, update on private.mail_pace to service_role;

set local role service_role;

-- Returns why a user may not get a digest of this frequency now, or null. It is evaluated when a digest is
-- planned, and again when its delivery is claimed.
create function private.digest_obstacle(recipient uuid, wanted public.digest_frequency) returns text
language sql stable
set search_path = ''
as $$
  select case
    when p.frequency::text <> wanted::text then 'unsubscribed'
    when p.paused_until > now() then 'paused'
    when u.deleted_at is not null or u.is_anonymous or coalesce(u.email, '') = '' then 'no_address'
    when u.email_confirmed_at is null then 'unconfirmed'
    when u.banned_until > now() then 'banned'
    when not exists (select from public.workspace_members m where m.user_id = u.id) then 'no_workspace'
    when exists (
      select from private.mail_refusals r
      where r.address = private.fold(u.email) and r.suppressed_at is not null
    ) then 'suppressed'
  end
  from auth.users u join public.digest_preferences p on p.user_id = u.id
  where u.id = recipient
$$;

reset role;

-- After a restore -------------------------------------------------------------------------------------------

-- Detects that the database was restored from a backup. A restored database has forgotten which digests were
-- sent and who unsubscribed since, so that digests are held until `research restore-fence` was run.
create table private.digest_fence (
  one boolean not null default true constraint digest_fence_one_check check (one),
  installation uuid not null default gen_random_uuid(),
  tables oid[] not null,
  seen_at timestamptz not null default now(),
  held_at timestamptz,
  fenced_at timestamptz,
  fenced_since timestamptz,
  constraint digest_fence_pkey primary key (one)
);
comment on column private.digest_fence.installation is 'Names this installation, also in its backups.';
comment on column private.digest_fence.tables is
  'The OIDs of the tables when this was a live database. A restored dump creates the tables again, with '
  'other OIDs.';
comment on column private.digest_fence.seen_at is
  'When digests were last planned or sent. Temporal remembers it too, and so notices a database that is '
  'older.';
comment on column private.digest_fence.held_at is 'Since when digests are held; null if they are not.';
comment on column private.digest_fence.fenced_at is 'When restore-fence was run last.';
comment on column private.digest_fence.fenced_since is 'The beginning of the interval that was lost then.';
grant select, update on private.digest_fence to service_role;

-- A migration that creates one of these tables again must also write private.digest_fence.
create function private.digest_table_oids() returns oid[]
language sql stable
set search_path = ''
as $$
  select array[
    'private.digest_fence'::regclass::oid,
    'private.digest_schedule'::regclass::oid,
    'public.digest_deliveries'::regclass::oid
  ]
$$;
grant execute on function private.digest_table_oids() to service_role;

insert into private.digest_fence (tables) values (private.digest_table_oids());

-- The members whose digests `research restore-fence` paused, because they may have unsubscribed in the
-- interval that a restore lost.
create table private.digest_restore_pauses (
  user_id uuid not null
    constraint digest_restore_pauses_user_id_fkey
    references public.digest_preferences (user_id) on delete cascade,
  paused_until timestamptz,
  constraint digest_restore_pauses_pkey primary key (user_id)
);
comment on column private.digest_restore_pauses.paused_until is 'What the member had chosen before.';
grant select, insert, update, delete on private.digest_restore_pauses to service_role;
