-- name: DeleteOldAuditRecords :execrows
-- Records of the audit logs of workspaces that are older than the retention, up to a limit at once.
delete from private.audit_records
where id in (
  select r.id from private.audit_records r
  where r.occurred_at < sqlc.arg(before)
  order by r.occurred_at
  limit sqlc.arg(most)
);

-- name: RecordToolCall :exec
-- As the service. Records that an assistant called a tool for a user, once for each workspace that the call
-- was about; the nil UUID is no project. Neither arguments nor results are recorded.
insert into private.audit_records (workspace_id, actor_id, action, target_type, target_id, detail, client)
select
  w.id,
  (select p.id from public.profiles p where p.id = sqlc.arg(actor_id)::uuid),
  'mcp.' || sqlc.arg(tool)::text,
  case when c.project = '00000000-0000-0000-0000-000000000000' then 'workspace' else 'project' end,
  case when c.project = '00000000-0000-0000-0000-000000000000' then w.id else c.project end,
  jsonb_strip_nulls(jsonb_build_object(
    'client_id', nullif(sqlc.arg(client_id)::text, ''),
    'token_id', sqlc.narg(token_id)::uuid,
    'error', nullif(sqlc.arg(error)::text, '')
  )),
  left(coalesce(
    (select t.name from auth.personal_access_tokens t where t.id = sqlc.narg(token_id)::uuid),
    (
      select o.client_name
      from auth.oauth_clients o
      where o.metadata_url = sqlc.arg(client_id)::text or o.id = sqlc.narg(client)::uuid
    )
  ), 200)
from (
  select unnest(sqlc.arg(workspaces)::uuid[]) as workspace, unnest(sqlc.arg(projects)::uuid[]) as project
) c
join public.workspaces w on w.id = c.workspace;
