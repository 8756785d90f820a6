-- +goose Up
-- Links to findings that can be read without an account. A link works until it expires or is deleted, and while
-- the member who made it may edit the workspace.

create table public.finding_shares (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  hypothesis_id uuid not null,
  show_names boolean not null default false,
  expires_at timestamptz not null,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint finding_shares_pkey primary key (id),
  constraint finding_shares_hypothesis_id_fkey foreign key (hypothesis_id, project_id)
    references public.hypotheses (id, project_id) on delete cascade,
  constraint finding_shares_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint finding_shares_created_by_fkey foreign key (workspace_id, created_by)
    references public.workspace_members (workspace_id, user_id) on delete cascade
);
create index finding_shares_hypothesis_id_idx on public.finding_shares (hypothesis_id);
create index finding_shares_project_id_idx on public.finding_shares (project_id);
create index finding_shares_created_by_idx on public.finding_shares (workspace_id, created_by);
comment on table public.finding_shares is
  'Links to the findings of a hypothesis, without their tokens. For editors. Deleting one revokes the link. '
  'POST /api/findings/shares makes one.';
comment on column public.finding_shares.show_names is
  'Whether the link shows the names of people and the titles of interviews; otherwise they have numbers.';
comment on column public.finding_shares.expires_at is 'When the link stops to work.';
comment on column public.finding_shares.created_by is
  'Who made the link. It stops to work when they leave the workspace or may no longer edit.';

-- Only hashes: whoever reads the database cannot open a link.
create table private.finding_share_tokens (
  share_id uuid not null
    constraint finding_share_tokens_share_id_fkey references public.finding_shares (id) on delete cascade,
  token_hash bytea not null constraint finding_share_tokens_token_hash_check check (octet_length(token_hash) = 32),
  constraint finding_share_tokens_pkey primary key (share_id),
  constraint finding_share_tokens_token_hash_key unique (token_hash)
);

alter table public.finding_shares enable row level security;
alter table public.finding_shares force row level security;
create policy service on public.finding_shares to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.finding_shares for select to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.finding_shares for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.finding_shares to service_role;
grant select, delete on public.finding_shares to authenticated;
grant select, insert, update, delete on private.finding_share_tokens to service_role;

set local role service_role;

-- Makes a link, which belongs to the calling member; the secret key is nobody. No row means that the caller does
-- not see the hypothesis.
-- +goose StatementBegin
create function private.share_findings(hypothesis uuid, token_hash bytea, days integer, names boolean)
returns table (id uuid, expires_at timestamptz)
language plpgsql security definer
set search_path = ''
as $$
declare
  h public.hypotheses;
  share public.finding_shares;
begin
  select x.* into h from public.hypotheses x where x.id = hypothesis and private.caller_may_see(x.workspace_id);
  if not found then
    return;
  end if;
  perform private.require_editor(h.workspace_id);
  if not exists (
    select from public.workspace_members m where m.workspace_id = h.workspace_id and m.user_id = auth.uid()
  ) then
    raise exception 'members only' using errcode = 'insufficient_privilege';
  end if;
  insert into public.finding_shares (workspace_id, project_id, hypothesis_id, show_names, expires_at, created_by)
  values (h.workspace_id, h.project_id, h.id, names, now() + make_interval(days => days), auth.uid())
  returning * into share;
  insert into private.finding_share_tokens (share_id, token_hash) values (share.id, share_findings.token_hash);
  return query select share.id, share.expires_at;
end $$;
-- +goose StatementEnd

-- The findings that a link shows. No row means that it does not work.
create function private.shared_findings(hash bytea)
returns table (expires_at timestamptz, show_names boolean, findings jsonb)
language sql stable security definer
set search_path = ''
as $$
  select s.expires_at, s.show_names, f.findings
  from private.finding_share_tokens t
  join public.finding_shares s on s.id = t.share_id and s.expires_at > now()
  join public.workspace_members m
    on m.workspace_id = s.workspace_id and m.user_id = s.created_by and m.role >= 'editor'
  join auth.users u on u.id = m.user_id and (u.banned_until is null or u.banned_until <= now())
  cross join lateral (select private.findings(s.hypothesis_id, s.show_names, false) as findings) f
  where t.token_hash = hash and f.findings is not null
$$;

-- Links that go with their workspace or project leave no records of their own.
-- +goose StatementBegin
create function private.audit_share() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  s public.finding_shares := case when tg_op = 'DELETE' then old else new end;
begin
  if exists (select from public.projects p where p.id = s.project_id) then
    perform private.write_audit(s.workspace_id,
      case when tg_op = 'DELETE' then 'findings_unshared' else 'findings_shared' end,
      'finding_share', s.id, jsonb_build_object('expires_at', s.expires_at, 'show_names', s.show_names));
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- As before, and with quotes and links of findings.
create or replace function private.deletion_steps() returns table (kind text, step integer, relation text, key text)
language sql immutable
set search_path = ''
as $$
  values
    ('workspace', 1, 'public.webhook_deliveries', 'workspace_id'),
    ('workspace', 2, 'public.webhook_endpoints', 'workspace_id'),
    ('workspace', 3, 'public.questions', 'workspace_id'),
    ('workspace', 4, 'private.import_run_changes', 'claim_id'),
    ('workspace', 5, 'private.import_readings', 'import_id'),
    ('workspace', 6, 'public.import_hypotheses', 'workspace_id'),
    ('workspace', 7, 'public.speaker_stances', 'workspace_id'),
    ('workspace', 8, 'public.finding_shares', 'workspace_id'),
    ('workspace', 9, 'public.finding_quotes', 'workspace_id'),
    ('workspace', 10, 'public.evidence_hypotheses', 'workspace_id'),
    ('workspace', 11, 'public.evidence', 'workspace_id'),
    ('workspace', 12, 'private.chunk_answers', 'import_id'),
    ('workspace', 13, 'private.import_chunks', 'import_id'),
    ('workspace', 14, 'private.import_runs', 'import_id'),
    ('workspace', 15, 'public.utterances', 'workspace_id'),
    ('workspace', 16, 'private.transcripts', 'import_id'),
    ('workspace', 17, 'public.import_speakers', 'workspace_id'),
    ('workspace', 18, 'public.participants', 'workspace_id'),
    ('workspace', 19, 'public.imports', 'workspace_id'),
    ('workspace', 20, 'public.hypotheses', 'workspace_id'),
    ('workspace', 21, 'public.personas', 'workspace_id'),
    ('workspace', 22, 'public.activity_events', 'workspace_id'),
    ('workspace', 23, 'public.projects', 'workspace_id'),
    ('workspace', 24, 'private.audit_records', 'workspace_id'),
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
    ('account', 13, 'private.audit_records', 'target_id')
$$;

reset role;

create trigger t0_stamp before insert or update on public.finding_shares
for each row execute function private.stamp();
create trigger t9_audit after insert or delete on public.finding_shares
for each row execute function private.audit_share();

grant execute on function private.share_findings(uuid, bytea, integer, boolean) to authenticated;
grant execute on function private.shared_findings(bytea) to service_role;
