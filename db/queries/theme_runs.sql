-- name: ClaimThemes :one
-- Within AsUser. Only the result 'claimed' makes the run.
select c.result::private.propose_result as result, c.workspace_id
from private.claim_themes(
  sqlc.arg(theme_run_id)::uuid,
  sqlc.arg(claim_id)::uuid,
  sqlc.arg(project_id)::uuid,
  sqlc.arg(queue_limit)::bigint,
  sqlc.arg(workspace_queue_limit)::bigint,
  sqlc.arg(ask_limit)::bigint
) as c;

-- name: CancelThemes :one
-- Within AsUser. Ends the claim of the open run of a project. run_id is that of its run in Temporal, if one
-- has begun.
select c.result::private.stop_proposing_result as result, c.theme_run_id, c.run_id
from private.cancel_themes(sqlc.arg(project_id)::uuid, sqlc.arg(error_message)::text) as c;

-- name: FindEditableProject :one
-- Within AsUser.
select private.caller_may_edit(p.workspace_id)::boolean as may_edit from public.projects p where p.id = $1;

-- name: LockThemeRun :one
-- Locks the row, so that one transaction at a time writes for a run. Without a row, the claim has ended.
select *
from public.theme_runs
where id = sqlc.arg(theme_run_id) and claim_id = sqlc.arg(claim_id)::uuid and status in ('queued', 'reading')
for no key update;

-- name: FindThemeClaim :one
-- Without a row, the claim has ended.
select id
from public.theme_runs
where id = sqlc.arg(theme_run_id) and claim_id = sqlc.arg(claim_id)::uuid and status in ('queued', 'reading');

-- name: GetEndedThemeRun :one
-- The run of a claim that has ended by itself.
select *
from public.theme_runs
where id = sqlc.arg(theme_run_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status not in ('queued', 'reading');

-- name: BeginThemeRun :execrows
-- queued → reading. A retry finds the run reading.
update public.theme_runs set
  status = 'reading',
  started_at = coalesce(started_at, now()),
  workflow_id = sqlc.arg(workflow_id)::text,
  run_id = sqlc.arg(run_id)::text,
  extractor = sqlc.arg(extractor)::text,
  model = nullif(sqlc.arg(model)::text, ''),
  prompt_version = nullif(sqlc.arg(prompt_version)::text, ''),
  waiting_reason = null,
  seen_at = now()
where id = sqlc.arg(theme_run_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status in ('queued', 'reading');

-- name: PlanThemeRun :execrows
-- What is going to be read, and what it looks beyond.
with plan as (
  insert into private.theme_run_plans (theme_run_id, known)
  values (sqlc.arg(theme_run_id)::uuid, sqlc.arg(known)::jsonb)
  on conflict on constraint theme_run_plans_pkey do update set known = excluded.known
)
update public.theme_runs set
  imports_total = sqlc.arg(imports_total)::integer,
  progress_done = 0,
  progress_total = sqlc.arg(progress_total)::integer,
  seen_at = now()
where id = sqlc.arg(theme_run_id) and claim_id = sqlc.arg(claim_id)::uuid and status = 'reading';

-- name: GetThemePlan :one
select known from private.theme_run_plans where theme_run_id = $1;

-- name: SetThemeRunWaiting :execrows
-- Records what an open run waits for; empty if it reads.
update public.theme_runs set waiting_reason = nullif(sqlc.arg(waiting_reason)::text, ''), seen_at = now()
where id = sqlc.arg(theme_run_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and status in ('queued', 'reading');

-- name: InsertThemeParts :exec
-- The plan of a run that has none. The caller holds the lock of the run.
insert into private.theme_run_parts (
  theme_run_id, ordinal, import_id, utterance_from, utterance_to, byte_start, byte_end
)
select
  sqlc.arg(theme_run_id)::uuid,
  p.ordinal,
  p.import_id,
  p.utterance_from,
  p.utterance_to,
  p.byte_start,
  p.byte_end
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

-- name: ListThemeParts :many
select * from private.theme_run_parts where theme_run_id = $1 order by ordinal;

-- name: ListThemePartInterviews :many
-- The interviews of a plan, as ListScopeImports has them.
select
  i.id,
  private.transcript_version(i.id)::text as version,
  private.interviewers(i.id)::text[] as interviewers
from public.imports i
where i.id in (select p.import_id from private.theme_run_parts p where p.theme_run_id = $1)
order by i.created_at, i.id;

-- name: StartThemePart :one
-- Records that a chunk is being read, and that the run is open. It finds no row if the chunk is done.
with part as (
  update private.theme_run_parts p set read_at = now()
  where p.theme_run_id = sqlc.arg(theme_run_id) and p.ordinal = sqlc.arg(ordinal) and p.done_at is null
  returning p.*
),
run as (
  update public.theme_runs r set waiting_reason = null, seen_at = now()
  from part
  where r.id = part.theme_run_id and r.claim_id = sqlc.arg(claim_id)::uuid and r.status = 'reading'
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

-- name: SeeThemePart :exec
-- Records that a chunk is still being read.
with part as (
  update private.theme_run_parts p set read_at = now()
  where p.theme_run_id = sqlc.arg(theme_run_id) and p.ordinal = sqlc.arg(ordinal) and p.done_at is null
  returning p.theme_run_id
)
update public.theme_runs r set seen_at = now()
from part
where r.id = part.theme_run_id and r.claim_id = sqlc.arg(claim_id)::uuid and r.status = 'reading';

-- name: EndThemePart :exec
-- Records that a chunk is no longer read and, if no other one of the run is, what the run waits for.
with part as (
  update private.theme_run_parts p set read_at = null
  where p.theme_run_id = sqlc.arg(theme_run_id) and p.ordinal = sqlc.arg(ordinal)
  returning p.theme_run_id
)
update public.theme_runs r set waiting_reason = sqlc.arg(waiting_reason)::text, seen_at = now()
from part
where r.id = part.theme_run_id
  and r.claim_id = sqlc.arg(claim_id)::uuid
  and r.status = 'reading'
  and not exists (
    select
    from private.theme_run_parts o
    where o.theme_run_id = part.theme_run_id
      and o.ordinal <> sqlc.arg(ordinal)
      and o.read_at > now() - interval '15 seconds'
  );

-- name: FinishThemePart :execrows
-- The end of a chunk, which is progress.
with part as (
  update private.theme_run_parts p set
    done_at = now(),
    read_at = null,
    response_keys = sqlc.arg(response_keys)::bytea[],
    unread = sqlc.arg(unread)::jsonb,
    reserved_tokens = 0
  where p.theme_run_id = sqlc.arg(theme_run_id) and p.ordinal = sqlc.arg(ordinal) and p.done_at is null
  returning p.theme_run_id
)
update public.theme_runs r set progress_done = r.progress_done + 1, seen_at = now()
from part
where r.id = part.theme_run_id and r.claim_id = sqlc.arg(claim_id)::uuid and r.status = 'reading';

-- name: ReserveThemeTokens :execrows
-- Reserves tokens for a call about a chunk. Changes no row if the calls that the run has under way would take
-- more than the limit, with what it has spent. The caller holds the lock of the run.
update private.theme_run_parts p set reserved_tokens = sqlc.arg(wanted)::bigint
where p.theme_run_id = sqlc.arg(theme_run_id)
  and p.ordinal = sqlc.arg(ordinal)
  and sqlc.arg(wanted)::bigint + sqlc.arg(spent)::bigint
    + (
      select coalesce(sum(o.reserved_tokens), 0)
      from private.theme_run_parts o
      where o.theme_run_id = p.theme_run_id and o.ordinal <> p.ordinal and o.done_at is null
    )
    <= sqlc.arg(max_tokens)::bigint;

-- name: StoreThemePartResponse :one
-- Stores the response to a call about a chunk among those of its import, with what it cost. is_new is false
-- for a response that was stored before. One that comes after the claim has ended is counted, and not kept:
-- it may have words that are redacted by now.
with claim as (
  select r.id
  from public.theme_runs r
  where r.id = sqlc.arg(theme_run_id) and r.claim_id = sqlc.arg(claim_id)::uuid and r.status = 'reading'
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
  join private.theme_run_parts p on p.theme_run_id = claim.id
  where p.ordinal = sqlc.arg(ordinal)
  on conflict (key, import_id) do nothing
  returning input_tokens, output_tokens
),
part as (
  update private.theme_run_parts p set reserved_tokens = 0
  where p.theme_run_id = sqlc.arg(theme_run_id) and p.ordinal = sqlc.arg(ordinal)
),
released as (
  delete from private.token_reservations t
  where t.claim_id = sqlc.arg(claim_id)::uuid and t.ordinal = sqlc.arg(ordinal)
),
spent as (
  update public.theme_runs r set
    input_tokens = r.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(x.input_tokens), 0) from response x)
      else sqlc.arg(input_tokens)::bigint
    end,
    output_tokens = r.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(x.output_tokens), 0) from response x)
      else sqlc.arg(output_tokens)::bigint
    end
  where r.id = sqlc.arg(theme_run_id)
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new;

-- name: StoreGroups :one
-- Stores how labels are grouped, with what it cost. is_new is false for a response that was stored before.
-- One that comes after the claim has ended is not kept, as in StoreThemePartResponse.
with claim as (
  select r.id, r.project_id, r.workspace_id
  from public.theme_runs r
  where r.id = sqlc.arg(theme_run_id) and r.claim_id = sqlc.arg(claim_id)::uuid and r.status = 'reading'
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
  update public.theme_runs r set
    input_tokens = r.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(x.input_tokens), 0) from response x)
      else sqlc.arg(input_tokens)::bigint
    end,
    output_tokens = r.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(x.output_tokens), 0) from response x)
      else sqlc.arg(output_tokens)::bigint
    end,
    seen_at = now()
  where r.id = sqlc.arg(theme_run_id)
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new;

-- name: FinishThemeRun :one
-- reading → done.
update public.theme_runs r set
  status = 'done',
  coverage = sqlc.arg(coverage)::double precision,
  proposed_count = sqlc.arg(proposed)::integer,
  quotes_count = sqlc.arg(quotes)::integer,
  unused_count = sqlc.arg(unused)::integer,
  rejected_count = sqlc.arg(rejected)::integer,
  progress_done = r.progress_total,
  waiting_reason = null,
  error_code = null,
  error_message = null,
  finished_at = now(),
  seen_at = now()
where r.id = sqlc.arg(theme_run_id) and r.claim_id = sqlc.arg(claim_id)::uuid and r.status = 'reading'
returning *;

-- name: EndThemeRun :one
-- queued or reading → failed, canceled, timed_out or terminated.
update public.theme_runs r set
  status = sqlc.arg(status)::public.theme_run_status,
  waiting_reason = null,
  error_code = sqlc.arg(error_code)::text,
  error_message = sqlc.arg(error_message)::text,
  finished_at = now()
where r.id = sqlc.arg(theme_run_id)
  and r.claim_id = sqlc.arg(claim_id)::uuid
  and r.status in ('queued', 'reading')
returning *;

-- name: ListSilentThemeRuns :many
-- The open runs that were not seen for a while, the longest first. previous_run_id is the last run of the
-- project before. overdue: the request that claimed the run has had enough time to start it. late: the
-- timeout has passed, and the run did not end by itself.
select
  r.id,
  r.claim_id::uuid as claim_id,
  r.run_id,
  (
    select p.run_id
    from public.theme_runs p
    where p.project_id = r.project_id and p.id <> r.id and p.run_id is not null
    order by p.created_at desc
    limit 1
  ) as previous_run_id,
  r.workspace_id,
  r.project_id,
  r.status,
  r.waiting_reason,
  (r.queued_at < now() - make_interval(secs => sqlc.arg(grace_seconds)))::boolean as overdue,
  (r.queued_at < now() - make_interval(secs => sqlc.arg(timeout_seconds)))::boolean as late
from public.theme_runs r
where r.status in ('queued', 'reading')
  and r.seen_at < now() - make_interval(secs => sqlc.arg(silence_seconds))
order by r.seen_at
limit sqlc.arg(page_size);

-- name: SuspectThemeRun :exec
-- Makes an open run the next to be compared.
update public.theme_runs set seen_at = to_timestamp(0)
where claim_id = sqlc.arg(claim_id)::uuid and status in ('queued', 'reading');

-- name: MarkThemeRunsSeen :exec
update public.theme_runs set seen_at = now()
where claim_id = any (sqlc.arg(claims)::uuid[]) and status in ('queued', 'reading');

-- name: ListKnownStatements :many
-- The hypotheses of a project, the oldest first.
select h.statement, private.fold(rtrim(h.statement, ' .!?'))::text as folded
from public.hypotheses h
where h.project_id = sqlc.arg(project_id)
order by h.created_at, h.id;

-- name: ListThemesOfProject :many
-- The themes of a project, in their order.
select
  t.id,
  t.name,
  private.fold(t.name)::text as folded,
  t.status,
  t.origin,
  t.merged_into,
  private.is_touched(t)::boolean as is_touched
from public.themes t
where t.project_id = sqlc.arg(project_id)
order by t.position, t.id;

-- name: FoldTexts :many
-- Texts as names are compared, in their order.
select private.fold(n.text)::text as folded
from unnest(sqlc.arg(texts)::text[]) with ordinality as n (text, place)
order by n.place;

-- name: ListQuotesOfImport :many
-- The located evidence of an import, for a run that proposes themes. of_person: a person entered, reviewed or
-- edited it, gave it to a theme, or wrote about it. of_theme: it belongs to a theme that is not just
-- proposed, or that a person touched. of_run: a run that proposes themes suggested it.
select
  e.id,
  e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  e.review,
  (
    e.review <> 'suggested' or e.edited_at is not null or e.origin = 'human' or private.has_notes(e)
  )::boolean as of_person,
  (
    exists (select from public.evidence_hypotheses h where h.evidence_id = e.id)
  )::boolean as of_hypothesis,
  exists (
    select
    from public.evidence_themes l
    join public.themes t on t.id = l.theme_id
    where l.evidence_id = e.id
      and l.review <> 'rejected'
      and (t.status <> 'proposed' or private.is_touched(t))
  )::boolean as of_theme,
  (
    e.origin = 'ai' and starts_with(coalesce(e.prompt_version, ''), 'themes')
  )::boolean as of_run
from public.evidence e
where e.import_id = sqlc.arg(import_id)::uuid and e.byte_start is not null
order by e.byte_start, e.byte_end, e.id;

-- name: DeleteProposals :exec
-- Proposed themes that a run no longer found. What a person wrote about or judged meanwhile is unchanged.
delete from public.themes t
where t.project_id = sqlc.arg(project_id)
  and t.status = 'proposed'
  and t.origin = 'ai'
  and t.id <> all (sqlc.arg(kept)::uuid[])
  and not private.is_touched(t);

-- name: ProposeTheme :exec
-- A proposed theme. One that has the name already is unchanged but for the description of a proposal.
insert into public.themes (id, workspace_id, project_id, name, description, origin, status)
select
  sqlc.arg(id)::uuid, p.workspace_id, p.id, sqlc.arg(name)::text, sqlc.arg(description)::text,
  'ai'::public.theme_origin, 'proposed'::public.theme_status
from public.projects p
where p.id = sqlc.arg(project_id)
on conflict (project_id, private.fold(name)) do update set description = excluded.description
where themes.status = 'proposed' and themes.origin = 'ai' and themes.description <> excluded.description;

-- name: UnlinkSuggestions :exec
-- Quotes that a run no longer suggests for a proposed theme.
delete from public.evidence_themes l
where l.theme_id = sqlc.arg(theme_id)
  and l.origin = 'ai'
  and l.review = 'suggested'
  and l.evidence_id <> all (sqlc.arg(kept)::uuid[]);

-- name: SuggestForTheme :exec
-- Suggests quotes for the theme of this name. What a person rejected or gave it is unchanged.
insert into public.evidence_themes (evidence_id, theme_id, workspace_id, project_id, origin, review)
select e.id, t.id, t.workspace_id, t.project_id, 'ai', 'suggested'
from public.themes t
join public.evidence e on e.project_id = t.project_id
where t.project_id = sqlc.arg(project_id)
  and private.fold(t.name) = sqlc.arg(folded)::text
  and e.id = any (sqlc.arg(evidence_ids)::uuid[])
on conflict do nothing;
