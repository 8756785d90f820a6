-- name: LockProject :one
-- Within AsUser. A project that the caller may change: additions at the same time are made one after the
-- other. There is no row for who may only read.
select p.id from public.projects p where p.id = sqlc.arg(id)::uuid for no key update;

-- name: GetHypothesis :one
-- Within AsUser. may_edit says whether the caller may record something about it.
select sqlc.embed(h), private.caller_may_edit(h.workspace_id)::boolean as may_edit
from public.hypotheses h
where h.id = sqlc.arg(id)::uuid;

-- name: LockHypothesis :one
-- Within AsUser, as LockProject.
select h.id from public.hypotheses h where h.id = sqlc.arg(id)::uuid for no key update;

-- name: FindHypothesis :one
-- Within AsUser. The hypothesis of a project with a statement, whatever its letters' case and its full stop.
select h.id
from public.hypotheses h
where h.project_id = sqlc.arg(project_id)::uuid
  and private.fold(btrim(h.statement, ' .')) = private.fold(btrim(sqlc.arg(statement)::text, ' .'))
order by h.created_at, h.id
limit 1;

-- name: AddHypothesis :one
-- Within AsUser.
insert into public.hypotheses (project_id, statement, category, importance, falsified_if)
values (
  sqlc.arg(project_id)::uuid,
  sqlc.arg(statement)::text,
  sqlc.arg(category)::public.hypothesis_category,
  sqlc.arg(importance)::public.hypothesis_importance,
  sqlc.arg(falsified_if)::text
)
returning id;

-- name: FindQuestion :one
-- Within AsUser. The question of a project with a text, as FindHypothesis.
select q.id
from public.questions q
where q.project_id = sqlc.arg(project_id)::uuid
  and private.fold(btrim(q.text, ' ?')) = private.fold(btrim(sqlc.arg(text)::text, ' ?'))
order by q.created_at, q.id
limit 1;

-- name: AddQuestion :one
-- Within AsUser.
insert into public.questions (project_id, hypothesis_id, text, priority)
values (
  sqlc.arg(project_id)::uuid,
  sqlc.narg(hypothesis_id)::uuid,
  sqlc.arg(text)::text,
  sqlc.arg(priority)::public.question_priority
)
returning id;

-- name: HasImport :one
-- Within AsUser.
select exists (
  select from public.imports i
  where i.id = sqlc.arg(id)::uuid and i.project_id = sqlc.arg(project_id)::uuid
);

-- name: ListSpeakerNames :many
-- Within AsUser. The speakers of an interview with all of their names.
select s.speaker, s.display_name, coalesce(p.name, '') as participant
from public.import_speakers s
left join public.participants p on p.id = s.participant_id
where s.import_id = sqlc.arg(import_id)::uuid
order by s.speaker
limit sqlc.arg(most);

-- name: FindEvidenceAt :one
-- Within AsUser. The evidence that has at least nine tenths of the same words of an interview, with its link
-- to a hypothesis: rather what has one, and then what is closest. What is about other hypotheses counts only
-- if somebody has accepted it, and what is of a run that goes on does not.
select
  e.id,
  e.review,
  coalesce(x.stance::text, '')::text as stance
from public.evidence e
left join public.evidence_hypotheses x
  on x.evidence_id = e.id and x.hypothesis_id = sqlc.arg(hypothesis_id)::uuid
where e.import_id = sqlc.arg(import_id)::uuid
  and not e.in_progress
  and (e.review = 'accepted' or x.stance is not null)
  and e.byte_start < sqlc.arg(byte_end)::integer
  and e.byte_end > sqlc.arg(byte_start)::integer
  and 10 * (
    least(e.byte_end, sqlc.arg(byte_end)::integer) - greatest(e.byte_start, sqlc.arg(byte_start)::integer)
  ) >= 9 * greatest(
    e.byte_end - e.byte_start, sqlc.arg(byte_end)::integer - sqlc.arg(byte_start)::integer
  )
order by
  x.stance is null,
  abs(e.byte_start - sqlc.arg(byte_start)::integer),
  e.created_at,
  e.id
limit 1;

-- name: AddEvidence :one
-- Within AsUser. A quote that a person takes from an interview; the database looks up who says it.
insert into public.evidence (
  project_id, import_id, quote, byte_start, byte_end, match, summary, review
)
values (
  sqlc.arg(project_id)::uuid,
  sqlc.arg(import_id)::uuid,
  sqlc.arg(quote)::text,
  sqlc.arg(byte_start)::integer,
  sqlc.arg(byte_end)::integer,
  sqlc.arg(match)::public.evidence_match,
  sqlc.arg(summary)::text,
  'accepted'
)
returning id;

-- name: AcceptEvidence :exec
-- Within AsUser. Accepts a suggestion, and gives evidence a summary that has none.
update public.evidence e
set
  review = 'accepted',
  summary = case when e.summary = '' then sqlc.arg(summary)::text else e.summary end
where e.id = sqlc.arg(id)::uuid
  and (e.review = 'suggested' or (e.summary = '' and sqlc.arg(summary)::text <> ''));

-- name: LinkEvidence :exec
-- Within AsUser.
insert into public.evidence_hypotheses (evidence_id, hypothesis_id, stance, strength)
values (
  sqlc.arg(evidence_id)::uuid,
  sqlc.arg(hypothesis_id)::uuid,
  sqlc.arg(stance)::public.evidence_stance,
  sqlc.arg(strength)::public.evidence_strength
);

-- name: GetRecorded :one
-- Within AsUser. A piece of evidence with a place, as it is stored, with its link to a hypothesis. -1 is
-- null.
select
  e.id,
  e.quote,
  e.summary,
  e.review,
  coalesce(p.name, nullif(s.display_name, ''), e.speaker)::text as speaker,
  e.speaker_confirmed,
  e.asked_kind,
  e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  coalesce(e.utterance_from, -1)::integer as utterance_from,
  coalesce(e.utterance_to, -1)::integer as utterance_to,
  x.stance,
  x.strength
from public.evidence e
join public.evidence_hypotheses x on x.evidence_id = e.id
left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
left join public.participants p on p.id = s.participant_id
where e.id = sqlc.arg(id)::uuid and x.hypothesis_id = sqlc.arg(hypothesis_id)::uuid;
