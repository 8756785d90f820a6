-- name: DeleteOldAuditRecords :execrows
-- Records of the audit logs of workspaces that are older than the retention, up to a limit at once.
delete from private.audit_records
where id in (
  select r.id from private.audit_records r
  where r.occurred_at < sqlc.arg(before)
  order by r.occurred_at
  limit sqlc.arg(most)
);
