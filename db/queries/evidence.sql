-- name: UpsertEvidence :execrows
-- The id is made from import, span, hypothesis and stance. What a person accepted, rejected or edited is
-- unchanged.
insert into public.evidence (
  id, workspace_id, project_id, import_id, quote, summary, rationale, byte_start, byte_end,
  match, confidence, origin, model, prompt_version
) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict (id) do update set
  summary = excluded.summary,
  rationale = excluded.rationale,
  match = excluded.match,
  confidence = excluded.confidence,
  origin = excluded.origin,
  model = excluded.model,
  prompt_version = excluded.prompt_version
where evidence.review = 'suggested' and evidence.edited_at is null;

-- name: UpsertEvidenceHypothesis :exec
insert into public.evidence_hypotheses (
  evidence_id, hypothesis_id, workspace_id, project_id, stance, strength
)
select
  e.id,
  sqlc.arg(hypothesis_id)::uuid,
  e.workspace_id,
  e.project_id,
  sqlc.arg(stance)::public.evidence_stance,
  sqlc.arg(strength)::public.evidence_strength
from public.evidence e
where e.id = sqlc.arg(evidence_id) and e.review = 'suggested' and e.edited_at is null
on conflict (evidence_id, hypothesis_id) do update set
  stance = excluded.stance,
  strength = excluded.strength;

-- name: DeleteStaleEvidence :execrows
-- Suggestions of earlier runs about the chosen hypotheses that this run did not find again. What a person
-- reviewed or edited is unchanged.
delete from public.evidence e
using public.evidence_hypotheses eh
where e.import_id = sqlc.arg(import_id)::uuid
  and eh.evidence_id = e.id
  and eh.hypothesis_id = any(sqlc.arg(hypothesis_ids)::uuid[])
  and e.origin <> 'human'
  and e.review = 'suggested'
  and e.edited_at is null
  and e.id <> all(sqlc.arg(kept)::uuid[]);

-- name: ListReviewedSpans :many
-- Evidence of an import that people entered, reviewed or edited, with its stance: a run must not suggest it
-- again.
select e.id, e.byte_start, e.byte_end, eh.hypothesis_id, eh.stance
from public.evidence e
join public.evidence_hypotheses eh on eh.evidence_id = e.id
where e.import_id = sqlc.arg(import_id)::uuid
  and e.byte_start is not null
  and (e.review <> 'suggested' or e.edited_at is not null or e.origin = 'human');

-- name: CountEvidence :one
select count(*)
from public.evidence
where import_id = sqlc.arg(import_id)::uuid and origin <> 'human' and review <> 'rejected';
