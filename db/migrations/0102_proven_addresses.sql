-- +goose Up
-- An address counts once its owner has proven it, and a password that was chosen at sign-up counts once the
-- link of that same sign-up was followed. So the request for the link carries the password.
alter table auth.one_time_tokens
  add column password_hash text,
  add column user_metadata jsonb,
  add constraint one_time_tokens_password_check check (password_hash is null or token_type = 'signup');
comment on column auth.one_time_tokens.password_hash is
  'signup: the password that the link puts in force. Null if the account has its password already.';
comment on column auth.one_time_tokens.user_metadata is 'signup: the metadata that the link puts in force.';

-- For the relay of mails, which looks for requests whose mail was not sent.
create index one_time_tokens_unsent_idx on auth.one_time_tokens (created_at) where sent_at is null;

set local role service_role;

-- The name that a user has until the user changes it.
create function private.display_name(metadata jsonb, email text) returns text
language sql immutable
set search_path = ''
as $$
  select left(coalesce(
    metadata ->> 'display_name', metadata ->> 'full_name', metadata ->> 'name', split_part(coalesce(email, ''), '@', 1)
  ), 200)
$$;

-- +goose StatementBegin
create or replace function private.mirror_user() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.profiles (id, email, display_name)
  values (new.id, new.email, private.display_name(new.raw_user_meta_data, new.email))
  on conflict (id) do update set email = excluded.email;
  return null;
end $$;
-- +goose StatementEnd

reset role;
