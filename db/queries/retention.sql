-- Each query deletes a batch of rows that are older than their retention. The array of row addresses and
-- the order keep PostgreSQL from reading the whole table: it cannot know that there are few such rows.

-- name: DeleteOldActivity :execrows
delete from public.activity_events
where ctid = any (array(
  select e.ctid
  from public.activity_events e
  where e.occurred_at at time zone 'UTC' < sqlc.arg(before)::timestamptz at time zone 'UTC'
  order by e.occurred_at at time zone 'UTC'
  limit sqlc.arg(most)
));

-- name: DeleteOldImports :execrows
-- Those that a member deleted: they can no longer be restored.
delete from private.deleted_imports
where import_id in (
  select d.import_id from private.deleted_imports d where d.deleted_at < sqlc.arg(before) limit sqlc.arg(most)
);

-- name: DeleteOldThemeChanges :execrows
-- Those that can no longer be undone.
delete from private.theme_changes
where ctid = any (array(
  select c.ctid from private.theme_changes c where c.at < sqlc.arg(before) order by c.at limit sqlc.arg(most)
));

-- name: DeleteOldDeliveries :execrows
-- Never one that is not sent, or that may have been sent: the row keeps it from being sent twice.
delete from public.digest_deliveries
where ctid = any (array(
  select d.ctid
  from public.digest_deliveries d
  where d.window_end < sqlc.arg(before)
    and d.expires_at < sqlc.arg(before)
    and d.status in ('sent', 'skipped', 'failed')
  limit sqlc.arg(most)
));

-- name: DeleteOldOneTimeTokens :execrows
delete from auth.one_time_tokens
where id in (
  select t.id from auth.one_time_tokens t where t.expires_at < sqlc.arg(before) limit sqlc.arg(most)
);

-- name: DeleteOldPersonalTokens :execrows
delete from auth.personal_access_tokens
where id in (
  select t.id from auth.personal_access_tokens t where t.expires_at < sqlc.arg(before) limit sqlc.arg(most)
);

-- name: DeleteOldUndoLinks :execrows
delete from auth.undo_links
where id in (
  select l.id from auth.undo_links l where l.expires_at < sqlc.arg(before) limit sqlc.arg(most)
);

-- name: DeleteOldNotices :execrows
-- Those that could not be sent for days, which are not sent any more.
delete from auth.notices
where id in (
  select n.id from auth.notices n where n.created_at < sqlc.arg(before) limit sqlc.arg(most)
);

-- name: DeleteOldRefreshTokens :execrows
-- Those of sessions that have ended. The sessions are deleted when they have none.
delete from auth.refresh_tokens
where ctid = any (array(
  select t.ctid
  from auth.sessions s
  join auth.refresh_tokens t on t.session_id = s.id
  where s.not_after < sqlc.arg(before)::timestamptz
  order by s.not_after
  limit sqlc.arg(most)
));

-- name: DeleteReplacedRefreshTokens :execrows
-- Those of any session. Reuse of such a token is then like that of an unknown one.
delete from auth.refresh_tokens
where ctid = any (array(
  select t.ctid
  from auth.refresh_tokens t
  where t.created_at < sqlc.arg(before)::timestamptz
    and t.revoked
    and t.revoked_at < sqlc.arg(before)::timestamptz
  order by t.created_at
  limit sqlc.arg(most)
));

-- name: DeleteOldSessions :execrows
delete from auth.sessions
where ctid = any (array(
  select s.ctid
  from auth.sessions s
  where s.not_after < sqlc.arg(before)::timestamptz
    and not exists (select from auth.refresh_tokens t where t.session_id = s.id)
  order by s.not_after
  limit sqlc.arg(most)
));

-- name: DeleteOldAuthorizations :execrows
-- Until then, a code that is used again ends the session that it began.
delete from auth.oauth_authorizations
where id in (
  select a.id from auth.oauth_authorizations a where a.expires_at < sqlc.arg(before) limit sqlc.arg(most)
);

-- name: DeleteOldProviderFlows :execrows
delete from auth.provider_flows
where id in (
  select f.id from auth.provider_flows f where f.expires_at < sqlc.arg(before) limit sqlc.arg(most)
);

-- name: DeleteOldFlows :execrows
delete from auth.flow_state
where id in (
  select f.id from auth.flow_state f where f.expires_at < sqlc.arg(before) limit sqlc.arg(most)
);

-- name: DeleteUnusedClients :execrows
-- Apps that no operator registered, that no user has allowed anything, and that have not asked for it.
delete from auth.oauth_clients o
where o.last_used_at < sqlc.arg(before)
  and o.id in (
    select c.id
    from auth.oauth_clients c
    where c.last_used_at < sqlc.arg(before)
      and c.registration_type <> 'manual'
      and not exists (select from auth.oauth_consents g where g.client_id = c.id)
      and not exists (select from auth.sessions s where s.oauth_client_id = c.id)
    order by c.last_used_at
    limit sqlc.arg(most)
  );
