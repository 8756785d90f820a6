-- name: HasSpeakersInDoubt :one
-- Whether a model may be asked who speaks in an import.
select private.has_speakers_in_doubt(sqlc.arg(import_id)::uuid)::boolean;

-- name: GetSpeakerFile :one
-- The file of an import, with its hash.
select f.data, i.sha256
from public.imports i
join private.import_files f on f.import_id = i.id
where i.id = $1;

-- name: KeepAdvice :exec
-- What a model said about the speakers of an import; empty if it said nothing.
update private.import_files f set advice = sqlc.arg(advice)::jsonb where f.import_id = sqlc.arg(import_id);

-- name: AdviseImport :exec
-- Replaces the transcript of an import that was not read. The caller holds the lock of the import.
select private.advise_import(
  sqlc.arg(import_id)::uuid,
  sqlc.arg(body)::bytea,
  sqlc.arg(speakers)::text[],
  sqlc.arg(starts)::bigint[],
  sqlc.arg(ends)::bigint[],
  sqlc.arg(texts)::text[],
  sqlc.arg(byte_starts)::integer[],
  sqlc.arg(byte_ends)::integer[],
  sqlc.arg(confidences)::double precision[],
  sqlc.narg(craft)::jsonb,
  sqlc.arg(warnings)::jsonb,
  sqlc.arg(confidence)::double precision,
  sqlc.arg(needs_look)::boolean
);
