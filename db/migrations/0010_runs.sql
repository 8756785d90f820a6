-- +goose Up
-- Runs: the requests to parse an import, their chunks, the responses of the model and what was read.

-- Every request to parse an import is a run and keeps a row: who asked for what, how far it got, what it
-- cost, and what it changed.
create table private.import_runs (
  claim_id uuid not null,
  import_id uuid not null
    constraint import_runs_import_id_fkey references public.imports (id) on delete cascade,
  before jsonb,
  previous_run_id text,
  requested_by uuid
    constraint import_runs_requested_by_fkey references public.profiles (id) on delete set null,
  refresh boolean not null default false,
  check_speakers boolean not null default false,
  hypotheses uuid[] not null default '{}',
  status public.import_status not null default 'queued',
  error_code text,
  queued_at timestamptz not null default now(),
  begun_at timestamptz,
  first_call_at timestamptz,
  cancel_requested_at timestamptz,
  finished_at timestamptz,
  idle_since timestamptz,
  recovery jsonb not null default '{}',
  waited interval not null default '0',
  waits_since timestamptz,
  seen_at timestamptz not null default now(),
  extractor text,
  model text,
  prompt_version text,
  calls integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  check_calls integer not null default 0,
  check_input_tokens bigint not null default 0,
  check_output_tokens bigint not null default 0,
  added integer not null default 0,
  changed integer not null default 0,
  gone integer not null default 0,
  discarded jsonb not null default '[]',
  constraint import_runs_pkey primary key (claim_id)
);
create index import_runs_import_id_idx on private.import_runs (import_id, queued_at);
create index import_runs_open_idx on private.import_runs (seen_at) where finished_at is null;
create index import_runs_requested_by_idx on private.import_runs (requested_by);
comment on table private.import_runs is
  'The requests to parse an import, each with its state, its cost and its result.';
comment on column private.import_runs.before is 'The row of public.imports before the claim.';
comment on column private.import_runs.previous_run_id is
  'The last run of an earlier claim. A later run of the workflow belongs to this claim.';
comment on column private.import_runs.refresh is 'Everything is read again, also what was read before.';
comment on column private.import_runs.check_speakers is
  'A model is asked about speakers in doubt before the chunks are planned.';
comment on column private.import_runs.hypotheses is 'The hypotheses of the request.';
comment on column private.import_runs.first_call_at is
  'When the first attempt to read a chunk began. PARSE_TIMEOUT counts from here, without what it waited.';
comment on column private.import_runs.recovery is
  'The extra calls that the run may still make about chunks whose responses could not be read.';
comment on column private.import_runs.idle_since is
  'Since when nothing of the import is read because it waits for its turn, for a worker or for tokens; null '
  'while it is read, or waits for something else.';
comment on column private.import_runs.waited is
  'How long it has waited in this way since the first attempt, until idle_since.';
comment on column private.import_runs.waits_since is
  'Since when the import waits for what its waiting_reason says; null until that first changes, and while it '
  'is read.';
comment on column private.import_runs.seen_at is
  'When the run was last known to be open in Temporal. The reconciler looks at runs that were not seen for '
  'a while.';
comment on column private.import_runs.discarded is
  'Quotes that did not become evidence, at most 200: [{"reason", "hypothesisId"?, "quote", "utterance"}].';
comment on column private.import_runs.calls is 'To the extractor that were answered.';
comment on column private.import_runs.check_calls is
  'Those of the calls that asked about speakers, with their tokens.';
grant select, insert, update, delete on private.import_runs to service_role;

-- One row for each piece of evidence and hypothesis.
create table private.import_run_changes (
  claim_id uuid not null
    constraint import_run_changes_claim_id_fkey references private.import_runs (claim_id) on delete cascade,
  evidence_id uuid not null,
  hypothesis_id uuid not null,
  kind text not null
    constraint import_run_changes_kind_check check (kind in ('added', 'changed', 'gone')),
  stance_before public.evidence_stance,
  stance_after public.evidence_stance,
  strength_before public.evidence_strength,
  strength_after public.evidence_strength,
  quote text,
  kept boolean not null default false,
  constraint import_run_changes_pkey primary key (claim_id, evidence_id, hypothesis_id)
);
comment on table private.import_run_changes is 'What a run added, changed and no longer found.';
comment on column private.import_run_changes.evidence_id is
  'Evidence that is gone, or that a later run or a person deleted, is not in public.evidence.';
comment on column private.import_run_changes.quote is 'Of what is gone.';
comment on column private.import_run_changes.kept is
  'The run no longer found it, but a person accepted or edited it, so it stayed.';
grant select, insert, update, delete on private.import_run_changes to service_role;

-- The plan of the latest run, one row per chunk: the source of progress, coverage and unread ranges.
create table private.import_chunks (
  import_id uuid not null
    constraint import_chunks_import_id_fkey references public.imports (id) on delete cascade,
  claim_id uuid not null,
  ordinal integer not null,
  utterance_from integer not null,
  utterance_to integer not null,
  byte_start integer not null,
  byte_end integer not null,
  hypotheses uuid[] not null default '{}',
  -- Tokens reserved for calls in flight, so that concurrent calls cannot exceed MAX_TOKENS_PER_IMPORT
  -- together.
  reserved_tokens bigint not null default 0,
  calls integer not null default 0,
  -- How long the calls of a chunk took, from which operators learn whether there are enough workers.
  call_seconds real not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  response_keys bytea[] not null default '{}',
  unread jsonb not null default '[]',
  read_at timestamptz,
  done_at timestamptz,
  constraint import_chunks_pkey primary key (import_id, claim_id, ordinal)
);
comment on column private.import_chunks.utterance_to is 'Exclusive.';
comment on column private.import_chunks.hypotheses is
  'The hypotheses that are asked about; empty means those of the request.';
comment on column private.import_chunks.reserved_tokens is
  'What the call under way will take at least; 0 between calls.';
comment on column private.import_chunks.calls is 'To the extractor that were answered.';
comment on column private.import_chunks.response_keys is
  'Of private.chunk_responses: several where the chunk had to be split.';
comment on column private.import_chunks.read_at is
  'When an activity last said that it reads the chunk; null if none does.';
comment on column private.import_chunks.unread is '[{"from", "to", "reason"}], ordinals, both included.';
grant select, insert, update, delete on private.import_chunks to service_role;

-- The response of a model about one chunk, under a key made from transcript, range, hypotheses, prompt
-- version and model, so that it is paid for once. Answers about speakers are here, too.
create table private.chunk_responses (
  key bytea not null,
  import_id uuid not null
    constraint chunk_responses_import_id_fkey references public.imports (id) on delete cascade,
  response jsonb not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at timestamptz not null default now(),
  constraint chunk_responses_pkey primary key (key, import_id)
);
create index chunk_responses_import_id_idx on private.chunk_responses (import_id);
grant select, insert, update, delete on private.chunk_responses to service_role;

-- What was read is kept for each hypothesis with what read it, so that a later run reads only what is
-- missing, and an interview names its readers.
create table private.import_readings (
  import_id uuid not null,
  hypothesis_id uuid not null,
  extractor text not null,
  model text not null default '',
  prompt_version text not null,
  statement text not null,
  read int4multirange not null,
  constraint import_readings_pkey primary key (import_id, hypothesis_id, extractor, model, prompt_version),
  constraint import_readings_import_id_fkey foreign key (import_id, hypothesis_id)
    references public.import_hypotheses (import_id, hypothesis_id) on delete cascade
);
comment on table private.import_readings is
  'What of a transcript was read for a hypothesis, and by what. Each byte belongs to what read it last.';
comment on column private.import_readings.model is 'Empty for none.';
comment on column private.import_readings.statement is
  'The hypothesis as it was read. After a change of its statement everything is missing.';
comment on column private.import_readings.read is
  'Bytes of the transcript. White space beside what was read belongs to it.';
grant select, insert, update, delete on private.import_readings to service_role;

-- Claims ----------------------------------------------------------------------------------------------------

-- One function claims an import: it checks the caller's rights, the hypotheses, the status and the queue, and
-- says which check failed. What a claim replaces stays in the row of the run, so that releasing it needs only
-- its id. An estimate of a parse is rejected where the parse would be: both ask the same function.

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

-- An import with this status can be parsed again. Go has the same rule in outcome.Status.Restartable.
create function private.is_restartable(status public.import_status) returns boolean
language sql immutable
return status in ('uploaded', 'failed', 'canceled', 'terminated', 'timed_out');
grant execute on function private.is_restartable(public.import_status) to service_role;

set local role service_role;

-- The time that counts for PARSE_TIMEOUT; null before the first attempt to read.
create function private.reading_time(run private.import_runs) returns interval
language sql stable
return coalesce(run.idle_since, now()) - run.first_call_at - run.waited;

-- Whether PARSE_TIMEOUT does not run while an import waits for this.
create function private.stops_clock(waiting_reason text) returns boolean
language sql immutable
return waiting_reason in ('turn', 'worker', 'token_budget');

-- Whether an activity reads another chunk of a run. One that reads says so every five seconds.
create function private.reads_other_chunk(import uuid, claim uuid, chunk integer) returns boolean
language sql stable
return exists (
  select
  from private.import_chunks o
  where o.import_id = import
    and o.claim_id = claim
    and o.ordinal <> chunk
    and o.read_at > now() - interval '15 seconds'
);

-- Reports whether something of the transcript was not read for one of the hypotheses as they are worded now.
-- For a model, what keyword matching read is not read.
create function private.is_unread(import uuid, hypotheses uuid[], by_model boolean) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select
    from unnest(hypotheses) as wanted (id)
    join public.hypotheses h on h.id = wanted.id
    join private.transcripts t on t.import_id = import
    cross join lateral (
      select range_agg(part) as read
      from private.import_readings x
      cross join unnest(x.read) as part
      where x.import_id = import
        and x.hypothesis_id = h.id
        and x.statement = h.statement
        and not (by_model and x.extractor = 'keyword')
    ) r
    where r.read is null or not r.read @> int4range(0, octet_length(t.body))
  )
$$;

-- How many imports, answers and proposals of themes are queued or read, for the limits of the queue. It
-- counts those of all workspaces and returns numbers only. PL/pgSQL keeps the plan on a connection.
-- +goose StatementBegin
create function private.queue_length(workspace uuid, out everybody bigint, out of_workspace bigint)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  select count(*), count(*) filter (where o.workspace_id = workspace)
  into everybody, of_workspace
  from (
    select i.workspace_id from public.imports i where i.status in ('queued', 'parsing')
    union all
    select a.workspace_id from public.answers a where a.status in ('queued', 'reading')
    union all
    select r.workspace_id from public.theme_runs r where r.status in ('queued', 'reading')
  ) o;
end $$;
-- +goose StatementEnd
grant execute on function private.queue_length(uuid) to authenticated;

-- The limit that keeps a workspace from queueing more, as the code of an error; null if none does. A limit of
-- 0 means none.
-- +goose StatementBegin
create function private.full_queue(workspace uuid, queue_limit bigint, workspace_queue_limit bigint)
returns text
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if greatest(queue_limit, workspace_queue_limit) <= 0 then
    return null;
  end if;
  return (
    select case
      when workspace_queue_limit > 0 and q.of_workspace >= workspace_queue_limit then 'workspace_queue_full'
      when queue_limit > 0 and q.everybody >= queue_limit then 'queue_full'
    end
    from private.queue_length(workspace) q
  );
end $$;
-- +goose StatementEnd

-- Whether a claim of an import would succeed: 'claimed', or the result with which a request to parse it is
-- rejected. No import means that the caller may not see it.
-- +goose StatementBegin
create function private.check_claim(
  before public.imports,
  hypotheses uuid[],
  queue_limit bigint,
  workspace_queue_limit bigint,
  refresh boolean,
  by_model boolean
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
    when before.status = 'parsed' and not refresh
      and not private.is_unread(before.id, hypotheses, by_model) then
      return 'import_already_parsed';
    when before.status <> 'parsed' and not private.is_restartable(before.status) then
      return 'import_already_parsing';
    else
      return coalesce(
        private.full_queue(before.workspace_id, queue_limit, workspace_queue_limit), 'claimed');
  end case;
end $$;
-- +goose StatementEnd

-- Claims an import for a new run. One of several concurrent calls gets 'claimed'; any other result changes
-- nothing. An import that the caller may not see is not found. A parsed import is claimed if something is
-- missing, or if it is to be refreshed. A limit of 0 means none; concurrent calls do not see each other's
-- claims, so the limits may be exceeded by a few.
--
-- A claim finds its rows by keys, so a generic plan serves. Without the setting, each connection of the API
-- planned its queries five times for their parameters.
-- +goose StatementBegin
create function private.claim_import(
  import uuid,
  claim uuid,
  hypotheses uuid[],
  queue_limit bigint,
  workspace_queue_limit bigint,
  refresh boolean,
  by_model boolean,
  out result private.claim_result,
  out workspace_id uuid,
  out project_id uuid,
  out check_speakers boolean
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

  result := private.check_claim(before, hypotheses, queue_limit, workspace_queue_limit, refresh, by_model);
  if result <> 'claimed' then
    return;
  end if;

  workspace_id := before.workspace_id;
  project_id := before.project_id;
  check_speakers := by_model and private.has_speakers_in_doubt(before.id);
  insert into private.import_runs (
    claim_id, import_id, before, previous_run_id, requested_by, refresh, check_speakers, hypotheses
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
    claim_import.check_speakers,
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
grant execute on function private.claim_import(uuid, uuid, uuid[], bigint, bigint, boolean, boolean)
to authenticated;

-- The result that a claim of an import by the caller would have. Nothing is changed.
-- +goose StatementBegin
create function private.check_parse(
  import uuid,
  hypotheses uuid[],
  queue_limit bigint,
  workspace_queue_limit bigint,
  refresh boolean,
  by_model boolean
) returns private.claim_result
language plpgsql stable security definer
set search_path = ''
as $$
declare
  before public.imports;
begin
  select * into before from public.imports i where i.id = import and private.caller_may_see(i.workspace_id);
  return private.check_claim(before, hypotheses, queue_limit, workspace_queue_limit, refresh, by_model);
end $$;
-- +goose StatementEnd
grant execute on function private.check_parse(uuid, uuid[], bigint, bigint, boolean, boolean)
to authenticated;

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
grant execute on function private.release_import(uuid, uuid) to authenticated;

reset role;

-- What all workers share ------------------------------------------------------------------------------------

create table private.temporal_state (
  one boolean not null default true constraint temporal_state_one_check check (one),
  namespace_id text,
  looked_at timestamptz not null default '-infinity',
  mails_looked_at timestamptz not null default '-infinity',
  constraint temporal_state_pkey primary key (one)
);
comment on table private.temporal_state is 'One row: which namespace of Temporal belongs to this database.';
comment on column private.temporal_state.namespace_id is
  'The id that Temporal gave the namespace; null until a program has connected.';
comment on column private.temporal_state.looked_at is
  'When a worker last found runs that should be compared with Temporal. One worker an interval does.';
comment on column private.temporal_state.mails_looked_at is
  'When a worker last started the mails about accounts that waited. One worker an interval does.';
insert into private.temporal_state default values;
grant select, update on private.temporal_state to service_role;

-- Temporal lists a worker for five minutes after its end, so the workers say themselves that they run.
create table private.workers (
  id uuid not null,
  version text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  constraint workers_pkey primary key (id)
);
create view private.running_workers as
select w.id, w.version
from private.workers w
where w.seen_at > now() - interval '30 seconds';
grant select on private.running_workers to service_role;
comment on table private.workers is 'The worker processes. A process that stops removes its row.';
comment on column private.workers.version is
  'The worker version in Temporal, as deployment:build; empty without worker versioning.';
grant select, insert, update, delete on private.workers to service_role;
