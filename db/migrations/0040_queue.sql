-- +goose Up
-- How many imports wait or are parsed, so that a full queue can be told. It counts for everybody, and tells nothing but numbers.

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
