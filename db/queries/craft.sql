-- name: GetInterviewCraft :one
-- Within AsUser. How an interview is led; -1 for what is not known.
select
  c.project_id::uuid as project_id,
  c.language::text as language,
  c.words::bigint as words,
  coalesce(c.interviewer_words, -1)::bigint as interviewer_words,
  coalesce(c.participant_words, -1)::bigint as participant_words,
  c.other_words::bigint as other_words,
  coalesce(c.longest_from, -1)::integer as longest_from,
  coalesce(c.longest_to, -1)::integer as longest_to,
  coalesce(c.longest_words, -1)::bigint as longest_words,
  coalesce(c.longest_ms, -1)::bigint as longest_ms
from public.interview_craft c
where c.import_id = sqlc.arg(import_id)::uuid;

-- name: ListSpeakerWords :many
-- Within AsUser. How much each speaker of an import says; those of no role have no row in import_speakers.
select s.speaker, s.display_name, s.role, coalesce(sum(u.words), 0)::bigint as words
from public.import_speakers s
left join public.utterances u on u.import_id = s.import_id and u.speaker = s.speaker
where s.import_id = sqlc.arg(import_id)::uuid
group by s.speaker, s.display_name, s.role
order by words desc, s.speaker;

-- name: ListInterviewerQuestions :many
-- Within AsUser. What the interviewers of an import ask, in order.
select
  q.ordinal,
  q.byte_start,
  q.byte_end,
  u.speaker,
  convert_from(
    substring(convert_to(u.text, 'UTF8') from q.byte_start - u.byte_start + 1 for q.byte_end - q.byte_start),
    'UTF8'
  )::text as text,
  q.is_open,
  q.is_closed,
  q.is_past,
  q.is_hypothetical,
  q.is_leading
from public.utterance_questions q
join public.utterances u on u.import_id = q.import_id and u.ordinal = q.ordinal
join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
where q.import_id = sqlc.arg(import_id)::uuid and s.role = 'interviewer'
order by q.byte_start
limit sqlc.arg(most);

-- name: ListPlannedQuestions :many
-- Within AsUser. What a project plans to ask, or planned and has asked.
select q.id, q.hypothesis_id, q.text
from public.questions q
where q.project_id = sqlc.arg(project_id)::uuid and q.status <> 'dropped'
order by q.created_at, q.id
limit sqlc.arg(most);
