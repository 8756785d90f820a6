-- +goose Up
-- How many imports are queued or parsing, for the limits of the queue. It counts the imports of all
-- workspaces and returns numbers only.

set local role service_role;

-- +goose StatementBegin
create function private.queue_length(workspace uuid, out everybody bigint, out of_workspace bigint)
language sql stable security definer
set search_path = ''
begin atomic
  select count(*), count(*) filter (where i.workspace_id = workspace) from public.imports i where i.status in ('queued', 'parsing');
end;
-- +goose StatementEnd

reset role;

grant execute on function private.queue_length(uuid) to authenticated, service_role;
