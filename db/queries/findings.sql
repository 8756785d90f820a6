-- name: ShareFindings :one
-- Makes a link to the findings of a hypothesis. ErrNotFound means that the caller does not see it, and
-- ErrDenied that the caller may not edit.
select s.id::uuid as id, s.expires_at::timestamptz as expires_at
from private.share_findings(
  sqlc.arg(hypothesis_id)::uuid,
  sqlc.arg(token_hash)::bytea,
  sqlc.arg(days)::integer,
  sqlc.arg(show_names)::boolean
) as s;

-- name: GetSharedFindings :one
-- The findings of a link that works; otherwise ErrNotFound. They are the JSON null if they are larger than
-- max_bytes, so that they do not leave the database.
select
  s.expires_at::timestamptz as expires_at,
  s.show_names::boolean as show_names,
  case
    when octet_length(s.findings::text) <= sqlc.arg(max_bytes)::integer then s.findings else 'null'
  end::jsonb as findings
from private.shared_findings(sqlc.arg(token_hash)::bytea) as s;
