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
  i.format,
  i.language,
  i.unread,
  i.stored_bytes,
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
select
  u.speaker,
  u.text,
  u.byte_start,
  u.byte_end,
  u.confidence,
  coalesce(u.start_ms, -1)::bigint as start_ms,
  coalesce(u.end_ms, -1)::bigint as end_ms
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
  sqlc.narg(craft)::jsonb,
  sqlc.arg(old_starts)::integer[],
  sqlc.arg(old_ends)::integer[],
  sqlc.arg(new_starts)::integer[],
  sqlc.arg(new_ends)::integer[],
  sqlc.arg(evidence)::uuid[],
  sqlc.arg(quotes)::text[],
  sqlc.arg(places)::integer[],
  sqlc.arg(confirmed)::uuid[],
  sqlc.arg(confirmed_speakers)::text[],
  sqlc.narg(layout)::text,
  sqlc.arg(remembered)::text[],
  sqlc.arg(remembered_unlabelled)::boolean
);

-- name: TranscriptHash :one
-- Within AsUser. The SHA-256 of the transcript of an import with its speakers; null if the caller does not
-- see it.
select private.transcript_hash(sqlc.arg(import_id)::uuid)::bytea as hash;

-- name: IsCorrected :one
-- Within AsUser. Whether somebody corrected an import that the caller may see.
select private.is_corrected(sqlc.arg(import_id)::uuid)::boolean as is_corrected;

-- name: ListConfidencesBefore :many
-- Within AsUser. How certain the speakers of turns were when the turns were these ones.
select c.turn::integer as turn, c.confidence::double precision as confidence
from private.confidences_before(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(ordinals)::integer[],
  sqlc.arg(texts)::text[],
  sqlc.arg(speakers)::text[]
) as c;

-- name: GetStorage :one
-- Within AsUser. What an import takes on disk, and the quota that its workspace exceeds.
select i.stored_bytes, private.exceeded_quota(i.workspace_id, 0) as exceeded
from public.imports i
where i.id = $1;

-- name: ListCorrections :many
-- Within AsUser. What the turns of an import were before they were corrected, the oldest first.
select
  c.turn::integer as turn,
  c.was_text::text as was_text,
  c.was_speaker::text as was_speaker,
  coalesce(c.author, '')::text as author,
  c.corrected_at::timestamptz as corrected_at
from private.corrections_of(sqlc.arg(import_id)::uuid) as c
limit sqlc.arg(most)::integer;

-- name: KeepTurns :exec
-- Within AsUser, before ReplaceTranscript. Keeps what turns are that are corrected.
select private.keep_turns(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(ordinals)::integer[],
  sqlc.arg(texts)::text[],
  sqlc.arg(speakers)::text[],
  sqlc.arg(confidences)::double precision[]
);

-- name: RecordCorrections :one
-- Within AsUser, after ReplaceTranscript. Whether there is room for what KeepTurns kept.
select private.record_corrections(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(unread)::jsonb,
  sqlc.arg(lost)::uuid[]
)::boolean as has_room;

-- name: ListTextsOfImport :many
-- Within AsUser. The texts beside its transcript in which an import can name somebody.
select t.kind::text as kind, t.value::text as value
from private.texts_of_import(sqlc.arg(import_id)::uuid) as t;

-- name: RedactImport :exec
-- Within AsUser, before ReplaceTranscript. Removes words of an import for good.
select private.redact_import(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(kinds)::text[],
  sqlc.arg(olds)::text[],
  sqlc.arg(news)::text[]
);
