-- +goose Up
-- Every request to parse an import is a run and keeps a row: who asked for what, how far it got, what it
-- cost, and what it changed. The rows replace private.import_claims, which had the latest request only.

alter table private.import_claims rename to import_runs;
alter table private.import_runs rename constraint import_claims_import_id_fkey to import_runs_import_id_fkey;

set local role service_role;

-- A claim that was released left its row; the import has forgotten it.
delete from private.import_runs r
using public.imports i
where i.id = r.import_id
  and i.claim_id is distinct from r.claim_id
  and not (i.claim_id is null and i.status = 'canceled');

reset role;

alter table private.import_runs
  drop constraint import_claims_pkey,
  add constraint import_runs_pkey primary key (claim_id),
  alter column before drop not null,
  add column requested_by uuid
    constraint import_runs_requested_by_fkey references public.profiles (id) on delete set null,
  add column refresh boolean not null default false,
  add column hypotheses uuid[] not null default '{}',
  add column status public.import_status not null default 'queued',
  add column error_code text,
  add column queued_at timestamptz not null default now(),
  add column begun_at timestamptz,
  add column first_call_at timestamptz,
  add column finished_at timestamptz,
  add column seen_at timestamptz not null default now(),
  add column reader uuid,
  add column lease_until timestamptz,
  add column model_failures integer not null default 0,
  add column extractor text,
  add column model text,
  add column prompt_version text,
  add column calls integer not null default 0,
  add column input_tokens bigint not null default 0,
  add column output_tokens bigint not null default 0,
  add column added integer not null default 0,
  add column changed integer not null default 0,
  add column gone integer not null default 0;

comment on table private.import_runs is 'The requests to parse an import, each with its state, its cost and its result.';
comment on column private.import_runs.before is 'The row of public.imports before the claim.';
comment on column private.import_runs.refresh is 'Everything is read again, also what was read before.';
comment on column private.import_runs.hypotheses is 'The hypotheses of the request.';
comment on column private.import_runs.first_call_at is
  'When the first call to the model was about to be made. PARSE_TIMEOUT counts from here.';
comment on column private.import_runs.seen_at is
  'When the run was last known to be open in Temporal. The reconciler looks at runs that were not seen for a while.';
comment on column private.import_runs.reader is
  'The process that reads the import. While its lease lasts, no other process makes the same calls.';
comment on column private.import_runs.model_failures is
  'How often in a row reading stopped because the model failed. The next delay depends on it.';
comment on column private.import_runs.calls is 'To the extractor that were answered.';

set local role service_role;

-- Imports that were claimed before there were rows, and rows without the new columns.
insert into private.import_runs (claim_id, import_id)
select i.claim_id, i.id
from public.imports i
where i.claim_id is not null
on conflict do nothing;

update private.import_runs r set
  hypotheses = i.requested_hypotheses,
  status = i.status,
  error_code = i.error_code,
  queued_at = coalesce(i.queued_at, i.created_at),
  begun_at = i.started_at,
  first_call_at = i.started_at,
  finished_at = case when i.status in ('queued', 'parsing') then null else coalesce(i.finished_at, i.updated_at) end,
  extractor = i.extractor,
  model = i.model,
  prompt_version = i.prompt_version,
  input_tokens = i.input_tokens,
  output_tokens = i.output_tokens,
  added = i.evidence_count
from public.imports i
where i.id = r.import_id;

reset role;

create index import_runs_import_id_idx on private.import_runs (import_id, queued_at);
create index import_runs_open_idx on private.import_runs (seen_at) where finished_at is null;
create index import_runs_requested_by_idx on private.import_runs (requested_by);

-- What a run added, changed and no longer found, one row for each piece of evidence and hypothesis.
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

-- Workers of the previous version join this name until they are stopped. A later migration drops it.
set local role service_role;
create view private.import_claims as
select import_id, claim_id, before, previous_run_id from private.import_runs;
reset role;
