-- +goose Up
-- Who did what in a workspace: its activity, from which digests are composed, and its audit log, for its
-- admins. Triggers write both. Neither contains transcript text.

-- Activity --------------------------------------------------------------------------------------------------

create table public.activity_events (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null
    constraint activity_events_workspace_id_fkey references public.workspaces (id),
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
-- For the history of a quote.
create index activity_events_entity_id_idx on public.activity_events (entity_id, occurred_at);
-- The retention reads the oldest events in order, for which an index of ranges does not serve. The index has
-- an expression: one of the column would also serve to read the newest events of a workspace, through those
-- of all others.
create index activity_events_occurred_utc_idx
on public.activity_events ((occurred_at at time zone 'UTC'));
comment on table public.activity_events is 'Who did what, when. Written by triggers, read only for clients.';
comment on column public.activity_events.actor_id is
  'Null where the service itself acted: evidence found, an import that ended.';
comment on column public.activity_events.verb is
  'created, updated, deleted; status_changed, role_changed; confirmed for a verdict; for imports restored, '
  'and the new status (queued, parsing, parsed, …); for evidence its review (accepted, rejected, suggested), '
  'or stance_changed; for answers asked, finished, failed and canceled; for comments mentioned.';
comment on column public.activity_events.entity_type is
  'project, persona, hypothesis, question, answer, import, evidence, theme, comment, report or member.';
comment on column public.activity_events.entity_id is 'The row''s id; for a member the user''s.';
comment on column public.activity_events.occurred_at is 'When it happened.';
comment on column public.activity_events.detail is
  '{"from", "to"} where a status changed; {"changed"} has the columns of a hypothesis that was updated; '
  '{"status", "result"} for answers; {"import_id", "origin"} for evidence; {"hypothesis_id", "from", "to"} '
  'where a person changed a stance, in which null means no link. Never transcript text.';

alter table public.activity_events enable row level security;
alter table public.activity_events force row level security;
create policy service on public.activity_events to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.activity_events for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.activity_events to service_role;
grant select on public.activity_events to authenticated;

set local role service_role;

-- +goose StatementBegin
create function private.record_activity() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  after_row jsonb;
  before_row jsonb;
  entity text := case tg_table_name
    when 'projects' then 'project'
    when 'personas' then 'persona'
    when 'hypotheses' then 'hypothesis'
    when 'questions' then 'question'
    when 'imports' then 'import'
    when 'reports' then 'report'
    when 'themes' then 'theme'
    when 'comments' then 'comment'
    when 'workspace_members' then 'member'
    else tg_table_name
  end;
  in_workspace uuid;
  in_project uuid;
  entity_id uuid;
  state text := case tg_table_name
    when 'evidence' then 'review'
    when 'workspace_members' then 'role'
    else 'status'
  end;
  stamps constant text[] :=
    array[
      'updated_at', 'edited_at', 'edited_by', 'created_by', 'decided_by', 'reviewed_by', 'in_progress',
      'counted_at', 'asked_kind', 'asked_start', 'asked_end'
    ];
  verb text;
  detail jsonb := '{}';
begin
  if tg_table_name = 'imports' and tg_op = 'UPDATE' then
    if new.status = old.status then
      return null; -- most updates of an import are of its progress
    end if;
  end if;
  -- Evidence of a run in progress is created when the run ends: see record_created_evidence.
  if tg_table_name = 'evidence' then
    if tg_op = 'DELETE' then
      if old.in_progress then
        return null;
      end if;
    elsif old.in_progress and new.review = old.review then
      return null;
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
  -- Rows that are deleted with their workspace or project are not recorded.
  if not exists (select from public.workspaces w where w.id = in_workspace)
     or (in_project is not null and not exists (select from public.projects p where p.id = in_project)) then
    return null;
  end if;
  if tg_op = 'UPDATE' and before_row ->> state is distinct from after_row ->> state then
    verb := case tg_table_name
      when 'imports' then after_row ->> state
      when 'evidence' then after_row ->> state
      when 'workspace_members' then 'role_changed'
      else 'status_changed'
    end;
    detail := jsonb_build_object('from', before_row -> state, 'to', after_row -> state);
  elsif tg_op = 'UPDATE' then
    -- Stamps are not changes, and the deletion of an account is not a change of what it made.
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
  -- With a status, other columns may have changed.
  if tg_op = 'UPDATE' and tg_table_name = 'hypotheses' then
    detail := detail || jsonb_strip_nulls(jsonb_build_object('changed', (
      select jsonb_agg(a.key order by a.key)
      from jsonb_each(after_row - stamps - state - 'decided_at') a
      where a.value is distinct from before_row -> a.key
    )));
  end if;
  insert into public.activity_events (
    workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail
  )
  values (
    in_workspace,
    in_project,
    case when current_setting('role', true) = 'authenticated' then auth.uid() end,
    verb,
    entity,
    entity_id,
    detail
  );
  return null;
end $$;
-- +goose StatementEnd

-- The activity of an import whose status changes. record_activity compares all columns, of which the others
-- record nothing.
-- +goose StatementBegin
create function private.record_import_status() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.activity_events (
    workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail
  )
  values (
    new.workspace_id,
    new.project_id,
    case when current_setting('role', true) = 'authenticated' then auth.uid() end,
    new.status::text,
    'import',
    new.id,
    jsonb_build_object('from', old.status, 'to', new.status)
  );
  return null;
end $$;
-- +goose StatementEnd

-- The activity of the evidence that a statement creates, at once. record_activity does the same for each row.
-- A run creates its evidence when it ends: until then, it may still merge or discard what it shows.
-- +goose StatementBegin
create function private.record_created_evidence() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  created uuid[];
begin
  if tg_op = 'INSERT' then
    created := array(select n.id from new_rows n where not n.in_progress);
  else
    created := array(
      select n.id
      from old_rows o
      join new_rows n on n.id = o.id
      where o.in_progress and not n.in_progress
    );
  end if;
  insert into public.activity_events (
    workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail
  )
  select
    n.workspace_id,
    n.project_id,
    case when current_setting('role', true) = 'authenticated' then auth.uid() end,
    'created',
    'evidence',
    n.id,
    jsonb_build_object('import_id', n.import_id, 'origin', n.origin)
  from unnest(created) c (id)
  join new_rows n on n.id = c.id;
  return null;
end $$;
-- +goose StatementEnd

-- The stance that a person gives evidence for a hypothesis. Links that an extractor writes come with the
-- evidence. The caller is in a variable for the reason given at private.my_locked_workspaces.
-- +goose StatementBegin
create function private.record_stance() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  link public.evidence_hypotheses := case when tg_op = 'DELETE' then old else new end;
  caller constant uuid := auth.uid();
begin
  if tg_op = 'UPDATE' and (old.stance, old.strength) = (new.stance, new.strength) then
    return null;
  end if;
  -- Without the evidence, the link was deleted with it.
  insert into public.activity_events (
    workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail
  )
  select
    e.workspace_id,
    e.project_id,
    (select p.id from public.profiles p where p.id = caller),
    'stance_changed',
    'evidence',
    e.id,
    jsonb_build_object(
      'hypothesis_id', link.hypothesis_id,
      'from', case when tg_op <> 'INSERT' then old.stance end,
      'to', case when tg_op <> 'DELETE' then new.stance end
    )
  from public.evidence e
  join public.hypotheses h on h.id = link.hypothesis_id
  where e.id = link.evidence_id;
  return null;
end $$;
-- +goose StatementEnd

reset role;

-- The removal of what is marked deleted is not activity.
create trigger t9_activity after insert or update or delete on public.projects
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity after insert or update or delete on public.personas
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity after insert or update or delete on public.hypotheses
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity after insert or update or delete on public.questions
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity after insert or update or delete on public.workspace_members
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity after insert or delete on public.imports
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity_status after update on public.imports
for each row
when (old.status <> new.status and coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_import_status();
create trigger t9_activity after update or delete on public.evidence
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity_inserted after insert on public.evidence
referencing new table as new_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_created_evidence();
create trigger t9_activity_settled after update on public.evidence
referencing old table as old_rows new table as new_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_created_evidence();
create trigger t9_stance after insert or update or delete on public.evidence_hypotheses
for each row when (
  current_setting('role', true) = 'authenticated'
  and coalesce(current_setting('research.removing', true), '') <> 'on'
) execute function private.record_stance();

-- Audit -----------------------------------------------------------------------------------------------------

-- The audit log of a workspace: who did what to its security, for its admins. Nobody changes it. Records are
-- deleted with their workspace, and when they are older than the retention; of a deleted account they keep
-- what happened, and not who it was.
create table private.audit_records (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null
    constraint audit_records_workspace_id_fkey references public.workspaces (id),
  occurred_at timestamptz not null default clock_timestamp(),
  actor_id uuid,
  action text not null,
  target_type text not null,
  target_id uuid,
  detail jsonb not null default '{}',
  network cidr,
  client text,
  constraint audit_records_pkey primary key (id)
);
create index audit_records_workspace_id_idx on private.audit_records (workspace_id, occurred_at desc);
create index audit_records_occurred_at_idx on private.audit_records (occurred_at);
create index audit_records_actor_id_idx on private.audit_records (actor_id);
create index audit_records_target_id_idx on private.audit_records (target_id);
comment on table private.audit_records is 'Append only. Read by private.read_audit_log.';
comment on column private.audit_records.network is 'Of a sign-in: a /24 of IPv4, a /64 of IPv6.';
comment on column private.audit_records.client is 'Of a sign-in: the family of the program. Of a '
  'call of a tool: the name of the app, or of the personal access token.';
grant select, insert, delete, update (actor_id, target_id) on private.audit_records to service_role;

set local role service_role;

-- A month is what an attack may take to be noticed. No retention is shorter. What is marked deleted counts as
-- absent.
-- +goose StatementBegin
create function private.keep_audit_records() returns trigger
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

-- +goose StatementBegin
create function private.forget_in_audit() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update private.audit_records set actor_id = null where actor_id = old.id;
  update private.audit_records set target_id = null where target_id = old.id and target_type = 'user';
  return null;
end $$;
-- +goose StatementEnd

-- The actor is the caller of the data API; null is the service itself, or the secret key.
create function private.write_audit(
  workspace uuid, action text, target_type text, target_id uuid, detail jsonb default '{}'
) returns void
language sql volatile security definer
set search_path = ''
as $$
  insert into private.audit_records (workspace_id, actor_id, action, target_type, target_id, detail)
  select w.id, case when current_setting('role', true) = 'authenticated' then auth.uid() end, $2, $3, u.id, $5
  from public.workspaces w,
    (
      select case
        when $3 <> 'user' or exists (select from public.profiles p where p.id = $4) then $4
      end as id
    ) u
  where w.id = $1 -- which may be about to be deleted, with the account of its last member
$$;

-- +goose StatementBegin
create function private.audit_member() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.write_audit(new.workspace_id, 'member_added', 'user', new.user_id,
      jsonb_build_object('role', new.role));
  elsif tg_op = 'DELETE' then
    perform private.write_audit(old.workspace_id, 'member_removed', 'user', old.user_id,
      jsonb_build_object('role', old.role));
  elsif new.role <> old.role then
    perform private.write_audit(new.workspace_id, 'role_changed', 'user', new.user_id,
      jsonb_build_object('from', old.role, 'to', new.role));
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.audit_invitation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  i public.workspace_invitations := case when tg_op = 'DELETE' then old else new end;
begin
  if tg_op = 'DELETE' and i.ended_at is not null then
    return null; -- its end is recorded
  end if;
  perform private.write_audit(i.workspace_id,
    case when tg_op = 'DELETE' or i.ended_at is not null then 'invitation_ended' else 'invited' end,
    'invitation', i.id, jsonb_build_object('email', i.email, 'role', i.role));
  return null;
end $$;
-- +goose StatementEnd

-- The names of the settings that changed, without their values.
-- +goose StatementBegin
create function private.audit_workspace() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  changed jsonb;
begin
  select jsonb_agg(n.key order by n.key) into changed
  from jsonb_each(to_jsonb(new)) n
  join jsonb_each(to_jsonb(old)) o on o.key = n.key
  where n.value is distinct from o.value and n.key not in ('updated_at', 'created_by');
  if changed is not null then
    perform private.write_audit(new.id, 'settings_changed', 'workspace', new.id,
      jsonb_build_object('settings', changed));
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- What a person deletes. Rows that are deleted with their workspace or project are not recorded.
-- +goose StatementBegin
create function private.audit_deletion() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  gone jsonb := to_jsonb(old);
begin
  if current_setting('role', true) = 'authenticated'
    and exists (select from public.workspaces w where w.id = old.workspace_id)
    and (tg_table_name = 'projects'
      or exists (select from public.projects p where p.id = (gone ->> 'project_id')::uuid))
  then
    perform private.write_audit(old.workspace_id, 'deleted', tg_argv[0], old.id);
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- A sign-in is recorded in every workspace of the user, and so is an app that got access.
-- +goose StatementBegin
create function private.audit_sign_in() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.oauth_client_id is not null then
    insert into private.audit_records (workspace_id, actor_id, action, target_type, target_id, client)
    select m.workspace_id, new.user_id, 'app_connected', 'user', new.user_id, left(o.client_name, 200)
    from public.workspace_members m
    join auth.oauth_clients o on o.id = new.oauth_client_id
    where m.user_id = new.user_id;
    return null;
  end if;
  insert into private.audit_records (workspace_id, actor_id, action, target_type, target_id, network, client)
  select m.workspace_id, new.user_id, 'signed_in', 'user', new.user_id,
    network(set_masklen(new.ip, case family(new.ip) when 4 then 24 else 64 end)),
    case
      when new.user_agent is null or new.user_agent = '' then null
      when new.user_agent collate "C" ~* 'edg/' then 'Edge'
      when new.user_agent collate "C" ~* 'firefox/' then 'Firefox'
      when new.user_agent collate "C" ~* 'chrom(e|ium)/' then 'Chrome'
      when new.user_agent collate "C" ~* 'safari/' then 'Safari'
      else 'other'
    end
  from public.workspace_members m where m.user_id = new.user_id;
  return null;
end $$;
-- +goose StatementEnd

create function private.read_audit_log(workspace uuid) returns table (
  id uuid, occurred_at timestamptz, actor_id uuid, actor_email text, action text, target_type text,
  target_id uuid, detail jsonb, network text, client text
)
language sql stable security definer
set search_path = ''
as $$
  select
    r.id, r.occurred_at, r.actor_id, p.email, r.action, r.target_type, r.target_id, r.detail, r.network::text,
    r.client
  from private.audit_records r
  left join public.profiles p on p.id = r.actor_id
  where r.workspace_id = $1
    and (
      current_setting('role', true) = 'service_role'
      or $1 = any (array(select private.my_workspaces('admin')))
    )
$$;
grant execute on function private.read_audit_log(uuid) to authenticated;

-- +goose StatementBegin
create function private.record_export(project uuid, format text, quotes integer) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  workspace constant uuid := (
    select p.workspace_id from public.projects p
    where p.id = project and p.workspace_id = any (array(select private.my_workspaces())));
begin
  if workspace is null then
    return false;
  end if;
  perform private.require_budget();
  perform private.write_audit(workspace, 'exported', 'project', project,
    jsonb_build_object('format', left(format, 20), 'quotes', quotes));
  perform private.spend_budget(1000);
  return true;
end $$;
-- +goose StatementEnd
grant execute on function private.record_export(uuid, text, integer) to authenticated;

reset role;

create trigger t1_keep before update or delete on private.audit_records
for each row execute function private.keep_audit_records();
create trigger t9_audit after delete on public.profiles
for each row execute function private.forget_in_audit();
create trigger t9_audit after insert or update or delete on public.workspace_members
for each row execute function private.audit_member();
create trigger t9_audit after insert or delete or update of ended_at on public.workspace_invitations
for each row execute function private.audit_invitation();
create trigger t9_audit after update on public.workspaces
for each row execute function private.audit_workspace();
create trigger t9_audit after delete on public.projects
for each row execute function private.audit_deletion('project');
create trigger t9_audit after delete on public.personas
for each row execute function private.audit_deletion('persona');
create trigger t9_audit after delete on public.participants
for each row execute function private.audit_deletion('participant');
create trigger t9_audit after delete on public.hypotheses
for each row execute function private.audit_deletion('hypothesis');
create trigger t9_audit after delete on public.imports
for each row execute function private.audit_deletion('import');
-- Evidence that is deleted with its import is not recorded.
create trigger t9_audit after delete on public.evidence
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.audit_deletion('evidence');
create trigger t9_audit after insert on auth.sessions
for each row execute function private.audit_sign_in();

-- +goose StatementBegin
create function public.audit_log(workspace uuid) returns table (
  id uuid, occurred_at timestamptz, actor_id uuid, actor_email text, action text, target_type text,
  target_id uuid, detail jsonb, network text, client text
)
language sql stable begin atomic
  select
    l.id, l.occurred_at, l.actor_id, l.actor_email, l.action, l.target_type, l.target_id, l.detail, l.network,
    l.client
  from private.read_audit_log(workspace) l;
end;
-- +goose StatementEnd
comment on function public.audit_log is
  'The audit log of a workspace, for its owners and admins: sign-ins of members, members, roles, '
  'invitations, exports, deletions and settings. Empty for others.';
grant execute on function public.audit_log(uuid) to authenticated, service_role;

create function public.record_export(project uuid, format text, quotes integer) returns boolean
language sql volatile return private.record_export(project, format, quotes);
comment on function public.record_export is
  'Records in the audit log that the caller exports the evidence of a project; false where the caller does '
  'not see it.';
grant execute on function public.record_export(uuid, text, integer) to authenticated, service_role;
