-- +goose Up
-- When each member's next digest is due, so that an hourly tick reads only the members whose time has come, and
-- the names of time zones, so that a preference is checked by an index.

-- One row for each member who wants digests. It is a table of its own because planning writes it once per digest,
-- and because members may write their preferences but not this.
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

-- Time zones by their names in lower case.
create table private.time_zones (
  key text not null,
  name text not null,
  constraint time_zones_pkey primary key (key)
);
insert into private.time_zones (key, name)
select distinct on (lower(n.name)) lower(n.name), n.name
from pg_catalog.pg_timezone_names n
where n.name !~ '^(posix|right)/'
  and n.name not in ('localtime', 'posixrules', 'Factory')
order by lower(n.name), n.name;
grant select, insert on private.time_zones to service_role;

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

-- Requires an IANA name and corrects its case, because programs look the name up as well. PostgreSQL by itself
-- would also accept abbreviations (CEST) and POSIX rules. Reading PostgreSQL's own list takes a tenth of a second,
-- so it is read only for a name that is not in private.time_zones: a zone of newer zone files, which is then added.
create function private.find_time_zone(wanted text) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  found_name text;
begin
  select z.name into found_name from private.time_zones z where z.key = lower(wanted);
  if found_name is null then
    select n.name into found_name
    from pg_catalog.pg_timezone_names n
    where lower(n.name) = lower(wanted)
      and n.name !~ '^(posix|right)/'
      and n.name not in ('localtime', 'posixrules', 'Factory')
    limit 1;
    if found_name is not null then
      insert into private.time_zones (key, name) values (lower(found_name), found_name) on conflict (key) do nothing;
    end if;
  end if;
  return found_name;
end $$;
-- +goose StatementEnd

reset role;
grant execute on function private.find_time_zone(text) to authenticated, service_role;

-- +goose StatementBegin
create or replace function private.check_timezone() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  spelt text;
begin
  if new.timezone = 'UTC' then
    return new;
  end if;
  spelt := private.find_time_zone(new.timezone);
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

create trigger digest_preferences_schedule after insert on public.digest_preferences
  for each row execute function private.schedule_digest();
create trigger digest_preferences_reschedule after update on public.digest_preferences
  for each row
  when ((old.frequency, old.timezone, old.hour, old.weekday)
    is distinct from (new.frequency, new.timezone, new.hour, new.weekday))
  execute function private.schedule_digest();

-- The first tick after the upgrade looks at everybody once, as every tick did before.
insert into private.digest_schedule (user_id, frequency)
select p.user_id, p.frequency::text::public.digest_frequency
from public.digest_preferences p
where p.frequency <> 'off';
