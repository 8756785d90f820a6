-- +goose Up
-- One function claims an import: it checks the caller's rights, the hypotheses, the status and the queue, and
-- says which check failed. What a claim replaces stays in the database, so that releasing it needs only its
-- id.

-- An import with this status can be parsed again. Go has the same rule in outcome.Status.Restartable.
-- +goose StatementBegin
create function private.is_restartable(status public.import_status) returns boolean
language sql immutable
return status in ('uploaded', 'failed', 'canceled', 'terminated', 'timed_out');
-- +goose StatementEnd

-- The values are error codes of POST /api/import/{importId}/parse, in the order of the checks.
create type private.claim_result as enum (
  'claimed',
  'import_not_found',
  'forbidden',
  'hypothesis_not_found',
  'import_already_parsed',
  'import_already_parsing',
  'workspace_queue_full',
  'queue_full'
);

create table private.import_claims (
  import_id uuid not null
    constraint import_claims_import_id_fkey references public.imports (id) on delete cascade,
  claim_id uuid not null,
  before jsonb not null,
  previous_run_id text,
  constraint import_claims_pkey primary key (import_id)
);
comment on table private.import_claims is 'The latest claim of each import.';
comment on column private.import_claims.before is 'The row of public.imports before the claim.';
comment on column private.import_claims.previous_run_id is
  'The last run of an earlier claim. A later run of the workflow belongs to this claim.';
grant select, insert, update, delete on private.import_claims to service_role;

comment on column public.imports.workflow_id is
  'The Temporal workflow of the latest run; null until the run begins.';
comment on column public.imports.run_id is 'The Temporal run of the latest run; null until the run begins.';

set local role service_role;

-- +goose StatementBegin
create function private.caller_may_edit(workspace uuid) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select current_setting('role', true) not in ('anon', 'authenticated')
    or exists (select from private.my_workspaces('editor') w where w = workspace)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function private.require_editor(workspace uuid) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not private.caller_may_edit(workspace) then
    raise exception 'editors only' using errcode = 'insufficient_privilege';
  end if;
end $$;
-- +goose StatementEnd

-- Claims an import for a new run. Of concurrent calls one gets 'claimed'; any other result changes nothing.
-- An import that the caller may not see is not found. A limit of 0 means none; concurrent calls do not see
-- each other's claims, so the limits may be exceeded by a few.
-- +goose StatementBegin
create function private.claim_import(
  import uuid,
  claim uuid,
  hypotheses uuid[],
  queue_limit bigint,
  workspace_queue_limit bigint,
  out result private.claim_result,
  out workspace_id uuid,
  out project_id uuid
)
language plpgsql security definer
set search_path = ''
as $$
declare
  before public.imports;
begin
  select * into before
  from public.imports i
  where i.id = import and private.caller_may_see(i.workspace_id)
  for update;

  result := case
    when before.id is null then 'import_not_found'
    when not private.caller_may_edit(before.workspace_id) then 'forbidden'
    when exists (
      select from unnest(hypotheses) as wanted (id)
      where not exists (
        select from public.hypotheses h where h.id = wanted.id and h.project_id = before.project_id
      )
    ) then 'hypothesis_not_found'
    when before.status = 'parsed' then 'import_already_parsed'
    when not private.is_restartable(before.status) then 'import_already_parsing'
    else 'claimed'
  end;
  if result = 'claimed' and greatest(queue_limit, workspace_queue_limit) > 0 then
    select case
      when workspace_queue_limit > 0 and q.of_workspace >= workspace_queue_limit then 'workspace_queue_full'
      when queue_limit > 0 and q.everybody >= queue_limit then 'queue_full'
      else 'claimed'
    end
    into result
    from private.queue_length(before.workspace_id) q;
  end if;
  if result <> 'claimed' then
    return;
  end if;

  workspace_id := before.workspace_id;
  project_id := before.project_id;
  insert into private.import_claims as c (import_id, claim_id, before, previous_run_id)
  values (before.id, claim, to_jsonb(before), before.run_id)
  on conflict (import_id) do update set
    claim_id = excluded.claim_id,
    before = excluded.before,
    previous_run_id = coalesce(excluded.previous_run_id, c.previous_run_id);
  update public.imports i set
    status = 'queued',
    claim_id = claim,
    requested_hypotheses = hypotheses,
    queued_at = now(),
    started_at = null,
    finished_at = null,
    progress_done = 0,
    progress_total = 0,
    error_code = null,
    error_message = null,
    workflow_id = null,
    run_id = null
  where i.id = before.id;
end $$;
-- +goose StatementEnd

-- Undoes a claim whose run could not be started. False if a run has begun, or the claim is not the latest.
-- +goose StatementBegin
create function private.release_import(import uuid, claim uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.imports i set
    status = before.status,
    claim_id = before.claim_id,
    requested_hypotheses = before.requested_hypotheses,
    queued_at = before.queued_at,
    started_at = before.started_at,
    finished_at = before.finished_at,
    progress_done = before.progress_done,
    progress_total = before.progress_total,
    error_code = before.error_code,
    error_message = before.error_message,
    workflow_id = before.workflow_id,
    run_id = before.run_id
  from private.import_claims c, jsonb_populate_record(null::public.imports, c.before) as before
  where i.id = import
    and i.claim_id = claim
    and i.status = 'queued'
    and c.import_id = i.id
    and c.claim_id = i.claim_id
    and private.caller_may_edit(i.workspace_id);
  return found;
end $$;
-- +goose StatementEnd

-- The previous version of serve calls these two until it is stopped. A later migration drops them.
-- +goose StatementBegin
create or replace function private.claim_import(import uuid, claim uuid, hypotheses uuid[]) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  if (private.claim_import(import, claim, hypotheses, 0, 0)).result <> 'claimed' then
    return null;
  end if;
  return (select c.before from private.import_claims c where c.import_id = import);
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function private.release_import(claim uuid, before jsonb) returns boolean
language sql security definer
set search_path = ''
as $$
  select private.release_import((before ->> 'id')::uuid, claim)
$$;
-- +goose StatementEnd

reset role;

grant execute on function private.is_restartable(public.import_status) to service_role;
grant execute on function
  private.caller_may_edit(uuid),
  private.claim_import(uuid, uuid, uuid[], bigint, bigint),
  private.release_import(uuid, uuid)
to authenticated, service_role;
