-- +goose Up
-- A user creates a limited number of workspaces. Ten thousand by one user would be a list that nobody can
-- read, and work for every job that visits each workspace.

set local role service_role;

-- An agency with a workspace per customer stays far below both limits. The lock makes concurrent inserts of a
-- user count each other.
-- +goose StatementBegin
create function private.limit_workspaces() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  most constant integer := 100;
  most_an_hour constant integer := 20;
  created integer;
  created_lately integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('workspaces of ' || new.created_by::text, 0));
  select count(*), count(*) filter (where w.created_at > now() - interval '1 hour') into created, created_lately
  from public.workspaces w where w.created_by = new.created_by;
  if created >= most then
    raise exception 'You have created % workspaces, which is the limit.', most
      using errcode = 'PT429', hint = 'Delete a workspace first, or ask the operator to create one.';
  elsif created_lately >= most_an_hour then
    raise exception 'You have created % workspaces within an hour. Try again later.', most_an_hour
      using errcode = 'PT429';
  end if;
  return new;
end $$;
-- +goose StatementEnd

reset role;

-- The name sorts after workspaces_stamp_creator, which sets created_by. Statements of service_role have no limit.
create trigger workspaces_t_limit before insert on public.workspaces
for each row when (current_user = 'authenticated' and new.created_by is not null)
execute function private.limit_workspaces();
