-- +goose Up
-- Only a new status of an import is activity. Its progress is written once for each response of the model, and
-- must not turn the row into JSON twice to find that out.

set local role service_role;

-- +goose StatementBegin
create or replace function private.record_activity() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  after_row jsonb;
  before_row jsonb;
  entity text := case tg_table_name when 'projects' then 'project' when 'personas' then 'persona' when 'hypotheses' then 'hypothesis'
    when 'questions' then 'question' when 'imports' then 'import' when 'workspace_members' then 'member' else tg_table_name end;
  in_workspace uuid;
  in_project uuid;
  entity_id uuid;
  state text := case tg_table_name when 'evidence' then 'review' when 'workspace_members' then 'role' else 'status' end;
  stamps constant text[] := array['updated_at', 'edited_at', 'edited_by', 'created_by', 'decided_by', 'reviewed_by'];
  verb text;
  detail jsonb := '{}';
begin
  if tg_table_name = 'imports' and tg_op = 'UPDATE' then
    if new.status = old.status then
      return null; -- most updates of an import are of its progress
    end if;
  end if;
  after_row := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  before_row := case when tg_op = 'UPDATE' then to_jsonb(old) end;
  in_workspace := (after_row ->> 'workspace_id')::uuid;
  in_project := (after_row ->> 'project_id')::uuid;
  entity_id := coalesce(after_row ->> 'id', after_row ->> 'user_id')::uuid;
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
    if before_row - stamps = after_row - stamps then
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
