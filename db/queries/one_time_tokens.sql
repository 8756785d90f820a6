-- name: RequestToken :execrows
-- Requests a token by address, so that known and unknown addresses take the same statement. It replaces an
-- earlier request of the same type.
with account as (
  select u.id
  from auth.users u
  where lower(u.email) = lower(sqlc.arg(email)::text)
    and not u.is_sso_user
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
    and (
      not sqlc.arg(only_unconfirmed)::boolean
      or u.confirmation_sent_at is not null and u.email_confirmed_at is null
    )
), earlier as (
  delete from auth.one_time_tokens t
  using account
  where t.user_id = account.id
    and t.token_type = sqlc.arg(token_type)
)
insert into auth.one_time_tokens (id, user_id, token_type, redirect_to, expires_at)
select sqlc.arg(id),
  account.id,
  sqlc.arg(token_type),
  sqlc.arg(redirect_to),
  now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision)
from account;

-- name: RequestUserToken :exec
-- Requests a token for a user. It replaces an earlier request of the same type.
with earlier as (
  delete from auth.one_time_tokens t
  where t.user_id = sqlc.arg(user_id)
    and t.token_type = sqlc.arg(token_type)
)
insert into auth.one_time_tokens (id, user_id, token_type, relates_to, redirect_to, expires_at)
values (
  sqlc.arg(id),
  sqlc.arg(user_id),
  sqlc.arg(token_type),
  sqlc.arg(relates_to),
  sqlc.arg(redirect_to),
  now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision)
);

-- name: MintToken :one
-- Stores the hash of a token that is about to be mailed. A second attempt replaces the token of the first.
-- There is no row if the token was used or replaced.
update auth.one_time_tokens t
set token_hash = sqlc.arg(token_hash),
  sent_at = now()
from auth.users u
where t.id = sqlc.arg(id)
  and u.id = t.user_id
  and t.expires_at > now()
  and u.deleted_at is null
returning t.token_type, t.relates_to, t.redirect_to, t.expires_at, coalesce(u.email, '')::text as email;

-- name: FindToken :one
select t.id, t.token_type, t.redirect_to, t.expires_at > now() as valid
from auth.one_time_tokens t
where t.token_hash = $1;

-- name: UseToken :one
-- Using a token deletes it, so that one of several concurrent requests gets the row.
delete from auth.one_time_tokens
where token_hash = $1
  and expires_at > now()
  and token_type = any (sqlc.arg(token_types)::text[])
returning user_id, token_type, relates_to, redirect_to;

-- name: DeleteUserTokens :exec
-- After a change of password or address, links that were mailed before must not work any more.
delete from auth.one_time_tokens
where user_id = $1;
