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
    ('workspace', 4, 'public.questions', 'workspace_id'),
    ('workspace', 5, 'private.import_run_changes', 'claim_id'),
    ('workspace', 6, 'private.import_readings', 'import_id'),
    ('workspace', 7, 'public.import_hypotheses', 'workspace_id'),
    ('workspace', 8, 'public.speaker_stances', 'workspace_id'),
    ('workspace', 9, 'public.finding_shares', 'workspace_id'),
    ('workspace', 10, 'public.finding_quotes', 'workspace_id'),
    ('workspace', 11, 'public.evidence_hypotheses', 'workspace_id'),
    ('workspace', 12, 'public.evidence', 'workspace_id'),
    ('workspace', 13, 'private.chunk_responses', 'import_id'),
    ('workspace', 14, 'private.import_chunks', 'import_id'),
    ('workspace', 15, 'private.import_runs', 'import_id'),
    ('workspace', 16, 'public.utterances', 'workspace_id'),
    ('workspace', 17, 'private.transcripts', 'import_id'),
    ('workspace', 18, 'private.import_files', 'import_id'),
    ('workspace', 19, 'private.turn_corrections', 'import_id'),
    ('workspace', 20, 'public.import_speakers', 'workspace_id'),
    ('workspace', 21, 'public.participants', 'workspace_id'),
    ('workspace', 22, 'public.imports', 'workspace_id'),
    ('workspace', 23, 'public.hypotheses', 'workspace_id'),
    ('workspace', 24, 'public.personas', 'workspace_id'),
    ('workspace', 25, 'public.activity_events', 'workspace_id'),
    ('workspace', 26, 'private.project_readings', 'workspace_id'),
    ('workspace', 27, 'public.reports', 'workspace_id'),
    ('workspace', 28, 'public.projects', 'workspace_id'),
    ('workspace', 29, 'private.audit_records', 'workspace_id'),
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
    ('account', 16, 'private.deleted_imports', 'deleted_by')
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
