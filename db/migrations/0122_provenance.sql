-- +goose Up
-- A quote or a speaker that a person changes keeps the original, and names the person, so that it cannot pass
-- as what an extractor found.

alter table public.evidence
  add column original_quote text,
  add column original_speaker text,
  add column edited_by uuid constraint evidence_edited_by_fkey references public.profiles (id) on delete set null;
create index evidence_edited_by_idx on public.evidence (edited_by);

comment on column public.evidence.original_quote is
  'The quote before a person changed it for the first time; null if nobody did. Filled by the database.';
comment on column public.evidence.original_speaker is
  'The speaker before a person changed it for the first time; null if nobody did. Filled by the database.';
comment on column public.evidence.edited_by is
  'Who last changed quote, speaker, summary, rationale or a link. Filled by the database.';
comment on column public.evidence.edited_at is
  'When a person last changed quote, speaker, summary, rationale or a link. Later runs do not change such '
  'evidence.';
comment on column public.evidence.origin is
  'human, ai, or keyword (matches keywords, without AI): who entered or found the evidence. Whether a person '
  'changed the quote since is in original_quote and original_speaker.';

-- +goose StatementBegin
create function private.keep_original() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.original_quote := null;
    new.original_speaker := null;
    new.edited_by := null;
    return new;
  end if;
  new.original_quote := coalesce(old.original_quote, case when new.quote <> old.quote then old.quote end);
  new.original_speaker := coalesce(old.original_speaker, case when new.speaker <> old.speaker then old.speaker end);
  if (new.quote, new.speaker, new.summary, new.rationale)
    is distinct from (old.quote, old.speaker, old.summary, old.rationale)
  then
    new.edited_at := now();
    new.edited_by := auth.uid();
  else
    new.edited_by := old.edited_by;
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- The name sorts after t3_prove, which may look up the speaker.
create trigger t5_original before insert or update on public.evidence
for each row when (current_user in ('anon', 'authenticated')) execute function private.keep_original();

set local role service_role;

-- As before, and with the person who changed the link.
-- +goose StatementBegin
create or replace function private.mark_evidence_edited() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    update public.evidence set edited_at = now(), edited_by = auth.uid() where id = old.evidence_id;
  end if;
  if tg_op <> 'DELETE' then
    update public.evidence set edited_at = now(), edited_by = auth.uid() where id = new.evidence_id;
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- As before, and edited_by is a stamp: that an account was deleted is no change of what it edited.
-- +goose StatementBegin
create or replace function private.record_activity() returns trigger
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
  stamps constant text[] := array['updated_at', 'edited_at', 'edited_by', 'created_by', 'decided_by', 'reviewed_by'];
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
