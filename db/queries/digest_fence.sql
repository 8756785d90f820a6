-- name: PassDigestFence :one
-- Records that digests are worked on, unless the database was restored: its tables were created again, or it
-- is older than what Temporal remembers of the same installation. Then digests are held from now on.
update private.digest_fence f
set held_at = coalesce(f.held_at, case when r.restored then now() end),
  seen_at = case
    when f.held_at is null and not r.restored then greatest(f.seen_at, clock_timestamp())
    else f.seen_at
  end
from (
  select x.tables <> private.digest_table_oids()
      or x.installation = sqlc.arg(known_installation) and x.seen_at < sqlc.arg(known_seen_at) as restored
  from private.digest_fence x
) r
returning f.installation, f.seen_at, (f.held_at is not null)::boolean as held;

-- name: GetDigestFence :one
select (f.held_at is not null or f.tables <> private.digest_table_oids())::boolean as held,
  f.seen_at,
  f.fenced_since
from private.digest_fence f;

-- name: HoldDigests :exec
update private.digest_fence
set held_at = coalesce(held_at, now());

-- name: MarkOpenDigestsRestored :execrows
-- For deliveries that were open when the backup was made: they may have been sent since.
update public.digest_deliveries
set status = 'uncertain',
  reason = 'restored'
where status in ('planned', 'sending');

-- name: PauseDigestsAfterRestore :execrows
-- Pauses the digests of all members without an end, and keeps what they had chosen. Where this restore was
-- fenced before, it leaves out those who have changed their preferences since.
with unsure as (
  select p.user_id, p.paused_until
  from public.digest_preferences p
  cross join private.digest_fence f
  where p.frequency <> 'off'
    and p.paused_until is distinct from 'infinity'
    and (f.fenced_since is distinct from sqlc.arg(since)::timestamptz or p.updated_at < f.fenced_at)
), kept as (
  insert into private.digest_restore_pauses (user_id, paused_until)
  select u.user_id, u.paused_until
  from unsure u
  on conflict on constraint digest_restore_pauses_pkey do update
  set paused_until = excluded.paused_until
)
update public.digest_preferences p
set paused_until = 'infinity'
from unsure u
where p.user_id = u.user_id;

-- name: ResumeDigestsAfterRestore :execrows
-- Ends the pauses of PauseDigestsAfterRestore, but for members who have chosen another one since.
with paused as (
  delete from private.digest_restore_pauses r
  returning r.user_id, r.paused_until
)
update public.digest_preferences p
set paused_until = r.paused_until
from paused r
where p.user_id = r.user_id
  and p.paused_until = 'infinity';

-- name: LiftDigestFence :exec
-- Ends the hold, and accepts the tables as those of a live database.
update private.digest_fence f
set held_at = null,
  tables = private.digest_table_oids(),
  seen_at = clock_timestamp(),
  fenced_at = clock_timestamp(),
  fenced_since = sqlc.arg(since);
