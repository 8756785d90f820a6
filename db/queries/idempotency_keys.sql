-- name: RememberResponse :one
-- Within AsUser. Remembers a response, or, without a status, the claim of a parse whose response is not known
-- yet.
select private.remember_response(
  sqlc.arg(key)::bytea,
  sqlc.arg(fingerprint)::bytea,
  sqlc.narg(import_id)::uuid,
  sqlc.narg(claim_id)::uuid,
  sqlc.narg(status)::integer,
  sqlc.narg(body)::bytea,
  sqlc.arg(most)::bigint
)::private.remember_result as result;

-- name: GetRememberedResponse :one
-- What is remembered of a key. is_claimed: the import still has the claim of a parse whose response is
-- not known; its workflow and run are known once the run has begun.
select
  k.fingerprint,
  k.claim_id,
  k.import_id,
  coalesce(k.status, 0)::integer as status,
  k.body,
  (i.id is not null)::boolean as is_claimed,
  i.workflow_id,
  i.run_id
from private.idempotency_keys k
left join public.imports i on i.id = k.import_id and i.claim_id = k.claim_id
where k.user_id = sqlc.arg(user_id) and k.key = sqlc.arg(key) and k.expires_at >= now();

-- name: CompleteResponse :exec
-- Adds the response to a parse.
update private.idempotency_keys set status = sqlc.arg(status)::integer, body = sqlc.arg(body)::bytea
where user_id = sqlc.arg(user_id) and key = sqlc.arg(key) and claim_id = sqlc.arg(claim_id)::uuid;

-- name: ForgetClaim :exec
-- Forgets a parse that was not started.
delete from private.idempotency_keys
where user_id = sqlc.arg(user_id)
  and key = sqlc.arg(key)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status is null;

-- name: DeleteExpiredKeys :one
-- Deletes Idempotency-Keys that have expired, up to a limit at once, and returns how many.
select private.delete_expired_keys(sqlc.arg(most)::bigint)::bigint as deleted;
