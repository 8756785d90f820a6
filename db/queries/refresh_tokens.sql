-- name: CreateRefreshToken :exec
insert into auth.refresh_tokens (token_hash, user_id, session_id, parent_id)
values ($1, $2, $3, $4);

-- name: RotateRefreshToken :one
-- The whole of a usual refresh in one statement. Of several concurrent ones the first rotates the token; the
-- others wait for its lock, find the token revoked, and return no row. The user is locked before the session,
-- and the session before the token, in the same order as by a deletion. The limits of sessions apply as they
-- are set now; zero is none. The identities are those of auth.identities_of, which PostgreSQL would plan
-- again for each call. A token of an app is one only for that app; the user's own have no app.
with presented as (
  select t.id, t.user_id, t.session_id, s.amr, s.scopes, s.resource
  from auth.sessions s
  join auth.refresh_tokens t on t.session_id = s.id
  join auth.users u on u.id = t.user_id
  where t.token_hash = sqlc.arg(token_hash)
    and s.oauth_client_id is not distinct from sqlc.narg(oauth_client_id)::uuid
    and not t.revoked
    and coalesce(
      least(
        s.not_after,
        s.created_at + make_interval(secs => nullif(sqlc.arg(max_seconds)::double precision, 0)),
        coalesce(s.refreshed_at, s.created_at)
        + make_interval(secs => nullif(sqlc.arg(idle_seconds)::double precision, 0))
      ) > now(),
      true
    )
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
  for key share of u
  for no key update of s, t
), touched as (
  update auth.sessions s
  set refreshed_at = now(),
    updated_at = now(),
    not_after = least(
      s.created_at + make_interval(secs => nullif(sqlc.arg(max_seconds), 0)),
      now() + make_interval(secs => nullif(sqlc.arg(idle_seconds), 0))
    )
  from presented
  where s.id = presented.session_id
), rotated as (
  update auth.refresh_tokens t
  set revoked = true,
    revoked_at = now(),
    updated_at = now()
  from presented
  where t.id = presented.id
), added as (
  insert into auth.refresh_tokens (token_hash, user_id, session_id, parent_id)
  select sqlc.arg(successor_hash), presented.user_id, presented.session_id, presented.id
  from presented
)
select presented.session_id,
  presented.amr,
  presented.scopes,
  presented.resource,
  sqlc.embed(u),
  (
    select coalesce(
      jsonb_agg(
        jsonb_strip_nulls(jsonb_build_object(
          'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id, 'identity_data', i.identity_data,
          'provider', i.provider, 'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at,
          'updated_at', i.updated_at, 'email', i.email
        )) order by i.created_at, i.id
      ),
      '[]'
    )
    from auth.identities i
    where i.user_id = u.id
  )::jsonb as identities
from presented
join auth.users u on u.id = presented.user_id;

-- name: LockRefreshToken :one
-- Locks the session of a token that could not be rotated. It has expired if RotateRefreshToken found so.
select t.id,
  t.user_id,
  t.session_id,
  s.amr,
  s.scopes,
  s.resource,
  coalesce(
    least(
      s.not_after,
      s.created_at + make_interval(secs => nullif(sqlc.arg(max_seconds)::double precision, 0)),
      coalesce(s.refreshed_at, s.created_at)
      + make_interval(secs => nullif(sqlc.arg(idle_seconds)::double precision, 0))
    ) <= now(),
    false
  )::boolean as expired
from auth.sessions s
join auth.refresh_tokens t on t.session_id = s.id
where t.token_hash = sqlc.arg(token_hash)
  and s.oauth_client_id is not distinct from sqlc.narg(oauth_client_id)::uuid
for update of s;

-- name: GetRefreshToken :one
-- A separate statement under the lock, so that it sees what a concurrent refresh has written.
select id, revoked, revoked_at
from auth.refresh_tokens
where id = $1;

-- name: GetActiveRefreshToken :one
select id, parent_id, token_hash
from auth.refresh_tokens
where session_id = $1
  and not revoked
order by id desc
limit 1;

-- name: GetSecret :one
select value
from auth.secrets
where name = $1;
