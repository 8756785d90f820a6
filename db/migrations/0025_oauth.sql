-- +goose Up

-- Apps that act for users, such as assistants: an OAuth 2.1 server with the tables of Supabase Auth, and
-- tokens that users make for their own scripts.

create table auth.oauth_clients (
  id uuid not null default gen_random_uuid(),
  registration_type text not null constraint oauth_clients_registration_type_check check (
    registration_type in ('manual', 'dynamic', 'metadata_document')
  ),
  metadata_url text,
  client_type text not null constraint oauth_clients_client_type_check check (
    client_type in ('public', 'confidential')
  ),
  token_endpoint_auth_method text not null constraint oauth_clients_token_endpoint_auth_method_check check (
    token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')
  ),
  client_secret_hash bytea,
  client_name text not null default '',
  client_uri text not null default '',
  logo_uri text not null default '',
  redirect_uris text[] not null,
  grant_types text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  constraint oauth_clients_pkey primary key (id),
  constraint oauth_clients_metadata_url_key unique (metadata_url),
  constraint oauth_clients_metadata_url_check check (
    (registration_type = 'metadata_document') = (metadata_url is not null)
  ),
  constraint oauth_clients_client_secret_hash_check check (
    (client_type = 'confidential') = (client_secret_hash is not null)
    and (client_type = 'public') = (token_endpoint_auth_method = 'none')
  )
);
create index oauth_clients_last_used_at_idx on auth.oauth_clients (last_used_at);
comment on table auth.oauth_clients is
  'Apps that may ask users for access. manual: registered by an operator; dynamic: by the app (RFC 7591); '
  'metadata_document: the app is known by the address of a document that describes it.';
comment on column auth.oauth_clients.metadata_url is
  'metadata_document: the address of the document, which is the client_id.';
comment on column auth.oauth_clients.client_secret_hash is
  'SHA-256 of the secret; the secret itself is not stored. Null for public clients.';
comment on column auth.oauth_clients.redirect_uris is 'Where a browser may be sent with a code.';
comment on column auth.oauth_clients.last_used_at is
  'When the app last asked a user for access. Apps that no user allows anything, and that have not asked for '
  '30 days, are deleted, unless an operator registered them.';
grant select, insert, update, delete on auth.oauth_clients to service_role;

alter table auth.sessions
add constraint sessions_oauth_client_id_fkey
foreign key (oauth_client_id) references auth.oauth_clients (id) on delete cascade;
create index sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);

-- A request for access, until the user has answered and the app has exchanged the code. The row stays for a
-- while after that, so that a code that is used twice ends the session that it began.
create table auth.oauth_authorizations (
  id uuid not null default gen_random_uuid(),
  client_id uuid not null
    constraint oauth_authorizations_client_id_fkey references auth.oauth_clients (id) on delete cascade,
  user_id uuid constraint oauth_authorizations_user_id_fkey references auth.users (id) on delete cascade,
  status text not null default 'pending' constraint oauth_authorizations_status_check check (
    status in ('pending', 'approved', 'denied')
  ),
  redirect_uri text not null,
  scopes text[] not null,
  state text not null default '',
  resource text,
  code_challenge text not null,
  code_hash bytea,
  code_expires_at timestamptz,
  factor_id uuid
    constraint oauth_authorizations_factor_id_fkey references auth.mfa_factors (id) on delete set null,
  amr jsonb not null default '[]',
  session_id uuid
    constraint oauth_authorizations_session_id_fkey references auth.sessions (id) on delete set null,
  exchanged_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint oauth_authorizations_pkey primary key (id),
  constraint oauth_authorizations_code_hash_key unique (code_hash),
  constraint oauth_authorizations_code_check check (
    (code_hash is null) = (code_expires_at is null)
    and (code_hash is not null) = (status = 'approved')
    and (code_hash is null or user_id is not null)
  )
);
create index oauth_authorizations_client_id_idx on auth.oauth_authorizations (client_id);
create index oauth_authorizations_user_id_idx on auth.oauth_authorizations (user_id);
create index oauth_authorizations_factor_id_idx on auth.oauth_authorizations (factor_id);
create index oauth_authorizations_session_id_idx on auth.oauth_authorizations (session_id);
create index oauth_authorizations_expires_at_idx on auth.oauth_authorizations (expires_at);
comment on column auth.oauth_authorizations.user_id is
  'Who opened the request first. Nobody else may answer it.';
comment on column auth.oauth_authorizations.state is 'Of the app, which gets it back.';
comment on column auth.oauth_authorizations.resource is 'What the tokens are for (RFC 8707).';
comment on column auth.oauth_authorizations.code_challenge is 'Of the method S256 (RFC 7636).';
comment on column auth.oauth_authorizations.code_hash is
  'SHA-256 of the code; the code itself is only in the address.';
comment on column auth.oauth_authorizations.factor_id is
  'The factor of the session that approved. The session of the app has it too.';
comment on column auth.oauth_authorizations.session_id is 'The session that the code began.';
comment on column auth.oauth_authorizations.expires_at is 'When the user may not answer any more.';
grant select, insert, update, delete on auth.oauth_authorizations to service_role;

create table auth.oauth_consents (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint oauth_consents_user_id_fkey references auth.users (id) on delete cascade,
  client_id uuid not null
    constraint oauth_consents_client_id_fkey references auth.oauth_clients (id) on delete cascade,
  scopes text[] not null,
  resource text,
  redirect_host text not null,
  granted_at timestamptz not null default now(),
  constraint oauth_consents_pkey primary key (id),
  constraint oauth_consents_user_id_client_id_key unique (user_id, client_id)
);
create index oauth_consents_client_id_idx on auth.oauth_consents (client_id);
comment on table auth.oauth_consents is
  'What users have allowed to apps. Revoking one deletes it, with the sessions of the app.';
comment on column auth.oauth_consents.redirect_host is
  'Where the last answer that the user approved went, for people: a host, or the scheme of an app.';
grant select, insert, update, delete on auth.oauth_consents to service_role;

create table auth.personal_access_tokens (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null
    constraint personal_access_tokens_user_id_fkey references auth.users (id) on delete cascade,
  name text not null,
  token_hash bytea not null,
  scopes text[] not null,
  factor_id uuid
    constraint personal_access_tokens_factor_id_fkey references auth.mfa_factors (id) on delete set null,
  amr jsonb not null default '[]',
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  constraint personal_access_tokens_pkey primary key (id),
  constraint personal_access_tokens_token_hash_key unique (token_hash),
  constraint personal_access_tokens_name_check check (char_length(name) between 1 and 100),
  constraint personal_access_tokens_expires_at_check check (
    expires_at <= created_at + interval '8784 hours' -- 366 days, without those of time zones
  )
);
create index personal_access_tokens_user_id_idx on auth.personal_access_tokens (user_id, created_at);
create index personal_access_tokens_factor_id_idx on auth.personal_access_tokens (factor_id);
create index personal_access_tokens_expires_at_idx on auth.personal_access_tokens (expires_at);
comment on table auth.personal_access_tokens is 'Tokens that users make for scripts and assistants.';
comment on column auth.personal_access_tokens.token_hash is
  'SHA-256 of the token; the token itself is shown once and not stored.';
comment on column auth.personal_access_tokens.factor_id is
  'The factor of the session that made the token. Without the factor, the token has only the first one.';
comment on column auth.personal_access_tokens.last_used_at is 'To the minute.';
grant select, insert, update, delete on auth.personal_access_tokens to service_role;
