-- name: CreateSession :exec
-- A limit of zero is none. The session of an app has scopes.
insert into auth.sessions (
  id, user_id, user_agent, ip, aal, amr, factor_id, oauth_client_id, scopes, resource, not_after
)
values (
  sqlc.arg(id),
  sqlc.arg(user_id),
  sqlc.arg(user_agent),
  sqlc.narg(ip),
  sqlc.arg(aal),
  sqlc.arg(amr),
  sqlc.narg(factor_id),
  sqlc.narg(oauth_client_id),
  sqlc.narg(scopes)::text[],
  sqlc.narg(resource),
  least(
    now() + make_interval(secs => nullif(sqlc.arg(max_seconds)::double precision, 0)),
    now() + make_interval(secs => nullif(sqlc.arg(idle_seconds)::double precision, 0))
  )
);

-- name: MarkReauthenticated :exec
update auth.sessions
set reauthenticated_at = sqlc.arg(at)::timestamptz,
  updated_at = now()
where id = sqlc.arg(id);

-- name: DeleteSession :exec
delete from auth.sessions
where id = $1;

-- name: DeleteUserSession :execrows
-- Only if the session is the user's.
delete from auth.sessions
where id = sqlc.arg(id)
  and user_id = sqlc.arg(user_id);

-- name: DeleteUserSessions :many
-- All sessions of a user and of apps that act for the user, but not the one to keep, which may be null.
delete from auth.sessions
where user_id = sqlc.arg(user_id)
  and (sqlc.narg(keep)::uuid is null or id <> sqlc.narg(keep))
returning id;

-- name: DeleteOwnSessions :many
-- The sessions of a user, but not those of apps, nor the one to keep, which may be null.
delete from auth.sessions
where user_id = sqlc.arg(user_id)
  and oauth_client_id is null
  and (sqlc.narg(keep)::uuid is null or id <> sqlc.narg(keep))
returning id;

-- name: DeleteAppSessions :many
-- The sessions of an app for a user.
delete from auth.sessions
where user_id = sqlc.arg(user_id)
  and oauth_client_id = sqlc.arg(oauth_client_id)::uuid
returning id;

-- name: ListUserSessions :many
-- Not those of apps.
select id,
  created_at,
  coalesce(refreshed_at, created_at)::timestamptz as last_used_at,
  not_after,
  coalesce(user_agent, '')::text as user_agent,
  coalesce(host(ip), '')::text as ip,
  amr
from auth.sessions
where user_id = $1
  and oauth_client_id is null
  and (not_after is null or not_after > now())
order by last_used_at desc, id;
