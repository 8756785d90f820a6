-- name: ListInterviewers :one
-- The interviewers of an import, as the transcript names them.
select private.interviewers(sqlc.arg(import_id)::uuid)::text[] as interviewers;

-- name: SetSpeakerRoles :exec
-- Within AsUser. Sets the roles of speakers, as set_interviewers does.
update public.import_speakers s set role = r.role::public.speaker_role
from (select unnest(sqlc.arg(speakers)::text[]) as speaker, unnest(sqlc.arg(roles)::text[]) as role) as r
where s.import_id = sqlc.arg(import_id) and s.speaker = r.speaker;

-- name: LinkSpeakers :one
-- Within AsUser. Links speakers of a new import with participants. false means that the project lacks one.
select private.link_speakers(
  sqlc.arg(import_id)::uuid, sqlc.arg(speakers)::text[], sqlc.arg(participants)::uuid[]
)::boolean as linked;

-- name: GetProvable :one
-- What the proof of a quote needs to know of an import. version changes with the transcript.
select
  private.transcript_version(i.id)::text as version,
  private.interviewers(i.id)::text[] as interviewers
from public.imports i
join private.transcripts t on t.import_id = i.id
where i.id = sqlc.arg(import_id)::uuid;
