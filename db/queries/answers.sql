-- name: ClaimAnswer :one
-- Within AsUser. Only the result 'claimed' makes the answer. Empty arrays and null do not limit the scope.
select c.result::private.ask_result as result, c.workspace_id
from private.claim_answer(
  sqlc.arg(answer_id)::uuid,
  sqlc.arg(claim_id)::uuid,
  sqlc.arg(project_id)::uuid,
  sqlc.arg(question)::text,
  sqlc.arg(mode)::public.answer_mode,
  sqlc.arg(personas)::uuid[],
  sqlc.arg(imports)::uuid[],
  sqlc.narg(first_day)::date,
  sqlc.narg(last_day)::date,
  sqlc.narg(question_id)::uuid,
  sqlc.arg(queue_limit)::bigint,
  sqlc.arg(workspace_queue_limit)::bigint,
  sqlc.arg(ask_limit)::bigint
) as c;

-- name: ClaimAnswerAgain :one
-- Within AsUser. Only the result 'claimed' changes the answer. Without a mode, it is asked as before.
select c.result::private.ask_result as result, c.workspace_id, c.project_id
from private.claim_answer_again(
  sqlc.arg(answer_id)::uuid,
  sqlc.arg(claim_id)::uuid,
  sqlc.narg(mode)::public.answer_mode,
  sqlc.arg(queue_limit)::bigint,
  sqlc.arg(workspace_queue_limit)::bigint,
  sqlc.arg(ask_limit)::bigint
) as c;

-- name: CancelAnswer :one
-- Within AsUser. Ends the claim of an answer that has not ended. run_id is that of its run, if one has begun.
select c.result::private.cancel_result as result, c.run_id
from private.cancel_answer(sqlc.arg(answer_id)::uuid, sqlc.arg(error_message)::text) as c;

-- name: GetAnswer :one
select sqlc.embed(a), private.caller_may_edit(a.workspace_id)::boolean as may_edit
from public.answers a
where a.id = $1;

-- name: DeleteAnswer :execrows
-- Within AsUser. Deletes no row unless the caller may edit the answer.
delete from public.answers where id = $1;

-- name: ListAnswerQuotes :many
-- Those of sentences in their order, each with its sentence, then the passages. One statement sees no
-- sentence with the quotes of another one that replaces it, or without any. speaker_name is the name that
-- people gave the speaker, or else that of the transcript.
select
  sqlc.embed(q),
  i.title as import_title,
  coalesce(p.name, nullif(v.display_name, ''), q.speaker)::text as speaker_name,
  coalesce(s.text, '') as sentence,
  coalesce(s.people_count, 0) as people_count
from public.answer_quotes q
join public.imports i on i.id = q.import_id
left join public.answer_sentences s on s.answer_id = q.answer_id and s.ordinal = q.sentence_ordinal
left join public.import_speakers v on v.import_id = q.import_id and v.speaker = q.speaker
left join public.participants p on p.id = v.participant_id
where q.answer_id = $1
order by q.sentence_ordinal, q.ordinal, q.id;

-- name: LockAnswer :one
-- Locks the row, so that one transaction at a time writes an answer. Without a row, the claim has ended.
select *
from public.answers
where id = sqlc.arg(answer_id) and claim_id = sqlc.arg(claim_id)::uuid and status in ('queued', 'reading')
for no key update;

-- name: FindAnswerClaim :one
-- Without a row, the claim has ended.
select id
from public.answers
where id = sqlc.arg(answer_id) and claim_id = sqlc.arg(claim_id)::uuid and status in ('queued', 'reading');

-- name: GetEndedAnswer :one
-- The answer of a claim that has ended by itself.
select *
from public.answers
where id = sqlc.arg(answer_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status not in ('queued', 'reading');

-- name: ListScopeImports :many
-- The interviews in a scope, the oldest first, with the speakers whose words prove nothing, and their sizes.
-- version changes with the transcript.
select
  i.id,
  private.transcript_version(i.id)::text as version,
  private.interviewers(i.id)::text[] as interviewers,
  octet_length(t.body)::bigint as bytes,
  (select coalesce(max(u.ordinal) + 1, 0) from public.utterances u where u.import_id = i.id)::bigint as turns
from private.scope_imports(sqlc.arg(project_id)::uuid, sqlc.arg(scope)::jsonb) as s
join public.imports i on i.id = s
join private.transcripts t on t.import_id = i.id
order by i.created_at, i.id
limit sqlc.arg(most);

-- name: ListNames :many
-- The names of all who speak in a project, as its interviews and its members write them.
select s.speaker as name from public.import_speakers s where s.project_id = sqlc.arg(project_id)
union
select s.display_name from public.import_speakers s where s.project_id = sqlc.arg(project_id)
union
select p.name from public.participants p where p.project_id = sqlc.arg(project_id)
order by name;

-- name: BeginAnswer :execrows
-- queued → reading. A retry finds the answer reading.
update public.answers set
  status = 'reading',
  started_at = coalesce(started_at, now()),
  workflow_id = sqlc.arg(workflow_id)::text,
  run_id = sqlc.arg(run_id)::text,
  extractor = sqlc.arg(extractor)::text,
  model = nullif(sqlc.arg(model)::text, ''),
  prompt_version = nullif(sqlc.arg(prompt_version)::text, ''),
  waiting_reason = null,
  seen_at = now()
where id = sqlc.arg(answer_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status in ('queued', 'reading');

-- name: PlanAnswer :execrows
-- What is going to be read. imports are those of the scope. From now on the answer is no longer stale.
update public.answers set
  imports_total = cardinality(sqlc.arg(imports)::uuid[]),
  people_total = private.count_people(sqlc.arg(imports)::uuid[]),
  imports_read = 0,
  passages_total = sqlc.arg(passages_total)::integer,
  passages_read = 0,
  coverage = 0,
  missing = '',
  unsupported_count = 0,
  rejected_count = 0,
  stale_since = null,
  progress_done = 0,
  progress_total = sqlc.arg(progress_total)::integer,
  seen_at = now()
where id = sqlc.arg(answer_id) and claim_id = sqlc.arg(claim_id)::uuid and status = 'reading';

-- name: SetAnswerWaiting :execrows
-- Records what an open answer waits for; empty if it is read.
update public.answers set waiting_reason = nullif(sqlc.arg(waiting_reason)::text, ''), seen_at = now()
where id = sqlc.arg(answer_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status in ('queued', 'reading');

-- name: InsertAnswerParts :exec
-- The plan of a claim that has none. The caller holds the lock of the answer.
insert into private.answer_parts (
  answer_id, claim_id, ordinal, import_id, utterance_from, utterance_to, byte_start, byte_end, done_at
)
select
  sqlc.arg(answer_id)::uuid,
  sqlc.arg(claim_id)::uuid,
  p.ordinal,
  p.import_id,
  p.utterance_from,
  p.utterance_to,
  p.byte_start,
  p.byte_end,
  case when sqlc.arg(done)::boolean then now() end
from (
  select
    unnest(sqlc.arg(ordinals)::integer[]) as ordinal,
    unnest(sqlc.arg(imports)::uuid[]) as import_id,
    unnest(sqlc.arg(utterance_froms)::integer[]) as utterance_from,
    unnest(sqlc.arg(utterance_tos)::integer[]) as utterance_to,
    unnest(sqlc.arg(byte_starts)::integer[]) as byte_start,
    unnest(sqlc.arg(byte_ends)::integer[]) as byte_end
) p
on conflict do nothing;

-- name: ListAnswerParts :many
select * from private.answer_parts where answer_id = $1 and claim_id = $2 order by ordinal;

-- name: StartAnswerPart :one
-- Records that a part is being read, and that the run is open. It finds no row if the part is done.
with part as (
  update private.answer_parts p set read_at = now()
  where p.answer_id = sqlc.arg(answer_id)
    and p.claim_id = sqlc.arg(claim_id)::uuid
    and p.ordinal = sqlc.arg(ordinal)
    and p.done_at is null
  returning p.*
),
answer as (
  update public.answers a set waiting_reason = null, seen_at = now()
  from part
  where a.id = part.answer_id and a.claim_id = part.claim_id and a.status = 'reading'
)
select
  part.import_id,
  part.utterance_from,
  part.utterance_to,
  part.byte_start,
  part.byte_end,
  private.transcript_version(part.import_id)::text as version,
  private.interviewers(part.import_id)::text[] as interviewers
from part;

-- name: SeeAnswerPart :exec
-- Records that a part is still being read.
with part as (
  update private.answer_parts p set read_at = now()
  where p.answer_id = sqlc.arg(answer_id)
    and p.claim_id = sqlc.arg(claim_id)::uuid
    and p.ordinal = sqlc.arg(ordinal)
    and p.done_at is null
  returning p.answer_id, p.claim_id
)
update public.answers a set seen_at = now()
from part
where a.id = part.answer_id and a.claim_id = part.claim_id and a.status = 'reading';

-- name: EndAnswerPart :exec
-- Records that a part is no longer read and, if no other one of the answer is, what the answer waits for.
with part as (
  update private.answer_parts p set read_at = null
  where p.answer_id = sqlc.arg(answer_id)
    and p.claim_id = sqlc.arg(claim_id)::uuid
    and p.ordinal = sqlc.arg(ordinal)
  returning p.answer_id, p.claim_id
)
update public.answers a set waiting_reason = sqlc.arg(waiting_reason)::text, seen_at = now()
from part
where a.id = part.answer_id
  and a.claim_id = part.claim_id
  and a.status = 'reading'
  and not exists (
    select
    from private.answer_parts o
    where o.answer_id = part.answer_id
      and o.claim_id = part.claim_id
      and o.ordinal <> sqlc.arg(ordinal)
      and o.read_at > now() - interval '15 seconds'
  );

-- name: ListPartInterviews :many
-- The interviews of a plan, as ListScopeImports has them.
select
  i.id,
  private.transcript_version(i.id)::text as version,
  private.interviewers(i.id)::text[] as interviewers
from public.imports i
where i.id in (
  select p.import_id
  from private.answer_parts p
  where p.answer_id = sqlc.arg(answer_id) and p.claim_id = sqlc.arg(claim_id)::uuid
)
order by i.created_at, i.id;

-- name: FinishAnswerPart :execrows
-- The end of a part, which is progress.
with part as (
  update private.answer_parts p set
    done_at = now(),
    read_at = null,
    response_keys = sqlc.arg(response_keys)::bytea[],
    unread = sqlc.arg(unread)::jsonb,
    reserved_tokens = 0
  where p.answer_id = sqlc.arg(answer_id)
    and p.claim_id = sqlc.arg(claim_id)::uuid
    and p.ordinal = sqlc.arg(ordinal)
    and p.done_at is null
  returning p.answer_id, p.claim_id
)
update public.answers a set progress_done = a.progress_done + 1, seen_at = now()
from part
where a.id = part.answer_id and a.claim_id = part.claim_id and a.status = 'reading';

-- name: ReserveAnswerTokens :execrows
-- Reserves tokens for a call about a part. Changes no row if the calls that its claim has under way would
-- take more than the limit, with what the claim has spent. The caller holds the lock of the answer.
update private.answer_parts p set reserved_tokens = sqlc.arg(wanted)::bigint
where p.answer_id = sqlc.arg(answer_id)
  and p.claim_id = sqlc.arg(claim_id)::uuid
  and p.ordinal = sqlc.arg(ordinal)
  and sqlc.arg(wanted)::bigint + sqlc.arg(spent)::bigint
    + (
      select coalesce(sum(o.reserved_tokens), 0)
      from private.answer_parts o
      where o.answer_id = p.answer_id
        and o.claim_id = p.claim_id
        and o.ordinal <> p.ordinal
        and o.done_at is null
    )
    <= sqlc.arg(max_tokens)::bigint;

-- name: StorePartResponse :one
-- Stores the response to a call about a part among those of its import, with what it cost. is_new is false
-- for a response that was stored before. One that comes after the claim has ended is counted, and not kept:
-- it may have words that are redacted by now.
with claim as (
  select a.id
  from public.answers a
  where a.id = sqlc.arg(answer_id) and a.claim_id = sqlc.arg(claim_id)::uuid and a.status = 'reading'
  for no key update
),
response as (
  insert into private.chunk_responses (key, import_id, response, input_tokens, output_tokens)
  select
    sqlc.arg(key)::bytea,
    p.import_id,
    sqlc.arg(response)::jsonb,
    sqlc.arg(input_tokens)::bigint,
    sqlc.arg(output_tokens)::bigint
  from claim
  join private.answer_parts p on p.answer_id = claim.id
  where p.claim_id = sqlc.arg(claim_id)::uuid and p.ordinal = sqlc.arg(ordinal)
  on conflict (key, import_id) do nothing
  returning input_tokens, output_tokens
),
part as (
  update private.answer_parts p set reserved_tokens = 0
  where p.answer_id = sqlc.arg(answer_id)
    and p.claim_id = sqlc.arg(claim_id)::uuid
    and p.ordinal = sqlc.arg(ordinal)
),
released as (
  delete from private.token_reservations t
  where t.claim_id = sqlc.arg(claim_id)::uuid and t.ordinal = sqlc.arg(ordinal)
),
spent as (
  update public.answers a set
    input_tokens = a.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.input_tokens), 0) from response r)
      else sqlc.arg(input_tokens)::bigint
    end,
    output_tokens = a.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.output_tokens), 0) from response r)
      else sqlc.arg(output_tokens)::bigint
    end
  where a.id = sqlc.arg(answer_id)
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new;

-- name: ListPartResponses :many
-- The responses about chunks of several imports.
select r.key, r.import_id, r.response, r.input_tokens, r.output_tokens
from private.chunk_responses r
where r.import_id = any (sqlc.arg(imports)::uuid[]) and r.key = any (sqlc.arg(keys)::bytea[]);

-- name: GetAnswerResponse :one
select r.response, r.input_tokens, r.output_tokens
from private.answer_responses r
where r.key = sqlc.arg(key) and r.project_id = sqlc.arg(project_id);

-- name: StoreAnswerResponse :one
-- Stores a rewording or a composition with what it cost; ordinal is that of its reservation. is_new is false
-- for a response that was stored before. One that comes after the claim has ended is not kept, as in
-- StorePartResponse.
with claim as (
  select a.id, a.project_id, a.workspace_id
  from public.answers a
  where a.id = sqlc.arg(answer_id) and a.claim_id = sqlc.arg(claim_id)::uuid and a.status = 'reading'
  for no key update
),
response as (
  insert into private.answer_responses (
    key, project_id, workspace_id, response, input_tokens, output_tokens
  )
  select
    sqlc.arg(key)::bytea,
    claim.project_id,
    claim.workspace_id,
    sqlc.arg(response)::jsonb,
    sqlc.arg(input_tokens)::bigint,
    sqlc.arg(output_tokens)::bigint
  from claim
  on conflict (key, project_id) do nothing
  returning input_tokens, output_tokens
),
released as (
  delete from private.token_reservations t
  where t.claim_id = sqlc.arg(claim_id)::uuid and t.ordinal = sqlc.arg(ordinal)::integer
),
spent as (
  update public.answers a set
    input_tokens = a.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.input_tokens), 0) from response r)
      else sqlc.arg(input_tokens)::bigint
    end,
    output_tokens = a.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.output_tokens), 0) from response r)
      else sqlc.arg(output_tokens)::bigint
    end
  where a.id = sqlc.arg(answer_id)
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new;

-- name: DeleteAnswerText :exec
-- Deletes the sentences and passages of an answer. The caller holds its lock.
with sentences as (
  delete from public.answer_sentences s where s.answer_id = sqlc.arg(answer_id)
)
delete from public.answer_quotes q where q.answer_id = sqlc.arg(answer_id) and q.sentence_ordinal is null;

-- name: WriteSentence :one
-- Writes a sentence with its quotes, and returns how many people these quote. The caller holds the lock of
-- the answer.
select private.write_sentence(
  sqlc.arg(answer_id)::uuid,
  sqlc.arg(ordinal)::integer,
  sqlc.arg(text)::text,
  sqlc.arg(imports)::uuid[],
  sqlc.arg(quotes)::text[],
  sqlc.arg(byte_starts)::integer[],
  sqlc.arg(byte_ends)::integer[],
  sqlc.arg(matches)::text[]
)::integer as people_count;

-- name: WritePassages :exec
-- Writes the passages that are shown as they are. The caller holds the lock of the answer.
select private.write_sentence(
  sqlc.arg(answer_id)::uuid,
  null,
  null,
  sqlc.arg(imports)::uuid[],
  sqlc.arg(quotes)::text[],
  sqlc.arg(byte_starts)::integer[],
  sqlc.arg(byte_ends)::integer[],
  sqlc.arg(matches)::text[]
);

-- name: CountAnswerText :one
-- How many sentences an answer has, and passages that are shown as they are.
select
  (select count(*) from public.answer_sentences s where s.answer_id = a.id)::integer as sentences,
  (
    select count(*) from public.answer_quotes q where q.answer_id = a.id and q.sentence_ordinal is null
  )::integer as passages
from public.answers a
where a.id = $1;

-- name: RecordComposition :exec
-- What the model says of its composition, and what it wrote that the interviews do not support.
update public.answers set
  missing = sqlc.arg(missing)::text,
  unsupported_count = sqlc.arg(unsupported)::integer,
  rejected_count = sqlc.arg(rejected)::integer
where id = sqlc.arg(answer_id);

-- name: FinishAnswer :one
-- reading → answered.
update public.answers a set
  status = 'answered',
  result = sqlc.narg(result)::public.answer_result,
  imports_read = sqlc.arg(imports_read)::integer,
  passages_read = sqlc.arg(passages_read)::integer,
  coverage = sqlc.arg(coverage)::double precision,
  progress_done = a.progress_total,
  waiting_reason = null,
  error_code = null,
  error_message = null,
  finished_at = now(),
  seen_at = now()
where a.id = sqlc.arg(answer_id) and a.claim_id = sqlc.arg(claim_id)::uuid and a.status = 'reading'
returning *;

-- name: EndAnswer :one
-- queued or reading → failed, canceled, timed_out or terminated.
update public.answers a set
  status = sqlc.arg(status)::public.answer_status,
  waiting_reason = null,
  error_code = sqlc.arg(error_code)::text,
  error_message = sqlc.arg(error_message)::text,
  finished_at = now()
where a.id = sqlc.arg(answer_id)
  and a.claim_id = sqlc.arg(claim_id)::uuid
  and a.status in ('queued', 'reading')
returning *;

-- name: ListSilentAnswers :many
-- The open answers that were not seen for a while, the longest first. run_id of one that is queued is that of
-- an earlier claim. overdue: the request that claimed the answer has had enough time to start a run. late:
-- ASK_TIMEOUT has passed, and the run did not end by itself.
select
  a.id,
  a.claim_id::uuid as claim_id,
  a.run_id,
  a.workspace_id,
  a.project_id,
  a.mode,
  a.status,
  a.waiting_reason,
  (a.queued_at < now() - make_interval(secs => sqlc.arg(grace_seconds)))::boolean as overdue,
  (a.queued_at < now() - make_interval(secs => sqlc.arg(timeout_seconds)))::boolean as late
from public.answers a
where a.status in ('queued', 'reading')
  and a.seen_at < now() - make_interval(secs => sqlc.arg(silence_seconds))
order by a.seen_at
limit sqlc.arg(page_size);

-- name: SuspectAnswer :exec
-- Makes an open answer the next to be compared.
update public.answers set seen_at = to_timestamp(0)
where claim_id = sqlc.arg(claim_id)::uuid and status in ('queued', 'reading');

-- name: MarkAnswersSeen :exec
update public.answers set seen_at = now()
where claim_id = any (sqlc.arg(claims)::uuid[]) and status in ('queued', 'reading');
