-- +goose Up
-- Changes of a password or an address need a recent sign-in or a mailed code, both addresses confirm a change
-- between them, and the former address is told.

alter table auth.one_time_tokens
  add column session_id uuid,
  add column attempts smallint not null default 0,
  drop constraint one_time_tokens_token_type_check,
  add constraint one_time_tokens_token_type_check check (token_type in (
    'signup', 'invite', 'recovery', 'email_change', 'email_change_current', 'reauthentication',
    'workspace_invitation'
  ));
comment on column auth.one_time_tokens.relates_to is
  'email_change, email_change_current: the address that is to be proven.';
comment on column auth.one_time_tokens.session_id is
  'email_change, email_change_current: the session that asked, which stays.';
comment on column auth.one_time_tokens.attempts is 'reauthentication: how many codes were tried.';

create table auth.notices (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null constraint notices_user_id_fkey references auth.users (id) on delete cascade,
  kind text not null constraint notices_kind_check check (kind in ('password_changed', 'email_changed')),
  recipient text not null,
  created_at timestamptz not null default now(),
  constraint notices_pkey primary key (id)
);
create index notices_user_id_idx on auth.notices (user_id);
comment on table auth.notices is
  'Mails that tell users of changes of their accounts. A row is deleted once its mail was sent.';
comment on column auth.notices.recipient is 'The address of the account before the change.';
grant select, insert, update, delete on auth.notices to service_role;
