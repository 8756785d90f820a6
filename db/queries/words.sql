-- What the words of a project are counted from, within AsUser.

-- name: ListVoices :many
-- The speakers of a project, interview by interview, the newest first, with the people that they are: the
-- participant or, without one, the name in the interview. is_heard is false for those who do not count.
select
  i.id as import_id,
  i.language,
  s.speaker,
  s.display_name,
  coalesce(p.name, '')::text as participant,
  (s.role = 'participant')::boolean as is_heard,
  coalesce(s.participant_id::text, i.id::text || ' ' || s.display_name)::text as person
from public.imports i
join public.import_speakers s on s.import_id = i.id
left join public.participants p on p.id = s.participant_id
where i.project_id = sqlc.arg(project_id)
order by i.created_at desc, i.id, s.speaker
limit sqlc.arg(most);

-- name: ListKnownTexts :many
-- What the hypotheses and themes of a project say, also those that were given up.
(
  select h.statement as text
  from public.hypotheses h
  where h.project_id = sqlc.arg(project_id)
  limit sqlc.arg(most)
)
union all
(
  select t.name || E'\n' || t.description
  from public.themes t
  where t.project_id = sqlc.arg(project_id)
  limit sqlc.arg(most)
);

-- name: ListSpokenTurns :many
-- The turns of some speakers of an import, without those whose speaker is in doubt.
select u.ordinal, u.speaker, u.text
from public.utterances u
where u.import_id = sqlc.arg(import_id) and u.speaker = any(sqlc.arg(speakers)::text[])
  and not private.is_doubtful(u.confidence)
order by u.ordinal;

-- name: ListTurnsAt :many
-- Some turns, by their keys, with what is shown of their speakers.
select u.import_id, u.ordinal, i.title, coalesce(s.display_name, u.speaker)::text as speaker, u.start_ms,
  u.text
from (
  select unnest(sqlc.arg(import_ids)::uuid[]) as import_id, unnest(sqlc.arg(ordinals)::integer[]) as ordinal
) k
join public.utterances u on u.import_id = k.import_id and u.ordinal = k.ordinal
join public.imports i on i.id = u.import_id
left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker;
