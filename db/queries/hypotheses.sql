-- name: ListHypothesisBalances :many
-- Within AsUser. Hypotheses of a project, or one, with what people say about them. Reading for an earlier
-- wording does not count.
select
  h.id,
  h.project_id,
  h.statement,
  h.status,
  h.category,
  h.importance,
  h.falsified_if,
  h.decision_reason,
  coalesce(a.name, '')::text as persona,
  p.supporting::bigint as supporting,
  p.contradicting::bigint as contradicting,
  p.mixed::bigint as mixed,
  p.neutral::bigint as neutral,
  p.silent::bigint as silent,
  p.others::bigint as others,
  r.interviews::bigint as interviews,
  r.read::bigint as read,
  r.nothing_found::bigint as nothing_found,
  r.nothing_matched::bigint as nothing_matched
from (
  select x.*
  from public.hypotheses x
  where x.project_id = sqlc.arg(project_id)::uuid
    and x.id = coalesce(sqlc.narg(hypothesis_id)::uuid, x.id)
    and x.status = coalesce(sqlc.narg(status)::public.hypothesis_status, x.status)
  order by x.created_at, x.id
  limit sqlc.arg(most)
  offset sqlc.arg(skip)
) h
join public.hypothesis_people p on p.hypothesis_id = h.id and p.project_id = h.project_id
left join public.personas a on a.id = h.persona_id
cross join lateral (
  select
    count(*) as interviews,
    count(*) filter (where i.coverage > 0 or i.result <> 'pending') as read,
    count(*) filter (where i.result = 'nothing_found' and i.model_coverage > 0) as nothing_found,
    count(*) filter (where i.result = 'nothing_found' and i.model_coverage = 0) as nothing_matched
  from public.imports m
  left join public.import_hypotheses i
    on i.import_id = m.id and i.hypothesis_id = h.id and i.statement = h.statement
  where m.project_id = h.project_id
) r
order by h.created_at, h.id;

-- name: ListStrongestQuotes :many
-- Within AsUser. Of each of some hypotheses, so many of the strongest proven quotes for it and against it,
-- which nobody rejected: what people accepted first.
select
  h.id::uuid as hypothesis_id,
  q.stance,
  q.strength,
  q.id,
  q.review,
  q.quote,
  q.speaker::text as speaker,
  q.speaker_confirmed,
  q.import_id::uuid as import_id,
  q.title,
  coalesce(q.start_ms, -1)::bigint as start_ms
from unnest(sqlc.arg(hypotheses)::uuid[]) with ordinality as h (id, n)
cross join unnest(array['supports', 'contradicts']::public.evidence_stance[]) as side (stance)
cross join lateral (
  select
    x.stance, x.strength, e.id, e.review, e.quote, e.speaker_confirmed, e.import_id, i.title, e.start_ms,
    e.confidence, coalesce(p.name, nullif(s.display_name, ''), e.speaker) as speaker
  from public.evidence_hypotheses x
  join public.evidence e on e.id = x.evidence_id
  join public.imports i on i.id = e.import_id
  left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
  left join public.participants p on p.id = s.participant_id
  where x.hypothesis_id = h.id
    and x.stance = side.stance
    and e.byte_start is not null
    and e.review <> 'rejected'
    and not e.in_progress
    and s.role is distinct from 'interviewer'
  order by e.review = 'accepted' desc, x.strength desc, e.confidence desc, e.id
  limit sqlc.arg(most)::integer
) q
order by h.n, q.stance, q.review = 'accepted' desc, q.strength desc, q.confidence desc, q.id;

-- name: ListProvenEvidence :many
-- Within AsUser. The proven quotes about a hypothesis, the strongest first: of a stance, or all; of a review,
-- or all that nobody rejected.
select
  x.stance,
  x.strength,
  e.id,
  e.review,
  e.quote,
  e.summary,
  e.rationale,
  coalesce(p.name, nullif(s.display_name, ''), e.speaker)::text as speaker,
  e.speaker_confirmed,
  e.import_id::uuid as import_id,
  i.title,
  coalesce(e.start_ms, -1)::bigint as start_ms,
  coalesce(e.utterance_from, -1)::integer as utterance_from,
  coalesce(e.utterance_to, -1)::integer as utterance_to,
  coalesce(e.asked_kind, '')::text as asked_kind
from public.evidence_hypotheses x
join public.evidence e on e.id = x.evidence_id
join public.imports i on i.id = e.import_id
left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
left join public.participants p on p.id = s.participant_id
where x.hypothesis_id = sqlc.arg(hypothesis_id)::uuid
  and x.stance = coalesce(sqlc.narg(stance)::public.evidence_stance, x.stance)
  and case
    when sqlc.narg(review)::public.evidence_review is null then e.review <> 'rejected'
    else e.review = sqlc.narg(review)::public.evidence_review
  end
  and e.byte_start is not null
  and not e.in_progress
  and s.role is distinct from 'interviewer'
order by x.stance, e.review = 'accepted' desc, x.strength desc, e.confidence desc, e.id
limit sqlc.arg(most)
offset sqlc.arg(skip);

-- name: CountUnprovenEvidence :one
-- Within AsUser. How many quotes about a hypothesis have no place in an interview and were not rejected.
select count(*)
from public.evidence_hypotheses x
join public.evidence e on e.id = x.evidence_id
where x.hypothesis_id = $1 and e.byte_start is null and e.review <> 'rejected' and not e.in_progress;
