-- name: GetFirstWorkspace :one
-- The workspace that a user has been a member of for the longest time.
select workspace_id from public.workspace_members
where user_id = $1
order by created_at, workspace_id
limit 1;

-- name: ListWorkspacesOf :many
select workspace_id
from public.workspace_members
where user_id = $1;

-- name: IsAdmin :one
-- Within AsUser. Whether the caller is an owner or admin of a workspace.
select exists (select from private.my_workspaces('admin') w where w = $1::uuid)::boolean;
