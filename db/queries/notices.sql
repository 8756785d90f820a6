-- name: AddNotice :exec
insert into auth.notices (id, user_id, kind, recipient)
values ($1, $2, $3, $4);

-- name: GetNotice :one
-- There is no row for one that tells nothing new any more.
select kind, recipient
from auth.notices
where id = $1
  and created_at > now() - interval '7 days';

-- name: DeleteNotice :exec
delete from auth.notices
where id = $1;

-- name: ListWaitingNotices :many
-- Those whose run was not started in the last minutes, the oldest first. Older ones than a week tell nothing
-- new.
select id
from auth.notices
where created_at > now() - interval '7 days'
  and (started_at is null or started_at < now() - make_interval(secs => sqlc.arg(again_seconds)))
order by created_at, id
limit sqlc.arg(maximum);

-- name: MarkNoticesStarted :exec
update auth.notices set started_at = now() where id = any (sqlc.arg(ids)::uuid[]);
