-- name: ListGuideHypotheses :many
-- What the guide of the next interview ranks, the oldest first.
select
  h.id, h.statement, h.category, h.importance, h.status, h.persona_id,
  (h.falsified_if <> '')::boolean as ready,
  p.participants::bigint as participants,
  p.supporting::bigint as supporting,
  p.contradicting::bigint as contradicting,
  p.mixed::bigint as mixed,
  p.silent::bigint as silent,
  coalesce(c.reopened, false)::boolean as reopened
from public.hypotheses h
join public.hypothesis_people p on p.hypothesis_id = h.id and p.project_id = h.project_id
left join public.hypothesis_challenges c on c.hypothesis_id = h.id and c.project_id = h.project_id
where h.project_id = sqlc.arg(project_id)
order by h.created_at, h.id
limit sqlc.arg(most);

-- name: ListStatements :many
-- The statements of a project, the oldest first.
select h.statement
from public.hypotheses h
where h.project_id = sqlc.arg(project_id)
order by h.created_at, h.id
limit sqlc.arg(most);

-- name: ListOpenQuestions :many
-- The most urgent first.
select q.id, q.text, q.hypothesis_id, q.priority
from public.questions q
where q.project_id = sqlc.arg(project_id) and q.status = 'open'
order by q.priority, q.created_at, q.id
limit sqlc.arg(most);

-- name: CountProjectPeople :one
select count(*) from public.project_people(sqlc.arg(project_id)::uuid) o;

-- name: ListGuidePersonas :many
-- How many people of a project have each persona, and how many of these said something about some hypotheses.
select p.id, p.name, coalesce(o.people, 0)::bigint as people, coalesce(s.heard, 0)::bigint as heard
from public.personas p
left join (
  select a.persona_id, count(*) as people
  from public.project_people(sqlc.arg(project_id)::uuid) as a (
    participant_id, import_id, name, persona_id, attributes
  )
  group by a.persona_id
) o on o.persona_id = p.id
left join (
  select v.persona_id, count(distinct (v.participant_id, v.import_id, v.name)) as heard
  from public.hypothesis_participants v
  where v.project_id = sqlc.arg(project_id)::uuid
    and v.hypothesis_id = any(sqlc.arg(hypothesis_ids)::uuid[])
    and v.supports + v.contradicts + v.neutral > 0
  group by v.persona_id
) s on s.persona_id = p.id
where p.project_id = sqlc.arg(project_id)::uuid
order by p.created_at, p.id
limit sqlc.arg(most);
