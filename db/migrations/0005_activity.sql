-- +goose Up
-- The events of a workspace, written by triggers. Digests are composed from them. They contain no transcript
-- text.

create table public.activity_events (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null constraint activity_events_workspace_id_fkey references public.workspaces (id) on delete cascade,
  project_id uuid,
  actor_id uuid constraint activity_events_actor_id_fkey references public.profiles (id) on delete set null,
  verb text not null,
  entity_type text not null,
  entity_id uuid not null,
  occurred_at timestamptz not null default now(),
  detail jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint activity_events_pkey primary key (id),
  constraint activity_events_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index activity_events_workspace_id_idx on public.activity_events (workspace_id, occurred_at);
create index activity_events_project_id_idx on public.activity_events (project_id, occurred_at);
create index activity_events_actor_id_idx on public.activity_events (actor_id);
comment on table public.activity_events is 'Who did what, when. Written by triggers, read only for clients.';
comment on column public.activity_events.verb is 'created, updated, deleted; status_changed, role_changed; for imports the new status (queued, parsing, parsed, …); for evidence its review (accepted, rejected, suggested).';
comment on column public.activity_events.entity_type is 'project, persona, hypothesis, question, import, evidence or member.';
comment on column public.activity_events.entity_id is 'The row''s id; for a member the user''s.';
comment on column public.activity_events.occurred_at is 'When it happened.';
comment on column public.activity_events.detail is '{"from", "to"} where a status changed; {"import_id", "origin"} for evidence. Never transcript text.';
comment on column public.activity_events.actor_id is 'Null where the service itself acted: evidence found, an import that ended.';

set local role service_role;

-- +goose StatementBegin
create function private.record_activity() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  after_row jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  before_row jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) end;
  entity text := case tg_table_name when 'projects' then 'project' when 'personas' then 'persona' when 'hypotheses' then 'hypothesis'
    when 'questions' then 'question' when 'imports' then 'import' when 'workspace_members' then 'member' else tg_table_name end;
  in_workspace uuid := (after_row ->> 'workspace_id')::uuid;
  in_project uuid := (after_row ->> 'project_id')::uuid;
  entity_id uuid := coalesce(after_row ->> 'id', after_row ->> 'user_id')::uuid;
  state text := case tg_table_name when 'evidence' then 'review' when 'workspace_members' then 'role' else 'status' end;
  stamps constant text[] := array['updated_at', 'edited_at', 'created_by', 'decided_by', 'reviewed_by'];
  verb text;
  detail jsonb := '{}';
begin
  if tg_table_name = 'projects' and tg_op <> 'DELETE' then
    in_project := entity_id;
  end if;
  -- Rows that go because their workspace or project went leave no events of their own.
  if not exists (select from public.workspaces w where w.id = in_workspace)
     or (in_project is not null and not exists (select from public.projects p where p.id = in_project)) then
    return null;
  end if;
  if tg_op = 'UPDATE' and before_row ->> state is distinct from after_row ->> state then
    verb := case tg_table_name when 'imports' then after_row ->> state when 'evidence' then after_row ->> state
      when 'workspace_members' then 'role_changed' else 'status_changed' end;
    detail := jsonb_build_object('from', before_row -> state, 'to', after_row -> state);
  elsif tg_op = 'UPDATE' then
    -- Stamps are not changes, and that an account was deleted is no change of what it made.
    if tg_table_name = 'imports' or before_row - stamps = after_row - stamps then
      return null;
    end if;
    verb := 'updated';
  else
    verb := case tg_op when 'INSERT' then 'created' else 'deleted' end;
    if tg_table_name = 'evidence' then
      detail := jsonb_build_object('import_id', after_row -> 'import_id', 'origin', after_row -> 'origin');
    end if;
  end if;
  insert into public.activity_events (workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail)
  values (in_workspace, in_project, case when current_setting('role', true) = 'authenticated' then auth.uid() end, verb, entity, entity_id, detail);
  return null;
end $$;
-- +goose StatementEnd

reset role;

-- +goose StatementBegin
do $$
declare
  t text;
begin
  foreach t in array array['projects', 'personas', 'hypotheses', 'questions', 'imports', 'evidence', 'workspace_members'] loop
    execute format('create trigger t9_activity after insert or update or delete on public.%I for each row execute function private.record_activity()', t);
  end loop;
end $$;
-- +goose StatementEnd

alter table public.activity_events enable row level security;
alter table public.activity_events force row level security;
create policy service on public.activity_events to service_role using (true) with check (true);
create policy see on public.activity_events for select to authenticated using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.activity_events to service_role;
grant select on public.activity_events to authenticated;
