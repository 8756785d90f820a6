-- name: ExplainImport :one
-- ahead: open imports that were requested earlier.
select
  i.id, i.title, i.format, i.size_bytes, i.status, i.waiting_reason, i.error_code, i.run_id, i.claim_id,
  i.progress_done, i.progress_total, i.coverage, i.evidence_count, i.rejected_count, i.created_at,
  (
    select count(*)
    from public.imports other
    where other.status in ('queued', 'parsing') and other.queued_at < i.queued_at and other.id <> i.id
  ) as ahead
from public.imports i
where i.id = $1;

-- name: ExplainRuns :many
-- The requests to parse an import, the newest first.
select
  r.claim_id, r.requested_by, r.refresh, cardinality(r.hypotheses)::integer as hypotheses, r.status,
  r.error_code, r.queued_at, r.begun_at, r.first_call_at, r.finished_at, r.seen_at,
  r.cancel_requested_at, r.waits_since,
  r.extractor, r.model, r.calls, r.input_tokens, r.output_tokens, r.added, r.changed, r.gone
from private.import_runs r
where r.import_id = $1
order by r.queued_at desc, r.claim_id
limit sqlc.arg(maximum);

-- name: ExplainResponses :many
-- When the responses of the model were stored, the newest first.
select r.created_at, r.input_tokens, r.output_tokens
from private.chunk_responses r
where r.import_id = $1
order by r.created_at desc
limit sqlc.arg(maximum);

-- name: ExplainChunks :many
-- When the chunks of the requests were done, the newest first.
select c.claim_id, c.ordinal, c.done_at, c.calls, jsonb_array_length(c.unread)::integer as unread
from private.import_chunks c
where c.import_id = $1 and c.done_at is not null
order by c.done_at desc, c.ordinal desc
limit sqlc.arg(maximum);

-- name: ListStuckImports :many
-- The open imports that cannot move by themselves: how many for each reason, and the one that was requested
-- first.
select
  i.waiting_reason::text as waiting_reason,
  count(*)::integer as imports,
  (array_agg(i.id order by i.queued_at, i.id))[1]::uuid as first_id
from public.imports i
where i.status in ('queued', 'parsing')
  and i.waiting_reason in ('paused', 'no_worker_of_version', 'workflow_task_failing')
group by i.waiting_reason
order by i.waiting_reason;

-- name: MeasureUnseenRuns :one
-- For how many seconds the open run that was not seen for longest was neither seen nor compared; 0 without
-- one. A run that is suspected to be gone is compared next.
select coalesce(extract(epoch from now() - min(r.seen_at)), 0)::float8 as unseen_seconds
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.finished_at is null and i.status in ('queued', 'parsing') and r.seen_at > to_timestamp(0);
