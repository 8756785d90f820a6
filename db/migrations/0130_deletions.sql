-- +goose Up
-- Workspaces and accounts are marked deleted at once, which makes them invisible, and removed in batches by
-- the workflow DeleteData. So a deletion of any size is answered at once, and no statement of it is long.

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

-- Policies hide what is marked from service_role, and not from a login that inherits its policies, such as
-- that of pg_dump. The transaction that removes rows sees it.
create function private.hides_marked() returns boolean language sql stable
return current_user = 'service_role' and coalesce(current_setting('research.removing', true), '') <> 'on';
grant execute on function private.hides_marked() to service_role;

-- Clients do not see a marked workspace because it has no members. service_role does not see it by policy.
-- `not in` becomes a hashed subplan, which is evaluated once for each statement.
alter policy service on public.workspaces
using (id not in (select d.id from private.deletions d where private.hides_marked()))
with check (id not in (select d.id from private.deletions d where private.hides_marked()));
alter policy service on public.profiles
using (id not in (select d.id from private.deletions d where private.hides_marked()))
with check (id not in (select d.id from private.deletions d where private.hides_marked()));
-- +goose StatementBegin
do $$
declare
  t text;
begin
  foreach t in array array[
    'workspace_members', 'workspace_invitations', 'projects', 'personas', 'hypotheses', 'questions', 'imports', 'utterances',
    'import_hypotheses', 'evidence', 'evidence_hypotheses', 'activity_events'
  ] loop
    execute format(
      'alter policy service on public.%I '
      'using (workspace_id not in (select d.id from private.deletions d where private.hides_marked())) '
      'with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))', t);
  end loop;
end $$;
-- +goose StatementEnd

-- A deleted workspace leaves a tombstone under its id, so that what refers to it can stay until it is
-- removed. Only members and invitations, which are few, are deleted with the row.
alter table public.projects
  drop constraint projects_workspace_id_fkey,
  add constraint projects_workspace_id_fkey foreign key (workspace_id) references public.workspaces (id);
alter table public.activity_events
  drop constraint activity_events_workspace_id_fkey,
  add constraint activity_events_workspace_id_fkey foreign key (workspace_id) references public.workspaces (id);
alter table private.audit_records
  drop constraint audit_records_workspace_id_fkey,
  add constraint audit_records_workspace_id_fkey foreign key (workspace_id) references public.workspaces (id);

set local role service_role;

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
-- everything else that is the user's alone are gone; who remains in a workspace may inherit it. The row stays
-- for what refers to it, until that is removed.
-- +goose StatementBegin
create function private.mark_account_deleted(account uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  update auth.users u set
    deleted_at = coalesce(u.deleted_at, now()), updated_at = now(), email = null, phone = null, encrypted_password = null,
    raw_user_meta_data = null, raw_app_meta_data = null, email_change = null
  where u.id = account and not exists (select from private.deletions d where d.id = u.id);
  if not found then
    return false;
  end if;
  delete from public.workspace_members m where m.user_id = account;
  delete from public.digest_preferences p where p.user_id = account;
  delete from public.digest_deliveries d where d.user_id = account;
  delete from auth.sessions s where s.user_id = account;
  delete from auth.one_time_tokens t where t.user_id = account;
  delete from auth.identities i where i.user_id = account;
  update public.profiles p set display_name = '', email = null where p.id = account;
  insert into private.deletions (id, kind) values (account, 'account');
  return true;
end $$;
-- +goose StatementEnd

-- As before, but an account that is marked deleted has left.
-- +goose StatementBegin
create or replace function private.keep_an_owner() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from public.workspaces w where w.id = old.workspace_id for no key update; -- one departure at a time
  if not found or exists (select from public.workspace_members m where m.workspace_id = old.workspace_id and m.role = 'owner') then
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

-- As before, and what is marked deleted counts as absent.
-- +goose StatementBegin
create or replace function private.keep_audit_records() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and (
    old.occurred_at < now() - interval '30 days'
    or not exists (select from public.workspaces w where w.id = old.workspace_id)
    or exists (select from private.deletions d where d.id = old.workspace_id)
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE'
    and (new.actor_id is not distinct from old.actor_id
      or new.actor_id is null and (
        not exists (select from public.profiles p where p.id = old.actor_id)
        or exists (select from private.deletions d where d.id = old.actor_id)))
    and (new.target_id is not distinct from old.target_id
      or new.target_id is null and old.target_type = 'user' and (
        not exists (select from public.profiles p where p.id = old.target_id)
        or exists (select from private.deletions d where d.id = old.target_id)))
    and to_jsonb(new) - '{actor_id,target_id}'::text[] = to_jsonb(old) - '{actor_id,target_id}'::text[]
  then
    return new;
  end if;
  raise exception 'records of the audit log do not change' using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd

-- What the workflow removes, in this order: what refers to a table comes before the table, and results before
-- the evidence that they follow. `key` says how rows belong to what is deleted: by a column of their own, or
-- by their import or its run. For an account, the column is set to null instead. A foreign key that is not
-- listed here still holds: its rows go with the row they refer to, or keep the deletion from ending.
create function private.deletion_steps() returns table (kind text, step integer, relation text, key text)
language sql immutable
set search_path = ''
as $$
  values
    ('workspace', 1, 'public.questions', 'workspace_id'),
    ('workspace', 2, 'private.import_run_changes', 'claim_id'),
    ('workspace', 3, 'private.import_readings', 'import_id'),
    ('workspace', 4, 'public.import_hypotheses', 'workspace_id'),
    ('workspace', 5, 'public.evidence_hypotheses', 'workspace_id'),
    ('workspace', 6, 'public.evidence', 'workspace_id'),
    ('workspace', 7, 'private.chunk_answers', 'import_id'),
    ('workspace', 8, 'private.import_chunks', 'import_id'),
    ('workspace', 9, 'private.import_runs', 'import_id'),
    ('workspace', 10, 'public.utterances', 'workspace_id'),
    ('workspace', 11, 'private.transcripts', 'import_id'),
    ('workspace', 12, 'public.imports', 'workspace_id'),
    ('workspace', 13, 'public.hypotheses', 'workspace_id'),
    ('workspace', 14, 'public.personas', 'workspace_id'),
    ('workspace', 15, 'public.activity_events', 'workspace_id'),
    ('workspace', 16, 'public.projects', 'workspace_id'),
    ('workspace', 17, 'private.audit_records', 'workspace_id'),
    ('account', 1, 'public.evidence', 'created_by'),
    ('account', 2, 'public.evidence', 'edited_by'),
    ('account', 3, 'public.evidence', 'reviewed_by'),
    ('account', 4, 'public.hypotheses', 'decided_by'),
    ('account', 5, 'public.imports', 'created_by'),
    ('account', 6, 'public.workspaces', 'created_by'),
    ('account', 7, 'public.workspace_invitations', 'created_by'),
    ('account', 8, 'public.activity_events', 'actor_id'),
    ('account', 9, 'private.events', 'actor_id'),
    ('account', 10, 'private.import_runs', 'requested_by'),
    ('account', 11, 'private.audit_records', 'actor_id'),
    ('account', 12, 'private.audit_records', 'target_id')
$$;

-- Removes at most so many rows of one table, of what is marked deleted, and returns their number and the step
-- that is next. When a table has no more rows, the number is 0 and the step another one. After the last step
-- the marked row itself is removed; then, and for anything else, the step is null. The settings apply to the
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
      'select r.ctid from public.imports i join private.import_runs n on n.import_id = i.id cross join lateral (
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

grant execute on function private.mark_account_deleted(uuid), private.deletion_steps(), private.remove_batch(uuid, integer)
  to service_role;

-- The name sorts before those of the triggers that check the foreign keys, which find the tombstone.
create trigger "0_bury" after delete on public.workspaces
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.bury_workspace();

-- Removal is no activity.
-- +goose StatementBegin
do $$
declare
  t text;
begin
  foreach t in array array['projects', 'personas', 'hypotheses', 'questions', 'imports', 'evidence', 'workspace_members'] loop
    execute format('drop trigger t9_activity on public.%I', t);
    execute format(
      'create trigger t9_activity after insert or update or delete on public.%I for each row '
      'when (coalesce(current_setting(''research.removing'', true), '''') <> ''on'') '
      'execute function private.record_activity()', t);
  end loop;
end $$;
-- +goose StatementEnd
