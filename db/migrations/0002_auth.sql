-- +goose Up
-- The tables of identity are those of Supabase Auth, so that users can be imported by SQL with their bcrypt
-- hashes. Tokens are the exception: ours are stored as SHA-256 hashes.

-- The bodies of the next four functions are parsed when they are created, so that no search_path changes them
-- and the planner can inline them.

-- The claims of the request, as PostgREST passes them.
create function auth.jwt() returns jsonb language sql stable
return coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;

-- The user of the request. It is null if the claim sub is not a UUID.
create function auth.uid() returns uuid language sql stable
return (case when auth.jwt() ->> 'sub' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then auth.jwt() ->> 'sub' end)::uuid;

create function auth.role() returns text language sql stable return auth.jwt() ->> 'role';

create function auth.email() returns text language sql stable return auth.jwt() ->> 'email';

grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email() to anon, authenticated, service_role;

create table auth.users (
  instance_id uuid,
  id uuid not null default gen_random_uuid(),
  aud varchar(255) default 'authenticated',
  role varchar(255) default 'authenticated',
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255),
  confirmation_sent_at timestamptz,
  recovery_token varchar(255),
  recovery_sent_at timestamptz,
  email_change_token_new varchar(255),
  email_change varchar(255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  phone text,
  phone_confirmed_at timestamptz,
  phone_change text,
  phone_change_token varchar(255),
  phone_change_sent_at timestamptz,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  email_change_token_current varchar(255),
  email_change_confirm_status smallint,
  banned_until timestamptz,
  reauthentication_token varchar(255),
  reauthentication_sent_at timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz,
  is_anonymous boolean not null default false,
  constraint users_pkey primary key (id)
);
create unique index users_email_key on auth.users (lower(email)) where not is_sso_user;
comment on table auth.users is 'Who can sign in. Columns as in Supabase Auth.';

create table auth.identities (
  provider_id text not null,
  user_id uuid not null constraint identities_user_id_fkey references auth.users (id) on delete cascade,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  email text generated always as (lower(identity_data ->> 'email')) stored,
  id uuid not null default gen_random_uuid(),
  constraint identities_pkey primary key (id),
  constraint identities_provider_id_provider_unique unique (provider_id, provider)
);
create index identities_user_id_idx on auth.identities (user_id);

create table auth.sessions (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint sessions_user_id_fkey references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  aal text not null default 'aal1',
  not_after timestamptz,
  refreshed_at timestamptz,
  user_agent text,
  ip inet,
  amr jsonb not null default '[]',
  refresh_salt bytea not null default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  constraint sessions_pkey primary key (id)
);
create index sessions_user_id_created_at_idx on auth.sessions (user_id, created_at);
comment on column auth.sessions.refresh_salt is
  'A refresh token is the HMAC of the one before it with this salt, so that a client that lost an answer can be given the same token again though only hashes are stored.';

create table auth.refresh_tokens (
  id bigint generated always as identity,
  token_hash bytea not null,
  user_id uuid not null constraint refresh_tokens_user_id_fkey references auth.users (id) on delete cascade,
  session_id uuid not null constraint refresh_tokens_session_id_fkey references auth.sessions (id) on delete cascade,
  parent_id bigint,
  revoked boolean not null default false,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint refresh_tokens_pkey primary key (id),
  constraint refresh_tokens_token_hash_key unique (token_hash)
);
create index refresh_tokens_session_id_idx on auth.refresh_tokens (session_id, id);
create index refresh_tokens_user_id_idx on auth.refresh_tokens (user_id);
comment on column auth.refresh_tokens.token_hash is 'SHA-256 of the token; the token itself is nowhere.';

create table auth.signing_keys (
  kid text not null,
  algorithm text not null,
  private_key bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  constraint signing_keys_pkey primary key (kid)
);
comment on table auth.signing_keys is 'Keys that sign access tokens (PKCS #8, DER). A retired key still verifies until its last token expired.';

create table auth.one_time_tokens (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint one_time_tokens_user_id_fkey references auth.users (id) on delete cascade,
  token_type text not null,
  token_hash bytea not null,
  relates_to text not null default '',
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint one_time_tokens_pkey primary key (id),
  constraint one_time_tokens_token_hash_key unique (token_hash)
);
create index one_time_tokens_user_id_idx on auth.one_time_tokens (user_id);

create table auth.audit_log_entries (
  id uuid not null default gen_random_uuid(),
  payload jsonb not null,
  ip_address text not null default '',
  created_at timestamptz not null default now(),
  constraint audit_log_entries_pkey primary key (id)
);
create index audit_log_entries_created_at_idx on auth.audit_log_entries (created_at);

grant select, insert, update, delete on all tables in schema auth to service_role;
