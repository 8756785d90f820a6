-- name: CreateOAuthClient :one
insert into auth.oauth_clients (
  registration_type, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri,
  logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
)
values (
  sqlc.arg(registration_type),
  sqlc.arg(client_type),
  sqlc.arg(token_endpoint_auth_method),
  sqlc.narg(client_secret_hash),
  sqlc.arg(client_name),
  sqlc.arg(client_uri),
  sqlc.arg(logo_uri),
  sqlc.arg(redirect_uris),
  sqlc.arg(grant_types),
  sqlc.arg(now),
  sqlc.arg(now),
  sqlc.arg(now)
)
returning *;

-- name: SaveMetadataClient :one
-- Stores what a metadata document says, when it is new or has changed.
insert into auth.oauth_clients (
  registration_type, metadata_url, client_type, token_endpoint_auth_method, client_name, client_uri, logo_uri,
  redirect_uris, grant_types, created_at, updated_at, last_used_at
)
values (
  'metadata_document',
  sqlc.arg(metadata_url)::text,
  'public',
  'none',
  sqlc.arg(client_name),
  sqlc.arg(client_uri),
  sqlc.arg(logo_uri),
  sqlc.arg(redirect_uris),
  sqlc.arg(grant_types),
  sqlc.arg(now),
  sqlc.arg(now),
  sqlc.arg(now)
)
on conflict (metadata_url) do update set
  client_name = excluded.client_name,
  client_uri = excluded.client_uri,
  logo_uri = excluded.logo_uri,
  redirect_uris = excluded.redirect_uris,
  grant_types = excluded.grant_types,
  updated_at = excluded.updated_at
returning *;

-- name: GetOAuthClient :one
select *
from auth.oauth_clients
where id = $1;

-- name: LockOAuthClient :one
select *
from auth.oauth_clients
where id = $1
for update;

-- name: GetMetadataClient :one
select *
from auth.oauth_clients
where metadata_url = sqlc.arg(metadata_url)::text;

-- name: CountOAuthClients :one
select count(*)
from auth.oauth_clients;

-- name: ListOAuthClients :many
select *
from auth.oauth_clients
order by created_at desc, id
limit sqlc.arg(page_size)
offset sqlc.arg(skip);

-- name: UpdateOAuthClient :one
update auth.oauth_clients
set token_endpoint_auth_method = sqlc.arg(token_endpoint_auth_method),
  client_name = sqlc.arg(client_name),
  client_uri = sqlc.arg(client_uri),
  logo_uri = sqlc.arg(logo_uri),
  redirect_uris = sqlc.arg(redirect_uris),
  grant_types = sqlc.arg(grant_types),
  updated_at = sqlc.arg(now)
where id = sqlc.arg(id)
returning *;

-- name: SetOAuthClientSecret :one
update auth.oauth_clients
set client_secret_hash = sqlc.arg(client_secret_hash)::bytea,
  updated_at = sqlc.arg(now)
where id = sqlc.arg(id)
  and client_type = 'confidential'
returning *;

-- name: DeleteOAuthClient :execrows
-- With its sessions, which ends the access of its tokens.
delete from auth.oauth_clients
where id = $1;
