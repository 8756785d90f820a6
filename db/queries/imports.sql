-- name: StoreImport :one
-- Within AsUser: refused with ErrDenied unless the user may write in the project's workspace.
select private.store_import(
  sqlc.arg(project_id)::uuid, sqlc.narg(persona_id)::uuid, sqlc.arg(title)::text, sqlc.arg(filename)::text, sqlc.arg(format)::text,
  sqlc.arg(size_bytes)::bigint, sqlc.arg(sha256)::text, sqlc.arg(language)::text, sqlc.arg(body)::bytea,
  sqlc.arg(speakers)::text[], sqlc.arg(starts)::bigint[], sqlc.arg(ends)::bigint[], sqlc.arg(texts)::text[],
  sqlc.arg(byte_starts)::integer[], sqlc.arg(byte_ends)::integer[])::uuid as id;

-- name: GetImport :one
select * from public.imports where id = $1;

-- name: GetImportRights :one
-- The import's project and state, and the caller's role in its workspace; empty for a service.
select i.id, i.project_id, i.workspace_id, i.status, i.claim_id, i.workflow_id,
  coalesce((select m.role::text from public.workspace_members m where m.workspace_id = i.workspace_id and m.user_id = auth.uid()), '')::text as member_role
from public.imports i where i.id = $1;

-- name: ListHypothesisIDs :many
select id from public.hypotheses where project_id = $1 and id = any(sqlc.arg(ids)::uuid[]);

-- name: ClaimImport :one
-- The row as it was before the claim; null where the import is in no state to be parsed.
select private.claim_import(sqlc.arg(import_id)::uuid, sqlc.arg(claim_id)::uuid, sqlc.arg(hypothesis_ids)::uuid[])::jsonb as before;

-- name: QueueLength :one
-- How many imports wait or are parsed.
select (q.everybody)::bigint as everybody, (q.of_workspace)::bigint as of_workspace from private.queue_length(sqlc.arg(workspace_id)::uuid) q;

-- name: ReleaseImport :one
select private.release_import(sqlc.arg(claim_id)::uuid, sqlc.arg(before)::jsonb)::boolean as released;

-- name: RecordRun :exec
-- Says which run a claim got; the run may have begun already.
update public.imports set workflow_id = sqlc.arg(workflow_id)::text, run_id = sqlc.arg(run_id)::text
where id = sqlc.arg(import_id) and claim_id = sqlc.arg(claim_id)::uuid and run_id is null;

-- name: BeginParse :one
-- queued → parsing for the run that holds the claim. A retry of the same run, and a run that an operator reset, pass as well.
update public.imports set status = 'parsing', workflow_id = sqlc.arg(workflow_id)::text, run_id = sqlc.arg(run_id)::text,
  started_at = coalesce(started_at, now()), finished_at = null, error_code = null, error_message = null,
  extractor = sqlc.arg(extractor)::text, model = sqlc.arg(model)::text, prompt_version = sqlc.arg(prompt_version)::text
where id = sqlc.arg(import_id) and claim_id = sqlc.arg(claim_id)::uuid
  and (status in ('queued', 'parsing') or run_id is distinct from sqlc.arg(run_id)::text and status in ('failed', 'canceled', 'terminated', 'timed_out'))
returning *;

-- name: SetImportProgress :exec
update public.imports i set
  progress_total = (select count(*) from private.import_chunks c where c.import_id = i.id and c.claim_id = i.claim_id),
  progress_done = (select count(*) from private.import_chunks c where c.import_id = i.id and c.claim_id = i.claim_id and c.done_at is not null),
  input_tokens = (select coalesce(sum(a.input_tokens), 0) from private.chunk_answers a where a.import_id = i.id),
  output_tokens = (select coalesce(sum(a.output_tokens), 0) from private.chunk_answers a where a.import_id = i.id)
where i.id = sqlc.arg(import_id) and i.claim_id = sqlc.arg(claim_id)::uuid;

-- name: EndImport :one
-- queued or parsing → an end, for the run that holds the claim.
update public.imports set status = sqlc.arg(status)::public.import_status, error_code = sqlc.narg(error_code), error_message = sqlc.narg(error_message),
  finished_at = now(), evidence_count = sqlc.arg(evidence_count), rejected_count = sqlc.arg(rejected_count),
  coverage = sqlc.arg(coverage), unread = sqlc.arg(unread)
where id = sqlc.arg(import_id) and claim_id = sqlc.arg(claim_id)::uuid and status in ('queued', 'parsing')
returning id;

-- name: LockImport :one
-- Takes the row's lock, so that one write at a time settles an import.
select * from public.imports where id = sqlc.arg(import_id) and claim_id = sqlc.arg(claim_id)::uuid for update;

-- name: GetTranscriptBody :one
select body from private.transcripts where import_id = $1;

-- name: ListUtteranceSpans :many
select ordinal, speaker, start_ms, end_ms, byte_start, byte_end from public.utterances where import_id = $1 order by ordinal;

-- name: ReopenImport :one
-- An import that ended goes on: an operator reset its run, and the new run works for the same claim.
update public.imports set status = 'parsing', run_id = sqlc.arg(run_id)::text, finished_at = null, error_code = null, error_message = null
where id = sqlc.arg(import_id) and claim_id = sqlc.arg(claim_id)::uuid and status in ('failed', 'canceled', 'terminated', 'timed_out')
returning *;

-- name: ListOpenImports :many
-- A page of the imports that have to have a run, oldest first. overdue: the request that claimed it has had its time to start one.
select id, claim_id, status, run_id, workspace_id, project_id, queued_at, (queued_at < now() - make_interval(secs => sqlc.arg(grace_seconds)))::boolean as overdue
from public.imports
where status in ('queued', 'parsing') and (queued_at, id) > (sqlc.arg(after_queued_at)::timestamptz, sqlc.arg(after_id)::uuid)
order by queued_at, id limit sqlc.arg(page_size);

-- name: FollowRun :exec
-- The run that Temporal has now, where an operator reset the one we knew, or nobody wrote it down.
update public.imports set workflow_id = sqlc.arg(workflow_id)::text, run_id = sqlc.arg(run_id)::text
where id = sqlc.arg(import_id) and claim_id = sqlc.arg(claim_id)::uuid and status in ('queued', 'parsing') and run_id is distinct from sqlc.arg(run_id)::text;

-- name: WithdrawImport :execrows
-- Cancels a claim that has no run. Its claim ends with it, so that a run which is just being started changes nothing.
update public.imports set status = 'canceled', claim_id = null, error_code = 'canceled', error_message = sqlc.arg(error_message)::text, finished_at = now()
where id = sqlc.arg(import_id) and claim_id = sqlc.arg(claim_id)::uuid and status = 'queued';

-- name: CountImportStates :many
-- For operators: how many imports are in each state, and how long the oldest of those that something should happen to has been there.
select status, count(*) as number,
  coalesce(max(extract(epoch from now() - case status when 'queued' then queued_at when 'parsing' then started_at end)), 0)::float8 as oldest_seconds
from public.imports group by status order by status;
