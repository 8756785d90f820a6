-- +goose Up
-- Invitations to a workspace. Nobody becomes a member without consent: an invitation is pending until the
-- owner of its address accepts it. It does not reveal whether the address has an account. It is mailed with a
-- token that proves the address, since only its owner has the token.

create table public.workspace_invitations (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null
    constraint workspace_invitations_workspace_id_fkey references public.workspaces (id) on delete cascade,
  email text not null
    constraint workspace_invitations_email_check
      check (
        length(email) <= 320
        and email ~ replace('^[^@ ]+@[^@ ]+$', ' ', private.white_space())
        and email = private.fold(email)
      )
    constraint workspace_invitations_email_plain check (email = private.plain(email)),
  role public.member_role not null default 'viewer',
  expires_at timestamptz not null default now() + interval '30 days',
  ended_at timestamptz,
  created_by uuid
    constraint workspace_invitations_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint workspace_invitations_pkey primary key (id),
  constraint workspace_invitations_workspace_id_email_key unique (workspace_id, email)
);
create index workspace_invitations_email_idx on public.workspace_invitations (email);
create index workspace_invitations_created_by_idx on public.workspace_invitations (created_by);
comment on table public.workspace_invitations is
  'Who may become a member of a workspace: seen by those who manage members, and mailed to the address. '
  'Answered by my_invitations, accept_invitation and decline_invitation.';
comment on column public.workspace_invitations.email is
  'Lower case; the invitation is for whoever signs in with this address.';
comment on column public.workspace_invitations.role is 'The role that accepting gives.';
comment on column public.workspace_invitations.expires_at is
  'Thirty days after the invitation; later it cannot be accepted.';
comment on column public.workspace_invitations.ended_at is
  'When who invited lost the right to invite; it cannot be accepted since. null while it stands.';
comment on column public.workspace_invitations.created_by is 'Who invited. Filled by the database.';

alter table public.workspace_invitations enable row level security;
alter table public.workspace_invitations force row level security;
create policy service on public.workspace_invitations to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.workspace_invitations for select to authenticated
using (workspace_id = any (array(select private.my_workspaces('admin'))));
create policy add on public.workspace_invitations for insert to authenticated
with check (
  workspace_id = any (array(select private.my_workspaces('owner')))
  or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin'))))
);
create policy remove on public.workspace_invitations for delete to authenticated
using (
  workspace_id = any (array(select private.my_workspaces('owner')))
  or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin'))))
);
grant select, insert, update, delete on public.workspace_invitations to service_role;
-- Clients may not set expires_at, created_by and the stamps; the database fills them.
grant select, insert (id, workspace_id, email, role), delete on public.workspace_invitations to authenticated;

alter table auth.one_time_tokens add constraint one_time_tokens_invitation_id_fkey
foreign key (invitation_id) references public.workspace_invitations (id) on delete cascade;

-- +goose StatementBegin
create function private.stamp_invitation() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if length(new.email) <= 400 then -- with blanks around it; a longer one is rejected
    new.email := private.fold(btrim(new.email));
  end if;
  if length(split_part(new.email, '@', 2)) <> octet_length(split_part(new.email, '@', 2)) then
    raise exception 'The domain of this address has letters beyond ASCII.'
      using errcode = 'check_violation', constraint = 'workspace_invitations_email_domain_check',
        hint = 'Write it as mail servers know it: bücher.example is xn--bcher-kva.example.';
  end if;
  if current_user in ('anon', 'authenticated') then
    new.expires_at := now() + interval '30 days';
  end if;
  return new;
end $$;
-- +goose StatementEnd

set local role service_role;

-- An invitation that has ended does not keep others from inviting the same address.
-- +goose StatementBegin
create function private.replace_ended_invitation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from public.workspace_invitations i
  where i.workspace_id = new.workspace_id and i.email = new.email and i.ended_at is not null;
  return new;
end $$;
-- +goose StatementEnd

reset role;

create trigger t0_needs_workspace before insert on public.workspace_invitations
for each row when (new.workspace_id is null) execute function private.refuse_null('workspace_id');
create trigger t1_invitation before insert on public.workspace_invitations
for each row execute function private.stamp_invitation();
create trigger t1_replace before insert on public.workspace_invitations
for each row execute function private.replace_ended_invitation();
create trigger t2_creator before insert or update on public.workspace_invitations
for each row execute function private.stamp_creator();
create trigger t2_stamp before insert or update on public.workspace_invitations
for each row execute function private.stamp();

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

-- The address is hashed, since it may be somebody's who has no account here.
create table private.invitation_mails (
  recipient bytea not null constraint invitation_mails_recipient_check check (octet_length(recipient) = 32),
  day date not null,
  mails integer not null,
  constraint invitation_mails_pkey primary key (recipient, day)
);
create index invitation_mails_day_idx on private.invitation_mails (day);
comment on table private.invitation_mails is
  'How many invitations were mailed to an address today, by anybody.';
grant select, insert, update, delete on private.invitation_mails to service_role;

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
    insert into private.invitation_counts as c (user_id, day, invitations)
    values (new.created_by, current_date, 1)
    on conflict (user_id, day) do update set invitations = c.invitations + 1
    returning invitations into today;
    if today > daily_limit then
      raise exception 'You have invited % people today. Try again tomorrow.', daily_limit
        using errcode = 'PT429';
    end if;
    delete from private.invitation_counts c where c.user_id = new.created_by and c.day < current_date;
  end if;
  insert into auth.one_time_tokens (token_type, invitation_id, expires_at)
  values ('workspace_invitation', new.id, new.expires_at);
  return null;
end $$;
-- +goose StatementEnd

-- Counts the mail of an invitation before it is sent, and returns whether it may be: an address gets three a
-- day, whoever invites it. Otherwise the request for the mail is deleted, and the invitation stands. A mail
-- that is tried again is counted once. Mails to name+tag@ count for name@, which they reach. A request that
-- is not for an invitation may be sent.
-- +goose StatementBegin
create function private.count_invitation_mail(request uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  daily_limit constant integer := 3;
  address text;
  today integer;
begin
  select i.email into address
  from auth.one_time_tokens t
  join public.workspace_invitations i on i.id = t.invitation_id
  where t.id = request and t.token_hash is null;
  if not found then
    return true;
  end if;
  delete from private.invitation_mails m
  where m.ctid = any (array(
    select o.ctid from private.invitation_mails o where o.day < current_date order by o.day limit 100));
  insert into private.invitation_mails as m (recipient, day, mails)
  values (sha256(convert_to(regexp_replace(address, '\+[^@]*@', '@'), 'UTF8')), current_date, 1)
  on conflict (recipient, day) do update set mails = m.mails + 1
  returning mails into today;
  if today > daily_limit then
    delete from auth.one_time_tokens t where t.id = request;
  end if;
  return today <= daily_limit;
end $$;
-- +goose StatementEnd

-- The pending invitations of the confirmed address of the caller.
create function private.open_invitations() returns table (
  id uuid, workspace_id uuid, workspace_name text, role public.member_role, invited_by text,
  expires_at timestamptz
)
language sql stable security definer
set search_path = ''
as $$
  select i.id, w.id, w.name, i.role, coalesce(nullif(p.display_name, ''), p.email), i.expires_at
  from auth.users u
  join public.workspace_invitations i on i.email = private.fold(u.email)
  join public.workspaces w on w.id = i.workspace_id
  left join public.profiles p on p.id = i.created_by
  where u.id = auth.uid() and u.email_confirmed_at is not null and i.expires_at > now() and i.ended_at is null
  order by i.created_at, i.id
$$;
grant execute on function private.open_invitations() to authenticated;

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
  where i.id = invitation and t.token_hash = sha256(convert_to(token, 'UTF8')) and i.expires_at > now()
    and i.ended_at is null;
  if not found then
    return false;
  end if;
  if not exists (select from auth.users u where u.id = auth.uid() and private.fold(u.email) = invited) then
    raise exception 'This invitation is for %…@%. Sign in with that address to accept it.',
      left(invited, 1), split_part(invited, '@', 2) using errcode = 'PT403';
  end if;
  return true;
end $$;
-- +goose StatementEnd

-- Accepts or declines an invitation, once, and returns whether there was one. The token proves the address of
-- the caller, as a link does: sign-ups that wait for their own link are void. An existing membership is
-- unchanged. The condition on ended_at is for an invitation that ends at this moment: the row is read again
-- once its lock is free, the function is not.
-- +goose StatementBegin
create function private.answer_invitation(invitation uuid, accept boolean, token text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  answered public.workspace_invitations;
begin
  if token is not null and private.holds_invitation(invitation, token) then
    update auth.users u set email_confirmed_at = now()
    where u.id = auth.uid() and u.email_confirmed_at is null;
    if found then
      delete from auth.one_time_tokens t where t.user_id = auth.uid();
    end if;
  end if;
  delete from public.workspace_invitations i
  where i.id = invitation and i.ended_at is null
    and i.id in (select o.id from private.open_invitations() o)
  returning * into answered;
  if not found then
    return false;
  end if;
  if accept then
    insert into public.workspace_members (workspace_id, user_id, role)
    values (answered.workspace_id, auth.uid(), answered.role)
    on conflict (workspace_id, user_id) do nothing;
  end if;
  return true;
end $$;
-- +goose StatementEnd
grant execute on function private.answer_invitation(uuid, boolean, text) to authenticated;

reset role;

create trigger t3_mail after insert on public.workspace_invitations
for each row execute function private.request_invitation_mail();

-- +goose StatementBegin
create function public.my_invitations() returns table (
  id uuid, workspace_id uuid, workspace_name text, role public.member_role, invited_by text,
  expires_at timestamptz
)
language sql stable begin atomic
  select o.id, o.workspace_id, o.workspace_name, o.role, o.invited_by, o.expires_at
  from private.open_invitations() o;
end;
-- +goose StatementEnd
comment on function public.my_invitations is 'The invitations that the caller can accept.';
grant execute on function public.my_invitations() to authenticated, service_role;

create function public.accept_invitation(invitation uuid, token text default null) returns boolean
language sql volatile return private.answer_invitation(invitation, true, token);
comment on function public.accept_invitation is
  'Makes the caller a member; false where there is no such invitation for the caller. It needs a proven '
  'address, or the token of the mailed link, which proves it.';
grant execute on function public.accept_invitation(uuid, text) to authenticated, service_role;

create function public.decline_invitation(invitation uuid, token text default null) returns boolean
language sql volatile return private.answer_invitation(invitation, false, token);
comment on function public.decline_invitation is
  'Removes an invitation of the caller; false where there is none. The token of the mailed link serves as '
  'for accept_invitation.';
grant execute on function public.decline_invitation(uuid, text) to authenticated, service_role;

-- Who accepts such an invitation becomes an owner.
create trigger t0_recent_sign_in before insert on public.workspace_invitations
for each row when (new.role = 'owner') execute function private.require_recent_sign_in();
