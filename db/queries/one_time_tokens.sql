-- name: AskForToken :execrows
-- By the address, so that known and unknown ones take the same statement. What was asked for before is forgotten.
with person as (
  select u.id from auth.users u
  where lower(u.email) = lower(sqlc.arg(email)::text) and not u.is_sso_user and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    and (not sqlc.arg(only_unconfirmed)::boolean or u.confirmation_sent_at is not null and u.email_confirmed_at is null)
), earlier as (
  delete from auth.one_time_tokens t using person where t.user_id = person.id and t.token_type = sqlc.arg(token_type)
)
insert into auth.one_time_tokens (id, user_id, token_type, redirect_to, expires_at)
select sqlc.arg(id), person.id, sqlc.arg(token_type), sqlc.arg(redirect_to), now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision) from person;

-- name: AskForUserToken :exec
with earlier as (
  delete from auth.one_time_tokens t where t.user_id = sqlc.arg(user_id) and t.token_type = sqlc.arg(token_type)
)
insert into auth.one_time_tokens (id, user_id, token_type, relates_to, redirect_to, expires_at)
values (sqlc.arg(id), sqlc.arg(user_id), sqlc.arg(token_type), sqlc.arg(relates_to), sqlc.arg(redirect_to), now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision));

-- name: MintToken :one
-- The mail is about to go out with this token. A second attempt replaces the first one's token; a token that was used or replaced has no row.
update auth.one_time_tokens t set token_hash = sqlc.arg(token_hash), sent_at = now()
from auth.users u
where t.id = sqlc.arg(id) and u.id = t.user_id and t.expires_at > now() and u.deleted_at is null
returning t.token_type, t.relates_to, t.redirect_to, t.expires_at, coalesce(u.email, '')::text as email;

-- name: FindToken :one
select t.id, t.token_type, t.redirect_to, t.expires_at > now() as valid from auth.one_time_tokens t where t.token_hash = $1;

-- name: UseToken :one
-- Deleting it is using it: of two at once, one gets the row.
delete from auth.one_time_tokens where token_hash = $1 and expires_at > now() and token_type = any (sqlc.arg(token_types)::text[])
returning user_id, token_type, relates_to, redirect_to;

-- name: ForgetToken :exec
delete from auth.one_time_tokens where id = $1;

-- name: ForgetUserTokens :exec
-- A changed password or address makes links that are under way worthless.
delete from auth.one_time_tokens where user_id = $1;
