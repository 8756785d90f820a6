-- name: LockDueDigestMembers :many
-- Locks the members of a frequency whose next digest may be due, those who have waited longest first. A
-- member who is locked by another run is left out. The limit is a constant, so that PostgreSQL knows how few
-- rows are wanted whatever the parameters are.
select s.user_id
from private.digest_schedule s
where s.frequency = $1
  and s.next_due_at <= sqlc.arg(due_by)
order by s.next_due_at, s.user_id
limit 2000
for update skip locked;

-- name: ListDigestMembers :many
-- A page of all members who want digests of a frequency, by id, locked: two plans of a member at the same
-- time would tell the same news.
select s.user_id
from private.digest_schedule s
where s.frequency = $1
  and s.user_id > sqlc.arg(after)
order by s.user_id
limit 2000
for update;

-- name: ListDigestSchedules :many
-- The preferences of some members. since is the time from which a member may get digests: that of the
-- account's creation, or the end of the last pause. A pause without an end is an obstacle.
select p.user_id,
  p.timezone,
  p.hour,
  p.weekday,
  greatest(p.created_at, case when isfinite(p.paused_until) then p.paused_until end)::timestamptz as since
from public.digest_preferences p
where p.user_id = any (sqlc.arg(user_ids)::uuid[]);

-- name: SetNextDigests :exec
-- Records when the next digest of each of the given members is due.
update private.digest_schedule s
set next_due_at = c.next_due_at
from (
  select unnest(sqlc.arg(user_ids)::uuid[]) as user_id,
    unnest(sqlc.arg(next_due_at)::timestamptz[]) as next_due_at
) c
where s.user_id = c.user_id;

-- name: TurnOffDigests :execrows
-- Unsubscribes a user. Deliveries that are planned already are skipped when their turn comes.
update public.digest_preferences
set frequency = 'off'
where user_id = $1
  and frequency <> 'off';

-- name: TurnOffDigestsOf :execrows
-- Unsubscribes several users.
update public.digest_preferences
set frequency = 'off'
where user_id = any (sqlc.arg(user_ids)::uuid[])
  and frequency <> 'off';

-- name: MeasureDigestLoad :one
-- How many digests may have to be sent: all daily and all weekly ones, and those of the hour with the most.
select count(*) filter (where s.frequency = 'daily') as daily,
  count(*) filter (where s.frequency = 'weekly') as weekly,
  coalesce((
    select max(h.digests)
    from (
      select count(*) as digests
      from private.digest_schedule d
      where isfinite(d.next_due_at)
      group by date_trunc('hour', d.next_due_at, 'UTC')
    ) h
  ), 0)::bigint as busiest_hour
from private.digest_schedule s;

-- name: GetDigestRecipient :one
-- A user with the digest preferences, and the reason why the user would not get a digest of this frequency
-- now. mailable is whether a digest may be mailed to the address if the user asks for it.
select u.id,
  coalesce(u.email, '')::text as email,
  p.frequency,
  p.timezone,
  p.hour,
  p.weekday,
  coalesce(private.digest_obstacle(u.id, sqlc.arg(wanted)), '')::text as obstacle,
  (
    u.deleted_at is null
    and not u.is_anonymous
    and coalesce(u.email, '') <> ''
    and u.email_confirmed_at is not null
    and coalesce(u.banned_until, '-infinity') <= now()
    and not exists (
      select
      from private.mail_refusals r
      where r.address = private.fold(u.email)
        and r.suppressed_at is not null
    )
  )::boolean as mailable
from auth.users u
join public.digest_preferences p on p.user_id = u.id
where u.id = sqlc.arg(user_id);
