-- name: RequestToken :execrows
-- Requests a token by address, so that known and unknown addresses take the same statement. It replaces an
-- earlier request of the same type.
with account as (
  select u.id
  from auth.users u
  where private.fold(u.email) = private.fold(sqlc.arg(email)::text)
    and not u.is_sso_user
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
), earlier as (
  delete from auth.one_time_tokens t
  using account
  where t.user_id = account.id
    and t.token_type = sqlc.arg(token_type)
)
insert into auth.one_time_tokens (id, user_id, token_type, redirect_to, expires_at)
select sqlc.arg(id),
  account.id,
  sqlc.arg(token_type),
  sqlc.arg(redirect_to),
  now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision)
from account;

-- name: SetTokenMetadata :exec
-- The metadata that a requested link puts in force with the proof of the address. An unknown address has no
-- request, and then nothing happens.
update auth.one_time_tokens
set user_metadata = sqlc.arg(user_metadata)::jsonb
where id = sqlc.arg(id);

-- name: RequestSignUp :execrows
-- Requests the link of a sign-up, which puts its password and its metadata in force, if the address awaits
-- its proof. Other sign-ups of the address keep their links.
with account as (
  select u.id
  from auth.users u
  where private.fold(u.email) = private.fold(sqlc.arg(email)::text)
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
select sqlc.arg(id),
  account.id,
  'signup',
  sqlc.arg(redirect_to),
  now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision),
  sqlc.arg(password_hash)::text,
  sqlc.arg(user_metadata)::jsonb
from account;

-- name: RequestSignUpAgain :execrows
-- Requests the link of the only sign-up of an address again, and replaces the earlier one. If there are
-- several sign-ups, nobody knows which of them is the owner's: the link only proves the address. So does that
-- of an account which an administrator made.
with account as (
  select u.id, u.encrypted_password
  from auth.users u
  where private.fold(u.email) = private.fold(sqlc.arg(email)::text)
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
select sqlc.arg(id),
  signups.id,
  'signup',
  sqlc.arg(redirect_to),
  now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision),
  case when signups.total = 1 then signups.password_hash end,
  case when signups.total = 1 then signups.user_metadata end
from signups;

-- name: HasPendingSignUp :one
-- Whether a sign-up other than that of the account itself awaits its link.
select exists (
  select
  from auth.one_time_tokens t
  where t.user_id = sqlc.arg(user_id)::uuid
    and t.password_hash is not null
);

-- name: RequestUserToken :exec
-- Requests a token for a user. It replaces an earlier request of the same type.
with earlier as (
  delete from auth.one_time_tokens t
  where t.user_id = sqlc.arg(user_id)::uuid
    and t.token_type = sqlc.arg(token_type)
)
insert into auth.one_time_tokens (id, user_id, token_type, relates_to, redirect_to, session_id, expires_at)
values (
  sqlc.arg(id),
  sqlc.arg(user_id)::uuid,
  sqlc.arg(token_type),
  sqlc.arg(relates_to),
  sqlc.arg(redirect_to),
  sqlc.narg(session_id),
  now() + make_interval(secs => sqlc.arg(lifetime_seconds)::double precision)
);

-- name: MintToken :one
-- Stores the hashes of a token and of a code that are about to be mailed. A second attempt replaces those of
-- the first. There is no row if the token was used or replaced, its mail was sent, or its invitation has
-- ended.
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
  where t.id = sqlc.arg(id)
)
update auth.one_time_tokens t
set token_hash = case when t.token_type <> 'reauthentication' then sqlc.arg(token_hash)::bytea end,
  code_hash = case when t.token_type <> 'workspace_invitation' then sqlc.arg(code_hash)::bytea end,
  attempts = 0
from recipient r
where t.id = r.id
  and t.sent_at is null
  and t.expires_at > now()
  and r.email is not null
returning t.token_type, t.relates_to, t.redirect_to, t.expires_at, t.invitation_id,
  r.email::text as email, r.inviter::text as inviter;

-- name: CountInvitationMail :one
-- Whether the mail of a request may be sent: an address gets few invitations a day. If not, the request is
-- deleted.
select private.count_invitation_mail(sqlc.arg(id)::uuid)::boolean as may_be_sent;

-- name: MarkMailSent :exec
update auth.one_time_tokens set sent_at = now() where id = $1;

-- name: MarkMailRefused :exec
update auth.one_time_tokens set refused_at = now() where id = $1;

-- name: ListWaitingMails :many
-- Requests whose mail was not sent, and whose run was not started in the last minutes: the oldest first. An
-- invitation waits until the inviter's own address is proven.
select t.id
from auth.one_time_tokens t
left join public.workspace_invitations i on i.id = t.invitation_id
left join auth.users inviter on inviter.id = i.created_by
where t.sent_at is null
  and t.refused_at is null
  and (t.started_at is null or t.started_at < now() - make_interval(secs => sqlc.arg(again_seconds)))
  and t.expires_at > now()
  and i.ended_at is null
  and (i.created_by is null or inviter.email_confirmed_at is not null)
order by t.created_at, t.id
limit sqlc.arg(maximum);

-- name: MeasureMails :one
-- For metrics and doctor: how many mails about accounts wait that could be sent, for how many seconds the
-- oldest has waited, and how many the mail server has refused for good in the last day.
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
from waiting w;

-- name: MarkMailsStarted :exec
update auth.one_time_tokens set started_at = now() where id = any (sqlc.arg(ids)::uuid[]);

-- name: FindToken :one
select t.id, t.token_type, t.redirect_to, t.expires_at > now() as valid
from auth.one_time_tokens t
where t.token_hash = $1;

-- name: UseToken :one
-- Using a token deletes it, so that one of several concurrent requests gets the row.
delete from auth.one_time_tokens
where token_hash = $1
  and expires_at > now()
  and token_type = any (sqlc.arg(token_types)::text[])
  and user_id is not null
returning user_id, token_type, relates_to, redirect_to, password_hash, user_metadata, session_id;

-- name: HasToken :one
select exists (
  select
  from auth.one_time_tokens
  where user_id = sqlc.arg(user_id)::uuid
    and token_type = sqlc.arg(token_type)
);

-- name: TryCode :one
-- Counts an attempt to use a user's code for reauthentication, before the code is compared.
update auth.one_time_tokens
set attempts = attempts + 1
where user_id = sqlc.arg(user_id)::uuid
  and token_type = 'reauthentication'
  and expires_at > now()
  and attempts < sqlc.arg(maximum)::integer
returning id, code_hash;

-- name: TryLinkCode :many
-- Counts an attempt to use a code of a link, before the code is compared. Several sign-ups of an address can
-- await their links, each with a code. A request that is being used is skipped, so that this never waits.
with sent as (
  select t.id
  from auth.users u
  join auth.one_time_tokens t on t.user_id = u.id
  where private.fold(u.email) = private.fold(sqlc.arg(email)::text)
    and not u.is_sso_user
    and u.deleted_at is null
    and t.token_type <> 'email_change'
  union all
  select t.id
  from auth.one_time_tokens t
  where t.relates_to = sqlc.arg(email)::text
    and t.token_type = 'email_change'
), tried as (
  select t.id
  from auth.one_time_tokens t
  where t.id in (select sent.id from sent)
    and t.token_type = any (sqlc.arg(token_types)::text[])
    and t.expires_at > now()
    and t.code_hash is not null
    and t.token_hash is not null
    and t.attempts < sqlc.arg(maximum)::integer
  for update of t skip locked
)
update auth.one_time_tokens t
set attempts = t.attempts + 1
from tried
where t.id = tried.id
returning t.id, t.code_hash, t.token_hash;

-- name: DeleteUserTokens :exec
-- After a proof or a change of the address, links that were mailed before must not work any more.
delete from auth.one_time_tokens
where user_id = sqlc.arg(user_id)::uuid;

-- name: DeleteUserLinks :exec
-- After a change of the password, as well. But sign-ups of the same address are not the user's to delete.
delete from auth.one_time_tokens
where user_id = sqlc.arg(user_id)::uuid
  and password_hash is null;

-- name: DeleteUserToken :execrows
delete from auth.one_time_tokens
where id = sqlc.arg(id)
  and user_id = sqlc.arg(user_id)::uuid;

-- name: DeleteToken :exec
delete from auth.one_time_tokens
where id = $1;

-- name: HasEmailChange :one
-- Whether a link of a type was requested for a change to an address.
select exists (
  select
  from auth.one_time_tokens
  where user_id = sqlc.arg(user_id)::uuid
    and token_type = sqlc.arg(token_type)
    and relates_to = sqlc.arg(email)::text
    and expires_at > now()
);

-- name: WithholdToken :exec
-- Makes the relay of mails leave a request alone.
update auth.one_time_tokens
set sent_at = now()
where id = $1;
