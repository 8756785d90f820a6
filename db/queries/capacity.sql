-- name: MeasureReading :one
-- How long finished chunks of open runs took, of the 500 runs that were read last: in calls to the model, and
-- in seconds of a call slot. workers are the processes that run.
with recent as (
  select r.claim_id, r.import_id
  from private.import_runs r
  where r.finished_at is null
  order by r.seen_at desc
  limit 500
)
select
  count(*)::bigint as chunks,
  coalesce(avg(c.calls), 0)::double precision as calls_per_chunk,
  coalesce(avg(c.call_seconds), 0)::double precision as seconds_per_chunk,
  (select count(*) from private.running_workers)::bigint as workers
from recent r
join private.import_chunks c on c.import_id = r.import_id and c.claim_id = r.claim_id
where c.done_at is not null and c.call_seconds > 0;

-- name: ListOpenImports :many
-- The imports that wait or are read, in the order of their requests, but for those that wait for the tokens
-- of the next day. chunks is 0 before they are planned, and reading_seconds, the time that counts for
-- PARSE_TIMEOUT, before the first call.
select
  i.id,
  i.progress_total as chunks,
  i.progress_done as chunks_done,
  (r.first_call_at is not null)::boolean as is_called,
  coalesce(extract(epoch from private.reading_time(r)), 0)::double precision as reading_seconds
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.finished_at is null
  and i.status in ('queued', 'parsing')
  and i.waiting_reason is distinct from 'token_budget'
order by r.queued_at, i.id;
