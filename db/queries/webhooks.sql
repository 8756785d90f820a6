-- name: ListDueWebhooks :many
-- The endpoints that have something to send.
select distinct q.endpoint_id
from private.webhook_queues q
join public.webhook_endpoints w on w.id = q.endpoint_id and w.active
where q.due_at <= now()
limit sqlc.arg(most);

-- name: ClaimWebhook :one
-- The next delivery of an endpoint, which no other sender takes during the lease, and the secrets to sign it
-- with, the newest first. ErrNotFound means that none is due.
select
  c.id::uuid as id,
  c.event_id::uuid as event_id,
  c.attempts::integer as attempts,
  c.body::text as body,
  c.url::text as url,
  array_remove(
    array[s.secret, case when s.previous_until > now() then s.previous end], null
  )::text[] as secrets
from private.claim_webhook(sqlc.arg(endpoint_id)::uuid, sqlc.arg(lease_seconds)::double precision) as c
join private.webhook_secrets s on s.endpoint_id = sqlc.arg(endpoint_id)::uuid;

-- name: RecordWebhook :exec
-- The end of an attempt. Without retry_seconds, a delivery that was not accepted has failed.
select private.record_webhook(
  sqlc.arg(id)::uuid,
  sqlc.arg(accepted)::boolean,
  sqlc.narg(response_status)::integer,
  sqlc.narg(response_excerpt)::text,
  sqlc.narg(error)::text,
  sqlc.narg(retry_seconds)::double precision,
  sqlc.arg(gone)::boolean
);

-- name: DeleteOldWebhookDeliveries :execrows
-- Those that are not pending any more.
delete from public.webhook_deliveries d
where d.id in (
  select o.id
  from public.webhook_deliveries o
  where o.created_at < sqlc.arg(before) and o.status <> 'pending'
  limit sqlc.arg(most)
);
