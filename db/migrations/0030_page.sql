-- +goose Up
-- What the page needs and no single table provides: invitations by e-mail, the balance of evidence, an
-- overview of transcripts.

-- Invitations -----------------------------------------------------------------------------------------------

-- An invitation is pending until the owner of its address accepts it. Nobody becomes a member without
-- consent, and an invitation does not reveal whether the address has an account.
create table public.workspace_invitations (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null constraint workspace_invitations_workspace_id_fkey references public.workspaces (id) on delete cascade,
  email text not null constraint workspace_invitations_email_check check (email ~ '^[^@\s]+@[^@\s]+$' and length(email) <= 320 and email = lower(email)),
  role public.member_role not null default 'viewer',
  expires_at timestamptz not null default now() + interval '30 days',
  created_by uuid constraint workspace_invitations_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint workspace_invitations_pkey primary key (id),
  constraint workspace_invitations_workspace_id_email_key unique (workspace_id, email)
);
create index workspace_invitations_email_idx on public.workspace_invitations (email);
create index workspace_invitations_created_by_idx on public.workspace_invitations (created_by);
comment on table public.workspace_invitations is 'Who may become a member of a workspace: seen by those who manage members. Answered by my_invitations, accept_invitation and decline_invitation.';
comment on column public.workspace_invitations.email is 'Lower case; the invitation is for whoever signs in with this address.';
comment on column public.workspace_invitations.role is 'The role that accepting gives.';
comment on column public.workspace_invitations.expires_at is 'Thirty days after the invitation; later it cannot be accepted.';
comment on column public.workspace_invitations.created_by is 'Who invited. Filled by the database.';

-- +goose StatementBegin
create function private.stamp_invitation() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.email := lower(btrim(new.email));
  if current_user in ('anon', 'authenticated') then
    new.expires_at := now() + interval '30 days';
  end if;
  return new;
end $$;
-- +goose StatementEnd

create trigger t1_invitation before insert on public.workspace_invitations for each row execute function private.stamp_invitation();
create trigger t2_stamp before insert or update on public.workspace_invitations for each row execute function private.stamp();
create trigger t2_creator before insert or update on public.workspace_invitations for each row execute function private.stamp_creator();

alter table public.workspace_invitations enable row level security;
alter table public.workspace_invitations force row level security;
create policy service on public.workspace_invitations to service_role using (true) with check (true);
create policy see on public.workspace_invitations for select to authenticated using (workspace_id = any (array(select private.my_workspaces('admin'))));
create policy add on public.workspace_invitations for insert to authenticated
  with check (workspace_id = any (array(select private.my_workspaces('owner')))
              or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin')))));
create policy remove on public.workspace_invitations for delete to authenticated
  using (workspace_id = any (array(select private.my_workspaces('owner')))
         or (role < 'admin' and workspace_id = any (array(select private.my_workspaces('admin')))));
grant select, insert, update, delete on public.workspace_invitations to service_role;
-- Clients may not set expires_at, created_by and the stamps; the database fills them.
grant select, insert (id, workspace_id, email, role), delete on public.workspace_invitations to authenticated;

set local role service_role;

-- The pending invitations of the confirmed address of the caller.
create function private.open_invitations() returns table (id uuid, workspace_id uuid, workspace_name text, role public.member_role, invited_by text, expires_at timestamptz)
language sql stable security definer
set search_path = ''
as $$
  select i.id, w.id, w.name, i.role, coalesce(nullif(p.display_name, ''), p.email), i.expires_at
  from auth.users u
  join public.workspace_invitations i on i.email = lower(u.email)
  join public.workspaces w on w.id = i.workspace_id
  left join public.profiles p on p.id = i.created_by
  where u.id = auth.uid() and u.email_confirmed_at is not null and i.expires_at > now()
  order by i.created_at, i.id
$$;

-- Accepts or declines an invitation, once, and returns whether there was one. An existing membership is
-- unchanged.
-- +goose StatementBegin
create function private.answer_invitation(invitation uuid, accept boolean) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  answered public.workspace_invitations;
begin
  delete from public.workspace_invitations i
  where i.id = invitation and i.id in (select o.id from private.open_invitations() o)
  returning * into answered;
  if not found then
    return false;
  end if;
  if accept then
    insert into public.workspace_members (workspace_id, user_id, role) values (answered.workspace_id, auth.uid(), answered.role)
    on conflict (workspace_id, user_id) do nothing;
  end if;
  return true;
end $$;
-- +goose StatementEnd

reset role;
grant execute on function private.open_invitations(), private.answer_invitation(uuid, boolean) to authenticated;

-- +goose StatementBegin
create function public.my_invitations() returns table (id uuid, workspace_id uuid, workspace_name text, role public.member_role, invited_by text, expires_at timestamptz)
language sql stable begin atomic
  select o.id, o.workspace_id, o.workspace_name, o.role, o.invited_by, o.expires_at from private.open_invitations() o;
end;
-- +goose StatementEnd
comment on function public.my_invitations is 'The invitations that the caller can accept.';

create function public.accept_invitation(invitation uuid) returns boolean
language sql volatile return private.answer_invitation(invitation, true);
comment on function public.accept_invitation is 'Makes the caller a member; false where there is no such invitation for the caller.';

create function public.decline_invitation(invitation uuid) returns boolean
language sql volatile return private.answer_invitation(invitation, false);
comment on function public.decline_invitation is 'Removes an invitation of the caller; false where there is none.';

-- The balance of evidence -----------------------------------------------------------------------------------

-- Counted with the caller's rights. Rejected evidence does not count as support or contradiction.
-- +goose StatementBegin
create function public.hypothesis_balances(project uuid)
returns table (hypothesis_id uuid, supports integer, contradicts integer, neutral integer, suggested integer, rejected integer)
language sql stable begin atomic
  select eh.hypothesis_id,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'supports'))::integer,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'contradicts'))::integer,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'neutral'))::integer,
    (count(*) filter (where e.review = 'suggested'))::integer,
    (count(*) filter (where e.review = 'rejected'))::integer
  from public.evidence_hypotheses eh
  join public.evidence e on e.id = eh.evidence_id
  where eh.project_id = project
  group by eh.hypothesis_id;
end;
-- +goose StatementEnd
comment on function public.hypothesis_balances is 'How much evidence speaks for and against each hypothesis of a project. One without evidence has no row.';

-- An overview of transcripts --------------------------------------------------------------------------------

-- +goose StatementBegin
create function public.import_overviews(imports uuid[])
returns table (import_id uuid, utterances integer, words bigint, duration_ms bigint, speakers text[])
language sql stable begin atomic
  select u.import_id, count(*)::integer,
    sum(cardinality(regexp_split_to_array(btrim(u.text), '\s+')) - case when btrim(u.text) = '' then 1 else 0 end)::bigint,
    max(coalesce(u.end_ms, u.start_ms)),
    coalesce((array_agg(distinct u.speaker) filter (where u.speaker <> ''))[1:20], '{}')
  from public.utterances u
  where u.import_id = any (imports)
  group by u.import_id;
end;
-- +goose StatementEnd
comment on function public.import_overviews is 'Length and speakers (the first twenty, by name) of transcripts that the caller may see.';

grant execute on function public.my_invitations(), public.accept_invitation(uuid), public.decline_invitation(uuid), public.hypothesis_balances(uuid), public.import_overviews(uuid[])
  to authenticated, service_role;
grant execute on function private.open_invitations(), private.answer_invitation(uuid, boolean) to service_role;
