-- name: GetIdentity :one
select user_id, coalesce(identity_data ->> 'iss', '')::text as issuer
from auth.identities
where provider = $1
  and provider_id = $2;

-- name: AddIdentity :execrows
-- It adds none if the identity belongs to a user already.
insert into auth.identities (provider, provider_id, user_id, identity_data, last_sign_in_at)
values (
  sqlc.arg(provider),
  sqlc.arg(provider_id),
  sqlc.arg(user_id),
  sqlc.arg(identity_data)::jsonb,
  now()
)
on conflict (provider_id, provider) do nothing;

-- name: UpdateIdentity :exec
-- What the provider says at a sign-in.
update auth.identities
set identity_data = sqlc.arg(identity_data)::jsonb,
  last_sign_in_at = now(),
  updated_at = now()
where provider = sqlc.arg(provider)
  and provider_id = sqlc.arg(provider_id);

-- name: UnlinkIdentity :exec
delete from auth.identities
where id = sqlc.arg(id)
  and user_id = sqlc.arg(user_id);

-- name: DeleteIdentities :exec
delete from auth.identities
where user_id = $1;

-- name: SetProviders :exec
-- Lists how the user signs in, as GoTrue does: e-mail first, then by age. provider stays if it is in the
-- list.
with listed as (
  select p.provider, p.rank
  from (
    select 'email' as provider, 0::bigint as rank
    where sqlc.arg(with_email)::boolean
    union all
    select i.provider, row_number() over (order by min(i.created_at), i.provider)
    from auth.identities i
    where i.user_id = sqlc.arg(user_id)
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
where u.id = sqlc.arg(user_id);

-- name: AdoptAddress :exec
-- Gives a user without an address the one that a provider vouches for. Who links an account can sign in
-- again, and so is not anonymous any more.
update auth.users
set email = coalesce(email, private.fold(sqlc.narg(email)::text)),
  email_confirmed_at = case
    when email is null and sqlc.narg(email)::text is not null then now()
    else email_confirmed_at
  end,
  is_anonymous = false,
  updated_at = now()
where id = sqlc.arg(id);

-- name: RemovePassword :exec
update auth.users
set encrypted_password = null,
  updated_at = now()
where id = $1;

-- name: CountForeignIssuers :one
-- Those with which nobody can sign in while the provider has this issuer.
select count(*)
from auth.identities
where provider = sqlc.arg(provider)
  and coalesce(identity_data ->> 'iss', '') <> sqlc.arg(issuer)::text;
