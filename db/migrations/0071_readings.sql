-- +goose Up
-- What was read is kept for each hypothesis, so that a later run reads only what is missing. An import says
-- what it is waiting for.

alter table public.imports
  add column waiting_reason text
    constraint imports_waiting_reason_check
    check (waiting_reason in ('worker', 'turn', 'model_unavailable', 'model_rate_limited'));
comment on column public.imports.waiting_reason is
  'What an open import is waiting for; null while it is read. worker: for a worker; turn: other imports are '
  'read first; model_unavailable: the server of the model cannot be reached or fails; model_rate_limited: '
  'the server of the model limits the rate of requests.';

alter table public.import_hypotheses
  add column coverage double precision not null default 0
    constraint import_hypotheses_coverage_check check (coverage between 0 and 1),
  add column checked_at timestamptz;
comment on column public.import_hypotheses.coverage is
  'The part of the transcript that was read for the hypothesis, from 0 to 1.';
comment on column public.import_hypotheses.checked_at is
  'When a run last read for the hypothesis; null if none did.';
comment on column public.imports.coverage is
  'The part of the transcript that was read, from 0 to 1: for the hypothesis of the latest request that was '
  'read least.';
comment on column public.imports.status is
  'uploaded → queued → parsing → parsed, failed, canceled, terminated or timed_out. An import with one of the last '
  'four statuses can be parsed again; a parsed one as well if something is missing.';

create table private.import_readings (
  import_id uuid not null,
  hypothesis_id uuid not null,
  statement text not null,
  read int4multirange not null,
  constraint import_readings_pkey primary key (import_id, hypothesis_id),
  constraint import_readings_import_id_fkey foreign key (import_id, hypothesis_id)
    references public.import_hypotheses (import_id, hypothesis_id) on delete cascade
);
comment on table private.import_readings is 'What of a transcript was read for a hypothesis.';
comment on column private.import_readings.statement is
  'The hypothesis as it was read. After a change of its statement everything is missing.';
comment on column private.import_readings.read is
  'Bytes of the transcript. White space beside what was read belongs to it.';
grant select, insert, update, delete on private.import_readings to service_role;

alter table private.import_chunks
  add column hypotheses uuid[] not null default '{}',
  add column calls integer not null default 0,
  add column input_tokens bigint not null default 0,
  add column output_tokens bigint not null default 0;
comment on column private.import_chunks.hypotheses is
  'The hypotheses that are asked about; empty means those of the request.';
comment on column private.import_chunks.calls is 'To the extractor that were answered.';

set local role service_role;

-- Imports that have ended: what the chunks of their last run read, for the hypotheses of that run. The line
-- feed after a chunk belongs to it.
insert into private.import_readings (import_id, hypothesis_id, statement, read)
select ih.import_id, ih.hypothesis_id, ih.statement, done.read
from public.imports i
join private.transcripts t on t.import_id = i.id
join public.import_hypotheses ih on ih.import_id = i.id and ih.hypothesis_id = any(i.requested_hypotheses)
cross join lateral (
  select case
    when i.status = 'parsed' and i.unread = '[]' then int4multirange(int4range(0, octet_length(t.body)))
    else (
      select range_agg(part.read)
      from private.import_chunks c
      cross join lateral unnest(
        int4multirange(int4range(c.byte_start, least(c.byte_end + 1, octet_length(t.body))))
        - coalesce(
          (
            select range_agg(int4range((u ->> 'byte_start')::integer, (u ->> 'byte_end')::integer))
            from jsonb_array_elements(c.unread) u
          ),
          '{}'
        )
      ) as part (read)
      where c.import_id = i.id and c.claim_id = i.claim_id and c.done_at is not null
    )
  end as read
) done
where i.status not in ('uploaded', 'queued', 'parsing') and done.read is not null;

update public.import_hypotheses ih set coverage = i.coverage, checked_at = i.finished_at
from public.imports i
where i.id = ih.import_id
  and ih.hypothesis_id = any(i.requested_hypotheses)
  and i.status not in ('uploaded', 'queued', 'parsing');

-- Reports whether something of the transcript was not read for one of the hypotheses as they are worded now.
-- +goose StatementBegin
create function private.is_unread(import uuid, hypotheses uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select
    from unnest(hypotheses) as wanted (id)
    join public.hypotheses h on h.id = wanted.id
    join private.transcripts t on t.import_id = import
    left join private.import_readings r
      on r.import_id = import and r.hypothesis_id = h.id and r.statement = h.statement
    where r.read is null or not r.read @> int4range(0, octet_length(t.body))
  )
$$;
-- +goose StatementEnd

-- Claims an import for a new run. Of concurrent calls one gets 'claimed'; any other result changes nothing.
-- An import that the caller may not see is not found. A parsed import is claimed if something is missing, or
-- if it is to be refreshed. A limit of 0 means none; concurrent calls do not see each other's claims, so the
-- limits may be exceeded by a few. The previous version of serve leaves refresh out.
drop function private.claim_import(uuid, uuid, uuid[], bigint, bigint);
-- +goose StatementBegin
create function private.claim_import(
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
as $$
declare
  before public.imports;
begin
  select * into before
  from public.imports i
  where i.id = import and private.caller_may_see(i.workspace_id)
  for no key update;

  result := case
    when before.id is null then 'import_not_found'
    when not private.caller_may_edit(before.workspace_id) then 'forbidden'
    when exists (
      select from unnest(hypotheses) as wanted (id)
      where not exists (
        select from public.hypotheses h where h.id = wanted.id and h.project_id = before.project_id
      )
    ) then 'hypothesis_not_found'
    when before.status = 'parsed' and not refresh and not private.is_unread(before.id, hypotheses)
      then 'import_already_parsed'
    when before.status <> 'parsed' and not private.is_restartable(before.status) then 'import_already_parsing'
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

-- Undoes a claim whose run could not be started. False if a run has begun, or the claim is not the latest.
-- +goose StatementBegin
create or replace function private.release_import(import uuid, claim uuid) returns boolean
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
    waiting_reason = before.waiting_reason,
    error_code = before.error_code,
    error_message = before.error_message,
    workflow_id = before.workflow_id,
    run_id = before.run_id
  from private.import_runs r, jsonb_populate_record(null::public.imports, r.before) as before
  where i.id = import
    and i.claim_id = claim
    and i.status = 'queued'
    and r.claim_id = i.claim_id
    and private.caller_may_edit(i.workspace_id);
  if found then
    delete from private.import_runs r where r.claim_id = claim;
    return true;
  end if;
  return false;
end $$;
-- +goose StatementEnd

reset role;

grant execute on function private.is_unread(uuid, uuid[]) to service_role;
grant execute on function private.claim_import(uuid, uuid, uuid[], bigint, bigint, boolean)
  to authenticated, service_role;
