-- +goose Up
-- Invitations are mailed with a token that proves the address: only its owner has the token.

alter table auth.one_time_tokens
  alter column user_id drop not null,
  add column invitation_id uuid
    constraint one_time_tokens_invitation_id_fkey
    references public.workspace_invitations (id) on delete cascade,
  drop constraint one_time_tokens_token_type_check,
  add constraint one_time_tokens_token_type_check
    check (token_type in ('signup', 'invite', 'recovery', 'email_change', 'workspace_invitation')),
  add constraint one_time_tokens_invitation_check
    check (
      (invitation_id is not null) = (token_type = 'workspace_invitation')
      and (invitation_id is not null) = (user_id is null)
    );
create unique index one_time_tokens_invitation_id_key on auth.one_time_tokens (invitation_id);
comment on column auth.one_time_tokens.invitation_id is
  'workspace_invitation: what the token accepts. Such a token belongs to no user.';

-- The rows of invitations cannot be counted, since they are deleted when they are answered or withdrawn.
create table private.invitation_counts (
  user_id uuid not null
    constraint invitation_counts_user_id_fkey references public.profiles (id) on delete cascade,
  day date not null,
  invitations integer not null,
  constraint invitation_counts_pkey primary key (user_id, day)
);
comment on table private.invitation_counts is 'How many invitations a user has made today.';
grant select, insert, update, delete on private.invitation_counts to service_role;

set local role service_role;

-- The request for the mail is a row of auth.one_time_tokens. The limit keeps the service from sending spam.
-- +goose StatementBegin
create function private.request_invitation_mail() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  daily_limit constant integer := 100;
  today integer;
begin
  if new.created_by is not null then
    insert into private.invitation_counts as c (user_id, day, invitations) values (new.created_by, current_date, 1)
    on conflict (user_id, day) do update set invitations = c.invitations + 1
    returning invitations into today;
    if today > daily_limit then
      raise exception 'You have invited % people today. Try again tomorrow.', daily_limit using errcode = 'PT429';
    end if;
    delete from private.invitation_counts c where c.user_id = new.created_by and c.day < current_date;
  end if;
  insert into auth.one_time_tokens (token_type, invitation_id, expires_at)
  values ('workspace_invitation', new.id, new.expires_at);
  return null;
end $$;
-- +goose StatementEnd

-- Whether a token was mailed to the invited address. For a caller with another address it is an error with as
-- much of the address as the caller needs to recognize it.
-- +goose StatementBegin
create function private.holds_invitation(invitation uuid, token text) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
declare
  invited text;
begin
  select i.email into invited
  from auth.one_time_tokens t
  join public.workspace_invitations i on i.id = t.invitation_id
  where i.id = invitation and t.token_hash = sha256(convert_to(token, 'UTF8')) and i.expires_at > now();
  if not found then
    return false;
  end if;
  if not exists (select from auth.users u where u.id = auth.uid() and lower(u.email) = invited) then
    raise exception 'This invitation is for %…@%. Sign in with that address to accept it.',
      left(invited, 1), split_part(invited, '@', 2) using errcode = 'PT403';
  end if;
  return true;
end $$;
-- +goose StatementEnd

-- Accepts or declines an invitation, once, and returns whether there was one. The token proves the address of
-- the caller, as a link does: sign-ups that wait for their own link are void.
-- +goose StatementBegin
create function private.answer_invitation(invitation uuid, accept boolean, token text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  if token is not null and private.holds_invitation(invitation, token) then
    update auth.users u set email_confirmed_at = now() where u.id = auth.uid() and u.email_confirmed_at is null;
    if found then
      delete from auth.one_time_tokens t where t.user_id = auth.uid();
    end if;
  end if;
  return private.answer_invitation(invitation, accept);
end $$;
-- +goose StatementEnd

reset role;

create trigger t3_mail after insert on public.workspace_invitations
for each row execute function private.request_invitation_mail();

grant execute on function private.answer_invitation(uuid, boolean, text) to authenticated, service_role;

drop function public.accept_invitation(uuid);
drop function public.decline_invitation(uuid);
create function public.accept_invitation(invitation uuid, token text default null) returns boolean
language sql volatile return private.answer_invitation(invitation, true, token);
create function public.decline_invitation(invitation uuid, token text default null) returns boolean
language sql volatile return private.answer_invitation(invitation, false, token);
comment on function public.accept_invitation is
  'Makes the caller a member; false where there is no such invitation for the caller. It needs a proven address, or the token of the mailed link, which proves it.';
comment on function public.decline_invitation is
  'Removes an invitation of the caller; false where there is none. The token of the mailed link serves as for accept_invitation.';
grant execute on function public.accept_invitation(uuid, text), public.decline_invitation(uuid, text)
to authenticated, service_role;
comment on table public.workspace_invitations is
  'Who may become a member of a workspace: seen by those who manage members, and mailed to the address. Answered by my_invitations, accept_invitation and decline_invitation.';

-- Invitations that were made before are mailed as well: their addresses may not have an account yet.
set local role service_role;
insert into auth.one_time_tokens (token_type, invitation_id, expires_at)
select 'workspace_invitation', i.id, i.expires_at
from public.workspace_invitations i
where i.expires_at > now();
reset role;
