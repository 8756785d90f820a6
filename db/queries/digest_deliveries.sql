-- name: LockOpenDigests :exec
-- Locks the deliveries of some members that are planned or being sent, so that none is claimed, or planned
-- again, while the next ones are planned.
select o.id
from (select unnest(sqlc.arg(user_ids)::uuid[]) as user_id) c
cross join lateral (
  select d.id
  from public.digest_deliveries d
  where d.user_id = c.user_id
    and d.status in ('planned', 'sending')
  order by d.window_end
  for update
) o;

-- name: ListDigestWindows :many
-- Where the digest of each of the given members begins, if it is about the given period: where the last one
-- ended that the member was sent, or may have been sent, or that had no news. A delivery that failed, or was
-- skipped for another reason, told nothing. The first digest begins with its period, or with the account if
-- that is older. Where nothing happened, the window begins later: at the latest with the period, so that a
-- daily digest is about its day. sending is whether a delivery is in progress, whose result is not known.
select c.user_id::uuid as user_id,
  greatest(told.until, least(c.period_start, date_trunc('day', (
    select min(e.occurred_at)
    from public.workspace_members m
    cross join lateral (
      select a.occurred_at
      from public.activity_events a
      where a.workspace_id = m.workspace_id
        and a.occurred_at >= told.until
        and a.occurred_at < c.period_start
        and a.actor_id is distinct from c.user_id
        and (a.entity_type <> 'member' or a.entity_id <> c.user_id)
        and (
          private.is_news(a.entity_type, a.verb)
          or a.entity_type = 'evidence' and a.verb = 'accepted'
          or a.entity_type = 'hypothesis' and a.verb = 'updated'
        )
      order by a.occurred_at
      limit 1
    ) e
    where m.user_id = c.user_id
  ), p.timezone)))::timestamptz as window_start,
  exists (
    select
    from public.digest_deliveries d
    where d.user_id = c.user_id
      and d.window_end > c.earliest
      and d.status = 'sending'
  ) as sending
from (
  select unnest(sqlc.arg(user_ids)::uuid[]) as user_id,
    unnest(sqlc.arg(period_starts)::timestamptz[]) as period_start,
    unnest(sqlc.arg(earliest)::timestamptz[]) as earliest
) c
join public.digest_preferences p on p.user_id = c.user_id
cross join lateral (
  select greatest(c.earliest, coalesce(
    (
      select d.window_end
      from public.digest_deliveries d
      where d.user_id = c.user_id
        and (
          d.status in ('sending', 'sent', 'uncertain')
          or d.status = 'skipped' and d.reason = 'nothing_new'
        )
      order by d.window_end desc
      limit 1
    ),
    least(c.period_start, p.created_at)
  )) as until
  offset 0
) told;

-- name: SupersedeDigests :execrows
-- Skips the planned deliveries of some members whose news the next delivery has, too.
update public.digest_deliveries d
set status = 'skipped',
  reason = 'superseded'
from (select unnest(sqlc.arg(user_ids)::uuid[]) as user_id) c
cross join lateral (
  select o.id
  from public.digest_deliveries o
  where o.user_id = c.user_id
    and o.status = 'planned'
    and (
      select n.id
      from public.digest_deliveries n
      where n.user_id = o.user_id
        and n.status = 'planned'
        and n.window_start < o.window_end
        and (n.window_end, n.created_at, n.id) > (o.window_end, o.created_at, o.id)
      limit 1
    ) is not null
  offset 0
) superseded
where d.id = superseded.id;

-- name: PlanDigests :execrows
-- Records a delivery for each of the given users in whose workspaces somebody else did something worth a mail
-- during the window. A user has one row for a period, however often it is planned. Each user is looked up by
-- indexes, whatever PostgreSQL expects: case keeps the order of the conditions, a scalar sub-query is never
-- joined with all rows, and one with a limit is evaluated for each workspace. A delivery that may have been
-- sent already is recorded as uncertain, even if its recipient may not get it now.
insert into public.digest_deliveries (
  user_id, frequency, period, window_start, window_end, next_attempt_at, expires_at, requested_by,
  status, reason
)
select c.user_id,
  sqlc.arg(frequency),
  c.period,
  c.window_start,
  c.window_end,
  c.due_at,
  c.expires_at,
  sqlc.narg(requested_by),
  sqlc.arg(status),
  sqlc.narg(reason)
from (
  select unnest(sqlc.arg(user_ids)::uuid[]) as user_id,
    unnest(sqlc.arg(periods)::text[]) as period,
    unnest(sqlc.arg(window_starts)::timestamptz[]) as window_start,
    unnest(sqlc.arg(window_ends)::timestamptz[]) as window_end,
    unnest(sqlc.arg(due_at)::timestamptz[]) as due_at,
    unnest(sqlc.arg(expiries)::timestamptz[]) as expires_at
) c
where case
    when (
      select d.id
      from public.digest_deliveries d
      where d.user_id = c.user_id
        and d.frequency = sqlc.arg(frequency)
        and d.period = c.period
    ) is not null then false
    when (
      select e.id
      from public.workspace_members m
      cross join lateral (
        select a.id
        from public.activity_events a
        where a.workspace_id = m.workspace_id
          and a.occurred_at >= c.window_start
          and a.occurred_at < c.window_end
          and a.actor_id is distinct from c.user_id
          and private.is_news(a.entity_type, a.verb)
          and (a.entity_type <> 'member' or a.entity_id <> c.user_id)
        order by a.occurred_at desc
        limit 1
      ) e
      where m.user_id = c.user_id
      limit 1
    ) is null and not exists (
      -- Other changes can put a verdict in doubt. Which ones do is looked up where there are any.
      select
      from public.workspace_members m
      where m.user_id = c.user_id
        and (
          exists (
            select
            from public.import_speakers s
            where s.workspace_id = m.workspace_id
              and s.counted_at >= c.window_start
              and s.counted_at < c.window_end
              and s.counted_at > s.created_at
          )
          or exists (
            select
            from public.activity_events a
            where a.workspace_id = m.workspace_id
              and a.occurred_at >= c.window_start
              and a.occurred_at < c.window_end
              and a.entity_type = 'evidence'
          )
        )
        and exists (
          select
          from private.quotes_against() as q (
            hypothesis_id, project_id, workspace_id, decision_id, person, evidence_id, said_at, actor_id
          )
          where q.workspace_id = m.workspace_id
            and q.said_at >= c.window_start
            and q.said_at < c.window_end
            and q.actor_id is distinct from c.user_id
        )
    ) then false
    when sqlc.arg(status)::public.delivery_status = 'uncertain' then true
    else private.digest_obstacle(c.user_id, sqlc.arg(frequency)) is null
  end
on conflict on constraint digest_deliveries_user_id_frequency_period_key do nothing;

-- name: RequestPlannedDigests :execrows
-- Counts deliveries that are planned already as those of a request.
update public.digest_deliveries d
set requested_by = sqlc.arg(run_id)::text
from (
  select unnest(sqlc.arg(user_ids)::uuid[]) as user_id,
    unnest(sqlc.arg(periods)::text[]) as period
) c
cross join lateral (
  select p.id
  from public.digest_deliveries p
  where p.user_id = c.user_id
    and p.frequency = sqlc.arg(frequency)
    and p.period = c.period
  offset 0
) planned
where d.id = planned.id
  and d.status = 'planned'
  and d.next_attempt_at <= now()
  and d.requested_by is distinct from sqlc.arg(run_id)::text;

-- name: ListDueDigests :many
-- The next deliveries of a shard. Each hour that has deliveries open gets the same share of the list, so that
-- the many of one hour do not delay those of the next; within an hour they come in the order in which they
-- are due. The hours are found by one look into the index each.
with recursive hours as (
  (
    select d.next_attempt_at as first_at
    from public.digest_deliveries d
    where d.status = 'planned'
      and private.digest_shard(d.id) = sqlc.arg(shard)::integer
      and d.next_attempt_at <= now()
    order by d.next_attempt_at, d.id
    limit 1
  )
  union all
  (
    select (
      select d.next_attempt_at
      from public.digest_deliveries d
      where d.status = 'planned'
        and private.digest_shard(d.id) = sqlc.arg(shard)::integer
        and d.next_attempt_at >= date_trunc('hour', h.first_at, 'UTC') + interval '1 hour'
        and d.next_attempt_at <= now()
      order by d.next_attempt_at, d.id
      limit 1
    )
    from hours h
    where h.first_at is not null
  )
)
select due.id, due.user_id, due.frequency, due.window_start, due.window_end,
  coalesce(
    (select p.timezone from public.digest_preferences p where p.user_id = due.user_id), 'UTC'
  )::text as timezone
from hours h
cross join lateral (
  select d.id, d.user_id, d.frequency, d.window_start, d.window_end
  from public.digest_deliveries d
  where d.status = 'planned'
    and private.digest_shard(d.id) = sqlc.arg(shard)::integer
    and d.next_attempt_at >= h.first_at
    and d.next_attempt_at < date_trunc('hour', h.first_at, 'UTC') + interval '1 hour'
    and d.next_attempt_at <= now()
    and d.expires_at > now()
  order by d.next_attempt_at, d.id
  limit greatest(sqlc.arg(size)::integer / (select count(*) from hours c where c.first_at is not null), 1)
) due
where h.first_at is not null;

-- name: GetNextDigestAttempt :one
-- When the next delivery of a shard may be attempted; the epoch if none is planned.
select coalesce((
  select d.next_attempt_at
  from public.digest_deliveries d
  where d.status = 'planned'
    and private.digest_shard(d.id) = sqlc.arg(shard)::integer
    and d.expires_at > now()
  order by d.next_attempt_at, d.id
  limit 1
), 'epoch')::timestamptz as next_at;

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
where status = 'sending'
  and run_id = sqlc.arg(run_id)::text
  and private.digest_shard(id) = sqlc.arg(shard)::integer;

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
  and expires_at <= now();

-- name: CountRequestedDigests :one
-- Counts the deliveries of a request by their status. open are those that are being sent or may be sent now.
select count(*) filter (
    where status = 'sending'
      or status = 'planned' and next_attempt_at <= now() and expires_at > now()
  ) as open,
  count(*) filter (where status = 'sent') as sent,
  count(*) filter (where status = 'skipped') as skipped,
  count(*) filter (where status = 'failed') as failed,
  count(*) filter (where status = 'uncertain') as uncertain
from public.digest_deliveries
where requested_by = sqlc.arg(run_id)::text;

-- name: SummarizeDigests :many
-- Counts the deliveries of the latest periods by status and reason, without the words of servers, for
-- operators.
select frequency,
  period,
  status,
  split_part(coalesce(reason, ''), ':', 1)::text as reason,
  count(*) as deliveries
from public.digest_deliveries
where window_end > sqlc.arg(since)
group by frequency, period, status, split_part(coalesce(reason, ''), ':', 1)
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

-- name: GetDigestStatus :one
-- told is whether another delivery, which was sent or will be, has news of the same time.
select d.status,
  exists (
    select
    from public.digest_deliveries n
    where n.user_id = d.user_id
      and n.id <> d.id
      and n.status in ('planned', 'sending', 'sent', 'uncertain')
      and n.window_start < d.window_end
      and n.window_end > d.window_start
  ) as told
from public.digest_deliveries d
where d.id = $1;

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

-- name: MarkDigestBounced :execrows
-- Records that the mail of a delivery did not arrive, as a relay reported after it had accepted the mail.
update public.digest_deliveries
set status = 'failed',
  reason = sqlc.arg(reason)::text
where id = sqlc.arg(id)
  and message_id = sqlc.arg(message_id)::text
  and status in ('sent', 'uncertain');

-- name: MarkDigestComplaint :execrows
-- Records that the recipient of a delivery reported it as spam.
update public.digest_deliveries
set reason = 'complaint'
where id = sqlc.arg(id)
  and message_id = sqlc.arg(message_id)::text
  and status = 'sent';

-- name: LiftRecipientSuppression :execrows
-- Clears the refusals of the address of a delivery's recipient, so that it is no longer suppressed.
delete from private.mail_refusals r
using public.digest_deliveries d
join auth.users u on u.id = d.user_id
where d.id = $1
  and r.address = private.fold(u.email);

-- name: MeasureOverdueDigests :one
-- For metrics: for how many seconds the oldest digest that is due has not been planned, and the oldest that
-- is planned has not been sent; 0 if none is due. Each is found by one look into an index for each frequency
-- and shard. A preference that was just changed has no time yet.
select
  coalesce(greatest(extract(epoch from now() - (
    select min(s.next_due_at)
    from unnest(enum_range(null::public.digest_frequency)) f (frequency)
    cross join lateral (
      select d.next_due_at
      from private.digest_schedule d
      where d.frequency = f.frequency and d.next_due_at > '-infinity'
      order by d.next_due_at
      limit 1
    ) s
  )), 0), 0)::float8 as unplanned_seconds,
  coalesce(greatest(extract(epoch from now() - (
    select min(p.next_attempt_at)
    from generate_series(0, 3) shard
    cross join lateral (
      select d.next_attempt_at
      from public.digest_deliveries d
      where d.status = 'planned' and private.digest_shard(d.id) = shard
      order by d.next_attempt_at, d.id
      limit 1
    ) p
  )), 0), 0)::float8 as unsent_seconds;
