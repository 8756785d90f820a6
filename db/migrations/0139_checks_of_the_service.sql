-- +goose Up
-- Each row that a worker writes asks several times whether the caller may see or edit its workspace. For the
-- service the answer is one comparison, which needs no query.

set local role service_role;

-- +goose StatementBegin
create or replace function private.caller_may_see(workspace uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if current_setting('role', true) not in ('anon', 'authenticated') then
    return true;
  end if;
  return exists (
    select from public.workspace_members m
    where m.user_id = auth.uid() and m.workspace_id = workspace and not private.lacks_factor(workspace));
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function private.caller_may_edit(workspace uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if current_setting('role', true) not in ('anon', 'authenticated') then
    return true;
  end if;
  return exists (select from private.my_workspaces('editor') w where w = workspace);
end $$;
-- +goose StatementEnd

-- Its statements find their rows by keys, however many imports they are about, and were planned at each call.
alter function private.update_results(uuid[]) set plan_cache_mode = 'force_generic_plan';

reset role;
