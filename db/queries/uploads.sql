-- name: GetUploadRights :one
-- Whether the caller may upload to a project that the caller sees, and how many imports the caller and the
-- workspace have made within an hour.
select
  p.workspace_id,
  private.caller_may_edit(p.workspace_id)::boolean as may_write,
  (
    select count(*) from public.imports i
    where i.created_by = auth.uid() and i.created_at > now() - interval '1 hour'
  ) as made_by_caller,
  (
    select count(*) from public.imports i
    where i.workspace_id = p.workspace_id and i.created_at > now() - interval '1 hour'
  ) as made_in_workspace
from public.projects p
where p.id = $1;
