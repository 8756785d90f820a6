-- name: ListDigestCandidates :many
-- A page of the users who may get a digest of this frequency now, by id. since is from when on they may: the
-- time of the account's creation, or the end of the last pause.
select p.user_id,
  p.timezone,
  p.hour,
  p.weekday,
  greatest(p.created_at, p.paused_until)::timestamptz as since
from public.digest_preferences p
where p.frequency = sqlc.arg(wanted)::public.digest_frequency::text::public.digest_setting
  and p.user_id > sqlc.arg(after)
  and private.digest_obstacle(p.user_id, sqlc.arg(wanted)) is null
order by p.user_id
limit sqlc.arg(size);

-- name: TurnOffDigests :execrows
-- Unsubscribes a user. Deliveries that are planned already are skipped when their turn comes.
update public.digest_preferences
set frequency = 'off'
where user_id = $1
  and frequency <> 'off';

-- name: GetDigestRecipient :one
-- Finds a user by id or address, with the digest preferences and the reason why the user would not get a
-- digest of this frequency now. For operators.
select u.id,
  coalesce(u.email, '')::text as email,
  p.frequency,
  p.timezone,
  p.hour,
  p.weekday,
  coalesce(private.digest_obstacle(u.id, sqlc.arg(wanted)), '')::text as obstacle
from auth.users u
join public.digest_preferences p on p.user_id = u.id
where u.id::text = sqlc.arg(id_or_email)::text
  or lower(u.email) = lower(sqlc.arg(id_or_email)::text)
order by u.deleted_at nulls first
limit 1;
