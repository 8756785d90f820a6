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
