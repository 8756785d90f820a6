-- name: WriteAudit :exec
insert into auth.audit_log_entries (payload, ip_address)
values (sqlc.arg(payload)::jsonb, sqlc.arg(ip_address));
