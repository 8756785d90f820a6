-- name: PublishEvents :one
-- Numbers committed events, and returns how many. 0 also means that another transaction is doing so.
select private.publish_events(sqlc.arg(most)::integer)::bigint as published;

-- name: GetEventBounds :one
-- The number of the latest event, and that of the latest one that is no longer kept.
select b.head::bigint as head, b.expired::bigint as expired from private.event_bounds() as b;

-- name: ListPublishedEvents :many
-- Within AsService. Whom the events after a number concern.
select e.seq::bigint as seq, e.type, e.workspace_id, e.import_id, e.answer_id, e.entity_id
from private.events e
where e.seq > sqlc.arg(after)::bigint
order by e.seq
limit sqlc.arg(most);

-- name: ReadEvents :many
-- Within AsUser. The events after a number that the caller may see, of one import, one answer, or all
-- workspaces.
select e.seq::bigint as seq, e.type::text as type, e.body::jsonb as body
from private.read_events(
  sqlc.arg(after)::bigint, sqlc.narg(import_id)::uuid, sqlc.narg(answer_id)::uuid, sqlc.arg(most)::integer
) as e;

-- name: ListMyWorkspaces :many
-- Within AsUser.
select w::uuid as id from private.my_workspaces() as w;

-- name: DeleteOldEvents :one
-- Deletes the oldest events, as far as they are older than before, and returns how many.
select private.expire_events(sqlc.arg(before)::timestamptz, sqlc.arg(most)::integer)::bigint as deleted;
