-- name: GetUserByEmail :one
select sqlc.embed(u), auth.identities_of(u.id)::jsonb as identities
from auth.users u
where private.fold(u.email) = private.fold(sqlc.arg(email)::text)
  and not u.is_sso_user
  and u.deleted_at is null;

-- name: GetUser :one
select sqlc.embed(u), auth.identities_of(u.id)::jsonb as identities
from auth.users u
where u.id = $1
  and u.deleted_at is null;

-- name: LockUser :one
-- For changes that depend on the user's current state. The lock does not block the user's refreshes: they
-- hold the lock of a session, for which the change may have to wait.
select u.id
from auth.users u
where u.id = $1
  and u.deleted_at is null
for no key update of u;

-- name: GetSessionUser :one
-- The user of a session, for requests that must not rely on a cache.
select sqlc.embed(u),
  auth.identities_of(u.id)::jsonb as identities,
  (s.id is not null)::boolean as has_session
from auth.users u
left join auth.sessions s on s.id = sqlc.arg(session_id)
  and s.user_id = u.id
  and (s.not_after is null or s.not_after > now())
where u.id = sqlc.arg(user_id)
  and u.deleted_at is null;

-- name: GetUserForSignIn :one
select sqlc.embed(u),
  auth.identities_of(u.id)::jsonb as identities,
  exists (
    select
    from auth.sign_in_networks n
    where n.user_id = u.id
      and n.network = sqlc.arg(network)
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
where private.fold(u.email) = private.fold(sqlc.arg(email)::text)
  and not u.is_sso_user
  and u.deleted_at is null;

-- name: RecordSignIn :exec
-- An empty network is not recorded.
with recorded as (
  insert into auth.sign_in_networks (user_id, network)
  select sqlc.arg(id), sqlc.arg(network)::text
  where sqlc.arg(network)::text <> ''
  on conflict (user_id, network) do update
  set signed_in_at = now()
), old as (
  delete from auth.sign_in_networks n
  where n.user_id = sqlc.arg(id)
    and n.network <> sqlc.arg(network)::text
    and n.signed_in_at < now() - interval '90 days'
)
update auth.users
set last_sign_in_at = now()
where id = sqlc.arg(id);

-- name: CreateUser :one
insert into auth.users (
  id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_sent_at, invited_at, phone,
  raw_app_meta_data, raw_user_meta_data, banned_until, is_anonymous
)
values (
  sqlc.arg(id),
  'authenticated',
  'authenticated',
  private.fold(sqlc.narg(email)::text),
  sqlc.narg(encrypted_password),
  sqlc.narg(email_confirmed_at),
  sqlc.narg(confirmation_sent_at),
  sqlc.narg(invited_at),
  sqlc.narg(phone),
  sqlc.arg(raw_app_meta_data)::jsonb,
  sqlc.arg(raw_user_meta_data)::jsonb,
  sqlc.narg(banned_until),
  sqlc.arg(is_anonymous)
)
returning id;

-- name: AddUser :execrows
-- If the id or the address is taken, nothing changes and the number of rows is 0.
insert into auth.users (
  id, email, encrypted_password, email_confirmed_at, confirmation_sent_at,
  raw_app_meta_data, raw_user_meta_data, banned_until, created_at
)
values (
  sqlc.arg(id),
  sqlc.arg(email)::text,
  sqlc.narg(encrypted_password),
  sqlc.narg(email_confirmed_at),
  sqlc.narg(confirmation_sent_at),
  sqlc.arg(raw_app_meta_data)::jsonb,
  sqlc.arg(raw_user_meta_data)::jsonb,
  sqlc.narg(banned_until),
  sqlc.arg(created_at)
)
on conflict do nothing;

-- name: UpdateUser :exec
-- A null changes nothing.
update auth.users
set email = coalesce(private.fold(sqlc.narg(email)::text), email),
  phone = coalesce(sqlc.narg(phone), phone),
  encrypted_password = coalesce(sqlc.narg(encrypted_password), encrypted_password),
  email_confirmed_at = coalesce(sqlc.narg(email_confirmed_at), email_confirmed_at),
  confirmation_sent_at = coalesce(sqlc.narg(confirmation_sent_at), confirmation_sent_at),
  raw_app_meta_data = coalesce(sqlc.narg(raw_app_meta_data)::jsonb, raw_app_meta_data),
  raw_user_meta_data = coalesce(sqlc.narg(raw_user_meta_data)::jsonb, raw_user_meta_data),
  is_anonymous = is_anonymous and coalesce(sqlc.narg(email)::text, email) is null,
  updated_at = now()
where id = sqlc.arg(id);

-- name: ConfirmSignUp :exec
-- Puts in force what a sign-up asked for, with the proof of its address.
with confirmed as (
  update auth.users u
  set encrypted_password = sqlc.arg(password_hash)::text,
    raw_user_meta_data = sqlc.arg(user_metadata)::jsonb,
    email_confirmed_at = now(),
    updated_at = now()
  where u.id = sqlc.arg(id)
  returning u.id, u.email
)
update public.profiles p
set display_name = private.display_name(sqlc.arg(user_metadata)::jsonb, confirmed.email)
from confirmed
where p.id = confirmed.id;

-- name: ConfirmAddress :exec
-- A proof of the address that is not that of the account's sign-up invalidates the password. A null keeps the
-- metadata.
with confirmed as (
  update auth.users u
  set email_confirmed_at = now(),
    encrypted_password = case when sqlc.arg(keep_password)::boolean then u.encrypted_password end,
    raw_user_meta_data = coalesce(sqlc.narg(user_metadata)::jsonb, u.raw_user_meta_data),
    updated_at = now()
  where u.id = sqlc.arg(id)
  returning u.id, u.email
)
update public.profiles p
set display_name = private.display_name(sqlc.narg(user_metadata)::jsonb, confirmed.email)
from confirmed
where p.id = confirmed.id
  and sqlc.narg(user_metadata)::jsonb is not null;

-- name: BanUser :exec
-- A null lifts a ban.
update auth.users
set banned_until = sqlc.narg(banned_until),
  updated_at = now()
where id = sqlc.arg(id);

-- name: SetEmailChange :exec
update auth.users
set email_change = sqlc.arg(email)::text,
  email_change_sent_at = now(),
  updated_at = now()
where id = sqlc.arg(id);

-- name: ApplyEmailChange :exec
update auth.users
set email = private.fold(sqlc.arg(email)::text),
  email_change = null,
  email_confirmed_at = now(),
  is_anonymous = false,
  updated_at = now()
where id = sqlc.arg(id);

-- name: RehashPassword :exec
-- Only if the hash is still the one that was checked.
update auth.users
set encrypted_password = sqlc.arg(new_hash)::text
where id = sqlc.arg(id)
  and encrypted_password = sqlc.arg(old_hash)::text;

-- name: DeleteUser :execrows
delete from auth.users
where id = $1;

-- name: SoftDeleteUser :execrows
-- The row stays for what refers to it. Nobody can sign in with it, and its address is free again, as are its
-- accounts at providers. An external issuer would create the user again.
with identities as (
  delete from auth.identities i
  using auth.users u
  where i.user_id = sqlc.arg(id)
    and u.id = i.user_id
    and not u.is_sso_user
), links as (
  delete from auth.undo_links l
  where l.user_id = sqlc.arg(id)
)
update auth.users d
set deleted_at = now(),
  updated_at = now(),
  email = null,
  phone = null,
  encrypted_password = null,
  raw_user_meta_data = null
where d.id = sqlc.arg(id)
  and d.deleted_at is null;

-- name: ListUsers :many
-- The newest first. The filter is a part of the address or the name; an empty one filters nothing.
select sqlc.embed(u), auth.identities_of(u.id)::jsonb as identities
from auth.users u
where u.deleted_at is null
  and (
    sqlc.arg(filter)::text = ''
    or strpos(private.fold(u.email), private.fold(sqlc.arg(filter)::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'full_name'), private.fold(sqlc.arg(filter)::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'display_name'), private.fold(sqlc.arg(filter)::text)) > 0
  )
order by u.created_at desc, u.id
limit sqlc.arg(page_size)
offset sqlc.arg(skip);

-- name: ListUsersOldestFirst :many
select sqlc.embed(u), auth.identities_of(u.id)::jsonb as identities
from auth.users u
where u.deleted_at is null
  and (
    sqlc.arg(filter)::text = ''
    or strpos(private.fold(u.email), private.fold(sqlc.arg(filter)::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'full_name'), private.fold(sqlc.arg(filter)::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'display_name'), private.fold(sqlc.arg(filter)::text)) > 0
  )
order by u.created_at, u.id desc
limit sqlc.arg(page_size)
offset sqlc.arg(skip);

-- name: CountUsers :one
select count(*)
from auth.users u
where u.deleted_at is null
  and (
    sqlc.arg(filter)::text = ''
    or strpos(private.fold(u.email), private.fold(sqlc.arg(filter)::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'full_name'), private.fold(sqlc.arg(filter)::text)) > 0
    or strpos(private.fold(u.raw_user_meta_data ->> 'display_name'), private.fold(sqlc.arg(filter)::text)) > 0
  );

-- name: IsSubjectActive :one
-- Whether an access token may still be used. Ours has a session; that of an external issuer has only a user.
select (
    u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
    and (
      sqlc.narg(session_id)::uuid is null
      or exists (
        select
        from auth.sessions s
        where s.id = sqlc.narg(session_id)
          and s.user_id = u.id
          and (s.not_after is null or s.not_after > now())
      )
    )
  )::boolean as active
from auth.users u
where u.id = sqlc.arg(user_id);

-- name: AddExternalUser :execrows
-- A user of an external issuer. The address is never used to find an account of ours: an issuer may let its
-- users choose it.
insert into auth.users (id, email, is_sso_user, raw_app_meta_data, raw_user_meta_data)
values (
  sqlc.arg(id),
  private.fold(sqlc.narg(email)::text),
  true,
  sqlc.arg(raw_app_meta_data)::jsonb,
  sqlc.arg(raw_user_meta_data)::jsonb
)
on conflict (id) do nothing;
