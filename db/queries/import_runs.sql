-- name: ReopenRun :exec
-- An operator reset a run that had ended.
update private.import_runs set status = 'parsing', error_code = null, finished_at = null, seen_at = now()
where claim_id = $1;

-- name: EndRun :exec
update private.import_runs r set
  status = sqlc.arg(status)::public.import_status,
  error_code = sqlc.narg(error_code),
  finished_at = now(),
  reader = null,
  lease_until = null,
  calls = spent.calls,
  input_tokens = spent.input_tokens,
  output_tokens = spent.output_tokens,
  added = r.added + sqlc.arg(added)::integer,
  changed = r.changed + sqlc.arg(changed)::integer,
  gone = r.gone + sqlc.arg(gone)::integer
from (
  select
    coalesce(sum(c.calls), 0) as calls,
    coalesce(sum(c.input_tokens), 0) as input_tokens,
    coalesce(sum(c.output_tokens), 0) as output_tokens
  from private.import_chunks c
  where c.import_id = sqlc.arg(import_id) and c.claim_id = sqlc.arg(claim_id)
) spent
where r.claim_id = sqlc.arg(claim_id);

-- name: TakeReader :one
-- Makes a process the reader of a run for the time of a lease, unless the lease of another one lasts. calling
-- means that a call to the model is about to be made: the import no longer waits.
with taken as (
  update private.import_runs r set
    reader = sqlc.arg(reader)::uuid,
    lease_until = now() + make_interval(secs => sqlc.arg(lease_seconds)),
    seen_at = now(),
    first_call_at = case
      when sqlc.arg(calling)::boolean then coalesce(r.first_call_at, now()) else r.first_call_at
    end
  from public.imports i
  where i.id = sqlc.arg(import_id)
    and i.claim_id = sqlc.arg(claim_id)::uuid
    and i.status = 'parsing'
    and r.claim_id = i.claim_id
    and (r.reader is null or r.reader = sqlc.arg(reader)::uuid or r.lease_until < now())
  returning
    r.import_id,
    r.model_failures,
    r.first_call_at,
    i.run_id,
    i.waiting_reason,
    i.progress_done
),
cleared as (
  update public.imports i set waiting_reason = null
  from taken t
  where i.id = t.import_id and t.waiting_reason is not null and sqlc.arg(calling)::boolean
)
select
  t.run_id,
  t.waiting_reason,
  t.progress_done,
  t.model_failures,
  private.interviewers(t.import_id)::text[] as interviewers,
  coalesce(extract(epoch from now() - t.first_call_at), 0)::double precision as seconds_since_first_call
from taken t;

-- name: PauseReading :one
-- Gives up the lease of a reader and says what the import waits for. It returns how often in a row the model
-- failed. Waiting for the next day's tokens does not count for PARSE_TIMEOUT, which then begins again.
with paused as (
  update private.import_runs r set
    reader = null,
    lease_until = null,
    seen_at = now(),
    first_call_at = case
      when sqlc.arg(waiting_reason)::text <> 'token_budget' then r.first_call_at
    end,
    model_failures = r.model_failures + sqlc.arg(failures)::integer
  where r.claim_id = sqlc.arg(claim_id) and r.reader = sqlc.arg(reader)::uuid
  returning r.claim_id, r.import_id, r.model_failures
),
waits as (
  update public.imports i set waiting_reason = sqlc.arg(waiting_reason)::text
  from paused p
  where i.id = p.import_id and i.claim_id = p.claim_id and i.status = 'parsing'
)
select p.model_failures from paused p;

-- name: RenewLeases :many
-- Renews the leases of a reader and returns the claims that it still reads. seen are those whose runs are
-- open in Temporal.
update private.import_runs r set
  reader = sqlc.arg(reader)::uuid,
  lease_until = now() + make_interval(secs => sqlc.arg(lease_seconds)),
  seen_at = case when r.claim_id = any(sqlc.arg(seen)::uuid[]) then now() else r.seen_at end
where r.claim_id = any(sqlc.arg(claims)::uuid[])
  and (r.reader is null or r.reader = sqlc.arg(reader)::uuid or r.lease_until < now())
  and r.finished_at is null
returning r.claim_id;

-- name: ListSilentRuns :many
-- The open runs that were not seen for a while, the longest first. overdue: the request that claimed the
-- import has had enough time to start a run. previous_run_id: the last run of an earlier claim.
select
  i.id,
  r.claim_id,
  i.run_id,
  i.workspace_id,
  i.project_id,
  (r.queued_at < now() - make_interval(secs => sqlc.arg(grace_seconds)))::boolean as overdue,
  r.previous_run_id
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.finished_at is null
  and r.seen_at < now() - make_interval(secs => sqlc.arg(silence_seconds))
  and i.status in ('queued', 'parsing')
order by r.seen_at
limit sqlc.arg(page_size);

-- name: MarkRunsSeen :exec
update private.import_runs set seen_at = now() where claim_id = any(sqlc.arg(claims)::uuid[]);

-- name: SuspectRun :exec
-- Makes an open run the next to be compared.
update private.import_runs set seen_at = '-infinity' where claim_id = $1 and finished_at is null;

-- name: ListRuns :many
-- The runs of an import, newest first.
select
  claim_id, requested_by, refresh, hypotheses, status, error_code, queued_at, begun_at, first_call_at,
  finished_at, extractor, model, prompt_version, calls, input_tokens, output_tokens
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
