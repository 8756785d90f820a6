-- name: GetInterview :one
-- Within AsUser. An interview, and how many turns it has.
select
  i.id,
  i.workspace_id,
  i.project_id,
  i.title,
  i.interviewed_on,
  (select coalesce(max(u.ordinal) + 1, 0) from public.utterances u where u.import_id = i.id)::integer as turns
from public.imports i
where i.id = $1;

-- name: ListTurnsOfInterview :many
-- Within AsUser. Turns of an interview with the names of their speakers, until their texts have so many
-- characters together: one more than fits.
select t.ordinal, t.text, t.speaker, t.role, t.start_ms
from (
  select
    u.ordinal,
    u.text,
    coalesce(p.name, nullif(s.display_name, ''), u.speaker)::text as speaker,
    coalesce(s.role::text, '')::text as role,
    coalesce(u.start_ms, -1)::bigint as start_ms,
    sum(length(u.text) + 20) over (order by u.ordinal) - length(u.text) - 20 as before
  from public.utterances u
  left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
  left join public.participants p on p.id = s.participant_id
  where u.import_id = sqlc.arg(import_id)::uuid
    and u.ordinal >= sqlc.arg(first)::integer
    and u.ordinal <= least(sqlc.arg(last)::integer, sqlc.arg(first)::integer + 2000)
) t
where t.before <= sqlc.arg(characters)::integer
order by t.ordinal;

-- name: GetEvidence :one
-- Within AsUser. A quote, with who says it and where, but none of a run that goes on. -1 and the nil UUID
-- are null.
select
  e.id,
  e.workspace_id,
  e.project_id,
  coalesce(e.import_id, '00000000-0000-0000-0000-000000000000')::uuid as import_id,
  coalesce(i.title, '')::text as title,
  e.quote,
  e.summary,
  e.rationale,
  coalesce(p.name, nullif(s.display_name, ''), e.speaker)::text as speaker,
  e.speaker_confirmed,
  coalesce(e.start_ms, -1)::bigint as start_ms,
  coalesce(e.utterance_from, -1)::integer as utterance_from,
  coalesce(e.utterance_to, -1)::integer as utterance_to,
  (e.byte_start is not null)::boolean as proven,
  e.review
from public.evidence e
left join public.imports i on i.id = e.import_id
left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
left join public.participants p on p.id = s.participant_id
where e.id = $1 and not e.in_progress;

-- name: ListHypothesesOfEvidence :many
-- Within AsUser. What a quote says about hypotheses.
select h.id, h.statement, x.stance, x.strength
from public.evidence_hypotheses x
join public.hypotheses h on h.id = x.hypothesis_id
where x.evidence_id = $1
order by x.created_at, h.id
limit 50;
