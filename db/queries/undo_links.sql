-- name: AddUndoLink :execrows
-- Stores what an account is before a change. It adds none beyond the maximum. added is a factor that the
-- transaction has verified already.
insert into auth.undo_links (
  id, user_id, kind, recipient, password_digest, factors, identities, signs_in_by_email
)
select sqlc.arg(id),
  u.id,
  sqlc.arg(kind),
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
      and f.id is distinct from sqlc.narg(added)::uuid
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
  sqlc.arg(signs_in_by_email)
from auth.users u
where u.id = sqlc.arg(user_id)
  and (
    select count(*)
    from auth.undo_links l
    where l.user_id = u.id
      and l.expires_at > now()
  ) < sqlc.arg(maximum)::integer;

-- name: MintUndoLink :one
-- Stores the hash of a token that is about to be mailed. A second attempt replaces the token of the first.
update auth.undo_links
set token_hash = sqlc.arg(token_hash)::bytea
where id = sqlc.arg(id)
  and expires_at > now()
returning expires_at;

-- name: FindUndoLink :one
select l.user_id, l.kind, l.created_at
from auth.undo_links l
join auth.users u on u.id = l.user_id
  and u.deleted_at is null
where l.token_hash = $1
  and l.expires_at > now();

-- name: UseUndoLink :one
-- Using a link deletes it, so that one of several concurrent requests gets the row.
delete from auth.undo_links
where token_hash = $1
  and expires_at > now()
returning number, user_id, kind, recipient, password_digest, factors, identities, signs_in_by_email,
  created_at;

-- name: DeleteLaterUndoLinks :exec
-- They would restore what a thief had made of the account.
delete from auth.undo_links
where user_id = sqlc.arg(user_id)
  and number > sqlc.arg(number);

-- name: ReleaseAddress :exec
-- Takes an address from an account that has not proven it. The account stays, without an address.
with released as (
  update auth.users u
  set email = null,
    email_change = null,
    updated_at = now()
  where private.fold(u.email) = private.fold(sqlc.arg(email)::text)
    and u.id <> sqlc.arg(keep)
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
where s.user_id = released.id;

-- name: RestoreUser :one
-- Gives a user the former address. The password becomes unusable if it has changed.
update auth.users
set email = private.fold(sqlc.arg(email)::text),
  email_change = null,
  email_confirmed_at = coalesce(email_confirmed_at, now()),
  encrypted_password = case
    when not sqlc.arg(reset)::boolean
      and sha256(convert_to(coalesce(encrypted_password, ''), 'UTF8')) = sqlc.arg(password_digest)::bytea
    then encrypted_password
  end,
  updated_at = now()
where id = sqlc.arg(id)
returning (encrypted_password is null)::boolean as without_password;

-- name: DeleteLaterFactors :exec
delete from auth.mfa_factors
where user_id = sqlc.arg(user_id)
  and id not in (
    select (f ->> 'id')::uuid
    from jsonb_array_elements(sqlc.arg(factors)::jsonb) f
  );

-- name: RestoreFactors :exec
insert into auth.mfa_factors (
  id, user_id, friendly_name, factor_type, status, secret, last_step, created_at
)
select (f ->> 'id')::uuid,
  sqlc.arg(user_id),
  f ->> 'friendly_name',
  f ->> 'factor_type',
  f ->> 'status',
  decode(f ->> 'secret', 'hex'),
  (f ->> 'last_step')::bigint,
  (f ->> 'created_at')::timestamptz
from jsonb_array_elements(sqlc.arg(factors)::jsonb) f
on conflict (id) do nothing;

-- name: DeleteLaterIdentities :exec
delete from auth.identities
where user_id = sqlc.arg(user_id)
  and id not in (
    select (i ->> 'id')::uuid
    from jsonb_array_elements(sqlc.arg(identities)::jsonb) i
  );

-- name: RestoreIdentities :exec
-- One that meanwhile belongs to another user stays there.
insert into auth.identities (
  id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at
)
select (i ->> 'id')::uuid,
  sqlc.arg(user_id),
  i ->> 'provider',
  i ->> 'provider_id',
  i -> 'identity_data',
  (i ->> 'last_sign_in_at')::timestamptz,
  (i ->> 'created_at')::timestamptz
from jsonb_array_elements(sqlc.arg(identities)::jsonb) i
on conflict do nothing;

-- name: VoidRecoveryCodes :exec
-- Those that were made with the change or later, or all.
delete from auth.mfa_recovery_codes
where user_id = sqlc.arg(user_id)
  and (sqlc.arg(every)::boolean or created_at >= sqlc.arg(since)::timestamptz);

-- name: DeleteUserFlows :exec
delete from auth.flow_state
where user_id = $1;
