-- name: ReserveCallSlot :one
-- Reserves the next free slot for one call to the model among all workers, and returns how many seconds from
-- now it begins.
with slot as (
  update private.call_pace
  set next_at = greatest(next_at, clock_timestamp())
    + make_interval(secs => sqlc.arg(slot_seconds)::double precision)
  returning next_at
)
select (
  extract(epoch from next_at - clock_timestamp()) - sqlc.arg(slot_seconds)::double precision
)::double precision as wait_seconds
from slot;
