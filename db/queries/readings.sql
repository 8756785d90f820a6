-- name: KeepFile :exec
-- Within AsUser. Keeps the file of an import that was just stored.
select private.keep_file(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(data)::bytea,
  sqlc.arg(layout)::text,
  sqlc.arg(speakers)::jsonb,
  sqlc.arg(remembered)::text[],
  sqlc.arg(remembered_unlabelled)::boolean
);

-- name: RememberReadings :exec
-- Within AsUser. Remembers answers about labels for later files of the project.
select private.remember_readings(
  sqlc.arg(project_id)::uuid,
  sqlc.arg(format)::text,
  sqlc.arg(labels)::text[],
  sqlc.arg(answers)::text[],
  sqlc.arg(others)::text[]
);

-- name: ListProjectReadings :many
-- As the service: what was decided about labels in a project that the caller may edit.
select r.format, r.label, r.answer, r.other
from private.project_readings r
where r.project_id = $1
order by r.format, r.label, r.unlabelled;

-- name: GetImportForReading :one
-- Within AsUser. An import whose file is read again, and whether the caller may change it.
select
  i.project_id,
  i.status,
  i.reading,
  private.caller_may_edit(i.workspace_id)::boolean as may_edit
from public.imports i
where i.id = $1;

-- name: GetImportFile :one
-- As the service: the file of an import that the caller may see.
select
  f.data, f.layout, f.speakers, f.remembered, f.remembered_unlabelled,
  coalesce(f.advice, '{}')::jsonb as advice
from private.import_files f
where f.import_id = $1;

-- name: LockForReading :one
-- Within AsUser. Locks an import until the end of the transaction.
select private.lock_for_reading(sqlc.arg(import_id)::uuid)::public.import_status as status;

-- name: ListTurns :many
-- Within AsUser. The turns of an import before its file is read again.
select u.speaker, u.text, u.byte_start, u.byte_end, u.confidence
from public.utterances u
where u.import_id = $1
order by u.ordinal;

-- name: ListPlacedEvidence :many
-- Within AsUser. The quotes of an import that have or had a place in its transcript; -1 for a lost place.
select
  e.id,
  e.quote,
  e.speaker,
  e.speaker_confirmed,
  coalesce(e.byte_start, -1)::integer as byte_start,
  coalesce(e.byte_end, -1)::integer as byte_end
from public.evidence e
where e.import_id = sqlc.arg(import_id)::uuid and (e.byte_start is not null or e.place_lost)
order by e.byte_start, e.byte_end, e.id;

-- name: ReplaceTranscript :exec
-- Within AsUser. Replaces the transcript of an import whose file was read again.
select private.replace_transcript(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(format)::text,
  sqlc.arg(language)::text,
  sqlc.arg(body)::bytea,
  sqlc.arg(speakers)::text[],
  sqlc.arg(starts)::bigint[],
  sqlc.arg(ends)::bigint[],
  sqlc.arg(texts)::text[],
  sqlc.arg(byte_starts)::integer[],
  sqlc.arg(byte_ends)::integer[],
  sqlc.arg(confidences)::double precision[],
  sqlc.arg(old_starts)::integer[],
  sqlc.arg(old_ends)::integer[],
  sqlc.arg(new_starts)::integer[],
  sqlc.arg(evidence)::uuid[],
  sqlc.arg(quotes)::text[],
  sqlc.arg(places)::integer[],
  sqlc.arg(confirmed)::uuid[],
  sqlc.arg(confirmed_speakers)::text[],
  sqlc.arg(layout)::text,
  sqlc.arg(remembered)::text[],
  sqlc.arg(remembered_unlabelled)::boolean
);
