-- +goose Up
-- Sending digests: the run that claimed a delivery, the time of its next attempt, the addresses that refuse mail,
-- the rate of all workers, and the key of unsubscribe links.

alter table public.digest_deliveries
  add column run_id text,
  add column claimed_at timestamptz,
  add column next_attempt_at timestamptz not null default now(),
  add column expires_at timestamptz not null default now() + interval '1 day';
comment on column public.digest_deliveries.run_id is 'The run in Temporal that claimed it last.';
comment on column public.digest_deliveries.claimed_at is 'When sending began last.';
comment on column public.digest_deliveries.next_attempt_at is 'While it is planned: not tried before this moment.';
comment on column public.digest_deliveries.expires_at is 'The end of the next period: from then on it is stale, and not sent.';
comment on column public.digest_deliveries.attempts is 'How often sending was begun.';

-- Planned deliveries are found by id, those being sent by age, and those of a run by its id.
drop index public.digest_deliveries_open_idx;
create index digest_deliveries_planned_idx on public.digest_deliveries (frequency, id) where status = 'planned';
create index digest_deliveries_sending_idx on public.digest_deliveries (claimed_at) where status = 'sending';
create index digest_deliveries_run_id_idx on public.digest_deliveries (run_id) where run_id is not null;

-- Addresses with permanent refusals. Three refusals in a row suppress an address; an accepted mail clears them.
create table private.mail_refusals (
  address text not null,
  refusals integer not null default 1,
  code integer not null,
  last_at timestamptz not null default now(),
  suppressed_at timestamptz,
  constraint mail_refusals_pkey primary key (address)
);
comment on column private.mail_refusals.address is 'Lower case.';
comment on column private.mail_refusals.code is 'What the server said last: SMTP''s reply code.';
grant select, insert, update, delete on private.mail_refusals to service_role;

-- When the next mail may be sent by any worker.
create table private.mail_pace (
  one boolean not null default true constraint mail_pace_one_check check (one),
  next_at timestamptz not null default now(),
  constraint mail_pace_pkey primary key (one)
);
insert into private.mail_pace default values;
grant select, update on private.mail_pace to service_role;

insert into auth.secrets (name, value)
values ('unsubscribe', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
comment on table auth.secrets is
  'Keys of this installation. refresh_tokens: chains refresh tokens, which are stored as hashes only; unsubscribe: signs the links in digests that stop them.';

-- Returns why a user may not get a digest of this frequency now, or null. It is evaluated when a digest is planned,
-- and again when its delivery is claimed.
set local role service_role;
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
    when exists (select from private.mail_refusals r where r.address = lower(u.email) and r.suppressed_at is not null) then 'suppressed'
  end
  from auth.users u join public.digest_preferences p on p.user_id = u.id
  where u.id = recipient
$$;
reset role;
grant execute on function private.digest_obstacle(uuid, public.digest_frequency) to service_role;

-- Reports whether an event is worth a mail. Digests also mention corrected wording and accepted quotes, but these
-- alone are no reason to send one.
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
  else false
end;
grant execute on function private.is_news(text, text) to authenticated, service_role;
