-- name: PlanDigests :execrows
-- Plans a digest for each of the given users in whose workspaces somebody else did something worth a mail
-- during the window. A user has one row for a period, however often it is planned. The sub-query on events is
-- written so that it is evaluated by an index for each user, and never joined with all events.
insert into public.digest_deliveries (user_id, frequency, period, window_start, window_end, expires_at)
select c.user_id,
  sqlc.arg(frequency),
  c.period,
  c.window_start,
  c.window_end,
  c.expires_at
from (
  select unnest(sqlc.arg(user_ids)::uuid[]) as user_id,
    unnest(sqlc.arg(periods)::text[]) as period,
    unnest(sqlc.arg(window_starts)::timestamptz[]) as window_start,
    unnest(sqlc.arg(window_ends)::timestamptz[]) as window_end,
    unnest(sqlc.arg(expiries)::timestamptz[]) as expires_at
) c
where not exists (
    select from public.digest_deliveries d
    where d.user_id = c.user_id
      and d.frequency = sqlc.arg(frequency)
      and d.period = c.period)
  and (
    select true
    from public.workspace_members m
    join public.activity_events e on e.workspace_id = m.workspace_id
    where m.user_id = c.user_id
      and e.occurred_at >= c.window_start
      and e.occurred_at < c.window_end
      and e.actor_id is distinct from c.user_id
      and private.is_news(e.entity_type, e.verb)
      and (e.entity_type <> 'member' or e.entity_id <> c.user_id)
    limit 1)
on conflict on constraint digest_deliveries_user_id_frequency_period_key do nothing;

-- name: ListPlannedDigests :many
-- A page of one shard: planned deliveries with ids between two that may be attempted now.
select id, user_id, frequency, period, window_start, window_end
from public.digest_deliveries
where status = 'planned'
  and frequency = $1
  and id > sqlc.arg(after)
  and id <= sqlc.arg(through)
  and next_attempt_at <= now()
  and expires_at > now()
order by id
limit sqlc.arg(size);

-- name: ClaimDigest :one
-- Claims a delivery for one attempt. There is no row if another run claimed it first, or if the recipient may
-- no longer get it. attempts is the number of the attempt; its result is written under this number.
update public.digest_deliveries d
set status = 'sending',
  attempts = d.attempts + 1,
  claimed_at = now(),
  run_id = sqlc.arg(run_id)::text,
  message_id = sqlc.arg(message_id)::text,
  reason = null
from auth.users u
where d.id = sqlc.arg(id)
  and d.status = 'planned'
  and d.expires_at > now()
  and u.id = d.user_id
  and private.digest_obstacle(d.user_id, d.frequency) is null
returning u.email::text as email, d.attempts;

-- name: SkipDigest :execrows
-- Ends a planned delivery without a mail, for the given reason or because the recipient may no longer get it.
-- Without either, the row is left alone.
update public.digest_deliveries d
set status = 'skipped',
  run_id = sqlc.arg(run_id)::text,
  reason = coalesce(private.digest_obstacle(d.user_id, d.frequency), sqlc.arg(reason)::text)
where d.id = sqlc.arg(id)
  and d.status = 'planned'
  and (sqlc.arg(reason)::text <> '' or private.digest_obstacle(d.user_id, d.frequency) is not null);

-- name: FinishDigest :execrows
-- Records the result of an attempt. It overwrites 'uncertain' as well: the worker that sent the mail knows
-- more than the one that assumed it lost.
update public.digest_deliveries
set status = sqlc.arg(status),
  reason = sqlc.narg(reason),
  sent_at = case when sqlc.arg(status)::public.delivery_status = 'sent' then now() end,
  next_attempt_at = coalesce(sqlc.narg(next_attempt_at), next_attempt_at)
where id = sqlc.arg(id)
  and attempts = sqlc.arg(attempts)
  and status in ('sending', 'uncertain');

-- name: UndoDigestAttempt :execrows
-- Takes back an attempt that never reached the recipient's server, so that it does not count.
update public.digest_deliveries
set status = 'planned',
  attempts = attempts - 1,
  message_id = null
where id = sqlc.arg(id)
  and attempts = sqlc.arg(attempts)
  and status = 'sending';

-- name: MarkInterruptedDigestsUncertain :execrows
-- For the mails that a shard's previous activity attempt was sending when it died: they may have been sent.
update public.digest_deliveries
set status = 'uncertain',
  reason = 'worker_lost'
where run_id = sqlc.arg(run_id)::text
  and status = 'sending'
  and id > sqlc.arg(after)
  and id <= sqlc.arg(through);

-- name: MarkStaleDigestsUncertain :execrows
-- For the mails of runs that no longer exist: claimed longer ago than the lease.
update public.digest_deliveries
set status = 'uncertain',
  reason = 'worker_lost'
where status = 'sending'
  and claimed_at < now() - make_interval(secs => sqlc.arg(lease_seconds)::double precision);

-- name: ExpireDigests :execrows
-- Fails planned deliveries whose next digest is due.
update public.digest_deliveries
set status = 'failed',
  reason = concat_ws(' after ', 'expired', reason)
where status = 'planned'
  and frequency = $1
  and expires_at <= now();

-- name: CountPlannedDigests :one
-- Counts what may be attempted now, and returns when the next later attempt may be made; the epoch means
-- never.
select count(*) filter (where next_attempt_at <= now()) as due,
  coalesce(min(next_attempt_at) filter (where next_attempt_at > now()), 'epoch')::timestamptz as next_at
from public.digest_deliveries
where status = 'planned'
  and frequency = $1
  and expires_at > now();

-- name: CountDigestRun :one
-- Counts the deliveries that a run ended, by their status.
select count(*) filter (where status = 'sent') as sent,
  count(*) filter (where status = 'skipped') as skipped,
  count(*) filter (where status = 'failed') as failed,
  count(*) filter (where status = 'uncertain') as uncertain
from public.digest_deliveries
where run_id = sqlc.arg(run_id)::text;

-- name: SummarizeDigests :many
-- Counts the deliveries of the latest periods by status and reason, for operators.
select frequency,
  period,
  status,
  coalesce(reason, '')::text as reason,
  count(*) as deliveries
from public.digest_deliveries
where window_end > sqlc.arg(since)
group by frequency, period, status, coalesce(reason, '')
order by frequency, period desc, status, 4;

-- name: ListFailedOrUncertainDigests :many
-- The deliveries that an operator should look at, the latest first.
select id,
  user_id,
  frequency,
  period,
  status,
  coalesce(reason, '')::text as reason,
  attempts,
  updated_at
from public.digest_deliveries
where status in ('failed', 'uncertain')
  and window_end > sqlc.arg(since)
order by updated_at desc, id
limit sqlc.arg(size);

-- name: GetDigestDelivery :one
select frequency, status
from public.digest_deliveries
where id = $1;

-- name: ReplanDigest :execrows
-- Plans a delivery again for at least a day, even if its mail may have been sent: an operator asked for it.
update public.digest_deliveries
set status = 'planned',
  reason = null,
  run_id = null,
  next_attempt_at = now(),
  expires_at = greatest(expires_at, now() + interval '1 day')
where id = $1
  and status <> 'sending';

-- name: FailPlannedDigest :execrows
-- Ends a planned delivery whose digest cannot be composed.
update public.digest_deliveries
set status = 'failed',
  run_id = sqlc.arg(run_id)::text,
  reason = sqlc.arg(reason)::text
where id = sqlc.arg(id)
  and status = 'planned';

-- name: LiftRecipientSuppression :execrows
-- Clears the refusals of the address of a delivery's recipient, so that it is no longer suppressed.
delete from private.mail_refusals r
using public.digest_deliveries d
join auth.users u on u.id = d.user_id
where d.id = $1
  and r.address = lower(u.email);
