-- +goose Up
-- Identity: users, their sessions, tokens and second factors. The tables are those of Supabase Auth, so that
-- users can be imported by SQL with their bcrypt hashes. Tokens are the exception: ours are stored as SHA-256
-- hashes. The API for clients does not serve this schema.

-- Texts for comparisons -------------------------------------------------------------------------------------

-- A text for comparisons: in lower case, letter by letter, as strings.ToLower of Go has it, and so the same
-- in any database. lower() follows the locale of the database, where the capital of i may be İ, or where only
-- ASCII has capitals (docs/decisions/0375). Letters that only look alike stay apart: an address is a mailbox.
create function private.fold(raw text) returns text
language sql immutable strict parallel safe
return lower(raw collate "C");
-- Letters beyond ASCII by the best collation that the server has: its own of PostgreSQL 17, ICU's, the C
-- library's. The two capitals whose small letters depend on what is around them, in some, are replaced first.
-- +goose StatementBegin
do $$
declare
  unicode text;
begin
  select quote_ident(n.nspname) || '.' || quote_ident(c.collname) into unicode
  from pg_catalog.pg_collation c
  join pg_catalog.pg_namespace n on n.oid = c.collnamespace and n.nspname = 'pg_catalog'
  where c.collname in ('pg_c_utf8', 'und-x-icu', 'C.utf8')
    and c.collencoding in (-1, pg_char_to_encoding('UTF8'))
  order by array_position(array['pg_c_utf8', 'und-x-icu', 'C.utf8'], c.collname::text)
  limit 1;
  if unicode is not null then
    execute format(
      $fold$create or replace function private.fold(raw text) returns text
        language sql immutable strict parallel safe
        return lower(replace(replace(raw, 'İ', 'i'), 'Σ', 'σ') collate %s)$fold$, unicode);
  end if;
end $$;
-- +goose StatementEnd

-- White space, as unicode.IsSpace of Go has it, for the brackets of regular expressions: what \s is follows
-- the locale of the database.
create function private.white_space() returns text
language sql immutable parallel safe
return '\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';
grant execute on function private.fold(text), private.white_space() to authenticated, service_role;

-- The claims of a request -----------------------------------------------------------------------------------

-- The bodies of these four functions are parsed when they are created, so that no search_path changes them
-- and the planner can inline them.

-- The claims of the request, as PostgREST passes them.
create function auth.jwt() returns jsonb language sql stable
return coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;

-- The user of the request. It is null if the claim sub is not a UUID.
create function auth.uid() returns uuid language sql stable
return substring(auth.jwt() ->> 'sub' from '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$')::uuid;

create function auth.role() returns text language sql stable return auth.jwt() ->> 'role';

create function auth.email() returns text language sql stable return auth.jwt() ->> 'email';

grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email()
to anon, authenticated, service_role;

-- Users -----------------------------------------------------------------------------------------------------

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
  factors jsonb not null default '[]',
  constraint users_pkey primary key (id),
  -- The API writes a domain beyond ASCII in its form of the DNS (xn--…), and finds an account by that one.
  constraint users_email_domain_check check (
    is_sso_user or length(split_part(email, '@', 2)) = octet_length(split_part(email, '@', 2))
  )
);
create unique index users_email_key on auth.users (private.fold(email)) where not is_sso_user;
create index users_sso_email_idx on auth.users (private.fold(email)) where is_sso_user;
-- For the lists of operators and administrators.
create index users_created_at_idx on auth.users (created_at, id);
comment on table auth.users is 'Who can sign in. Columns as in Supabase Auth.';
comment on column auth.users.factors is
  'The second factors in GoTrue''s format, without secrets. Kept by a trigger.';
grant select, insert, update, delete on auth.users to service_role;

create table auth.identities (
  provider_id text not null,
  user_id uuid not null constraint identities_user_id_fkey references auth.users (id) on delete cascade,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  email text generated always as (private.fold(identity_data ->> 'email')) stored,
  id uuid not null default gen_random_uuid(),
  constraint identities_pkey primary key (id),
  constraint identities_provider_id_provider_unique unique (provider_id, provider)
);
create index identities_user_id_idx on auth.identities (user_id);
comment on table auth.identities is
  'The accounts at other services that users sign in with. Columns as in Supabase Auth.';
comment on column auth.identities.provider is
  'google, azure, custom:… (a provider that is set up here), or the issuer of an external access token.';
comment on column auth.identities.provider_id is 'The id of the account at the provider: the claim sub.';
comment on column auth.identities.identity_data is
  'What the provider said at the last sign-in. email_verified is true only if it vouches for the address.';
grant select, insert, update, delete on auth.identities to service_role;

-- The identities of a user in GoTrue's format. The identity of the e-mail address has no row; the API derives
-- it.
-- +goose StatementBegin
create function auth.identities_of(wanted uuid) returns jsonb language sql stable
begin atomic
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id, 'identity_data', i.identity_data,
    'provider', i.provider, 'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at,
    'updated_at', i.updated_at, 'email', i.email
  )) order by i.created_at, i.id), '[]')
  from auth.identities i where i.user_id = wanted;
end;
-- +goose StatementEnd
grant execute on function auth.identities_of(uuid) to service_role;

-- Second factors --------------------------------------------------------------------------------------------

create table auth.mfa_factors (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint mfa_factors_user_id_fkey references auth.users (id) on delete cascade,
  friendly_name text not null default '',
  factor_type text not null constraint mfa_factors_factor_type_check check (factor_type = 'totp'),
  status text not null default 'unverified'
    constraint mfa_factors_status_check check (status in ('unverified', 'verified')),
  secret bytea not null,
  last_step bigint not null default 0,
  last_challenged_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint mfa_factors_pkey primary key (id)
);
create unique index mfa_factors_user_id_friendly_name_key on auth.mfa_factors (user_id, friendly_name)
where friendly_name <> '';
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);
comment on column auth.mfa_factors.secret is
  'Encrypted by AES-256-GCM with the key mfa_factors of auth.secrets; the id is authenticated as well.';
comment on column auth.mfa_factors.last_step is
  'The time step (RFC 6238) of the last code that was accepted. A code of it or of an earlier one is '
  'rejected.';
grant select, insert, update, delete on auth.mfa_factors to service_role;

-- Every answer with a user lists the factors, and so does every refresh. They are kept with the user, so that
-- this costs no further query.
-- +goose StatementBegin
create function auth.keep_factors() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  owner constant uuid := case tg_op when 'DELETE' then old.user_id else new.user_id end;
begin
  update auth.users u
  set factors = coalesce((
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'id', f.id, 'friendly_name', nullif(f.friendly_name, ''), 'factor_type', f.factor_type,
      'status', f.status, 'created_at', f.created_at, 'updated_at', f.updated_at,
      'last_challenged_at', f.last_challenged_at
    )) order by f.created_at, f.id)
    from auth.mfa_factors f
    where f.user_id = owner
  ), '[]')
  where u.id = owner;
  return null;
end $$;
-- +goose StatementEnd

create trigger mfa_factors_kept after insert or update or delete on auth.mfa_factors
for each row execute function auth.keep_factors();

create table auth.mfa_recovery_codes (
  user_id uuid not null
    constraint mfa_recovery_codes_user_id_fkey references auth.users (id) on delete cascade,
  code_hash bytea not null,
  created_at timestamptz not null default now(),
  constraint mfa_recovery_codes_pkey primary key (user_id, code_hash)
);
comment on table auth.mfa_recovery_codes is
  'Each replaces the code of a second factor once, and is deleted by that.';
comment on column auth.mfa_recovery_codes.code_hash is 'SHA-256 of the code, which has 80 random bits.';
grant select, insert, update, delete on auth.mfa_recovery_codes to service_role;

create table auth.mfa_failures (
  user_id uuid not null constraint mfa_failures_user_id_fkey references auth.users (id) on delete cascade,
  failures integer not null,
  last_failed_at timestamptz not null,
  constraint mfa_failures_pkey primary key (user_id)
);
comment on table auth.mfa_failures is 'How many wrong codes a user has entered since the last right one.';
grant select, insert, update, delete on auth.mfa_failures to service_role;

-- Sessions --------------------------------------------------------------------------------------------------

-- Each refresh updates a session and a token, in columns without an index. Where the page has room for the
-- new version of the row, PostgreSQL does not write the indexes. With full pages, 11 % of the updates of
-- tokens wrote all indexes; with a tenth of each page free, none did.
create table auth.sessions (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint sessions_user_id_fkey references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When the user last proved who they are since the sign-in, which is created_at.
  reauthenticated_at timestamptz,
  -- The factor that raised the session to aal2. Without the factor, the session has only its first one.
  factor_id uuid constraint sessions_factor_id_fkey references auth.mfa_factors (id) on delete set null,
  aal text not null default 'aal1',
  not_after timestamptz,
  refreshed_at timestamptz,
  user_agent text,
  ip inet,
  amr jsonb not null default '[]',
  -- Of an app that acts for the user; its foreign key is beside auth.oauth_clients. Null is the user's own.
  oauth_client_id uuid,
  scopes text[],
  resource text,
  constraint sessions_pkey primary key (id),
  constraint sessions_scopes_check check ((oauth_client_id is null) = (scopes is null)),
  constraint sessions_resource_check check (resource is null or oauth_client_id is not null)
) with (fillfactor = 90);
create index sessions_user_id_created_at_idx on auth.sessions (user_id, created_at);
create index sessions_factor_id_idx on auth.sessions (factor_id);
-- For the retention.
create index sessions_not_after_idx on auth.sessions (not_after);
comment on column auth.sessions.scopes is 'What the app may do.';
comment on column auth.sessions.resource is
  'The aud of the access tokens of the app (RFC 8707). Null if it may only read who the user is.';
grant select, insert, update, delete on auth.sessions to service_role;

create table auth.refresh_tokens (
  id bigint generated always as identity,
  token_hash bytea not null,
  user_id uuid not null constraint refresh_tokens_user_id_fkey references auth.users (id) on delete cascade,
  session_id uuid not null
    constraint refresh_tokens_session_id_fkey references auth.sessions (id) on delete cascade,
  parent_id bigint,
  revoked boolean not null default false,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint refresh_tokens_pkey primary key (id),
  constraint refresh_tokens_token_hash_key unique (token_hash)
) with (fillfactor = 90);
create index refresh_tokens_session_id_idx on auth.refresh_tokens (session_id, id);
create index refresh_tokens_user_id_idx on auth.refresh_tokens (user_id);
-- The retention deletes refresh tokens that were replaced long ago, also of sessions that continue. An index
-- on the time of their replacement would cost every refresh an entry in each index of the table.
create index refresh_tokens_created_at_idx on auth.refresh_tokens (created_at);
comment on column auth.refresh_tokens.token_hash is 'SHA-256 of the token; the token itself is not stored.';
grant select, insert, update, delete on auth.refresh_tokens to service_role;

create table auth.mfa_challenges (
  id uuid not null default gen_random_uuid(),
  factor_id uuid not null
    constraint mfa_challenges_factor_id_fkey references auth.mfa_factors (id) on delete cascade,
  session_id uuid not null
    constraint mfa_challenges_session_id_fkey references auth.sessions (id) on delete cascade,
  expires_at timestamptz not null,
  constraint mfa_challenges_pkey primary key (id)
);
create index mfa_challenges_factor_id_idx on auth.mfa_challenges (factor_id);
create index mfa_challenges_session_id_idx on auth.mfa_challenges (session_id);
comment on table auth.mfa_challenges is 'Each is answered once, by the session that asked for it.';
grant select, insert, update, delete on auth.mfa_challenges to service_role;

-- Wrong passwords from elsewhere do not keep an owner out of these networks.
create table auth.sign_in_networks (
  user_id uuid not null constraint sign_in_networks_user_id_fkey references auth.users (id) on delete cascade,
  network text not null,
  signed_in_at timestamptz not null default now(),
  constraint sign_in_networks_pkey primary key (user_id, network)
);
comment on table auth.sign_in_networks is 'The networks from which users signed in during the last 90 days.';
comment on column auth.sign_in_networks.network is 'Of IPv4 the /24, of IPv6 the /64.';
grant select, insert, update, delete on auth.sign_in_networks to service_role;

-- Links and codes in mails ----------------------------------------------------------------------------------

-- The API requests a one-time token. The activity that sends the mail mints it; until then there is no hash.
--
-- An address counts once its owner has proven it, and a password that was chosen at sign-up counts once the
-- link of that same sign-up was followed. So the request for the link carries the password.
--
-- PKCE (RFC 7636): a link that was requested with a challenge leads to a code, which only the client with the
-- verifier can exchange for a session.
create table auth.one_time_tokens (
  id uuid not null default gen_random_uuid(),
  user_id uuid constraint one_time_tokens_user_id_fkey references auth.users (id) on delete cascade,
  invitation_id uuid, -- its foreign key is beside public.workspace_invitations
  session_id uuid,
  token_type text not null constraint one_time_tokens_token_type_check check (token_type in (
    'signup', 'invite', 'recovery', 'magiclink', 'email_change', 'email_change_current', 'reauthentication',
    'workspace_invitation'
  )),
  token_hash bytea,
  code_hash bytea,
  relates_to text not null default '',
  redirect_to text not null default '',
  password_hash text,
  user_metadata jsonb,
  code_challenge text,
  code_challenge_method text,
  attempts smallint not null default 0,
  started_at timestamptz,
  sent_at timestamptz,
  refused_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint one_time_tokens_pkey primary key (id),
  constraint one_time_tokens_token_hash_key unique (token_hash),
  constraint one_time_tokens_password_check check (password_hash is null or token_type = 'signup'),
  constraint one_time_tokens_invitation_check check (
    (invitation_id is not null) = (token_type = 'workspace_invitation')
    and (invitation_id is not null) = (user_id is null)
  ),
  constraint one_time_tokens_code_challenge_check check (
    (code_challenge is null) = (code_challenge_method is null) and code_challenge_method in ('s256', 'plain')
  )
);
create index one_time_tokens_user_id_idx on auth.one_time_tokens (user_id);
-- A code is found by the address that it is to prove.
create index one_time_tokens_relates_to_idx on auth.one_time_tokens (relates_to) where relates_to <> '';
create unique index one_time_tokens_invitation_id_key on auth.one_time_tokens (invitation_id);
-- For the relay of mails, which looks for requests whose mail waits.
create index one_time_tokens_waiting_idx on auth.one_time_tokens (created_at)
where sent_at is null and refused_at is null;
comment on column auth.one_time_tokens.invitation_id is
  'workspace_invitation: what the token accepts. Such a token belongs to no user.';
comment on column auth.one_time_tokens.session_id is
  'email_change, email_change_current: the session that asked, which stays.';
comment on column auth.one_time_tokens.token_hash is
  'SHA-256 of the token; the token itself is only in the mail. Null until the mail is first tried.';
comment on column auth.one_time_tokens.code_hash is
  'SHA-256 of the six digits beside the link in the mail, with the id of the row. Null until the mail is '
  'first tried, and for workspace_invitation, which has no code; reauthentication has nothing else.';
comment on column auth.one_time_tokens.started_at is
  'When a worker last started the run that sends the mail.';
comment on column auth.one_time_tokens.sent_at is 'When the mail server accepted the mail.';
comment on column auth.one_time_tokens.refused_at is
  'When the mail server refused the mail for good. It is not tried again.';
comment on column auth.one_time_tokens.relates_to is
  'email_change, email_change_current: the address that is to be proven. signup: the provider of the account '
  'that signed up; empty if nobody did with a provider.';
comment on column auth.one_time_tokens.redirect_to is
  'Where the browser goes after the token was used; one of the allowed addresses.';
comment on column auth.one_time_tokens.password_hash is
  'signup: the password that the link puts in force. Null if the account has its password already.';
comment on column auth.one_time_tokens.user_metadata is
  'signup, magiclink: the metadata that the first proof of the address puts in force.';
comment on column auth.one_time_tokens.attempts is
  'How many codes were tried. The link works after that, too.';
grant select, insert, update, delete on auth.one_time_tokens to service_role;

create table auth.flow_state (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint flow_state_user_id_fkey references auth.users (id) on delete cascade,
  auth_code_hash bytea not null,
  code_challenge text not null,
  code_challenge_method text not null,
  authentication_method text not null,
  session_id uuid constraint flow_state_session_id_fkey references auth.sessions (id) on delete cascade,
  linked_identity jsonb,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint flow_state_pkey primary key (id),
  constraint flow_state_auth_code_hash_key unique (auth_code_hash),
  constraint flow_state_linked_identity_check check ((session_id is null) = (linked_identity is null))
);
create index flow_state_user_id_idx on auth.flow_state (user_id);
create index flow_state_session_id_idx on auth.flow_state (session_id);
comment on table auth.flow_state is
  'Codes of links that were followed, and of sign-ins with other services, until they are exchanged.';
comment on column auth.flow_state.auth_code_hash is
  'SHA-256 of the code; the code itself is only in the address.';
comment on column auth.flow_state.session_id is
  'The session that links an identity. The code ends with it.';
comment on column auth.flow_state.linked_identity is
  'The identity that the exchange adds to the user: provider, provider_id and identity_data.';
grant select, insert, update, delete on auth.flow_state to service_role;

-- Browsers on their way to the provider of another account and back.
create table auth.provider_flows (
  id uuid not null default gen_random_uuid(),
  token_hash bytea not null,
  browser_hash bytea,
  provider text not null,
  nonce text not null default '',
  code_verifier text not null default '',
  code_challenge text not null,
  code_challenge_method text not null,
  redirect_to text not null,
  user_id uuid constraint provider_flows_user_id_fkey references auth.users (id) on delete cascade,
  session_id uuid constraint provider_flows_session_id_fkey references auth.sessions (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint provider_flows_pkey primary key (id),
  constraint provider_flows_token_hash_key unique (token_hash),
  constraint provider_flows_user_id_check check ((user_id is null) = (session_id is null)),
  constraint provider_flows_browser_hash_check check (user_id is not null or browser_hash is not null)
);
create index provider_flows_user_id_idx on auth.provider_flows (user_id);
create index provider_flows_session_id_idx on auth.provider_flows (session_id);
create index provider_flows_expires_at_idx on auth.provider_flows (expires_at);
comment on table auth.provider_flows is
  'Sign-ins with other services that have begun, until the browser returns with the answer.';
comment on column auth.provider_flows.token_hash is
  'SHA-256 of the parameter state. Before a browser opens a flow that links an identity: of its ticket.';
comment on column auth.provider_flows.browser_hash is
  'SHA-256 of the cookie of the browser that may return. Null until a browser opens the flow.';
comment on column auth.provider_flows.nonce is 'The claim nonce that the ID token must have.';
comment on column auth.provider_flows.code_verifier is 'That of PKCE between us and the provider.';
comment on column auth.provider_flows.code_challenge is 'That of PKCE between the client and us.';
comment on column auth.provider_flows.user_id is 'Who links an identity. Null for a sign-in.';
grant select, insert, update, delete on auth.provider_flows to service_role;

create table auth.notices (
  id uuid not null default gen_random_uuid(),
  user_id uuid constraint notices_user_id_fkey references auth.users (id) on delete cascade,
  kind text not null constraint notices_kind_check check (kind in (
    'password_changed', 'email_changed', 'factor_added', 'factor_removed', 'recovery_codes_renewed',
    'recovery_code_used', 'app_connected', 'personal_token_created', 'identity_linked', 'identity_unlinked',
    'account_deleted', 'webhook_paused'
  )),
  recipient text not null,
  started_at timestamptz,
  created_at timestamptz not null default now(),
  constraint notices_pkey primary key (id)
);
create index notices_user_id_idx on auth.notices (user_id);
comment on table auth.notices is
  'Mails that tell users of changes of their accounts, or of webhooks of their workspaces. A row is deleted '
  'once its mail was sent or refused for good.';
comment on column auth.notices.user_id is 'Null if the account is deleted, which would delete the row.';
comment on column auth.notices.recipient is 'The address of the account before the change.';
comment on column auth.notices.started_at is 'When a worker last started the run that sends the mail.';
grant select, insert, update, delete on auth.notices to service_role;

-- The link in a notice, which makes the account what it was before the change. The row has the id of the
-- notice, whose row is deleted when the mail is sent. The links are not among the one-time tokens, since a
-- change of the password or the address deletes those: a thief who changes several things must not be able to
-- delete the owner's links.
create table auth.undo_links (
  id uuid not null default gen_random_uuid(),
  number bigint not null generated always as identity,
  user_id uuid not null constraint undo_links_user_id_fkey references auth.users (id) on delete cascade,
  kind text not null,
  recipient text not null,
  password_digest bytea not null,
  factors jsonb not null,
  identities jsonb not null,
  signs_in_by_email boolean not null,
  token_hash bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  constraint undo_links_pkey primary key (id),
  constraint undo_links_token_hash_key unique (token_hash)
);
create index undo_links_user_id_idx on auth.undo_links (user_id, number);
comment on table auth.undo_links is
  'Links that undo a change of an account and all later ones. Each works once, for a week.';
comment on column auth.undo_links.number is
  'In the order of the changes of an account. A link that was used deletes the later ones.';
comment on column auth.undo_links.kind is 'As in auth.notices.';
comment on column auth.undo_links.recipient is 'The address before the change.';
comment on column auth.undo_links.password_digest is
  'SHA-256 of the hash of the password before the change, to tell whether it is still the same.';
comment on column auth.undo_links.factors is
  'The verified second factors before the change, with their encrypted secrets in hexadecimal.';
comment on column auth.undo_links.identities is
  'The rows of auth.identities before the change, without those that an earlier link removes.';
comment on column auth.undo_links.signs_in_by_email is
  'Whether the e-mail address was one of the identities before the change.';
comment on column auth.undo_links.token_hash is
  'SHA-256 of the token; the token itself is only in the mail. Null until the mail is sent.';
grant select, insert, update, delete on auth.undo_links to service_role;

-- Keys ------------------------------------------------------------------------------------------------------

create table auth.signing_keys (
  kid text not null,
  algorithm text not null,
  private_key bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  constraint signing_keys_pkey primary key (kid)
);
comment on table auth.signing_keys is
  'Keys that sign access tokens (PKCS #8, DER). A retired key still verifies until its last token expired.';
grant select, insert, update, delete on auth.signing_keys to service_role;

-- A refresh token is the HMAC of the one before it with a key of this installation. So a client that lost an
-- answer can be given the same token again although only hashes are stored, and a rotation is one statement:
-- the successor is known before the row is read.
create table auth.secrets (
  name text not null,
  value bytea not null,
  created_at timestamptz not null default now(),
  constraint secrets_pkey primary key (name)
);
comment on table auth.secrets is
  'Keys of this installation. refresh_tokens: chains refresh tokens, which are stored as hashes only; '
  'unsubscribe: signs the links in digests that stop them.';
grant select on auth.secrets to service_role;
-- Each of three random uuids has 122 random bits.
insert into auth.secrets (name, value)
values
  (
    'refresh_tokens',
    decode(replace(gen_random_uuid()::text || gen_random_uuid() || gen_random_uuid(), '-', ''), 'hex')
  ),
  (
    'unsubscribe',
    decode(replace(gen_random_uuid()::text || gen_random_uuid() || gen_random_uuid(), '-', ''), 'hex')
  ),
  (
    'mfa_factors',
    sha256(convert_to(gen_random_uuid()::text || gen_random_uuid() || gen_random_uuid(), 'UTF8'))
  );

-- The log of sign-ins ---------------------------------------------------------------------------------------

create table auth.audit_log_entries (
  id uuid not null default gen_random_uuid(),
  payload jsonb not null,
  ip_address text not null default '',
  created_at timestamptz not null default now(),
  constraint audit_log_entries_pkey primary key (id)
);
create index audit_log_entries_created_at_idx on auth.audit_log_entries (created_at);
-- An export of an account reads the entries of the account, and not the whole log.
create index audit_log_entries_actor_idx on auth.audit_log_entries ((payload ->> 'actor_id'));
create index audit_log_entries_user_idx on auth.audit_log_entries ((payload -> 'traits' ->> 'user_id'));
grant select, insert, update, delete on auth.audit_log_entries to service_role;
