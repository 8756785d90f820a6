-- +goose Up
-- Second factors, shaped after Supabase Auth's tables, and workspaces that require one.

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
  'The time step (RFC 6238) of the last code that was accepted. A code of it or of an earlier one is rejected.';

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

create table auth.mfa_recovery_codes (
  user_id uuid not null constraint mfa_recovery_codes_user_id_fkey references auth.users (id) on delete cascade,
  code_hash bytea not null,
  created_at timestamptz not null default now(),
  constraint mfa_recovery_codes_pkey primary key (user_id, code_hash)
);
comment on table auth.mfa_recovery_codes is
  'Each replaces the code of a second factor once, and is deleted by that.';
comment on column auth.mfa_recovery_codes.code_hash is 'SHA-256 of the code, which has 80 random bits.';

create table auth.mfa_failures (
  user_id uuid not null constraint mfa_failures_user_id_fkey references auth.users (id) on delete cascade,
  failures integer not null,
  last_failed_at timestamptz not null,
  constraint mfa_failures_pkey primary key (user_id)
);
comment on table auth.mfa_failures is 'How many wrong codes a user has entered since the last right one.';

-- The factor that raised a session to aal2. Without the factor, the session has only its first one.
alter table auth.sessions
  add column factor_id uuid constraint sessions_factor_id_fkey references auth.mfa_factors (id) on delete set null;
create index sessions_factor_id_idx on auth.sessions (factor_id);

insert into auth.secrets (name, value)
values (
  'mfa_factors',
  sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))
);

grant select, insert, update, delete
on auth.mfa_factors, auth.mfa_challenges, auth.mfa_recovery_codes, auth.mfa_failures
to service_role;

-- Every answer with a user lists the factors, and so does every refresh. They are kept with the user, so that
-- this costs no further query.
alter table auth.users add column factors jsonb not null default '[]';
comment on column auth.users.factors is 'The second factors in GoTrue''s format, without secrets. Kept by a trigger.';

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

-- Workspaces that require a second factor ---------------------------------------------------------------------

alter table public.workspaces add column require_mfa boolean not null default false;
comment on column public.workspaces.require_mfa is
  'Members see the workspace only in sessions with a second factor (aal2). Owners change it, in such a session.';
grant update (require_mfa) on public.workspaces to authenticated;

set local role service_role;

-- Whether the session lacks a second factor that the workspace requires, or that the user has: a password alone
-- then opens nothing. The functions below call it with their own rights.
create function private.lacks_factor(workspace uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select auth.jwt() ->> 'aal' is distinct from 'aal2' and (
    exists (select from public.workspaces w where w.id = workspace and w.require_mfa)
    or exists (select from auth.mfa_factors f where f.user_id = auth.uid() and f.status = 'verified'))
$$;

-- As before, but without the workspaces that are closed to the session.
create or replace function private.my_workspaces(at_least public.member_role default 'viewer') returns setof uuid
language sql stable security definer rows 10
set search_path = ''
as $$
  select m.workspace_id from public.workspace_members m
  where m.user_id = auth.uid() and m.role >= at_least and not private.lacks_factor(m.workspace_id)
$$;

create or replace function private.my_colleagues() returns setof uuid
language sql stable security definer rows 50
set search_path = ''
as $$
  select theirs.user_id from private.my_workspaces() mine
  join public.workspace_members theirs on theirs.workspace_id = mine
$$;

create or replace function private.caller_may_see(workspace uuid) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select current_setting('role', true) not in ('anon', 'authenticated')
    or exists (
      select from public.workspace_members m
      where m.user_id = auth.uid() and m.workspace_id = workspace and not private.lacks_factor(workspace))
$$;

create function private.my_locked_workspaces() returns table (id uuid, name text)
language sql stable security definer
set search_path = ''
as $$
  select w.id, w.name from public.workspace_members m
  join public.workspaces w on w.id = m.workspace_id
  where m.user_id = auth.uid() and private.lacks_factor(w.id)
  order by w.name, w.id
$$;

reset role;
grant execute on function private.my_locked_workspaces() to authenticated, service_role;

-- +goose StatementBegin
create function public.my_locked_workspaces() returns table (id uuid, name text)
language sql stable begin atomic
  select l.id, l.name from private.my_locked_workspaces() l;
end;
-- +goose StatementEnd
comment on function public.my_locked_workspaces is
  'The caller''s workspaces that are closed to this session, since it has no second factor.';
grant execute on function public.my_locked_workspaces() to authenticated, service_role;

-- The policy lets admins update a workspace; this column is for owners. A caller without a second factor would
-- be locked out by the change.
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
  if tg_op = 'UPDATE' and not exists (select from private.my_workspaces('owner') mine where mine = new.id) then
    raise exception 'only an owner may change require_mfa' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
-- +goose StatementEnd

create trigger workspaces_mfa_insert before insert on public.workspaces
for each row when (new.require_mfa) execute function private.guard_mfa_requirement();
create trigger workspaces_mfa_update before update on public.workspaces
for each row when (old.require_mfa <> new.require_mfa) execute function private.guard_mfa_requirement();
