-- What a user exports of their own account. Each query returns a page of one kind of records in the order of
-- their ids: those after an id, up to a limit. Columns are listed one by one, so that a secret or the address
-- of somebody else cannot appear with a new column.
--
-- The queries down to ExportAuditRecords run as the service and select by the user. The others run as the
-- user: row-level security leaves what the workspaces show.

-- name: ExportAccount :many
select u.id, jsonb_build_object(
  'id', u.id, 'email', u.email, 'phone', u.phone, 'display_name', p.display_name,
  'created_at', u.created_at, 'updated_at', u.updated_at, 'invited_at', u.invited_at,
  'email_confirmed_at', u.email_confirmed_at, 'last_sign_in_at', u.last_sign_in_at,
  'user_metadata', u.raw_user_meta_data, 'app_metadata', u.raw_app_meta_data,
  'sign_in_networks', (
    select jsonb_agg(
      jsonb_build_object('network', n.network, 'signed_in_at', n.signed_in_at) order by n.signed_in_at)
    from auth.sign_in_networks n
    where n.user_id = u.id
  )
)::jsonb as record
from auth.users u
left join public.profiles p on p.id = u.id
where u.id = sqlc.arg(user_id) and u.deleted_at is null and u.id > sqlc.arg(after)
order by u.id
limit sqlc.arg(most);

-- name: ExportIdentities :many
select i.id, jsonb_build_object(
  'id', i.id, 'provider', i.provider, 'provider_id', i.provider_id, 'identity_data', i.identity_data,
  'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at
)::jsonb as record
from auth.identities i
where i.user_id = sqlc.arg(user_id) and i.id > sqlc.arg(after)
order by i.id
limit sqlc.arg(most);

-- name: ExportSessions :many
select s.id, jsonb_build_object(
  'id', s.id, 'created_at', s.created_at, 'refreshed_at', s.refreshed_at, 'not_after', s.not_after,
  'aal', s.aal, 'amr', s.amr, 'user_agent', s.user_agent, 'ip', host(s.ip),
  'client_id', coalesce(c.metadata_url, c.id::text), 'scopes', s.scopes, 'resource', s.resource
)::jsonb as record
from auth.sessions s
left join auth.oauth_clients c on c.id = s.oauth_client_id
where s.user_id = sqlc.arg(user_id) and s.id > sqlc.arg(after)
order by s.id
limit sqlc.arg(most);

-- name: ExportConsents :many
-- What the user has allowed to apps.
select g.id, jsonb_build_object(
  'id', g.id, 'client_id', coalesce(c.metadata_url, c.id::text), 'client_name', c.client_name,
  'scopes', g.scopes, 'resource', g.resource, 'granted_at', g.granted_at
)::jsonb as record
from auth.oauth_consents g
join auth.oauth_clients c on c.id = g.client_id
where g.user_id = sqlc.arg(user_id) and g.id > sqlc.arg(after)
order by g.id
limit sqlc.arg(most);

-- name: ExportAuthorizations :many
-- Requests of apps that the user has opened in the last days. The state and the code are the app's.
select a.id, jsonb_build_object(
  'id', a.id, 'client_id', coalesce(c.metadata_url, c.id::text), 'client_name', c.client_name,
  'scopes', a.scopes, 'resource', a.resource, 'status', a.status, 'created_at', a.created_at
)::jsonb as record
from auth.oauth_authorizations a
join auth.oauth_clients c on c.id = a.client_id
where a.user_id = sqlc.arg(user_id)::uuid and a.id > sqlc.arg(after)
order by a.id
limit sqlc.arg(most);

-- name: ExportPersonalTokens :many
select t.id, jsonb_build_object(
  'id', t.id, 'name', t.name, 'scopes', t.scopes,
  'aal', case when t.factor_id is null then 'aal1' else 'aal2' end,
  'created_at', t.created_at, 'expires_at', t.expires_at, 'last_used_at', t.last_used_at
)::jsonb as record
from auth.personal_access_tokens t
where t.user_id = sqlc.arg(user_id) and t.id > sqlc.arg(after)
order by t.id
limit sqlc.arg(most);

-- name: ExportFactors :many
select f.id, jsonb_build_object(
  'id', f.id, 'friendly_name', f.friendly_name, 'factor_type', f.factor_type, 'status', f.status,
  'last_challenged_at', f.last_challenged_at, 'created_at', f.created_at
)::jsonb as record
from auth.mfa_factors f
where f.user_id = sqlc.arg(user_id) and f.id > sqlc.arg(after)
order by f.id
limit sqlc.arg(most);

-- name: ExportMemberships :many
select m.workspace_id as id, jsonb_build_object(
  'workspace_id', m.workspace_id, 'workspace_name', w.name, 'role', m.role, 'joined_at', m.created_at,
  'created_by_you', w.created_by is not distinct from m.user_id
)::jsonb as record
from public.workspace_members m
join public.workspaces w on w.id = m.workspace_id
where m.user_id = sqlc.arg(user_id) and m.workspace_id > sqlc.arg(after)
order by m.workspace_id
limit sqlc.arg(most);

-- name: ExportRuns :many
-- The parses that the user asked for.
select r.claim_id as id, jsonb_build_object(
  'id', r.claim_id, 'import_id', r.import_id, 'refresh', r.refresh, 'hypotheses', r.hypotheses,
  'status', r.status, 'queued_at', r.queued_at, 'finished_at', r.finished_at
)::jsonb as record
from private.import_runs r
where r.requested_by = sqlc.arg(user_id)::uuid and r.claim_id > sqlc.arg(after)
order by r.claim_id
limit sqlc.arg(most);

-- name: ExportSignInRecords :many
-- The audit log of sign-ins and accounts. The address is only that of the user: others may have acted on the
-- account.
select e.id, jsonb_build_object(
  'id', e.id, 'occurred_at', e.created_at, 'action', e.payload ->> 'action',
  'by_you', e.payload ->> 'actor_id' is not distinct from sqlc.arg(user_id)::uuid::text,
  'ip', case when e.payload ->> 'actor_id' = sqlc.arg(user_id)::uuid::text then nullif(e.ip_address, '') end
)::jsonb as record
from auth.audit_log_entries e
where (e.payload ->> 'actor_id' = sqlc.arg(user_id)::uuid::text
    or e.payload -> 'traits' ->> 'user_id' = sqlc.arg(user_id)::uuid::text)
  and e.id > sqlc.arg(after)
order by e.id
limit sqlc.arg(most);

-- name: ExportAuditRecords :many
-- The audit logs of workspaces. Who else has acted on the user is for admins of the workspace.
select r.id, jsonb_build_object(
  'id', r.id, 'workspace_id', r.workspace_id, 'occurred_at', r.occurred_at, 'action', r.action,
  'target_type', r.target_type, 'target_id', r.target_id,
  'by_you', r.actor_id is not distinct from sqlc.arg(user_id)::uuid,
  'about_you', r.target_type = 'user' and r.target_id is not distinct from sqlc.arg(user_id)::uuid,
  'network', case when r.actor_id = sqlc.arg(user_id)::uuid then r.network::text end,
  'client', case when r.actor_id = sqlc.arg(user_id)::uuid then r.client end
)::jsonb as record
from private.audit_records r
where (r.actor_id = sqlc.arg(user_id)::uuid
    or r.target_type = 'user' and r.target_id = sqlc.arg(user_id)::uuid)
  and r.id > sqlc.arg(after)
order by r.id
limit sqlc.arg(most);

-- name: ExportDigestPreferences :many
select p.user_id as id, jsonb_build_object(
  'frequency', p.frequency, 'timezone', p.timezone, 'hour', p.hour, 'weekday', p.weekday,
  'paused_until', p.paused_until, 'updated_at', p.updated_at
)::jsonb as record
from public.digest_preferences p
where p.user_id = sqlc.arg(user_id) and p.user_id > sqlc.arg(after)
order by p.user_id
limit sqlc.arg(most);

-- name: ExportDigestDeliveries :many
select d.id, jsonb_build_object(
  'id', d.id, 'frequency', d.frequency, 'period', d.period, 'status', d.status, 'reason', d.reason,
  'message_id', d.message_id, 'attempts', d.attempts, 'sent_at', d.sent_at, 'created_at', d.created_at
)::jsonb as record
from public.digest_deliveries d
where d.user_id = sqlc.arg(user_id) and d.id > sqlc.arg(after)
order by d.id
limit sqlc.arg(most);

-- name: ExportImports :many
select i.id, jsonb_build_object(
  'id', i.id, 'workspace_id', i.workspace_id, 'project_id', i.project_id, 'title', i.title,
  'filename', i.filename, 'format', i.format, 'size_bytes', i.size_bytes, 'sha256', i.sha256,
  'language', i.language, 'interviewed_on', i.interviewed_on, 'status', i.status, 'created_at', i.created_at
)::jsonb as record
from public.imports i
where i.created_by = sqlc.arg(user_id)::uuid and i.id > sqlc.arg(after)
order by i.id
limit sqlc.arg(most);

-- name: ExportEvidence :many
-- What the user added, edited, judged or gave to themes. The rest of a row that the user only judged is not
-- the user's.
select e.id, jsonb_build_object(
  'id', e.id, 'workspace_id', e.workspace_id, 'project_id', e.project_id, 'import_id', e.import_id,
  'quote', e.quote,
  'created_at', case when e.created_by = sqlc.arg(user_id)::uuid then e.created_at end,
  'edited_at', case when e.edited_by = sqlc.arg(user_id)::uuid then e.edited_at end,
  'summary', case when sqlc.arg(user_id)::uuid in (e.created_by, e.edited_by) then e.summary end,
  'speaker', case when sqlc.arg(user_id)::uuid in (e.created_by, e.edited_by) then e.speaker end,
  'speaker_confirmed',
  case when sqlc.arg(user_id)::uuid in (e.created_by, e.edited_by) then e.speaker_confirmed end,
  'hypotheses', case when sqlc.arg(user_id)::uuid in (e.created_by, e.edited_by) then (
    select jsonb_agg(
      jsonb_build_object('hypothesis_id', l.hypothesis_id, 'stance', l.stance, 'strength', l.strength)
      order by l.hypothesis_id)
    from public.evidence_hypotheses l
    where l.evidence_id = e.id and l.project_id = e.project_id
  ) end,
  'memo', case when sqlc.arg(user_id)::uuid in (e.created_by, e.edited_by) then e.memo end,
  'themes', (
    select jsonb_agg(l.theme_id order by l.theme_id)
    from public.evidence_themes l
    where l.evidence_id = e.id and l.created_by = sqlc.arg(user_id)::uuid
  ),
  'review', case when e.reviewed_by = sqlc.arg(user_id)::uuid then e.review end,
  'reviewed_at', case when e.reviewed_by = sqlc.arg(user_id)::uuid then e.reviewed_at end
)::jsonb as record
from public.evidence e
where (
    sqlc.arg(user_id)::uuid in (e.created_by, e.edited_by, e.reviewed_by)
    or e.id in (
      select l.evidence_id from public.evidence_themes l where l.created_by = sqlc.arg(user_id)::uuid
    )
  )
  and e.id > sqlc.arg(after)
order by e.id
limit sqlc.arg(most);

-- name: ExportDecisions :many
-- What the user decided about hypotheses. Who spoke is left out: these are names of others.
select d.id, jsonb_build_object(
  'id', d.id, 'hypothesis_id', d.hypothesis_id, 'workspace_id', d.workspace_id, 'project_id', d.project_id,
  'statement', h.statement, 'number', d.number, 'status', d.status, 'confirms', d.confirms,
  'decided_at', d.decided_at, 'decision_reason', d.reason, 'falsified_if', d.falsified_if,
  'participants', d.participants, 'supporting', d.supporting, 'contradicting', d.contradicting,
  'mixed', d.mixed, 'supports', d.supports, 'contradicts', d.contradicts, 'interviews', d.interviews
)::jsonb as record
from public.hypothesis_decisions d
join public.hypotheses h on h.id = d.hypothesis_id
where d.decided_by = sqlc.arg(user_id)::uuid and d.id > sqlc.arg(after)
order by d.id
limit sqlc.arg(most);

-- name: ExportInvitations :many
-- Those that the user sent, without the addresses of the invited.
select i.id, jsonb_build_object(
  'id', i.id, 'workspace_id', i.workspace_id, 'role', i.role,
  'expires_at', i.expires_at, 'created_at', i.created_at
)::jsonb as record
from public.workspace_invitations i
where i.created_by = sqlc.arg(user_id)::uuid and i.id > sqlc.arg(after)
order by i.id
limit sqlc.arg(most);

-- name: ExportWebhooks :many
-- The URL of an endpoint may have a secret.
select e.id, jsonb_build_object(
  'id', e.id, 'workspace_id', e.workspace_id, 'events', e.events,
  'active', e.active, 'created_at', e.created_at
)::jsonb as record
from public.webhook_endpoints e
where e.created_by = sqlc.arg(user_id)::uuid and e.id > sqlc.arg(after)
order by e.id
limit sqlc.arg(most);

-- name: ExportActivity :many
select e.id, jsonb_build_object(
  'id', e.id, 'workspace_id', e.workspace_id, 'project_id', e.project_id, 'verb', e.verb,
  'entity_type', e.entity_type, 'entity_id', e.entity_id, 'occurred_at', e.occurred_at
)::jsonb as record
from public.activity_events e
where e.actor_id = sqlc.arg(user_id)::uuid and e.id > sqlc.arg(after)
order by e.id
limit sqlc.arg(most);

-- name: ExportProjects :many
-- These tables do not say who wrote a row. It is the user's if the activity says that the user has created or
-- edited it, or if nobody else is in the workspace.
select p.id, jsonb_build_object(
  'id', p.id, 'workspace_id', p.workspace_id,
  'workspace_name', (select w.name from public.workspaces w where w.id = p.workspace_id),
  'name', p.name, 'description', p.description, 'stage', p.stage, 'status', p.status,
  'created_at', p.created_at
)::jsonb as record
from public.projects p
where (p.id in (
    select a.entity_id
    from public.activity_events a
    where a.actor_id = sqlc.arg(user_id)::uuid and a.entity_type = 'project'
      and a.verb in ('created', 'updated')
  )
  or p.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = sqlc.arg(user_id)::uuid)
  ))
  and p.id > sqlc.arg(after)
order by p.id
limit sqlc.arg(most);

-- name: ExportPersonas :many
select p.id, jsonb_build_object(
  'id', p.id, 'workspace_id', p.workspace_id, 'project_id', p.project_id, 'name', p.name,
  'description', p.description, 'segment', p.segment, 'goals', p.goals, 'pains', p.pains,
  'attributes', p.attributes, 'created_at', p.created_at
)::jsonb as record
from public.personas p
where (p.id in (
    select a.entity_id
    from public.activity_events a
    where a.actor_id = sqlc.arg(user_id)::uuid and a.entity_type = 'persona'
      and a.verb in ('created', 'updated')
  )
  or p.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = sqlc.arg(user_id)::uuid)
  ))
  and p.id > sqlc.arg(after)
order by p.id
limit sqlc.arg(most);

-- name: ExportHypotheses :many
select h.id, jsonb_build_object(
  'id', h.id, 'workspace_id', h.workspace_id, 'project_id', h.project_id, 'persona_id', h.persona_id,
  'statement', h.statement, 'category', h.category, 'importance', h.importance, 'status', h.status,
  'falsified_if', h.falsified_if, 'created_at', h.created_at
)::jsonb as record
from public.hypotheses h
where (h.id in (
    select a.entity_id
    from public.activity_events a
    where a.actor_id = sqlc.arg(user_id)::uuid and a.entity_type = 'hypothesis'
      and a.verb in ('created', 'updated')
  )
  or h.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = sqlc.arg(user_id)::uuid)
  ))
  and h.id > sqlc.arg(after)
order by h.id
limit sqlc.arg(most);

-- name: ExportQuestions :many
select q.id, jsonb_build_object(
  'id', q.id, 'workspace_id', q.workspace_id, 'project_id', q.project_id, 'hypothesis_id', q.hypothesis_id,
  'persona_id', q.persona_id, 'text', q.text, 'status', q.status, 'priority', q.priority,
  'created_at', q.created_at
)::jsonb as record
from public.questions q
where (q.id in (
    select a.entity_id
    from public.activity_events a
    where a.actor_id = sqlc.arg(user_id)::uuid and a.entity_type = 'question'
      and a.verb in ('created', 'updated')
  )
  or q.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = sqlc.arg(user_id)::uuid)
  ))
  and q.id > sqlc.arg(after)
order by q.id
limit sqlc.arg(most);

-- name: ExportAnswers :many
-- What the user asked, with the sentences that answer it and their quotes.
select a.id, jsonb_build_object(
  'id', a.id, 'workspace_id', a.workspace_id, 'project_id', a.project_id, 'question', a.question,
  'mode', a.mode, 'scope', a.scope, 'title', a.title, 'kept', a.kept, 'status', a.status, 'result', a.result,
  'missing', a.missing, 'created_at', a.created_at,
  'sentences', (
    select coalesce(jsonb_agg(jsonb_build_object('text', s.text, 'people', s.people_count, 'quotes', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'import_id', q.import_id, 'speaker', q.speaker, 'quote', q.quote) order by q.ordinal), '[]')
      from public.answer_quotes q
      where q.answer_id = s.answer_id and q.sentence_ordinal = s.ordinal
    )) order by s.ordinal), '[]')
    from public.answer_sentences s
    where s.answer_id = a.id
  )
)::jsonb as record
from public.answers a
where a.created_by = sqlc.arg(user_id)::uuid and a.id > sqlc.arg(after)
order by a.id
limit sqlc.arg(most);

-- name: ExportThemeRuns :many
-- When the user had themes proposed.
select r.id, jsonb_build_object(
  'id', r.id, 'workspace_id', r.workspace_id, 'project_id', r.project_id, 'status', r.status,
  'proposed_count', r.proposed_count, 'quotes_count', r.quotes_count, 'created_at', r.created_at,
  'finished_at', r.finished_at
)::jsonb as record
from public.theme_runs r
where r.created_by = sqlc.arg(user_id)::uuid and r.id > sqlc.arg(after)
order by r.id
limit sqlc.arg(most);

-- name: ExportThemes :many
select t.id, jsonb_build_object(
  'id', t.id, 'workspace_id', t.workspace_id, 'project_id', t.project_id, 'parent_id', t.parent_id,
  'name', t.name, 'description', t.description, 'memo', t.memo, 'status', t.status,
  'created_at', t.created_at
)::jsonb as record
from public.themes t
where (t.created_by = sqlc.arg(user_id)::uuid
  or t.id in (
    select a.entity_id
    from public.activity_events a
    where a.actor_id = sqlc.arg(user_id)::uuid and a.entity_type = 'theme'
      and a.verb in ('created', 'updated')
  )
  or t.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = sqlc.arg(user_id)::uuid)
  ))
  and t.id > sqlc.arg(after)
order by t.id
limit sqlc.arg(most);

-- name: ExportComments :many
select c.id, jsonb_build_object(
  'id', c.id, 'workspace_id', c.workspace_id, 'project_id', c.project_id, 'evidence_id', c.evidence_id,
  'theme_id', c.theme_id, 'body', c.body, 'created_at', c.created_at
)::jsonb as record
from public.comments c
where c.created_by = sqlc.arg(user_id)::uuid and c.id > sqlc.arg(after)
order by c.id
limit sqlc.arg(most);

-- name: ExportReports :many
select r.id, jsonb_build_object(
  'id', r.id, 'workspace_id', r.workspace_id, 'project_id', r.project_id, 'title', r.title,
  'summary', r.summary, 'method', r.method, 'recommendations', r.recommendations,
  'hypothesis_ids', r.hypothesis_ids, 'created_at', r.created_at
)::jsonb as record
from public.reports r
where (r.id in (
    select a.entity_id
    from public.activity_events a
    where a.actor_id = sqlc.arg(user_id)::uuid and a.entity_type = 'report'
      and a.verb in ('created', 'updated')
  )
  or r.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = sqlc.arg(user_id)::uuid)
  ))
  and r.id > sqlc.arg(after)
order by r.id
limit sqlc.arg(most);

-- name: ExportFindingShares :many
-- Links to findings that the user made. A link itself is a secret.
select s.id, jsonb_build_object(
  'id', s.id, 'workspace_id', s.workspace_id, 'project_id', s.project_id, 'hypothesis_id', s.hypothesis_id,
  'report_id', s.report_id, 'show_names', s.show_names, 'created_at', s.created_at,
  'expires_at', s.expires_at, 'ended_at', s.ended_at
)::jsonb as record
from public.finding_shares s
where s.created_by = sqlc.arg(user_id)::uuid and s.id > sqlc.arg(after)
order by s.id
limit sqlc.arg(most);
