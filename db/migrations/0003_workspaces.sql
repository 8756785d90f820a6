-- +goose Up
-- Tenancy: workspaces, their members and roles, and what members see of each other.

-- In ascending order of rights, so that "at least editor" is a comparison.
create type public.member_role as enum ('viewer', 'editor', 'admin', 'owner');

create table public.profiles (
  id uuid not null constraint profiles_id_fkey references auth.users (id) on delete cascade,
  display_name text not null default '' constraint profiles_display_name_check check (length(display_name) <= 200),
  email text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint profiles_pkey primary key (id)
);
comment on table public.profiles is 'What members of a workspace see of each other.';
comment on column public.profiles.email is 'The account''s address; changed there.';
comment on column public.profiles.display_name is 'What others see; the user sets it.';

create table public.workspaces (
  id uuid not null default gen_random_uuid(),
  name text not null constraint workspaces_name_check check (length(btrim(name)) between 1 and 200),
  slug text not null constraint workspaces_slug_check check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  created_by uuid constraint workspaces_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint workspaces_pkey primary key (id),
  constraint workspaces_slug_key unique (slug)
);
create index workspaces_created_by_idx on public.workspaces (created_by);
comment on table public.workspaces is 'The unit of tenancy: a user sees data only of workspaces where the user is a member.';
comment on column public.workspaces.slug is 'Short name for links: lower-case letters, digits and hyphens; taken once. Made from the name and some random digits where left out.';
comment on column public.workspaces.created_by is 'Who created it, and so became its first owner. Filled by the database.';

create table public.workspace_members (
  workspace_id uuid not null constraint workspace_members_workspace_id_fkey references public.workspaces (id) on delete cascade,
  user_id uuid not null constraint workspace_members_user_id_fkey references public.profiles (id) on delete cascade,
  role public.member_role not null default 'viewer',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint workspace_members_pkey primary key (workspace_id, user_id)
);
create index workspace_members_user_id_idx on public.workspace_members (user_id, workspace_id);
comment on table public.workspace_members is 'Who belongs to a workspace. Owners manage everybody; admins manage editors and viewers; anyone may leave.';
comment on column public.workspace_members.role is 'owner and admin manage members and the workspace, editor writes, viewer reads. The last owner stays.';

-- Functions that policies and triggers call -----------------------------------------------------------------

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

-- "My Company, Ltd." becomes my-company-ltd-1a2b3c. Because of the digits, the slug does not reveal whether
-- another workspace has the same name.
-- +goose StatementBegin
create function private.fill_slug() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  stem text;
begin
  if coalesce(new.slug, '') = '' then
    stem := btrim(left(regexp_replace(lower(new.name), '[^a-z0-9]+', '-', 'g'), 50), '-');
    new.slug := coalesce(nullif(stem, ''), 'workspace') || '-' || substr(md5(gen_random_uuid()::text), 1, 6);
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
  raise exception 'the key of a row cannot change' using errcode = 'check_violation', constraint = tg_table_name || '_key_kept',
    hint = 'Create a new row and delete the old one.';
end $$;
-- +goose StatementEnd

set local role service_role;

-- The workspaces where the caller has at least this role. Policies use it as `workspace_id = any
-- (array(select private.my_workspaces()))`, which PostgreSQL evaluates once for each statement, as an
-- InitPlan, and can look up in an index. (`in (select …)` becomes a hashed subplan, which reads every
-- tenant's rows.)
create function private.my_workspaces(at_least public.member_role default 'viewer') returns setof uuid
language sql stable security definer rows 10
set search_path = ''
as $$ select m.workspace_id from public.workspace_members m where m.user_id = auth.uid() and m.role >= at_least $$;

-- All users who share a workspace with the caller.
create function private.my_colleagues() returns setof uuid
language sql stable security definer rows 50
set search_path = ''
as $$
  select theirs.user_id from public.workspace_members mine
  join public.workspace_members theirs using (workspace_id)
  where mine.user_id = auth.uid()
$$;

-- The user who creates a workspace becomes its owner.
-- +goose StatementBegin
create function private.add_first_owner() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.created_by is not null then
    insert into public.workspace_members (workspace_id, user_id, role) values (new.id, new.created_by, 'owner');
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- A demotion or a departure cannot take a workspace its last owner. If the account of the last owner is
-- deleted, the member with the highest role becomes owner, among several the one who has been a member the
-- longest. A workspace without members is deleted.
-- +goose StatementBegin
create function private.keep_an_owner() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from public.workspaces w where w.id = old.workspace_id for no key update; -- one departure at a time
  if not found or exists (select from public.workspace_members m where m.workspace_id = old.workspace_id and m.role = 'owner') then
    return null;
  end if;
  if exists (select from auth.users u where u.id = old.user_id) then
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

-- Every user has a profile. Its e-mail is that of the account.
-- +goose StatementBegin
create function private.mirror_user() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.profiles (id, email, display_name)
  values (new.id, new.email,
          left(coalesce(new.raw_user_meta_data ->> 'display_name', new.raw_user_meta_data ->> 'full_name',
                        new.raw_user_meta_data ->> 'name', split_part(coalesce(new.email, ''), '@', 1)), 200))
  on conflict (id) do update set email = excluded.email;
  return null;
end $$;
-- +goose StatementEnd

reset role;

grant execute on function private.my_workspaces(public.member_role), private.my_colleagues() to authenticated, service_role;

create trigger workspaces_stamp before insert or update on public.workspaces for each row execute function private.stamp();
create trigger workspaces_stamp_creator before insert or update on public.workspaces for each row execute function private.stamp_creator();
create trigger workspaces_key before update on public.workspaces
  for each row when (old.id <> new.id) execute function private.keep_key();
create trigger workspace_members_key before update on public.workspace_members
  for each row when ((old.workspace_id, old.user_id) is distinct from (new.workspace_id, new.user_id)) execute function private.keep_key();
create trigger profiles_key before update on public.profiles
  for each row when (old.id <> new.id) execute function private.keep_key();
create trigger workspaces_slug before insert on public.workspaces for each row execute function private.fill_slug();
create trigger workspaces_owner after insert on public.workspaces for each row execute function private.add_first_owner();
create trigger workspace_members_stamp before insert or update on public.workspace_members for each row execute function private.stamp();
create trigger workspace_members_owner after update or delete on public.workspace_members
  for each row when (old.role = 'owner') execute function private.keep_an_owner();
create trigger profiles_stamp before insert or update on public.profiles for each row execute function private.stamp();
create trigger users_profile after insert or update of email on auth.users for each row execute function private.mirror_user();

-- Row-level security ----------------------------------------------------------------------------------------

alter table public.profiles enable row level security;
alter table public.profiles force row level security;
alter table public.workspaces enable row level security;
alter table public.workspaces force row level security;
alter table public.workspace_members enable row level security;
alter table public.workspace_members force row level security;

create policy service on public.profiles to service_role using (true) with check (true);
create policy service on public.workspaces to service_role using (true) with check (true);
create policy service on public.workspace_members to service_role using (true) with check (true);

create policy see on public.profiles for select to authenticated
  using (id = (select auth.uid()) or id = any (array(select private.my_colleagues())));
-- The row exists since the account was created; inserting is for upserts.
create policy add on public.profiles for insert to authenticated with check (id = (select auth.uid()));
create policy change on public.profiles for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));

-- The second half is for `insert … returning`: the membership is written after the row. created_at equals
-- now() only within the transaction that created the row.
create policy see on public.workspaces for select to authenticated
  using (id = any (array(select private.my_workspaces())) or (created_by = (select auth.uid()) and created_at = now()));
create policy add on public.workspaces for insert to authenticated with check (created_by = (select auth.uid()));
create policy change on public.workspaces for update to authenticated
  using (id = any (array(select private.my_workspaces('admin')))) with check (id = any (array(select private.my_workspaces('admin'))));
create policy remove on public.workspaces for delete to authenticated using (id = any (array(select private.my_workspaces('owner'))));

create policy see on public.workspace_members for select to authenticated using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.workspace_members for insert to authenticated
  with check (workspace_id = any (array(select private.my_workspaces('owner')))
              or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin')))));
create policy change on public.workspace_members for update to authenticated
  using (workspace_id = any (array(select private.my_workspaces('owner')))
         or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin')))))
  with check (workspace_id = any (array(select private.my_workspaces('owner')))
              or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin')))));
create policy remove on public.workspace_members for delete to authenticated
  using (user_id = (select auth.uid()) or workspace_id = any (array(select private.my_workspaces('owner')))
         or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin')))));

grant select, insert, update, delete on public.profiles, public.workspaces, public.workspace_members to service_role;
-- Clients cannot write the e-mail, the creator and the timestamps. They may name keys, so that upserts work;
-- keys do not change.
grant select, insert (id, display_name), update (id, display_name) on public.profiles to authenticated;
grant select, insert, delete, update (id, name, slug) on public.workspaces to authenticated;
grant select, insert, delete, update (workspace_id, user_id, role) on public.workspace_members to authenticated;
