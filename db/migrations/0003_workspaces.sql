-- +goose Up
-- Tenancy: profiles, workspaces, their members and roles, and what the caller of a request may see and edit.

-- What is marked deleted ------------------------------------------------------------------------------------

-- Workspaces and accounts are marked deleted at once, which makes them invisible. private.remove_batch
-- removes them in batches.
create table private.deletions (
  id uuid not null,
  kind text not null constraint deletions_kind_check check (kind in ('workspace', 'account')),
  step integer not null default 1,
  marked_at timestamptz not null default now(),
  seen_at timestamptz not null default '-infinity',
  constraint deletions_pkey primary key (id)
);
comment on table private.deletions is
  'Workspaces and accounts that are marked deleted and not yet removed. Nobody sees them or their rows.';
comment on column private.deletions.step is 'The ordinal of private.deletion_steps that is next.';
comment on column private.deletions.seen_at is
  'When rows were last removed. Workers start the workflow for deletions that were not seen for a while.';
grant select, insert, update, delete on private.deletions to service_role;

-- Clients do not see a marked workspace because it has no members. From service_role it is hidden by the
-- policies named service. They do not hide it from a login that inherits the policies, such as that of
-- pg_dump, nor from the transaction that removes rows.
--
-- The policies say `not in (select …)`: that becomes a hashed subplan, which is evaluated once for each
-- statement.
create function private.hides_marked() returns boolean language sql stable
return current_user = 'service_role' and coalesce(current_setting('research.removing', true), '') <> 'on';
grant execute on function private.hides_marked() to service_role;

-- What triggers of many tables do ---------------------------------------------------------------------------

-- Triggers of one event fire in the order of their names. In most tables, t0 and t1 fill and keep keys, t2
-- stamps, t3 proves, t4 to t6 update other rows, and t9 records what happened.

-- Refuses a row without a value in a column, as PostgreSQL does, but before the policies, which would say
-- only that the row is not permitted. Without the column, nobody can tell whose row it is.
-- +goose StatementBegin
create function private.refuse_null() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  missing constant text := tg_argv[0];
begin
  raise exception 'null value in column "%" of relation "%" violates not-null constraint',
    missing, tg_table_name
    using errcode = 'not_null_violation', hint = 'Give ' || missing || ' a value.',
      schema = tg_table_schema, table = tg_table_name, column = missing;
end $$;
-- +goose StatementEnd

-- The database sets the timestamps when a client writes. service_role may set them when it imports data.
-- +goose StatementBegin
create function private.stamp() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    if current_user in ('anon', 'authenticated') then
      new.created_at := now();
      new.updated_at := now();
    end if;
    return new;
  end if;
  new.created_at := old.created_at;
  new.updated_at := now();
  return new;
end $$;
-- +goose StatementEnd

-- created_by is the caller, and does not change. The deletion of the account clears it.
-- +goose StatementBegin
create function private.stamp_creator() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user in ('anon', 'authenticated') then
    if tg_op = 'INSERT' then
      new.created_by := auth.uid();
    else
      new.created_by := old.created_by;
    end if;
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- A row that others refer to keeps its key. The privilege to update the column cannot be withheld, since an
-- upsert names the key in its SET list.
-- +goose StatementBegin
create function private.keep_key() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'the key of a row cannot change'
    using errcode = 'check_violation', constraint = tg_table_name || '_key_kept',
    hint = 'Create a new row and delete the old one.';
end $$;
-- +goose StatementEnd

-- What the caller may see and edit --------------------------------------------------------------------------

-- In ascending order of rights, so that "at least editor" is a comparison.
create type public.member_role as enum ('viewer', 'editor', 'admin', 'owner');

set local role service_role;

-- These functions are in PL/pgSQL, in which a session keeps the plan. PostgreSQL plans the body of a function
-- in SQL again for each statement that calls it, unless it can inline the function, and a function with its
-- owner's rights is never inlined. Planning private.my_workspaces, which nearly every policy calls, took 160
-- of the 200 µs of reading one row by its id.

-- Whether the session lacks a second factor that the workspace requires, or that the user has: a password
-- alone then opens nothing. The functions below call it with their own rights.
-- +goose StatementBegin
create function private.lacks_factor(workspace uuid) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return auth.jwt() ->> 'aal' is distinct from 'aal2' and (
    exists (select from public.workspaces w where w.id = workspace and w.require_mfa)
    or exists (select from auth.mfa_factors f where f.user_id = auth.uid() and f.status = 'verified'));
end $$;
-- +goose StatementEnd

-- The workspaces where the caller has at least this role, without those that are closed to the session.
-- Policies use it as `workspace_id = any (array(select private.my_workspaces()))`, which PostgreSQL evaluates
-- once for each statement, as an InitPlan, and can look up in an index. (`in (select …)` becomes a hashed
-- subplan, which reads every tenant's rows.)
--
-- The conditions are those of private.lacks_factor. Calling it for each workspace took 17 µs longer, with one
-- workspace.
-- +goose StatementBegin
create function private.my_workspaces(at_least public.member_role default 'viewer') returns setof uuid
language plpgsql stable security definer rows 10
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
  two_factors constant boolean := auth.jwt() ->> 'aal' is not distinct from 'aal2';
begin
  return query
  select m.workspace_id
  from public.workspace_members m
  where m.user_id = caller
    and m.role >= at_least
    and (
      two_factors
      or not exists (select from public.workspaces w where w.id = m.workspace_id and w.require_mfa)
      and not exists (select from auth.mfa_factors f where f.user_id = caller and f.status = 'verified')
    );
end $$;
-- +goose StatementEnd
grant execute on function private.my_workspaces(public.member_role) to authenticated;

-- All users who share a workspace with the caller.
-- +goose StatementBegin
create function private.my_colleagues() returns setof uuid
language plpgsql stable security definer rows 50
set search_path = ''
as $$
begin
  return query
  select theirs.user_id
  from private.my_workspaces() mine
  join public.workspace_members theirs on theirs.workspace_id = mine;
end $$;
-- +goose StatementEnd
grant execute on function private.my_colleagues() to authenticated;

-- Triggers that read with more rights than the caller check this first, so that their errors reveal nothing
-- to a caller outside of the workspace: the policy of the table rejects the row afterwards. (In such a
-- function current_user is the owner of the function; the setting still names the role of the request.)
--
-- Each row that a worker writes asks several times whether the caller may see or edit its workspace. For the
-- service the answer is one comparison, which needs no query.
-- +goose StatementBegin
create function private.caller_may_see(workspace uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if current_setting('role', true) not in ('anon', 'authenticated') then
    return true;
  end if;
  return exists (
    select from public.workspace_members m
    where m.user_id = auth.uid() and m.workspace_id = workspace and not private.lacks_factor(workspace));
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.caller_may_edit(workspace uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if current_setting('role', true) not in ('anon', 'authenticated') then
    return true;
  end if;
  return exists (select from private.my_workspaces('editor') w where w = workspace);
end $$;
-- +goose StatementEnd
grant execute on function private.caller_may_edit(uuid) to authenticated;

-- +goose StatementBegin
create function private.require_editor(workspace uuid) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not private.caller_may_edit(workspace) then
    raise exception 'editors only' using errcode = 'insufficient_privilege';
  end if;
end $$;
-- +goose StatementEnd
grant execute on function private.require_editor(uuid) to authenticated;

-- Profiles --------------------------------------------------------------------------------------------------

-- Names and addresses have no characters that change how the text around them reads: directions of writing,
-- invisible characters, controls. Joiners stay, which several scripts and emoji need.
create function private.plain(text) returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace($1,
    '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff'
    '\ufff9-\ufffb]',
    '', 'g')
$$;
grant execute on function private.plain(text) to authenticated;

reset role;

create table public.profiles (
  id uuid not null constraint profiles_id_fkey references auth.users (id) on delete cascade,
  display_name text not null default ''
    constraint profiles_display_name_check check (length(display_name) <= 200)
    constraint profiles_display_name_plain check (display_name = private.plain(display_name)),
  email text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint profiles_pkey primary key (id)
);
comment on table public.profiles is 'What members of a workspace see of each other.';
comment on column public.profiles.display_name is 'What others see; the user sets it.';
comment on column public.profiles.email is 'The account''s address; changed there.';

alter table public.profiles enable row level security;
alter table public.profiles force row level security;
create policy service on public.profiles to service_role
using (id not in (select d.id from private.deletions d where private.hides_marked()))
with check (id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.profiles for select to authenticated
using (id = (select auth.uid()) or id = any (array(select private.my_colleagues())));
-- The row exists since the account was created; inserting is for upserts.
create policy add on public.profiles for insert to authenticated with check (id = (select auth.uid()));
create policy change on public.profiles for update to authenticated
using (id = (select auth.uid())) with check (id = (select auth.uid()));
grant select, insert, update, delete on public.profiles to service_role;
-- Clients cannot write the e-mail and the timestamps. They may name the key, so that upserts work; it does
-- not change.
grant select, insert (id, display_name), update (id, display_name) on public.profiles to authenticated;

create trigger profiles_key before update on public.profiles
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger profiles_stamp before insert or update on public.profiles
for each row execute function private.stamp();

set local role service_role;

-- The name that a user has until the user changes it.
create function private.display_name(metadata jsonb, email text) returns text
language sql immutable
set search_path = ''
as $$
  select left(private.plain(coalesce(
    metadata ->> 'display_name',
    metadata ->> 'full_name',
    metadata ->> 'name',
    split_part(coalesce(email, ''), '@', 1)
  )), 200)
$$;

-- Every user has a profile. Its e-mail is that of the account.
-- +goose StatementBegin
create function private.mirror_user() returns trigger
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

create trigger users_profile after insert or update of email on auth.users
for each row execute function private.mirror_user();

-- Workspaces ------------------------------------------------------------------------------------------------

create table public.workspaces (
  id uuid not null default gen_random_uuid(),
  name text not null constraint workspaces_name_check check (length(name) <= 200 and btrim(name) <> ''),
  slug text not null
    constraint workspaces_slug_check
      check (length(slug) <= 63 and slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  require_mfa boolean not null default false,
  check_speakers boolean not null default true,
  created_by uuid constraint workspaces_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint workspaces_pkey primary key (id),
  constraint workspaces_slug_key unique (slug)
);
create index workspaces_created_by_idx on public.workspaces (created_by);
comment on table public.workspaces is
  'The unit of tenancy: a user sees data only of workspaces where the user is a member.';
comment on column public.workspaces.slug is
  'Short name for links: lower-case letters, digits and hyphens; taken once. Filled by the database if left '
  'out. Then it is made of the name and some random digits.';
comment on column public.workspaces.require_mfa is
  'Members see the workspace only in sessions with a second factor (aal2). Owners change it, in such a '
  'session.';
comment on column public.workspaces.check_speakers is
  'A model, if one is configured, is asked about labels of speakers that are in doubt before a transcript is '
  'read for hypotheses.';
comment on column public.workspaces.created_by is
  'Who created it, and so became its first owner. Filled by the database.';

alter table public.workspaces enable row level security;
alter table public.workspaces force row level security;
create policy service on public.workspaces to service_role
using (id not in (select d.id from private.deletions d where private.hides_marked()))
with check (id not in (select d.id from private.deletions d where private.hides_marked()));
-- The second half is for `insert … returning`: the membership is written after the row. created_at equals
-- now() only within the transaction that created the row.
create policy see on public.workspaces for select to authenticated
using (
  id = any (array(select private.my_workspaces()))
  or (created_by = (select auth.uid()) and created_at = now())
);
create policy add on public.workspaces for insert to authenticated
with check (created_by = (select auth.uid()));
create policy change on public.workspaces for update to authenticated
using (id = any (array(select private.my_workspaces('admin'))))
with check (id = any (array(select private.my_workspaces('admin'))));
create policy remove on public.workspaces for delete to authenticated
using (id = any (array(select private.my_workspaces('owner'))));
grant select, insert, update, delete on public.workspaces to service_role;
-- Clients cannot write the creator and the timestamps.
grant select, insert, delete, update (id, name, slug, require_mfa, check_speakers)
on public.workspaces to authenticated;

create trigger workspaces_key before update on public.workspaces
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger workspaces_stamp before insert or update on public.workspaces
for each row execute function private.stamp();
create trigger workspaces_stamp_creator before insert or update on public.workspaces
for each row execute function private.stamp_creator();

-- "My Company, Ltd." becomes my-company-ltd-1a2b3c. Because of the digits, the slug does not reveal whether
-- another workspace has the same name. A name that is too long is rejected after this.
-- +goose StatementBegin
create function private.fill_slug() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  stem text;
begin
  if coalesce(new.slug, '') = '' then
    stem := btrim(left(regexp_replace(private.fold(left(new.name, 200)), '[^a-z0-9]+', '-', 'g'), 50), '-');
    new.slug := coalesce(nullif(stem, ''), 'workspace') || '-' || substr(md5(gen_random_uuid()::text), 1, 6);
  end if;
  return new;
end $$;
-- +goose StatementEnd

create trigger workspaces_slug before insert on public.workspaces
for each row execute function private.fill_slug();

-- The policy lets admins update a workspace; the column require_mfa is for owners. A caller without a second
-- factor would be locked out by the change.
-- +goose StatementBegin
create function private.guard_mfa_requirement() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  if auth.jwt() ->> 'aal' is distinct from 'aal2' then
    raise exception 'a session with a second factor is needed to change require_mfa'
      using errcode = 'insufficient_privilege', hint = 'Enter a code of your second factor first.';
  end if;
  if tg_op = 'UPDATE'
    and not exists (select from private.my_workspaces('owner') mine where mine = new.id)
  then
    raise exception 'only an owner may change require_mfa' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
-- +goose StatementEnd

create trigger workspaces_mfa_insert before insert on public.workspaces
for each row when (new.require_mfa) execute function private.guard_mfa_requirement();
create trigger workspaces_mfa_update before update on public.workspaces
for each row when (old.require_mfa <> new.require_mfa) execute function private.guard_mfa_requirement();

set local role service_role;

-- A user creates a limited number of workspaces. Ten thousand by one user would be a list that nobody can
-- read, and work for every job that visits each workspace. An agency with a workspace per customer stays far
-- below both limits. The lock makes concurrent inserts of a user count each other.
-- +goose StatementBegin
create function private.limit_workspaces() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  most constant integer := 100;
  most_an_hour constant integer := 20;
  created integer;
  created_lately integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('workspaces of ' || new.created_by::text, 0));
  select count(*), count(*) filter (where w.created_at > now() - interval '1 hour')
  into created, created_lately
  from public.workspaces w
  where w.created_by = new.created_by;
  if created >= most then
    raise exception 'You have created % workspaces, which is the limit.', most
      using errcode = 'PT429', hint = 'Delete a workspace first, or ask the operator to create one.';
  elsif created_lately >= most_an_hour then
    raise exception 'You have created % workspaces within an hour. Try again later.', most_an_hour
      using errcode = 'PT429';
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- The user who creates a workspace becomes its owner.
-- +goose StatementBegin
create function private.add_first_owner() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.created_by is not null then
    insert into public.workspace_members (workspace_id, user_id, role)
    values (new.id, new.created_by, 'owner');
  end if;
  return null;
end $$;
-- +goose StatementEnd

reset role;

-- The name sorts after workspaces_stamp_creator, which sets created_by. Statements of service_role have no
-- limit.
create trigger workspaces_t_limit before insert on public.workspaces
for each row when (current_user = 'authenticated' and new.created_by is not null)
execute function private.limit_workspaces();
create trigger workspaces_owner after insert on public.workspaces
for each row execute function private.add_first_owner();

-- Members ---------------------------------------------------------------------------------------------------

create table public.workspace_members (
  workspace_id uuid not null
    constraint workspace_members_workspace_id_fkey references public.workspaces (id) on delete cascade,
  user_id uuid not null
    constraint workspace_members_user_id_fkey references public.profiles (id) on delete cascade,
  role public.member_role not null default 'viewer',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint workspace_members_pkey primary key (workspace_id, user_id)
);
create index workspace_members_user_id_idx on public.workspace_members (user_id, workspace_id);
comment on table public.workspace_members is
  'Who belongs to a workspace. Users join by accepting an invitation. Owners manage everybody; admins '
  'manage editors and viewers; anyone may leave.';
comment on column public.workspace_members.role is
  'owner and admin manage members and the workspace, editor writes, viewer reads. The last owner stays.';

alter table public.workspace_members enable row level security;
alter table public.workspace_members force row level security;
create policy service on public.workspace_members to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.workspace_members for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
-- Users do not insert members: they invite, and the invited user accepts.
create policy change on public.workspace_members for update to authenticated
using (
  workspace_id = any (array(select private.my_workspaces('owner')))
  or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin'))))
)
with check (
  workspace_id = any (array(select private.my_workspaces('owner')))
  or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin'))))
);
create policy remove on public.workspace_members for delete to authenticated
using (
  user_id = (select auth.uid())
  or workspace_id = any (array(select private.my_workspaces('owner')))
  or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin'))))
);
grant select, insert, update, delete on public.workspace_members to service_role;
-- The keys are named by upserts, and do not change.
grant select, delete, update (workspace_id, user_id, role) on public.workspace_members to authenticated;

create trigger workspace_members_key before update on public.workspace_members
for each row when ((old.workspace_id, old.user_id) is distinct from (new.workspace_id, new.user_id))
execute function private.keep_key();
create trigger workspace_members_stamp before insert or update on public.workspace_members
for each row execute function private.stamp();

set local role service_role;

-- A demotion or a departure cannot take a workspace its last owner. If the account of the last owner is
-- deleted, or marked deleted, the member with the highest role becomes owner, among several the one who has
-- been a member the longest. A workspace without members is deleted.
-- +goose StatementBegin
create function private.keep_an_owner() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from public.workspaces w where w.id = old.workspace_id for no key update; -- one departure at a time
  if not found or exists (
    select from public.workspace_members m where m.workspace_id = old.workspace_id and m.role = 'owner'
  ) then
    return null;
  end if;
  if exists (select from auth.users u where u.id = old.user_id and u.deleted_at is null) then
    raise exception 'a workspace needs at least one owner'
      using errcode = 'check_violation', constraint = 'workspace_members_owner_check',
            hint = 'Make somebody else an owner first, or delete the workspace.';
  end if;
  update public.workspace_members m set role = 'owner'
  where m.workspace_id = old.workspace_id and m.user_id = (
    select heir.user_id from public.workspace_members heir where heir.workspace_id = old.workspace_id
    order by heir.role desc, heir.created_at, heir.user_id limit 1);
  if not found then
    delete from public.workspaces w where w.id = old.workspace_id;
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- The caller's workspaces that are closed to the session. The conditions are those of private.lacks_factor.
--
-- The function runs as service_role, whose policies come before a condition with the expression of
-- auth.uid(), so that PostgreSQL would read all members for it. For a variable it uses the index: of 10,000
-- workspaces, those of the caller that are locked were found in 0.2 instead of 117 ms.
-- +goose StatementBegin
create function private.my_locked_workspaces() returns table (id uuid, name text)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  caller constant uuid := auth.uid();
begin
  if auth.jwt() ->> 'aal' is not distinct from 'aal2' then
    return;
  end if;
  return query
  select w.id, w.name
  from public.workspace_members m
  join public.workspaces w on w.id = m.workspace_id
  where m.user_id = caller
    and (
      w.require_mfa
      or exists (select from auth.mfa_factors f where f.user_id = caller and f.status = 'verified')
    )
  order by w.name, w.id;
end $$;
-- +goose StatementEnd
grant execute on function private.my_locked_workspaces() to authenticated;

reset role;

create trigger workspace_members_owner after update or delete on public.workspace_members
for each row when (old.role = 'owner') execute function private.keep_an_owner();

-- +goose StatementBegin
create function public.my_locked_workspaces() returns table (id uuid, name text)
language sql stable begin atomic
  select l.id, l.name from private.my_locked_workspaces() l;
end;
-- +goose StatementEnd
comment on function public.my_locked_workspaces is
  'The caller''s workspaces that are closed to this session, since it has no second factor.';
grant execute on function public.my_locked_workspaces() to authenticated, service_role;

-- Sensitive changes -----------------------------------------------------------------------------------------

set local role service_role;

-- When the caller proved who they are. For a session of ours, that is the sign-in, or a reauthentication
-- since. Tokens of other issuers have no session here: where they say when their user signed in, it is
-- believed (auth_time of OpenID Connect, or the times in Supabase's amr). Null means that nothing is known
-- of a sign-in. A token of ours whose session has just ended has amr as well. A personal access token has it
-- too, and stands for no sign-in, however recent the one was with which it was made; neither does the session
-- of an app.
-- +goose StatementBegin
create function private.signed_in_at() returns timestamptz
language plpgsql stable security definer
set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  caller constant uuid := auth.uid();
  session constant uuid :=
    substring(claims ->> 'session_id' from '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$')::uuid;
  known timestamptz;
begin
  if claims ? 'personal_token_id' then
    return '-infinity';
  end if;
  select case when s.oauth_client_id is not null then '-infinity'
    else greatest(s.created_at, s.reauthenticated_at)
  end into known
  from auth.sessions s
  where s.id = session
    and s.user_id = caller;
  if found then
    return known;
  end if;
  select to_timestamp(max(t.said::double precision)) into known
  from (
    select jsonb_path_query(claims, 'lax $.amr[*].timestamp ? (@.type() == "number")') as said
    union all
    select jsonb_path_query(claims, 'lax $.auth_time ? (@.type() == "number")')
  ) t;
  return known;
end $$;
-- +goose StatementEnd

-- For changes by which a stolen session would take over a workspace or its data. The duration is that of
-- identity's recentSignIn. A caller of whose sign-in nothing is known passes: a program with a token that it
-- signed with JWT_SECRET, or a user of an issuer that does not say it. Nothing such a caller could do would
-- change that. An anonymous user has nothing but the session to sign in with. (In such a function
-- current_user is the owner of the function; the setting still names the role of the request.)
-- +goose StatementBegin
create function private.require_recent_sign_in() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if current_setting('role', true) = 'authenticated'
    and private.signed_in_at() < now() - interval '24 hours'
    and not exists (select from auth.users u where u.id = auth.uid() and u.is_anonymous)
  then
    raise sqlstate 'PGRST' using
      message = jsonb_build_object(
        'code', 'reauthentication_needed',
        'message', 'This change requires a recent sign-in.',
        'hint', 'Sign in again, or send the password or a mailed code to POST /auth/v1/reauthenticate.'),
      detail = '{"status": 403, "headers": {}}';
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;
-- +goose StatementEnd

reset role;

create trigger workspaces_recent_sign_in before delete on public.workspaces
for each row execute function private.require_recent_sign_in();
create trigger workspaces_recent_sign_in_mfa before update on public.workspaces
for each row when (old.require_mfa and not new.require_mfa)
execute function private.require_recent_sign_in();
create trigger workspace_members_recent_sign_in before update on public.workspace_members
for each row when (old.role <> new.role and 'owner' in (old.role, new.role))
execute function private.require_recent_sign_in();
create trigger workspace_members_recent_sign_in_delete before delete on public.workspace_members
for each row when (old.role = 'owner') execute function private.require_recent_sign_in();
