-- name: CreateRefreshToken :one
insert into auth.refresh_tokens (token_hash, user_id, session_id, parent_id) values ($1, $2, $3, $4) returning id;

-- name: LockRefreshToken :one
-- Locks the session, so that of twenty refreshes at once one rotates and the others see its successor.
select t.id, t.user_id, t.session_id, t.revoked, t.revoked_at, s.amr, s.not_after, s.refresh_salt
from auth.refresh_tokens t join auth.sessions s on s.id = t.session_id
where t.token_hash = $1
for update of s;

-- name: GetRefreshToken :one
-- Read again under the lock: what another refresh wrote meanwhile shows.
select id, revoked, revoked_at from auth.refresh_tokens where id = $1;

-- name: GetActiveRefreshToken :one
select id, parent_id, token_hash from auth.refresh_tokens where session_id = $1 and not revoked order by id desc limit 1;

-- name: RevokeRefreshToken :exec
update auth.refresh_tokens set revoked = true, revoked_at = now(), updated_at = now() where id = $1;
