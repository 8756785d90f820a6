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
  sqlc.arg(byte_ends)::integer[],
  sqlc.arg(confidences)::double precision[],
  sqlc.narg(craft)::jsonb
)::uuid as id;

-- name: SetInterviewDate :exec
-- Within AsUser.
update public.imports set interviewed_on = sqlc.arg(interviewed_on)::date where id = sqlc.arg(import_id);

-- name: DescribeImport :exec
-- Within AsUser. Sets how a file was read and what is doubtful about that, unless the import is being parsed.
select private.describe_import(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(warnings)::jsonb,
  sqlc.arg(reading)::jsonb,
  sqlc.arg(confidence)::double precision,
  sqlc.arg(needs_look)::boolean
);

-- name: FindDuplicate :one
-- Within AsUser. The first import of the same file in a project, or the nil UUID.
select coalesce(
  (
    select i.id from public.imports i
    where i.project_id = sqlc.arg(project_id)::uuid and i.sha256 = sqlc.arg(sha256)::text
    order by i.created_at, i.id
    limit 1
  ),
  '00000000-0000-0000-0000-000000000000'::uuid
)::uuid as id;

-- name: ListLabelRoles :many
-- The role that each label of a speaker names, in the order of the labels.
select private.role_of_label(l.label) as role
from unnest(sqlc.arg(labels)::text[]) with ordinality as l (label, ordinal)
order by l.ordinal;

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

-- name: DeleteImport :one
-- Within AsUser. Returns ErrDenied unless the caller may edit the import.
select d.evidence::bigint as evidence, d.utterances::bigint as utterances
from private.delete_import(sqlc.arg(import_id)::uuid) as d;

-- name: SetImportAside :one
-- Within AsUser. Deletes an import so that it can be restored for a day. ErrDenied as for DeleteImport,
-- ErrNotFound if somebody else has deleted it.
select d.evidence::bigint as evidence, d.utterances::bigint as utterances
from private.set_import_aside(sqlc.arg(import_id)::uuid) as d
where d.evidence is not null;

-- name: ForgetDeletedImport :one
-- Within AsUser. Deletes for good an import that could be restored.
select d.evidence::bigint as evidence, d.utterances::bigint as utterances
from private.forget_deleted_import(sqlc.arg(import_id)::uuid) as d;

-- name: RestoreImport :one
-- Within AsUser. Whether there is such an import.
select private.restore_import(sqlc.arg(import_id)::uuid)::boolean as restored;

-- name: ClaimImport :one
-- Within AsUser. Only the result 'claimed' changes the import and returns its workspace and project.
select
  c.result::private.claim_result as result,
  c.workspace_id::uuid as workspace_id,
  c.project_id::uuid as project_id,
  coalesce(c.check_speakers, false)::boolean as check_speakers
from private.claim_import(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(claim_id)::uuid,
  sqlc.arg(hypothesis_ids)::uuid[],
  sqlc.arg(queue_limit)::bigint,
  sqlc.arg(workspace_queue_limit)::bigint,
  sqlc.arg(refresh)::boolean,
  sqlc.arg(by_model)::boolean
) as c;

-- name: CheckParse :one
-- Within AsUser. What ClaimImport would return; nothing is changed.
select private.check_parse(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(hypothesis_ids)::uuid[],
  sqlc.arg(queue_limit)::bigint,
  sqlc.arg(workspace_queue_limit)::bigint,
  sqlc.arg(refresh)::boolean,
  sqlc.arg(by_model)::boolean
)::private.claim_result as result;

-- name: ReleaseImport :one
-- Within AsUser. Undoes a claim whose run could not be started.
select private.release_import(sqlc.arg(import_id)::uuid, sqlc.arg(claim_id)::uuid)::boolean as released;

-- name: WithdrawImport :execrows
-- Cancels a claim without a run. The claim ends as well, so that a run that is just being started changes
-- nothing.
with withdrawn as (
  update public.imports set
    status = 'canceled',
    claim_id = null,
    waiting_reason = null,
    error_code = 'canceled',
    error_message = sqlc.arg(error_message)::text,
    finished_at = now()
  where id = sqlc.arg(import_id)
    and claim_id = sqlc.arg(claim_id)::uuid
    and status = 'queued'
  returning id
)
update private.import_runs set status = 'canceled', error_code = 'canceled', finished_at = now()
where claim_id = sqlc.arg(claim_id)::uuid and import_id in (select w.id from withdrawn w);

-- name: LockImport :one
-- Locks the row, so that one transaction at a time writes the results of an import. Readers and checks of
-- foreign keys do not wait.
select
  sqlc.embed(i),
  r.refresh,
  r.extractor,
  r.model,
  r.prompt_version,
  r.begun_at,
  coalesce((r.before ->> 'rejected_count')::integer, 0)::integer as rejected_before,
  private.interviewers(i.id)::text[] as interviewers
from public.imports i
join private.import_runs r on r.claim_id = i.claim_id
where i.id = sqlc.arg(import_id) and i.claim_id = sqlc.arg(claim_id)::uuid
for no key update of i;

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

-- name: BeginParse :execrows
-- queued → parsing. A retry finds the import parsing. The import then waits for its turn to be read.
with begun as (
  update public.imports set
    status = 'parsing',
    started_at = coalesce(started_at, now()),
    workflow_id = sqlc.arg(workflow_id)::text,
    run_id = sqlc.arg(run_id)::text,
    progress_total = sqlc.arg(chunks)::integer,
    waiting_reason = 'turn',
    extractor = sqlc.arg(extractor)::text,
    model = nullif(sqlc.arg(model)::text, ''),
    prompt_version = sqlc.arg(prompt_version)::text
  where id = sqlc.arg(import_id)
    and claim_id = sqlc.arg(claim_id)::uuid
    and status in ('queued', 'parsing')
  returning claim_id
)
update private.import_runs r set
  status = 'parsing',
  begun_at = coalesce(r.begun_at, now()),
  recovery = sqlc.arg(recovery)::jsonb,
  seen_at = now(),
  extractor = sqlc.arg(extractor)::text,
  model = nullif(sqlc.arg(model)::text, ''),
  prompt_version = sqlc.arg(prompt_version)::text
from begun
where r.claim_id = begun.claim_id;

-- name: CountEvidence :exec
-- Quotes of proposed themes are about no hypothesis: they are no result of an analysis.
update public.imports i set evidence_count = (
  select count(*)
  from public.evidence e
  where e.import_id = i.id and e.origin <> 'human' and e.review <> 'rejected'
    and exists (select from public.evidence_hypotheses x where x.evidence_id = e.id)
)
where i.id = sqlc.arg(import_id);

-- name: EndImport :one
-- queued or parsing → an end. The import is named after what read most of it, if anything was read.
update public.imports i set
  status = sqlc.arg(status)::public.import_status,
  waiting_reason = null,
  error_code = sqlc.narg(error_code),
  error_message = sqlc.narg(error_message),
  extractor = coalesce(sqlc.narg(extractor), i.extractor),
  model = case when sqlc.narg(extractor)::text is null then i.model else sqlc.narg(model) end,
  prompt_version = coalesce(sqlc.narg(prompt_version), i.prompt_version),
  finished_at = now(),
  evidence_count = (
    select count(*)
    from public.evidence e
    where e.import_id = i.id and e.origin <> 'human' and e.review <> 'rejected'
      and exists (select from public.evidence_hypotheses x where x.evidence_id = e.id)
  ),
  rejected_count = sqlc.arg(rejected_count),
  coverage = sqlc.arg(coverage),
  unread = sqlc.arg(unread)
where i.id = sqlc.arg(import_id)
  and i.claim_id = sqlc.arg(claim_id)::uuid
  and i.status in ('queued', 'parsing')
returning *;

-- name: GetTranscript :one
-- A transcript in one row: the utterances as arrays, and -1 for an unknown time.
select
  i.format,
  i.language,
  t.body,
  u.speakers::text[] as speakers,
  u.starts::bigint[] as starts,
  u.ends::bigint[] as ends,
  u.byte_starts::integer[] as byte_starts,
  u.byte_ends::integer[] as byte_ends
from public.imports i
join private.transcripts t on t.import_id = i.id
cross join lateral (
  -- Sorted once: array_agg with an order of its own would sort for each array.
  select
    coalesce(array_agg(s.speaker), '{}') as speakers,
    coalesce(array_agg(coalesce(s.start_ms, -1)), '{}') as starts,
    coalesce(array_agg(coalesce(s.end_ms, -1)), '{}') as ends,
    coalesce(array_agg(s.byte_start), '{}') as byte_starts,
    coalesce(array_agg(s.byte_end), '{}') as byte_ends
  from (select x.* from public.utterances x where x.import_id = i.id order by x.ordinal) s
) u
where i.id = $1;

-- name: CountWaitingImports :many
-- For metrics: how many open imports wait, by reason.
select i.waiting_reason::text as reason, count(*) as number
from public.imports i
where i.status in ('queued', 'parsing') and i.waiting_reason is not null
group by i.waiting_reason;

-- name: CountImportStates :many
-- For metrics: how many imports have each status, and for how long the oldest of the open ones, without those
-- that wait for the tokens of the next day. Of the other statuses at most 10,000 imports are counted, so that
-- a scrape never reads the whole table. Each status has its index, because PostgreSQL checks the policy
-- before it compares values of an enum: an index on the status does not serve. Without "order by", PostgreSQL
-- could look for a rare status in the whole table.
select
  i.status,
  count(*) as number,
  coalesce(
    max(extract(epoch from now() - case i.status
      when 'queued' then i.queued_at
      when 'parsing' then case when i.waiting_reason is distinct from 'token_budget' then i.started_at end
    end)),
    0
  )::float8 as oldest_seconds
from public.imports i
where i.status in ('queued', 'parsing')
group by i.status
union all
select c.status, count(*), 0
from (
  (select 'uploaded'::public.import_status as status from public.imports i where i.status = 'uploaded'
   order by i.workspace_id limit 10000)
  union all
  (select 'parsed'::public.import_status as status from public.imports i where i.status = 'parsed'
   order by i.workspace_id limit 10000)
  union all
  (select 'failed'::public.import_status as status from public.imports i where i.status = 'failed'
   order by i.workspace_id limit 10000)
  union all
  (select 'canceled'::public.import_status as status from public.imports i where i.status = 'canceled'
   order by i.workspace_id limit 10000)
  union all
  (select 'terminated'::public.import_status as status from public.imports i where i.status = 'terminated'
   order by i.workspace_id limit 10000)
  union all
  (select 'timed_out'::public.import_status as status from public.imports i where i.status = 'timed_out'
   order by i.workspace_id limit 10000)
) c
group by c.status
order by status;
