-- +goose Up
-- The audit log of a workspace: who did what to its security, for its admins. It is written by triggers, and
-- nobody changes it. Records are deleted with their workspace, and when they are older than the retention; of
-- a deleted account they keep what happened, and not who it was.

create table private.audit_records (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null
    constraint audit_records_workspace_id_fkey references public.workspaces (id) on delete cascade,
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
comment on column private.audit_records.client is 'Of a sign-in: the family of the program.';
grant select, insert, delete, update (actor_id, target_id) on private.audit_records to service_role;

set local role service_role;

-- A month is what an attack may take to be noticed. No retention is shorter.
-- +goose StatementBegin
create function private.keep_audit_records() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and (
    old.occurred_at < now() - interval '30 days'
    or not exists (select from public.workspaces w where w.id = old.workspace_id)
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE'
    and (new.actor_id is not distinct from old.actor_id
      or new.actor_id is null and not exists (select from public.profiles p where p.id = old.actor_id))
    and (new.target_id is not distinct from old.target_id
      or new.target_id is null and not exists (select from public.profiles p where p.id = old.target_id)
        and old.target_type = 'user')
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
  from public.workspaces w, (select case when $3 <> 'user' or exists (select from public.profiles p where p.id = $4) then $4 end as id) u
  where w.id = $1 -- which may be about to be deleted, with the account of its last member
$$;

-- +goose StatementBegin
create function private.audit_member() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.write_audit(new.workspace_id, 'member_added', 'user', new.user_id, jsonb_build_object('role', new.role));
  elsif tg_op = 'DELETE' then
    perform private.write_audit(old.workspace_id, 'member_removed', 'user', old.user_id, jsonb_build_object('role', old.role));
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
  perform private.write_audit(i.workspace_id, case when tg_op = 'DELETE' then 'invitation_ended' else 'invited' end,
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
    perform private.write_audit(new.id, 'settings_changed', 'workspace', new.id, jsonb_build_object('settings', changed));
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- What a person deletes. Rows that go with their workspace or project leave no records of their own.
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

-- A sign-in is recorded in every workspace of the user.
-- +goose StatementBegin
create function private.audit_sign_in() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.audit_records (workspace_id, actor_id, action, target_type, target_id, network, client)
  select m.workspace_id, new.user_id, 'signed_in', 'user', new.user_id,
    network(set_masklen(new.ip, case family(new.ip) when 4 then 24 else 64 end)),
    case
      when new.user_agent is null or new.user_agent = '' then null
      when new.user_agent ~* 'edg/' then 'Edge'
      when new.user_agent ~* 'firefox/' then 'Firefox'
      when new.user_agent ~* 'chrom(e|ium)/' then 'Chrome'
      when new.user_agent ~* 'safari/' then 'Safari'
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
  select r.id, r.occurred_at, r.actor_id, p.email, r.action, r.target_type, r.target_id, r.detail, r.network::text, r.client
  from private.audit_records r
  left join public.profiles p on p.id = r.actor_id
  where r.workspace_id = $1
    and (current_setting('role', true) = 'service_role' or $1 = any (array(select private.my_workspaces('admin'))))
$$;

create function private.record_export(project uuid, format text, quotes integer) returns boolean
language sql volatile security definer
set search_path = ''
as $$
  with seen as (
    select p.id, p.workspace_id from public.projects p
    where p.id = $1 and p.workspace_id = any (array(select private.my_workspaces()))
  ),
  written as (
    select private.write_audit(s.workspace_id, 'exported', 'project', s.id,
      jsonb_build_object('format', left($2, 20), 'quotes', $3))
    from seen s
  )
  select exists (select from written)
$$;

reset role;

create trigger t1_keep before update or delete on private.audit_records
for each row execute function private.keep_audit_records();
create trigger t9_audit after delete on public.profiles for each row execute function private.forget_in_audit();
create trigger t9_audit after insert or update or delete on public.workspace_members
for each row execute function private.audit_member();
create trigger t9_audit after insert or delete on public.workspace_invitations
for each row execute function private.audit_invitation();
create trigger t9_audit after update on public.workspaces
for each row execute function private.audit_workspace();
create trigger t9_audit after delete on public.projects for each row execute function private.audit_deletion('project');
create trigger t9_audit after delete on public.personas for each row execute function private.audit_deletion('persona');
create trigger t9_audit after delete on public.hypotheses for each row execute function private.audit_deletion('hypothesis');
create trigger t9_audit after delete on public.imports for each row execute function private.audit_deletion('import');
create trigger t9_audit after delete on public.evidence for each row execute function private.audit_deletion('evidence');
create trigger t9_audit after insert on auth.sessions for each row execute function private.audit_sign_in();

grant execute on function private.read_audit_log(uuid), private.record_export(uuid, text, integer) to authenticated, service_role;

-- +goose StatementBegin
create function public.audit_log(workspace uuid) returns table (
  id uuid, occurred_at timestamptz, actor_id uuid, actor_email text, action text, target_type text,
  target_id uuid, detail jsonb, network text, client text
)
language sql stable begin atomic
  select l.id, l.occurred_at, l.actor_id, l.actor_email, l.action, l.target_type, l.target_id, l.detail, l.network, l.client
  from private.read_audit_log(workspace) l;
end;
-- +goose StatementEnd
comment on function public.audit_log is
  'The audit log of a workspace, for its owners and admins: sign-ins of members, members, roles, invitations, '
  'exports, deletions and settings. Empty for others.';

create function public.record_export(project uuid, format text, quotes integer) returns boolean
language sql volatile return private.record_export(project, format, quotes);
comment on function public.record_export is
  'Records in the audit log that the caller exports the evidence of a project; false where the caller does not see it.';

grant execute on function public.audit_log(uuid), public.record_export(uuid, text, integer) to authenticated, service_role;
