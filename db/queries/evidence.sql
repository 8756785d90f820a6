-- name: UpsertEvidence :many
-- Evidence of an extractor. What a person accepted, rejected or edited is unchanged, and its id not returned.
insert into public.evidence (
  id, workspace_id, project_id, import_id, quote, summary, rationale, byte_start, byte_end,
  match, confidence, origin, model, prompt_version, in_progress
)
select
  e.id,
  i.workspace_id,
  i.project_id,
  i.id,
  e.quote,
  e.summary,
  e.rationale,
  e.byte_start,
  e.byte_end,
  e.match::public.evidence_match,
  e.confidence,
  sqlc.arg(origin)::public.evidence_origin,
  sqlc.narg(model),
  sqlc.narg(prompt_version),
  sqlc.arg(in_progress)
from public.imports i
cross join (
  select
    unnest(sqlc.arg(ids)::uuid[]) as id,
    unnest(sqlc.arg(quotes)::text[]) as quote,
    unnest(sqlc.arg(summaries)::text[]) as summary,
    unnest(sqlc.arg(rationales)::text[]) as rationale,
    unnest(sqlc.arg(byte_starts)::integer[]) as byte_start,
    unnest(sqlc.arg(byte_ends)::integer[]) as byte_end,
    unnest(sqlc.arg(matches)::text[]) as match,
    unnest(sqlc.arg(confidences)::double precision[]) as confidence
) e
where i.id = sqlc.arg(import_id)
on conflict (id) do update set
  summary = excluded.summary,
  rationale = excluded.rationale,
  match = excluded.match,
  confidence = excluded.confidence,
  origin = excluded.origin,
  model = excluded.model,
  prompt_version = excluded.prompt_version,
  in_progress = excluded.in_progress
where evidence.review = 'suggested' and evidence.edited_at is null
returning id;

-- name: UpsertEvidenceHypotheses :exec
insert into public.evidence_hypotheses (
  evidence_id, hypothesis_id, workspace_id, project_id, stance, strength
)
select
  e.id,
  x.hypothesis_id,
  e.workspace_id,
  e.project_id,
  x.stance::public.evidence_stance,
  x.strength::public.evidence_strength
from (
  select
    unnest(sqlc.arg(evidence_ids)::uuid[]) as evidence_id,
    unnest(sqlc.arg(hypothesis_ids)::uuid[]) as hypothesis_id,
    unnest(sqlc.arg(stances)::text[]) as stance,
    unnest(sqlc.arg(strengths)::text[]) as strength
) x
join public.evidence e on e.id = x.evidence_id and e.review = 'suggested' and e.edited_at is null
on conflict (evidence_id, hypothesis_id) do update set
  stance = excluded.stance,
  strength = excluded.strength,
  given_strength = excluded.given_strength;

-- name: SettleEvidence :exec
-- The run that found the evidence has ended.
update public.evidence set in_progress = false where import_id = sqlc.arg(import_id)::uuid and in_progress;

-- name: DeleteSuggestions :exec
-- Suggestions that a run no longer found. What a person reviewed, edited, gave to a theme or wrote about
-- meanwhile is unchanged.
delete from public.evidence e
where e.id = any(sqlc.arg(ids)::uuid[])
  and e.origin <> 'human'
  and e.review = 'suggested'
  and e.edited_at is null
  and not private.has_notes(e);

-- name: ListEvidenceOfHypotheses :many
-- The located evidence of an import for some hypotheses. of_person: a person entered, reviewed or edited it,
-- gave it to a theme, or wrote about it.
-- The rows are locked in the order in which a judgement takes its locks: evidence before results.
select
  e.id,
  e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  e.quote,
  e.origin,
  e.review,
  e.in_progress,
  (
    e.review <> 'suggested' or e.edited_at is not null or e.origin = 'human' or private.has_notes(e)
  )::boolean as of_person,
  eh.hypothesis_id,
  eh.stance,
  coalesce(eh.given_strength, eh.strength)::public.evidence_strength as strength
from public.evidence e
join public.evidence_hypotheses eh on eh.evidence_id = e.id
where e.import_id = sqlc.arg(import_id)::uuid
  and e.byte_start is not null
  and eh.hypothesis_id = any(sqlc.arg(hypothesis_ids)::uuid[])
order by e.byte_start, e.byte_end, e.id
for no key update of e;

-- name: ListJudgedEvidence :many
-- What people accepted or rejected of a project, with the bytes of its quotes in the transcripts.
select
  e.import_id::uuid as import_id,
  h.id as hypothesis_id,
  h.statement,
  x.stance,
  e.quote,
  e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  (e.review = 'accepted')::boolean as accepted
from public.evidence e
join public.evidence_hypotheses x on x.evidence_id = e.id
join public.hypotheses h on h.id = x.hypothesis_id
where e.project_id = sqlc.arg(project_id)
  and e.import_id is not null
  and e.byte_start is not null
  and e.review in ('accepted', 'rejected')
order by e.import_id, h.id, e.byte_start, e.byte_end, e.id;
