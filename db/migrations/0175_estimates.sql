-- +goose Up
-- An estimate of a parse is rejected where the parse would be: both ask the same function.

set local role service_role;

-- Whether a claim of an import would succeed: 'claimed', or what a request to parse it is answered with. No
-- import means that the caller may not see it.
-- +goose StatementBegin
create function private.check_claim(
  before public.imports,
  hypotheses uuid[],
  queue_limit bigint,
  workspace_queue_limit bigint,
  refresh boolean
) returns private.claim_result
language plpgsql stable security definer
set search_path = ''
as $$
begin
  case
    when before.id is null then
      return 'import_not_found';
    when not private.caller_may_edit(before.workspace_id) then
      return 'forbidden';
    when exists (
      select from unnest(hypotheses) as wanted (id)
      where not exists (
        select from public.hypotheses h where h.id = wanted.id and h.project_id = before.project_id
      )
    ) then
      return 'hypothesis_not_found';
    when before.status = 'parsed' and not refresh and not private.is_unread(before.id, hypotheses) then
      return 'import_already_parsed';
    when before.status <> 'parsed' and not private.is_restartable(before.status) then
      return 'import_already_parsing';
    when greatest(queue_limit, workspace_queue_limit) <= 0 then
      return 'claimed';
    else
      return (
        select case
          when workspace_queue_limit > 0 and q.of_workspace >= workspace_queue_limit then 'workspace_queue_full'
          when queue_limit > 0 and q.everybody >= queue_limit then 'queue_full'
          else 'claimed'
        end
        from private.queue_length(before.workspace_id) q
      );
  end case;
end $$;
-- +goose StatementEnd

-- As before, with the checks in a function of their own.
-- +goose StatementBegin
create or replace function private.claim_import(
  import uuid,
  claim uuid,
  hypotheses uuid[],
  queue_limit bigint,
  workspace_queue_limit bigint,
  refresh boolean default false,
  out result private.claim_result,
  out workspace_id uuid,
  out project_id uuid
)
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  before public.imports;
begin
  select * into before
  from public.imports i
  where i.id = import and private.caller_may_see(i.workspace_id)
  for no key update;

  result := private.check_claim(before, hypotheses, queue_limit, workspace_queue_limit, refresh);
  if result <> 'claimed' then
    return;
  end if;

  workspace_id := before.workspace_id;
  project_id := before.project_id;
  insert into private.import_runs (
    claim_id, import_id, before, previous_run_id, requested_by, refresh, hypotheses
  )
  values (
    claim,
    before.id,
    to_jsonb(before),
    coalesce(
      before.run_id,
      (
        select r.previous_run_id
        from private.import_runs r
        where r.import_id = before.id
        order by r.queued_at desc
        limit 1
      )
    ),
    auth.uid(),
    claim_import.refresh,
    claim_import.hypotheses
  );
  update public.imports i set
    status = 'queued',
    claim_id = claim,
    requested_hypotheses = hypotheses,
    queued_at = now(),
    started_at = null,
    finished_at = null,
    progress_done = 0,
    progress_total = 0,
    waiting_reason = 'worker',
    error_code = null,
    error_message = null,
    workflow_id = null,
    run_id = null
  where i.id = before.id;
end $$;
-- +goose StatementEnd

-- What a claim of an import by the caller would come to. Nothing is changed.
-- +goose StatementBegin
create function private.check_parse(
  import uuid,
  hypotheses uuid[],
  queue_limit bigint,
  workspace_queue_limit bigint,
  refresh boolean
) returns private.claim_result
language plpgsql stable security definer
set search_path = ''
as $$
declare
  before public.imports;
begin
  select * into before from public.imports i where i.id = import and private.caller_may_see(i.workspace_id);
  return private.check_claim(before, hypotheses, queue_limit, workspace_queue_limit, refresh);
end $$;
-- +goose StatementEnd

reset role;

grant execute on function private.check_parse(uuid, uuid[], bigint, bigint, boolean)
  to authenticated, service_role;
