-- +goose Up
-- Runs that propose themes: a model reads the interviews of a project for what is about none of its
-- hypotheses and themes.

create type public.theme_run_status as enum (
  'queued', 'reading', 'done', 'failed', 'canceled', 'timed_out', 'terminated'
);

create table public.theme_runs (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  status public.theme_run_status not null default 'queued',
  waiting_reason text constraint theme_runs_waiting_reason_check
    check (waiting_reason in (
      'worker', 'turn', 'model_unavailable', 'model_rate_limited', 'token_budget', 'paused',
      'no_worker_of_version', 'workflow_task_failing'
    )),
  progress_done integer not null default 0,
  progress_total integer not null default 0,
  imports_total integer not null default 0,
  coverage double precision not null default 0
    constraint theme_runs_coverage_check check (coverage between 0 and 1),
  proposed_count integer not null default 0,
  quotes_count integer not null default 0,
  unused_count integer not null default 0,
  rejected_count integer not null default 0,
  extractor text,
  model text,
  prompt_version text,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  workflow_id text,
  run_id text,
  claim_id uuid,
  error_code text,
  error_message text,
  created_by uuid constraint theme_runs_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  seen_at timestamptz not null default now(),
  constraint theme_runs_pkey primary key (id),
  constraint theme_runs_id_project_id_workspace_id_key unique (id, project_id, workspace_id),
  constraint theme_runs_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index theme_runs_project_id_idx on public.theme_runs (project_id, created_at);
create index theme_runs_workspace_id_idx on public.theme_runs (workspace_id, created_at);
create index theme_runs_created_by_idx on public.theme_runs (created_by);
create index theme_runs_claim_id_idx on public.theme_runs (claim_id);
create index theme_runs_open_idx on public.theme_runs (seen_at) where status in ('queued', 'reading');
create unique index theme_runs_one_open_idx on public.theme_runs (project_id)
where status in ('queued', 'reading');
comment on table public.theme_runs is
  'Runs that propose themes. At most one of a project is open. Read only for clients.';
comment on column public.theme_runs.status is
  'queued → reading → done, failed, canceled, timed_out or terminated.';
comment on column public.theme_runs.waiting_reason is
  'What an open run is waiting for, as in imports; null while it reads.';
comment on column public.theme_runs.progress_done is 'Steps that are done.';
comment on column public.theme_runs.progress_total is 'Steps of the run; 0 before it is planned.';
comment on column public.theme_runs.imports_total is 'Interviews of the project when the run was planned.';
comment on column public.theme_runs.coverage is 'The part of the interviews that was read, from 0 to 1.';
comment on column public.theme_runs.proposed_count is 'Themes that were proposed.';
comment on column public.theme_runs.quotes_count is 'Quotes that were suggested, with those of no theme.';
comment on column public.theme_runs.unused_count is 'Quotes that were suggested for no theme.';
comment on column public.theme_runs.rejected_count is
  'Quotes of the model that are not a participant''s words in the interview.';
comment on column public.theme_runs.extractor is 'What read the interviews: openai, a language model.';
comment on column public.theme_runs.model is 'The language model.';
comment on column public.theme_runs.prompt_version is 'The version of the instructions to the model.';
comment on column public.theme_runs.input_tokens is 'Tokens of the requests, as counted by the model.';
comment on column public.theme_runs.output_tokens is 'Tokens of the responses, as counted by the model.';
comment on column public.theme_runs.workflow_id is 'The Temporal workflow; null before it began.';
comment on column public.theme_runs.run_id is 'The run in Temporal; null before it began.';
comment on column public.theme_runs.claim_id is
  'The request to propose. Writes of a request that has ended change nothing.';
comment on column public.theme_runs.error_code is 'Why the run ended without success, for programs.';
comment on column public.theme_runs.error_message is 'Why the run ended without success, for people.';
comment on column public.theme_runs.created_by is 'Who started it.';
comment on column public.theme_runs.seen_at is 'When the run was last known to be open.';

alter table public.theme_runs enable row level security;
alter table public.theme_runs force row level security;
create policy service on public.theme_runs to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.theme_runs for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.theme_runs to service_role;
grant select on public.theme_runs to authenticated;

-- As in 0020_storage.sql.
alter table public.theme_runs
  alter column waiting_reason set storage external,
  alter column extractor set storage external,
  alter column model set storage external,
  alter column prompt_version set storage external,
  alter column workflow_id set storage external,
  alter column run_id set storage external,
  alter column error_code set storage external,
  alter column error_message set storage external;

-- The plan of a run: the chunks that are read. What they say is in private.chunk_responses, and how labels
-- are grouped in private.answer_responses.
create table private.theme_run_parts (
  theme_run_id uuid not null
    constraint theme_run_parts_theme_run_id_fkey references public.theme_runs (id) on delete cascade,
  ordinal integer not null,
  import_id uuid not null
    constraint theme_run_parts_import_id_fkey references public.imports (id) on delete cascade,
  utterance_from integer not null,
  utterance_to integer not null,
  byte_start integer not null,
  byte_end integer not null,
  read_at timestamptz,
  done_at timestamptz,
  response_keys bytea[] not null default '{}',
  unread jsonb not null default '[]',
  reserved_tokens bigint not null default 0,
  constraint theme_run_parts_pkey primary key (theme_run_id, ordinal)
);
create index theme_run_parts_import_id_idx on private.theme_run_parts (import_id);
comment on table private.theme_run_parts is 'The chunks that runs read for themes.';
comment on column private.theme_run_parts.utterance_to is 'Exclusive.';
comment on column private.theme_run_parts.read_at is
  'When an activity last said that it reads the chunk; null if none does.';
comment on column private.theme_run_parts.response_keys is
  'Of private.chunk_responses: several where the chunk had to be split.';
comment on column private.theme_run_parts.unread is '[{"from", "to", "reason"}], ordinals, both included.';
comment on column private.theme_run_parts.reserved_tokens is
  'What the call under way will take at least; 0 between calls.';
grant select, insert, update, delete on private.theme_run_parts to service_role;

-- What a run looks beyond. It does not change with the project: otherwise a retry would pay again.
create table private.theme_run_plans (
  theme_run_id uuid not null
    constraint theme_run_plans_theme_run_id_fkey references public.theme_runs (id) on delete cascade,
  known jsonb not null,
  constraint theme_run_plans_pkey primary key (theme_run_id)
);
comment on table private.theme_run_plans is 'The hypotheses and themes that runs know, as they were worded.';
comment on column private.theme_run_plans.known is '{"hypotheses", "themes"}: statements and names.';
grant select, insert, update, delete on private.theme_run_plans to service_role;

-- Events ----------------------------------------------------------------------------------------------------

set local role service_role;

-- +goose StatementBegin
create function private.record_theme_run() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.events (type, workspace_id, project_id, entity_id, detail)
  values (
    'theme_run.' || case
      when new.status in ('queued', 'reading') then 'progress'
      when new.status in ('done', 'canceled') then new.status::text
      else 'failed'
    end,
    new.workspace_id,
    new.project_id,
    new.id,
    case
      when new.status in ('queued', 'reading') then jsonb_build_object(
        'done', new.progress_done, 'total', new.progress_total, 'waitingReason', new.waiting_reason)
      when new.status = 'done' then jsonb_build_object(
        'proposed', new.proposed_count, 'quotes', new.quotes_count, 'unused', new.unused_count)
      else jsonb_build_object('status', new.status, 'errorCode', new.error_code)
    end
  );
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t1_key before update on public.theme_runs
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t1_workspace before insert or update on public.theme_runs
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.theme_runs
for each row execute function private.stamp();
create trigger t9_event after insert on public.theme_runs
for each row execute function private.record_theme_run();
create trigger t9_event_changed after update on public.theme_runs
for each row when (
  (old.status, old.progress_done, old.progress_total, old.waiting_reason)
  is distinct from (new.status, new.progress_done, new.progress_total, new.waiting_reason)
  and (old.status in ('queued', 'reading') or new.status in ('queued', 'reading'))
)
execute function private.record_theme_run();

-- As in 0018_quotas.sql.
create trigger t9_tokens after update on public.theme_runs
for each row when (new.input_tokens + new.output_tokens > old.input_tokens + old.output_tokens)
execute function private.count_tokens();
create trigger t0_function before insert on public.theme_runs
for each statement
when (current_setting('role', true) = 'authenticated' and current_user <> 'authenticated')
execute function private.begin_writing();
create trigger t9_function after insert on public.theme_runs referencing new table as new_rows
for each statement
when (current_setting('role', true) = 'authenticated' and current_user <> 'authenticated')
execute function private.spend_updated();
create trigger t9_limit after insert on public.theme_runs referencing new table as new_rows
for each statement when (current_setting('role', true) = 'authenticated')
execute function private.limit_rows(10000);

-- Claims ----------------------------------------------------------------------------------------------------

-- The values are error codes of POST /api/project/{projectId}/themes/propose, in the order of the checks.
create type private.propose_result as enum (
  'claimed',
  'project_not_found',
  'forbidden',
  'themes_already_proposing',
  'nothing_to_read',
  'ask_limit',
  'workspace_queue_full',
  'queue_full'
);
create type private.stop_proposing_result as enum (
  'canceled', 'project_not_found', 'forbidden', 'themes_not_proposing'
);

set local role service_role;

-- Whether a person wrote about a theme, judged a quote of it or gave it one, or nested a theme in it. Later
-- runs keep such a proposal, with its quotes.
create function private.is_touched(t public.themes) returns boolean
language sql stable
set search_path = ''
return t.memo <> ''
  or exists (select from public.comments c where c.theme_id = t.id)
  or exists (
    select
    from public.evidence_themes l
    where l.theme_id = t.id and (l.origin = 'human' or l.review <> 'suggested')
  )
  or exists (select from public.themes x where x.parent_id = t.id);

-- Has themes proposed for a project. Only the result 'claimed' makes a run. A project that the caller may not
-- see is not found. A claim counts as a question for ASK_LIMIT.
-- +goose StatementBegin
create function private.claim_themes(
  run uuid,
  claim uuid,
  project uuid,
  queue_limit bigint,
  workspace_queue_limit bigint,
  ask_limit bigint,
  out result private.propose_result,
  out workspace_id uuid
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  p public.projects;
begin
  perform pg_advisory_xact_lock_shared(private.key_of_readers(project)); -- see private.lock_readers
  select * into p from public.projects x where x.id = project and private.caller_may_see(x.workspace_id);
  result := case
    when p.id is null then 'project_not_found'
    when not private.caller_may_edit(p.workspace_id) then 'forbidden'
    when exists (
      select from public.theme_runs r where r.project_id = p.id and r.status in ('queued', 'reading')
    ) then 'themes_already_proposing'
    else private.check_ask(p.workspace_id, p.id, '{}', queue_limit, workspace_queue_limit, ask_limit)::text
  end;
  if result <> 'claimed' then
    return;
  end if;
  insert into public.theme_runs (id, workspace_id, project_id, waiting_reason, claim_id, created_by)
  values (
    run, p.workspace_id, p.id, 'worker', claim,
    (select x.id from public.profiles x where x.id = auth.uid())
  )
  on conflict do nothing; -- another request was faster
  if not found then
    result := 'themes_already_proposing';
    return;
  end if;
  workspace_id := p.workspace_id;
  perform private.count_claim(claim);
end $$;
-- +goose StatementEnd
grant execute on function private.claim_themes(uuid, uuid, uuid, bigint, bigint, bigint) to authenticated;

-- Cancels the open run of a project. Its claim ends, so that a run that is under way, or just being started,
-- changes nothing.
-- +goose StatementBegin
create function private.cancel_themes(
  project uuid, message text, out result private.stop_proposing_result, out theme_run_id uuid, out run_id text
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  p public.projects;
  r public.theme_runs;
begin
  select * into p from public.projects x where x.id = project and private.caller_may_see(x.workspace_id);
  if p.id is not null and private.caller_may_edit(p.workspace_id) then
    select * into r
    from public.theme_runs x
    where x.project_id = p.id and x.status in ('queued', 'reading')
    for no key update;
  end if;
  result := case
    when p.id is null then 'project_not_found'
    when not private.caller_may_edit(p.workspace_id) then 'forbidden'
    when r.id is null then 'themes_not_proposing'
    else 'canceled'
  end;
  if result = 'canceled' then
    theme_run_id := r.id;
    run_id := r.run_id;
    update public.theme_runs x set
      status = 'canceled',
      claim_id = null,
      waiting_reason = null,
      error_code = 'canceled',
      error_message = message,
      finished_at = now()
    where x.id = r.id;
  end if;
end $$;
-- +goose StatementEnd
grant execute on function private.cancel_themes(uuid, text) to authenticated;

reset role;
