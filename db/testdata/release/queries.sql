-- The queries of the release with migration 0028.

-- name: AcceptEvidence :exec
update public.evidence e
set
  review = 'accepted',
  summary = case when e.summary = '' then $1::text else e.summary end
where e.id = $2::uuid
  and (e.review = 'suggested' or (e.summary = '' and $1::text <> ''))
;

-- name: AcceptFactorCode :exec
update auth.mfa_factors
set status = 'verified',
  last_step = greatest(last_step, $1::bigint),
  updated_at = case status when 'verified' then updated_at else now() end
where id = $2
;

-- name: AddEvidence :one
insert into public.evidence (
  project_id, import_id, quote, byte_start, byte_end, match, summary, review
)
values (
  $1::uuid,
  $2::uuid,
  $3::text,
  $4::integer,
  $5::integer,
  $6::public.evidence_match,
  $7::text,
  'accepted'
)
returning id
;

-- name: AddExternalUser :execrows
insert into auth.users (id, email, is_sso_user, raw_app_meta_data, raw_user_meta_data)
values (
  $1,
  private.fold($2::text),
  true,
  $3::jsonb,
  $4::jsonb
)
on conflict (id) do nothing
;

-- name: AddHypothesis :one
insert into public.hypotheses (project_id, statement, category, importance, falsified_if)
values (
  $1::uuid,
  $2::text,
  $3::public.hypothesis_category,
  $4::public.hypothesis_importance,
  $5::text
)
returning id
;

-- name: AddIdentity :execrows
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
insert into auth.notices (id, user_id, kind, recipient)
values ($1, $2, $3, $4)
;

-- name: AddQuestion :one
insert into public.questions (project_id, hypothesis_id, text, priority)
values (
  $1::uuid,
  $2::uuid,
  $3::text,
  $4::public.question_priority
)
returning id
;

-- name: AddRefiHypotheses :exec
insert into public.hypotheses (id, project_id, statement, falsified_if)
select h.id, $1::uuid, h.statement, h.falsified_if
from (
  select
    unnest($2::uuid[]) as id,
    unnest($3::text[]) as statement,
    unnest($4::text[]) as falsified_if
) h
;

-- name: AddRefiQuotes :exec
insert into public.evidence (
  id, project_id, import_id, quote, summary, rationale, memo, byte_start, byte_end, review
)
select
  e.id, $1::uuid, $2::uuid, e.quote, e.summary, e.rationale, e.memo,
  e.byte_start, e.byte_end, 'accepted'
from (
  select
    unnest($3::uuid[]) as id,
    unnest($4::text[]) as quote,
    unnest($5::text[]) as summary,
    unnest($6::text[]) as rationale,
    unnest($7::text[]) as memo,
    unnest($8::integer[]) as byte_start,
    unnest($9::integer[]) as byte_end
) e
;

-- name: AddRefiThemes :exec
insert into public.themes (id, project_id, parent_id, name, description, memo, color)
select
  t.id, $1::uuid, nullif(t.parent_id, '00000000-0000-0000-0000-000000000000'), t.name,
  t.description, t.memo, nullif(t.color, '')
from (
  select
    unnest($2::uuid[]) as id,
    unnest($3::uuid[]) as parent_id,
    unnest($4::text[]) as name,
    unnest($5::text[]) as description,
    unnest($6::text[]) as memo,
    unnest($7::text[]) as color
) t
;

-- name: AddUndoLink :execrows
insert into auth.undo_links (
  id, user_id, kind, recipient, password_digest, factors, identities, signs_in_by_email
)
select $1,
  u.id,
  $2,
  u.email,
  sha256(convert_to(coalesce(u.encrypted_password, ''), 'UTF8')),
  coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', f.id, 'friendly_name', f.friendly_name, 'factor_type', f.factor_type, 'status', f.status,
      'secret', encode(f.secret, 'hex'), 'last_step', f.last_step, 'created_at', f.created_at
    ) order by f.created_at, f.id)
    from auth.mfa_factors f
    where f.user_id = u.id
      and f.status = 'verified'
      and f.id is distinct from $3::uuid
  ), '[]'),
  coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', i.id, 'provider', i.provider, 'provider_id', i.provider_id, 'identity_data', i.identity_data,
      'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at
    ) order by i.created_at, i.id)
    from auth.identities i
    where i.user_id = u.id
      -- The identity that a link of its notice removes stays out of later links: a thief may have added it.
      and not exists (
        select
        from auth.undo_links l
        where l.user_id = u.id
          and l.kind = 'identity_linked'
          and l.created_at = i.created_at
          and l.expires_at > now()
      )
  ), '[]'),
  $4
from auth.users u
where u.id = $5
  and (
    select count(*)
    from auth.undo_links l
    where l.user_id = u.id
      and l.expires_at > now()
  ) < $6::integer
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

-- name: AdoptAddress :exec
update auth.users
set email = coalesce(email, private.fold($1::text)),
  email_confirmed_at = case
    when email is null and $1::text is not null then now()
    else email_confirmed_at
  end,
  is_anonymous = false,
  updated_at = now()
where id = $2
;

-- name: AdoptNamespace :exec
update private.temporal_state set namespace_id = $1::text
;

-- name: AdviseImport :exec
select private.advise_import(
  $1::uuid,
  $2::bytea,
  $3::text[],
  $4::bigint[],
  $5::bigint[],
  $6::text[],
  $7::integer[],
  $8::integer[],
  $9::double precision[],
  $10::jsonb,
  $11::jsonb,
  $12::double precision,
  $13::boolean
)
;

-- name: ApplyEmailChange :exec
update auth.users
set email = private.fold($1::text),
  email_change = null,
  email_confirmed_at = now(),
  is_anonymous = false,
  updated_at = now()
where id = $2
;

-- name: ApproveAuthorization :exec
update auth.oauth_authorizations
set status = 'approved',
  code_hash = $1::bytea,
  code_expires_at = $2::timestamptz,
  factor_id = $3,
  amr = $4
where id = $5
;

-- name: BanUser :exec
update auth.users
set banned_until = $1,
  updated_at = now()
where id = $2
;

-- name: BeginAnswer :execrows
update public.answers set
  status = 'reading',
  started_at = coalesce(started_at, now()),
  workflow_id = $1::text,
  run_id = $2::text,
  extractor = $3::text,
  model = nullif($4::text, ''),
  prompt_version = nullif($5::text, ''),
  waiting_reason = null,
  seen_at = now()
where id = $6
  and claim_id = $7::uuid
  and status in ('queued', 'reading')
;

-- name: BeginParse :execrows
with begun as (
  update public.imports set
    status = 'parsing',
    started_at = coalesce(started_at, now()),
    workflow_id = $5::text,
    run_id = $6::text,
    progress_total = $7::integer,
    waiting_reason = 'turn',
    extractor = $2::text,
    model = nullif($3::text, ''),
    prompt_version = $4::text
  where id = $8
    and claim_id = $9::uuid
    and status in ('queued', 'parsing')
  returning claim_id
)
update private.import_runs r set
  status = 'parsing',
  begun_at = coalesce(r.begun_at, now()),
  recovery = $1::jsonb,
  seen_at = now(),
  extractor = $2::text,
  model = nullif($3::text, ''),
  prompt_version = $4::text
from begun
where r.claim_id = begun.claim_id
;

-- name: BeginThemeRun :execrows
update public.theme_runs set
  status = 'reading',
  started_at = coalesce(started_at, now()),
  workflow_id = $1::text,
  run_id = $2::text,
  extractor = $3::text,
  model = nullif($4::text, ''),
  prompt_version = nullif($5::text, ''),
  waiting_reason = null,
  seen_at = now()
where id = $6
  and claim_id = $7::uuid
  and status in ('queued', 'reading')
;

-- name: CancelAnswer :one
select c.result::private.cancel_result as result, c.run_id
from private.cancel_answer($1::uuid, $2::text) as c
;

-- name: CancelThemes :one
select c.result::private.stop_proposing_result as result, c.theme_run_id, c.run_id
from private.cancel_themes($1::uuid, $2::text) as c
;

-- name: CheckParse :one
select private.check_parse(
  $1::uuid,
  $2::uuid[],
  $3::bigint,
  $4::bigint,
  $5::boolean,
  $6::boolean
)::private.claim_result as result
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
  model_coverage = 0,
  readings = '[]',
  statement_language = '',
  checked_at = null
where import_hypotheses.statement <> excluded.statement
;

-- name: ClaimAnswer :one
select c.result::private.ask_result as result, c.workspace_id
from private.claim_answer(
  $1::uuid,
  $2::uuid,
  $3::uuid,
  $4::text,
  $5::public.answer_mode,
  $6::uuid[],
  $7::uuid[],
  $8::date,
  $9::date,
  $10::uuid,
  $11::bigint,
  $12::bigint,
  $13::bigint
) as c
;

-- name: ClaimAnswerAgain :one
select c.result::private.ask_result as result, c.workspace_id, c.project_id
from private.claim_answer_again(
  $1::uuid,
  $2::uuid,
  $3::public.answer_mode,
  $4::bigint,
  $5::bigint,
  $6::bigint
) as c
;

-- name: ClaimAuthorization :exec
update auth.oauth_authorizations
set user_id = $1::uuid
where id = $2
  and user_id is null
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
  c.project_id::uuid as project_id,
  coalesce(c.check_speakers, false)::boolean as check_speakers
from private.claim_import(
  $1::uuid,
  $2::uuid,
  $3::uuid[],
  $4::bigint,
  $5::bigint,
  $6::boolean,
  $7::boolean
) as c
;

-- name: ClaimMailRelay :execrows
update private.temporal_state set mails_looked_at = now()
where mails_looked_at < now() - make_interval(secs => $1)
  and (
    exists (
      select from auth.one_time_tokens t
      where t.sent_at is null and t.refused_at is null and t.expires_at > now()
    )
    or exists (select from auth.notices)
  )
;

-- name: ClaimReconciliation :execrows
update private.temporal_state set looked_at = now()
where looked_at < now() - make_interval(secs => $1)
  and (
    exists (
      select from private.import_runs r
      where r.finished_at is null
        and (
          r.seen_at < now() - make_interval(secs => $2)
          or r.cancel_requested_at < now() - make_interval(secs => $3)
        )
    )
    or exists (
      select from public.answers a
      where a.status in ('queued', 'reading')
        and a.seen_at < now() - make_interval(secs => $2)
    )
    or exists (
      select from public.theme_runs t
      where t.status in ('queued', 'reading')
        and t.seen_at < now() - make_interval(secs => $2)
    )
  )
;

-- name: ClaimThemes :one
select c.result::private.propose_result as result, c.workspace_id
from private.claim_themes(
  $1::uuid,
  $2::uuid,
  $3::uuid,
  $4::bigint,
  $5::bigint,
  $6::bigint
) as c
;

-- name: ClaimWebhook :one
select
  c.id::uuid as id,
  c.event_id::uuid as event_id,
  c.attempts::integer as attempts,
  c.body::text as body,
  c.url::text as url,
  array_remove(
    array[s.secret, case when s.previous_until > now() then s.previous end], null
  )::text[] as secrets
from private.claim_webhook($1::uuid, $2::double precision) as c
join private.webhook_secrets s on s.endpoint_id = $1::uuid
;

-- name: ClearBounces :execrows
delete from private.mail_refusals
where address = private.fold($1)
  and suppressed_at is null
;

-- name: ClearMailRefusals :exec
with cleared as (
  delete from private.mail_refusals r
  where r.address = private.fold($1)
    and r.bounces = 0
    and coalesce(r.suppressed_by, 'refusals') = 'refusals'
)
update private.mail_refusals r
set refusals = 0
where r.address = private.fold($1)
  and r.bounces > 0
  and r.refusals > 0
;

-- name: CompleteResponse :exec
update private.idempotency_keys set status = $1::integer, body = $2::bytea
where user_id = $3 and key = $4 and claim_id = $5::uuid
;

-- name: ConfirmAddress :exec
with confirmed as (
  update auth.users u
  set email_confirmed_at = now(),
    encrypted_password = case when $2::boolean then u.encrypted_password end,
    raw_user_meta_data = coalesce($1::jsonb, u.raw_user_meta_data),
    updated_at = now()
  where u.id = $3
  returning u.id, u.email
)
update public.profiles p
set display_name = private.display_name($1::jsonb, confirmed.email)
from confirmed
where p.id = confirmed.id
  and $1::jsonb is not null
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

-- name: CountAnswerText :one
select
  (select count(*) from public.answer_sentences s where s.answer_id = a.id)::integer as sentences,
  (
    select count(*) from public.answer_quotes q where q.answer_id = a.id and q.sentence_ordinal is null
  )::integer as passages
from public.answers a
where a.id = $1
;

-- name: CountAtTheEnd :exec
select set_config('research.ending', 'on', true)
;

-- name: CountBounce :execrows
insert into private.mail_refusals as r (address, refusals, code, bounces, bounced_at)
select private.fold($1), 0, $2::integer, 1, now()
where exists (
    select from auth.users u
    where private.fold(u.email) = private.fold($1) and not u.is_sso_user
  )
  or exists (
    select from auth.users u
    where private.fold(u.email) = private.fold($1) and u.is_sso_user
  )
on conflict on constraint mail_refusals_pkey do update
set code = excluded.code,
  last_at = now(),
  bounced_at = now(),
  bounces = case when r.bounced_at > now() - interval '30 days' then r.bounces + 1 else 1 end,
  suppressed_at = coalesce(
    r.suppressed_at,
    case
      when r.bounced_at > now() - interval '30 days' and r.bounces + 1 >= $3::integer
      then now()
    end),
  suppressed_by = coalesce(
    r.suppressed_by,
    case
      when r.bounced_at > now() - interval '30 days' and r.bounces + 1 >= $3::integer
      then 'bounces'
    end)
where r.bounced_at is null
  or r.bounced_at < now() - interval '12 hours'
;

-- name: CountCheck :exec
update private.import_runs r set
  check_calls = r.check_calls + 1,
  check_input_tokens = r.check_input_tokens + $1,
  check_output_tokens = r.check_output_tokens + $2
where r.claim_id = $3
;

-- name: CountEvidence :exec
update public.imports i set evidence_count = (
  select count(*)
  from public.evidence e
  where e.import_id = i.id and e.origin <> 'human' and e.review <> 'rejected'
    and exists (select from public.evidence_hypotheses x where x.evidence_id = e.id)
)
where i.id = $1
;

-- name: CountForeignIssuers :one
select count(*)
from auth.identities
where provider = $1
  and coalesce(identity_data ->> 'iss', '') <> $2::text
;

-- name: CountImportStates :many
select
  i.status,
  count(*) as number,
  coalesce(
    max(extract(epoch from now() - case i.status
      when 'queued' then i.queued_at
      when 'parsing' then case when i.waiting_reason is distinct from 'token_budget' then i.started_at end
    end)),
    0
  )::float8 as oldest_seconds
from public.imports i
where i.status in ('queued', 'parsing')
group by i.status
union all
select c.status, count(*), 0
from (
  (select 'uploaded'::public.import_status as status from public.imports i where i.status = 'uploaded'
   order by i.workspace_id limit 10000)
  union all
  (select 'parsed'::public.import_status as status from public.imports i where i.status = 'parsed'
   order by i.workspace_id limit 10000)
  union all
  (select 'failed'::public.import_status as status from public.imports i where i.status = 'failed'
   order by i.workspace_id limit 10000)
  union all
  (select 'canceled'::public.import_status as status from public.imports i where i.status = 'canceled'
   order by i.workspace_id limit 10000)
  union all
  (select 'terminated'::public.import_status as status from public.imports i where i.status = 'terminated'
   order by i.workspace_id limit 10000)
  union all
  (select 'timed_out'::public.import_status as status from public.imports i where i.status = 'timed_out'
   order by i.workspace_id limit 10000)
) c
group by c.status
order by status
;

-- name: CountInvitationMail :one
select private.count_invitation_mail($1::uuid)::boolean as may_be_sent
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
    when 'answer' then exists (
      select from public.answers x
      where x.id = e.entity_id and e.verb = 'finished' and x.created_by is distinct from (select auth.uid()))
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

-- name: CountOAuthClients :one
select count(*)
from auth.oauth_clients
;

-- name: CountProjectPeople :one
select count(*) from public.project_people($1::uuid) o
;

-- name: CountRecoveryCodes :one
select count(*)
from auth.mfa_recovery_codes
where user_id = $1
;

-- name: CountRefiQuotes :one
select count(*) from (
  select from public.evidence e
  where e.project_id = $1
    and (e.review = 'accepted' or e.review = 'suggested' and e.origin = 'human')
    and not e.in_progress
  limit $2
) x
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

-- name: CountScope :one
select
  (
    select count(*)
    from public.personas p
    where p.project_id = $1 and p.id = any ($2::uuid[])
  )::integer as personas,
  (
    select count(*)
    from public.imports i
    where i.project_id = $1 and i.id = any ($3::uuid[])
  )::integer as imports
;

-- name: CountSuppressedAddresses :one
select count(*)
from private.mail_refusals
where suppressed_at is not null
;

-- name: CountUnprovenEvidence :one
select count(*)
from public.evidence_hypotheses x
join public.evidence e on e.id = x.evidence_id
where x.hypothesis_id = $1 and e.byte_start is null and e.review <> 'rejected' and not e.in_progress
;

-- name: CountUpload :one
select private.count_upload($1) as exceeded
;

-- name: CountUsers :one
select count(*)
from auth.users u
where u.deleted_at is null
  and (
    $1::text = ''
    or strpos(private.fold(u.email), private.fold($1::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'full_name'), private.fold($1::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'display_name'), private.fold($1::text)) > 0
  )
;

-- name: CountWaitingImports :many
select i.waiting_reason::text as reason, count(*) as number
from public.imports i
where i.status in ('queued', 'parsing') and i.waiting_reason is not null
group by i.waiting_reason
;

-- name: CreateAuthorization :exec
with used as (
  update auth.oauth_clients c
  set last_used_at = $9
  where c.id = $2
    and c.last_used_at < $9::timestamptz - interval '1 hour'
)
insert into auth.oauth_authorizations (
  id, client_id, redirect_uri, scopes, state, resource, code_challenge, expires_at
)
values (
  $1,
  $2,
  $3,
  $4::text[],
  $5,
  $6,
  $7,
  $8
)
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
insert into auth.flow_state (
  user_id, auth_code_hash, code_challenge, code_challenge_method, authentication_method, session_id,
  linked_identity, expires_at
)
values (
  $1,
  $2,
  $3,
  $4,
  $5,
  $6,
  $7::jsonb,
  $8
)
;

-- name: CreateOAuthClient :one
insert into auth.oauth_clients (
  registration_type, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri,
  logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
)
values (
  $1,
  $2,
  $3,
  $4,
  $5,
  $6,
  $7,
  $8,
  $9,
  $10,
  $10,
  $10
)
returning id, registration_type, metadata_url, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
;

-- name: CreatePersonalToken :one
insert into auth.personal_access_tokens (user_id, name, token_hash, scopes, factor_id, amr, expires_at)
select $1,
  $2,
  $3,
  $4,
  $5,
  $6,
  now() + make_interval(secs => $7::double precision)
where (
    select count(*)
    from auth.personal_access_tokens t
    where t.user_id = $1
  ) < $8::bigint
returning id, name, scopes, created_at, expires_at, last_used_at
;

-- name: CreateProviderFlow :exec
insert into auth.provider_flows (
  token_hash, browser_hash, provider, nonce, code_verifier, code_challenge, code_challenge_method,
  redirect_to, user_id, session_id, expires_at
)
values (
  $1,
  $2,
  $3,
  $4,
  $5,
  $6,
  $7,
  $8,
  $9,
  $10,
  $11
)
;

-- name: CreateRecoveryCodes :exec
insert into auth.mfa_recovery_codes (user_id, code_hash)
select $1, h.code_hash
from unnest($2::bytea[]) as h (code_hash)
;

-- name: CreateRefreshToken :exec
insert into auth.refresh_tokens (token_hash, user_id, session_id, parent_id)
values ($1, $2, $3, $4)
;

-- name: CreateSession :exec
insert into auth.sessions (
  id, user_id, user_agent, ip, aal, amr, factor_id, oauth_client_id, scopes, resource, not_after
)
values (
  $1,
  $2,
  $3,
  $4,
  $5,
  $6,
  $7,
  $8,
  $9::text[],
  $10,
  least(
    now() + make_interval(secs => nullif($11::double precision, 0)),
    now() + make_interval(secs => nullif($12::double precision, 0))
  )
)
;

-- name: CreateUser :one
insert into auth.users (
  id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_sent_at, invited_at, phone,
  raw_app_meta_data, raw_user_meta_data, banned_until, is_anonymous
)
values (
  $1,
  'authenticated',
  'authenticated',
  private.fold($2::text),
  $3,
  $4,
  $5,
  $6,
  $7,
  $8::jsonb,
  $9::jsonb,
  $10,
  $11
)
returning id
;

-- name: DeleteAnswer :execrows
delete from public.answers where id = $1
;

-- name: DeleteAnswerText :exec
with sentences as (
  delete from public.answer_sentences s where s.answer_id = $1
)
delete from public.answer_quotes q where q.answer_id = $1 and q.sentence_ordinal is null
;

-- name: DeleteAppAuthorizations :exec
delete from auth.oauth_authorizations
where user_id = $1::uuid
  and client_id = $2
;

-- name: DeleteAppSessions :many
delete from auth.sessions
where user_id = $1
  and oauth_client_id = $2::uuid
returning id
;

-- name: DeleteChallenge :exec
delete from auth.mfa_challenges
where id = $1
;

-- name: DeleteConsent :execrows
delete from auth.oauth_consents
where user_id = $1
  and client_id = $2
;

-- name: DeleteExpiredKeys :one
select private.delete_expired_keys($1::bigint)::bigint as deleted
;

-- name: DeleteExpiredPersonalTokens :exec
delete from auth.personal_access_tokens
where user_id = $1
  and expires_at <= now()
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

-- name: DeleteIdentities :exec
delete from auth.identities
where user_id = $1
;

-- name: DeleteImport :one
select d.evidence::bigint as evidence, d.utterances::bigint as utterances
from private.delete_import($1::uuid) as d
;

-- name: DeleteLaterFactors :exec
delete from auth.mfa_factors
where user_id = $1
  and id not in (
    select (f ->> 'id')::uuid
    from jsonb_array_elements($2::jsonb) f
  )
;

-- name: DeleteLaterIdentities :exec
delete from auth.identities
where user_id = $1
  and id not in (
    select (i ->> 'id')::uuid
    from jsonb_array_elements($2::jsonb) i
  )
;

-- name: DeleteLaterUndoLinks :exec
delete from auth.undo_links
where user_id = $1
  and number > $2
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

-- name: DeleteOAuthClient :execrows
delete from auth.oauth_clients
where id = $1
;

-- name: DeleteOldActivity :execrows

delete from public.activity_events
where ctid = any (array(
  select e.ctid
  from public.activity_events e
  where e.occurred_at at time zone 'UTC' < $1::timestamptz at time zone 'UTC'
  order by e.occurred_at at time zone 'UTC'
  limit $2
))
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

-- name: DeleteOldAuthorizations :execrows
delete from auth.oauth_authorizations
where id in (
  select a.id from auth.oauth_authorizations a where a.expires_at < $1 limit $2
)
;

-- name: DeleteOldDeliveries :execrows
delete from public.digest_deliveries
where ctid = any (array(
  select d.ctid
  from public.digest_deliveries d
  where d.window_end < $1
    and d.expires_at < $1
    and d.status in ('sent', 'skipped', 'failed')
  limit $2
))
;

-- name: DeleteOldEvents :one
select private.expire_events($1::timestamptz, $2::integer)::bigint as deleted
;

-- name: DeleteOldFlows :execrows
delete from auth.flow_state
where id in (
  select f.id from auth.flow_state f where f.expires_at < $1 limit $2
)
;

-- name: DeleteOldImports :execrows
delete from private.deleted_imports
where import_id in (
  select d.import_id from private.deleted_imports d where d.deleted_at < $1 limit $2
)
;

-- name: DeleteOldNotices :execrows
delete from auth.notices
where id in (
  select n.id from auth.notices n where n.created_at < $1 limit $2
)
;

-- name: DeleteOldOneTimeTokens :execrows
delete from auth.one_time_tokens
where id in (
  select t.id from auth.one_time_tokens t where t.expires_at < $1 limit $2
)
;

-- name: DeleteOldPersonalTokens :execrows
delete from auth.personal_access_tokens
where id in (
  select t.id from auth.personal_access_tokens t where t.expires_at < $1 limit $2
)
;

-- name: DeleteOldProviderFlows :execrows
delete from auth.provider_flows
where id in (
  select f.id from auth.provider_flows f where f.expires_at < $1 limit $2
)
;

-- name: DeleteOldRefreshTokens :execrows
delete from auth.refresh_tokens
where ctid = any (array(
  select t.ctid
  from auth.sessions s
  join auth.refresh_tokens t on t.session_id = s.id
  where s.not_after < $1::timestamptz
  order by s.not_after
  limit $2
))
;

-- name: DeleteOldSessions :execrows
delete from auth.sessions
where ctid = any (array(
  select s.ctid
  from auth.sessions s
  where s.not_after < $1::timestamptz
    and not exists (select from auth.refresh_tokens t where t.session_id = s.id)
  order by s.not_after
  limit $2
))
;

-- name: DeleteOldSigningKeys :exec
delete from auth.signing_keys
where retired_at < now() - interval '30 days'
;

-- name: DeleteOldThemeChanges :execrows
delete from private.theme_changes
where ctid = any (array(
  select c.ctid from private.theme_changes c where c.at < $1 order by c.at limit $2
))
;

-- name: DeleteOldUndoLinks :execrows
delete from auth.undo_links
where id in (
  select l.id from auth.undo_links l where l.expires_at < $1 limit $2
)
;

-- name: DeleteOldUsage :execrows
delete from private.daily_usage
where ctid = any (array(
  select u.ctid
  from private.daily_usage u
  where u.day < ($1::timestamptz at time zone 'UTC')::date
  order by u.day
  limit $2
))
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

-- name: DeleteOwnSessions :many
delete from auth.sessions
where user_id = $1
  and oauth_client_id is null
  and ($2::uuid is null or id <> $2)
returning id
;

-- name: DeletePersonalToken :execrows
delete from auth.personal_access_tokens
where id = $1
  and user_id = $2
;

-- name: DeleteProposals :exec
delete from public.themes t
where t.project_id = $1
  and t.status = 'proposed'
  and t.origin = 'ai'
  and t.id <> all ($2::uuid[])
  and not private.is_touched(t)
;

-- name: DeleteRecoveryCodes :exec
delete from auth.mfa_recovery_codes
where user_id = $1
;

-- name: DeleteReplacedRefreshTokens :execrows
delete from auth.refresh_tokens
where ctid = any (array(
  select t.ctid
  from auth.refresh_tokens t
  where t.created_at < $1::timestamptz
    and t.revoked
    and t.revoked_at < $1::timestamptz
  order by t.created_at
  limit $2
))
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
  and not private.has_notes(e)
;

-- name: DeleteToken :exec
delete from auth.one_time_tokens
where id = $1
;

-- name: DeleteUnusedClients :execrows
delete from auth.oauth_clients o
where o.last_used_at < $1
  and o.id in (
    select c.id
    from auth.oauth_clients c
    where c.last_used_at < $1
      and c.registration_type <> 'manual'
      and not exists (select from auth.oauth_consents g where g.client_id = c.id)
      and not exists (select from auth.sessions s where s.oauth_client_id = c.id)
    order by c.last_used_at
    limit $2
  )
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

-- name: DeleteUserAccess :many
with requests as (
  delete from auth.oauth_authorizations a
  where a.user_id = $1::uuid
), consents as (
  delete from auth.oauth_consents c
  where c.user_id = $1::uuid
)
delete from auth.personal_access_tokens t
where t.user_id = $1::uuid
returning t.id
;

-- name: DeleteUserFlows :exec
delete from auth.flow_state
where user_id = $1
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

-- name: DeleteUserToken :execrows
delete from auth.one_time_tokens
where id = $1
  and user_id = $2::uuid
;

-- name: DeleteUserTokens :exec
delete from auth.one_time_tokens
where user_id = $1::uuid
;

-- name: DenyAuthorization :exec
update auth.oauth_authorizations
set status = 'denied'
where id = $1
;

-- name: DescribeImport :exec
select private.describe_import(
  $1::uuid,
  $2::jsonb,
  $3::jsonb,
  $4::double precision,
  $5::boolean
)
;

-- name: EndAnswer :one
update public.answers a set
  status = $1::public.answer_status,
  waiting_reason = null,
  error_code = $2::text,
  error_message = $3::text,
  finished_at = now()
where a.id = $4
  and a.claim_id = $5::uuid
  and a.status in ('queued', 'reading')
returning id, workspace_id, project_id, question_id, question, mode, scope, title, kept, status, result, missing, waiting_reason, imports_total, imports_read, passages_total, passages_read, coverage, progress_done, progress_total, people_total, people_count, unsupported_count, rejected_count, stale_since, extractor, model, prompt_version, input_tokens, output_tokens, workflow_id, run_id, claim_id, error_code, error_message, created_by, created_at, updated_at, queued_at, started_at, finished_at, seen_at
;

-- name: EndAnswerPart :exec
with part as (
  update private.answer_parts p set read_at = null
  where p.answer_id = $3
    and p.claim_id = $4::uuid
    and p.ordinal = $2
  returning p.answer_id, p.claim_id
)
update public.answers a set waiting_reason = $1::text, seen_at = now()
from part
where a.id = part.answer_id
  and a.claim_id = part.claim_id
  and a.status = 'reading'
  and not exists (
    select
    from private.answer_parts o
    where o.answer_id = part.answer_id
      and o.claim_id = part.claim_id
      and o.ordinal <> $2
      and o.read_at > now() - interval '15 seconds'
  )
;

-- name: EndImport :one
update public.imports i set
  status = $1::public.import_status,
  waiting_reason = null,
  error_code = $2,
  error_message = $3,
  extractor = coalesce($4, i.extractor),
  model = case when $4::text is null then i.model else $5 end,
  prompt_version = coalesce($6, i.prompt_version),
  finished_at = now(),
  evidence_count = (
    select count(*)
    from public.evidence e
    where e.import_id = i.id and e.origin <> 'human' and e.review <> 'rejected'
      and exists (select from public.evidence_hypotheses x where x.evidence_id = e.id)
  ),
  rejected_count = $7,
  coverage = $8,
  unread = $9
where i.id = $10
  and i.claim_id = $11::uuid
  and i.status in ('queued', 'parsing')
returning id, workspace_id, project_id, persona_id, title, interviewed_on, filename, format, size_bytes, stored_bytes, sha256, language, question_language, warnings, reading, reading_confidence, needs_look, status, waiting_reason, progress_done, progress_total, error_code, error_message, workflow_id, run_id, claim_id, requested_hypotheses, extractor, model, prompt_version, input_tokens, output_tokens, evidence_count, rejected_count, coverage, unread, queued_at, started_at, finished_at, created_by, created_at, updated_at
;

-- name: EndReading :exec
with chunk as (
  update private.import_chunks c set read_at = null
  where c.import_id = $2
    and c.claim_id = $3::uuid
    and c.ordinal = $4
  returning c.import_id, c.claim_id
),
idle as (
  select chunk.import_id, chunk.claim_id
  from chunk
  where not private.reads_other_chunk(chunk.import_id, chunk.claim_id, $4)
),
run as (
  update private.import_runs r set
    seen_at = now(),
    idle_since = case when private.stops_clock($1) then now() end,
    waits_since = now()
  from idle
  where r.claim_id = idle.claim_id
)
update public.imports i set waiting_reason = $1::text
from idle
where i.id = idle.import_id and i.claim_id = idle.claim_id and i.status = 'parsing'
;

-- name: EndRun :exec
update private.import_runs r set
  status = $1::public.import_status,
  error_code = $2,
  finished_at = now(),
  calls = r.check_calls + spent.calls,
  input_tokens = r.check_input_tokens + spent.input_tokens,
  output_tokens = r.check_output_tokens + spent.output_tokens,
  added = r.added + $3::integer,
  changed = r.changed + $4::integer,
  gone = r.gone + $5::integer,
  discarded = $6
from (
  select
    coalesce(sum(c.calls), 0) as calls,
    coalesce(sum(c.input_tokens), 0) as input_tokens,
    coalesce(sum(c.output_tokens), 0) as output_tokens
  from private.import_chunks c
  where c.import_id = $8 and c.claim_id = $7
) spent
where r.claim_id = $7
;

-- name: EndThemePart :exec
with part as (
  update private.theme_run_parts p set read_at = null
  where p.theme_run_id = $4 and p.ordinal = $3
  returning p.theme_run_id
)
update public.theme_runs r set waiting_reason = $1::text, seen_at = now()
from part
where r.id = part.theme_run_id
  and r.claim_id = $2::uuid
  and r.status = 'reading'
  and not exists (
    select
    from private.theme_run_parts o
    where o.theme_run_id = part.theme_run_id
      and o.ordinal <> $3
      and o.read_at > now() - interval '15 seconds'
  )
;

-- name: EndThemeRun :one
update public.theme_runs r set
  status = $1::public.theme_run_status,
  waiting_reason = null,
  error_code = $2::text,
  error_message = $3::text,
  finished_at = now()
where r.id = $4
  and r.claim_id = $5::uuid
  and r.status in ('queued', 'reading')
returning id, workspace_id, project_id, status, waiting_reason, progress_done, progress_total, imports_total, coverage, proposed_count, quotes_count, unused_count, rejected_count, extractor, model, prompt_version, input_tokens, output_tokens, workflow_id, run_id, claim_id, error_code, error_message, created_by, created_at, updated_at, queued_at, started_at, finished_at, seen_at
;

-- name: ExchangeAuthorization :exec
update auth.oauth_authorizations
set session_id = $1::uuid,
  exchanged_at = $2::timestamptz
where id = $3
;

-- name: ExpireDigests :execrows
update public.digest_deliveries
set status = 'failed',
  reason = concat_ws(' after ', 'expired', reason)
where status = 'planned'
  and expires_at <= now()
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

-- name: ExplainResponses :many
select r.created_at, r.input_tokens, r.output_tokens
from private.chunk_responses r
where r.import_id = $1
order by r.created_at desc
limit $2
;

-- name: ExplainRuns :many
select
  r.claim_id, r.requested_by, r.refresh, cardinality(r.hypotheses)::integer as hypotheses, r.status,
  r.error_code, r.queued_at, r.begun_at, r.first_call_at, r.finished_at, r.seen_at,
  r.cancel_requested_at, r.waits_since,
  r.extractor, r.model, r.calls, r.input_tokens, r.output_tokens, r.added, r.changed, r.gone
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
    select jsonb_agg(
      jsonb_build_object('network', n.network, 'signed_in_at', n.signed_in_at) order by n.signed_in_at)
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

-- name: ExportAnswers :many
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
where a.created_by = $1::uuid and a.id > $2
order by a.id
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
where (r.actor_id = $1::uuid
    or r.target_type = 'user' and r.target_id = $1::uuid)
  and r.id > $2
order by r.id
limit $3
;

-- name: ExportAuthorizations :many
select a.id, jsonb_build_object(
  'id', a.id, 'client_id', coalesce(c.metadata_url, c.id::text), 'client_name', c.client_name,
  'scopes', a.scopes, 'resource', a.resource, 'status', a.status, 'created_at', a.created_at
)::jsonb as record
from auth.oauth_authorizations a
join auth.oauth_clients c on c.id = a.client_id
where a.user_id = $1::uuid and a.id > $2
order by a.id
limit $3
;

-- name: ExportComments :many
select c.id, jsonb_build_object(
  'id', c.id, 'workspace_id', c.workspace_id, 'project_id', c.project_id, 'evidence_id', c.evidence_id,
  'theme_id', c.theme_id, 'body', c.body, 'created_at', c.created_at
)::jsonb as record
from public.comments c
where c.created_by = $1::uuid and c.id > $2
order by c.id
limit $3
;

-- name: ExportConsents :many
select g.id, jsonb_build_object(
  'id', g.id, 'client_id', coalesce(c.metadata_url, c.id::text), 'client_name', c.client_name,
  'scopes', g.scopes, 'resource', g.resource, 'granted_at', g.granted_at
)::jsonb as record
from auth.oauth_consents g
join auth.oauth_clients c on c.id = g.client_id
where g.user_id = $1 and g.id > $2
order by g.id
limit $3
;

-- name: ExportDecisions :many
select d.id, jsonb_build_object(
  'id', d.id, 'hypothesis_id', d.hypothesis_id, 'workspace_id', d.workspace_id, 'project_id', d.project_id,
  'statement', h.statement, 'number', d.number, 'status', d.status, 'confirms', d.confirms,
  'decided_at', d.decided_at, 'decision_reason', d.reason, 'falsified_if', d.falsified_if,
  'participants', d.participants, 'supporting', d.supporting, 'contradicting', d.contradicting,
  'mixed', d.mixed, 'supports', d.supports, 'contradicts', d.contradicts, 'interviews', d.interviews
)::jsonb as record
from public.hypothesis_decisions d
join public.hypotheses h on h.id = d.hypothesis_id
where d.decided_by = $1::uuid and d.id > $2
order by d.id
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
  'speaker_confirmed',
  case when $1::uuid in (e.created_by, e.edited_by) then e.speaker_confirmed end,
  'hypotheses', case when $1::uuid in (e.created_by, e.edited_by) then (
    select jsonb_agg(
      jsonb_build_object('hypothesis_id', l.hypothesis_id, 'stance', l.stance, 'strength', l.strength)
      order by l.hypothesis_id)
    from public.evidence_hypotheses l
    where l.evidence_id = e.id and l.project_id = e.project_id
  ) end,
  'memo', case when $1::uuid in (e.created_by, e.edited_by) then e.memo end,
  'themes', (
    select jsonb_agg(l.theme_id order by l.theme_id)
    from public.evidence_themes l
    where l.evidence_id = e.id and l.created_by = $1::uuid
  ),
  'review', case when e.reviewed_by = $1::uuid then e.review end,
  'reviewed_at', case when e.reviewed_by = $1::uuid then e.reviewed_at end
)::jsonb as record
from public.evidence e
where (
    $1::uuid in (e.created_by, e.edited_by, e.reviewed_by)
    or e.id in (
      select l.evidence_id from public.evidence_themes l where l.created_by = $1::uuid
    )
  )
  and e.id > $2
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

-- name: ExportFindingShares :many
select s.id, jsonb_build_object(
  'id', s.id, 'workspace_id', s.workspace_id, 'project_id', s.project_id, 'hypothesis_id', s.hypothesis_id,
  'report_id', s.report_id, 'show_names', s.show_names, 'created_at', s.created_at,
  'expires_at', s.expires_at, 'ended_at', s.ended_at
)::jsonb as record
from public.finding_shares s
where s.created_by = $1::uuid and s.id > $2
order by s.id
limit $3
;

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
    where a.actor_id = $1::uuid and a.entity_type = 'hypothesis'
      and a.verb in ('created', 'updated')
  )
  or h.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = $1::uuid)
  ))
  and h.id > $2
order by h.id
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
  'id', i.id, 'workspace_id', i.workspace_id, 'role', i.role,
  'expires_at', i.expires_at, 'created_at', i.created_at
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

-- name: ExportPersonalTokens :many
select t.id, jsonb_build_object(
  'id', t.id, 'name', t.name, 'scopes', t.scopes,
  'aal', case when t.factor_id is null then 'aal1' else 'aal2' end,
  'created_at', t.created_at, 'expires_at', t.expires_at, 'last_used_at', t.last_used_at
)::jsonb as record
from auth.personal_access_tokens t
where t.user_id = $1 and t.id > $2
order by t.id
limit $3
;

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
    where a.actor_id = $1::uuid and a.entity_type = 'persona'
      and a.verb in ('created', 'updated')
  )
  or p.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = $1::uuid)
  ))
  and p.id > $2
order by p.id
limit $3
;

-- name: ExportProjects :many
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
    where a.actor_id = $1::uuid and a.entity_type = 'project'
      and a.verb in ('created', 'updated')
  )
  or p.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = $1::uuid)
  ))
  and p.id > $2
order by p.id
limit $3
;

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
    where a.actor_id = $1::uuid and a.entity_type = 'question'
      and a.verb in ('created', 'updated')
  )
  or q.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = $1::uuid)
  ))
  and q.id > $2
order by q.id
limit $3
;

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
    where a.actor_id = $1::uuid and a.entity_type = 'report'
      and a.verb in ('created', 'updated')
  )
  or r.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = $1::uuid)
  ))
  and r.id > $2
order by r.id
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
  'aal', s.aal, 'amr', s.amr, 'user_agent', s.user_agent, 'ip', host(s.ip),
  'client_id', coalesce(c.metadata_url, c.id::text), 'scopes', s.scopes, 'resource', s.resource
)::jsonb as record
from auth.sessions s
left join auth.oauth_clients c on c.id = s.oauth_client_id
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

-- name: ExportThemeRuns :many
select r.id, jsonb_build_object(
  'id', r.id, 'workspace_id', r.workspace_id, 'project_id', r.project_id, 'status', r.status,
  'proposed_count', r.proposed_count, 'quotes_count', r.quotes_count, 'created_at', r.created_at,
  'finished_at', r.finished_at
)::jsonb as record
from public.theme_runs r
where r.created_by = $1::uuid and r.id > $2
order by r.id
limit $3
;

-- name: ExportThemes :many
select t.id, jsonb_build_object(
  'id', t.id, 'workspace_id', t.workspace_id, 'project_id', t.project_id, 'parent_id', t.parent_id,
  'name', t.name, 'description', t.description, 'memo', t.memo, 'status', t.status,
  'created_at', t.created_at
)::jsonb as record
from public.themes t
where (t.created_by = $1::uuid
  or t.id in (
    select a.entity_id
    from public.activity_events a
    where a.actor_id = $1::uuid and a.entity_type = 'theme'
      and a.verb in ('created', 'updated')
  )
  or t.workspace_id in (
    select m.workspace_id
    from public.workspace_members m
    group by m.workspace_id
    having count(*) = 1 and bool_and(m.user_id = $1::uuid)
  ))
  and t.id > $2
order by t.id
limit $3
;

-- name: ExportWebhooks :many
select e.id, jsonb_build_object(
  'id', e.id, 'workspace_id', e.workspace_id, 'events', e.events,
  'active', e.active, 'created_at', e.created_at
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

-- name: FeedWebhook :one
select private.feed_webhook(
  $1::uuid, $2::integer, $3::integer
)::boolean as more
;

-- name: FindAnswerClaim :one
select id
from public.answers
where id = $1 and claim_id = $2::uuid and status in ('queued', 'reading')
;

-- name: FindAuthorizationCode :one
select a.id, a.user_id::uuid as user_id
from auth.oauth_authorizations a
where a.code_hash = $1::bytea
  and a.client_id = $2
;

-- name: FindDuplicate :one
select coalesce(
  (
    select i.id from public.imports i
    where i.project_id = $1::uuid and i.sha256 = $2::text
    order by i.created_at, i.id
    limit 1
  ),
  '00000000-0000-0000-0000-000000000000'::uuid
)::uuid as id
;

-- name: FindEditableProject :one
select private.caller_may_edit(p.workspace_id)::boolean as may_edit from public.projects p where p.id = $1
;

-- name: FindEvidenceAt :one
select
  e.id,
  e.review,
  coalesce(x.stance::text, '')::text as stance
from public.evidence e
left join public.evidence_hypotheses x
  on x.evidence_id = e.id and x.hypothesis_id = $1::uuid
where e.import_id = $2::uuid
  and not e.in_progress
  and (e.review = 'accepted' or x.stance is not null)
  and e.byte_start < $3::integer
  and e.byte_end > $4::integer
  and 10 * (
    least(e.byte_end, $3::integer) - greatest(e.byte_start, $4::integer)
  ) >= 9 * greatest(
    e.byte_end - e.byte_start, $3::integer - $4::integer
  )
order by
  x.stance is null,
  abs(e.byte_start - $4::integer),
  e.created_at,
  e.id
limit 1
;

-- name: FindHypothesis :one
select h.id
from public.hypotheses h
where h.project_id = $1::uuid
  and private.fold(btrim(h.statement, ' .')) = private.fold(btrim($2::text, ' .'))
order by h.created_at, h.id
limit 1
;

-- name: FindInterviewsByName :many
with asked as materialized (select private.search_beginnings($3::text) as words)
select i.id, i.title
from (
  select x.id, x.title, x.created_at
  from public.imports x
  where x.project_id = any ($1::uuid[])
  order by x.created_at desc, x.id
  limit 2000
) i
where
  private.has_words(i.title, (select a.words from asked a))
  or exists (
    select
    from public.import_speakers s
    left join public.participants p on p.id = s.participant_id
    where s.import_id = i.id
      and private.has_words(coalesce(p.name, s.display_name), (select a.words from asked a))
  )
order by i.created_at desc, i.id
limit $2::integer
;

-- name: FindPersonalToken :one
select t.id,
  t.user_id,
  t.scopes,
  t.expires_at,
  t.last_used_at,
  (u.deleted_at is null and (u.banned_until is null or u.banned_until <= now()))::boolean as active,
  jsonb_build_object(
    'sub', u.id,
    'role', 'authenticated',
    'email', coalesce(u.email, ''),
    'phone', coalesce(u.phone, ''),
    'is_anonymous', u.is_anonymous,
    'personal_token_id', t.id,
    'aal', case when t.factor_id is null then 'aal1' else 'aal2' end,
    'amr', case
      when t.factor_id is not null then t.amr
      else jsonb_path_query_array(t.amr, '$[*] ? (@.method != "totp" && @.method != "mfa/recovery_code")')
    end,
    'app_metadata', case
      when coalesce(u.raw_app_meta_data, '{}') = '{}' and u.email is not null
      then '{"provider": "email", "providers": ["email"]}'::jsonb
      else coalesce(u.raw_app_meta_data, '{}')
    end,
    'user_metadata', case
      when octet_length(u.raw_user_meta_data::text) > 16384 then '{}'
      else coalesce(u.raw_user_meta_data, '{}') - 'email_verified'
        || case
          when u.email_confirmed_at is null then '{}'::jsonb
          else '{"email_verified": true}'
        end
    end
  )::jsonb as claims
from auth.personal_access_tokens t
join auth.users u on u.id = t.user_id
where t.token_hash = $1
;

-- name: FindQuestion :one
select q.id
from public.questions q
where q.project_id = $1::uuid
  and private.fold(btrim(q.text, ' ?')) = private.fold(btrim($2::text, ' ?'))
order by q.created_at, q.id
limit 1
;

-- name: FindThemeClaim :one
select id
from public.theme_runs
where id = $1 and claim_id = $2::uuid and status in ('queued', 'reading')
;

-- name: FindToken :one
select t.id, t.token_type, t.redirect_to, t.expires_at > now() as valid
from auth.one_time_tokens t
where t.token_hash = $1
;

-- name: FindUndoLink :one
select l.user_id, l.kind, l.created_at
from auth.undo_links l
join auth.users u on u.id = l.user_id
  and u.deleted_at is null
where l.token_hash = $1
  and l.expires_at > now()
;

-- name: FinishAnswer :one
update public.answers a set
  status = 'answered',
  result = $1::public.answer_result,
  imports_read = $2::integer,
  passages_read = $3::integer,
  coverage = $4::double precision,
  progress_done = a.progress_total,
  waiting_reason = null,
  error_code = null,
  error_message = null,
  finished_at = now(),
  seen_at = now()
where a.id = $5 and a.claim_id = $6::uuid and a.status = 'reading'
returning id, workspace_id, project_id, question_id, question, mode, scope, title, kept, status, result, missing, waiting_reason, imports_total, imports_read, passages_total, passages_read, coverage, progress_done, progress_total, people_total, people_count, unsupported_count, rejected_count, stale_since, extractor, model, prompt_version, input_tokens, output_tokens, workflow_id, run_id, claim_id, error_code, error_message, created_by, created_at, updated_at, queued_at, started_at, finished_at, seen_at
;

-- name: FinishAnswerPart :execrows
with part as (
  update private.answer_parts p set
    done_at = now(),
    read_at = null,
    response_keys = $1::bytea[],
    unread = $2::jsonb,
    reserved_tokens = 0
  where p.answer_id = $3
    and p.claim_id = $4::uuid
    and p.ordinal = $5
    and p.done_at is null
  returning p.answer_id, p.claim_id
)
update public.answers a set progress_done = a.progress_done + 1, seen_at = now()
from part
where a.id = part.answer_id and a.claim_id = part.claim_id and a.status = 'reading'
;

-- name: FinishChunk :exec
with chunk as (
  update private.import_chunks c set
    done_at = now(),
    read_at = null,
    response_keys = $1,
    unread = $2
  where c.import_id = $3
    and c.claim_id = $4::uuid
    and c.ordinal = $5
    and c.done_at is null
  returning c.import_id, c.claim_id
),
run as (
  update private.import_runs r set
    seen_at = now(),
    idle_since = case
      when not private.reads_other_chunk(chunk.import_id, chunk.claim_id, $5) then now()
    end
  from chunk
  where r.claim_id = chunk.claim_id
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

-- name: FinishProviderFlow :one
delete from auth.provider_flows
where token_hash = $1
  and browser_hash = $2::bytea
returning provider, nonce, code_verifier, code_challenge, code_challenge_method, redirect_to, user_id,
  session_id, expires_at
;

-- name: FinishThemePart :execrows
with part as (
  update private.theme_run_parts p set
    done_at = now(),
    read_at = null,
    response_keys = $2::bytea[],
    unread = $3::jsonb,
    reserved_tokens = 0
  where p.theme_run_id = $4 and p.ordinal = $5 and p.done_at is null
  returning p.theme_run_id
)
update public.theme_runs r set progress_done = r.progress_done + 1, seen_at = now()
from part
where r.id = part.theme_run_id and r.claim_id = $1::uuid and r.status = 'reading'
;

-- name: FinishThemeRun :one
update public.theme_runs r set
  status = 'done',
  coverage = $1::double precision,
  proposed_count = $2::integer,
  quotes_count = $3::integer,
  unused_count = $4::integer,
  rejected_count = $5::integer,
  progress_done = r.progress_total,
  waiting_reason = null,
  error_code = null,
  error_message = null,
  finished_at = now(),
  seen_at = now()
where r.id = $6 and r.claim_id = $7::uuid and r.status = 'reading'
returning id, workspace_id, project_id, status, waiting_reason, progress_done, progress_total, imports_total, coverage, proposed_count, quotes_count, unused_count, rejected_count, extractor, model, prompt_version, input_tokens, output_tokens, workflow_id, run_id, claim_id, error_code, error_message, created_by, created_at, updated_at, queued_at, started_at, finished_at, seen_at
;

-- name: FoldNames :many
select private.fold(n.name)::text as folded
from unnest($1::text[]) with ordinality as n (name, ordinal)
order by n.ordinal
;

-- name: FoldTexts :many
select private.fold(n.text)::text as folded
from unnest($1::text[]) with ordinality as n (text, place)
order by n.place
;

-- name: FollowQuestions :exec
select private.follow_questions(array[$1::uuid])
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
returning id, workspace_id, project_id, persona_id, title, interviewed_on, filename, format, size_bytes, stored_bytes, sha256, language, question_language, warnings, reading, reading_confidence, needs_look, status, waiting_reason, progress_done, progress_total, error_code, error_message, workflow_id, run_id, claim_id, requested_hypotheses, extractor, model, prompt_version, input_tokens, output_tokens, evidence_count, rejected_count, coverage, unread, queued_at, started_at, finished_at, created_by, created_at, updated_at
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

-- name: ForgetDeletedImport :one
select d.evidence::bigint as evidence, d.utterances::bigint as utterances
from private.forget_deleted_import($1::uuid) as d
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
select a.id, a.workspace_id, a.project_id, a.question_id, a.question, a.mode, a.scope, a.title, a.kept, a.status, a.result, a.missing, a.waiting_reason, a.imports_total, a.imports_read, a.passages_total, a.passages_read, a.coverage, a.progress_done, a.progress_total, a.people_total, a.people_count, a.unsupported_count, a.rejected_count, a.stale_since, a.extractor, a.model, a.prompt_version, a.input_tokens, a.output_tokens, a.workflow_id, a.run_id, a.claim_id, a.error_code, a.error_message, a.created_by, a.created_at, a.updated_at, a.queued_at, a.started_at, a.finished_at, a.seen_at, private.caller_may_edit(a.workspace_id)::boolean as may_edit
from public.answers a
where a.id = $1
;

-- name: GetAnswerResponse :one
select r.response, r.input_tokens, r.output_tokens
from private.answer_responses r
where r.key = $1 and r.project_id = $2
;

-- name: GetChallenge :one
select expires_at
from auth.mfa_challenges
where id = $1
  and factor_id = $2
  and session_id = $3
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

-- name: GetConsent :one
select scopes, resource, redirect_host
from auth.oauth_consents
where user_id = $1
  and client_id = $2
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
      where r.address = private.fold(u.email)
        and r.suppressed_at is not null
    )
  )::boolean as mailable
from auth.users u
join public.digest_preferences p on p.user_id = u.id
where u.id = $2
;

-- name: GetDigestStatus :one
select d.status,
  exists (
    select
    from public.digest_deliveries n
    where n.user_id = d.user_id
      and n.id <> d.id
      and n.status in ('planned', 'sending', 'sent', 'uncertain')
      and n.window_start < d.window_end
      and n.window_end > d.window_start
  ) as told
from public.digest_deliveries d
where d.id = $1
;

-- name: GetEndedAnswer :one
select id, workspace_id, project_id, question_id, question, mode, scope, title, kept, status, result, missing, waiting_reason, imports_total, imports_read, passages_total, passages_read, coverage, progress_done, progress_total, people_total, people_count, unsupported_count, rejected_count, stale_since, extractor, model, prompt_version, input_tokens, output_tokens, workflow_id, run_id, claim_id, error_code, error_message, created_by, created_at, updated_at, queued_at, started_at, finished_at, seen_at
from public.answers
where id = $1
  and claim_id = $2::uuid
  and status not in ('queued', 'reading')
;

-- name: GetEndedThemeRun :one
select id, workspace_id, project_id, status, waiting_reason, progress_done, progress_total, imports_total, coverage, proposed_count, quotes_count, unused_count, rejected_count, extractor, model, prompt_version, input_tokens, output_tokens, workflow_id, run_id, claim_id, error_code, error_message, created_by, created_at, updated_at, queued_at, started_at, finished_at, seen_at
from public.theme_runs
where id = $1
  and claim_id = $2::uuid
  and status not in ('queued', 'reading')
;

-- name: GetEventBounds :one
select b.head::bigint as head, b.expired::bigint as expired from private.event_bounds() as b
;

-- name: GetEvidence :one
select
  e.id,
  e.workspace_id,
  e.project_id,
  coalesce(e.import_id, '00000000-0000-0000-0000-000000000000')::uuid as import_id,
  coalesce(i.title, '')::text as title,
  e.quote,
  e.summary,
  e.rationale,
  coalesce(p.name, nullif(s.display_name, ''), e.speaker)::text as speaker,
  e.speaker_confirmed,
  coalesce(e.start_ms, -1)::bigint as start_ms,
  coalesce(e.utterance_from, -1)::integer as utterance_from,
  coalesce(e.utterance_to, -1)::integer as utterance_to,
  (e.byte_start is not null)::boolean as proven,
  e.review
from public.evidence e
left join public.imports i on i.id = e.import_id
left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
left join public.participants p on p.id = s.participant_id
where e.id = $1 and not e.in_progress
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
select id, user_id, code_challenge, code_challenge_method, authentication_method, session_id, linked_identity,
  expires_at
from auth.flow_state
where auth_code_hash = $1
;

-- name: GetHypothesis :one
select h.id, h.workspace_id, h.project_id, h.persona_id, h.statement, h.category, h.importance, h.status, h.falsified_if, h.reopen_after, h.decided_by, h.decided_at, h.decision_reason, h.created_at, h.updated_at, private.caller_may_edit(h.workspace_id)::boolean as may_edit
from public.hypotheses h
where h.id = $1::uuid
;

-- name: GetIdentity :one
select user_id, coalesce(identity_data ->> 'iss', '')::text as issuer
from auth.identities
where provider = $1
  and provider_id = $2
;

-- name: GetImport :one
select id, workspace_id, project_id, persona_id, title, interviewed_on, filename, format, size_bytes, stored_bytes, sha256, language, question_language, warnings, reading, reading_confidence, needs_look, status, waiting_reason, progress_done, progress_total, error_code, error_message, workflow_id, run_id, claim_id, requested_hypotheses, extractor, model, prompt_version, input_tokens, output_tokens, evidence_count, rejected_count, coverage, unread, queued_at, started_at, finished_at, created_by, created_at, updated_at from public.imports where id = $1
;

-- name: GetImportFile :one
select
  f.data, f.layout, f.speakers, f.remembered, f.remembered_unlabelled,
  coalesce(f.advice, '{}')::jsonb as advice
from private.import_files f
where f.import_id = $1
;

-- name: GetImportForCancel :one
select
  i.status,
  i.claim_id,
  private.caller_may_edit(i.workspace_id)::boolean as may_edit
from public.imports i
where i.id = $1
;

-- name: GetImportForReading :one
select
  i.project_id,
  i.status,
  i.reading,
  i.format,
  i.language,
  i.unread,
  i.stored_bytes,
  private.caller_may_edit(i.workspace_id)::boolean as may_edit
from public.imports i
where i.id = $1
;

-- name: GetInterview :one
select
  i.id,
  i.workspace_id,
  i.project_id,
  i.title,
  i.interviewed_on,
  (select coalesce(max(u.ordinal) + 1, 0) from public.utterances u where u.import_id = i.id)::integer as turns
from public.imports i
where i.id = $1
;

-- name: GetInterviewCraft :one
select
  c.project_id::uuid as project_id,
  c.language::text as language,
  c.words::bigint as words,
  coalesce(c.interviewer_words, -1)::bigint as interviewer_words,
  coalesce(c.participant_words, -1)::bigint as participant_words,
  c.other_words::bigint as other_words,
  coalesce(c.longest_from, -1)::integer as longest_from,
  coalesce(c.longest_to, -1)::integer as longest_to,
  coalesce(c.longest_words, -1)::bigint as longest_words,
  coalesce(c.longest_ms, -1)::bigint as longest_ms
from public.interview_craft c
where c.import_id = $1::uuid
;

-- name: GetLastBackup :one
select coalesce(
  (select s.value::timestamptz from private.settings s where s.name = 'last_backup_at'), 'epoch'
)::timestamptz as began_at
;

-- name: GetMetadataClient :one
select id, registration_type, metadata_url, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
from auth.oauth_clients
where metadata_url = $1::text
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
  and created_at > now() - interval '7 days'
;

-- name: GetOAuthClient :one
select id, registration_type, metadata_url, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
from auth.oauth_clients
where id = $1
;

-- name: GetProject :one
select id, workspace_id, name, description, stage, status, created_at, updated_at from public.projects where id = $1
;

-- name: GetProvable :one
select
  private.transcript_version(i.id)::text as version,
  private.interviewers(i.id)::text[] as interviewers
from public.imports i
join private.transcripts t on t.import_id = i.id
where i.id = $1::uuid
;

-- name: GetRecorded :one
select
  e.id,
  e.quote,
  e.summary,
  e.review,
  coalesce(p.name, nullif(s.display_name, ''), e.speaker)::text as speaker,
  e.speaker_confirmed,
  e.asked_kind,
  e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  coalesce(e.utterance_from, -1)::integer as utterance_from,
  coalesce(e.utterance_to, -1)::integer as utterance_to,
  x.stance,
  x.strength
from public.evidence e
join public.evidence_hypotheses x on x.evidence_id = e.id
left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
left join public.participants p on p.id = s.participant_id
where e.id = $1::uuid and x.hypothesis_id = $2::uuid
;

-- name: GetRefiTurns :one
select
  coalesce(array_agg(u.speaker order by u.ordinal), '{}')::text[] as speakers,
  coalesce(array_agg(u.text order by u.ordinal), '{}')::text[] as texts
from public.utterances u
where u.import_id = $1::uuid
;

-- name: GetRefreshToken :one
select id, revoked, revoked_at
from auth.refresh_tokens
where id = $1
;

-- name: GetRememberedResponse :one
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

-- name: GetSecret :one
select value
from auth.secrets
where name = $1
;

-- name: GetSessionUser :one
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors,
  auth.identities_of(u.id)::jsonb as identities,
  (s.id is not null)::boolean as has_session
from auth.users u
left join auth.sessions s on s.id = $1
  and s.user_id = u.id
  and (s.not_after is null or s.not_after > now())
where u.id = $2
  and u.deleted_at is null
;

-- name: GetSharedFindings :one
select
  s.expires_at::timestamptz as expires_at,
  s.show_names::boolean as show_names,
  case
    when octet_length(s.findings::text) <= $1::integer then s.findings else 'null'
  end::jsonb as findings,
  case
    when octet_length(s.report::text) <= $1::integer then s.report else 'null'
  end::jsonb as report
from private.shared_findings($2::bytea) as s
;

-- name: GetSpeakerFile :one
select f.data, i.sha256
from public.imports i
join private.import_files f on f.import_id = i.id
where i.id = $1
;

-- name: GetStorage :one
select i.stored_bytes, private.exceeded_quota(i.workspace_id, 0) as exceeded
from public.imports i
where i.id = $1
;

-- name: GetThemePlan :one
select known from private.theme_run_plans where theme_run_id = $1
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
  from (select x.import_id, x.ordinal, x.workspace_id, x.project_id, x.speaker, x.start_ms, x.end_ms, x.text, x.byte_start, x.byte_end, x.words, x.confidence, x.created_at, x.updated_at from public.utterances x where x.import_id = i.id order by x.ordinal) s
) u
where i.id = $1
;

-- name: GetUploadRights :one
select
  p.workspace_id,
  private.caller_may_edit(p.workspace_id)::boolean as may_edit,
  (
    select count(*) from public.imports i
    where i.created_by = auth.uid() and i.created_at > now() - interval '1 hour'
  ) as made_by_caller,
  (
    select count(*) from public.imports i
    where i.workspace_id = p.workspace_id and i.created_at > now() - interval '1 hour'
  ) as made_in_workspace,
  private.exceeded_quota(p.workspace_id, 1) as exceeded
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
where private.fold(u.email) = private.fold($1::text)
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
where private.fold(u.email) = private.fold($2::text)
  and not u.is_sso_user
  and u.deleted_at is null
;

-- name: HasDeletions :one
select exists (select from private.deletions)
;

-- name: HasEmailChange :one
select exists (
  select
  from auth.one_time_tokens
  where user_id = $1::uuid
    and token_type = $2
    and relates_to = $3::text
    and expires_at > now()
)
;

-- name: HasIdleDeletions :one
select exists (
  select from private.deletions d where d.seen_at < now() - make_interval(secs => $1)
)
;

-- name: HasImport :one
select exists (
  select from public.imports i
  where i.id = $1::uuid and i.project_id = $2::uuid
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

-- name: HasSpeakersInDoubt :one
select private.has_speakers_in_doubt($1::uuid)::boolean
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

-- name: InsertAnswerParts :exec
insert into private.answer_parts (
  answer_id, claim_id, ordinal, import_id, utterance_from, utterance_to, byte_start, byte_end, done_at
)
select
  $1::uuid,
  $2::uuid,
  p.ordinal,
  p.import_id,
  p.utterance_from,
  p.utterance_to,
  p.byte_start,
  p.byte_end,
  case when $3::boolean then now() end
from (
  select
    unnest($4::integer[]) as ordinal,
    unnest($5::uuid[]) as import_id,
    unnest($6::integer[]) as utterance_from,
    unnest($7::integer[]) as utterance_to,
    unnest($8::integer[]) as byte_start,
    unnest($9::integer[]) as byte_end
) p
on conflict do nothing
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

-- name: InsertThemeParts :exec
insert into private.theme_run_parts (
  theme_run_id, ordinal, import_id, utterance_from, utterance_to, byte_start, byte_end
)
select
  $1::uuid,
  p.ordinal,
  p.import_id,
  p.utterance_from,
  p.utterance_to,
  p.byte_start,
  p.byte_end
from (
  select
    unnest($2::integer[]) as ordinal,
    unnest($3::uuid[]) as import_id,
    unnest($4::integer[]) as utterance_from,
    unnest($5::integer[]) as utterance_to,
    unnest($6::integer[]) as byte_start,
    unnest($7::integer[]) as byte_end
) p
on conflict do nothing
;

-- name: IsAdmin :one
select exists (select from private.my_workspaces('admin') w where w = $1::uuid)::boolean
;

-- name: IsCorrected :one
select private.is_corrected($1::uuid)::boolean as is_corrected
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

-- name: KeepAdvice :exec
update private.import_files f set advice = $1::jsonb where f.import_id = $2
;

-- name: KeepFile :exec
select private.keep_file(
  $1::uuid,
  $2::bytea,
  $3::text,
  $4::jsonb,
  $5::text[],
  $6::boolean
)
;

-- name: KeepTurns :exec
select private.keep_turns(
  $1::uuid,
  $2::integer[],
  $3::text[],
  $4::text[],
  $5::double precision[]
)
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
  and r.address = private.fold(u.email)
;

-- name: LinkEvidence :exec
insert into public.evidence_hypotheses (evidence_id, hypothesis_id, stance, strength)
values (
  $1::uuid,
  $2::uuid,
  $3::public.evidence_stance,
  $4::public.evidence_strength
)
;

-- name: LinkRefiHypotheses :execrows
insert into public.evidence_hypotheses (evidence_id, hypothesis_id, project_id, stance)
select l.evidence_id, l.hypothesis_id, $1::uuid, l.stance::public.evidence_stance
from (
  select
    unnest($2::uuid[]) as evidence_id,
    unnest($3::uuid[]) as hypothesis_id,
    unnest($4::text[]) as stance
) l
on conflict (evidence_id, hypothesis_id) do nothing
;

-- name: LinkRefiThemes :execrows
insert into public.evidence_themes (evidence_id, theme_id, project_id)
select l.evidence_id, l.theme_id, $1::uuid
from (
  select
    unnest($2::uuid[]) as evidence_id,
    unnest($3::uuid[]) as theme_id
) l
on conflict (evidence_id, theme_id) do nothing
;

-- name: LinkSpeakers :one
select private.link_speakers(
  $1::uuid, $2::text[], $3::uuid[]
)::boolean as linked
;

-- name: ListAnswerParts :many
select answer_id, claim_id, ordinal, import_id, utterance_from, utterance_to, byte_start, byte_end, read_at, done_at, response_keys, unread, reserved_tokens from private.answer_parts where answer_id = $1 and claim_id = $2 order by ordinal
;

-- name: ListAnswerQuotes :many
select
  q.id, q.answer_id, q.workspace_id, q.project_id, q.sentence_ordinal, q.ordinal, q.import_id, q.quote, q.speaker, q.speaker_confirmed, q.start_ms, q.utterance_from, q.utterance_to, q.byte_start, q.byte_end, q.match, q.evidence_id, q.created_at, q.updated_at,
  i.title as import_title,
  coalesce(p.name, nullif(v.display_name, ''), q.speaker)::text as speaker_name,
  coalesce(s.text, '') as sentence,
  coalesce(s.people_count, 0) as people_count
from public.answer_quotes q
join public.imports i on i.id = q.import_id
left join public.answer_sentences s on s.answer_id = q.answer_id and s.ordinal = q.sentence_ordinal
left join public.import_speakers v on v.import_id = q.import_id and v.speaker = q.speaker
left join public.participants p on p.id = v.participant_id
where q.answer_id = $1
order by q.sentence_ordinal, q.ordinal, q.id
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
  coalesce(not ev.speaker_confirmed, false)::boolean as unconfirmed,
  coalesce(ev.asked_kind, '')::text as asked,
  r.total
from ranked r
left join public.evidence ev on ev.id = r.answer_evidence_id
left join public.profiles p on p.id = r.actor_id
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListChallenges :many
with people as (
  select q.hypothesis_id,
    q.person,
    min(q.said_at) as first_at,
    (array_agg(q.actor_id order by q.said_at, q.evidence_id))[1] as first_by
  from private.quotes_against() as q (
    hypothesis_id, project_id, workspace_id, decision_id, person, evidence_id, said_at, actor_id
  )
  group by q.hypothesis_id, q.person
), challenged as (
  select p.hypothesis_id,
    count(*) as against,
    bool_or(
      p.first_at >= $2::timestamptz
      and p.first_at < $3::timestamptz
      and p.first_by is distinct from (select auth.uid())) as is_news
  from people p
  group by p.hypothesis_id
), ranked as (
  select h.workspace_id,
    h.project_id,
    h.id,
    h.statement,
    h.status,
    h.falsified_if,
    h.reopen_after,
    h.decided_by,
    c.against,
    row_number() over (
      partition by h.project_id
      order by c.against >= h.reopen_after desc, h.importance, c.against desc, h.id
    ) as place,
    (count(*) filter (where c.against >= h.reopen_after) over (partition by h.project_id))::integer
      as reopened,
    (count(*) over (partition by h.project_id))::integer as total
  from challenged c
  join public.hypotheses h on h.id = c.hypothesis_id
  where c.is_news
)
select r.workspace_id,
  w.name as workspace_name,
  r.project_id,
  j.name as project_name,
  r.id,
  r.statement,
  r.status::text as status,
  r.falsified_if,
  r.against::integer as against,
  r.reopen_after,
  coalesce(r.decided_by = (select auth.uid()), false)::boolean as by_recipient,
  coalesce(p.display_name, '')::text as decided_by,
  r.reopened,
  r.total
from ranked r
join public.workspaces w on w.id = r.workspace_id
join public.projects j on j.id = r.project_id
left join public.profiles p on p.id = r.decided_by
where r.place <= $1::integer
order by w.name, w.id, j.name, r.project_id, r.place
;

-- name: ListChosenHypotheses :many
select ih.hypothesis_id as id, ih.statement
from public.imports i
join public.import_hypotheses ih on ih.import_id = i.id and ih.hypothesis_id = any(i.requested_hypotheses)
where i.id = $1
order by ih.hypothesis_id
;

-- name: ListChunkResponses :many
select r.key, r.response
from private.chunk_responses r
where r.import_id = $1 and r.key = any($2::bytea[])
;

-- name: ListChunks :many
select import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, hypotheses, reserved_tokens, calls, call_seconds, input_tokens, output_tokens, response_keys, unread, read_at, done_at from private.import_chunks where import_id = $1 and claim_id = $2 order by ordinal
;

-- name: ListConfidencesBefore :many
select c.turn::integer as turn, c.confidence::double precision as confidence
from private.confidences_before(
  $1::uuid,
  $2::integer[],
  $3::text[],
  $4::text[]
) as c
;

-- name: ListConsumers :many
with used as (
  select 'storage' as kind, i.workspace_id, sum(i.stored_bytes)::bigint as amount
  from public.imports i
  group by i.workspace_id
  union all
  select x.kind, w.id, x.amount
  from private.daily_usage u
  join public.workspaces w on w.id = u.subject
  cross join lateral (values ('uploads', u.uploads::bigint), ('tokens', u.tokens)) x (kind, amount)
  where u.day = private.today()
  union all
  select 'rows', c.workspace_id, sum(c.rows)::bigint
  from private.row_counts c
  group by c.workspace_id
),
ranked as (
  select
    u.kind,
    u.workspace_id,
    u.amount,
    sum(u.amount) over (partition by u.kind) as total,
    row_number() over (partition by u.kind order by u.amount desc, u.workspace_id) as place
  from used u
  where u.amount > 0
)
select r.kind::text as kind, r.workspace_id::uuid as workspace_id, r.amount::bigint as amount,
  r.total::bigint as total
from ranked r
where r.place <= $1::integer
order by r.kind, r.place
;

-- name: ListCorrections :many
select
  c.turn::integer as turn,
  c.was_text::text as was_text,
  c.was_speaker::text as was_speaker,
  coalesce(c.author, '')::text as author,
  c.corrected_at::timestamptz as corrected_at
from private.corrections_of($1::uuid) as c
limit $2::integer
;

-- name: ListDigestMembers :many
select s.user_id
from private.digest_schedule s
where s.frequency = $1
  and s.user_id > $2
order by s.user_id
limit 2000
for update
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

-- name: ListDigestWindows :many
select c.user_id::uuid as user_id,
  greatest(told.until, least(c.period_start, date_trunc('day', (
    select min(e.occurred_at)
    from public.workspace_members m
    cross join lateral (
      select a.occurred_at
      from public.activity_events a
      where a.workspace_id = m.workspace_id
        and a.occurred_at >= told.until
        and a.occurred_at < c.period_start
        and a.actor_id is distinct from c.user_id
        and (a.entity_type <> 'member' or a.entity_id <> c.user_id)
        and (
          private.is_news(a.entity_type, a.verb)
          or a.entity_type = 'evidence' and a.verb = 'accepted'
          or a.entity_type = 'hypothesis' and a.verb = 'updated'
        )
      order by a.occurred_at
      limit 1
    ) e
    where m.user_id = c.user_id
  ), p.timezone)))::timestamptz as window_start,
  exists (
    select
    from public.digest_deliveries d
    where d.user_id = c.user_id
      and d.window_end > c.earliest
      and d.status = 'sending'
  ) as sending
from (
  select unnest($1::uuid[]) as user_id,
    unnest($2::timestamptz[]) as period_start,
    unnest($3::timestamptz[]) as earliest
) c
join public.digest_preferences p on p.user_id = c.user_id
cross join lateral (
  select greatest(c.earliest, coalesce(
    (
      select d.window_end
      from public.digest_deliveries d
      where d.user_id = c.user_id
        and (
          d.status in ('sending', 'sent', 'uncertain')
          or d.status = 'skipped' and d.reason = 'nothing_new'
        )
      order by d.window_end desc
      limit 1
    ),
    least(c.period_start, p.created_at)
  )) as until
  offset 0
) told
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
select due.id, due.user_id, due.frequency, due.window_start, due.window_end,
  coalesce(
    (select p.timezone from public.digest_preferences p where p.user_id = due.user_id), 'UTC'
  )::text as timezone
from hours h
cross join lateral (
  select d.id, d.user_id, d.frequency, d.window_start, d.window_end
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
  e.in_progress,
  (
    e.review <> 'suggested' or e.edited_at is not null or e.origin = 'human' or private.has_notes(e)
  )::boolean as of_person,
  eh.hypothesis_id,
  eh.stance,
  coalesce(eh.given_strength, eh.strength)::public.evidence_strength as strength
from public.evidence e
join public.evidence_hypotheses eh on eh.evidence_id = e.id
where e.import_id = $1::uuid
  and e.byte_start is not null
  and eh.hypothesis_id = any($2::uuid[])
order by e.byte_start, e.byte_end, e.id
for no key update of e
;

-- name: ListEvidenceOfTurns :many
select e.id, e.import_id::uuid as import_id, t.ordinal::integer as ordinal, e.quote
from (
  select
    unnest($1::uuid[]) as import_id,
    unnest($2::integer[]) as ordinal,
    generate_subscripts($1::uuid[], 1) as n
) t
join public.evidence e
  on e.import_id = t.import_id and t.ordinal between e.utterance_from and e.utterance_to
where e.review <> 'rejected' and not e.in_progress
order by t.n, e.byte_start, e.id
limit $3::integer
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

-- name: ListFinishedAnswers :many
with finished as (
  select e.entity_id,
    max(e.occurred_at) as at
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.entity_type = 'answer'
    and e.verb = 'finished'
  group by e.entity_id
), ranked as (
  select a.project_id,
    a.id,
    a.question,
    a.result,
    a.people_count,
    a.created_by,
    row_number() over (
      partition by a.project_id
      order by a.people_count desc, f.at desc, a.id
    ) as place,
    (count(*) over (partition by a.project_id))::integer as total
  from finished f
  join public.answers a on a.id = f.entity_id
  where a.status = 'answered' and a.created_by is distinct from (select auth.uid())
)
select r.project_id,
  r.id,
  r.question,
  coalesce(r.result::text, '')::text as result,
  r.people_count as people,
  coalesce(p.display_name, '')::text as actor,
  r.total
from ranked r
left join public.profiles p on p.id = r.created_by
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListGrants :many
select c.id, c.registration_type, c.metadata_url, c.client_type, c.token_endpoint_auth_method, c.client_secret_hash, c.client_name, c.client_uri, c.logo_uri, c.redirect_uris, c.grant_types, c.created_at, c.updated_at, c.last_used_at,
  g.scopes,
  g.redirect_host,
  g.granted_at,
  coalesce((
    select max(coalesce(s.refreshed_at, s.created_at))
    from auth.sessions s
    where s.user_id = g.user_id
      and s.oauth_client_id = g.client_id
  ), g.granted_at)::timestamptz as last_used_at
from auth.oauth_consents g
join auth.oauth_clients c on c.id = g.client_id
where g.user_id = $1
order by g.granted_at desc, g.id
;

-- name: ListGuideHypotheses :many
select
  h.id, h.statement, h.category, h.importance, h.status, h.persona_id,
  (h.falsified_if <> '')::boolean as ready,
  p.participants::bigint as participants,
  p.supporting::bigint as supporting,
  p.contradicting::bigint as contradicting,
  p.mixed::bigint as mixed,
  p.silent::bigint as silent,
  coalesce(c.reopened, false)::boolean as reopened
from public.hypotheses h
join public.hypothesis_people p on p.hypothesis_id = h.id and p.project_id = h.project_id
left join public.hypothesis_challenges c on c.hypothesis_id = h.id and c.project_id = h.project_id
where h.project_id = $1
order by h.created_at, h.id
limit $2
;

-- name: ListGuidePersonas :many
select p.id, p.name, coalesce(o.people, 0)::bigint as people, coalesce(s.heard, 0)::bigint as heard
from public.personas p
left join (
  select a.persona_id, count(*) as people
  from public.project_people($1::uuid) as a (
    participant_id, import_id, name, persona_id, attributes
  )
  group by a.persona_id
) o on o.persona_id = p.id
left join (
  select v.persona_id, count(distinct (v.participant_id, v.import_id, v.name)) as heard
  from public.hypothesis_participants v
  where v.project_id = $1::uuid
    and v.hypothesis_id = any($2::uuid[])
    and v.supports + v.contradicts + v.neutral > 0
  group by v.persona_id
) s on s.persona_id = p.id
where p.project_id = $1::uuid
order by p.created_at, p.id
limit $3
;

-- name: ListHypothesesOfEvidence :many
select h.id, h.statement, x.stance, x.strength
from public.evidence_hypotheses x
join public.hypotheses h on h.id = x.hypothesis_id
where x.evidence_id = $1
order by x.created_at, h.id
limit 50
;

-- name: ListHypothesisBalances :many
select
  h.id,
  h.project_id,
  h.statement,
  h.status,
  h.category,
  h.importance,
  h.falsified_if,
  h.decision_reason,
  coalesce(a.name, '')::text as persona,
  p.supporting::bigint as supporting,
  p.contradicting::bigint as contradicting,
  p.mixed::bigint as mixed,
  p.neutral::bigint as neutral,
  p.silent::bigint as silent,
  p.others::bigint as others,
  r.interviews::bigint as interviews,
  r.read::bigint as read,
  r.nothing_found::bigint as nothing_found,
  r.nothing_matched::bigint as nothing_matched
from (
  select x.id, x.workspace_id, x.project_id, x.persona_id, x.statement, x.category, x.importance, x.status, x.falsified_if, x.reopen_after, x.decided_by, x.decided_at, x.decision_reason, x.created_at, x.updated_at
  from public.hypotheses x
  where x.project_id = $1::uuid
    and x.id = coalesce($2::uuid, x.id)
    and x.status = coalesce($3::public.hypothesis_status, x.status)
  order by x.created_at, x.id
  limit $5
  offset $4
) h
join public.hypothesis_people p on p.hypothesis_id = h.id and p.project_id = h.project_id
left join public.personas a on a.id = h.persona_id
cross join lateral (
  select
    count(*) as interviews,
    count(*) filter (where i.coverage > 0 or i.result <> 'pending') as read,
    count(*) filter (where i.result = 'nothing_found' and i.model_coverage > 0) as nothing_found,
    count(*) filter (where i.result = 'nothing_found' and i.model_coverage = 0) as nothing_matched
  from public.imports m
  left join public.import_hypotheses i
    on i.import_id = m.id and i.hypothesis_id = h.id and i.statement = h.statement
  where m.project_id = h.project_id
) r
order by h.created_at, h.id
;

-- name: ListInterviewerQuestions :many
select
  q.ordinal,
  q.byte_start,
  q.byte_end,
  u.speaker,
  convert_from(
    substring(convert_to(u.text, 'UTF8') from q.byte_start - u.byte_start + 1 for q.byte_end - q.byte_start),
    'UTF8'
  )::text as text,
  q.is_open,
  q.is_closed,
  q.is_past,
  q.is_hypothetical,
  q.is_leading
from public.utterance_questions q
join public.utterances u on u.import_id = q.import_id and u.ordinal = q.ordinal
join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
where q.import_id = $1::uuid and s.role = 'interviewer'
order by q.byte_start
limit $2
;

-- name: ListInterviewers :one
select private.interviewers($1::uuid)::text[] as interviewers
;

-- name: ListJudgedEvidence :many
select
  e.import_id::uuid as import_id,
  h.id as hypothesis_id,
  h.statement,
  x.stance,
  e.quote,
  e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  (e.review = 'accepted')::boolean as accepted
from public.evidence e
join public.evidence_hypotheses x on x.evidence_id = e.id
join public.hypotheses h on h.id = x.hypothesis_id
where e.project_id = $1
  and e.import_id is not null
  and e.byte_start is not null
  and e.review in ('accepted', 'rejected')
order by e.import_id, h.id, e.byte_start, e.byte_end, e.id
;

-- name: ListKnownStatements :many
select h.statement, private.fold(rtrim(h.statement, ' .!?'))::text as folded
from public.hypotheses h
where h.project_id = $1
order by h.created_at, h.id
;

-- name: ListKnownTexts :many
(
  select h.statement as text
  from public.hypotheses h
  where h.project_id = $1
  limit $2
)
union all
(
  select t.name || E'\n' || t.description
  from public.themes t
  where t.project_id = $1
  limit $2
)
;

-- name: ListLabelRoles :many
select private.role_of_label(l.label) as role
from unnest($1::text[]) with ordinality as l (label, ordinal)
order by l.ordinal
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
  coalesce(b.supports, 0)::integer as all_supports,
  coalesce(b.contradicts, 0)::integer as all_contradicts,
  coalesce(b.supports + b.contradicts + b.neutral, 0)::integer as all_quotes,
  coalesce(b.accepted, 0)::integer as accepted
from ranked r
left join lateral (
  select x.supports, x.contradicts, x.neutral, x.accepted
  from private.hypothesis_balances() as x (
    hypothesis_id, project_id, supports, contradicts, neutral, suggested, rejected, accepted
  )
  where x.hypothesis_id = r.hypothesis_id
) b on true
where r.place <= $1::integer
order by r.project_id, r.place
;

-- name: ListMyWorkspaces :many
select w::uuid as id from private.my_workspaces() as w
;

-- name: ListNames :many
select s.speaker as name from public.import_speakers s where s.project_id = $1
union
select s.display_name from public.import_speakers s where s.project_id = $1
union
select p.name from public.participants p where p.project_id = $1
order by name
;

-- name: ListNewComments :many
with events as (
  select e.entity_id, max(e.occurred_at) as occurred_at
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'comment'
    and (e.verb = 'created' or e.verb = 'mentioned' and e.detail -> 'mentioned' ? (select auth.uid())::text)
  group by e.entity_id
), news as (
  select c.id, c.workspace_id, c.project_id, c.evidence_id, c.theme_id, c.body, c.mentions, c.edited_at, c.created_by, c.created_at, c.updated_at,
    ((select auth.uid()) = any (c.mentions))::boolean as is_mention,
    e.occurred_at
  from events e
  join public.comments c on c.id = e.entity_id
  where private.concerns_caller(c)
), ranked as (
  select n.id, n.workspace_id, n.project_id, n.evidence_id, n.theme_id, n.body, n.mentions, n.edited_at, n.created_by, n.created_at, n.updated_at, n.is_mention, n.occurred_at,
    row_number() over (
      partition by n.project_id, n.is_mention
      order by n.occurred_at desc, n.created_at desc, n.id
    ) as place,
    (count(*) over (partition by n.project_id, n.is_mention))::integer as total
  from news n
)
select r.workspace_id,
  w.name as workspace_name,
  r.project_id,
  j.name as project_name,
  r.is_mention,
  left(r.body, 1000)::text as body,
  coalesce(p.display_name, '')::text as author,
  r.evidence_id,
  left(coalesce(ev.quote, ''), 1000)::text as quote,
  ev.import_id,
  r.theme_id,
  coalesce(t.name, '')::text as theme,
  r.total
from ranked r
join public.workspaces w on w.id = r.workspace_id
join public.projects j on j.id = r.project_id
left join public.evidence ev on ev.id = r.evidence_id
left join public.themes t on t.id = r.theme_id
left join public.profiles p on p.id = r.created_by
where r.place <= $1::integer
order by w.name, w.id, j.name, r.project_id, r.is_mention desc, r.place
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
  ev.speaker_confirmed,
  coalesce(ev.asked_kind, '')::text as asked_kind,
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

-- name: ListOAuthClients :many
select id, registration_type, metadata_url, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
from auth.oauth_clients
order by created_at desc, id
limit $2
offset $1
;

-- name: ListOpenImports :many
select
  i.id,
  i.progress_total as chunks,
  i.progress_done as chunks_done,
  (r.first_call_at is not null)::boolean as is_called,
  coalesce(extract(epoch from private.reading_time(r)), 0)::double precision as reading_seconds
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.finished_at is null
  and i.status in ('queued', 'parsing')
  and i.waiting_reason is distinct from 'token_budget'
order by r.queued_at, i.id
;

-- name: ListOpenImportsOf :many
select i.id
from public.imports i
where i.workspace_id = $1
  and i.status in ('queued', 'parsing')
;

-- name: ListOpenQuestions :many
select q.id, q.text, q.hypothesis_id, q.priority
from public.questions q
where q.project_id = $1 and q.status = 'open'
order by q.priority, q.created_at, q.id
limit $2
;

-- name: ListPartInterviews :many
select
  i.id,
  private.transcript_version(i.id)::text as version,
  private.interviewers(i.id)::text[] as interviewers
from public.imports i
where i.id in (
  select p.import_id
  from private.answer_parts p
  where p.answer_id = $1 and p.claim_id = $2::uuid
)
order by i.created_at, i.id
;

-- name: ListPartResponses :many
select r.key, r.import_id, r.response, r.input_tokens, r.output_tokens
from private.chunk_responses r
where r.import_id = any ($1::uuid[]) and r.key = any ($2::bytea[])
;

-- name: ListPersonalTokens :many
select id, name, scopes, created_at, expires_at, last_used_at
from auth.personal_access_tokens
where user_id = $1
order by created_at desc, id
;

-- name: ListPlacedEvidence :many
select
  e.id,
  e.quote,
  e.speaker,
  e.speaker_confirmed,
  coalesce(e.byte_start, -1)::integer as byte_start,
  coalesce(e.byte_end, -1)::integer as byte_end
from public.evidence e
where e.import_id = $1::uuid and (e.byte_start is not null or e.place_lost)
order by e.byte_start, e.byte_end, e.id
;

-- name: ListPlannedChunks :many
select c.ordinal, (c.done_at is not null)::boolean as done
from private.import_chunks c
where c.import_id = $1 and c.claim_id = $2::uuid
order by c.ordinal
;

-- name: ListPlannedQuestions :many
select q.id, q.hypothesis_id, q.text
from public.questions q
where q.project_id = $1::uuid and q.status <> 'dropped'
order by q.created_at, q.id
limit $2
;

-- name: ListProjectReadings :many
select r.format, r.label, r.answer, r.other
from private.project_readings r
where r.project_id = $1
order by r.format, r.label, r.unlabelled
;

-- name: ListProjectsForAssistants :many
select
  p.id,
  p.workspace_id,
  p.name,
  w.name as workspace,
  p.description,
  p.stage,
  p.status,
  (select count(*) from public.imports i where i.project_id = p.id) as interviews,
  h.hypotheses::bigint as hypotheses,
  h.validated::bigint as validated,
  h.invalidated::bigint as invalidated,
  b.supports::bigint as supports,
  b.contradicts::bigint as contradicts,
  b.neutral::bigint as neutral,
  b.suggested::bigint as suggested
from (
  select x.id, x.workspace_id, x.name, x.description, x.stage, x.status, x.created_at, x.updated_at
  from public.projects x
  order by x.created_at desc, x.id
  limit $2
  offset $1
) p
join public.workspaces w on w.id = p.workspace_id
cross join lateral (
  select
    count(*) as hypotheses,
    count(*) filter (where x.status = 'validated') as validated,
    count(*) filter (where x.status = 'invalidated') as invalidated
  from public.hypotheses x
  where x.project_id = p.id
) h
cross join lateral (
  select
    coalesce(sum(x.supports), 0) as supports,
    coalesce(sum(x.contradicts), 0) as contradicts,
    coalesce(sum(x.neutral), 0) as neutral,
    coalesce(sum(x.suggested), 0) as suggested
  from public.hypothesis_balances(p.id) x
) b
order by p.created_at desc, p.id
;

-- name: ListProvenEvidence :many
select
  x.stance,
  x.strength,
  e.id,
  e.review,
  e.quote,
  e.summary,
  e.rationale,
  coalesce(p.name, nullif(s.display_name, ''), e.speaker)::text as speaker,
  e.speaker_confirmed,
  e.import_id::uuid as import_id,
  i.title,
  coalesce(e.start_ms, -1)::bigint as start_ms,
  coalesce(e.utterance_from, -1)::integer as utterance_from,
  coalesce(e.utterance_to, -1)::integer as utterance_to,
  coalesce(e.asked_kind, '')::text as asked_kind
from public.evidence_hypotheses x
join public.evidence e on e.id = x.evidence_id
join public.imports i on i.id = e.import_id
left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
left join public.participants p on p.id = s.participant_id
where x.hypothesis_id = $1::uuid
  and x.stance = coalesce($2::public.evidence_stance, x.stance)
  and case
    when $3::public.evidence_review is null then e.review <> 'rejected'
    else e.review = $3::public.evidence_review
  end
  and e.byte_start is not null
  and not e.in_progress
  and s.role is distinct from 'interviewer'
order by x.stance, e.review = 'accepted' desc, x.strength desc, e.confidence desc, e.id
limit $5
offset $4
;

-- name: ListPublishedEvents :many
select e.seq::bigint as seq, e.type, e.workspace_id, e.import_id, e.answer_id, e.entity_id
from private.events e
where e.seq > $1::bigint
order by e.seq
limit $2
;

-- name: ListQuotesOfImport :many
select
  e.id,
  e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  e.review,
  (
    e.review <> 'suggested' or e.edited_at is not null or e.origin = 'human' or private.has_notes(e)
  )::boolean as of_person,
  (
    exists (select from public.evidence_hypotheses h where h.evidence_id = e.id)
  )::boolean as of_hypothesis,
  exists (
    select
    from public.evidence_themes l
    join public.themes t on t.id = l.theme_id
    where l.evidence_id = e.id
      and l.review <> 'rejected'
      and (t.status <> 'proposed' or private.is_touched(t))
  )::boolean as of_theme,
  (
    e.origin = 'ai' and starts_with(coalesce(e.prompt_version, ''), 'themes')
  )::boolean as of_run
from public.evidence e
where e.import_id = $1::uuid and e.byte_start is not null
order by e.byte_start, e.byte_end, e.id
;

-- name: ListReadings :many
select r.hypothesis_id, r.statement, r.extractor, r.model, r.prompt_version, r.read::text as read
from private.import_readings r
where r.import_id = $1 and r.hypothesis_id = any($2::uuid[])
order by r.hypothesis_id, r.extractor, r.model, r.prompt_version
;

-- name: ListRefiComments :many
select c.id, c.evidence_id, c.theme_id, c.body, c.created_by, c.created_at
from public.comments c
where c.project_id = $1
order by c.created_at, c.id
limit $2
;

-- name: ListRefiHypotheses :many
select
  h.id, h.statement, private.fold(h.statement)::text as folded, h.status, h.falsified_if,
  h.decision_reason
from public.hypotheses h
where h.project_id = $1
order by h.created_at, h.id
limit $2
;

-- name: ListRefiImports :many
select
  i.id, i.title, coalesce(i.interviewed_on::text, '')::text as interviewed_on, i.sha256, i.created_by,
  i.created_at
from public.imports i
where i.project_id = $1
order by i.created_at, i.id
limit $2
;

-- name: ListRefiParticipants :many
select p.id, p.name, p.attributes, a.name as persona, a.segment
from public.participants p
join private.participant_personas() o on o.participant_id = p.id
left join public.personas a on a.id = o.persona_id
where p.project_id = $1
order by p.created_at, p.id
limit $2
;

-- name: ListRefiQuestions :many
select q.id, q.text, q.created_at
from public.questions q
where q.project_id = $1 and q.status = 'open'
order by q.created_at, q.id
limit $2
;

-- name: ListRefiQuotes :many
select
  e.id, e.quote, e.summary, e.rationale, e.memo, e.speaker, e.byte_start, e.byte_end, e.created_by,
  e.created_at
from public.evidence e
where e.project_id = $1
  and e.import_id is not distinct from $2::uuid
  and (e.review = 'accepted' or e.review = 'suggested' and e.origin = 'human')
  and not e.in_progress
order by e.byte_start, e.byte_end, e.id
limit $3
;

-- name: ListRefiSpans :many
select
  e.id, e.summary, e.rationale, e.memo, e.review, e.byte_start::integer as byte_start,
  e.byte_end::integer as byte_end,
  coalesce(t.themes, '{}')::uuid[] as themes,
  coalesce(t.rejected, '{}')::uuid[] as rejected_themes,
  coalesce(h.hypotheses, '{}')::uuid[] as hypotheses,
  coalesce(h.stances, '{}')::text[] as stances
from public.evidence e
cross join lateral (
  select
    array_agg(l.theme_id) filter (where l.review <> 'rejected') as themes,
    array_agg(l.theme_id) filter (where l.review = 'rejected') as rejected
  from public.evidence_themes l
  where l.evidence_id = e.id
) t
cross join lateral (
  select
    array_agg(l.hypothesis_id order by l.hypothesis_id) as hypotheses,
    array_agg(l.stance::text order by l.hypothesis_id) as stances
  from public.evidence_hypotheses l
  where l.evidence_id = e.id
) h
where e.import_id = $1::uuid and e.byte_start is not null
order by e.byte_start, e.byte_end, e.id
;

-- name: ListRefiSpeakers :many
select s.import_id, s.speaker, s.display_name, s.role, s.participant_id
from public.import_speakers s
where s.project_id = $1
order by s.import_id, s.speaker
limit $2
;

-- name: ListRefiStances :many
select l.evidence_id, l.hypothesis_id, l.stance, l.created_at
from public.evidence_hypotheses l
where l.evidence_id = any($1::uuid[])
order by l.evidence_id, l.created_at, l.hypothesis_id
;

-- name: ListRefiThemeLinks :many
select l.evidence_id, l.theme_id, l.created_by, l.created_at
from public.evidence_themes l
join public.themes t on t.id = l.theme_id and t.project_id = l.project_id and t.status = 'active'
where l.evidence_id = any($1::uuid[]) and l.review = 'accepted'
order by l.evidence_id, l.created_at, l.theme_id
;

-- name: ListRefiThemes :many
select
  t.id, t.parent_id, t.name, private.fold(t.name)::text as folded, t.description, t.memo, t.color, t.status,
  t.merged_into
from public.themes t
where t.project_id = $1
order by t.position, t.created_at, t.id
limit $2
;

-- name: ListRefiUsers :many

select m.user_id, p.display_name
from public.projects j
join public.workspace_members m on m.workspace_id = j.workspace_id
join public.profiles p on p.id = m.user_id
where j.id = $1
order by m.created_at, m.user_id
limit $2
;

-- name: ListRequestedHypotheses :many
select h.id, h.statement
from public.imports i
join public.hypotheses h on h.project_id = i.project_id and h.id = any($1::uuid[])
where i.id = $2
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
  finished_at, extractor, model, prompt_version, calls, input_tokens, output_tokens, discarded
from private.import_runs
where import_id = $1
order by queued_at desc, claim_id
limit $2
;

-- name: ListScopeImports :many
select
  i.id,
  private.transcript_version(i.id)::text as version,
  private.interviewers(i.id)::text[] as interviewers,
  octet_length(t.body)::bigint as bytes,
  (select coalesce(max(u.ordinal) + 1, 0) from public.utterances u where u.import_id = i.id)::bigint as turns
from private.scope_imports($1::uuid, $2::jsonb) as s
join public.imports i on i.id = s
join private.transcripts t on t.import_id = i.id
order by i.created_at, i.id
limit $3
;

-- name: ListSearchableProjects :many
select p.id, p.workspace_id
from public.projects p
order by p.created_at desc, p.id
limit $2
offset $1
;

-- name: ListSigningKeys :many
select kid, algorithm, private_key, created_at, retired_at
from auth.signing_keys
order by created_at desc, kid
;

-- name: ListSilentAnswers :many
select
  a.id,
  a.claim_id::uuid as claim_id,
  a.run_id,
  a.workspace_id,
  a.project_id,
  a.mode,
  a.status,
  a.waiting_reason,
  (a.queued_at < now() - make_interval(secs => $1))::boolean as overdue,
  (a.queued_at < now() - make_interval(secs => $2))::boolean as late
from public.answers a
where a.status in ('queued', 'reading')
  and a.seen_at < now() - make_interval(secs => $3)
order by a.seen_at
limit $4
;

-- name: ListSilentRuns :many
select
  i.id,
  r.claim_id,
  i.run_id,
  i.workspace_id,
  i.project_id,
  i.waiting_reason,
  (r.queued_at < now() - make_interval(secs => $1))::boolean as overdue,
  coalesce(r.cancel_requested_at < now() - make_interval(secs => $2), false)::boolean
    as cancel_overdue,
  coalesce(
    extract(epoch from case
      when r.first_call_at is not null then private.reading_time(r)
      when i.waiting_reason in ('paused', 'no_worker_of_version', 'workflow_task_failing')
        then now() - r.waits_since
    end),
    0
  )::double precision as reading_seconds,
  r.previous_run_id,
  r.check_speakers
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.finished_at is null
  and (
    r.seen_at < now() - make_interval(secs => $3)
    or r.cancel_requested_at < now() - make_interval(secs => $2)
  )
  and i.status in ('queued', 'parsing')
order by r.seen_at
limit $4
;

-- name: ListSilentThemeRuns :many
select
  r.id,
  r.claim_id::uuid as claim_id,
  r.run_id,
  (
    select p.run_id
    from public.theme_runs p
    where p.project_id = r.project_id and p.id <> r.id and p.run_id is not null
    order by p.created_at desc
    limit 1
  ) as previous_run_id,
  r.workspace_id,
  r.project_id,
  r.status,
  r.waiting_reason,
  (r.queued_at < now() - make_interval(secs => $1))::boolean as overdue,
  (r.queued_at < now() - make_interval(secs => $2))::boolean as late
from public.theme_runs r
where r.status in ('queued', 'reading')
  and r.seen_at < now() - make_interval(secs => $3)
order by r.seen_at
limit $4
;

-- name: ListSpeakerNames :many
select s.speaker, s.display_name, coalesce(p.name, '') as participant
from public.import_speakers s
left join public.participants p on p.id = s.participant_id
where s.import_id = $1::uuid
order by s.speaker
limit $2
;

-- name: ListSpeakerWords :many
select s.speaker, s.display_name, s.role, coalesce(sum(u.words), 0)::bigint as words
from public.import_speakers s
left join public.utterances u on u.import_id = s.import_id and u.speaker = s.speaker
where s.import_id = $1::uuid
group by s.speaker, s.display_name, s.role
order by words desc, s.speaker
;

-- name: ListSpokenTurns :many
select u.ordinal, u.speaker, u.text
from public.utterances u
where u.import_id = $1 and u.speaker = any($2::text[])
  and not private.is_doubtful(u.confidence)
order by u.ordinal
;

-- name: ListStatements :many
select h.statement
from public.hypotheses h
where h.project_id = $1
order by h.created_at, h.id
limit $2
;

-- name: ListStrongestQuotes :many
select
  h.id::uuid as hypothesis_id,
  q.stance,
  q.strength,
  q.id,
  q.review,
  q.quote,
  q.speaker::text as speaker,
  q.speaker_confirmed,
  q.import_id::uuid as import_id,
  q.title,
  coalesce(q.start_ms, -1)::bigint as start_ms
from unnest($1::uuid[]) with ordinality as h (id, n)
cross join unnest(array['supports', 'contradicts']::public.evidence_stance[]) as side (stance)
cross join lateral (
  select
    x.stance, x.strength, e.id, e.review, e.quote, e.speaker_confirmed, e.import_id, i.title, e.start_ms,
    e.confidence, coalesce(p.name, nullif(s.display_name, ''), e.speaker) as speaker
  from public.evidence_hypotheses x
  join public.evidence e on e.id = x.evidence_id
  join public.imports i on i.id = e.import_id
  left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
  left join public.participants p on p.id = s.participant_id
  where x.hypothesis_id = h.id
    and x.stance = side.stance
    and e.byte_start is not null
    and e.review <> 'rejected'
    and not e.in_progress
    and s.role is distinct from 'interviewer'
  order by e.review = 'accepted' desc, x.strength desc, e.confidence desc, e.id
  limit $2::integer
) q
order by h.n, q.stance, q.review = 'accepted' desc, q.strength desc, q.confidence desc, q.id
;

-- name: ListStuckImports :many
select
  i.waiting_reason::text as waiting_reason,
  count(*)::integer as imports,
  (array_agg(i.id order by i.queued_at, i.id))[1]::uuid as first_id
from public.imports i
where i.status in ('queued', 'parsing')
  and i.waiting_reason in ('paused', 'no_worker_of_version', 'workflow_task_failing')
group by i.waiting_reason
order by i.waiting_reason
;

-- name: ListTextsOfImport :many
select t.kind::text as kind, t.value::text as value
from private.texts_of_import($1::uuid) as t
;

-- name: ListThemeNews :many
with gained as (
  select l.theme_id,
    count(*)::integer as quotes,
    (count(distinct private.person_of(s.participant_id, s.import_id, s.display_name))
      filter (where s.import_id is not null))::integer as people
  from public.evidence_themes l
  join public.evidence ev on ev.id = l.evidence_id
  left join public.import_speakers s
    on s.import_id = ev.import_id and s.speaker = ev.speaker and s.role = 'participant'
    and ev.speaker_confirmed
  where l.created_at >= $2
    and l.created_at < $3
    and l.created_by is distinct from (select auth.uid())
    and l.review <> 'rejected' and ev.review <> 'rejected' and not ev.in_progress
  group by l.theme_id
), added as (
  select e.entity_id,
    (array_agg(e.actor_id))[1] as actor_id
  from public.activity_events e
  where e.occurred_at >= $2
    and e.occurred_at < $3
    and e.actor_id is distinct from (select auth.uid())
    and e.entity_type = 'theme'
    and e.verb = 'created'
  group by e.entity_id
), ranked as (
  select t.workspace_id,
    t.project_id,
    t.id,
    t.name,
    t.status = 'proposed' as is_proposed,
    a.entity_id is not null as is_new,
    a.actor_id,
    coalesce(g.people, 0) as people,
    coalesce(g.quotes, 0) as quotes,
    row_number() over (
      partition by t.project_id
      order by a.entity_id is null, t.status = 'proposed', g.people desc nulls last, g.quotes desc nulls last,
        t.position, t.id
    ) as place,
    (count(*) over (partition by t.project_id))::integer as total
  from public.themes t
  left join added a on a.entity_id = t.id
  left join gained g on g.theme_id = t.id
  where t.status <> 'archived' and (a.entity_id is not null or g.theme_id is not null)
)
select r.workspace_id,
  w.name as workspace_name,
  r.project_id,
  j.name as project_name,
  r.id,
  r.name,
  r.is_new::boolean as is_new,
  r.is_proposed::boolean as is_proposed,
  coalesce(p.display_name, '')::text as actor,
  r.people,
  r.quotes,
  r.total
from ranked r
join public.workspaces w on w.id = r.workspace_id
join public.projects j on j.id = r.project_id
left join public.profiles p on p.id = r.actor_id
where r.place <= $1::integer
order by w.name, w.id, j.name, r.project_id, r.place
;

-- name: ListThemePartInterviews :many
select
  i.id,
  private.transcript_version(i.id)::text as version,
  private.interviewers(i.id)::text[] as interviewers
from public.imports i
where i.id in (select p.import_id from private.theme_run_parts p where p.theme_run_id = $1)
order by i.created_at, i.id
;

-- name: ListThemeParts :many
select theme_run_id, ordinal, import_id, utterance_from, utterance_to, byte_start, byte_end, read_at, done_at, response_keys, unread, reserved_tokens from private.theme_run_parts where theme_run_id = $1 order by ordinal
;

-- name: ListThemesForAssistants :many
select t.id,
  t.name,
  t.description,
  t.status,
  t.origin,
  coalesce(p.name, '')::text as part_of,
  coalesce(n.all_people, 0)::bigint as people,
  coalesce(n.all_quotes, 0)::bigint as quotes
from public.themes t
left join public.themes p on p.id = t.parent_id
left join public.theme_people n on n.theme_id = t.id and n.project_id = t.project_id
where t.project_id = $1 and t.status <> 'archived'
order by t.position, t.id
limit $3 offset $2
;

-- name: ListThemesOfProject :many
select
  t.id,
  t.name,
  private.fold(t.name)::text as folded,
  t.status,
  t.origin,
  t.merged_into,
  private.is_touched(t)::boolean as is_touched
from public.themes t
where t.project_id = $1
order by t.position, t.id
;

-- name: ListTurns :many
select
  u.speaker,
  u.text,
  u.byte_start,
  u.byte_end,
  u.confidence,
  coalesce(u.start_ms, -1)::bigint as start_ms,
  coalesce(u.end_ms, -1)::bigint as end_ms
from public.utterances u
where u.import_id = $1
order by u.ordinal
;

-- name: ListTurnsAt :many
select u.import_id, u.ordinal, i.title, coalesce(s.display_name, u.speaker)::text as speaker, u.start_ms,
  u.text
from (
  select unnest($1::uuid[]) as import_id, unnest($2::integer[]) as ordinal
) k
join public.utterances u on u.import_id = k.import_id and u.ordinal = k.ordinal
join public.imports i on i.id = u.import_id
left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
;

-- name: ListTurnsOfInterview :many
select t.ordinal, t.text, t.speaker, t.role, t.start_ms
from (
  select
    u.ordinal,
    u.text,
    coalesce(p.name, nullif(s.display_name, ''), u.speaker)::text as speaker,
    coalesce(s.role::text, '')::text as role,
    coalesce(u.start_ms, -1)::bigint as start_ms,
    sum(length(u.text) + 20) over (order by u.ordinal) - length(u.text) - 20 as before
  from public.utterances u
  left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
  left join public.participants p on p.id = s.participant_id
  where u.import_id = $1::uuid
    and u.ordinal >= $2::integer
    and u.ordinal <= least($3::integer, $2::integer + 2000)
) t
where t.before <= $4::integer
order by t.ordinal
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
    ev.speaker_confirmed,
    ev.asked_kind,
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
    and not exists (
      select from public.evidence_themes l where l.evidence_id = ev.id and l.review <> 'rejected')
)
select r.project_id,
  r.id,
  r.quote,
  r.speaker,
  r.speaker_confirmed,
  coalesce(r.asked_kind, '')::text as asked_kind,
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
  and oauth_client_id is null
  and (not_after is null or not_after > now())
order by last_used_at desc, id
;

-- name: ListUsers :many
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors, auth.identities_of(u.id)::jsonb as identities
from auth.users u
where u.deleted_at is null
  and (
    $1::text = ''
    or strpos(private.fold(u.email), private.fold($1::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'full_name'), private.fold($1::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'display_name'), private.fold($1::text)) > 0
  )
order by u.created_at desc, u.id
limit $3
offset $2
;

-- name: ListUsersOldestFirst :many
select u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors, auth.identities_of(u.id)::jsonb as identities
from auth.users u
where u.deleted_at is null
  and (
    $1::text = ''
    or strpos(private.fold(u.email), private.fold($1::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'full_name'), private.fold($1::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'display_name'), private.fold($1::text)) > 0
  )
order by u.created_at, u.id desc
limit $3
offset $2
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

-- name: ListVoices :many

select
  i.id as import_id,
  i.language,
  s.speaker,
  s.display_name,
  coalesce(p.name, '')::text as participant,
  (s.role = 'participant')::boolean as is_heard,
  coalesce(s.participant_id::text, i.id::text || ' ' || s.display_name)::text as person
from public.imports i
join public.import_speakers s on s.import_id = i.id
left join public.participants p on p.id = s.participant_id
where i.project_id = $1
order by i.created_at desc, i.id, s.speaker
limit $2
;

-- name: ListWaitingMails :many
select t.id
from auth.one_time_tokens t
left join public.workspace_invitations i on i.id = t.invitation_id
left join auth.users inviter on inviter.id = i.created_by
where t.sent_at is null
  and t.refused_at is null
  and (t.started_at is null or t.started_at < now() - make_interval(secs => $1))
  and t.expires_at > now()
  and i.ended_at is null
  and (i.created_by is null or inviter.email_confirmed_at is not null)
order by t.created_at, t.id
limit $2
;

-- name: ListWaitingNotices :many
select id
from auth.notices
where created_at > now() - interval '7 days'
  and (started_at is null or started_at < now() - make_interval(secs => $1))
order by created_at, id
limit $2
;

-- name: ListWorkers :many
select w.version, count(*)::integer as processes
from private.running_workers w
group by w.version
order by w.version
;

-- name: ListWorkspacesOf :many
select workspace_id
from public.workspace_members
where user_id = $1
;

-- name: LockAnswer :one
select id, workspace_id, project_id, question_id, question, mode, scope, title, kept, status, result, missing, waiting_reason, imports_total, imports_read, passages_total, passages_read, coverage, progress_done, progress_total, people_total, people_count, unsupported_count, rejected_count, stale_since, extractor, model, prompt_version, input_tokens, output_tokens, workflow_id, run_id, claim_id, error_code, error_message, created_by, created_at, updated_at, queued_at, started_at, finished_at, seen_at
from public.answers
where id = $1 and claim_id = $2::uuid and status in ('queued', 'reading')
for no key update
;

-- name: LockAuthorization :one
select a.id, a.client_id, a.user_id, a.status, a.redirect_uri, a.scopes, a.state, a.resource, a.code_challenge, a.code_hash, a.code_expires_at, a.factor_id, a.amr, a.session_id, a.exchanged_at, a.created_at, a.expires_at, c.id, c.registration_type, c.metadata_url, c.client_type, c.token_endpoint_auth_method, c.client_secret_hash, c.client_name, c.client_uri, c.logo_uri, c.redirect_uris, c.grant_types, c.created_at, c.updated_at, c.last_used_at
from auth.oauth_authorizations a
join auth.oauth_clients c on c.id = a.client_id
where a.id = $1
for key share of c
for update of a
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

-- name: LockForReading :one
select private.lock_for_reading($1::uuid)::public.import_status as status
;

-- name: LockHypothesis :one
select h.id from public.hypotheses h where h.id = $1::uuid for no key update
;

-- name: LockImport :one
select
  i.id, i.workspace_id, i.project_id, i.persona_id, i.title, i.interviewed_on, i.filename, i.format, i.size_bytes, i.stored_bytes, i.sha256, i.language, i.question_language, i.warnings, i.reading, i.reading_confidence, i.needs_look, i.status, i.waiting_reason, i.progress_done, i.progress_total, i.error_code, i.error_message, i.workflow_id, i.run_id, i.claim_id, i.requested_hypotheses, i.extractor, i.model, i.prompt_version, i.input_tokens, i.output_tokens, i.evidence_count, i.rejected_count, i.coverage, i.unread, i.queued_at, i.started_at, i.finished_at, i.created_by, i.created_at, i.updated_at,
  r.refresh,
  r.extractor,
  r.model,
  r.prompt_version,
  r.begun_at,
  coalesce((r.before ->> 'rejected_count')::integer, 0)::integer as rejected_before,
  private.interviewers(i.id)::text[] as interviewers
from public.imports i
join private.import_runs r on r.claim_id = i.claim_id
where i.id = $1 and i.claim_id = $2::uuid
for no key update of i
;

-- name: LockOAuthClient :one
select id, registration_type, metadata_url, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
from auth.oauth_clients
where id = $1
for update
;

-- name: LockOpenDigests :exec
select o.id
from (select unnest($1::uuid[]) as user_id) c
cross join lateral (
  select d.id
  from public.digest_deliveries d
  where d.user_id = c.user_id
    and d.status in ('planned', 'sending')
  order by d.window_end
  for update
) o
;

-- name: LockProject :one
select p.id from public.projects p where p.id = $1::uuid for no key update
;

-- name: LockRecovery :one
select r.recovery from private.import_runs r where r.claim_id = $1 for no key update
;

-- name: LockRefreshToken :one
select t.id,
  t.user_id,
  t.session_id,
  s.amr,
  s.scopes,
  s.resource,
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
  and s.oauth_client_id is not distinct from $4::uuid
for update of s
;

-- name: LockSession :one
select id, amr, factor_id, greatest(created_at, reauthenticated_at)::timestamptz as authenticated_at
from auth.sessions
where id = $1
  and user_id = $2
  and oauth_client_id is null
  and (not_after is null or not_after > now())
for update
;

-- name: LockSigningKeys :exec
select pg_advisory_xact_lock(715518)
;

-- name: LockThemeRun :one
select id, workspace_id, project_id, status, waiting_reason, progress_done, progress_total, imports_total, coverage, proposed_count, quotes_count, unused_count, rejected_count, extractor, model, prompt_version, input_tokens, output_tokens, workflow_id, run_id, claim_id, error_code, error_message, created_by, created_at, updated_at, queued_at, started_at, finished_at, seen_at
from public.theme_runs
where id = $1 and claim_id = $2::uuid and status in ('queued', 'reading')
for no key update
;

-- name: LockUser :one
select u.id
from auth.users u
where u.id = $1
  and u.deleted_at is null
for no key update of u
;

-- name: MarkAccountDeleted :one
select private.mark_account_deleted($1)
;

-- name: MarkAnswersSeen :exec
update public.answers set seen_at = now()
where claim_id = any ($1::uuid[]) and status in ('queued', 'reading')
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

-- name: MarkMailRefused :exec
update auth.one_time_tokens set refused_at = now() where id = $1
;

-- name: MarkMailSent :exec
update auth.one_time_tokens set sent_at = now() where id = $1
;

-- name: MarkMailsStarted :exec
update auth.one_time_tokens set started_at = now() where id = any ($1::uuid[])
;

-- name: MarkNoticesStarted :exec
update auth.notices set started_at = now() where id = any ($1::uuid[])
;

-- name: MarkOpenDigestsRestored :execrows
update public.digest_deliveries
set status = 'uncertain',
  reason = 'restored'
where status in ('planned', 'sending')
;

-- name: MarkPersonalTokenUsed :exec
update auth.personal_access_tokens
set last_used_at = date_trunc('minute', now())
where id = $1
  and (last_used_at is null or last_used_at < date_trunc('minute', now()))
;

-- name: MarkReauthenticated :exec
update auth.sessions
set reauthenticated_at = $1::timestamptz,
  updated_at = now()
where id = $2
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

-- name: MarkThemeRunsSeen :exec
update public.theme_runs set seen_at = now()
where claim_id = any ($1::uuid[]) and status in ('queued', 'reading')
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

-- name: MeasureMails :one
with waiting as (
  select t.created_at
  from auth.one_time_tokens t
  left join public.workspace_invitations i on i.id = t.invitation_id
  left join auth.users inviter on inviter.id = i.created_by
  where t.sent_at is null
    and t.refused_at is null
    and t.expires_at > now()
    and i.ended_at is null
    and (i.created_by is null or inviter.email_confirmed_at is not null)
  union all
  select n.created_at
  from auth.notices n
  where n.created_at > now() - interval '7 days'
)
select count(*) as waiting,
  coalesce(extract(epoch from now() - min(w.created_at)), 0)::float8 as oldest_seconds,
  (
    select count(*)
    from auth.one_time_tokens t
    where t.refused_at > now() - interval '1 day'
  ) as refused
from waiting w
;

-- name: MeasureOverdueDigests :one
select
  coalesce(greatest(extract(epoch from now() - (
    select min(s.next_due_at)
    from unnest(enum_range(null::public.digest_frequency)) f (frequency)
    cross join lateral (
      select d.next_due_at
      from private.digest_schedule d
      where d.frequency = f.frequency and d.next_due_at > '-infinity'
      order by d.next_due_at
      limit 1
    ) s
  )), 0), 0)::float8 as unplanned_seconds,
  coalesce(greatest(extract(epoch from now() - (
    select min(p.next_attempt_at)
    from generate_series(0, 3) shard
    cross join lateral (
      select d.next_attempt_at
      from public.digest_deliveries d
      where d.status = 'planned' and private.digest_shard(d.id) = shard
      order by d.next_attempt_at, d.id
      limit 1
    ) p
  )), 0), 0)::float8 as unsent_seconds
;

-- name: MeasureReading :one
with recent as (
  select r.claim_id, r.import_id
  from private.import_runs r
  where r.finished_at is null
  order by r.seen_at desc
  limit 500
)
select
  count(*)::bigint as chunks,
  coalesce(avg(c.calls), 0)::double precision as calls_per_chunk,
  coalesce(avg(c.call_seconds), 0)::double precision as seconds_per_chunk,
  (select count(*) from private.running_workers)::bigint as workers
from recent r
join private.import_chunks c on c.import_id = r.import_id and c.claim_id = r.claim_id
where c.done_at is not null and c.call_seconds > 0
;

-- name: MeasureRun :one
select
  coalesce(extract(epoch from private.reading_time(r)), 0)::float8 as reading_seconds,
  i.waiting_reason,
  i.progress_done
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.import_id = $1 and r.claim_id = $2::uuid
;

-- name: MeasureUnseenRuns :one
select coalesce(extract(epoch from now() - min(r.seen_at)), 0)::float8 as unseen_seconds
from private.import_runs r
join public.imports i on i.id = r.import_id and i.claim_id = r.claim_id
where r.finished_at is null and i.status in ('queued', 'parsing') and r.seen_at > to_timestamp(0)
;

-- name: MintToken :one
with recipient as (
  select t.id,
    -- An anonymous user who adds an address has no other.
    case when u.id is null then i.email else coalesce(u.email, nullif(t.relates_to, '')) end as email,
    coalesce(inviter.email, '') as inviter
  from auth.one_time_tokens t
  left join auth.users u on u.id = t.user_id
    and u.deleted_at is null
  left join public.workspace_invitations i on i.id = t.invitation_id
    and i.ended_at is null
  left join auth.users inviter on inviter.id = i.created_by
    and inviter.deleted_at is null
  where t.id = $3
)
update auth.one_time_tokens t
set token_hash = case when t.token_type <> 'reauthentication' then $1::bytea end,
  code_hash = case when t.token_type <> 'workspace_invitation' then $2::bytea end,
  attempts = 0
from recipient r
where t.id = r.id
  and t.sent_at is null
  and t.expires_at > now()
  and r.email is not null
returning t.token_type, t.relates_to, t.redirect_to, t.expires_at, t.invitation_id,
  r.email::text as email, r.inviter::text as inviter
;

-- name: MintUndoLink :one
update auth.undo_links
set token_hash = $1::bytea
where id = $2
  and expires_at > now()
returning expires_at
;

-- name: OpenProviderFlow :one
update auth.provider_flows
set token_hash = $1,
  browser_hash = $2,
  nonce = $3,
  code_verifier = $4
where token_hash = $5
  and browser_hash is null
  and expires_at > $6
returning provider
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

-- name: PlanAnswer :execrows
update public.answers set
  imports_total = cardinality($1::uuid[]),
  people_total = private.count_people($1::uuid[]),
  imports_read = 0,
  passages_total = $2::integer,
  passages_read = 0,
  coverage = 0,
  missing = '',
  unsupported_count = 0,
  rejected_count = 0,
  stale_since = null,
  progress_done = 0,
  progress_total = $3::integer,
  seen_at = now()
where id = $4 and claim_id = $5::uuid and status = 'reading'
;

-- name: PlanDigests :execrows
insert into public.digest_deliveries (
  user_id, frequency, period, window_start, window_end, next_attempt_at, expires_at, requested_by,
  status, reason
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
    ) is null and not exists (
      -- Other changes can put a verdict in doubt. Which ones do is looked up where there are any.
      select
      from public.workspace_members m
      where m.user_id = c.user_id
        and (
          exists (
            select
            from public.import_speakers s
            where s.workspace_id = m.workspace_id
              and s.counted_at >= c.window_start
              and s.counted_at < c.window_end
              and s.counted_at > s.created_at
          )
          or exists (
            select
            from public.activity_events a
            where a.workspace_id = m.workspace_id
              and a.occurred_at >= c.window_start
              and a.occurred_at < c.window_end
              and a.entity_type = 'evidence'
          )
        )
        and exists (
          select
          from private.quotes_against() as q (
            hypothesis_id, project_id, workspace_id, decision_id, person, evidence_id, said_at, actor_id
          )
          where q.workspace_id = m.workspace_id
            and q.said_at >= c.window_start
            and q.said_at < c.window_end
            and q.actor_id is distinct from c.user_id
        )
    ) then false
    when $3::public.delivery_status = 'uncertain' then true
    else private.digest_obstacle(c.user_id, $1) is null
  end
on conflict on constraint digest_deliveries_user_id_frequency_period_key do nothing
;

-- name: PlanThemeRun :execrows
with plan as (
  insert into private.theme_run_plans (theme_run_id, known)
  values ($3::uuid, $5::jsonb)
  on conflict on constraint theme_run_plans_pkey do update set known = excluded.known
)
update public.theme_runs set
  imports_total = $1::integer,
  progress_done = 0,
  progress_total = $2::integer,
  seen_at = now()
where id = $3 and claim_id = $4::uuid and status = 'reading'
;

-- name: ProposeTheme :exec
insert into public.themes (id, workspace_id, project_id, name, description, origin, status)
select
  $1::uuid, p.workspace_id, p.id, $2::text, $3::text,
  'ai'::public.theme_origin, 'proposed'::public.theme_status
from public.projects p
where p.id = $4
on conflict (project_id, private.fold(name)) do update set description = excluded.description
where themes.status = 'proposed' and themes.origin = 'ai' and themes.description <> excluded.description
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
from private.read_events(
  $1::bigint, $2::uuid, $3::uuid, $4::integer
) as e
;

-- name: RecordCodeFailure :exec
insert into auth.mfa_failures as f (user_id, failures, last_failed_at)
values ($1, 1, $2)
on conflict (user_id) do update
set failures = f.failures + 1,
  last_failed_at = excluded.last_failed_at
;

-- name: RecordComposition :exec
update public.answers set
  missing = $1::text,
  unsupported_count = $2::integer,
  rejected_count = $3::integer
where id = $4
;

-- name: RecordCorrections :one
select private.record_corrections(
  $1::uuid,
  $2::jsonb,
  $3::uuid[]
)::boolean as has_room
;

-- name: RecordExport :one
select private.record_export(
  $1::uuid, $2::text, $3::integer
)::boolean as recorded
;

-- name: RecordMailRefusal :one
insert into private.mail_refusals as r (address, code, suppressed_at, suppressed_by)
values (
  private.fold($1),
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
with reads as (
  select
    unnest($2::uuid[]) as hypothesis_id,
    unnest($3::text[]) as extractor,
    unnest($4::text[]) as model,
    unnest($5::text[]) as prompt_version,
    unnest($6::text[]) as read
),
gone as (
  delete from private.import_readings r
  where r.import_id = $1
    and r.hypothesis_id = any($2::uuid[])
    and not exists (
      select
      from reads x
      where (x.hypothesis_id, x.extractor, x.model, x.prompt_version)
        = (r.hypothesis_id, r.extractor, r.model, r.prompt_version)
    )
)
insert into private.import_readings (
  import_id, hypothesis_id, extractor, model, prompt_version, statement, read
)
select
  ih.import_id, ih.hypothesis_id, x.extractor, x.model, x.prompt_version, ih.statement, x.read::int4multirange
from reads x
join public.import_hypotheses ih on ih.import_id = $1 and ih.hypothesis_id = x.hypothesis_id
on conflict (import_id, hypothesis_id, extractor, model, prompt_version) do update set
  statement = excluded.statement,
  read = excluded.read
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

-- name: RecordToolCall :exec
insert into private.audit_records (workspace_id, actor_id, action, target_type, target_id, detail, client)
select
  w.id,
  (select p.id from public.profiles p where p.id = $1::uuid),
  'mcp.' || $2::text,
  case when c.project = '00000000-0000-0000-0000-000000000000' then 'workspace' else 'project' end,
  case when c.project = '00000000-0000-0000-0000-000000000000' then w.id else c.project end,
  jsonb_strip_nulls(jsonb_build_object(
    'client_id', nullif($3::text, ''),
    'token_id', $4::uuid,
    'error', nullif($5::text, '')
  )),
  left(coalesce(
    (select t.name from auth.personal_access_tokens t where t.id = $4::uuid),
    (
      select o.client_name
      from auth.oauth_clients o
      where o.metadata_url = $3::text or o.id = $6::uuid
    )
  ), 200)
from (
  select unnest($7::uuid[]) as workspace, unnest($8::uuid[]) as project
) c
join public.workspaces w on w.id = c.workspace
;

-- name: RecordWait :exec
with waits as (
  update public.imports i set waiting_reason = nullif($1::text, '')
  where i.id = $2
    and i.claim_id = $3::uuid
    and i.status in ('queued', 'parsing')
    and i.waiting_reason is not distinct from $4::text
  returning i.claim_id
)
update private.import_runs r set
  waited = r.waited + case
    when private.stops_clock($1) then '0'
    else coalesce(now() - r.idle_since, '0')
  end,
  idle_since = case
    when private.stops_clock($1)
      then coalesce(r.idle_since, greatest(r.seen_at, r.first_call_at))
  end,
  waits_since = case when $1::text <> '' then now() end
from waits
where r.claim_id = waits.claim_id
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

-- name: RedactImport :exec
select private.redact_import(
  $1::uuid,
  $2::text[],
  $3::text[],
  $4::text[]
)
;

-- name: RehashPassword :exec
update auth.users
set encrypted_password = $1::text
where id = $2
  and encrypted_password = $3::text
;

-- name: ReleaseAddress :exec
with released as (
  update auth.users u
  set email = null,
    email_change = null,
    updated_at = now()
  where private.fold(u.email) = private.fold($1::text)
    and u.id <> $2
    and not u.is_sso_user
    and u.email_confirmed_at is null
  returning u.id
), tokens as (
  delete from auth.one_time_tokens t
  using released
  where t.user_id = released.id
), requests as (
  delete from auth.oauth_authorizations a
  using released
  where a.user_id = released.id
), consents as (
  delete from auth.oauth_consents c
  using released
  where c.user_id = released.id
), personal as (
  delete from auth.personal_access_tokens p
  using released
  where p.user_id = released.id
), flows as (
  delete from auth.flow_state f
  using released
  where f.user_id = released.id
)
delete from auth.sessions s
using released
where s.user_id = released.id
;

-- name: ReleaseImport :one
select private.release_import($1::uuid, $2::uuid)::boolean as released
;

-- name: RememberReadings :exec
select private.remember_readings(
  $1::uuid,
  $2::text,
  $3::text[],
  $4::text[],
  $5::text[]
)
;

-- name: RememberResponse :one
select private.remember_response(
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

-- name: RemovePassword :exec
update auth.users
set encrypted_password = null,
  updated_at = now()
where id = $1
;

-- name: RemoveWorker :exec
delete from private.workers where id = $1
;

-- name: ReopenRun :exec
update private.import_runs set status = 'parsing', error_code = null, finished_at = null, seen_at = now()
where claim_id = $1
;

-- name: ReplaceTranscript :exec
select private.replace_transcript(
  $1::uuid,
  $2::text,
  $3::text,
  $4::bytea,
  $5::text[],
  $6::bigint[],
  $7::bigint[],
  $8::text[],
  $9::integer[],
  $10::integer[],
  $11::double precision[],
  $12::jsonb,
  $13::integer[],
  $14::integer[],
  $15::integer[],
  $16::integer[],
  $17::uuid[],
  $18::text[],
  $19::integer[],
  $20::uuid[],
  $21::text[],
  $22::text,
  $23::text[],
  $24::boolean
)
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

-- name: RequestCancel :exec
update private.import_runs r set cancel_requested_at = coalesce(r.cancel_requested_at, now())
from public.imports i
where i.id = $1 and r.claim_id = i.claim_id and r.finished_at is null
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
  where private.fold(u.email) = private.fold($6::text)
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
  where private.fold(u.email) = private.fold($4::text)
    and not u.is_sso_user
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
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
  where private.fold(u.email) = private.fold($5::text)
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

-- name: ReserveAnswerTokens :execrows
update private.answer_parts p set reserved_tokens = $1::bigint
where p.answer_id = $2
  and p.claim_id = $3::uuid
  and p.ordinal = $4
  and $1::bigint + $5::bigint
    + (
      select coalesce(sum(o.reserved_tokens), 0)
      from private.answer_parts o
      where o.answer_id = p.answer_id
        and o.claim_id = p.claim_id
        and o.ordinal <> p.ordinal
        and o.done_at is null
    )
    <= $6::bigint
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

-- name: ReserveThemeTokens :execrows
update private.theme_run_parts p set reserved_tokens = $1::bigint
where p.theme_run_id = $2
  and p.ordinal = $3
  and $1::bigint + $4::bigint
    + (
      select coalesce(sum(o.reserved_tokens), 0)
      from private.theme_run_parts o
      where o.theme_run_id = p.theme_run_id and o.ordinal <> p.ordinal and o.done_at is null
    )
    <= $5::bigint
;

-- name: ReserveTokenBudget :one
select private.reserve_tokens(
  $1, $2::integer, $3::bigint
)::boolean as reserved
;

-- name: ReserveTokens :execrows
update private.import_chunks c set reserved_tokens = $1
where c.import_id = $2
  and c.claim_id = $3::uuid
  and c.ordinal = $4
  and $1::bigint
    + (
      select coalesce(sum(r.input_tokens), 0) + coalesce(sum(r.output_tokens), 0)
      from private.chunk_responses r
      where r.import_id = c.import_id
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

-- name: RestoreFactors :exec
insert into auth.mfa_factors (
  id, user_id, friendly_name, factor_type, status, secret, last_step, created_at
)
select (f ->> 'id')::uuid,
  $1,
  f ->> 'friendly_name',
  f ->> 'factor_type',
  f ->> 'status',
  decode(f ->> 'secret', 'hex'),
  (f ->> 'last_step')::bigint,
  (f ->> 'created_at')::timestamptz
from jsonb_array_elements($2::jsonb) f
on conflict (id) do nothing
;

-- name: RestoreIdentities :exec
insert into auth.identities (
  id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at
)
select (i ->> 'id')::uuid,
  $1,
  i ->> 'provider',
  i ->> 'provider_id',
  i -> 'identity_data',
  (i ->> 'last_sign_in_at')::timestamptz,
  (i ->> 'created_at')::timestamptz
from jsonb_array_elements($2::jsonb) i
on conflict do nothing
;

-- name: RestoreImport :one
select private.restore_import($1::uuid)::boolean as restored
;

-- name: RestoreUser :one
update auth.users
set email = private.fold($1::text),
  email_change = null,
  email_confirmed_at = coalesce(email_confirmed_at, now()),
  encrypted_password = case
    when not $2::boolean
      and sha256(convert_to(coalesce(encrypted_password, ''), 'UTF8')) = $3::bytea
    then encrypted_password
  end,
  updated_at = now()
where id = $4
returning (encrypted_password is null)::boolean as without_password
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
  select t.id, t.user_id, t.session_id, s.amr, s.scopes, s.resource
  from auth.sessions s
  join auth.refresh_tokens t on t.session_id = s.id
  join auth.users u on u.id = t.user_id
  where t.token_hash = $1
    and s.oauth_client_id is not distinct from $2::uuid
    and not t.revoked
    and coalesce(
      least(
        s.not_after,
        s.created_at + make_interval(secs => nullif($3::double precision, 0)),
        coalesce(s.refreshed_at, s.created_at)
        + make_interval(secs => nullif($4::double precision, 0))
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
      s.created_at + make_interval(secs => nullif($3, 0)),
      now() + make_interval(secs => nullif($4, 0))
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
  select $5, presented.user_id, presented.session_id, presented.id
  from presented
)
select presented.session_id,
  presented.amr,
  presented.scopes,
  presented.resource,
  u.instance_id, u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at, u.confirmation_token, u.confirmation_sent_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_new, u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_super_admin, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.email_change_token_current, u.email_change_confirm_status, u.banned_until, u.reauthentication_token, u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous, u.factors,
  (
    select coalesce(
      jsonb_agg(
        jsonb_strip_nulls(jsonb_build_object(
          'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id, 'identity_data', i.identity_data,
          'provider', i.provider, 'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at,
          'updated_at', i.updated_at, 'email', i.email
        )) order by i.created_at, i.id
      ),
      '[]'
    )
    from auth.identities i
    where i.user_id = u.id
  )::jsonb as identities
from presented
join auth.users u on u.id = presented.user_id
;

-- name: RouteWebhooks :one
select private.route_webhooks($1::integer)::bigint as events
;

-- name: SaveConsent :exec
insert into auth.oauth_consents as c (user_id, client_id, scopes, resource, redirect_host)
values (
  $1,
  $2,
  $3::text[],
  $4,
  $5
)
on conflict (user_id, client_id) do update
set scopes = array(
    select distinct s.scope from unnest(c.scopes || excluded.scopes) as s (scope) order by s.scope
  ),
  resource = coalesce(excluded.resource, c.resource),
  redirect_host = excluded.redirect_host,
  granted_at = now()
;

-- name: SaveMetadataClient :one
insert into auth.oauth_clients (
  registration_type, metadata_url, client_type, token_endpoint_auth_method, client_name, client_uri, logo_uri,
  redirect_uris, grant_types, created_at, updated_at, last_used_at
)
values (
  'metadata_document',
  $1::text,
  'public',
  'none',
  $2,
  $3,
  $4,
  $5,
  $6,
  $7,
  $7,
  $7
)
on conflict (metadata_url) do update set
  client_name = excluded.client_name,
  client_uri = excluded.client_uri,
  logo_uri = excluded.logo_uri,
  redirect_uris = excluded.redirect_uris,
  grant_types = excluded.grant_types,
  updated_at = excluded.updated_at
returning id, registration_type, metadata_url, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
;

-- name: SearchAnswers :many
with asked as materialized (select private.search_beginnings($2::text) as words),
newest as materialized (
  select a.id, a.project_id, a.question, a.created_at
  from public.answers a
  where a.project_id = any ($3::uuid[])
  order by a.created_at desc, a.id
  limit 300
),
texts as (
  select n.id, n.question as text, -1 as ordinal from newest n
  union all
  select s.answer_id, s.text, s.ordinal from newest n join public.answer_sentences s on s.answer_id = n.id
)
select distinct on (n.created_at, n.id) n.id, n.project_id, n.question, t.text::text as text
from newest n
join texts t on t.id = n.id
where private.has_words(t.text, (select x.words from asked x))
order by n.created_at desc, n.id, t.ordinal
limit $1::integer
;

-- name: SearchHypotheses :many
with asked as materialized (select private.search_beginnings($3::text) as words)
select h.id, h.project_id, h.statement
from (
  select x.id, x.project_id, x.statement, x.created_at
  from public.hypotheses x
  where x.project_id = any ($1::uuid[])
  order by x.created_at, x.id
  limit 2000
) h
where private.has_words(h.statement, (select a.words from asked a))
order by h.created_at, h.id
limit $2::integer
;

-- name: SearchPassages :many
select
  s.import_id::uuid as import_id,
  s.ordinal::integer as ordinal,
  i.title,
  private.search_excerpt(
    u.text, private.search_content($1::text, array[i.language])
  )::text as text,
  coalesce(p.name, nullif(v.display_name, ''), u.speaker)::text as speaker,
  coalesce(u.start_ms, -1)::bigint as start_ms
from private.search_passages(
  $2::uuid[], $1::text, $3::integer
) with ordinality as s (import_id, ordinal, n)
join public.utterances u on u.import_id = s.import_id and u.ordinal = s.ordinal
join public.imports i on i.id = s.import_id
left join public.import_speakers v on v.import_id = u.import_id and v.speaker = u.speaker
left join public.participants p on p.id = v.participant_id
order by s.n
;

-- name: SeeAnswerPart :exec
with part as (
  update private.answer_parts p set read_at = now()
  where p.answer_id = $1
    and p.claim_id = $2::uuid
    and p.ordinal = $3
    and p.done_at is null
  returning p.answer_id, p.claim_id
)
update public.answers a set seen_at = now()
from part
where a.id = part.answer_id and a.claim_id = part.claim_id and a.status = 'reading'
;

-- name: SeeDeleted :exec
select set_config('research.removing', 'on', true)
;

-- name: SeeReading :exec
with chunk as (
  update private.import_chunks c set read_at = now()
  where c.import_id = $1
    and c.claim_id = $2::uuid
    and c.ordinal = $3
    and c.done_at is null
  returning c.claim_id
)
update private.import_runs r set seen_at = now()
from chunk
where r.claim_id = chunk.claim_id
;

-- name: SeeThemePart :exec
with part as (
  update private.theme_run_parts p set read_at = now()
  where p.theme_run_id = $2 and p.ordinal = $3 and p.done_at is null
  returning p.theme_run_id
)
update public.theme_runs r set seen_at = now()
from part
where r.id = part.theme_run_id and r.claim_id = $1::uuid and r.status = 'reading'
;

-- name: SeeWorker :exec
with gone as (
  delete from private.workers w where w.seen_at < now() - interval '1 day'
)
insert into private.workers as w (id, version) values ($1, $2)
on conflict (id) do update set seen_at = now()
;

-- name: SetAnswerWaiting :execrows
update public.answers set waiting_reason = nullif($1::text, ''), seen_at = now()
where id = $2
  and claim_id = $3::uuid
  and status in ('queued', 'reading')
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

-- name: SetImportAside :one
select d.evidence::bigint as evidence, d.utterances::bigint as utterances
from private.set_import_aside($1::uuid) as d
where d.evidence is not null
;

-- name: SetInterviewDate :exec
update public.imports set interviewed_on = $1::date where id = $2
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

-- name: SetOAuthClientSecret :one
update auth.oauth_clients
set client_secret_hash = $1::bytea,
  updated_at = $2
where id = $3
  and client_type = 'confidential'
returning id, registration_type, metadata_url, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
;

-- name: SetProviders :exec
with listed as (
  select p.provider, p.rank
  from (
    select 'email' as provider, 0::bigint as rank
    where $2::boolean
    union all
    select i.provider, row_number() over (order by min(i.created_at), i.provider)
    from auth.identities i
    where i.user_id = $1
      and i.provider <> 'email'
    group by i.provider
  ) p
), providers as (
  select coalesce(jsonb_agg(l.provider order by l.rank), '[]') as names
  from listed l
)
update auth.users u
set raw_app_meta_data = coalesce(u.raw_app_meta_data, '{}') || jsonb_build_object(
    'providers', p.names,
    'provider', case
      when p.names ? coalesce(u.raw_app_meta_data ->> 'provider', '')
      then u.raw_app_meta_data -> 'provider'
      else p.names -> 0
    end
  ),
  updated_at = now()
from providers p
where u.id = $1
;

-- name: SetRecovery :exec
update private.import_runs r set recovery = $1::jsonb where r.claim_id = $2
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

-- name: SetThemeRunWaiting :execrows
update public.theme_runs set waiting_reason = nullif($1::text, ''), seen_at = now()
where id = $2
  and claim_id = $3::uuid
  and status in ('queued', 'reading')
;

-- name: SetTokenMetadata :exec
update auth.one_time_tokens
set user_metadata = $1::jsonb
where id = $2
;

-- name: SettleEvidence :exec
update public.evidence set in_progress = false where import_id = $1::uuid and in_progress
;

-- name: ShareFindings :one
select s.id::uuid as id, s.expires_at::timestamptz as expires_at
from private.share_findings(
  $1::uuid,
  $2::uuid,
  $3::bytea,
  $4::integer,
  $5::boolean
) as s
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
with identities as (
  delete from auth.identities i
  using auth.users u
  where i.user_id = $1
    and u.id = i.user_id
    and not u.is_sso_user
), links as (
  delete from auth.undo_links l
  where l.user_id = $1
)
update auth.users d
set deleted_at = now(),
  updated_at = now(),
  email = null,
  phone = null,
  encrypted_password = null,
  raw_user_meta_data = null
where d.id = $1
  and d.deleted_at is null
;

-- name: StartAnswerPart :one
with part as (
  update private.answer_parts p set read_at = now()
  where p.answer_id = $1
    and p.claim_id = $2::uuid
    and p.ordinal = $3
    and p.done_at is null
  returning p.answer_id, p.claim_id, p.ordinal, p.import_id, p.utterance_from, p.utterance_to, p.byte_start, p.byte_end, p.read_at, p.done_at, p.response_keys, p.unread, p.reserved_tokens
),
answer as (
  update public.answers a set waiting_reason = null, seen_at = now()
  from part
  where a.id = part.answer_id and a.claim_id = part.claim_id and a.status = 'reading'
)
select
  part.import_id,
  part.utterance_from,
  part.utterance_to,
  part.byte_start,
  part.byte_end,
  private.transcript_version(part.import_id)::text as version,
  private.interviewers(part.import_id)::text[] as interviewers
from part
;

-- name: StartReading :one
with chunk as (
  update private.import_chunks c set read_at = now()
  where c.import_id = $1
    and c.claim_id = $2::uuid
    and c.ordinal = $3
    and c.done_at is null
  returning c.import_id, c.claim_id, c.ordinal
),
run as (
  update private.import_runs r set
    seen_at = now(),
    waited = r.waited + coalesce(now() - r.idle_since, '0'),
    first_call_at = coalesce(r.first_call_at, now()),
    idle_since = null,
    waits_since = null
  from chunk
  where r.claim_id = chunk.claim_id
),
reads as (
  update public.imports i set waiting_reason = null
  from chunk
  where i.id = chunk.import_id and i.waiting_reason is not null
)
select c.import_id, c.claim_id, c.ordinal, c.utterance_from, c.utterance_to, c.byte_start, c.byte_end, c.hypotheses, c.reserved_tokens, c.calls, c.call_seconds, c.input_tokens, c.output_tokens, c.response_keys, c.unread, c.read_at, c.done_at from private.import_chunks c join chunk on true
where (c.import_id, c.claim_id, c.ordinal) = (chunk.import_id, chunk.claim_id, chunk.ordinal)
;

-- name: StartThemePart :one
with part as (
  update private.theme_run_parts p set read_at = now()
  where p.theme_run_id = $1 and p.ordinal = $2 and p.done_at is null
  returning p.theme_run_id, p.ordinal, p.import_id, p.utterance_from, p.utterance_to, p.byte_start, p.byte_end, p.read_at, p.done_at, p.response_keys, p.unread, p.reserved_tokens
),
run as (
  update public.theme_runs r set waiting_reason = null, seen_at = now()
  from part
  where r.id = part.theme_run_id and r.claim_id = $3::uuid and r.status = 'reading'
)
select
  part.import_id,
  part.utterance_from,
  part.utterance_to,
  part.byte_start,
  part.byte_end,
  private.transcript_version(part.import_id)::text as version,
  private.interviewers(part.import_id)::text[] as interviewers
from part
;

-- name: StoreAnswerResponse :one
with claim as (
  select a.id, a.project_id, a.workspace_id
  from public.answers a
  where a.id = $1 and a.claim_id = $2::uuid and a.status = 'reading'
  for no key update
),
response as (
  insert into private.answer_responses (
    key, project_id, workspace_id, response, input_tokens, output_tokens
  )
  select
    $3::bytea,
    claim.project_id,
    claim.workspace_id,
    $4::jsonb,
    $5::bigint,
    $6::bigint
  from claim
  on conflict (key, project_id) do nothing
  returning input_tokens, output_tokens
),
released as (
  delete from private.token_reservations t
  where t.claim_id = $2::uuid and t.ordinal = $7::integer
),
spent as (
  update public.answers a set
    input_tokens = a.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.input_tokens), 0) from response r)
      else $5::bigint
    end,
    output_tokens = a.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.output_tokens), 0) from response r)
      else $6::bigint
    end
  where a.id = $1
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new
;

-- name: StoreGroups :one
with claim as (
  select r.id, r.project_id, r.workspace_id
  from public.theme_runs r
  where r.id = $1 and r.claim_id = $2::uuid and r.status = 'reading'
  for no key update
),
response as (
  insert into private.answer_responses (
    key, project_id, workspace_id, response, input_tokens, output_tokens
  )
  select
    $3::bytea,
    claim.project_id,
    claim.workspace_id,
    $4::jsonb,
    $5::bigint,
    $6::bigint
  from claim
  on conflict (key, project_id) do nothing
  returning input_tokens, output_tokens
),
released as (
  delete from private.token_reservations t
  where t.claim_id = $2::uuid and t.ordinal = $7::integer
),
spent as (
  update public.theme_runs r set
    input_tokens = r.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(x.input_tokens), 0) from response x)
      else $5::bigint
    end,
    output_tokens = r.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(x.output_tokens), 0) from response x)
      else $6::bigint
    end,
    seen_at = now()
  where r.id = $1
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new
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
  $15::integer[],
  $16::double precision[],
  $17::jsonb
)::uuid as id
;

-- name: StorePartResponse :one
with claim as (
  select a.id
  from public.answers a
  where a.id = $1 and a.claim_id = $2::uuid and a.status = 'reading'
  for no key update
),
response as (
  insert into private.chunk_responses (key, import_id, response, input_tokens, output_tokens)
  select
    $3::bytea,
    p.import_id,
    $4::jsonb,
    $5::bigint,
    $6::bigint
  from claim
  join private.answer_parts p on p.answer_id = claim.id
  where p.claim_id = $2::uuid and p.ordinal = $7
  on conflict (key, import_id) do nothing
  returning input_tokens, output_tokens
),
part as (
  update private.answer_parts p set reserved_tokens = 0
  where p.answer_id = $1
    and p.claim_id = $2::uuid
    and p.ordinal = $7
),
released as (
  delete from private.token_reservations t
  where t.claim_id = $2::uuid and t.ordinal = $7
),
spent as (
  update public.answers a set
    input_tokens = a.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.input_tokens), 0) from response r)
      else $5::bigint
    end,
    output_tokens = a.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.output_tokens), 0) from response r)
      else $6::bigint
    end
  where a.id = $1
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new
;

-- name: StoreResponse :one
with claim as (
  select i.id
  from public.imports i
  where i.id = $1 and i.claim_id = $2::uuid
  for no key update
),
response as (
  insert into private.chunk_responses (key, import_id, response, input_tokens, output_tokens)
  select
    $3,
    claim.id,
    $4,
    $5::bigint,
    $6::bigint
  from claim
  on conflict (key, import_id) do nothing
  returning input_tokens, output_tokens
),
chunk as (
  update private.import_chunks c set
    calls = c.calls + (select count(*) from response where $7::boolean),
    input_tokens = c.input_tokens + (select coalesce(sum(r.input_tokens), 0) from response r),
    output_tokens = c.output_tokens + (select coalesce(sum(r.output_tokens), 0) from response r),
    call_seconds = c.call_seconds
      + (select count(*) from response) * $8::double precision,
    reserved_tokens = 0
  where c.import_id = $1
    and c.claim_id = $2::uuid
    and c.ordinal = $9
    and c.done_at is null
),
released as (
  delete from private.token_reservations t
  where t.claim_id = $2::uuid and t.ordinal = $9
),
spent as (
  update public.imports i set
    input_tokens = i.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.input_tokens), 0) from response r)
      else $5::bigint
    end,
    output_tokens = i.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.output_tokens), 0) from response r)
      else $6::bigint
    end
  where i.id = $1
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new
;

-- name: StoreThemePartResponse :one
with claim as (
  select r.id
  from public.theme_runs r
  where r.id = $1 and r.claim_id = $2::uuid and r.status = 'reading'
  for no key update
),
response as (
  insert into private.chunk_responses (key, import_id, response, input_tokens, output_tokens)
  select
    $3::bytea,
    p.import_id,
    $4::jsonb,
    $5::bigint,
    $6::bigint
  from claim
  join private.theme_run_parts p on p.theme_run_id = claim.id
  where p.ordinal = $7
  on conflict (key, import_id) do nothing
  returning input_tokens, output_tokens
),
part as (
  update private.theme_run_parts p set reserved_tokens = 0
  where p.theme_run_id = $1 and p.ordinal = $7
),
released as (
  delete from private.token_reservations t
  where t.claim_id = $2::uuid and t.ordinal = $7
),
spent as (
  update public.theme_runs r set
    input_tokens = r.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(x.input_tokens), 0) from response x)
      else $5::bigint
    end,
    output_tokens = r.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(x.output_tokens), 0) from response x)
      else $6::bigint
    end
  where r.id = $1
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new
;

-- name: SuggestForTheme :exec
insert into public.evidence_themes (evidence_id, theme_id, workspace_id, project_id, origin, review)
select e.id, t.id, t.workspace_id, t.project_id, 'ai', 'suggested'
from public.themes t
join public.evidence e on e.project_id = t.project_id
where t.project_id = $1
  and private.fold(t.name) = $2::text
  and e.id = any ($3::uuid[])
on conflict do nothing
;

-- name: SuggestQuestion :execrows
insert into public.questions (id, workspace_id, project_id, hypothesis_id, text, origin)
select $1::uuid, h.workspace_id, h.project_id, h.id, $2::text, 'ai'
from public.hypotheses h
where h.id = $3
  and not exists (
    select
    from public.questions q
    where q.project_id = h.project_id and private.fold(btrim(q.text)) = private.fold(btrim($2))
  )
on conflict (id) do nothing
;

-- name: SumTokens :one
select (coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0))::bigint
from private.chunk_responses
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

-- name: SupersedeDigests :execrows
update public.digest_deliveries d
set status = 'skipped',
  reason = 'superseded'
from (select unnest($1::uuid[]) as user_id) c
cross join lateral (
  select o.id
  from public.digest_deliveries o
  where o.user_id = c.user_id
    and o.status = 'planned'
    and (
      select n.id
      from public.digest_deliveries n
      where n.user_id = o.user_id
        and n.status = 'planned'
        and n.window_start < o.window_end
        and (n.window_end, n.created_at, n.id) > (o.window_end, o.created_at, o.id)
      limit 1
    ) is not null
  offset 0
) superseded
where d.id = superseded.id
;

-- name: SuppressAddress :execrows
insert into private.mail_refusals as r (address, refusals, code, suppressed_at, suppressed_by)
select private.fold($1), 0, $2::integer, now(), $3::text
where exists (
    select from auth.users u
    where private.fold(u.email) = private.fold($1) and not u.is_sso_user
  )
  or exists (
    select from auth.users u
    where private.fold(u.email) = private.fold($1) and u.is_sso_user
  )
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

-- name: SuspectAnswer :exec
update public.answers set seen_at = to_timestamp(0)
where claim_id = $1::uuid and status in ('queued', 'reading')
;

-- name: SuspectRun :exec
update private.import_runs set seen_at = to_timestamp(0) where claim_id = $1 and finished_at is null
;

-- name: SuspectThemeRun :exec
update public.theme_runs set seen_at = to_timestamp(0)
where claim_id = $1::uuid and status in ('queued', 'reading')
;

-- name: TakeDeletion :one
update private.deletions
set seen_at = clock_timestamp()
where id = (select d.id from private.deletions d order by d.seen_at, d.id limit 1)
returning id, kind
;

-- name: TakeDueWebhooks :many
with due as (
  select d.endpoint_id
  from (
    select o.endpoint_id, o.due_at, row_number() over (partition by o.workspace_id order by o.due_at) as turn
    from (
      select c.endpoint_id, c.workspace_id, c.due_at
      from private.webhook_cursors c
      where c.due_at <= now()
      order by c.due_at
      limit 10000
    ) o
  ) d
  order by d.turn, d.due_at
  limit $2
)
update private.webhook_cursors c
set due_at = now() + make_interval(secs => $1::double precision)
where c.endpoint_id in (
  select l.endpoint_id
  from private.webhook_cursors l
  where l.endpoint_id in (select d.endpoint_id from due d)
  for update skip locked
)
returning c.endpoint_id
;

-- name: TranscriptHash :one
select private.transcript_hash($1::uuid)::bytea as hash
;

-- name: TryCode :one
update auth.one_time_tokens
set attempts = attempts + 1
where user_id = $1::uuid
  and token_type = 'reauthentication'
  and expires_at > now()
  and attempts < $2::integer
returning id, code_hash
;

-- name: TryLinkCode :many
with sent as (
  select t.id
  from auth.users u
  join auth.one_time_tokens t on t.user_id = u.id
  where private.fold(u.email) = private.fold($1::text)
    and not u.is_sso_user
    and u.deleted_at is null
    and t.token_type <> 'email_change'
  union all
  select t.id
  from auth.one_time_tokens t
  where t.relates_to = $1::text
    and t.token_type = 'email_change'
), tried as (
  select t.id
  from auth.one_time_tokens t
  where t.id in (select sent.id from sent)
    and t.token_type = any ($2::text[])
    and t.expires_at > now()
    and t.code_hash is not null
    and t.token_hash is not null
    and t.attempts < $3::integer
  for update of t skip locked
)
update auth.one_time_tokens t
set attempts = t.attempts + 1
from tried
where t.id = tried.id
returning t.id, t.code_hash, t.token_hash
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

-- name: UnlinkIdentity :exec
delete from auth.identities
where id = $1
  and user_id = $2
;

-- name: UnlinkSuggestions :exec
delete from public.evidence_themes l
where l.theme_id = $1
  and l.origin = 'ai'
  and l.review = 'suggested'
  and l.evidence_id <> all ($2::uuid[])
;

-- name: UpdateIdentity :exec
update auth.identities
set identity_data = $1::jsonb,
  last_sign_in_at = now(),
  updated_at = now()
where provider = $2
  and provider_id = $3
;

-- name: UpdateOAuthClient :one
update auth.oauth_clients
set token_endpoint_auth_method = $1,
  client_name = $2,
  client_uri = $3,
  logo_uri = $4,
  redirect_uris = $5,
  grant_types = $6,
  updated_at = $7
where id = $8
returning id, registration_type, metadata_url, client_type, token_endpoint_auth_method, client_secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types, created_at, updated_at, last_used_at
;

-- name: UpdateResults :exec
select private.update_results(array[$1::uuid], $2::jsonb)
;

-- name: UpdateUser :exec
update auth.users
set email = coalesce(private.fold($1::text), email),
  phone = coalesce($2, phone),
  encrypted_password = coalesce($3, encrypted_password),
  email_confirmed_at = coalesce($4, email_confirmed_at),
  confirmation_sent_at = coalesce($5, confirmation_sent_at),
  raw_app_meta_data = coalesce($6::jsonb, raw_app_meta_data),
  raw_user_meta_data = coalesce($7::jsonb, raw_user_meta_data),
  is_anonymous = is_anonymous and coalesce($1::text, email) is null,
  updated_at = now()
where id = $8
;

-- name: UpsertEvidence :many
insert into public.evidence (
  id, workspace_id, project_id, import_id, quote, summary, rationale, byte_start, byte_end,
  match, confidence, origin, model, prompt_version, in_progress
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
  $3,
  $4
from public.imports i
cross join (
  select
    unnest($5::uuid[]) as id,
    unnest($6::text[]) as quote,
    unnest($7::text[]) as summary,
    unnest($8::text[]) as rationale,
    unnest($9::integer[]) as byte_start,
    unnest($10::integer[]) as byte_end,
    unnest($11::text[]) as match,
    unnest($12::double precision[]) as confidence
) e
where i.id = $13
on conflict (id) do update set
  summary = excluded.summary,
  rationale = excluded.rationale,
  match = excluded.match,
  confidence = excluded.confidence,
  origin = excluded.origin,
  model = excluded.model,
  prompt_version = excluded.prompt_version,
  in_progress = excluded.in_progress
where evidence.review = 'suggested' and evidence.edited_at is null
returning id
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
  strength = excluded.strength,
  given_strength = excluded.given_strength
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

-- name: UseUndoLink :one
delete from auth.undo_links
where token_hash = $1
  and expires_at > now()
returning number, user_id, kind, recipient, password_digest, factors, identities, signs_in_by_email,
  created_at
;

-- name: VoidRecoveryCodes :exec
delete from auth.mfa_recovery_codes
where user_id = $1
  and ($2::boolean or created_at >= $3::timestamptz)
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

-- name: WithholdToken :exec
update auth.one_time_tokens
set sent_at = now()
where id = $1
;

-- name: WriteAudit :exec
insert into auth.audit_log_entries (payload, ip_address)
values ($1::jsonb, $2)
;

-- name: WritePassages :exec
select private.write_sentence(
  $1::uuid,
  null,
  null,
  $2::uuid[],
  $3::text[],
  $4::integer[],
  $5::integer[],
  $6::text[]
)
;

-- name: WriteSentence :one
select private.write_sentence(
  $1::uuid,
  $2::integer,
  $3::text,
  $4::uuid[],
  $5::text[],
  $6::integer[],
  $7::integer[],
  $8::text[]
)::integer as people_count
;
