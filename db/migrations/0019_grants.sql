-- +goose Up
-- What a member gives to others ends with the right to give it: invitations, links to findings and webhooks
-- of a member who leaves, is removed, gets a lower role or is banned, or whose account is deleted. What has
-- ended stays so when the member returns. An admin can take it over, and then gives it in their own name.

set local role service_role;

-- Ends what somebody gave in a workspace, or in all of them if that is null, and may not give with the role
-- that remains; null is no role.
-- +goose StatementBegin
create function private.end_grants(giver uuid, workspace uuid, remaining public.member_role) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  ended public.webhook_endpoints;
begin
  update public.workspace_invitations i set ended_at = now()
  where i.created_by = giver and (workspace is null or i.workspace_id = workspace) and i.ended_at is null
    and coalesce(remaining < 'admin' or remaining = 'admin' and i.role >= 'admin', true);
  update public.finding_shares s set ended_at = now()
  where s.created_by = giver and (workspace is null or s.workspace_id = workspace) and s.ended_at is null
    and coalesce(remaining < 'editor', true);
  for ended in
    update public.webhook_endpoints w
    set active = false, ended_at = now(), disabled_at = now(),
      disabled_reason = 'who registered it is no longer an owner or admin'
    where w.created_by = giver and (workspace is null or w.workspace_id = workspace) and w.active
      and coalesce(remaining < 'admin', true)
    returning w.*
  loop
    perform private.write_audit(ended.workspace_id, 'webhook_disabled', 'webhook_endpoint', ended.id);
  end loop;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.end_grants_of_member() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.end_grants(old.user_id, old.workspace_id, case tg_op when 'UPDATE' then new.role end);
  return null;
end $$;
-- +goose StatementEnd

-- For an account that is banned or deleted.
-- +goose StatementBegin
create function private.end_grants_of_account() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.end_grants(old.id, null, null);
  return case tg_op when 'DELETE' then old else new end;
end $$;
-- +goose StatementEnd

-- Rejects what a client gives, if the giver loses the right at the same moment. The locks make a removal, a
-- demotion or a ban wait for the end of this transaction; then it finds the new row and ends it. If it was
-- first, the row is not found here. The argument is the lowest role that may give.
-- +goose StatementBegin
create function private.require_giver() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if current_setting('role', true) not in ('anon', 'authenticated') then
    return null;
  end if;
  perform from auth.users u
  where u.id = new.created_by and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  for share;
  if found then
    perform from public.workspace_members m
    where m.workspace_id = new.workspace_id and m.user_id = new.created_by
      and m.role >= tg_argv[0]::public.member_role
    for share;
  end if;
  if not found then
    raise exception 'you may no longer do this' using errcode = 'insufficient_privilege',
      hint = 'Ask an owner or admin of the workspace for your role.';
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- Who activates a webhook, or changes what an active one sends or where, answers for it from then on.
-- +goose StatementBegin
create function private.take_over_webhook() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.ended_at := null;
  if current_user in ('anon', 'authenticated') then
    new.created_by := auth.uid();
  end if;
  return new;
end $$;
-- +goose StatementEnd

reset role;

create trigger workspace_members_grants_delete after delete on public.workspace_members
for each row execute function private.end_grants_of_member();
create trigger workspace_members_grants_update after update on public.workspace_members
for each row when (new.role < old.role) execute function private.end_grants_of_member();
create trigger users_grants after update of banned_until on auth.users
for each row when (new.banned_until > now()) execute function private.end_grants_of_account();
-- Before the foreign keys forget who gave it.
create trigger profiles_grants before delete on public.profiles
for each row execute function private.end_grants_of_account();

create trigger t3_giver after insert or update of created_by on public.workspace_invitations
for each row when (new.created_by is not null and new.role < 'admin')
execute function private.require_giver('admin');
create trigger t3_giver_of_admins after insert or update of created_by on public.workspace_invitations
for each row when (new.created_by is not null and new.role >= 'admin')
execute function private.require_giver('owner');
create trigger t3_giver after insert or update of created_by on public.finding_shares
for each row when (new.created_by is not null) execute function private.require_giver('editor');
create trigger t3_giver after insert or update of url, events, active, created_by on public.webhook_endpoints
for each row when (new.created_by is not null and new.active)
execute function private.require_giver('admin');
create trigger t4_taken before update on public.webhook_endpoints
for each row
when (new.active and (new.url, new.events, true) is distinct from (old.url, old.events, old.active))
execute function private.take_over_webhook();
create trigger t9_taken after update on public.webhook_endpoints
for each row
when (
  new.created_by is not null and new.created_by is distinct from old.created_by
  and (new.url, new.active) = (old.url, old.active))
execute function private.audit_webhook();

-- Taking over -----------------------------------------------------------------------------------------------

set local role service_role;

create function private.ended_grants(workspace uuid) returns table (
  kind text, id uuid, what text, role public.member_role, given_by uuid, given_by_name text,
  given_at timestamptz, ended_at timestamptz, expires_at timestamptz
)
language sql stable security definer
set search_path = ''
as $$
  with
  asked as (
    select w.id
    from public.workspaces w
    where w.id = $1 and (
      current_setting('role', true) = 'service_role'
      or w.id = any (array(select private.my_workspaces('admin'))))
  ),
  ended as (
    select
      'invitation' as kind, i.id, i.email as what, i.role, i.created_by, i.created_at, i.ended_at,
      i.expires_at
    from asked a
    join public.workspace_invitations i on i.workspace_id = a.id
    where i.ended_at is not null and i.expires_at > now()
    union all
    select
      'link', s.id, coalesce(h.statement, nullif(r.title, ''), p.name), null, s.created_by, s.created_at,
      s.ended_at, s.expires_at
    from asked a
    join public.finding_shares s on s.workspace_id = a.id
    join public.projects p on p.id = s.project_id
    left join public.hypotheses h on h.id = s.hypothesis_id
    left join public.reports r on r.id = s.report_id
    where s.ended_at is not null and s.expires_at > now()
    union all
    select 'webhook', w.id, w.url, null, w.created_by, w.created_at, w.ended_at, null
    from asked a
    join public.webhook_endpoints w on w.workspace_id = a.id
    where w.ended_at is not null
  )
  select
    e.kind, e.id, e.what, e.role, e.created_by, coalesce(nullif(p.display_name, ''), p.email), e.created_at,
    e.ended_at, e.expires_at
  from ended e
  left join public.profiles p on p.id = e.created_by
  order by e.ended_at desc, e.id
  limit 200
$$;
grant execute on function private.ended_grants(uuid) to authenticated;

-- +goose StatementBegin
create function private.take_over_grant(kind text, id uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  administered constant uuid[] := array(select private.my_workspaces('admin'));
  owned constant uuid[] := array(select private.my_workspaces('owner'));
begin
  case take_over_grant.kind
    when 'invitation' then
      update public.workspace_invitations i set created_by = auth.uid(), ended_at = null
      where i.id = take_over_grant.id and i.ended_at is not null and i.expires_at > now()
        and i.workspace_id = any (case when i.role < 'admin' then administered else owned end);
    when 'link' then
      update public.finding_shares s set created_by = auth.uid(), ended_at = null
      where s.id = take_over_grant.id and s.ended_at is not null and s.expires_at > now()
        and s.workspace_id = any (administered);
    when 'webhook' then
      update public.webhook_endpoints w set created_by = auth.uid(), active = true
      where w.id = take_over_grant.id and w.ended_at is not null and w.workspace_id = any (administered);
    else
      raise exception 'kind is invitation, link or webhook' using errcode = 'invalid_parameter_value';
  end case;
  return found;
end $$;
-- +goose StatementEnd
grant execute on function private.take_over_grant(text, uuid) to authenticated;

reset role;

-- +goose StatementBegin
create function public.ended_grants(workspace uuid) returns table (
  kind text, id uuid, what text, role public.member_role, given_by uuid, given_by_name text,
  given_at timestamptz, ended_at timestamptz, expires_at timestamptz
)
language sql stable begin atomic
  select
    g.kind, g.id, g.what, g.role, g.given_by, g.given_by_name, g.given_at, g.ended_at, g.expires_at
  from private.ended_grants(workspace) g;
end;
-- +goose StatementEnd
comment on function public.ended_grants is
  'The invitations, links and webhooks of a workspace that ended because who gave them may no longer do so: '
  'the latest 200 that have not expired. kind is invitation, link or webhook, and what is the address, the '
  'hypothesis, the title of the report, or the URL. For owners and admins; empty for others.';
grant execute on function public.ended_grants(uuid) to authenticated, service_role;

create function public.take_over_grant(kind text, id uuid) returns boolean
language sql volatile return private.take_over_grant(kind, id);
comment on function public.take_over_grant is
  'Makes a row of ended_grants work again, in the name of the caller, until it expires: the mailed link of '
  'an invitation, the link to findings, the webhook. For those who may give it themselves: owners and '
  'admins, and only owners for the invitation of an owner or admin. false for others.';
grant execute on function public.take_over_grant(text, uuid) to authenticated, service_role;
