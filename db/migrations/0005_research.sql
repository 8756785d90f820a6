-- +goose Up
-- What a project is about: projects, personas and hypotheses.
--
-- Every table of a project has workspace_id and project_id. Composite foreign keys keep each link within one
-- project, so that no row can refer to another workspace, whatever a client sends.
--
-- Texts that clients write have a maximum length as they are stored, blanks included, so that a select cannot
-- multiply megabytes. Triggers run before the checks, so one that works on a text does so only up to a
-- length.

-- Projects --------------------------------------------------------------------------------------------------

create type public.project_stage as enum ('problem', 'solution', 'market', 'scale');
create type public.project_status as enum ('active', 'paused', 'archived', 'completed');

create table public.projects (
  id uuid not null default gen_random_uuid(),
  -- A deleted workspace leaves a row under its id, so that what refers to it can stay until it is removed.
  workspace_id uuid not null constraint projects_workspace_id_fkey references public.workspaces (id),
  name text not null constraint projects_name_check check (length(name) <= 200 and btrim(name) <> ''),
  description text not null default ''
    constraint projects_description_length check (length(description) <= 20000),
  stage public.project_stage not null default 'problem',
  status public.project_status not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint projects_pkey primary key (id),
  constraint projects_id_workspace_id_key unique (id, workspace_id)
);
create index projects_workspace_id_idx on public.projects (workspace_id, created_at);
comment on table public.projects is 'A line of research within a workspace.';
comment on column public.projects.stage is 'How far the venture is: problem, solution, market, scale.';
comment on column public.projects.status is 'active, paused, archived or completed.';

alter table public.projects enable row level security;
alter table public.projects force row level security;
create policy service on public.projects to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.projects for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.projects for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.projects for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.projects for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.projects to authenticated, service_role;

-- A project stays in its workspace, because the keys of its rows contain both.
-- +goose StatementBegin
create function private.keep_workspace() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.workspace_id is distinct from old.workspace_id then
    raise exception 'a project cannot move to another workspace'
      using errcode = 'check_violation', constraint = 'projects_workspace_kept',
      hint = 'Create a new one there.';
  end if;
  return new;
end $$;
-- +goose StatementEnd

create trigger t1_key before update on public.projects
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t0_needs_workspace before insert on public.projects
for each row when (new.workspace_id is null) execute function private.refuse_null('workspace_id');
create trigger t1_workspace before update on public.projects
for each row execute function private.keep_workspace();
create trigger t2_stamp before insert or update on public.projects
for each row execute function private.stamp();

set local role service_role;

-- Fills workspace_id from the project if a client leaves it out. A row never leaves its workspace and
-- project. For a project that the caller cannot see, or that belongs to another workspace than the client
-- says, it becomes null, which the policy rejects before any key is compared: a duplicate would reveal more
-- than a missing row.
-- +goose StatementBegin
create function private.fill_workspace() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  of_project uuid;
begin
  if tg_op = 'UPDATE' then
    if new.project_id is distinct from old.project_id
      or new.workspace_id is distinct from old.workspace_id
    then
      raise exception 'a row cannot move to another project or workspace'
        using errcode = 'check_violation', constraint = tg_table_name || '_project_kept',
        hint = 'Create a new one there.';
    end if;
    return new;
  end if;
  select p.workspace_id into of_project from public.projects p
    where p.id = new.project_id and private.caller_may_see(p.workspace_id);
  if new.workspace_id is null then
    new.workspace_id := of_project;
  elsif new.workspace_id is distinct from of_project
    and current_setting('role', true) in ('anon', 'authenticated')
  then
    new.workspace_id := null;
  end if;
  return new;
end $$;
-- +goose StatementEnd

reset role;

-- Personas --------------------------------------------------------------------------------------------------

create table public.personas (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  name text not null constraint personas_name_check check (length(name) <= 200 and btrim(name) <> ''),
  description text not null default ''
    constraint personas_description_length check (length(description) <= 20000),
  segment text not null default '' constraint personas_segment_length check (length(segment) <= 2000),
  goals text[] not null default '{}'
    constraint personas_goals_length check (octet_length(goals::text) <= 40000),
  pains text[] not null default '{}'
    constraint personas_pains_length check (octet_length(pains::text) <= 40000),
  attributes jsonb not null default '{}'
    constraint personas_attributes_length check (octet_length(attributes::text) <= 40000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint personas_pkey primary key (id),
  constraint personas_id_project_id_key unique (id, project_id),
  constraint personas_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index personas_project_id_idx on public.personas (project_id, created_at);
create index personas_workspace_id_idx on public.personas (workspace_id);
comment on table public.personas is 'A kind of person the project is about.';
comment on column public.personas.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.personas.segment is 'The market segment the person belongs to.';
comment on column public.personas.goals is 'What the person wants to get done.';
comment on column public.personas.pains is 'What stands in the way.';
comment on column public.personas.attributes is 'Anything else, as a JSON object that the client defines.';

alter table public.personas enable row level security;
alter table public.personas force row level security;
create policy service on public.personas to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.personas for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.personas for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.personas for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.personas for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.personas to authenticated, service_role;

set local role service_role;

-- Clears references to a persona that is deleted: before the deletion, so that foreign keys need not be
-- deferred, and not if the project is deleted, because the referring rows are deleted too. (ON DELETE SET
-- NULL of one column of a composite key needs PostgreSQL 15.)
-- +goose StatementBegin
create function private.forget_persona() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if not exists (select from public.projects p where p.id = old.project_id) then
    return old;
  end if;
  update public.hypotheses set persona_id = null where persona_id = old.id;
  update public.questions set persona_id = null where persona_id = old.id;
  update public.imports set persona_id = null where persona_id = old.id;
  update public.participants set persona_id = null where persona_id = old.id;
  return old;
end $$;
-- +goose StatementEnd

reset role;

create trigger t1_key before update on public.personas
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t0_needs_project before insert on public.personas
for each row when (new.project_id is null) execute function private.refuse_null('project_id');
create trigger t1_workspace before insert or update on public.personas
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.personas
for each row execute function private.stamp();
create trigger t4_forget before delete on public.personas
for each row execute function private.forget_persona();

-- Hypotheses ------------------------------------------------------------------------------------------------

create type public.hypothesis_category as enum (
  'problem', 'customer', 'value', 'channel', 'pricing', 'other'
);
create type public.hypothesis_importance as enum ('high', 'medium', 'low');
create type public.hypothesis_status as enum (
  'untested', 'testing', 'validated', 'invalidated', 'inconclusive', 'parked'
);

create table public.hypotheses (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  persona_id uuid,
  statement text not null
    constraint hypotheses_statement_check check (length(statement) <= 2000 and btrim(statement) <> ''),
  category public.hypothesis_category not null default 'problem',
  importance public.hypothesis_importance not null default 'medium',
  status public.hypothesis_status not null default 'untested',
  falsified_if text not null default ''
    constraint hypotheses_falsified_if_length check (length(falsified_if) <= 20000),
  reopen_after integer not null default 3
    constraint hypotheses_reopen_after_check check (reopen_after between 1 and 1000),
  decided_by uuid constraint hypotheses_decided_by_fkey references public.profiles (id) on delete set null,
  decided_at timestamptz,
  decision_reason text not null default ''
    constraint hypotheses_decision_reason_length check (length(decision_reason) <= 20000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint hypotheses_pkey primary key (id),
  constraint hypotheses_id_project_id_key unique (id, project_id),
  constraint hypotheses_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint hypotheses_persona_id_fkey foreign key (persona_id, project_id)
    references public.personas (id, project_id)
);
create index hypotheses_project_id_idx on public.hypotheses (project_id, created_at);
create index hypotheses_workspace_id_idx on public.hypotheses (workspace_id);
create index hypotheses_persona_id_idx on public.hypotheses (persona_id);
create index hypotheses_decided_by_idx on public.hypotheses (decided_by);
comment on table public.hypotheses is
  'A statement about the world that interviews can support or contradict.';
comment on column public.hypotheses.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.hypotheses.statement is
  'One sentence that can turn out to be wrong, 1 to 2000 characters.';
comment on column public.hypotheses.category is 'problem, customer, value, channel, pricing or other.';
comment on column public.hypotheses.importance is 'high, medium or low: how much depends on the hypothesis.';
comment on column public.hypotheses.status is 'The verdict; set by people only.';
comment on column public.hypotheses.falsified_if is 'The observation that would refute the hypothesis.';
comment on column public.hypotheses.reopen_after is
  'How many people must speak against a verdict before it is open again: see hypothesis_challenges.';
comment on column public.hypotheses.decided_by is
  'Who last set status; filled by the database, with decided_at.';
comment on column public.hypotheses.decided_at is 'When status was last set; filled by the database.';
comment on column public.hypotheses.decision_reason is 'The reason for the verdict.';

alter table public.hypotheses enable row level security;
alter table public.hypotheses force row level security;
create policy service on public.hypotheses to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.hypotheses for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.hypotheses for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.hypotheses for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.hypotheses for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.hypotheses to authenticated, service_role;

-- Records who decided on a hypothesis, and when.
-- +goose StatementBegin
create function private.stamp_decision() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  if tg_op = 'UPDATE' and new.status is not distinct from old.status then
    new.decided_by := old.decided_by;
    new.decided_at := old.decided_at;
  elsif tg_op = 'UPDATE' or new.status <> 'untested' then
    new.decided_by := auth.uid();
    new.decided_at := now();
  else
    new.decided_by := null;
    new.decided_at := null;
  end if;
  return new;
end $$;
-- +goose StatementEnd

create trigger t1_key before update on public.hypotheses
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t0_needs_project before insert on public.hypotheses
for each row when (new.project_id is null) execute function private.refuse_null('project_id');
create trigger t1_workspace before insert or update on public.hypotheses
for each row execute function private.fill_workspace();
create trigger t2_decision before insert or update on public.hypotheses
for each row execute function private.stamp_decision();
create trigger t2_stamp before insert or update on public.hypotheses
for each row execute function private.stamp();

set local role service_role;

-- Fills the key of a link to a hypothesis. It may leave out the project, which is then that of its
-- hypothesis. A link of a client to a hypothesis outside of the project is rejected here, before the unique
-- key could reveal that another project has the same link.
-- +goose StatementBegin
create function private.fill_project_of_link() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' and new.project_id is null then
    select h.project_id into new.project_id from public.hypotheses h
      where h.id = new.hypothesis_id and private.caller_may_see(h.workspace_id);
  elsif current_setting('role', true) in ('anon', 'authenticated')
    and exists (
      select from public.projects p where p.id = new.project_id and private.caller_may_see(p.workspace_id)
    )
    and not exists (
      select from public.hypotheses h where h.id = new.hypothesis_id and h.project_id = new.project_id
    )
  then
    raise exception 'the project has no such hypothesis'
      using errcode = 'foreign_key_violation', table = tg_table_name,
      constraint = tg_table_name || '_hypothesis_id_fkey';
  end if;
  return new;
end $$;
-- +goose StatementEnd

reset role;
