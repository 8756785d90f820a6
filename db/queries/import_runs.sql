-- name: LockRecovery :one
-- Alone in its transaction: others lock the import before its run.
select r.recovery from private.import_runs r where r.claim_id = sqlc.arg(claim_id) for no key update;

-- name: SetRecovery :exec
update private.import_runs r set recovery = sqlc.arg(recovery)::jsonb where r.claim_id = sqlc.arg(claim_id);

-- name: ReopenRun :exec
-- An operator reset a run that had ended.
update private.import_runs set status = 'parsing', error_code = null, finished_at = null, seen_at = now()
where claim_id = $1;

-- name: EndRun :exec
update private.import_runs r set
  status = sqlc.arg(status)::public.import_status,
  error_code = sqlc.narg(error_code),
  finished_at = now(),
  calls = r.check_calls + spent.calls,
  input_tokens = r.check_input_tokens + spent.input_tokens,
  output_tokens = r.check_output_tokens + spent.output_tokens,
  added = r.added + sqlc.arg(added)::integer,
  changed = r.changed + sqlc.arg(changed)::integer,
  gone = r.gone + sqlc.arg(gone)::integer,
  discarded = sqlc.arg(discarded)
from (
  select
    coalesce(sum(c.calls), 0) as calls,
    coalesce(sum(c.input_tokens), 0) as input_tokens,
    coalesce(sum(c.output_tokens), 0) as output_tokens
  from private.import_chunks c
  where c.import_id = sqlc.arg(import_id) and c.claim_id = sqlc.arg(claim_id)
) spent
where r.claim_id = sqlc.arg(claim_id);

-- name: StartReading :one
-- Records that a chunk is being read. It finds no row if the chunk is done. The time for which the import
-- waited for this does not count for PARSE_TIMEOUT.
with chunk as (
  update private.import_chunks c set read_at = now()
  where c.import_id = sqlc.arg(import_id)
    and c.claim_id = sqlc.arg(claim_id)::uuid
    and c.ordinal = sqlc.arg(ordinal)
    and c.done_at is null
  returning c.import_id, c.claim_id, c.ordinal
),
run as (
  update private.import_runs r set
    seen_at = now(),
    waited = r.waited + coalesce(now() - r.idle_since, '0'),
    first_call_at = coalesce(r.first_call_at, now()),
    idle_since = null,
    waits_since = null
  from chunk
  where r.claim_id = chunk.claim_id
),
reads as (
  update public.imports i set waiting_reason = null
  from chunk
  where i.id = chunk.import_id and i.waiting_reason is not null
)
select sqlc.embed(c) from private.import_chunks c join chunk on true
where (c.import_id, c.claim_id, c.ordinal) = (chunk.import_id, chunk.claim_id, chunk.ordinal);

-- name: SeeReading :exec
-- Records that a chunk is still being read.
with chunk as (
  update private.import_chunks c set read_at = now()
  where c.import_id = sqlc.arg(import_id)
    and c.claim_id = sqlc.arg(claim_id)::uuid
    and c.ordinal = sqlc.arg(ordinal)
    and c.done_at is null
  returning c.claim_id
)
update private.import_runs r set seen_at = now()
from chunk
where r.claim_id = chunk.claim_id;

-- name: EndReading :exec
-- Records that a chunk is no longer read and, if no other one of the import is, what the import waits for.
-- The time until the next attempt counts for PARSE_TIMEOUT if the model has failed.
with chunk as (
  update private.import_chunks c set read_at = null
  where c.import_id = sqlc.arg(import_id)
    and c.claim_id = sqlc.arg(claim_id)::uuid
    and c.ordinal = sqlc.arg(ordinal)
  returning c.import_id, c.claim_id
),
idle as (
  select chunk.import_id, chunk.claim_id
  from chunk
  where not private.reads_other_chunk(chunk.import_id, chunk.claim_id, sqlc.arg(ordinal))
),
run as (
  update private.import_runs r set
    seen_at = now(),
    idle_since = case when private.stops_clock(sqlc.arg(waiting_reason)) then now() end,
    waits_since = now()
  from idle
  where r.claim_id = idle.claim_id
)
update public.imports i set waiting_reason = sqlc.arg(waiting_reason)::text
from idle
where i.id = idle.import_id and i.claim_id = idle.claim_id and i.status = 'parsing';

-- name: MeasureRun :one
-- For how long the latest run of a claim has been read, of which PARSE_TIMEOUT is the limit.
select
  coalesce(extract(epoch from private.reading_time(r)), 0)::float8 as reading_seconds,
  i.waiting_reason,
  i.progress_done
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.import_id = sqlc.arg(import_id) and r.claim_id = sqlc.arg(claim_id)::uuid;

-- name: ListSilentRuns :many
-- The open runs that were not seen for a while, the longest first. overdue: the request that claimed the
-- import has had enough time to start a run. previous_run_id: the last run of an earlier claim.
-- cancel_overdue: the run has had enough time to cancel itself. reading_seconds: the time that counts for
-- PARSE_TIMEOUT; of a run that cannot begin, since it cannot.
select
  i.id,
  r.claim_id,
  i.run_id,
  i.workspace_id,
  i.project_id,
  i.waiting_reason,
  (r.queued_at < now() - make_interval(secs => sqlc.arg(grace_seconds)))::boolean as overdue,
  coalesce(r.cancel_requested_at < now() - make_interval(secs => sqlc.arg(cancel_seconds)), false)::boolean
    as cancel_overdue,
  coalesce(
    extract(epoch from case
      when r.first_call_at is not null then private.reading_time(r)
      when i.waiting_reason in ('paused', 'no_worker_of_version', 'workflow_task_failing')
        then now() - r.waits_since
    end),
    0
  )::double precision as reading_seconds,
  r.previous_run_id,
  r.check_speakers
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.finished_at is null
  and (
    r.seen_at < now() - make_interval(secs => sqlc.arg(silence_seconds))
    or r.cancel_requested_at < now() - make_interval(secs => sqlc.arg(cancel_seconds))
  )
  and i.status in ('queued', 'parsing')
order by r.seen_at
limit sqlc.arg(page_size);

-- name: RecordWait :exec
-- Records what an open import waits for, unless that was recorded meanwhile; empty if it is read.
-- PARSE_TIMEOUT runs unless it waits for its turn, a worker or tokens.
with waits as (
  update public.imports i set waiting_reason = nullif(sqlc.arg(waiting_reason)::text, '')
  where i.id = sqlc.arg(import_id)
    and i.claim_id = sqlc.arg(claim_id)::uuid
    and i.status in ('queued', 'parsing')
    and i.waiting_reason is not distinct from sqlc.narg(reason_before)::text
  returning i.claim_id
)
update private.import_runs r set
  waited = r.waited + case
    when private.stops_clock(sqlc.arg(waiting_reason)) then '0'
    else coalesce(now() - r.idle_since, '0')
  end,
  idle_since = case
    when private.stops_clock(sqlc.arg(waiting_reason))
      then coalesce(r.idle_since, greatest(r.seen_at, r.first_call_at))
  end,
  waits_since = case when sqlc.arg(waiting_reason)::text <> '' then now() end
from waits
where r.claim_id = waits.claim_id;

-- name: RequestCancel :exec
-- Records that the latest run of an import should be cancelled, for the case that no worker can do it.
update private.import_runs r set cancel_requested_at = coalesce(r.cancel_requested_at, now())
from public.imports i
where i.id = sqlc.arg(import_id) and r.claim_id = i.claim_id and r.finished_at is null;

-- name: MarkRunsSeen :exec
update private.import_runs set seen_at = now() where claim_id = any(sqlc.arg(claims)::uuid[]);

-- name: SuspectRun :exec
-- Makes an open run the next to be compared.
update private.import_runs set seen_at = to_timestamp(0) where claim_id = $1 and finished_at is null;

-- name: ListRuns :many
-- The runs of an import, newest first.
select
  claim_id, requested_by, refresh, hypotheses, status, error_code, queued_at, begun_at, first_call_at,
  finished_at, extractor, model, prompt_version, calls, input_tokens, output_tokens, discarded
from private.import_runs
where import_id = sqlc.arg(import_id)
order by queued_at desc, claim_id
limit sqlc.arg(page_size);

-- name: ListRunChanges :many
-- What runs added, changed and no longer found, in the order of the transcript. The quote is that
-- of the evidence as it is now, or of what is gone.
select
  c.claim_id,
  c.evidence_id,
  c.hypothesis_id,
  c.kind,
  coalesce(c.stance_before::text, '')::text as stance_before,
  coalesce(c.stance_after::text, '')::text as stance_after,
  coalesce(c.strength_before::text, '')::text as strength_before,
  coalesce(c.strength_after::text, '')::text as strength_after,
  coalesce(c.quote, e.quote, '')::text as quote,
  c.kept
from private.import_run_changes c
left join public.evidence e on e.id = c.evidence_id
where c.claim_id = any(sqlc.arg(claims)::uuid[])
order by c.claim_id, e.byte_start, c.evidence_id, c.hypothesis_id;

-- name: RecordRunChanges :exec
-- What an earlier end of the same run recorded stays.
insert into private.import_run_changes (
  claim_id, evidence_id, hypothesis_id, kind,
  stance_before, stance_after, strength_before, strength_after, quote, kept
)
select
  sqlc.arg(claim_id),
  c.evidence_id,
  c.hypothesis_id,
  c.kind,
  nullif(c.stance_before, '')::public.evidence_stance,
  nullif(c.stance_after, '')::public.evidence_stance,
  nullif(c.strength_before, '')::public.evidence_strength,
  nullif(c.strength_after, '')::public.evidence_strength,
  nullif(c.quote, ''),
  c.kept
from (
  select
    unnest(sqlc.arg(evidence_ids)::uuid[]) as evidence_id,
    unnest(sqlc.arg(hypothesis_ids)::uuid[]) as hypothesis_id,
    unnest(sqlc.arg(kinds)::text[]) as kind,
    unnest(sqlc.arg(stances_before)::text[]) as stance_before,
    unnest(sqlc.arg(stances_after)::text[]) as stance_after,
    unnest(sqlc.arg(strengths_before)::text[]) as strength_before,
    unnest(sqlc.arg(strengths_after)::text[]) as strength_after,
    unnest(sqlc.arg(quotes)::text[]) as quote,
    unnest(sqlc.arg(kept)::boolean[]) as kept
) c
on conflict do nothing;

-- name: CountCheck :exec
-- Counts a call about speakers. The caller holds the lock of the import.
update private.import_runs r set
  check_calls = r.check_calls + 1,
  check_input_tokens = r.check_input_tokens + sqlc.arg(input_tokens),
  check_output_tokens = r.check_output_tokens + sqlc.arg(output_tokens)
where r.claim_id = sqlc.arg(claim_id);
