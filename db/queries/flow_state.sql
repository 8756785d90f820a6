-- name: SetCodeChallenge :exec
-- Binds a requested link to a challenge. An unknown address has no request, and then nothing happens.
update auth.one_time_tokens
set code_challenge = sqlc.arg(code_challenge)::text,
  code_challenge_method = sqlc.arg(code_challenge_method)::text
where id = sqlc.arg(id);

-- name: GetCodeChallenge :one
-- The challenge of a link. Both are empty if there is none.
select coalesce(code_challenge, '')::text as code_challenge,
  coalesce(code_challenge_method, '')::text as code_challenge_method
from auth.one_time_tokens
where token_hash = $1;

-- name: CreateFlow :exec
insert into auth.flow_state (
  user_id, auth_code_hash, code_challenge, code_challenge_method, authentication_method, session_id,
  linked_identity, expires_at
)
values (
  sqlc.arg(user_id),
  sqlc.arg(auth_code_hash),
  sqlc.arg(code_challenge),
  sqlc.arg(code_challenge_method),
  sqlc.arg(authentication_method),
  sqlc.narg(session_id),
  sqlc.narg(linked_identity)::jsonb,
  sqlc.arg(expires_at)
);

-- name: GetFlow :one
select id, user_id, code_challenge, code_challenge_method, authentication_method, session_id, linked_identity,
  expires_at
from auth.flow_state
where auth_code_hash = $1;

-- name: DeleteFlow :execrows
delete from auth.flow_state
where id = $1;
