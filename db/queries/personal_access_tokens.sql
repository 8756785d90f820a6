-- name: CreatePersonalToken :one
-- Returns no row if the user has as many as are allowed. The caller holds the lock of the user, and has
-- deleted the user's expired tokens.
insert into auth.personal_access_tokens (user_id, name, token_hash, scopes, factor_id, amr, expires_at)
select sqlc.arg(user_id),
  sqlc.arg(name),
  sqlc.arg(token_hash),
  sqlc.arg(scopes),
  sqlc.narg(factor_id),
  sqlc.arg(amr),
  now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision)
where (
    select count(*)
    from auth.personal_access_tokens t
    where t.user_id = sqlc.arg(user_id)
  ) < sqlc.arg(maximum)::bigint
returning id, name, scopes, created_at, expires_at, last_used_at;

-- name: ListPersonalTokens :many
-- The newest first, with those that have expired and were not deleted yet.
select id, name, scopes, created_at, expires_at, last_used_at
from auth.personal_access_tokens
where user_id = $1
order by created_at desc, id;

-- name: FindPersonalToken :one
-- A token with the claims of an access token of its user, without a session. Without its factor, a token has
-- only the first one. User metadata that is too large for an access token is left out of both.
select t.id,
  t.user_id,
  t.scopes,
  t.expires_at,
  t.last_used_at,
  (u.deleted_at is null and (u.banned_until is null or u.banned_until <= now()))::boolean as active,
  jsonb_build_object(
    'sub', u.id,
    'role', 'authenticated',
    'email', coalesce(u.email, ''),
    'phone', coalesce(u.phone, ''),
    'is_anonymous', u.is_anonymous,
    'personal_token_id', t.id,
    'aal', case when t.factor_id is null then 'aal1' else 'aal2' end,
    'amr', case
      when t.factor_id is not null then t.amr
      else jsonb_path_query_array(t.amr, '$[*] ? (@.method != "totp" && @.method != "mfa/recovery_code")')
    end,
    'app_metadata', case
      when coalesce(u.raw_app_meta_data, '{}') = '{}' and u.email is not null
      then '{"provider": "email", "providers": ["email"]}'::jsonb
      else coalesce(u.raw_app_meta_data, '{}')
    end,
    'user_metadata', case
      when octet_length(u.raw_user_meta_data::text) > 16384 then '{}'
      else coalesce(u.raw_user_meta_data, '{}') - 'email_verified'
        || case
          when u.email_confirmed_at is null then '{}'::jsonb
          else '{"email_verified": true}'
        end
    end
  )::jsonb as claims
from auth.personal_access_tokens t
join auth.users u on u.id = t.user_id
where t.token_hash = $1;

-- name: MarkPersonalTokenUsed :exec
-- To the minute, so that it is not written for each request.
update auth.personal_access_tokens
set last_used_at = date_trunc('minute', now())
where id = $1
  and (last_used_at is null or last_used_at < date_trunc('minute', now()));

-- name: DeletePersonalToken :execrows
-- Only if the token is the user's.
delete from auth.personal_access_tokens
where id = sqlc.arg(id)
  and user_id = sqlc.arg(user_id);

-- name: DeleteExpiredPersonalTokens :exec
delete from auth.personal_access_tokens
where user_id = $1
  and expires_at <= now();
