-- name: AddNotice :exec
insert into auth.notices (id, user_id, kind, recipient)
values ($1, $2, $3, $4);

-- name: GetNotice :one
select kind, recipient
from auth.notices
where id = $1;

-- name: DeleteNotice :exec
delete from auth.notices
where id = $1;

-- name: ListNotices :many
-- Those that are older could not be sent, and tell nobody anything new.
select id
from auth.notices
where created_at > now() - interval '7 days'
order by created_at, id
limit sqlc.arg(maximum);
