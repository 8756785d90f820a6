-- name: RouteWebhooks :one
-- Makes the endpoints due that want one of the next events, and returns how many events these were.
select private.route_webhooks(sqlc.arg(most)::integer)::bigint as events;

-- name: TakeDueWebhooks :many
-- The endpoints that have something to send, one of each workspace first, and then those that have waited
-- longest. They are due again after again_seconds, unless their sender has finished by then.
with due as (
  select d.endpoint_id
  from (
    select o.endpoint_id, o.due_at, row_number() over (partition by o.workspace_id order by o.due_at) as turn
    from (
      select c.endpoint_id, c.workspace_id, c.due_at
      from private.webhook_cursors c
      where c.due_at <= now()
      order by c.due_at
      limit 10000
    ) o
  ) d
  order by d.turn, d.due_at
  limit sqlc.arg(most)
)
update private.webhook_cursors c
set due_at = now() + make_interval(secs => sqlc.arg(again_seconds)::double precision)
where c.endpoint_id in (
  select l.endpoint_id
  from private.webhook_cursors l
  where l.endpoint_id in (select d.endpoint_id from due d)
  for update skip locked
)
returning c.endpoint_id;

-- name: FeedWebhook :one
-- Makes deliveries of the next events of an endpoint, out of at most most events, and none while most_pending
-- are pending. Returns whether there may be something to send now.
select private.feed_webhook(
  sqlc.arg(endpoint_id)::uuid, sqlc.arg(most)::integer, sqlc.arg(most_pending)::integer
)::boolean as more;

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
