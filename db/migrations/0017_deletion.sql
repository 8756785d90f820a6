-- +goose Up
-- The removal of workspaces and accounts that are marked deleted, in batches by the workflow DeleteData. So a
-- deletion of any size is answered at once, and no statement of it is long. The marks are in
-- private.deletions.

-- Marking ---------------------------------------------------------------------------------------------------

set local role service_role;

-- A deleted workspace leaves a tombstone under its id, so that what refers to it can stay until it is
-- removed. Only members and invitations, which are few, are deleted with the row.
-- +goose StatementBegin
create function private.bury_workspace() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.workspaces (id, name, slug)
  values (old.id, 'deleted', 'deleted-' || replace(gen_random_uuid()::text, '-', ''));
  insert into private.deletions (id, kind) values (old.id, 'workspace');
  return null;
end $$;
-- +goose StatementEnd

-- Marks an account deleted and returns whether there was one. The address is free again, sessions and
-- everything else that is the user's alone are gone; who remains in a workspace may inherit it. The log of
-- sign-ins keeps no address. The row stays for what refers to it, until that is removed.
-- +goose StatementBegin
create function private.mark_account_deleted(account uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  update auth.users u set
    deleted_at = coalesce(u.deleted_at, now()),
    updated_at = now(),
    email = null,
    phone = null,
    encrypted_password = null,
    raw_user_meta_data = null,
    raw_app_meta_data = null,
    email_change = null
  where u.id = account and not exists (select from private.deletions d where d.id = u.id);
  if not found then
    return false;
  end if;
  delete from public.workspace_members m where m.user_id = account;
  delete from public.digest_preferences p where p.user_id = account;
  delete from public.digest_deliveries d where d.user_id = account;
  delete from auth.sessions s where s.user_id = account;
  delete from auth.oauth_authorizations a where a.user_id = account;
  delete from auth.oauth_consents c where c.user_id = account;
  delete from auth.personal_access_tokens t where t.user_id = account;
  delete from private.write_budgets b where b.user_id = account;
  delete from auth.one_time_tokens t where t.user_id = account;
  delete from auth.undo_links l where l.user_id = account;
  delete from auth.identities i where i.user_id = account;
  update auth.audit_log_entries e set payload = e.payload - 'actor_username'
  where e.payload ->> 'actor_id' = account::text and e.payload ? 'actor_username';
  update public.profiles p set display_name = '', email = null where p.id = account;
  insert into private.deletions (id, kind) values (account, 'account');
  return true;
end $$;
-- +goose StatementEnd

reset role;

-- The name sorts before those of the triggers that check the foreign keys, which find the tombstone.
create trigger "0_bury" after delete on public.workspaces
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.bury_workspace();

-- Removing --------------------------------------------------------------------------------------------------

set local role service_role;

-- What the workflow removes, in this order: what refers to a table comes before the table, and results before
-- the evidence that they follow. `key` says how rows belong to what is deleted: by a column of their own, or
-- by their import or its run. For an account, the column is set to null instead. A foreign key that is not
-- listed here still holds: its rows go with the row they refer to, or keep the deletion from ending.
create function private.deletion_steps() returns table (kind text, step integer, relation text, key text)
language sql immutable
set search_path = ''
as $$
  values
    ('workspace', 1, 'private.deleted_imports', 'workspace_id'),
    ('workspace', 2, 'public.webhook_deliveries', 'workspace_id'),
    ('workspace', 3, 'public.webhook_endpoints', 'workspace_id'),
    ('workspace', 4, 'public.answer_quotes', 'workspace_id'),
    ('workspace', 5, 'public.answer_sentences', 'workspace_id'),
    ('workspace', 6, 'private.answer_parts', 'import_id'),
    ('workspace', 7, 'private.answer_responses', 'workspace_id'),
    ('workspace', 8, 'public.answers', 'workspace_id'),
    ('workspace', 9, 'private.theme_run_parts', 'import_id'),
    ('workspace', 10, 'public.theme_runs', 'workspace_id'),
    ('workspace', 11, 'public.questions', 'workspace_id'),
    ('workspace', 12, 'private.import_run_changes', 'claim_id'),
    ('workspace', 13, 'private.import_readings', 'import_id'),
    ('workspace', 14, 'public.import_hypotheses', 'workspace_id'),
    ('workspace', 15, 'public.speaker_stances', 'workspace_id'),
    ('workspace', 16, 'public.finding_shares', 'workspace_id'),
    ('workspace', 17, 'public.finding_quotes', 'workspace_id'),
    ('workspace', 18, 'public.comments', 'workspace_id'),
    ('workspace', 19, 'public.evidence_themes', 'workspace_id'),
    ('workspace', 20, 'private.theme_changes', 'workspace_id'),
    ('workspace', 21, 'public.evidence_hypotheses', 'workspace_id'),
    ('workspace', 22, 'public.evidence', 'workspace_id'),
    ('workspace', 23, 'public.themes', 'workspace_id'),
    ('workspace', 24, 'private.chunk_responses', 'import_id'),
    ('workspace', 25, 'private.import_chunks', 'import_id'),
    ('workspace', 26, 'private.import_runs', 'import_id'),
    ('workspace', 27, 'public.utterances', 'workspace_id'),
    ('workspace', 28, 'public.utterance_questions', 'workspace_id'),
    ('workspace', 29, 'private.transcripts', 'import_id'),
    ('workspace', 30, 'private.import_files', 'import_id'),
    ('workspace', 31, 'private.turn_corrections', 'import_id'),
    ('workspace', 32, 'public.import_speakers', 'workspace_id'),
    ('workspace', 33, 'public.participants', 'workspace_id'),
    ('workspace', 34, 'public.imports', 'workspace_id'),
    ('workspace', 35, 'public.hypothesis_decisions', 'workspace_id'),
    ('workspace', 36, 'public.hypotheses', 'workspace_id'),
    ('workspace', 37, 'public.personas', 'workspace_id'),
    ('workspace', 38, 'public.activity_events', 'workspace_id'),
    ('workspace', 39, 'private.project_readings', 'workspace_id'),
    ('workspace', 40, 'public.reports', 'workspace_id'),
    ('workspace', 41, 'public.projects', 'workspace_id'),
    ('workspace', 42, 'private.audit_records', 'workspace_id'),
    ('account', 1, 'public.evidence', 'created_by'),
    ('account', 2, 'public.evidence', 'edited_by'),
    ('account', 3, 'public.evidence', 'reviewed_by'),
    ('account', 4, 'public.hypotheses', 'decided_by'),
    ('account', 5, 'public.imports', 'created_by'),
    ('account', 6, 'public.workspaces', 'created_by'),
    ('account', 7, 'public.workspace_invitations', 'created_by'),
    ('account', 8, 'public.webhook_endpoints', 'created_by'),
    ('account', 9, 'public.activity_events', 'actor_id'),
    ('account', 10, 'private.events', 'actor_id'),
    ('account', 11, 'private.import_runs', 'requested_by'),
    ('account', 12, 'private.audit_records', 'actor_id'),
    ('account', 13, 'private.audit_records', 'target_id'),
    ('account', 14, 'public.finding_shares', 'created_by'),
    ('account', 15, 'private.turn_corrections', 'corrected_by'),
    ('account', 16, 'private.deleted_imports', 'deleted_by'),
    ('account', 17, 'public.hypothesis_decisions', 'decided_by'),
    ('account', 18, 'public.answers', 'created_by'),
    ('account', 19, 'public.themes', 'created_by'),
    ('account', 20, 'public.evidence_themes', 'created_by'),
    ('account', 21, 'public.comments', 'created_by'),
    ('account', 22, 'private.theme_changes', 'actor'),
    ('account', 23, 'public.theme_runs', 'created_by')
$$;

-- Removes at most `most` rows of one table, of what is marked deleted, and returns their number and the next
-- step. When a table has no more rows, the number is 0 and the step is another one. After the last step the
-- marked row itself is removed; then, and if nothing is marked, the step is null. The settings apply to the
-- checks of foreign keys too: other plans than those by one index read the dead rows of all batches before,
-- over and over.
-- +goose StatementBegin
create function private.remove_batch(marked uuid, most integer, out removed bigint, out next_step integer)
language plpgsql security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
as $$
declare
  d private.deletions;
  s record;
  rows_of_marked text;
begin
  removed := 0;
  perform set_config('research.removing', 'on', true);
  select * into d from private.deletions x where x.id = marked for update;
  if not found then
    return;
  end if;
  select * into s from private.deletion_steps() x where x.kind = d.kind and x.step = d.step;
  if not found then
    if d.kind = 'workspace' then
      delete from public.workspaces w where w.id = d.id;
    else
      delete from auth.users u where u.id = d.id;
    end if;
    get diagnostics removed = row_count;
    delete from private.deletions x where x.id = d.id;
    return;
  end if;
  rows_of_marked := case s.key
    when 'import_id' then format(
      'select r.ctid from public.imports i cross join lateral (
         select c.ctid from %s c where c.import_id = i.id limit $2) r
       where i.workspace_id = $1 limit $2', s.relation)
    when 'claim_id' then format(
      'select r.ctid from public.imports i
       join private.import_runs n on n.import_id = i.id cross join lateral (
         select c.ctid from %s c where c.claim_id = n.claim_id limit $2) r
       where i.workspace_id = $1 limit $2', s.relation)
    else format('select c.ctid from %s c where c.%I = $1 limit $2', s.relation, s.key)
  end;
  execute format(
    case d.kind when 'workspace' then 'delete from %s t' else 'update %s t set %I = null' end
    || ' where t.ctid = any (array(' || rows_of_marked || '))', s.relation, s.key) using d.id, most;
  get diagnostics removed = row_count;
  next_step := case removed when 0 then d.step + 1 else d.step end;
  update private.deletions x set step = next_step, seen_at = clock_timestamp() where x.id = d.id;
end $$;
-- +goose StatementEnd

reset role;

-- Deletion that can be undone -------------------------------------------------------------------------------

-- What was deleted is in no other table. So nothing shows it, searches it or exports it.
create table private.deleted_imports (
  import_id uuid not null,
  workspace_id uuid not null,
  project_id uuid not null,
  title text not null,
  stored_bytes bigint not null,
  deleted_by uuid
    constraint deleted_imports_deleted_by_fkey references public.profiles (id) on delete set null,
  deleted_at timestamptz not null default now(),
  rows jsonb not null,
  constraint deleted_imports_pkey primary key (import_id),
  constraint deleted_imports_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index deleted_imports_project_id_idx on private.deleted_imports (project_id, deleted_at);
create index deleted_imports_workspace_id_idx on private.deleted_imports (workspace_id, deleted_at)
include (stored_bytes);
create index deleted_imports_deleted_at_idx on private.deleted_imports (deleted_at);
create index deleted_imports_deleted_by_idx on private.deleted_imports (deleted_by);
comment on table private.deleted_imports is
  'Imports that members deleted, for a day, in which they can be restored.';
comment on column private.deleted_imports.stored_bytes is
  'They count for the storage of the workspace while the import can be restored.';
comment on column private.deleted_imports.rows is
  'The rows of other tables by the names of these; as answers, the questions that its evidence answers; as '
  'alone, the participants who spoke in no other import.';
grant select, insert, update, delete on private.deleted_imports to service_role;

set local role service_role;

-- Until when an import can be restored.
create function private.restorable_until(deleted_at timestamptz) returns timestamptz
language sql immutable
return deleted_at + interval '24 hours';

-- The tables with rows of an import, in the order in which they are restored, and how the rows belong to it.
-- What follows from these is made again: words, and what each speaker says.
create function private.tables_of_import() returns table (step integer, relation text, key text)
language sql immutable
set search_path = ''
as $$
  values
    (1, 'public.imports', 'id'),
    (2, 'private.transcripts', 'import_id'),
    (3, 'private.import_files', 'import_id'),
    (4, 'public.utterances', 'import_id'),
    (5, 'public.utterance_questions', 'import_id'),
    (6, 'public.import_speakers', 'import_id'),
    (7, 'public.evidence', 'import_id'),
    (8, 'public.evidence_hypotheses', 'evidence_id'),
    (9, 'public.finding_quotes', 'evidence_id'),
    (10, 'public.evidence_themes', 'evidence_id'),
    (11, 'public.comments', 'evidence_id'),
    (12, 'public.import_hypotheses', 'import_id'),
    (13, 'private.import_readings', 'import_id'),
    (14, 'private.import_runs', 'import_id'),
    (15, 'private.import_run_changes', 'claim_id'),
    (16, 'private.import_chunks', 'import_id'),
    (17, 'private.chunk_responses', 'import_id'),
    (18, 'private.turn_corrections', 'import_id')
$$;

-- Deletes an import as private.delete_import does, and keeps its rows for a day. Nothing if there is none.
-- +goose StatementBegin
create function private.set_import_aside(import uuid, out evidence bigint, out utterances bigint)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  i public.imports;
  t record;
  found_rows jsonb;
  kept jsonb := '{}';
begin
  perform
  from public.projects p
  where p.id = (select x.project_id from public.imports x where x.id = import)
  for key share;
  perform private.lock_readers((select x.project_id from public.imports x where x.id = import));
  select * into i
  from public.imports x
  where x.id = import and private.caller_may_see(x.workspace_id)
  for update;
  if not found then
    return;
  end if;
  perform private.require_editor(i.workspace_id);
  -- What others are about to change is kept as they change it.
  perform
  from public.evidence_hypotheses h
  where h.evidence_id in (select e.id from public.evidence e where e.import_id = import)
  order by h.evidence_id, h.hypothesis_id
  for update;
  perform
  from public.evidence_themes l
  where l.evidence_id in (select e.id from public.evidence e where e.import_id = import)
  order by l.evidence_id, l.theme_id
  for update;
  perform from public.evidence e where e.import_id = import order by e.id for update;
  perform from public.import_speakers s where s.import_id = import order by s.speaker for update;
  perform
  from public.finding_quotes q
  where q.evidence_id in (select e.id from public.evidence e where e.import_id = import)
  order by q.evidence_id, q.hypothesis_id
  for update;
  for t in select * from private.tables_of_import() x order by x.step loop
    execute format(
      'select coalesce(jsonb_agg(to_jsonb(r)), ''[]'') from %s r where r.%I in (%s)', t.relation, t.key,
      case t.key
        when 'evidence_id' then 'select e.id from public.evidence e where e.import_id = $1'
        when 'claim_id' then 'select n.claim_id from private.import_runs n where n.import_id = $1'
        else 'select $1'
      end)
    into found_rows using import;
    kept := kept || jsonb_build_object(t.relation, found_rows);
  end loop;
  kept := kept || jsonb_build_object(
    'answers', (
      select coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'evidence', q.answer_evidence_id)), '[]')
      from public.questions q
      where q.answer_evidence_id in (select e.id from public.evidence e where e.import_id = import)
    ),
    'alone', (
      select coalesce(jsonb_agg(s.participant_id), '[]')
      from public.import_speakers s
      where s.import_id = import and s.participant_id is not null and not exists (
        select from public.import_speakers o
        where o.participant_id = s.participant_id and o.import_id <> import
      )
    )
  );
  insert into private.deleted_imports (
    import_id, workspace_id, project_id, title, stored_bytes, deleted_by, rows
  )
  values (import, i.workspace_id, i.project_id, i.title, i.stored_bytes, auth.uid(), kept);
  select d.evidence, d.utterances into evidence, utterances from private.delete_import(import) d;
end $$;
-- +goose StatementEnd
grant execute on function private.set_import_aside(uuid) to authenticated;

-- Deletes for good an import that could be restored. None if there is none that the caller may see.
-- +goose StatementBegin
create function private.forget_deleted_import(import uuid) returns table (evidence bigint, utterances bigint)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  d private.deleted_imports;
begin
  select * into d
  from private.deleted_imports x
  where x.import_id = import and private.caller_may_see(x.workspace_id)
  for update;
  if not found then
    return;
  end if;
  perform private.require_editor(d.workspace_id);
  delete from private.deleted_imports x where x.import_id = import;
  perform private.write_audit(
    d.workspace_id, 'deleted', 'import', import, jsonb_build_object('for_good', true));
  return query select
    jsonb_array_length(d.rows -> 'public.evidence')::bigint,
    jsonb_array_length(d.rows -> 'public.utterances')::bigint;
end $$;
-- +goose StatementEnd
grant execute on function private.forget_deleted_import(uuid) to authenticated;

-- A row of a deleted import without what is gone since: accounts, personas, participants.
-- +goose StatementBegin
create function private.without_gone(kept jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select kept || coalesce((
    select jsonb_object_agg(v.key, null)
    from jsonb_each_text(kept) v
    where v.value is not null and (
      v.key in ('created_by', 'edited_by', 'reviewed_by', 'requested_by', 'corrected_by')
        and not exists (select from public.profiles p where p.id = v.value::uuid)
      or v.key = 'persona_id' and not exists (select from public.personas p where p.id = v.value::uuid)
      or v.key = 'participant_id'
        and not exists (select from public.participants p where p.id = v.value::uuid)
    )
  ), '{}')
$$;
-- +goose StatementEnd

-- Puts the rows of a deleted import back. Quotes are proven again. What was about hypotheses or themes that
-- are gone is left out. An import that was being read was cancelled by its deletion.
-- +goose StatementBegin
create function private.put_back(d private.deleted_imports) returns void
language plpgsql
set search_path = ''
as $$
declare
  t record;
begin
  perform set_config('research.removing', 'on', true);
  perform set_config('research.ending', 'on', true);
  for t in select * from private.tables_of_import() x order by x.step loop
    execute format(
      'insert into %1$s overriding system value
       select r.*
       from jsonb_array_elements($1) k
       cross join lateral jsonb_populate_record(null::%1$s, private.without_gone(k)) r
       where (
         k ->> ''hypothesis_id'' is null
         or exists (select from public.hypotheses h where h.id = (k ->> ''hypothesis_id'')::uuid)
       ) and (
         k ->> ''theme_id'' is null
         or exists (select from public.themes t where t.id = (k ->> ''theme_id'')::uuid)
       )
       order by k ->> ''review'' -- what people accepted first
       %2$s',
      t.relation,
      -- Two themes of a quote may have been merged since.
      case t.relation when 'public.evidence_themes' then 'on conflict do nothing' end
    ) using d.rows -> t.relation;
  end loop;
  update private.import_runs r set status = 'canceled', error_code = 'canceled', finished_at = d.deleted_at
  where r.import_id = d.import_id and r.finished_at is null;
  update public.imports i set
    status = 'canceled',
    claim_id = null,
    waiting_reason = null,
    error_code = 'canceled',
    error_message = 'Parsing was cancelled when the import was deleted.',
    finished_at = d.deleted_at
  where i.id = d.import_id and i.status in ('queued', 'parsing');
  update public.evidence e set in_progress = false where e.import_id = d.import_id and e.in_progress;
  -- Proving a quote again sets speaker_confirmed; what people confirmed stays confirmed.
  update public.evidence e set speaker_confirmed = (k ->> 'speaker_confirmed')::boolean
  from jsonb_array_elements(d.rows -> 'public.evidence') k
  where e.id = (k ->> 'id')::uuid and e.speaker_confirmed <> (k ->> 'speaker_confirmed')::boolean;
  update public.questions q set answer_evidence_id = (k ->> 'evidence')::uuid
  from jsonb_array_elements(d.rows -> 'answers') k
  where q.id = (k ->> 'id')::uuid and q.answer_evidence_id is null;
  perform set_config('research.removing', '', true);
  perform set_config('research.ending', '', true);
end $$;
-- +goose StatementEnd

-- A participant who spoke in the deleted import alone may have been taken since for somebody of the same name
-- in one that was uploaded later. Whether they are one person is for people to say, so the restored import
-- gets its own.
-- +goose StatementBegin
create function private.part_namesakes(d private.deleted_imports) returns void
language plpgsql
set search_path = ''
as $$
declare
  p public.participants;
  own uuid;
begin
  for p in
    select x.*
    from public.participants x
    where x.id in (select k::uuid from jsonb_array_elements_text(d.rows -> 'alone') k)
      and exists (
        select
        from public.import_speakers s
        join public.imports i on i.id = s.import_id
        where s.participant_id = x.id and i.id <> d.import_id and i.created_at > d.deleted_at
      )
  loop
    insert into public.participants (workspace_id, project_id, name, persona_id, attributes)
    values (p.workspace_id, p.project_id, p.name, p.persona_id, p.attributes)
    returning id into own;
    update public.import_speakers s set participant_id = own
    where s.import_id = d.import_id and s.participant_id = p.id;
  end loop;
end $$;
-- +goose StatementEnd

-- Restores an import that was deleted within a day, and says whether there is one that the caller may see.
-- Whoever deletes what its rows refer to waits, or is waited for.
-- +goose StatementBegin
create function private.restore_import(import uuid) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  d private.deleted_imports;
begin
  perform
  from public.projects p
  where p.id = (select x.project_id from private.deleted_imports x where x.import_id = import)
  for key share;
  select * into d
  from private.deleted_imports x
  where x.import_id = import
    and now() < private.restorable_until(x.deleted_at)
    and private.caller_may_see(x.workspace_id)
  for update;
  if not found then
    return false;
  end if;
  perform private.require_editor(d.workspace_id);
  perform from public.hypotheses h where h.project_id = d.project_id for key share;
  perform from public.themes t where t.project_id = d.project_id for key share;
  perform from public.personas p where p.project_id = d.project_id for key share;
  perform
  from public.participants p
  where p.project_id = d.project_id and p.id in (
    select (k ->> 'participant_id')::uuid from jsonb_array_elements(d.rows -> 'public.import_speakers') k
  )
  for key share;
  perform
  from public.profiles p
  where p.id in (select m.user_id from public.workspace_members m where m.workspace_id = d.workspace_id)
  for key share;
  perform private.put_back(d);
  perform private.part_namesakes(d);
  perform private.update_results(array[import]);
  delete from private.deleted_imports x where x.import_id = import;
  insert into public.activity_events (workspace_id, project_id, actor_id, verb, entity_type, entity_id)
  values (d.workspace_id, d.project_id, auth.uid(), 'restored', 'import', import);
  perform private.write_audit(d.workspace_id, 'restored', 'import', import);
  return true;
end $$;
-- +goose StatementEnd
grant execute on function private.restore_import(uuid) to authenticated;

-- +goose StatementBegin
create function private.deleted_imports_of(project uuid) returns table (
  import_id uuid, title text, deleted_by uuid, deleted_by_name text, deleted_at timestamptz,
  restorable_until timestamptz
)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return query
  select
    d.import_id, d.title, d.deleted_by, p.display_name, d.deleted_at, private.restorable_until(d.deleted_at)
  from private.deleted_imports d
  left join public.profiles p on p.id = d.deleted_by
  where d.project_id = project
    and now() < private.restorable_until(d.deleted_at)
    and private.caller_may_edit(d.workspace_id)
  order by d.deleted_at desc, d.import_id;
end $$;
-- +goose StatementEnd
grant execute on function private.deleted_imports_of(uuid) to authenticated;

reset role;

-- +goose StatementBegin
create function public.deleted_interviews(project uuid) returns table (
  import_id uuid, title text, deleted_by uuid, deleted_by_name text, deleted_at timestamptz,
  restorable_until timestamptz
)
language sql stable begin atomic
  select d.import_id, d.title, d.deleted_by, d.deleted_by_name, d.deleted_at, d.restorable_until
  from private.deleted_imports_of(project) d;
end;
-- +goose StatementEnd
comment on function public.deleted_interviews is
  'The interviews of a project that were deleted and can still be restored, for its editors, the newest '
  'first.';
grant execute on function public.deleted_interviews(uuid) to authenticated;
