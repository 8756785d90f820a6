-- +goose Up
-- PKCE (RFC 7636) for links in mails: a link that was requested with a challenge leads to a code, which only the
-- client with the verifier can exchange for a session.

alter table auth.one_time_tokens
  add column code_challenge text,
  add column code_challenge_method text,
  add constraint one_time_tokens_code_challenge_check check (
    (code_challenge is null) = (code_challenge_method is null) and code_challenge_method in ('s256', 'plain'));

create table auth.flow_state (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint flow_state_user_id_fkey references auth.users (id) on delete cascade,
  auth_code_hash bytea not null,
  code_challenge text not null,
  code_challenge_method text not null,
  authentication_method text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint flow_state_pkey primary key (id),
  constraint flow_state_auth_code_hash_key unique (auth_code_hash)
);
create index flow_state_user_id_idx on auth.flow_state (user_id);
comment on table auth.flow_state is 'Codes of links that were followed, until they are exchanged.';
comment on column auth.flow_state.auth_code_hash is 'SHA-256 of the code; the code itself is only in the address.';

grant select, insert, update, delete on auth.flow_state to service_role;
