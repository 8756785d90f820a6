-- name: CreateFactor :exec
insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, secret)
values ($1, $2, $3, 'totp', $4);

-- name: DeleteUnverifiedFactors :exec
-- Those with a name, and those from before a time; without a time, all.
delete from auth.mfa_factors
where user_id = sqlc.arg(user_id)
  and status = 'unverified'
  and (
    sqlc.narg(created_before)::timestamptz is null
    or created_at < sqlc.narg(created_before)
    or friendly_name = sqlc.arg(friendly_name)::text
  );

-- name: ListFactors :many
select id, friendly_name, status
from auth.mfa_factors
where user_id = $1
order by created_at, id;

-- name: GetFactor :one
-- Only if the factor is the user's.
select id, status, secret, last_step
from auth.mfa_factors
where id = sqlc.arg(id)
  and user_id = sqlc.arg(user_id);

-- name: AcceptFactorCode :exec
update auth.mfa_factors
set status = 'verified',
  last_step = greatest(last_step, sqlc.arg(step)::bigint),
  updated_at = case status when 'verified' then updated_at else now() end
where id = sqlc.arg(id);

-- name: DeleteFactor :execrows
delete from auth.mfa_factors
where id = sqlc.arg(id)
  and user_id = sqlc.arg(user_id);

-- name: CreateChallenge :exec
-- It deletes those of the factor that have expired.
with expired as (
  delete from auth.mfa_challenges c
  where c.factor_id = sqlc.arg(factor_id)
    and c.expires_at <= sqlc.arg(now)
), asked as (
  update auth.mfa_factors f
  set last_challenged_at = sqlc.arg(now)
  where f.id = sqlc.arg(factor_id)
)
insert into auth.mfa_challenges (id, factor_id, session_id, expires_at)
values (sqlc.arg(id), sqlc.arg(factor_id), sqlc.arg(session_id), sqlc.arg(expires_at));

-- name: GetChallenge :one
select expires_at
from auth.mfa_challenges
where id = sqlc.arg(id)
  and factor_id = sqlc.arg(factor_id)
  and session_id = sqlc.arg(session_id);

-- name: DeleteChallenge :exec
delete from auth.mfa_challenges
where id = $1;

-- name: GetCodeFailures :one
select failures, last_failed_at
from auth.mfa_failures
where user_id = $1;

-- name: RecordCodeFailure :exec
insert into auth.mfa_failures as f (user_id, failures, last_failed_at)
values (sqlc.arg(user_id), 1, sqlc.arg(failed_at))
on conflict (user_id) do update
set failures = f.failures + 1,
  last_failed_at = excluded.last_failed_at;

-- name: ForgetCodeFailures :exec
delete from auth.mfa_failures
where user_id = $1;

-- name: CreateRecoveryCodes :exec
insert into auth.mfa_recovery_codes (user_id, code_hash)
select sqlc.arg(user_id), h.code_hash
from unnest(sqlc.arg(code_hashes)::bytea[]) as h (code_hash);

-- name: UseRecoveryCode :execrows
delete from auth.mfa_recovery_codes
where user_id = $1
  and code_hash = $2;

-- name: DeleteRecoveryCodes :exec
delete from auth.mfa_recovery_codes
where user_id = $1;

-- name: CountRecoveryCodes :one
select count(*)
from auth.mfa_recovery_codes
where user_id = $1;

-- name: LockSession :one
-- Only if the session is the user's own, and not that of an app.
select id, amr, factor_id, greatest(created_at, reauthenticated_at)::timestamptz as authenticated_at
from auth.sessions
where id = sqlc.arg(id)
  and user_id = sqlc.arg(user_id)
  and oauth_client_id is null
  and (not_after is null or not_after > now())
for update;

-- name: SetSessionMethods :exec
update auth.sessions
set aal = sqlc.arg(aal),
  amr = sqlc.arg(amr),
  factor_id = sqlc.narg(factor_id),
  updated_at = now()
where id = sqlc.arg(id);

-- name: DeleteSessionTokens :exec
delete from auth.refresh_tokens
where session_id = $1;

-- name: DeleteLowerSessions :many
-- The sessions of a user without a second factor, except one.
delete from auth.sessions
where user_id = sqlc.arg(user_id)
  and id <> sqlc.arg(keep)
  and aal = 'aal1'
returning id;

-- name: DeleteFactorSessions :many
-- The sessions that a factor raised to aal2, except one.
delete from auth.sessions
where factor_id = sqlc.arg(factor_id)::uuid
  and id <> sqlc.arg(keep)
returning id;
