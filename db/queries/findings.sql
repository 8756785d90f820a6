-- name: ShareFindings :one
-- Makes a link to the findings of a hypothesis or, without one, to a report. ErrNotFound means that the
-- caller does not see it, and ErrDenied that the caller may not edit.
select s.id::uuid as id, s.expires_at::timestamptz as expires_at
from private.share_findings(
  sqlc.narg(hypothesis_id)::uuid,
  sqlc.narg(report_id)::uuid,
  sqlc.arg(token_hash)::bytea,
  sqlc.arg(days)::integer,
  sqlc.arg(show_names)::boolean
) as s;

-- name: GetSharedFindings :one
-- The findings, or the report, of a link that works; otherwise ErrNotFound. The other is the JSON null, and
-- both are if they are larger than max_bytes, so that they do not leave the database.
select
  s.expires_at::timestamptz as expires_at,
  s.show_names::boolean as show_names,
  case
    when octet_length(s.findings::text) <= sqlc.arg(max_bytes)::integer then s.findings else 'null'
  end::jsonb as findings,
  case
    when octet_length(s.report::text) <= sqlc.arg(max_bytes)::integer then s.report else 'null'
  end::jsonb as report
from private.shared_findings(sqlc.arg(token_hash)::bytea) as s;
