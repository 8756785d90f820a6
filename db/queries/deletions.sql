-- name: MarkAccountDeleted :one
select private.mark_account_deleted(sqlc.arg(user_id));

-- name: TakeDeletion :one
-- What is marked deleted and was not seen for the longest time. It counts as seen, so that a deletion that
-- fails does not keep others from their turn.
update private.deletions
set seen_at = clock_timestamp()
where id = (select d.id from private.deletions d order by d.seen_at, d.id limit 1)
returning id, kind;

-- name: HasDeletions :one
select exists (select from private.deletions);

-- name: HasIdleDeletions :one
-- Whether something is marked deleted and nothing of it was removed for a while.
select exists (
  select from private.deletions d where d.seen_at < now() - make_interval(secs => sqlc.arg(silence_seconds))
);

-- name: SeeDeleted :exec
-- The rest of the transaction sees what is marked deleted.
select set_config('research.removing', 'on', true);

-- name: ListOpenImportsOf :many
select i.id
from public.imports i
where i.workspace_id = $1
  and i.status in ('queued', 'parsing');

-- name: RemoveBatch :one
-- The step is 0 when nothing is left.
select coalesce(b.removed, 0)::bigint as removed, coalesce(b.next_step, 0)::integer as step
from private.remove_batch(sqlc.arg(id), sqlc.arg(most)) b;

-- name: CountMarked :one
-- How many of these are marked deleted.
select count(*)
from private.deletions d
where d.id = any (sqlc.arg(ids)::uuid[]);
