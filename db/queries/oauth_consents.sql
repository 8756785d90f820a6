-- name: SaveConsent :exec
-- An app keeps what the user has allowed before.
insert into auth.oauth_consents as c (user_id, client_id, scopes, resource, redirect_host)
values (
  sqlc.arg(user_id),
  sqlc.arg(client_id),
  sqlc.arg(scopes)::text[],
  sqlc.narg(resource),
  sqlc.arg(redirect_host)
)
on conflict (user_id, client_id) do update
set scopes = array(
    select distinct s.scope from unnest(c.scopes || excluded.scopes) as s (scope) order by s.scope
  ),
  resource = coalesce(excluded.resource, c.resource),
  redirect_host = excluded.redirect_host,
  granted_at = now();

-- name: GetConsent :one
select scopes, resource, redirect_host
from auth.oauth_consents
where user_id = sqlc.arg(user_id)
  and client_id = sqlc.arg(client_id);

-- name: ListGrants :many
-- The apps of a user, the newest consent first. An app is used when a session of it begins or is refreshed;
-- one without a session was used when the user allowed it.
select sqlc.embed(c),
  g.scopes,
  g.redirect_host,
  g.granted_at,
  coalesce((
    select max(coalesce(s.refreshed_at, s.created_at))
    from auth.sessions s
    where s.user_id = g.user_id
      and s.oauth_client_id = g.client_id
  ), g.granted_at)::timestamptz as last_used_at
from auth.oauth_consents g
join auth.oauth_clients c on c.id = g.client_id
where g.user_id = sqlc.arg(user_id)
order by g.granted_at desc, g.id;

-- name: DeleteConsent :execrows
delete from auth.oauth_consents
where user_id = sqlc.arg(user_id)
  and client_id = sqlc.arg(client_id);
