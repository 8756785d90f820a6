-- name: CreateAuthorization :exec
-- The app counts as used. That is written once an hour at most.
with used as (
  update auth.oauth_clients c
  set last_used_at = sqlc.arg(now)
  where c.id = sqlc.arg(client_id)
    and c.last_used_at < sqlc.arg(now)::timestamptz - interval '1 hour'
)
insert into auth.oauth_authorizations (
  id, client_id, redirect_uri, scopes, state, resource, code_challenge, expires_at
)
values (
  sqlc.arg(id),
  sqlc.arg(client_id),
  sqlc.arg(redirect_uri),
  sqlc.arg(scopes)::text[],
  sqlc.arg(state),
  sqlc.narg(resource),
  sqlc.arg(code_challenge),
  sqlc.arg(expires_at)
);

-- name: LockAuthorization :one
-- The app is locked first, in the same order as by its deletion.
select sqlc.embed(a), sqlc.embed(c)
from auth.oauth_authorizations a
join auth.oauth_clients c on c.id = a.client_id
where a.id = $1
for key share of c
for update of a;

-- name: ClaimAuthorization :exec
-- From now on, nobody else may answer the request.
update auth.oauth_authorizations
set user_id = sqlc.arg(user_id)::uuid
where id = sqlc.arg(id)
  and user_id is null;

-- name: ApproveAuthorization :exec
update auth.oauth_authorizations
set status = 'approved',
  code_hash = sqlc.arg(code_hash)::bytea,
  code_expires_at = sqlc.arg(code_expires_at)::timestamptz,
  factor_id = sqlc.narg(factor_id),
  amr = sqlc.arg(amr)
where id = sqlc.arg(id);

-- name: DenyAuthorization :exec
update auth.oauth_authorizations
set status = 'denied'
where id = $1;

-- name: FindAuthorizationCode :one
-- Only if the code was issued to the app.
select a.id, a.user_id::uuid as user_id
from auth.oauth_authorizations a
where a.code_hash = sqlc.arg(code_hash)::bytea
  and a.client_id = sqlc.arg(client_id);

-- name: ExchangeAuthorization :exec
update auth.oauth_authorizations
set session_id = sqlc.arg(session_id)::uuid,
  exchanged_at = sqlc.arg(exchanged_at)::timestamptz
where id = sqlc.arg(id);

-- name: DeleteAppAuthorizations :exec
delete from auth.oauth_authorizations
where user_id = sqlc.arg(user_id)::uuid
  and client_id = sqlc.arg(client_id);

-- name: DeleteUserAccess :many
-- What gives apps and scripts access to the account of a user, except sessions. It returns the personal
-- access tokens.
with requests as (
  delete from auth.oauth_authorizations a
  where a.user_id = sqlc.arg(user_id)::uuid
), consents as (
  delete from auth.oauth_consents c
  where c.user_id = sqlc.arg(user_id)::uuid
)
delete from auth.personal_access_tokens t
where t.user_id = sqlc.arg(user_id)::uuid
returning t.id;
