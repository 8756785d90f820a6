-- name: StoreImport :one
-- Within AsUser. Returns ErrDenied unless the user may write in the project's workspace.
select private.store_import(
  sqlc.arg(project_id)::uuid,
  sqlc.narg(persona_id)::uuid,
  sqlc.arg(title)::text,
  sqlc.arg(filename)::text,
  sqlc.arg(format)::text,
  sqlc.arg(size_bytes)::bigint,
  sqlc.arg(sha256)::text,
  sqlc.arg(language)::text,
  sqlc.arg(body)::bytea,
  sqlc.arg(speakers)::text[],
  sqlc.arg(starts)::bigint[],
  sqlc.arg(ends)::bigint[],
  sqlc.arg(texts)::text[],
  sqlc.arg(byte_starts)::integer[],
  sqlc.arg(byte_ends)::integer[]
)::uuid as id;

-- name: GetImport :one
select * from public.imports where id = $1;

-- name: GetImportForCancel :one
-- Within AsUser. The claim of an import, and whether the caller may cancel it.
select
  i.status,
  i.claim_id,
  private.caller_may_edit(i.workspace_id)::boolean as may_edit
from public.imports i
where i.id = $1;

-- name: ClaimImport :one
-- Within AsUser. Only the result 'claimed' changes the import and returns its workspace and project.
select
  c.result::private.claim_result as result,
  c.workspace_id::uuid as workspace_id,
  c.project_id::uuid as project_id
from private.claim_import(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(claim_id)::uuid,
  sqlc.arg(hypothesis_ids)::uuid[],
  sqlc.arg(queue_limit)::bigint,
  sqlc.arg(workspace_queue_limit)::bigint
) as c;

-- name: ReleaseImport :one
-- Within AsUser. Undoes a claim whose run could not be started.
select private.release_import(sqlc.arg(import_id)::uuid, sqlc.arg(claim_id)::uuid)::boolean as released;

-- name: WithdrawImport :execrows
-- Cancels a claim without a run. The claim ends as well, so that a run that is just being started changes
-- nothing.
update public.imports set
  status = 'canceled',
  claim_id = null,
  error_code = 'canceled',
  error_message = sqlc.arg(error_message)::text,
  finished_at = now()
where id = sqlc.arg(import_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status = 'queued';

-- name: LockImport :one
-- Locks the row, so that one transaction at a time writes the results of an import.
select *
from public.imports
where id = sqlc.arg(import_id) and claim_id = sqlc.arg(claim_id)::uuid
for update;

-- name: FollowRun :one
-- Records the run of a claim: the first, or one that an operator reset. An import that has ended is open
-- again. The caller holds the lock of the row.
update public.imports set
  workflow_id = sqlc.arg(workflow_id)::text,
  run_id = sqlc.arg(run_id)::text,
  status = case when private.is_restartable(status) then 'parsing' else status end,
  finished_at = null,
  error_code = null,
  error_message = null
where id = sqlc.arg(import_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and (status in ('queued', 'parsing') or private.is_restartable(status))
returning *;

-- name: BeginParse :one
-- queued → parsing. A retry finds the import parsing.
update public.imports set
  status = 'parsing',
  started_at = coalesce(started_at, now()),
  extractor = sqlc.arg(extractor)::text,
  model = sqlc.arg(model)::text,
  prompt_version = sqlc.arg(prompt_version)::text
where id = sqlc.arg(import_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status in ('queued', 'parsing')
returning *;

-- name: SetImportProgress :exec
update public.imports i set
  progress_total = (
    select count(*)
    from private.import_chunks c
    where c.import_id = i.id and c.claim_id = i.claim_id
  ),
  progress_done = (
    select count(*)
    from private.import_chunks c
    where c.import_id = i.id and c.claim_id = i.claim_id and c.done_at is not null
  ),
  input_tokens = (
    select coalesce(sum(a.input_tokens), 0) from private.chunk_answers a where a.import_id = i.id
  ),
  output_tokens = (
    select coalesce(sum(a.output_tokens), 0) from private.chunk_answers a where a.import_id = i.id
  )
where i.id = sqlc.arg(import_id) and i.claim_id = sqlc.arg(claim_id)::uuid;

-- name: EndImport :one
-- queued or parsing → an end.
update public.imports set
  status = sqlc.arg(status)::public.import_status,
  error_code = sqlc.narg(error_code),
  error_message = sqlc.narg(error_message),
  finished_at = now(),
  evidence_count = sqlc.arg(evidence_count),
  rejected_count = sqlc.arg(rejected_count),
  coverage = sqlc.arg(coverage),
  unread = sqlc.arg(unread)
where id = sqlc.arg(import_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status in ('queued', 'parsing')
returning *;

-- name: GetTranscriptBody :one
select body from private.transcripts where import_id = $1;

-- name: ListUtteranceSpans :many
select ordinal, speaker, start_ms, end_ms, byte_start, byte_end
from public.utterances
where import_id = $1
order by ordinal;

-- name: ListOpenImports :many
-- A page of the imports that must have a run, oldest first. overdue: the request that claimed the import has
-- had enough time to start a run. previous_run_id: the last run of an earlier claim.
select
  i.id,
  i.claim_id,
  i.run_id,
  i.workspace_id,
  i.project_id,
  i.queued_at,
  (i.queued_at < now() - make_interval(secs => sqlc.arg(grace_seconds)))::boolean as overdue,
  c.previous_run_id
from public.imports i
left join private.import_claims c on c.import_id = i.id and c.claim_id = i.claim_id
where i.status in ('queued', 'parsing')
  and (i.queued_at, i.id) > (sqlc.arg(after_queued_at)::timestamptz, sqlc.arg(after_id)::uuid)
order by i.queued_at, i.id
limit sqlc.arg(page_size);

-- name: CountImportStates :many
-- For metrics: how many imports have each status, and for how long the oldest of the open ones.
select
  status,
  count(*) as number,
  coalesce(
    max(extract(epoch from now() - case status
      when 'queued' then queued_at
      when 'parsing' then started_at
    end)),
    0
  )::float8 as oldest_seconds
from public.imports
group by status
order by status;
