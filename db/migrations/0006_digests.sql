-- +goose Up
-- Digest preferences and deliveries.

create type public.digest_setting as enum ('off', 'daily', 'weekly');
create type public.digest_frequency as enum ('daily', 'weekly');
create type public.delivery_status as enum ('planned', 'sending', 'sent', 'skipped', 'uncertain', 'failed');

-- Settings that triggers read. The programs write them when they start.
create table private.settings (
  name text not null,
  value text not null,
  constraint settings_pkey primary key (name)
);

create table public.digest_preferences (
  user_id uuid not null constraint digest_preferences_user_id_fkey references public.profiles (id) on delete cascade,
  frequency public.digest_setting not null default 'weekly',
  timezone text not null default 'UTC',
  hour smallint not null default 8 constraint digest_preferences_hour_check check (hour between 0 and 23),
  weekday smallint not null default 1 constraint digest_preferences_weekday_check check (weekday between 1 and 7),
  paused_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint digest_preferences_pkey primary key (user_id)
);
create index digest_preferences_frequency_idx on public.digest_preferences (frequency, user_id);
comment on table public.digest_preferences is 'When a user wants the digest: one row a user, made with the account.';
comment on column public.digest_preferences.frequency is 'off, daily or weekly.';
comment on column public.digest_preferences.paused_until is 'No digest before this moment.';
comment on column public.digest_preferences.timezone is 'An IANA name, as Europe/Berlin.';
comment on column public.digest_preferences.hour is 'The local hour, 0 to 23.';
comment on column public.digest_preferences.weekday is 'ISO 8601: 1 is Monday, 7 is Sunday. For weekly digests.';

create table public.digest_deliveries (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint digest_deliveries_user_id_fkey references public.profiles (id) on delete cascade,
  frequency public.digest_frequency not null,
  period text not null,
  window_start timestamptz not null,
  window_end timestamptz not null,
  status public.delivery_status not null default 'planned',
  reason text,
  message_id text,
  attempts integer not null default 0,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint digest_deliveries_pkey primary key (id),
  constraint digest_deliveries_user_id_frequency_period_key unique (user_id, frequency, period)
);
create index digest_deliveries_open_idx on public.digest_deliveries (status, updated_at) where status in ('planned', 'sending');
comment on table public.digest_deliveries is 'One row a digest: claimed before the mail goes out. Own rows, read only for clients.';
comment on column public.digest_deliveries.frequency is 'daily or weekly.';
comment on column public.digest_deliveries.window_start is 'Start of the period.';
comment on column public.digest_deliveries.window_end is 'End of the period, exclusive.';
comment on column public.digest_deliveries.status is 'planned, sending, sent; skipped, failed; uncertain where the mail may have gone out and is not sent again.';
comment on column public.digest_deliveries.reason is 'Why it was skipped, or failed.';
comment on column public.digest_deliveries.message_id is 'The Message-ID of the mail.';
comment on column public.digest_deliveries.attempts is 'How often sending was tried.';
comment on column public.digest_deliveries.period is 'The local day (2026-11-20) or ISO week (2026-W47) that the digest is about.';

set local role service_role;

-- +goose StatementBegin
create function private.add_digest_preference() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.digest_preferences (user_id, frequency)
  values (new.id, coalesce((select s.value from private.settings s where s.name = 'digest_default_frequency'), 'weekly')::public.digest_setting)
  on conflict (user_id) do nothing;
  return null;
end $$;
-- +goose StatementEnd

reset role;

-- Requires an IANA name and corrects its case, because programs look the name up as well. PostgreSQL by itself
-- would also accept abbreviations (CEST) and POSIX rules. Reading all names takes a tenth of a second, so the
-- trigger runs only when the zone changes.
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
  select n.name into spelt from pg_catalog.pg_timezone_names n
    where lower(n.name) = lower(new.timezone) and n.name !~ '^(posix|right)/' and n.name not in ('localtime', 'posixrules', 'Factory');
  if spelt is null then
    raise exception 'unknown time zone' using errcode = 'check_violation', constraint = 'digest_preferences_timezone_check',
      hint = 'Use an IANA name, as Europe/Berlin.';
  end if;
  new.timezone := spelt;
  return new;
end $$;
-- +goose StatementEnd

create trigger profiles_digest_preference after insert on public.profiles for each row execute function private.add_digest_preference();
create trigger digest_preferences_stamp before insert or update on public.digest_preferences for each row execute function private.stamp();
create trigger digest_preferences_timezone before insert on public.digest_preferences
  for each row execute function private.check_timezone();
create trigger digest_preferences_other_timezone before update on public.digest_preferences
  for each row when (old.timezone is distinct from new.timezone) execute function private.check_timezone();
create trigger digest_deliveries_stamp before insert or update on public.digest_deliveries for each row execute function private.stamp();

alter table public.digest_preferences enable row level security;
alter table public.digest_preferences force row level security;
alter table public.digest_deliveries enable row level security;
alter table public.digest_deliveries force row level security;
create policy service on public.digest_preferences to service_role using (true) with check (true);
create policy service on public.digest_deliveries to service_role using (true) with check (true);
create policy see on public.digest_preferences for select to authenticated using (user_id = (select auth.uid()));
create policy add on public.digest_preferences for insert to authenticated with check (user_id = (select auth.uid()));
create policy change on public.digest_preferences for update to authenticated using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy see on public.digest_deliveries for select to authenticated using (user_id = (select auth.uid()));
grant select, insert, update, delete on public.digest_preferences, public.digest_deliveries to service_role;
grant select, insert, update on public.digest_preferences to authenticated;
grant select on public.digest_deliveries to authenticated;
grant select, insert, update, delete on private.settings to service_role;
