-- name: PlanDigests :execrows
-- Plans a digest for each of a page's users in whose workspaces somebody else did something worth telling during the window. One row a user and period,
-- however often it is planned. The sub-query is one that is evaluated for each user by an index, never joined to everything that happened.
insert into public.digest_deliveries (user_id, frequency, period, window_start, window_end, expires_at)
select c.user_id, sqlc.arg(frequency), c.period, c.window_start, c.window_end, c.expires_at
from (
  select unnest(sqlc.arg(user_ids)::uuid[]) as user_id, unnest(sqlc.arg(periods)::text[]) as period, unnest(sqlc.arg(window_starts)::timestamptz[]) as window_start,
    unnest(sqlc.arg(window_ends)::timestamptz[]) as window_end, unnest(sqlc.arg(expiries)::timestamptz[]) as expires_at
) c
where not exists (
    select from public.digest_deliveries d where d.user_id = c.user_id and d.frequency = sqlc.arg(frequency) and d.period = c.period)
  and (
    select true from public.workspace_members m join public.activity_events e on e.workspace_id = m.workspace_id
    where m.user_id = c.user_id and e.occurred_at >= c.window_start and e.occurred_at < c.window_end
      and e.actor_id is distinct from c.user_id and private.is_news(e.entity_type, e.verb)
      and (e.entity_type <> 'member' or e.entity_id <> c.user_id)
    limit 1)
on conflict on constraint digest_deliveries_user_id_frequency_period_key do nothing;

-- name: ListPlannedDigests :many
-- A page of a lane: what is planned and due between two ids.
select id, user_id, frequency, period, window_start, window_end, attempts
from public.digest_deliveries
where status = 'planned' and frequency = $1 and id > sqlc.arg(after) and id <= sqlc.arg(through) and next_attempt_at <= now() and expires_at > now()
order by id
limit sqlc.arg(size);

-- name: ClaimDigest :one
-- Claims a delivery for one attempt; no row where another was first, or where the recipient may not get it any more. attempts is the attempt's number: what it
-- becomes is written under it.
update public.digest_deliveries d
set status = 'sending', attempts = d.attempts + 1, claimed_at = now(), run_id = sqlc.arg(run_id)::text, message_id = sqlc.arg(message_id)::text, reason = null
from auth.users u
where d.id = sqlc.arg(id) and d.status = 'planned' and d.expires_at > now() and u.id = d.user_id and private.digest_obstacle(d.user_id, d.frequency) is null
returning u.email::text as email, d.attempts;

-- name: SkipDigest :execrows
-- Ends a delivery that is still planned: nothing to tell, or the recipient may not get it any more.
update public.digest_deliveries d
set status = 'skipped', run_id = sqlc.arg(run_id)::text, reason = coalesce(private.digest_obstacle(d.user_id, d.frequency), sqlc.arg(reason)::text)
where d.id = sqlc.arg(id) and d.status = 'planned'
  and (sqlc.arg(reason)::text <> '' or private.digest_obstacle(d.user_id, d.frequency) is not null);

-- name: FinishDigest :execrows
-- What became of an attempt. The one that sent knows better than who gave it up for lost, so that uncertain is overwritten as well.
update public.digest_deliveries
set status = sqlc.arg(status), reason = sqlc.narg(reason), sent_at = case when sqlc.arg(status)::public.delivery_status = 'sent' then now() end,
  next_attempt_at = coalesce(sqlc.narg(next_attempt_at), next_attempt_at)
where id = sqlc.arg(id) and attempts = sqlc.arg(attempts) and status in ('sending', 'uncertain');

-- name: ReleaseDigest :execrows
-- Takes back an attempt that met no answer of the recipient's server: it was none.
update public.digest_deliveries set status = 'planned', attempts = attempts - 1, message_id = null
where id = sqlc.arg(id) and attempts = sqlc.arg(attempts) and status = 'sending';

-- name: LoseDigests :execrows
-- What a lane's dead attempt left behind: the mail may have gone out.
update public.digest_deliveries set status = 'uncertain', reason = 'worker_lost'
where run_id = sqlc.arg(run_id)::text and status = 'sending' and id > sqlc.arg(after) and id <= sqlc.arg(through);

-- name: LoseStaleDigests :execrows
-- The same where the run itself is gone.
update public.digest_deliveries set status = 'uncertain', reason = 'worker_lost'
where status = 'sending' and claimed_at < now() - make_interval(secs => sqlc.arg(lease_seconds)::double precision);

-- name: ExpireDigests :execrows
update public.digest_deliveries set status = 'failed', reason = concat_ws(' after ', 'expired', reason)
where status = 'planned' and frequency = $1 and expires_at <= now();

-- name: CountPlannedDigests :one
-- What is planned, and when the first of it is due.
select count(*) filter (where next_attempt_at <= now()) as due, coalesce(min(next_attempt_at) filter (where next_attempt_at > now()), 'epoch')::timestamptz as next_at
from public.digest_deliveries where status = 'planned' and frequency = $1 and expires_at > now();

-- name: CountDigestRun :many
select status, count(*) as deliveries from public.digest_deliveries where run_id = sqlc.arg(run_id)::text group by status;

-- name: SummarizeDigests :many
-- For operators: the latest periods, by what became of them.
select frequency, period, status, coalesce(reason, '')::text as reason, count(*) as deliveries
from public.digest_deliveries where window_end > sqlc.arg(since)
group by frequency, period, status, coalesce(reason, '') order by frequency, period desc, status, 4;

-- name: ListTroubledDigests :many
select id, user_id, frequency, period, status, coalesce(reason, '')::text as reason, attempts, updated_at
from public.digest_deliveries where status in ('failed', 'uncertain') and window_end > sqlc.arg(since)
order by updated_at desc, id limit sqlc.arg(size);

-- name: GetDigestDelivery :one
select id, user_id, frequency, period, window_start, window_end, attempts, status from public.digest_deliveries where id = $1;

-- name: ReplanDigest :execrows
-- An operator's wish: the delivery is sent again, even where it may have gone out, for a day.
update public.digest_deliveries set status = 'planned', reason = null, run_id = null, next_attempt_at = now(), expires_at = greatest(expires_at, now() + interval '1 day')
where id = $1 and status <> 'sending';

-- name: FailPlannedDigest :execrows
-- For a digest that cannot be written.
update public.digest_deliveries set status = 'failed', run_id = sqlc.arg(run_id)::text, reason = sqlc.arg(reason)::text
where id = sqlc.arg(id) and status = 'planned';

-- name: ForgiveRecipient :execrows
-- The address of a delivery's recipient is no longer suppressed.
delete from private.mail_refusals r using public.digest_deliveries d join auth.users u on u.id = d.user_id
where d.id = $1 and r.address = lower(u.email);
