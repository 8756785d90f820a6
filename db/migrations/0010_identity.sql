-- +goose Up
-- What identity needs beyond Supabase Auth's own tables.

-- A refresh token is the HMAC of the one before it with a key of this installation. So a client that lost an
-- answer can be given the same token again although only hashes are stored, and a rotation is one statement:
-- the successor is known before the row is read.
create table auth.secrets (
  name text not null,
  value bytea not null,
  created_at timestamptz not null default now(),
  constraint secrets_pkey primary key (name)
);
comment on table auth.secrets is 'Keys of this installation that sign nothing. refresh_tokens: chains refresh tokens, which are stored as hashes only.';
insert into auth.secrets (name, value)
values ('refresh_tokens', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
grant select on auth.secrets to service_role;

alter table auth.sessions drop column refresh_salt;

-- The API requests a one-time token. The activity that sends the mail mints it; until then there is no hash.
alter table auth.one_time_tokens
  alter column token_hash drop not null,
  add column redirect_to text not null default '',
  add column sent_at timestamptz,
  add constraint one_time_tokens_token_type_check check (token_type in ('signup', 'invite', 'recovery', 'email_change'));
comment on column auth.one_time_tokens.token_hash is 'SHA-256 of the token; the token itself is only in the mail. Null until the mail is sent.';
comment on column auth.one_time_tokens.relates_to is 'email_change: the address that is to be proven.';
comment on column auth.one_time_tokens.redirect_to is 'Where the browser goes after the token was used; one of the allowed addresses.';

-- For the lists of operators and administrators.
create index users_created_at_idx on auth.users (created_at, id);

-- The identities of a user in GoTrue's format. The identity of the e-mail address has no row; the API derives
-- it.
-- +goose StatementBegin
create function auth.identities_of(wanted uuid) returns jsonb language sql stable
begin atomic
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id, 'identity_data', i.identity_data, 'provider', i.provider,
    'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at, 'updated_at', i.updated_at, 'email', i.email)) order by i.created_at, i.id), '[]')
  from auth.identities i where i.user_id = wanted;
end;
-- +goose StatementEnd
grant execute on function auth.identities_of(uuid) to service_role;
