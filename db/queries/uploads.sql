-- name: GetUploadRights :one
-- Whether the caller may upload to a project that the caller sees, how many imports the caller and the
-- workspace have made within an hour, and the quota that is used up.
select
  p.workspace_id,
  private.caller_may_edit(p.workspace_id)::boolean as may_edit,
  (
    select count(*) from public.imports i
    where i.created_by = auth.uid() and i.created_at > now() - interval '1 hour'
  ) as made_by_caller,
  (
    select count(*) from public.imports i
    where i.workspace_id = p.workspace_id and i.created_at > now() - interval '1 hour'
  ) as made_in_workspace,
  private.exceeded_quota(p.workspace_id, 1) as exceeded
from public.projects p
where p.id = $1;

-- name: CountUpload :one
-- Counts an import that was just stored, and returns the quota that it exceeds.
select private.count_upload(sqlc.arg(import_id)) as exceeded;
