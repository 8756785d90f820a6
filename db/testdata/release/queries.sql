-- The queries of the release with migration 0161.

-- name: AcceptFactorCode :exec
update auth.mfa_factors
set status = 'verified',
  last_step = greatest(last_step, $1::bigint),
  updated_at = case status when 'verified' then updated_at else now() end
where id = $2
;

-- name: AddExternalUser :execrows
insert into auth.users (id, email, is_sso_user, raw_app_meta_data, raw_user_meta_data)
values (
  $1,
  lower($2::text),
  true,
  $3::jsonb,
  $4::jsonb
)
on conflict (id) do nothing
;

-- name: AddIdentity :exec
insert into auth.identities (provider, provider_id, user_id, identity_data, last_sign_in_at)
values (
  $1,
  $2,
  $3,
  $4::jsonb,
  now()
)
on conflict (provider_id, provider) do nothing
;

-- name: AddNotice :exec
insert into auth.notices (user_id, kind, recipient)
values ($1, $2, $3)
;

-- name: AddUser :execrows
insert into auth.users (
  id, email, encrypted_password, email_confirmed_at, confirmation_sent_at,
  raw_app_meta_data, raw_user_meta_data, banned_until, created_at
)
values (
  $1,
  $2::text,
  $3,
  $4,
  $5,
  $6::jsonb,
  $7::jsonb,
  $8,
  $9
)
on conflict do nothing
;

-- name: AdoptNamespace :exec
update private.temporal_state set namespace_id = $1::text
;

-- name: ApplyEmailChange :exec
update auth.users
set email = lower($1::text),
  email_change = null,
  email_confirmed_at = now(),
  updated_at = now()
where id = $2
;

-- name: BanUser :exec
update auth.users
set banned_until = $1,
  updated_at = now()
where id = $2
;

-- name: BeginParse :execrows
with begun as (
  update public.imports set
    status = 'parsing',
    started_at = coalesce(started_at, now()),
    workflow_id = $4::text,
    run_id = $5::text,
    progress_total = $6::integer,
    waiting_reason = 'turn',
    extractor = $1::text,
    model = $2::text,
    prompt_version = $3::text
  where id = $7
    and claim_id = $8::uuid
    and status in ('queued', 'parsing')
  returning claim_id
)
update private.import_runs r set
  status = 'parsing',
  begun_at = coalesce(r.begun_at, now()),
  seen_at = now(),
  extractor = $1::text,
  model = $2::text,
  prompt_version = $3::text
from begun
where r.claim_id = begun.claim_id
;

-- name: ChooseHypotheses :exec
with unchosen as (
  delete from public.import_hypotheses ih
  using public.imports i
  where i.id = $1
    and ih.import_id = i.id
    and ih.result = 'pending'
    and ih.coverage = 0
    and not ih.hypothesis_id = any(i.requested_hypotheses)
),
chunks as (
  delete from private.import_chunks c
  where c.import_id = $1 and c.claim_id <> $2
)
insert into public.import_hypotheses (import_id, hypothesis_id, workspace_id, project_id, statement)
select i.id, h.id, i.workspace_id, i.project_id, h.statement
from public.imports i
join public.hypotheses h on h.project_id = i.project_id and h.id = any(i.requested_hypotheses)
where i.id = $1
on conflict (import_id, hypothesis_id) do update set
  statement = excluded.statement,
  result = 'pending',
  supports_count = 0,
  contradicts_count = 0,
  neutral_count = 0,
  coverage = 0,
  checked_at = null
where import_hypotheses.statement <> excluded.statement
;

-- name: ClaimDigest :one
update public.digest_deliveries d
set status = 'sending',
  attempts = d.attempts + 1,
  claimed_at = now(),
  run_id = $1::text,
  message_id = $2::text,
  reason = null
from auth.users u
where d.id = $3
  and d.status = 'planned'
  and d.expires_at > now()
  and u.id = d.user_id
  and private.digest_obstacle(d.user_id, d.frequency) is null
returning u.email::text as email, d.attempts
;

-- name: ClaimImport :one
select
  c.result::private.claim_result as result,
  c.workspace_id::uuid as workspace_id,
  c.project_id::uuid as project_id
from private.claim_import(
  $1::uuid,
  $2::uuid,
  $3::uuid[],
  $4::bigint,
  $5::bigint,
  $6::boolean
) as c
;

-- name: ClaimWebhook :one
select
  c.id::uuid as id,
  c.event_id::uuid as event_id,
  c.attempts::integer as attempts,
  c.body::text as body,
  c.url::text as url,
  c.secret::text as secret
from private.claim_webhook($1::uuid, $2::double precision) as c
;

-- name: ClearBounces :execrows
delete from private.mail_refusals
where address = lower($1)
  and suppressed_at is null
;

-- name: ClearMailRefusals :exec
with cleared as (
  delete from private.mail_refusals r
  where r.address = lower($1)
    and r.bounces = 0
    and coalesce(r.suppressed_by, 'refusals') = 'refusals'
)
update private.mail_refusals r
set refusals = 0
where r.address = lower($1)
  and r.bounces > 0
  and r.refusals > 0
;

-- name: CompleteAnswer :exec
update private.idempotency_keys set status = $1::integer, body = $2::bytea
where user_id = $3 and key = $4 and claim_id = $5::uuid
;

-- name: ConfirmAddress :exec
update auth.users
set email_confirmed_at = now(),
  encrypted_password = case when $1::boolean then encrypted_password end,
  updated_at = now()
where id = $2
;

-- name: ConfirmSignUp :exec
with confirmed as (
  update auth.users u
  set encrypted_password = $2::text,
    raw_user_meta_data = $1::jsonb,
    email_confirmed_at = now(),
    updated_at = now()
  where u.id = $3
  returning u.id, u.email
)
update public.profiles p
set display_name = private.display_name($1::jsonb, confirmed.email)
from confirmed
where p.id = confirmed.id
;

-- name: CountBounce :execrows
insert into private.mail_refusals as r (address, refusals, code, bounces, bounced_at)
select lower($1), 0, $2::integer, 1, now()
where exists (select from auth.users u where lower(u.email) = lower($1) and not u.is_sso_user)
  or exists (select from auth.users u where lower(u.email) = lower($1) and u.is_sso_user)
on conflict on constraint mail_refusals_pkey do update
set code = excluded.code,
  last_at = now(),
  bounced_at = now(),
  bounces = case when r.bounced_at > now() - interval '30 days' then r.bounces + 1 else 1 end,
  suppressed_at = coalesce(
    r.suppressed_at,
    case when r.bounced_at > now() - interval '30 days' and r.bounces + 1 >= $3::integer then now() end),
  suppressed_by = coalesce(
    r.suppressed_by,
    case when r.bounced_at > now() - interval '30 days' and r.bounces + 1 >= $3::integer then 'bounces' end)
where r.bounced_at is null
  or r.bounced_at < now() - interval '12 hours'
;

-- name: CountChunks :one
select count(*) from private.import_chunks where import_id = $1 and claim_id = $2
;

-- name: CountEvidence :one
select count(*)
from public.evidence
where import_id = $1::uuid and origin <> 'human' and review <> 'rejected'
;

-- name: CountImportStates :many
select
  i.status,
  count(*) as number,
  coalesce(
    max(extract(epoch from now() - case i.status
      when 'queued' then i.queued_at
      when 'parsing' then i.started_at
    end)),
    0
  )::float8 as oldest_seconds
from public.imports i
where i.status in ('queued', 'parsing')
group by i.status
union all
select s.status, c.number, 0
from unnest(enum_range(null::public.import_status)) as s (status)
cross join lateral (
  select count(*) as number
  from (select from public.imports i where i.status = s.status limit 10000) counted
) c
where s.status not in ('queued', 'parsing') and c.number > 0
order by status
;

-- name: CountMarked :one
select count(*)
from private.deletions d
where d.id = any ($1::uuid[])
;

-- name: CountNews :many

select e.workspace_id,
  w.name as workspace_name,
  e.project_id,
  coalesce(p.name, '')::text as project_name,
  e.entity_type,
  e.verb,
  count(distinct e.entity_id)::integer as things
from public.activity_events e
join public.workspaces w on w.id = e.workspace_id
left join public.projects p on p.id = e.project_id
where e.occurred_at >= $1
  and e.occurred_at < $2
  and e.actor_id is distinct from (select auth.uid())
  and case e.entity_type
    when 'evidence' then exists (
      select from public.evidence x
      where x.id = e.entity_id and (e.verb <> 'created' or x.review <> 'rejected'))
    when 'hypothesis' then exists (select from public.hypotheses x where x.id = e.entity_id)
    when 'import' then exists (select from public.imports x where x.id = e.entity_id)
    when 'question' then exists (select from public.questions x where x.id = e.entity_id)
    when 'persona' then exists (select from public.personas x where x.id = e.entity_id)
    when 'project' then p.id is not null
    when 'member' then e.entity_id <> (select auth.uid()) and exists (
      select from public.workspace_members x
      where x.workspace_id = e.workspace_id and x.user_id = e.entity_id)
    else false
  end
group by e.workspace_id, w.name, e.project_id, p.name, e.entity_type, e.verb
order by w.name, e.workspace_id, p.name nulls first, e.project_id, e.entity_type, e.verb
;

-- name: CountRecoveryCodes :one
select count(*)
from auth.mfa_recovery_codes
where user_id = $1
;

-- name: CountRequestedDigests :one
select count(*) filter (
    where status = 'sending'
      or status = 'planned' and next_attempt_at <= now() and expires_at > now()
  ) as open,
  count(*) filter (where status = 'sent') as sent,
  count(*) filter (where status = 'skipped') as skipped,
  count(*) filter (where status = 'failed') as failed,
  count(*) filter (where status = 'uncertain') as uncertain
from public.digest_deliveries
where requested_by = $1::text
;

-- name: CountSuppressedAddresses :one
select count(*)
from private.mail_refusals
where suppressed_at is not null
;

-- name: CountUsers :one
select count(*)
from auth.users
where deleted_at is null
;

-- name: CreateChallenge :exec
with expired as (
  delete from auth.mfa_challenges c
  where c.factor_id = $2
    and c.expires_at <= $5
), asked as (
  update auth.mfa_factors f
  set last_challenged_at = $5
  where f.id = $2
)
insert into auth.mfa_challenges (id, factor_id, session_id, expires_at)
values ($1, $2, $3, $4)
;

-- name: CreateFactor :exec
insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, secret)
values ($1, $2, $3, 'totp', $4)
;

-- name: CreateFlow :exec
with expired as (
  delete from auth.flow_state f
  where f.user_id = $1
    and f.expires_at <= $7
)
insert into auth.flow_state (
  user_id, auth_code_hash, code_challenge, code_challenge_method, authentication_method, expires_at
)
values (
  $1,
  $2,
  $3,
  $4,
  $5,
  $6
)
;

-- name: CreateRecoveryCodes :exec
insert into auth.mfa_recovery_codes (user_id, code_hash)
select $1, h.code_hash
from unnest($2::bytea[]) as h (code_hash)
;

-- name: CreateRefreshToken :one
insert into auth.refresh_tokens (token_hash, user_id, session_id, parent_id)
values ($1, $2, $3, $4)
returning id
;

-- name: CreateSession :one
insert into auth.sessions (user_id, user_agent, ip, amr, not_after)
values (
  $1,
  $2,
  $3,
  $4,
  least(
    now() + make_interval(secs => nullif($5::double precision, 0)),
    now() + make_interval(secs => nullif($6::double precision, 0))
  )
)
returning id, created_at
;

-- name: CreateUser :one
insert into auth.users (
  id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_sent_at, invited_at, phone,
  raw_app_meta_data, raw_user_meta_data, banned_until
)
values (
  $1,
  'authenticated',
  'authenticated',
  lower($2::text),
  $3,
  $4,
  $5,
  $6,
  $7,
  $8::jsonb,
  $9::jsonb,
  $10
)
returning id
;

-- name: DeleteChallenge :exec
delete from auth.mfa_challenges
where id = $1
;

-- name: DeleteExpiredKeys :one
select private.delete_expired_keys($1::bigint)::bigint as deleted
;

-- name: DeleteFactor :execrows
delete from auth.mfa_factors
where id = $1
  and user_id = $2
;

-- name: DeleteFactorSessions :many
delete from auth.sessions
where factor_id = $1::uuid
  and id <> $2
returning id
;

-- name: DeleteFlow :execrows
delete from auth.flow_state
where id = $1
;

-- name: DeleteImport :one
select d.evidence::bigint as evidence, d.utterances::bigint as utterances
from private.delete_import($1::uuid) as d
;

-- name: DeleteLowerSessions :many
delete from auth.sessions
where user_id = $1
  and id <> $2
  and aal = 'aal1'
returning id
;

-- name: DeleteNotice :exec
delete from auth.notices
where id = $1
;

-- name: DeleteOldActivity :execrows

delete from public.activity_events
where id in (
  select e.id from public.activity_events e where e.occurred_at < $1 limit $2
)
;

-- name: DeleteOldAuditRecords :execrows
delete from private.audit_records
where id in (
  select r.id from private.audit_records r
  where r.occurred_at < $1
  order by r.occurred_at
  limit $2
)
;

-- name: DeleteOldDeliveries :execrows
delete from public.digest_deliveries
where id in (
  select d.id
  from public.digest_deliveries d
  where d.window_end < $1
    and d.expires_at < $1
    and d.status in ('sent', 'skipped', 'failed')
  limit $2
)
;

-- name: DeleteOldEvents :one
select private.expire_events($1::timestamptz, $2::integer)::bigint as deleted
;

-- name: DeleteOldOneTimeTokens :execrows
delete from auth.one_time_tokens
where id in (
  select t.id from auth.one_time_tokens t where t.expires_at < $1 limit $2
)
;

-- name: DeleteOldRefreshTokens :execrows
delete from auth.refresh_tokens
where id in (
  select t.id
  from auth.sessions s
  join auth.refresh_tokens t on t.session_id = s.id
  where s.not_after < $1::timestamptz
  limit $2
)
;

-- name: DeleteOldSessions :execrows
delete from auth.sessions
where id in (
  select s.id
  from auth.sessions s
  where s.not_after < $1::timestamptz
    and not exists (select from auth.refresh_tokens t where t.session_id = s.id)
  limit $2
)
;

-- name: DeleteOldSigningKeys :exec
delete from auth.signing_keys
where retired_at < now() - interval '30 days'
;

-- name: DeleteOldTokens :exec
with expired as (
  delete from auth.sessions s
  where s.user_id = $1
    and s.not_after < now()
)
delete from auth.refresh_tokens t
where t.user_id = $1
  and t.revoked
  and t.revoked_at < now() - interval '30 days'
;

-- name: DeleteOldWebhookDeliveries :execrows
delete from public.webhook_deliveries d
where d.id in (
  select o.id
  from public.webhook_deliveries o
  where o.created_at < $1 and o.status <> 'pending'
  limit $2
)
;

-- name: DeleteRecoveryCodes :exec
delete from auth.mfa_recovery_codes
where user_id = $1
;

-- name: DeleteSession :exec
delete from auth.sessions
where id = $1
;

-- name: DeleteSessionTokens :exec
delete from auth.refresh_tokens
where session_id = $1
;

-- name: DeleteSigningKeys :exec
delete from auth.signing_keys
where kid <> $1
;

-- name: DeleteSuggestions :exec
delete from public.evidence e
where e.id = any($1::uuid[])
  and e.origin <> 'human'
  and e.review = 'suggested'
  and e.edited_at is null
;

-- name: DeleteToken :exec
delete from auth.one_time_tokens
where id = $1
;

-- name: DeleteUnverifiedFactors :exec
delete from auth.mfa_factors
where user_id = $1
  and status = 'unverified'
  and (
    $2::timestamptz is null
    or created_at < $2
    or friendly_name = $3::text
  )
;

-- name: DeleteUser :execrows
delete from auth.users
where id = $1
;

-- name: DeleteUserLinks :exec
delete from auth.one_time_tokens
where user_id = $1::uuid
  and password_hash is null
;

-- name: DeleteUserSession :execrows
delete from auth.sessions
where id = $1
  and user_id = $2
;

-- name: DeleteUserSessions :many
delete from auth.sessions
where user_id = $1
  and ($2::uuid is null or id <> $2)
returning id
;

-- name: DeleteUserTokens :exec
delete from auth.one_time_tokens
where user_id = $1::uuid
;

-- name: EndImport :one
update public.imports set
  status = $1::public.import_status,
  waiting_reason = null,
  error_code = $2,
  error_message = $3,
  finished_at = now(),
  evidence_count = $4,
  rejected_count = $5,
  coverage = $6,
  unread = $7
where id = $8
  and claim_id = $9::uuid
  and status in ('queued', 'parsing')
returning id, workspace_id, project_id, persona_id, title, filename, format, size_bytes, sha256, language, status, progress_done, progress_total, error_code, error_message, workflow_id, run_id, claim_id, requested_hypotheses, extractor, model, prompt_version, input_tokens, output_tokens, evidence_count, rejected_count, coverage, unread, queued_at, started_at, finished_at, created_by, created_at, updated_at, waiting_reason, interviewed_on, warnings
;

-- name: EndRun :exec
update private.import_runs r set
  status = $1::public.import_status,
  error_code = $2,
  finished_at = now(),
  reader = null,
  lease_until = null,
  calls = spent.calls,
  input_tokens = spent.input_tokens,
  output_tokens = spent.output_tokens,
  added = r.added + $3::integer,
  changed = r.changed + $4::integer,
  gone = r.gone + $5::integer
from (
  select
    coalesce(sum(c.calls), 0) as calls,
    coalesce(sum(c.input_tokens), 0) as input_tokens,
    coalesce(sum(c.output_tokens), 0) as output_tokens
  from private.import_chunks c
  where c.import_id = $7 and c.claim_id = $6
) spent
where r.claim_id = $6
;

-- name: ExpireDigests :execrows
update public.digest_deliveries
set status = 'failed',
  reason = concat_ws(' after ', 'expired', reason)
where status = 'planned'
  and expires_at <= now()
;

-- name: ExplainAnswers :many
select a.created_at, a.input_tokens, a.output_tokens
from private.chunk_answers a
where a.import_id = $1
order by a.created_at desc
limit $2
;

-- name: ExplainChunks :many
select c.claim_id, c.ordinal, c.done_at, c.calls, jsonb_array_length(c.unread)::integer as unread
from private.import_chunks c
where c.import_id = $1 and c.done_at is not null
order by c.done_at desc, c.ordinal desc
limit $2
;

-- name: ExplainImport :one
select
  i.id, i.title, i.format, i.size_bytes, i.status, i.waiting_reason, i.error_code, i.run_id, i.claim_id,
  i.progress_done, i.progress_total, i.coverage, i.evidence_count, i.rejected_count, i.created_at,
  (
    select count(*)
    from public.imports other
    where other.status in ('queued', 'parsing') and other.queued_at < i.queued_at and other.id <> i.id
  ) as ahead
from public.imports i
where i.id = $1
;

-- name: ExplainRuns :many
select
  r.claim_id, r.requested_by, r.refresh, cardinality(r.hypotheses)::integer as hypotheses, r.status,
  r.error_code, r.queued_at, r.begun_at, r.first_call_at, r.finished_at, r.seen_at, r.reader, r.lease_until,
  r.model_failures, r.extractor, r.model, r.calls, r.input_tokens, r.output_tokens, r.added, r.changed, r.gone
from private.import_runs r
where r.import_id = $1
order by r.queued_at desc, r.claim_id
limit $2
;

-- name: ExportAccount :many

select u.id, jsonb_build_object(
  'id', u.id, 'email', u.email, 'phone', u.phone, 'display_name', p.display_name,
  'created_at', u.created_at, 'updated_at', u.updated_at, 'invited_at', u.invited_at,
  'email_confirmed_at', u.email_confirmed_at, 'last_sign_in_at', u.last_sign_in_at,
  'user_metadata', u.raw_user_meta_data, 'app_metadata', u.raw_app_meta_data,
  'sign_in_networks', (
    select jsonb_agg(jsonb_build_object('network', n.network, 'signed_in_at', n.signed_in_at) order by n.signed_in_at)
    from auth.sign_in_networks n
    where n.user_id = u.id
  )
)::jsonb as record
from auth.users u
left join public.profiles p on p.id = u.id
where u.id = $1 and u.deleted_at is null and u.id > $2
order by u.id
limit $3
;

-- name: ExportActivity :many
select e.id, jsonb_build_object(
  'id', e.id, 'workspace_id', e.workspace_id, 'project_id', e.project_id, 'verb', e.verb,
  'entity_type', e.entity_type, 'entity_id', e.entity_id, 'occurred_at', e.occurred_at
)::jsonb as record
from public.activity_events e
where e.actor_id = $1::uuid and e.id > $2
order by e.id
limit $3
;

-- name: ExportAuditRecords :many
select r.id, jsonb_build_object(
  'id', r.id, 'workspace_id', r.workspace_id, 'occurred_at', r.occurred_at, 'action', r.action,
  'target_type', r.target_type, 'target_id', r.target_id,
  'by_you', r.actor_id is not distinct from $1::uuid,
  'about_you', r.target_type = 'user' and r.target_id is not distinct from $1::uuid,
  'network', case when r.actor_id = $1::uuid then r.network::text end,
  'client', case when r.actor_id = $1::uuid then r.client end
)::jsonb as record
from private.audit_records r
where (r.actor_id = $1::uuid or r.target_type = 'user' and r.target_id = $1::uuid)
  and r.id > $2
order by r.id
limit $3
;

-- name: ExportDecisions :many
select h.id, jsonb_build_object(
  'hypothesis_id', h.id, 'workspace_id', h.workspace_id, 'project_id', h.project_id, 'statement', h.statement,
  'status', h.status, 'decided_at', h.decided_at, 'decision_reason', h.decision_reason
)::jsonb as record
from public.hypotheses h
where h.decided_by = $1::uuid and h.id > $2
order by h.id
limit $3
;

-- name: ExportDigestDeliveries :many
select d.id, jsonb_build_object(
  'id', d.id, 'frequency', d.frequency, 'period', d.period, 'status', d.status, 'reason', d.reason,
  'message_id', d.message_id, 'attempts', d.attempts, 'sent_at', d.sent_at, 'created_at', d.created_at
)::jsonb as record
from public.digest_deliveries d
where d.user_id = $1 and d.id > $2
order by d.id
limit $3
;

-- name: ExportDigestPreferences :many
select p.user_id as id, jsonb_build_object(
  'frequency', p.frequency, 'timezone', p.timezone, 'hour', p.hour, 'weekday', p.weekday,
  'paused_until', p.paused_until, 'updated_at', p.updated_at
)::jsonb as record
from public.digest_preferences p
where p.user_id = $1 and p.user_id > $2
order by p.user_id
limit $3
;

-- name: ExportEvidence :many
select e.id, jsonb_build_object(
  'id', e.id, 'workspace_id', e.workspace_id, 'project_id', e.project_id, 'import_id', e.import_id,
  'quote', e.quote,
  'created_at', case when e.created_by = $1::uuid then e.created_at end,
  'edited_at', case when e.edited_by = $1::uuid then e.edited_at end,
  'summary', case when $1::uuid in (e.created_by, e.edited_by) then e.summary end,
  'speaker', case when $1::uuid in (e.created_by, e.edited_by) then e.speaker end,
  'review', case when e.reviewed_by = $1::uuid then e.review end,
  'reviewed_at', case when e.reviewed_by = $1::uuid then e.reviewed_at end
)::jsonb as record
from public.evidence e
where $1::uuid in (e.created_by, e.edited_by, e.reviewed_by) and e.id > $2
order by e.id
limit $3
;

-- name: ExportFactors :many
select f.id, jsonb_build_object(
  'id', f.id, 'friendly_name', f.friendly_name, 'factor_type', f.factor_type, 'status', f.status,
  'last_challenged_at', f.last_challenged_at, 'created_at', f.created_at
)::jsonb as record
from auth.mfa_factors f
where f.user_id = $1 and f.id > $2
order by f.id
limit $3
;

-- name: ExportIdentities :many
select i.id, jsonb_build_object(
  'id', i.id, 'provider', i.provider, 'provider_id', i.provider_id, 'identity_data', i.identity_data,
  'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at
)::jsonb as record
from auth.identities i
where i.user_id = $1 and i.id > $2
order by i.id
limit $3
;

-- name: ExportImports :many
select i.id, jsonb_build_object(
  'id', i.id, 'workspace_id', i.workspace_id, 'project_id', i.project_id, 'title', i.title,
  'filename', i.filename, 'format', i.format, 'size_bytes', i.size_bytes, 'sha256', i.sha256,
  'language', i.language, 'interviewed_on', i.interviewed_on, 'status', i.status, 'created_at', i.created_at
)::jsonb as record
from public.imports i
where i.created_by = $1::uuid and i.id > $2
order by i.id
limit $3
;

-- name: ExportInvitations :many
select i.id, jsonb_build_object(
  'id', i.id, 'workspace_id', i.workspace_id, 'role', i.role, 'expires_at', i.expires_at, 'created_at', i.created_at
)::jsonb as record
from public.workspace_invitations i
where i.created_by = $1::uuid and i.id > $2
order by i.id
limit $3
;

-- name: ExportMemberships :many
select m.workspace_id as id, jsonb_build_object(
  'workspace_id', m.workspace_id, 'workspace_name', w.name, 'role', m.role, 'joined_at', m.created_at,
  'created_by_you', w.created_by is not distinct from m.user_id
)::jsonb as record
from public.workspace_members m
join public.workspaces w on w.id = m.workspace_id
where m.user_id = $1 and m.workspace_id > $2
order by m.workspace_id
limit $3
;

-- name: ExportRuns :many
select r.claim_id as id, jsonb_build_object(
  'id', r.claim_id, 'import_id', r.import_id, 'refresh', r.refresh, 'hypotheses', r.hypotheses,
  'status', r.status, 'queued_at', r.queued_at, 'finished_at', r.finished_at
)::jsonb as record
from private.import_runs r
where r.requested_by = $1::uuid and r.claim_id > $2
order by r.claim_id
limit $3
;

-- name: ExportSessions :many
select s.id, jsonb_build_object(
  'id', s.id, 'created_at', s.created_at, 'refreshed_at', s.refreshed_at, 'not_after', s.not_after,
  'aal', s.aal, 'amr', s.amr, 'user_agent', s.user_agent, 'ip', host(s.ip)
)::jsonb as record
from auth.sessions s
where s.user_id = $1 and s.id > $2
order by s.id
limit $3
;

-- name: ExportSignInRecords :many
select e.id, jsonb_build_object(
  'id', e.id, 'occurred_at', e.created_at, 'action', e.payload ->> 'action',
  'by_you', e.payload ->> 'actor_id' is not distinct from $1::uuid::text,
  'ip', case when e.payload ->> 'actor_id' = $1::uuid::text then nullif(e.ip_address, '') end
)::jsonb as record
from auth.audit_log_entries e
where (e.payload ->> 'actor_id' = $1::uuid::text
    or e.payload -> 'traits' ->> 'user_id' = $1::uuid::text)
  and e.id > $2
order by e.id
limit $3
;

-- name: ExportWebhooks :many
select e.id, jsonb_build_object(
  'id', e.id, 'workspace_id', e.workspace_id, 'events', e.events, 'active', e.active, 'created_at', e.created_at
)::jsonb as record
from public.webhook_endpoints e
where e.created_by = $1::uuid and e.id > $2
order by e.id
limit $3
;

-- name: FailPlannedDigest :execrows
update public.digest_deliveries
set status = 'failed',
  run_id = $1::text,
  reason = $2::text
where id = $3
  and status = 'planned'
;

-- name: FindToken :one
select t.id, t.token_type, t.redirect_to, t.expires_at > now() as valid
from auth.one_time_tokens t
where t.token_hash = $1
;

-- name: FinishChunk :exec
with chunk as (
  update private.import_chunks c set
    done_at = now(),
    answer_keys = $1,
    unread = $2
  where c.import_id = $3
    and c.claim_id = $4::uuid
    and c.ordinal = $5
    and c.done_at is null
  returning c.import_id, c.claim_id
)
update public.imports i set progress_done = i.progress_done + 1
from chunk
where i.id = chunk.import_id and i.claim_id = chunk.claim_id
;

-- name: FinishDigest :execrows
update public.digest_deliveries
set status = $1,
  reason = $2,
  sent_at = case when $1::public.delivery_status = 'sent' then now() end,
  next_attempt_at = coalesce($3, next_attempt_at)
where id = $4
  and attempts = $5
  and status in ('sending', 'uncertain')
;

-- name: FollowRun :one
update public.imports set
  workflow_id = $1::text,
  run_id = $2::text,
  status = case when private.is_restartable(status) then 'parsing' else status end,
  finished_at = null,
  error_code = null,
  error_message = null
where id = $3
  and claim_id = $4::uuid
  and (status in ('queued', 'parsing') or private.is_restartable(status))
returning id, workspace_id, project_id, persona_id, title, filename, format, size_bytes, sha256, language, status, progress_done, progress_total, error_code, error_message, workflow_id, run_id, claim_id, requested_hypotheses, extractor, model, prompt_version, input_tokens, output_tokens, evidence_count, rejected_count, coverage, unread, queued_at, started_at, finished_at, created_by, created_at, updated_at, waiting_reason, interviewed_on, warnings
;

-- name: ForgetClaim :exec
delete from private.idempotency_keys
where user_id = $1
  and key = $2
  and claim_id = $3::uuid
  and status is null
;

-- name: ForgetCodeFailures :exec
delete from auth.mfa_failures
where user_id = $1
;

-- name: GetActiveRefreshToken :one
select id, parent_id, token_hash
from auth.refresh_tokens
where session_id = $1
  and not revoked
order by id desc
limit 1
;

-- name: GetAnswer :one
select
  k.fingerprint,
  k.claim_id,
  k.import_id,
  coalesce(k.status, 0)::integer as status,
  k.body,
  (i.id is not null)::boolean as is_claimed,
  i.workflow_id,
  i.run_id
from private.idempotency_keys k
left join public.imports i on i.id = k.import_id and i.claim_id = k.claim_id
where k.user_id = $1 and k.key = $2 and k.expires_at >= now()
;

-- name: GetChallenge :one
select expires_at
from auth.mfa_challenges
where id = $1
  and factor_id = $2
  and session_id = $3
;

-- name: GetChunk :one
select import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, done_at, answer_keys, unread, reserved_tokens, hypotheses, calls, input_tokens, output_tokens from private.import_chunks where import_id = $1 and claim_id = $2 and ordinal = $3
;

-- name: GetChunkAnswer :one
select answer from private.chunk_answers where key = $1 and import_id = $2
;

-- name: GetCodeChallenge :one
select coalesce(code_challenge, '')::text as code_challenge,
  coalesce(code_challenge_method, '')::text as code_challenge_method
from auth.one_time_tokens
where token_hash = $1
;

-- name: GetCodeFailures :one
select failures, last_failed_at
from auth.mfa_failures
where user_id = $1
;

-- name: GetDigestFence :one
select (f.held_at is not null or f.tables <> private.digest_table_oids())::boolean as held,
  f.seen_at,
  f.fenced_since
from private.digest_fence f
;

-- name: GetDigestRecipient :one
select u.id,
  coalesce(u.email, '')::text as email,
  p.frequency,
  p.timezone,
  p.hour,
  p.weekday,
  coalesce(private.digest_obstacle(u.id, $1), '')::text as obstacle,
  (
    u.deleted_at is null
    and not u.is_anonymous
    and coalesce(u.email, '') <> ''
    and u.email_confirmed_at is not null
    and coalesce(u.banned_until, '-infinity') <= now()
    and not exists (
      select
      from private.mail_refusals r
      where r.address = lower(u.email)
        and r.suppressed_at is not null
    )
  )::boolean as mailable
from auth.users u
join public.digest_preferences p on p.user_id = u.id
where u.id = $2
;

-- name: GetDigestStatus :one
select status
from public.digest_deliveries
where id = $1
;

-- name: GetEventBounds :one
select b.head::bigint as head, b.expired::bigint as expired from private.event_bounds() as b
;

-- name: GetFactor :one
select id, status, secret, last_step
from auth.mfa_factors
where id = $1
  and user_id = $2
;

-- name: GetFirstWorkspace :one
select workspace_id from public.workspace_members
where user_id = $1
order by created_at, workspace_id
limit 1
;

-- name: GetFlow :one
select id, user_id, code_challenge, code_challenge_method, authentication_method, expires_at
from auth.flow_state
where auth_code_hash = $1
;

-- name: GetIdentityUser :one
select user_id
from auth.identities
where provider = $1
  and provider_id = $2
;

-- name: GetImport :one
select id, workspace_id, project_id, persona_id, title, filename, format, size_bytes, sha256, language, status, progress_done, progress_total, error_code, error_message, workflow_id, run_id, claim_id, requested_hypotheses, extractor, model, prompt_version, input_tokens, output_tokens, evidence_count, rejected_count, coverage, unread, queued_at, started_at, finished_at, created_by, created_at, updated_at, waiting_reason, interviewed_on, warnings from public.imports where id = $1
;

-- name: GetImportForCancel :one
select
  i.status,
  i.claim_id,
  private.caller_may_edit(i.workspace_id)::boolean as may_edit
from public.imports i
where i.id = $1
;

-- name: GetNextDigestAttempt :one
select coalesce((
  select d.next_attempt_at
  from public.digest_deliveries d
  where d.status = 'planned'
    and private.digest_shard(d.id) = $1::integer
    and d.expires_at > now()
  order by d.next_attempt_at, d.id
  limit 1
), 'epoch')::timestamptz as next_at
;

-- name: GetNotice :one
select kind, recipient
from auth.notices
where id = $1
;

-- name: GetProject :one
select id, workspace_id, name, description, stage, status, created_at, updated_at from public.projects where id = $1
;

-- name: GetRefreshToken :one
select id, revoked, revoked_at
from auth.refresh_tokens
where id = $1
;

-- name: GetSecret :one
select value
from auth.secrets
where name = $1
;

-- name: GetSessionUser :one
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors,
  auth.identities_of(u.id)::jsonb as identities,
  s.created_at as session_created_at
from auth.users u
left join auth.sessions s on s.id = $1
  and s.user_id = u.id
  and (s.not_after is null or s.not_after > now())
where u.id = $2
  and u.deleted_at is null
;

-- name: GetTranscript :one
select
  i.format,
  i.language,
  t.body,
  u.speakers::text[] as speakers,
  u.starts::bigint[] as starts,
  u.ends::bigint[] as ends,
  u.byte_starts::integer[] as byte_starts,
  u.byte_ends::integer[] as byte_ends
from public.imports i
join private.transcripts t on t.import_id = i.id
cross join lateral (
  -- Sorted once: array_agg with an order of its own would sort for each array.
  select
    coalesce(array_agg(s.speaker), '{}') as speakers,
    coalesce(array_agg(coalesce(s.start_ms, -1)), '{}') as starts,
    coalesce(array_agg(coalesce(s.end_ms, -1)), '{}') as ends,
    coalesce(array_agg(s.byte_start), '{}') as byte_starts,
    coalesce(array_agg(s.byte_end), '{}') as byte_ends
  from (select x.import_id, x.ordinal, x.workspace_id, x.project_id, x.speaker, x.start_ms, x.end_ms, x.text, x.byte_start, x.byte_end, x.created_at, x.updated_at from public.utterances x where x.import_id = i.id order by x.ordinal) s
) u
where i.id = $1
;

-- name: GetUpload :one
select
  private.caller_may_edit(p.workspace_id)::boolean as may_edit,
  coalesce(
    (
      select i.id from public.imports i
      where i.project_id = p.id and i.sha256 = $1::text
      order by i.created_at, i.id
      limit 1
    ),
    '00000000-0000-0000-0000-000000000000'::uuid
  )::uuid as duplicate_of
from public.projects p
where p.id = $2::uuid
;

-- name: GetUploadRights :one
select
  p.workspace_id,
  private.caller_may_edit(p.workspace_id)::boolean as may_write,
  (
    select count(*) from public.imports i
    where i.created_by = auth.uid() and i.created_at > now() - interval '1 hour'
  ) as made_by_caller,
  (
    select count(*) from public.imports i
    where i.workspace_id = p.workspace_id and i.created_at > now() - interval '1 hour'
  ) as made_in_workspace
from public.projects p
where p.id = $1
;

-- name: GetUser :one
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors, auth.identities_of(u.id)::jsonb as identities
from auth.users u
where u.id = $1
  and u.deleted_at is null
;

-- name: GetUserByEmail :one
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors, auth.identities_of(u.id)::jsonb as identities
from auth.users u
where lower(u.email) = lower($1::text)
  and not u.is_sso_user
  and u.deleted_at is null
;

-- name: GetUserForSignIn :one
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors,
  auth.identities_of(u.id)::jsonb as identities,
  exists (
    select
    from auth.sign_in_networks n
    where n.user_id = u.id
      and n.network = $1
      and n.signed_in_at > now() - interval '90 days'
  ) as known_network,
  coalesce((
    select t.password_hash
    from auth.one_time_tokens t
    where t.user_id = u.id
      and t.password_hash is not null
      and u.encrypted_password is null
    order by t.created_at desc
    limit 1
  ), '')::text as pending_password
from auth.users u
where lower(u.email) = lower($2::text)
  and not u.is_sso_user
  and u.deleted_at is null
;

-- name: HasDeletions :one
select exists (select from private.deletions)
;

-- name: HasIdleDeletions :one
select exists (
  select from private.deletions d where d.seen_at < now() - make_interval(secs => $1)
)
;

-- name: HasPendingSignUp :one
select exists (
  select
  from auth.one_time_tokens t
  where t.user_id = $1::uuid
    and t.password_hash is not null
)
;

-- name: HasToken :one
select exists (
  select
  from auth.one_time_tokens
  where user_id = $1::uuid
    and token_type = $2
)
;

-- name: HoldDigests :exec
update private.digest_fence
set held_at = coalesce(held_at, now())
;

-- name: InsertChunks :exec
insert into private.import_chunks (
  import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, hypotheses
)
select
  $1,
  $2,
  c.ordinal,
  c.utterance_from,
  c.utterance_to,
  c.byte_start,
  c.byte_end,
  $3::uuid[]
from (
  select
    unnest($4::integer[]) as ordinal,
    unnest($5::integer[]) as utterance_from,
    unnest($6::integer[]) as utterance_to,
    unnest($7::integer[]) as byte_start,
    unnest($8::integer[]) as byte_end
) c
;

-- name: InsertSigningKey :exec
insert into auth.signing_keys (kid, algorithm, private_key)
values ($1, $2, $3)
;

-- name: IsSubjectActive :one
select (
    u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
    and (
      $1::uuid is null
      or exists (
        select
        from auth.sessions s
        where s.id = $1
          and s.user_id = u.id
          and (s.not_after is null or s.not_after > now())
      )
    )
  )::boolean as active
from auth.users u
where u.id = $2
;

-- name: LiftDigestFence :exec
update private.digest_fence f
set held_at = null,
  tables = private.digest_table_oids(),
  seen_at = clock_timestamp(),
  fenced_at = clock_timestamp(),
  fenced_since = $1
;

-- name: LiftRecipientSuppression :execrows
delete from private.mail_refusals r
using public.digest_deliveries d
join auth.users u on u.id = d.user_id
where d.id = $1
  and r.address = lower(u.email)
;

-- name: ListAnsweredQuestions :many
with answered as (
  select e.entity_id,
    max(e.occurred_at) as at,
    (array_agg(e.actor_id order by e.occurred_at desc, e.created_at desc))[1] as actor_id
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'question'
    and (e.detail ->> 'to' = 'answered' or e.verb = 'created')
  group by e.entity_id
), ranked as (
  select q.project_id,
    q.id,
    q.text,
    q.answer_evidence_id,
    a.actor_id,
    row_number() over (
      partition by q.project_id
      order by q.priority, a.at desc, q.id
    ) as place,
    (count(*) over (partition by q.project_id))::integer as total
  from answered a
  join public.questions q on q.id = a.entity_id and q.status = 'answered'
)
select r.project_id,
  r.id,
  r.text,
  coalesce(p.display_name, '')::text as actor,
  coalesce(ev.quote, '')::text as quote,
  coalesce(ev.speaker, '')::text as speaker,
  r.total
from ranked r
left join public.evidence ev on ev.id = r.answer_evidence_id
left join public.profiles p on p.id = r.actor_id
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListChosenHypotheses :many
select ih.hypothesis_id as id, ih.statement, coalesce(r.read, '{}')::text as read
from public.imports i
join public.import_hypotheses ih on ih.import_id = i.id and ih.hypothesis_id = any(i.requested_hypotheses)
left join private.import_readings r
  on r.import_id = ih.import_id and r.hypothesis_id = ih.hypothesis_id and r.statement = ih.statement
where i.id = $1
order by ih.hypothesis_id
;

-- name: ListChunkAnswers :many
select a.key, a.answer
from private.chunk_answers a
where a.import_id = $1 and a.key = any($2::bytea[])
;

-- name: ListChunks :many
select import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, done_at, answer_keys, unread, reserved_tokens, hypotheses, calls, input_tokens, output_tokens from private.import_chunks where import_id = $1 and claim_id = $2 order by ordinal
;

-- name: ListDigestMembers :many
select p.user_id
from public.digest_preferences p
where p.frequency = $1
  and p.user_id > $2
order by p.user_id
limit 2000
;

-- name: ListDigestSchedules :many
select p.user_id,
  p.timezone,
  p.hour,
  p.weekday,
  greatest(p.created_at, case when isfinite(p.paused_until) then p.paused_until end)::timestamptz as since
from public.digest_preferences p
where p.user_id = any ($1::uuid[])
;

-- name: ListDueDigests :many
with recursive hours as (
  (
    select d.next_attempt_at as first_at
    from public.digest_deliveries d
    where d.status = 'planned'
      and private.digest_shard(d.id) = $1::integer
      and d.next_attempt_at <= now()
    order by d.next_attempt_at, d.id
    limit 1
  )
  union all
  (
    select (
      select d.next_attempt_at
      from public.digest_deliveries d
      where d.status = 'planned'
        and private.digest_shard(d.id) = $1::integer
        and d.next_attempt_at >= date_trunc('hour', h.first_at, 'UTC') + interval '1 hour'
        and d.next_attempt_at <= now()
      order by d.next_attempt_at, d.id
      limit 1
    )
    from hours h
    where h.first_at is not null
  )
)
select due.id, due.user_id, due.frequency, due.period, due.window_start, due.window_end
from hours h
cross join lateral (
  select d.id, d.user_id, d.frequency, d.period, d.window_start, d.window_end
  from public.digest_deliveries d
  where d.status = 'planned'
    and private.digest_shard(d.id) = $1::integer
    and d.next_attempt_at >= h.first_at
    and d.next_attempt_at < date_trunc('hour', h.first_at, 'UTC') + interval '1 hour'
    and d.next_attempt_at <= now()
    and d.expires_at > now()
  order by d.next_attempt_at, d.id
  limit greatest($2::integer / (select count(*) from hours c where c.first_at is not null), 1)
) due
where h.first_at is not null
;

-- name: ListDueWebhooks :many
select distinct q.endpoint_id
from private.webhook_queues q
join public.webhook_endpoints w on w.id = q.endpoint_id and w.active
where q.due_at <= now()
limit $1
;

-- name: ListEndedImports :many
with ended as (
  select distinct on (e.entity_id)
    e.entity_id,
    e.verb,
    e.occurred_at
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'import'
    and e.verb in ('parsed', 'failed', 'timed_out', 'terminated')
  order by e.entity_id, e.occurred_at desc, e.created_at desc
), ranked as (
  select i.project_id,
    i.id,
    i.title,
    n.verb,
    i.evidence_count,
    i.coverage,
    coalesce(i.error_message, '') as error_message,
    row_number() over (
      partition by i.project_id
      order by n.verb = 'parsed', n.occurred_at desc, i.id
    ) as place,
    (count(*) over (partition by i.project_id))::integer as total
  from ended n
  join public.imports i on i.id = n.entity_id
)
select r.project_id,
  r.id,
  r.title,
  r.verb,
  r.evidence_count,
  r.coverage,
  r.error_message::text as error_message,
  r.total
from ranked r
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListEvidenceOfHypotheses :many
select
  e.id,
  e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  e.quote,
  e.origin,
  e.review,
  (e.review <> 'suggested' or e.edited_at is not null or e.origin = 'human')::boolean as of_person,
  eh.hypothesis_id,
  eh.stance,
  eh.strength
from public.evidence e
join public.evidence_hypotheses eh on eh.evidence_id = e.id
where e.import_id = $1::uuid
  and e.byte_start is not null
  and eh.hypothesis_id = any($2::uuid[])
order by e.byte_start, e.byte_end, e.id
for no key update of e
;

-- name: ListFactors :many
select id, friendly_name, status
from auth.mfa_factors
where user_id = $1
order by created_at, id
;

-- name: ListFailedOrUncertainDigests :many
select id,
  user_id,
  frequency,
  period,
  status,
  coalesce(reason, '')::text as reason,
  attempts,
  updated_at
from public.digest_deliveries
where status in ('failed', 'uncertain')
  and window_end > $1
order by updated_at desc, id
limit $2
;

-- name: ListInterviewers :many
select speaker from public.import_speakers
where import_id = $1 and role = 'interviewer' and speaker <> ''
order by speaker collate "C"
;

-- name: ListMovedHypotheses :many
with changed as (
  select e.entity_id,
    bool_or(e.verb = 'created') as is_new
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'evidence'
    and e.verb in ('created', 'rejected')
  group by e.entity_id
), moved as (
  select eh.project_id,
    eh.hypothesis_id,
    count(*) filter (where c.is_new and eh.stance = 'supports')::integer as supports,
    count(*) filter (where c.is_new and eh.stance = 'contradicts')::integer as contradicts,
    count(*) filter (where c.is_new and eh.stance = 'neutral')::integer as neutral,
    count(*) filter (where not c.is_new and eh.stance <> 'neutral')::integer as withdrawn
  from changed c
  join public.evidence ev on ev.id = c.entity_id and c.is_new = (ev.review <> 'rejected')
  join public.evidence_hypotheses eh on eh.evidence_id = ev.id
  group by eh.project_id, eh.hypothesis_id
), ranked as (
  select m.project_id, m.hypothesis_id, m.supports, m.contradicts, m.neutral, m.withdrawn,
    h.statement,
    row_number() over (
      partition by m.project_id
      order by m.supports + m.contradicts + m.withdrawn desc, m.neutral desc, h.importance, h.created_at, h.id
    ) as place,
    (count(*) over (partition by m.project_id))::integer as total
  from moved m
  join public.hypotheses h on h.id = m.hypothesis_id
  where m.supports + m.contradicts + m.neutral + m.withdrawn > 0
)
select r.project_id,
  r.hypothesis_id,
  r.statement,
  r.supports,
  r.contradicts,
  r.neutral,
  r.withdrawn,
  r.total,
  b.all_supports,
  b.all_contradicts
from ranked r,
lateral (
  select count(*) filter (where eh.stance = 'supports')::integer as all_supports,
    count(*) filter (where eh.stance = 'contradicts')::integer as all_contradicts
  from public.evidence_hypotheses eh
  join public.evidence ev on ev.id = eh.evidence_id
  where eh.hypothesis_id = r.hypothesis_id and ev.review <> 'rejected'
) b
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListMyWorkspaces :many
select w::uuid as id from private.my_workspaces() as w
;

-- name: ListNewHypotheses :many
with added as (
  select e.entity_id,
    max(e.occurred_at) as at,
    (array_agg(e.actor_id))[1] as actor_id
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'hypothesis'
    and e.verb = 'created'
  group by e.entity_id
), ranked as (
  select h.project_id,
    h.id,
    h.statement,
    a.actor_id,
    row_number() over (
      partition by h.project_id
      order by h.importance, a.at, h.id
    ) as place,
    (count(*) over (partition by h.project_id))::integer as total
  from added a
  join public.hypotheses h on h.id = a.entity_id
)
select r.project_id,
  r.id,
  r.statement,
  coalesce(p.display_name, '')::text as actor,
  r.total
from ranked r
left join public.profiles p on p.id = r.actor_id
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListNewQuotes :many
with new_evidence as (
  select distinct e.entity_id
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'evidence'
    and e.verb = 'created'
), by_stance as (
  select eh.hypothesis_id,
    eh.stance,
    eh.evidence_id,
    row_number() over (
      partition by eh.hypothesis_id, eh.stance
      order by eh.strength desc, ev.confidence desc, ev.created_at, ev.id
    ) as place
  from new_evidence n
  join public.evidence ev on ev.id = n.entity_id and ev.review <> 'rejected'
  join public.evidence_hypotheses eh on eh.evidence_id = ev.id
  where eh.hypothesis_id = any ($4::uuid[])
), ranked as (
  select s.hypothesis_id, s.stance, s.evidence_id, s.place,
    row_number() over (
      partition by s.hypothesis_id
      order by s.stance = 'neutral', s.place, s.stance
    ) as turn
  from by_stance s
)
select r.hypothesis_id,
  r.stance,
  ev.id,
  ev.quote,
  ev.speaker,
  ev.start_ms,
  ev.origin,
  ev.import_id,
  coalesce(i.title, '')::text as import_title
from ranked r
join public.evidence ev on ev.id = r.evidence_id
left join public.imports i on i.id = ev.import_id
where r.turn <= $1::integer
order by r.hypothesis_id, r.turn
;

-- name: ListNotices :many
select id
from auth.notices
where created_at > now() - interval '7 days'
order by created_at, id
limit $1
;

-- name: ListOpenImportsOf :many
select i.id
from public.imports i
where i.workspace_id = $1
  and i.status in ('queued', 'parsing')
;

-- name: ListPublishedEvents :many
select e.seq::bigint as seq, e.type, e.workspace_id, e.import_id, e.entity_id
from private.events e
where e.seq > $1::bigint
order by e.seq
limit $2
;

-- name: ListRequestedHypotheses :many
select h.id, h.statement, coalesce(r.read, '{}')::text as read
from public.imports i
join public.hypotheses h on h.project_id = i.project_id and h.id = any(i.requested_hypotheses)
left join private.import_readings r
  on r.import_id = i.id and r.hypothesis_id = h.id and r.statement = h.statement
where i.id = $1
order by h.id
;

-- name: ListRunChanges :many
select
  c.claim_id,
  c.evidence_id,
  c.hypothesis_id,
  c.kind,
  coalesce(c.stance_before::text, '')::text as stance_before,
  coalesce(c.stance_after::text, '')::text as stance_after,
  coalesce(c.strength_before::text, '')::text as strength_before,
  coalesce(c.strength_after::text, '')::text as strength_after,
  coalesce(c.quote, e.quote, '')::text as quote,
  c.kept
from private.import_run_changes c
left join public.evidence e on e.id = c.evidence_id
where c.claim_id = any($1::uuid[])
order by c.claim_id, e.byte_start, c.evidence_id, c.hypothesis_id
;

-- name: ListRuns :many
select
  claim_id, requested_by, refresh, hypotheses, status, error_code, queued_at, begun_at, first_call_at,
  finished_at, extractor, model, prompt_version, calls, input_tokens, output_tokens
from private.import_runs
where import_id = $1
order by queued_at desc, claim_id
limit $2
;

-- name: ListSigningKeys :many
select kid, algorithm, private_key, created_at, retired_at
from auth.signing_keys
order by created_at desc, kid
;

-- name: ListSilentRuns :many
select
  i.id,
  r.claim_id,
  i.run_id,
  i.workspace_id,
  i.project_id,
  (r.queued_at < now() - make_interval(secs => $1))::boolean as overdue,
  r.previous_run_id
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.finished_at is null
  and r.seen_at < now() - make_interval(secs => $2)
  and i.status in ('queued', 'parsing')
order by r.seen_at
limit $3
;

-- name: ListUnfinishedChunks :many
select c.import_id, c.claim_id, c.ordinal, c.utterance_from, c.utterance_to, c.byte_start, c.byte_end, c.done_at, c.answer_keys, c.unread, c.reserved_tokens, c.hypotheses, c.calls, c.input_tokens, c.output_tokens, count(*) over () as unfinished
from private.import_chunks c
where c.import_id = $1 and c.claim_id = $2 and c.done_at is null
order by c.ordinal
limit $3
;

-- name: ListUnlinkedEvidence :many
with new_evidence as (
  select distinct e.entity_id
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'evidence'
    and e.verb = 'created'
), ranked as (
  select ev.project_id,
    ev.id,
    ev.quote,
    ev.speaker,
    ev.start_ms,
    ev.origin,
    ev.import_id,
    row_number() over (
      partition by ev.project_id
      order by ev.confidence desc, ev.created_at, ev.id
    ) as place,
    (count(*) over (partition by ev.project_id))::integer as total
  from new_evidence n
  join public.evidence ev on ev.id = n.entity_id
  where ev.review <> 'rejected'
    and not exists (select from public.evidence_hypotheses eh where eh.evidence_id = ev.id)
)
select r.project_id,
  r.id,
  r.quote,
  r.speaker,
  r.start_ms,
  r.origin,
  r.import_id,
  coalesce(i.title, '')::text as import_title,
  r.total
from ranked r
left join public.imports i on i.id = r.import_id
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListUnsentMails :many
select t.id
from auth.one_time_tokens t
left join public.workspace_invitations i on i.id = t.invitation_id
left join auth.users inviter on inviter.id = i.created_by
where t.sent_at is null
  and t.expires_at > now()
  and (i.created_by is null or inviter.email_confirmed_at is not null)
order by t.created_at, t.id
limit $1
;

-- name: ListUserSessions :many
select id,
  created_at,
  coalesce(refreshed_at, created_at)::timestamptz as last_used_at,
  not_after,
  coalesce(user_agent, '')::text as user_agent,
  coalesce(host(ip), '')::text as ip,
  amr
from auth.sessions
where user_id = $1
  and (not_after is null or not_after > now())
order by last_used_at desc, id
;

-- name: ListUsers :many
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors, auth.identities_of(u.id)::jsonb as identities
from auth.users u
where u.deleted_at is null
order by u.created_at desc, u.id
limit $2
offset $1
;

-- name: ListVerdicts :many
with changed as (
  select e.entity_id,
    (array_agg(e.detail ->> 'from' order by e.occurred_at, e.created_at))[1] as before,
    (array_agg(e.detail ->> 'to' order by e.occurred_at desc, e.created_at desc))[1] as after,
    (array_agg(e.actor_id order by e.occurred_at desc, e.created_at desc))[1] as actor_id,
    max(e.occurred_at) as at
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'hypothesis'
    and e.verb = 'status_changed'
  group by e.entity_id
), ranked as (
  select h.project_id,
    h.id,
    h.statement,
    c.before,
    c.after,
    c.actor_id,
    case when h.status::text = c.after then h.decision_reason else '' end as decision_reason,
    row_number() over (
      partition by h.project_id
      order by h.importance, c.at desc, h.id
    ) as place,
    (count(*) over (partition by h.project_id))::integer as total
  from changed c
  join public.hypotheses h on h.id = c.entity_id
  where c.before is distinct from c.after
)
select r.project_id,
  r.id,
  r.statement,
  coalesce(r.before, '')::text as before,
  coalesce(r.after, '')::text as after,
  r.decision_reason::text as decision_reason,
  coalesce(p.display_name, '')::text as actor,
  r.total
from ranked r
left join public.profiles p on p.id = r.actor_id
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListWorkspacesOf :many
select workspace_id
from public.workspace_members
where user_id = $1
;

-- name: LockDueDigestMembers :many
select s.user_id
from private.digest_schedule s
where s.frequency = $1
  and s.next_due_at <= $2
order by s.next_due_at, s.user_id
limit 2000
for update skip locked
;

-- name: LockImport :one
select
  i.id, i.workspace_id, i.project_id, i.persona_id, i.title, i.filename, i.format, i.size_bytes, i.sha256, i.language, i.status, i.progress_done, i.progress_total, i.error_code, i.error_message, i.workflow_id, i.run_id, i.claim_id, i.requested_hypotheses, i.extractor, i.model, i.prompt_version, i.input_tokens, i.output_tokens, i.evidence_count, i.rejected_count, i.coverage, i.unread, i.queued_at, i.started_at, i.finished_at, i.created_by, i.created_at, i.updated_at, i.waiting_reason, i.interviewed_on, i.warnings,
  r.refresh,
  r.begun_at,
  coalesce((r.before ->> 'rejected_count')::integer, 0)::integer as rejected_before
from public.imports i
join private.import_runs r on r.claim_id = i.claim_id
where i.id = $1 and i.claim_id = $2::uuid
for no key update of i
;

-- name: LockRefreshToken :one
select t.id,
  t.user_id,
  t.session_id,
  s.amr,
  coalesce(
    least(
      s.not_after,
      s.created_at + make_interval(secs => nullif($1::double precision, 0)),
      coalesce(s.refreshed_at, s.created_at)
      + make_interval(secs => nullif($2::double precision, 0))
    ) <= now(),
    false
  )::boolean as expired
from auth.sessions s
join auth.refresh_tokens t on t.session_id = s.id
where t.token_hash = $3
for update of s
;

-- name: LockSession :one
select id, amr, factor_id
from auth.sessions
where id = $1
  and user_id = $2
  and (not_after is null or not_after > now())
for update
;

-- name: LockSigningKeys :exec
select pg_advisory_xact_lock(715518)
;

-- name: LockUser :one
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors, auth.identities_of(u.id)::jsonb as identities
from auth.users u
where u.id = $1
  and u.deleted_at is null
for no key update of u
;

-- name: MarkAccountDeleted :one
select private.mark_account_deleted($1)
;

-- name: MarkDigestBounced :execrows
update public.digest_deliveries
set status = 'failed',
  reason = $1::text
where id = $2
  and message_id = $3::text
  and status in ('sent', 'uncertain')
;

-- name: MarkDigestComplaint :execrows
update public.digest_deliveries
set reason = 'complaint'
where id = $1
  and message_id = $2::text
  and status = 'sent'
;

-- name: MarkInterruptedDigestsUncertain :execrows
update public.digest_deliveries
set status = 'uncertain',
  reason = 'worker_lost'
where status = 'sending'
  and run_id = $1::text
  and private.digest_shard(id) = $2::integer
;

-- name: MarkOpenDigestsRestored :execrows
update public.digest_deliveries
set status = 'uncertain',
  reason = 'restored'
where status in ('planned', 'sending')
;

-- name: MarkRunsSeen :exec
update private.import_runs set seen_at = now() where claim_id = any($1::uuid[])
;

-- name: MarkStaleDigestsUncertain :execrows
update public.digest_deliveries
set status = 'uncertain',
  reason = 'worker_lost'
where status = 'sending'
  and claimed_at < now() - make_interval(secs => $1::double precision)
;

-- name: MeasureDigestLoad :one
select count(*) filter (where s.frequency = 'daily') as daily,
  count(*) filter (where s.frequency = 'weekly') as weekly,
  coalesce((
    select max(h.digests)
    from (
      select count(*) as digests
      from private.digest_schedule d
      where isfinite(d.next_due_at)
      group by date_trunc('hour', d.next_due_at, 'UTC')
    ) h
  ), 0)::bigint as busiest_hour
from private.digest_schedule s
;

-- name: MintToken :one
with recipient as (
  select t.id, coalesce(u.email, i.email) as email, coalesce(inviter.email, '') as inviter
  from auth.one_time_tokens t
  left join auth.users u on u.id = t.user_id
    and u.deleted_at is null
  left join public.workspace_invitations i on i.id = t.invitation_id
  left join auth.users inviter on inviter.id = i.created_by
    and inviter.deleted_at is null
  where t.id = $3
)
update auth.one_time_tokens t
set token_hash = case when t.token_type = 'reauthentication' then $1::bytea
    else $2::bytea end,
  sent_at = now()
from recipient r
where t.id = r.id
  and t.expires_at > now()
  and r.email is not null
returning t.token_type, t.relates_to, t.redirect_to, t.expires_at, t.invitation_id,
  r.email::text as email, r.inviter::text as inviter
;

-- name: PassDigestFence :one
update private.digest_fence f
set held_at = coalesce(f.held_at, case when r.restored then now() end),
  seen_at = case
    when f.held_at is null and not r.restored then greatest(f.seen_at, clock_timestamp())
    else f.seen_at
  end
from (
  select x.tables <> private.digest_table_oids()
      or x.installation = $1 and x.seen_at < $2 as restored
  from private.digest_fence x
) r
returning f.installation, f.seen_at, (f.held_at is not null)::boolean as held
;

-- name: PauseDigestsAfterRestore :execrows
with unsure as (
  select p.user_id, p.paused_until
  from public.digest_preferences p
  cross join private.digest_fence f
  where p.frequency <> 'off'
    and p.paused_until is distinct from 'infinity'
    and (f.fenced_since is distinct from $1::timestamptz or p.updated_at < f.fenced_at)
), kept as (
  insert into private.digest_restore_pauses (user_id, paused_until)
  select u.user_id, u.paused_until
  from unsure u
  on conflict on constraint digest_restore_pauses_pkey do update
  set paused_until = excluded.paused_until
)
update public.digest_preferences p
set paused_until = 'infinity'
from unsure u
where p.user_id = u.user_id
;

-- name: PauseReading :one
with paused as (
  update private.import_runs r set
    reader = null,
    lease_until = null,
    seen_at = now(),
    model_failures = r.model_failures + $1::integer
  where r.claim_id = $2 and r.reader = $3::uuid
  returning r.claim_id, r.import_id, r.model_failures
),
waits as (
  update public.imports i set waiting_reason = $4::text
  from paused p
  where i.id = p.import_id and i.claim_id = p.claim_id and i.status = 'parsing'
)
select p.model_failures from paused p
;

-- name: PlanDigests :execrows
insert into public.digest_deliveries (
  user_id, frequency, period, window_start, window_end, next_attempt_at, expires_at, requested_by, status, reason
)
select c.user_id,
  $1,
  c.period,
  c.window_start,
  c.window_end,
  c.due_at,
  c.expires_at,
  $2,
  $3,
  $4
from (
  select unnest($5::uuid[]) as user_id,
    unnest($6::text[]) as period,
    unnest($7::timestamptz[]) as window_start,
    unnest($8::timestamptz[]) as window_end,
    unnest($9::timestamptz[]) as due_at,
    unnest($10::timestamptz[]) as expires_at
) c
where case
    when (
      select d.id
      from public.digest_deliveries d
      where d.user_id = c.user_id
        and d.frequency = $1
        and d.period = c.period
    ) is not null then false
    when (
      select e.id
      from public.workspace_members m
      cross join lateral (
        select a.id
        from public.activity_events a
        where a.workspace_id = m.workspace_id
          and a.occurred_at >= c.window_start
          and a.occurred_at < c.window_end
          and a.actor_id is distinct from c.user_id
          and private.is_news(a.entity_type, a.verb)
          and (a.entity_type <> 'member' or a.entity_id <> c.user_id)
        order by a.occurred_at desc
        limit 1
      ) e
      where m.user_id = c.user_id
      limit 1
    ) is null then false
    when $3::public.delivery_status = 'uncertain' then true
    else private.digest_obstacle(c.user_id, $1) is null
  end
on conflict on constraint digest_deliveries_user_id_frequency_period_key do nothing
;

-- name: PublishEvents :one
select private.publish_events($1::integer)::bigint as published
;

-- name: PutSetting :exec
insert into private.settings (name, value)
values ($1, $2)
on conflict on constraint settings_pkey do update
set value = excluded.value
where settings.value <> excluded.value
;

-- name: ReadByIndexOnly :exec
select set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true),
  set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true),
  set_config('enable_sort', 'off', true)
;

-- name: ReadEvents :many
select e.seq::bigint as seq, e.type::text as type, e.body::jsonb as body
from private.read_events($1::bigint, $2::uuid, $3::integer) as e
;

-- name: RecordCodeFailure :exec
insert into auth.mfa_failures as f (user_id, failures, last_failed_at)
values ($1, 1, $2)
on conflict (user_id) do update
set failures = f.failures + 1,
  last_failed_at = excluded.last_failed_at
;

-- name: RecordCoverage :exec
update public.import_hypotheses ih set coverage = x.coverage, checked_at = now()
from (
  select
    unnest($2::uuid[]) as hypothesis_id,
    unnest($3::double precision[]) as coverage
) x
where ih.import_id = $1 and ih.hypothesis_id = x.hypothesis_id
;

-- name: RecordMailRefusal :one
insert into private.mail_refusals as r (address, code, suppressed_at, suppressed_by)
values (
  lower($1),
  $2,
  case when $3::integer <= 1 then now() end,
  case when $3::integer <= 1 then 'refusals' end
)
on conflict on constraint mail_refusals_pkey do update
set refusals = r.refusals + 1,
  code = excluded.code,
  last_at = now(),
  suppressed_at = coalesce(
    r.suppressed_at,
    case when r.refusals + 1 >= $3::integer then now() end),
  suppressed_by = coalesce(
    r.suppressed_by,
    case when r.refusals + 1 >= $3::integer then 'refusals' end)
returning r.refusals
;

-- name: RecordNamespace :one
with recorded as (
  update private.temporal_state set namespace_id = $1::text
  where namespace_id is null
  returning namespace_id
)
select coalesce(r.namespace_id, s.namespace_id)::text as namespace_id
from private.temporal_state s
left join recorded r on true
;

-- name: RecordReadings :exec
insert into private.import_readings (import_id, hypothesis_id, statement, read)
select ih.import_id, ih.hypothesis_id, ih.statement, x.read::int4multirange
from (
  select
    unnest($1::uuid[]) as hypothesis_id,
    unnest($2::text[]) as read
) x
join public.import_hypotheses ih on ih.import_id = $3 and ih.hypothesis_id = x.hypothesis_id
on conflict (import_id, hypothesis_id) do update set statement = excluded.statement, read = excluded.read
;

-- name: RecordRunChanges :exec
insert into private.import_run_changes (
  claim_id, evidence_id, hypothesis_id, kind,
  stance_before, stance_after, strength_before, strength_after, quote, kept
)
select
  $1,
  c.evidence_id,
  c.hypothesis_id,
  c.kind,
  nullif(c.stance_before, '')::public.evidence_stance,
  nullif(c.stance_after, '')::public.evidence_stance,
  nullif(c.strength_before, '')::public.evidence_strength,
  nullif(c.strength_after, '')::public.evidence_strength,
  nullif(c.quote, ''),
  c.kept
from (
  select
    unnest($2::uuid[]) as evidence_id,
    unnest($3::uuid[]) as hypothesis_id,
    unnest($4::text[]) as kind,
    unnest($5::text[]) as stance_before,
    unnest($6::text[]) as stance_after,
    unnest($7::text[]) as strength_before,
    unnest($8::text[]) as strength_after,
    unnest($9::text[]) as quote,
    unnest($10::boolean[]) as kept
) c
on conflict do nothing
;

-- name: RecordSignIn :exec
with recorded as (
  insert into auth.sign_in_networks (user_id, network)
  select $1, $2::text
  where $2::text <> ''
  on conflict (user_id, network) do update
  set signed_in_at = now()
), old as (
  delete from auth.sign_in_networks n
  where n.user_id = $1
    and n.network <> $2::text
    and n.signed_in_at < now() - interval '90 days'
)
update auth.users
set last_sign_in_at = now()
where id = $1
;

-- name: RecordWebhook :exec
select private.record_webhook(
  $1::uuid,
  $2::boolean,
  $3::integer,
  $4::text,
  $5::text,
  $6::double precision,
  $7::boolean
)
;

-- name: RehashPassword :exec
update auth.users
set encrypted_password = $1::text
where id = $2
  and encrypted_password = $3::text
;

-- name: ReleaseImport :one
select private.release_import($1::uuid, $2::uuid)::boolean as released
;

-- name: RememberAnswer :one
select private.remember_answer(
  $1::bytea,
  $2::bytea,
  $3::uuid,
  $4::uuid,
  $5::integer,
  $6::bytea,
  $7::bigint
)::private.remember_result as result
;

-- name: RemoveBatch :one
select coalesce(b.removed, 0)::bigint as removed, coalesce(b.next_step, 0)::integer as step
from private.remove_batch($1, $2) b
;

-- name: RenewLeases :many
update private.import_runs r set
  reader = $1::uuid,
  lease_until = now() + make_interval(secs => $2),
  seen_at = case when r.claim_id = any($3::uuid[]) then now() else r.seen_at end
where r.claim_id = any($4::uuid[])
  and (r.reader is null or r.reader = $1::uuid or r.lease_until < now())
  and r.finished_at is null
returning r.claim_id
;

-- name: ReopenRun :exec
update private.import_runs set status = 'parsing', error_code = null, finished_at = null, seen_at = now()
where claim_id = $1
;

-- name: ReplanDigest :execrows
update public.digest_deliveries
set status = 'planned',
  reason = null,
  run_id = null,
  next_attempt_at = now(),
  expires_at = greatest(expires_at, now() + interval '1 day')
where id = $1
  and status <> 'sending'
;

-- name: RequestPlannedDigests :execrows
update public.digest_deliveries d
set requested_by = $1::text
from (
  select unnest($2::uuid[]) as user_id,
    unnest($3::text[]) as period
) c
cross join lateral (
  select p.id
  from public.digest_deliveries p
  where p.user_id = c.user_id
    and p.frequency = $4
    and p.period = c.period
  offset 0
) planned
where d.id = planned.id
  and d.status = 'planned'
  and d.next_attempt_at <= now()
  and d.requested_by is distinct from $1::text
;

-- name: RequestSignUp :execrows
with account as (
  select u.id
  from auth.users u
  where lower(u.email) = lower($6::text)
    and not u.is_sso_user
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
    and u.confirmation_sent_at is not null
    and u.email_confirmed_at is null
), old as (
  delete from auth.one_time_tokens t
  using account
  where t.user_id = account.id
    and t.token_type = 'signup'
    and t.expires_at < now() - interval '30 days'
)
insert into auth.one_time_tokens (
  id, user_id, token_type, redirect_to, expires_at, password_hash, user_metadata
)
select $1,
  account.id,
  'signup',
  $2,
  now() + make_interval(secs => $3::double precision),
  $4::text,
  $5::jsonb
from account
;

-- name: RequestSignUpAgain :execrows
with account as (
  select u.id, u.encrypted_password
  from auth.users u
  where lower(u.email) = lower($4::text)
    and not u.is_sso_user
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
    and u.confirmation_sent_at is not null
    and u.email_confirmed_at is null
), signups as (
  select account.id,
    count(distinct t.password_hash) + count(distinct account.encrypted_password) as total,
    min(t.password_hash) as password_hash,
    (array_agg(t.user_metadata) filter (where t.password_hash is not null))[1] as user_metadata
  from account
  left join auth.one_time_tokens t on t.user_id = account.id
    and t.token_type = 'signup'
  group by account.id
), earlier as (
  delete from auth.one_time_tokens t
  using signups
  where t.user_id = signups.id
    and t.token_type = 'signup'
    and (signups.total <= 1 or t.password_hash is null)
)
insert into auth.one_time_tokens (
  id, user_id, token_type, redirect_to, expires_at, password_hash, user_metadata
)
select $1,
  signups.id,
  'signup',
  $2,
  now() + make_interval(secs => $3::double precision),
  case when signups.total = 1 then signups.password_hash end,
  case when signups.total = 1 then signups.user_metadata end
from signups
;

-- name: RequestToken :execrows
with account as (
  select u.id
  from auth.users u
  where lower(u.email) = lower($5::text)
    and not u.is_sso_user
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
), earlier as (
  delete from auth.one_time_tokens t
  using account
  where t.user_id = account.id
    and t.token_type = $2
)
insert into auth.one_time_tokens (id, user_id, token_type, redirect_to, expires_at)
select $1,
  account.id,
  $2,
  $3,
  now() + make_interval(secs => $4::double precision)
from account
;

-- name: RequestUserToken :exec
with earlier as (
  delete from auth.one_time_tokens t
  where t.user_id = $2::uuid
    and t.token_type = $3
)
insert into auth.one_time_tokens (id, user_id, token_type, relates_to, redirect_to, session_id, expires_at)
values (
  $1,
  $2::uuid,
  $3,
  $4,
  $5,
  $6,
  now() + make_interval(secs => $7::double precision)
)
;

-- name: ReserveCallSlot :one
with slot as (
  update private.call_pace
  set next_at = greatest(next_at, clock_timestamp())
    + make_interval(secs => $1::double precision)
  returning next_at
)
select (
  extract(epoch from next_at - clock_timestamp()) - $1::double precision
)::double precision as wait_seconds
from slot
;

-- name: ReserveMailSlot :one
with slot as (
  update private.mail_pace
  set next_at = greatest(next_at, clock_timestamp())
    + make_interval(secs => $1::double precision)
  returning next_at
)
select (
  extract(epoch from next_at - clock_timestamp()) - $1::double precision
)::double precision as wait_seconds
from slot
;

-- name: ReserveTokens :execrows
update private.import_chunks c set reserved_tokens = $1
where c.import_id = $2
  and c.claim_id = $3::uuid
  and c.ordinal = $4
  and $1::bigint
    + (
      select coalesce(sum(a.input_tokens), 0) + coalesce(sum(a.output_tokens), 0)
      from private.chunk_answers a
      where a.import_id = c.import_id
    )
    + (
      select coalesce(sum(o.reserved_tokens), 0)
      from private.import_chunks o
      where o.import_id = c.import_id
        and o.claim_id = c.claim_id
        and o.ordinal <> c.ordinal
        and o.done_at is null
    )
    <= $5::bigint
;

-- name: ReserveTokensOfChunks :execrows
update private.import_chunks c set reserved_tokens = x.wanted
from (
  select
    unnest($4::integer[]) as ordinal,
    unnest($3::bigint[]) as wanted
) x
where c.import_id = $1
  and c.claim_id = $2::uuid
  and c.ordinal = x.ordinal
  and (select sum(w.wanted) from unnest($3::bigint[]) as w (wanted))
    + (
      select coalesce(sum(a.input_tokens), 0) + coalesce(sum(a.output_tokens), 0)
      from private.chunk_answers a
      where a.import_id = c.import_id
    )
    + (
      select coalesce(sum(o.reserved_tokens), 0)
      from private.import_chunks o
      where o.import_id = c.import_id
        and o.claim_id = c.claim_id
        and not o.ordinal = any($4::integer[])
        and o.done_at is null
    )
    <= $5::bigint
;

-- name: ResumeDigestsAfterRestore :execrows
with paused as (
  delete from private.digest_restore_pauses r
  returning r.user_id, r.paused_until
)
update public.digest_preferences p
set paused_until = r.paused_until
from paused r
where p.user_id = r.user_id
  and p.paused_until = 'infinity'
;

-- name: RetireSigningKeys :exec
update auth.signing_keys
set retired_at = $1::timestamptz
where kid <> $2
  and retired_at is null
;

-- name: RotateRefreshToken :one
with presented as (
  select t.id, t.user_id, t.session_id, s.amr
  from auth.sessions s
  join auth.refresh_tokens t on t.session_id = s.id
  join auth.users u on u.id = t.user_id
  where t.token_hash = $1
    and not t.revoked
    and coalesce(
      least(
        s.not_after,
        s.created_at + make_interval(secs => nullif($2::double precision, 0)),
        coalesce(s.refreshed_at, s.created_at)
        + make_interval(secs => nullif($3::double precision, 0))
      ) > now(),
      true
    )
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
  for key share of u
  for no key update of s, t
), touched as (
  update auth.sessions s
  set refreshed_at = now(),
    updated_at = now(),
    not_after = least(
      s.created_at + make_interval(secs => nullif($2, 0)),
      now() + make_interval(secs => nullif($3, 0))
    )
  from presented
  where s.id = presented.session_id
), rotated as (
  update auth.refresh_tokens t
  set revoked = true,
    revoked_at = now(),
    updated_at = now()
  from presented
  where t.id = presented.id
), added as (
  insert into auth.refresh_tokens (token_hash, user_id, session_id, parent_id)
  select $4, presented.user_id, presented.session_id, presented.id
  from presented
)
select presented.session_id, presented.amr, u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors, auth.identities_of(u.id)::jsonb as identities
from presented
join auth.users u on u.id = presented.user_id
;

-- name: SeeDeleted :exec
select set_config('research.removing', 'on', true)
;

-- name: SetCodeChallenge :exec
update auth.one_time_tokens
set code_challenge = $1::text,
  code_challenge_method = $2::text
where id = $3
;

-- name: SetEmailChange :exec
update auth.users
set email_change = $1::text,
  email_change_sent_at = now(),
  updated_at = now()
where id = $2
;

-- name: SetImportWarnings :exec
select private.set_import_warnings($1::uuid, $2::jsonb)
;

-- name: SetNextDigests :exec
update private.digest_schedule s
set next_due_at = c.next_due_at
from (
  select unnest($1::uuid[]) as user_id,
    unnest($2::timestamptz[]) as next_due_at
) c
where s.user_id = c.user_id
;

-- name: SetSessionMethods :exec
update auth.sessions
set aal = $1,
  amr = $2,
  factor_id = $3,
  updated_at = now()
where id = $4
;

-- name: SetSpeakerRoles :exec
update public.import_speakers s set role = r.role::public.speaker_role
from (select unnest($2::text[]) as speaker, unnest($3::text[]) as role) as r
where s.import_id = $1 and s.speaker = r.speaker
;

-- name: SkipDigest :execrows
update public.digest_deliveries d
set status = 'skipped',
  run_id = $1::text,
  reason = coalesce(private.digest_obstacle(d.user_id, d.frequency), $2::text)
where d.id = $3
  and d.status = 'planned'
  and ($2::text <> '' or private.digest_obstacle(d.user_id, d.frequency) is not null)
;

-- name: SoftDeleteUser :execrows
update auth.users
set deleted_at = now(),
  updated_at = now(),
  email = null,
  phone = null,
  encrypted_password = null,
  raw_user_meta_data = null
where id = $1
  and deleted_at is null
;

-- name: StoreAnswer :one
with answer as (
  insert into private.chunk_answers (key, import_id, answer, input_tokens, output_tokens)
  values (
    $3, $2, $4, $5, $6
  )
  -- Earlier versions stored failures under the key of the request.
  on conflict (key, import_id) do update set
    answer = excluded.answer,
    input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens
  where chunk_answers.answer ->> 'failed' is not null and excluded.answer ->> 'failed' is null
  returning input_tokens, output_tokens
),
chunk as (
  update private.import_chunks c set
    calls = c.calls + (select count(*) from answer),
    input_tokens = c.input_tokens + coalesce((select a.input_tokens from answer a), 0),
    output_tokens = c.output_tokens + coalesce((select a.output_tokens from answer a), 0),
    reserved_tokens = 0,
    answer_keys = $7::bytea[],
    unread = $8,
    done_at = case when $9::boolean then now() end
  where c.import_id = $2
    and c.claim_id = $1::uuid
    and c.ordinal = $10
    and c.done_at is null
  returning c.done_at
),
run as (
  update private.import_runs r set model_failures = 0
  where r.claim_id = $1::uuid and $11::boolean and r.model_failures > 0
)
update public.imports i set
  progress_done = i.progress_done + (
    select count(*) from chunk c where c.done_at is not null and i.claim_id = $1::uuid
  ),
  input_tokens = i.input_tokens + coalesce((select a.input_tokens from answer a), 0),
  output_tokens = i.output_tokens + coalesce((select a.output_tokens from answer a), 0),
  waiting_reason = case when i.claim_id = $1::uuid then null else i.waiting_reason end
where i.id = $2
returning (i.claim_id is not distinct from $1::uuid)::boolean as is_latest
;

-- name: StoreImport :one
select private.store_import(
  $1::uuid,
  $2::uuid,
  $3::text,
  $4::text,
  $5::text,
  $6::bigint,
  $7::text,
  $8::text,
  $9::bytea,
  $10::text[],
  $11::bigint[],
  $12::bigint[],
  $13::text[],
  $14::integer[],
  $15::integer[]
)::uuid as id
;

-- name: SuggestQuestion :execrows
insert into public.questions (id, workspace_id, project_id, hypothesis_id, text, origin)
select $1::uuid, h.workspace_id, h.project_id, h.id, $2::text, 'ai'
from public.hypotheses h
where h.id = $3
  and not exists (
    select
    from public.questions q
    where q.project_id = h.project_id and lower(btrim(q.text)) = lower(btrim($2))
  )
on conflict (id) do nothing
;

-- name: SumTokens :one
select (coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0))::bigint
from private.chunk_answers
where import_id = $1
;

-- name: SummarizeDigests :many
select frequency,
  period,
  status,
  split_part(coalesce(reason, ''), ':', 1)::text as reason,
  count(*) as deliveries
from public.digest_deliveries
where window_end > $1
group by frequency, period, status, split_part(coalesce(reason, ''), ':', 1)
order by frequency, period desc, status, 4
;

-- name: SuppressAddress :execrows
insert into private.mail_refusals as r (address, refusals, code, suppressed_at, suppressed_by)
select lower($1), 0, $2::integer, now(), $3::text
where exists (select from auth.users u where lower(u.email) = lower($1) and not u.is_sso_user)
  or exists (select from auth.users u where lower(u.email) = lower($1) and u.is_sso_user)
on conflict on constraint mail_refusals_pkey do update
set code = excluded.code,
  last_at = now(),
  suppressed_at = coalesce(r.suppressed_at, now()),
  suppressed_by = case
    when excluded.suppressed_by = 'complaint' then 'complaint'
    else coalesce(r.suppressed_by, excluded.suppressed_by)
  end
where r.suppressed_by is distinct from 'complaint'
;

-- name: SuspectRun :exec
update private.import_runs set seen_at = '-infinity' where claim_id = $1 and finished_at is null
;

-- name: TakeDeletion :one
update private.deletions
set seen_at = clock_timestamp()
where id = (select d.id from private.deletions d order by d.seen_at, d.id limit 1)
returning id, kind
;

-- name: TakeLook :execrows
update private.temporal_state set looked_at = now()
where looked_at < now() - make_interval(secs => $1)
  and exists (
    select from private.import_runs r
    where r.finished_at is null
      and r.seen_at < now() - make_interval(secs => $2)
  )
;

-- name: TakeMailLook :execrows
update private.temporal_state set mails_looked_at = now()
where mails_looked_at < now() - make_interval(secs => $1)
  and (
    exists (select from auth.one_time_tokens t where t.sent_at is null and t.expires_at > now())
    or exists (select from auth.notices)
  )
;

-- name: TakeReader :one
with taken as (
  update private.import_runs r set
    reader = $1::uuid,
    lease_until = now() + make_interval(secs => $2),
    seen_at = now(),
    first_call_at = case
      when $3::boolean then coalesce(r.first_call_at, now()) else r.first_call_at
    end
  from public.imports i
  where i.id = $4
    and i.claim_id = $5::uuid
    and i.status = 'parsing'
    and r.claim_id = i.claim_id
    and (r.reader is null or r.reader = $1::uuid or r.lease_until < now())
  returning
    r.import_id,
    r.model_failures,
    r.first_call_at,
    i.run_id,
    i.waiting_reason,
    i.progress_done
),
cleared as (
  update public.imports i set waiting_reason = null
  from taken t
  where i.id = t.import_id and t.waiting_reason is not null and $3::boolean
)
select
  t.run_id,
  t.waiting_reason,
  t.progress_done,
  t.model_failures,
  coalesce(extract(epoch from now() - t.first_call_at), 0)::double precision as seconds_since_first_call
from taken t
;

-- name: TryCode :one
update auth.one_time_tokens
set attempts = attempts + 1
where user_id = $1::uuid
  and token_type = 'reauthentication'
  and expires_at > now()
  and attempts < $2::integer
returning id, token_hash
;

-- name: TurnOffDigests :execrows
update public.digest_preferences
set frequency = 'off'
where user_id = $1
  and frequency <> 'off'
;

-- name: TurnOffDigestsOf :execrows
update public.digest_preferences
set frequency = 'off'
where user_id = any ($1::uuid[])
  and frequency <> 'off'
;

-- name: UndoDigestAttempt :execrows
update public.digest_deliveries
set status = 'planned',
  attempts = attempts - 1,
  message_id = null
where id = $1
  and attempts = $2
  and status = 'sending'
;

-- name: UpdateResults :exec
select private.update_results(array[$1::uuid])
;

-- name: UpdateUser :exec
update auth.users
set email = coalesce(lower($1::text), email),
  phone = coalesce($2, phone),
  encrypted_password = coalesce($3, encrypted_password),
  email_confirmed_at = coalesce($4, email_confirmed_at),
  confirmation_sent_at = coalesce($5, confirmation_sent_at),
  raw_app_meta_data = coalesce($6::jsonb, raw_app_meta_data),
  raw_user_meta_data = coalesce($7::jsonb, raw_user_meta_data),
  updated_at = now()
where id = $8
;

-- name: UpsertEvidence :exec
insert into public.evidence (
  id, workspace_id, project_id, import_id, quote, summary, rationale, byte_start, byte_end,
  match, confidence, origin, model, prompt_version
)
select
  e.id,
  i.workspace_id,
  i.project_id,
  i.id,
  e.quote,
  e.summary,
  e.rationale,
  e.byte_start,
  e.byte_end,
  e.match::public.evidence_match,
  e.confidence,
  $1::public.evidence_origin,
  $2,
  $3
from public.imports i
cross join (
  select
    unnest($4::uuid[]) as id,
    unnest($5::text[]) as quote,
    unnest($6::text[]) as summary,
    unnest($7::text[]) as rationale,
    unnest($8::integer[]) as byte_start,
    unnest($9::integer[]) as byte_end,
    unnest($10::text[]) as match,
    unnest($11::double precision[]) as confidence
) e
where i.id = $12
on conflict (id) do update set
  summary = excluded.summary,
  rationale = excluded.rationale,
  match = excluded.match,
  confidence = excluded.confidence,
  origin = excluded.origin,
  model = excluded.model,
  prompt_version = excluded.prompt_version
where evidence.review = 'suggested' and evidence.edited_at is null
;

-- name: UpsertEvidenceHypotheses :exec
insert into public.evidence_hypotheses (
  evidence_id, hypothesis_id, workspace_id, project_id, stance, strength
)
select
  e.id,
  x.hypothesis_id,
  e.workspace_id,
  e.project_id,
  x.stance::public.evidence_stance,
  x.strength::public.evidence_strength
from (
  select
    unnest($1::uuid[]) as evidence_id,
    unnest($2::uuid[]) as hypothesis_id,
    unnest($3::text[]) as stance,
    unnest($4::text[]) as strength
) x
join public.evidence e on e.id = x.evidence_id and e.review = 'suggested' and e.edited_at is null
on conflict (evidence_id, hypothesis_id) do update set
  stance = excluded.stance,
  strength = excluded.strength
;

-- name: UseRecoveryCode :execrows
delete from auth.mfa_recovery_codes
where user_id = $1
  and code_hash = $2
;

-- name: UseToken :one
delete from auth.one_time_tokens
where token_hash = $1
  and expires_at > now()
  and token_type = any ($2::text[])
  and user_id is not null
returning user_id, token_type, relates_to, redirect_to, password_hash, user_metadata, session_id
;

-- name: WithdrawImport :execrows
with withdrawn as (
  update public.imports set
    status = 'canceled',
    claim_id = null,
    waiting_reason = null,
    error_code = 'canceled',
    error_message = $2::text,
    finished_at = now()
  where id = $3
    and claim_id = $1::uuid
    and status = 'queued'
  returning id
)
update private.import_runs set status = 'canceled', error_code = 'canceled', finished_at = now()
where claim_id = $1::uuid and import_id in (select w.id from withdrawn w)
;

-- name: WriteAudit :exec
insert into auth.audit_log_entries (payload, ip_address)
values ($1::jsonb, $2)
;
