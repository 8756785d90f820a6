-- +goose Up
-- The tables of research: projects, personas, hypotheses, questions, imports and evidence.
--
-- Every table of a project has workspace_id and project_id. Composite foreign keys keep each link within one
-- project, so that no row can refer to another workspace, whatever a client sends.

create type public.project_stage as enum ('problem', 'solution', 'market', 'scale');
create type public.project_status as enum ('active', 'paused', 'archived', 'completed');
create type public.hypothesis_category as enum ('problem', 'customer', 'value', 'channel', 'pricing', 'other');
create type public.hypothesis_importance as enum ('high', 'medium', 'low');
create type public.hypothesis_status as enum ('untested', 'testing', 'validated', 'invalidated', 'inconclusive', 'parked');
create type public.question_status as enum ('open', 'asked', 'answered', 'dropped');
create type public.question_priority as enum ('high', 'medium', 'low');
create type public.question_origin as enum ('human', 'ai');
create type public.import_status as enum ('uploaded', 'queued', 'parsing', 'parsed', 'failed', 'canceled', 'terminated', 'timed_out');
create type public.hypothesis_result as enum ('pending', 'supports', 'contradicts', 'mixed', 'nothing_found');
create type public.evidence_match as enum ('verbatim', 'repaired', 'manual');
create type public.evidence_origin as enum ('human', 'ai', 'keyword');
create type public.evidence_review as enum ('suggested', 'accepted', 'rejected');
create type public.evidence_stance as enum ('supports', 'contradicts', 'neutral');
create type public.evidence_strength as enum ('weak', 'medium', 'strong');

create table public.projects (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null constraint projects_workspace_id_fkey references public.workspaces (id) on delete cascade,
  name text not null constraint projects_name_check check (length(btrim(name)) between 1 and 200),
  description text not null default '',
  stage public.project_stage not null default 'problem',
  status public.project_status not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint projects_pkey primary key (id),
  constraint projects_id_workspace_id_key unique (id, workspace_id)
);
create index projects_workspace_id_idx on public.projects (workspace_id, created_at);
comment on table public.projects is 'A line of research within a workspace.';
comment on column public.projects.stage is 'How far the venture is: problem, solution, market, scale.';
comment on column public.projects.status is 'active, paused, archived or completed.';

create table public.personas (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  name text not null constraint personas_name_check check (length(btrim(name)) between 1 and 200),
  description text not null default '',
  segment text not null default '',
  goals text[] not null default '{}',
  pains text[] not null default '{}',
  attributes jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint personas_pkey primary key (id),
  constraint personas_id_project_id_key unique (id, project_id),
  constraint personas_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index personas_project_id_idx on public.personas (project_id, created_at);
create index personas_workspace_id_idx on public.personas (workspace_id);
comment on table public.personas is 'A kind of person the project is about.';
comment on column public.personas.segment is 'The market segment the person belongs to.';
comment on column public.personas.goals is 'What the person wants to get done.';
comment on column public.personas.pains is 'What stands in the way.';
comment on column public.personas.attributes is 'Anything else, as a JSON object of the client''s own.';

create table public.hypotheses (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  persona_id uuid,
  statement text not null constraint hypotheses_statement_check check (length(btrim(statement)) between 1 and 2000),
  category public.hypothesis_category not null default 'problem',
  importance public.hypothesis_importance not null default 'medium',
  status public.hypothesis_status not null default 'untested',
  falsified_if text not null default '',
  decided_by uuid constraint hypotheses_decided_by_fkey references public.profiles (id) on delete set null,
  decided_at timestamptz,
  decision_reason text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint hypotheses_pkey primary key (id),
  constraint hypotheses_id_project_id_key unique (id, project_id),
  constraint hypotheses_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint hypotheses_persona_id_fkey foreign key (persona_id, project_id)
    references public.personas (id, project_id)
);
create index hypotheses_project_id_idx on public.hypotheses (project_id, created_at);
create index hypotheses_workspace_id_idx on public.hypotheses (workspace_id);
create index hypotheses_persona_id_idx on public.hypotheses (persona_id);
create index hypotheses_decided_by_idx on public.hypotheses (decided_by);
comment on table public.hypotheses is 'A statement about the world that interviews can support or contradict.';
comment on column public.hypotheses.statement is 'One sentence that can turn out to be wrong, 1 to 2000 characters.';
comment on column public.hypotheses.category is 'problem, customer, value, channel, pricing or other.';
comment on column public.hypotheses.importance is 'high, medium or low: how much depends on it.';
comment on column public.hypotheses.falsified_if is 'What would have to be seen to give it up.';
comment on column public.hypotheses.decided_at is 'When status was last set; filled by the database.';
comment on column public.hypotheses.decision_reason is 'Why the verdict is what it is.';
comment on column public.hypotheses.status is 'The verdict; set by people only.';
comment on column public.hypotheses.decided_by is 'Who last set status; filled by the database, with decided_at.';

create table public.imports (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  persona_id uuid,
  title text not null constraint imports_title_check check (length(title) between 1 and 300),
  filename text not null default '',
  format text not null,
  size_bytes bigint not null,
  sha256 text not null,
  language text not null default '',
  status public.import_status not null default 'uploaded',
  progress_done integer not null default 0,
  progress_total integer not null default 0,
  error_code text,
  error_message text,
  workflow_id text,
  run_id text,
  claim_id uuid,
  requested_hypotheses uuid[] not null default '{}',
  extractor text,
  model text,
  prompt_version text,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  evidence_count integer not null default 0,
  rejected_count integer not null default 0,
  coverage double precision not null default 0 constraint imports_coverage_check check (coverage between 0 and 1),
  unread jsonb not null default '[]',
  queued_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  created_by uuid constraint imports_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint imports_pkey primary key (id),
  constraint imports_id_project_id_key unique (id, project_id),
  constraint imports_id_project_id_workspace_id_key unique (id, project_id, workspace_id),
  constraint imports_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint imports_persona_id_fkey foreign key (persona_id, project_id)
    references public.personas (id, project_id)
);
create index imports_project_id_idx on public.imports (project_id, created_at);
create index imports_workspace_id_idx on public.imports (workspace_id);
create index imports_persona_id_idx on public.imports (persona_id);
create index imports_created_by_idx on public.imports (created_by);
create index imports_open_idx on public.imports (queued_at) where status in ('queued', 'parsing');
comment on table public.imports is 'An uploaded transcript and the mirror of the workflow that parses it. Read only for clients.';
comment on column public.imports.filename is 'As it was uploaded.';
comment on column public.imports.format is 'The format that was detected: webvtt, srt, text, ….';
comment on column public.imports.size_bytes is 'Size of the uploaded file.';
comment on column public.imports.sha256 is 'Of the uploaded file, in hexadecimal digits.';
comment on column public.imports.language is 'A BCP 47 tag; empty where unknown.';
comment on column public.imports.status is 'uploaded → queued → parsing → parsed, or failed, canceled, terminated, timed_out; from those four it can be queued again.';
comment on column public.imports.progress_done is 'Chunks of the latest run that are done.';
comment on column public.imports.progress_total is 'Chunks of the latest run; 0 before it is planned.';
comment on column public.imports.error_code is 'Why the latest run ended without a result, for programs.';
comment on column public.imports.error_message is 'Why the latest run ended without a result, for people.';
comment on column public.imports.workflow_id is 'The Temporal workflow of the latest run.';
comment on column public.imports.run_id is 'The Temporal run of the latest run.';
comment on column public.imports.requested_hypotheses is 'The hypotheses of the latest request to parse.';
comment on column public.imports.extractor is 'Who looked for evidence: openai (a language model) or keyword (a keyword match, no AI).';
comment on column public.imports.model is 'The language model; null for none.';
comment on column public.imports.prompt_version is 'The version of the instructions that the model got.';
comment on column public.imports.input_tokens is 'What all runs sent to the model, in its tokens.';
comment on column public.imports.output_tokens is 'What the model answered in all runs, in its tokens.';
comment on column public.imports.evidence_count is 'Evidence that was found and proven.';
comment on column public.imports.rejected_count is 'Quotes that the extractor gave and the transcript does not hold: they are not evidence.';
comment on column public.imports.created_by is 'Who uploaded it.';
comment on column public.imports.claim_id is 'Names the latest request to parse: writes of an earlier one change nothing.';
comment on column public.imports.coverage is 'The part of the transcript that was read, 0 to 1.';
comment on column public.imports.unread is 'What could not be read: [{"from", "to", "reason"}], utterance ordinals, both included.';

create table private.transcripts (
  import_id uuid not null constraint transcripts_import_id_fkey references public.imports (id) on delete cascade,
  body bytea not null,
  constraint transcripts_pkey primary key (import_id)
);
-- Uncompressed, so that a slice can be read without the rest.
alter table private.transcripts alter column body set storage external;
comment on table private.transcripts is 'The normalised transcript, UTF-8; every byte offset of the service counts into it.';

create table public.utterances (
  import_id uuid not null,
  ordinal integer not null,
  workspace_id uuid not null,
  project_id uuid not null,
  speaker text not null default '',
  start_ms bigint,
  end_ms bigint,
  text text not null,
  byte_start integer not null,
  byte_end integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint utterances_pkey primary key (import_id, ordinal),
  constraint utterances_import_id_byte_start_key unique (import_id, byte_start),
  -- One key for all three columns, because an import has tens of thousands of rows.
  constraint utterances_import_id_fkey foreign key (import_id, project_id, workspace_id)
    references public.imports (id, project_id, workspace_id) on delete cascade,
  constraint utterances_bytes_check check (0 <= byte_start and byte_start <= byte_end)
);
create index utterances_workspace_id_idx on public.utterances (workspace_id);
comment on table public.utterances is 'Who said what, when, and at which bytes of the transcript: the texts, each followed by one line feed but the last. Read only for clients.';
comment on column public.utterances.ordinal is 'From 0, in the order of the transcript.';
comment on column public.utterances.start_ms is 'Milliseconds from the start of the recording; null where the transcript does not tell.';
comment on column public.utterances.end_ms is 'Milliseconds from the start of the recording; null where the transcript does not tell.';
comment on column public.utterances.byte_start is 'Where the text starts in the normalised transcript, in bytes of UTF-8.';
comment on column public.utterances.byte_end is 'The byte after its last.';

create table public.import_hypotheses (
  import_id uuid not null,
  hypothesis_id uuid not null,
  workspace_id uuid not null,
  project_id uuid not null,
  statement text not null,
  result public.hypothesis_result not null default 'pending',
  supports_count integer not null default 0,
  contradicts_count integer not null default 0,
  neutral_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- PostgREST embeds many-to-many if the key contains both foreign keys, hence project_id.
  constraint import_hypotheses_pkey primary key (import_id, hypothesis_id, project_id),
  constraint import_hypotheses_import_id_hypothesis_id_key unique (import_id, hypothesis_id),
  constraint import_hypotheses_import_id_fkey foreign key (import_id, project_id)
    references public.imports (id, project_id) on delete cascade,
  constraint import_hypotheses_hypothesis_id_fkey foreign key (hypothesis_id, project_id)
    references public.hypotheses (id, project_id) on delete cascade,
  constraint import_hypotheses_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index import_hypotheses_hypothesis_id_idx on public.import_hypotheses (hypothesis_id);
create index import_hypotheses_project_id_idx on public.import_hypotheses (project_id);
create index import_hypotheses_workspace_id_idx on public.import_hypotheses (workspace_id);
comment on table public.import_hypotheses is 'The answer of one import to one chosen hypothesis. Read only for clients.';
comment on column public.import_hypotheses.result is 'pending until the import is parsed; then supports, contradicts, mixed or nothing_found.';
comment on column public.import_hypotheses.supports_count is 'Evidence for it, without what people rejected.';
comment on column public.import_hypotheses.contradicts_count is 'Evidence against it, without what people rejected.';
comment on column public.import_hypotheses.neutral_count is 'Evidence that speaks to it either way, without what people rejected.';
comment on column public.import_hypotheses.statement is 'The hypothesis as it was worded when the import was parsed.';

create table public.evidence (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  import_id uuid,
  quote text not null constraint evidence_quote_check check (length(quote) >= 1),
  summary text not null default '',
  rationale text not null default '',
  speaker text not null default '',
  start_ms bigint,
  end_ms bigint,
  utterance_from integer,
  utterance_to integer,
  byte_start integer,
  byte_end integer,
  match public.evidence_match not null default 'manual',
  confidence double precision not null default 1 constraint evidence_confidence_check check (confidence between 0 and 1),
  origin public.evidence_origin not null default 'human',
  review public.evidence_review not null default 'suggested',
  model text,
  prompt_version text,
  edited_at timestamptz,
  reviewed_by uuid constraint evidence_reviewed_by_fkey references public.profiles (id) on delete set null,
  reviewed_at timestamptz,
  created_by uuid constraint evidence_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint evidence_pkey primary key (id),
  constraint evidence_id_project_id_key unique (id, project_id),
  constraint evidence_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint evidence_import_id_fkey foreign key (import_id, project_id)
    references public.imports (id, project_id) on delete cascade,
  constraint evidence_bytes_check check ((byte_start is null) = (byte_end is null)
    and (byte_start is null or (import_id is not null and 0 <= byte_start and byte_start < byte_end))),
  constraint evidence_match_check check (match = 'manual' or byte_start is not null)
);
create index evidence_created_by_idx on public.evidence (created_by);
create index evidence_reviewed_by_idx on public.evidence (reviewed_by);
create index evidence_project_id_idx on public.evidence (project_id, created_at);
create index evidence_workspace_id_idx on public.evidence (workspace_id, created_at);
create index evidence_import_id_idx on public.evidence (import_id, byte_start);
comment on table public.evidence is 'A quote that speaks for or against hypotheses.';
comment on column public.evidence.import_id is 'The transcript it was taken from; null for evidence from elsewhere. It cannot change.';
comment on column public.evidence.speaker is 'Who says it. Looked up by the database where the quote has offsets.';
comment on column public.evidence.start_ms is 'Start of the first utterance of the quote, in milliseconds. Looked up by the database where the quote has offsets.';
comment on column public.evidence.end_ms is 'End of the last utterance of the quote, in milliseconds. Looked up by the database where the quote has offsets.';
comment on column public.evidence.utterance_from is 'Ordinal of the first utterance of the quote. Looked up by the database where the quote has offsets.';
comment on column public.evidence.utterance_to is 'Ordinal of the last utterance of the quote. Looked up by the database where the quote has offsets.';
comment on column public.evidence.byte_start is 'Where the quote starts in the normalised transcript, in bytes of UTF-8. Found by the database where a client leaves it out.';
comment on column public.evidence.byte_end is 'The byte after its last.';
comment on column public.evidence.summary is 'The point in a few words.';
comment on column public.evidence.rationale is 'Why it speaks for or against the hypotheses.';
comment on column public.evidence.confidence is '0 to 1, as the extractor sees it; 1 for what a person entered.';
comment on column public.evidence.review is 'suggested until a person says accepted or rejected.';
comment on column public.evidence.model is 'The language model that found it; null for none.';
comment on column public.evidence.prompt_version is 'The version of the instructions that the model got.';
comment on column public.evidence.edited_at is 'When a person last changed quote, summary, rationale or a link. A later run leaves it alone.';
comment on column public.evidence.reviewed_by is 'Who last set review; filled by the database.';
comment on column public.evidence.reviewed_at is 'When review was last set; filled by the database.';
comment on column public.evidence.created_by is 'Who entered it; null for what an extractor found. Filled by the database.';
comment on column public.evidence.quote is 'With byte_start and byte_end, the very bytes of the transcript: the database refuses anything else.';
comment on column public.evidence.match is 'verbatim: as the extractor quoted it; repaired: the quote was put right to the source; manual: a person entered it.';
comment on column public.evidence.origin is 'human, ai, or keyword (a keyword match is no AI).';

create table public.evidence_hypotheses (
  evidence_id uuid not null,
  hypothesis_id uuid not null,
  workspace_id uuid not null,
  project_id uuid not null,
  stance public.evidence_stance not null default 'neutral',
  strength public.evidence_strength not null default 'medium',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- PostgREST embeds many-to-many if the key contains both foreign keys, hence project_id.
  constraint evidence_hypotheses_pkey primary key (evidence_id, hypothesis_id, project_id),
  constraint evidence_hypotheses_evidence_id_hypothesis_id_key unique (evidence_id, hypothesis_id),
  constraint evidence_hypotheses_evidence_id_fkey foreign key (evidence_id, project_id)
    references public.evidence (id, project_id) on delete cascade,
  constraint evidence_hypotheses_hypothesis_id_fkey foreign key (hypothesis_id, project_id)
    references public.hypotheses (id, project_id) on delete cascade,
  constraint evidence_hypotheses_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index evidence_hypotheses_hypothesis_id_idx on public.evidence_hypotheses (hypothesis_id, created_at);
create index evidence_hypotheses_project_id_idx on public.evidence_hypotheses (project_id);
create index evidence_hypotheses_workspace_id_idx on public.evidence_hypotheses (workspace_id);
comment on table public.evidence_hypotheses is 'For or against which hypothesis a piece of evidence speaks, and how strongly.';
comment on column public.evidence_hypotheses.stance is 'supports, contradicts or neutral.';
comment on column public.evidence_hypotheses.strength is 'weak, medium or strong.';

create table public.questions (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  hypothesis_id uuid,
  persona_id uuid,
  text text not null constraint questions_text_check check (length(btrim(text)) between 1 and 2000),
  status public.question_status not null default 'open',
  priority public.question_priority not null default 'medium',
  answer_evidence_id uuid,
  origin public.question_origin not null default 'human',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint questions_pkey primary key (id),
  constraint questions_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint questions_hypothesis_id_fkey foreign key (hypothesis_id, project_id)
    references public.hypotheses (id, project_id) on delete cascade,
  constraint questions_persona_id_fkey foreign key (persona_id, project_id)
    references public.personas (id, project_id),
  constraint questions_answer_evidence_id_fkey foreign key (answer_evidence_id, project_id)
    references public.evidence (id, project_id)
);
create index questions_project_id_idx on public.questions (project_id, created_at);
create index questions_workspace_id_idx on public.questions (workspace_id);
create index questions_hypothesis_id_idx on public.questions (hypothesis_id);
create index questions_persona_id_idx on public.questions (persona_id);
create index questions_answer_evidence_id_idx on public.questions (answer_evidence_id);
comment on table public.questions is 'What to ask next.';
comment on column public.questions.status is 'open, asked, answered or dropped.';
comment on column public.questions.priority is 'high, medium or low.';
comment on column public.questions.answer_evidence_id is 'The evidence that answers it.';
comment on column public.questions.origin is 'human or ai; filled by the database.';

-- The response of a model about one chunk, under a key made from transcript, range, hypotheses, prompt
-- version and model, so that it is paid for once.
create table private.chunk_answers (
  key bytea not null,
  import_id uuid not null constraint chunk_answers_import_id_fkey references public.imports (id) on delete cascade,
  answer jsonb not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at timestamptz not null default now(),
  constraint chunk_answers_pkey primary key (key, import_id)
);
create index chunk_answers_import_id_idx on private.chunk_answers (import_id);

-- Triggers --------------------------------------------------------------------------------------------------

set local role service_role;

-- Triggers that read with more rights than the caller check this first, so that their errors reveal nothing
-- to a caller outside of the workspace: the policy of the table rejects the row afterwards. (In such a
-- function current_user is the owner of the function; the setting still names the role of the request.)
create function private.caller_may_see(workspace uuid) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select current_setting('role', true) not in ('anon', 'authenticated')
    or exists (select from public.workspace_members m where m.user_id = auth.uid() and m.workspace_id = workspace)
$$;

-- Fills workspace_id from the project if a client leaves it out. A row never leaves its workspace and
-- project. For a project that the caller cannot see, or that belongs to another workspace than the client
-- says, it becomes null, which the policy rejects before any key is compared: a duplicate would reveal more
-- than a missing row.
-- +goose StatementBegin
create function private.fill_workspace() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  of_project uuid;
begin
  if tg_op = 'UPDATE' then
    if new.project_id is distinct from old.project_id or new.workspace_id is distinct from old.workspace_id then
      raise exception 'a row cannot move to another project or workspace'
        using errcode = 'check_violation', constraint = tg_table_name || '_project_kept', hint = 'Create it there anew.';
    end if;
    return new;
  end if;
  select p.workspace_id into of_project from public.projects p
    where p.id = new.project_id and private.caller_may_see(p.workspace_id);
  if new.workspace_id is null then
    new.workspace_id := of_project;
  elsif new.workspace_id is distinct from of_project and current_setting('role', true) in ('anon', 'authenticated') then
    new.workspace_id := null;
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- The same for a link. It may leave out the project too, which is then that of its hypothesis. A link of a
-- client to a hypothesis outside of the project is rejected here, before the unique key could reveal that
-- another project has the same link.
-- +goose StatementBegin
create function private.fill_project_of_link() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' and new.project_id is null then
    select h.project_id into new.project_id from public.hypotheses h
      where h.id = new.hypothesis_id and private.caller_may_see(h.workspace_id);
  elsif current_setting('role', true) in ('anon', 'authenticated')
    and exists (select from public.projects p where p.id = new.project_id and private.caller_may_see(p.workspace_id))
    and not exists (select from public.hypotheses h where h.id = new.hypothesis_id and h.project_id = new.project_id) then
    raise exception 'the project has no such hypothesis'
      using errcode = 'foreign_key_violation', table = tg_table_name, constraint = tg_table_name || '_hypothesis_id_fkey';
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- A quote with offsets must equal the transcript's bytes, whoever writes it; utterances, speaker and times
-- are looked up, never taken from the client. A person's quote without offsets is searched for in its import,
-- and located if it is found.
-- +goose StatementBegin
create function private.prove_quote() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  found_at integer;
begin
  -- All three keys: with a workspace of his own and the project and import of another, a stranger would learn from
  -- the kind of the refusal what the transcript says.
  if new.import_id is null or not private.caller_may_see(new.workspace_id) or not exists (
    select from public.imports i where i.id = new.import_id and i.project_id = new.project_id and i.workspace_id = new.workspace_id
  ) then
    return new; -- the policy or a foreign key refuses what is not allowed
  end if;
  if new.byte_start is null then
    select position(convert_to(new.quote, 'UTF8') in t.body) into found_at from private.transcripts t where t.import_id = new.import_id;
    if coalesce(found_at, 0) = 0 then
      return new;
    end if;
    new.byte_start := found_at - 1;
    new.byte_end := found_at - 1 + octet_length(convert_to(new.quote, 'UTF8'));
  elsif new.byte_end is null or new.byte_start < 0 or new.byte_end <= new.byte_start then
    return new; -- evidence_bytes_check refuses
  elsif not exists (
    select from private.transcripts t where t.import_id = new.import_id
      and substring(t.body from new.byte_start + 1 for new.byte_end - new.byte_start) = convert_to(new.quote, 'UTF8')
  ) then
    raise exception 'the quote is not what the transcript says at these offsets'
      using errcode = 'check_violation', constraint = 'evidence_quote_proven',
            hint = 'byte_start and byte_end count UTF-8 bytes of the utterances joined by line feeds.';
  end if;
  select min(u.ordinal), max(u.ordinal), min(u.start_ms), max(u.end_ms), (array_agg(u.speaker order by u.ordinal))[1]
    into new.utterance_from, new.utterance_to, new.start_ms, new.end_ms, new.speaker
    from public.utterances u
    where u.import_id = new.import_id and u.byte_start < new.byte_end and u.byte_end > new.byte_start
      -- Utterances do not overlap, so the one that holds the first byte is the last that starts at or before it: a range of the index.
      and u.byte_start >= (select max(v.byte_start) from public.utterances v where v.import_id = new.import_id and v.byte_start <= new.byte_start);
  new.speaker := coalesce(new.speaker, '');
  return new;
end $$;
-- +goose StatementEnd

-- Clears references to a persona that is deleted: before the deletion, so that foreign keys need not be
-- deferred, and not if the project is deleted, because the referring rows are deleted too. (ON DELETE SET
-- NULL of one column of a composite key needs PostgreSQL 15.)
-- +goose StatementBegin
create function private.forget_persona() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if not exists (select from public.projects p where p.id = old.project_id) then
    return old;
  end if;
  update public.hypotheses set persona_id = null where persona_id = old.id;
  update public.questions set persona_id = null where persona_id = old.id;
  update public.imports set persona_id = null where persona_id = old.id;
  return old;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.forget_evidence() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if not exists (select from public.projects p where p.id = old.project_id) then
    return old;
  end if;
  update public.questions set answer_evidence_id = null where answer_evidence_id = old.id;
  return old;
end $$;
-- +goose StatementEnd

-- A link that a person adds, changes or removes marks the evidence as edited. It runs with the rights of
-- service_role, because stamp_evidence sets the stamps of what a person writes; the condition of the trigger
-- restricts it to people.
-- +goose StatementBegin
create function private.mark_evidence_edited() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    update public.evidence set edited_at = now() where id = old.evidence_id;
  end if;
  if tg_op <> 'DELETE' then
    update public.evidence set edited_at = now() where id = new.evidence_id;
  end if;
  return null;
end $$;
-- +goose StatementEnd

reset role;

-- Evidence that a person enters is marked as human: clients cannot choose its origin, model or creator. What
-- a person edits is marked, so that later runs do not change it.
-- +goose StatementBegin
create function private.stamp_evidence() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    new.origin := 'human';
    new.match := case when new.byte_start is null then 'manual' else 'verbatim' end;
    new.confidence := 1;
    new.model := null;
    new.prompt_version := null;
    new.edited_at := null;
    new.reviewed_by := null;
    new.reviewed_at := null;
    if new.review <> 'suggested' then
      new.reviewed_by := auth.uid();
      new.reviewed_at := now();
    end if;
    return new;
  end if;
  new.origin := old.origin;
  new.model := old.model;
  new.prompt_version := old.prompt_version;
  new.confidence := old.confidence;
  new.match := old.match;
  if new.import_id is distinct from old.import_id then
    raise exception 'evidence cannot move to another import'
      using errcode = 'check_violation', constraint = 'evidence_import_kept', hint = 'Create it there anew.';
  end if;
  if (new.quote, new.byte_start, new.byte_end) is distinct from (old.quote, old.byte_start, old.byte_end) then
    if new.quote is distinct from old.quote and (new.byte_start, new.byte_end) is not distinct from (old.byte_start, old.byte_end) then
      new.byte_start := null;
      new.byte_end := null;
    end if;
    new.match := case when new.byte_start is null then 'manual' else 'verbatim' end;
  end if;
  if new.review is distinct from old.review then
    new.reviewed_by := auth.uid();
    new.reviewed_at := now();
  else
    new.reviewed_by := old.reviewed_by;
    new.reviewed_at := old.reviewed_at;
  end if;
  new.edited_at := case
    when (new.quote, new.summary, new.rationale) is distinct from (old.quote, old.summary, old.rationale) then now()
    else old.edited_at end;
  return new;
end $$;
-- +goose StatementEnd

-- Records who decided on a hypothesis, and when.
-- +goose StatementBegin
create function private.stamp_decision() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  if tg_op = 'UPDATE' and new.status is not distinct from old.status then
    new.decided_by := old.decided_by;
    new.decided_at := old.decided_at;
  elsif tg_op = 'UPDATE' or new.status <> 'untested' then
    new.decided_by := auth.uid();
    new.decided_at := now();
  else
    new.decided_by := null;
    new.decided_at := null;
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.stamp_question() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user in ('anon', 'authenticated') then
    new.origin := case tg_op when 'INSERT' then 'human' else old.origin end;
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- A project stays in its workspace, because the keys of its rows contain both.
-- +goose StatementBegin
create function private.keep_workspace() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.workspace_id is distinct from old.workspace_id then
    raise exception 'a project cannot move to another workspace'
      using errcode = 'check_violation', constraint = 'projects_workspace_kept', hint = 'Create it there anew.';
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- Triggers of one event fire in the order of their names: 1 fills keys, 2 stamps, 3 proves.
-- +goose StatementBegin
do $$
declare
  t text;
begin
  -- Utterances have none: clients cannot write them, and there are tens of thousands an import.
  foreach t in array array['projects', 'personas', 'hypotheses', 'imports', 'import_hypotheses', 'evidence', 'evidence_hypotheses', 'questions'] loop
    execute format('create trigger t2_stamp before insert or update on public.%I for each row execute function private.stamp()', t);
    if t <> 'projects' then
      execute format('create trigger t1_workspace before insert or update on public.%I for each row execute function private.fill_workspace()', t);
    end if;
    if t not in ('import_hypotheses', 'evidence_hypotheses') then
      execute format('create trigger t1_key before update on public.%I for each row when (old.id <> new.id) execute function private.keep_key()', t);
    end if;
  end loop;
end $$;
-- +goose StatementEnd
create trigger t1_workspace before update on public.projects for each row execute function private.keep_workspace();
create trigger t0_project before insert or update on public.evidence_hypotheses for each row execute function private.fill_project_of_link();
create trigger t2_creator before insert or update on public.imports for each row execute function private.stamp_creator();
create trigger t2_creator before insert or update on public.evidence for each row execute function private.stamp_creator();
create trigger t2_decision before insert or update on public.hypotheses for each row execute function private.stamp_decision();
create trigger t2_origin before insert or update on public.questions for each row execute function private.stamp_question();
create trigger t2_origin before insert or update on public.evidence for each row execute function private.stamp_evidence();
create trigger t3_prove before insert or update of quote, import_id, byte_start, byte_end, speaker, start_ms, end_ms, utterance_from, utterance_to
  on public.evidence for each row execute function private.prove_quote();
create trigger t4_edited after insert or update or delete on public.evidence_hypotheses
  for each row when (current_user in ('anon', 'authenticated')) execute function private.mark_evidence_edited();
create trigger t4_forget before delete on public.personas for each row execute function private.forget_persona();
create trigger t4_forget before delete on public.evidence for each row execute function private.forget_evidence();

-- Row-level security ----------------------------------------------------------------------------------------

-- +goose StatementBegin
do $$
declare
  t text;
begin
  foreach t in array array['projects', 'personas', 'hypotheses', 'imports', 'utterances', 'import_hypotheses', 'evidence', 'evidence_hypotheses', 'questions'] loop
    execute format('alter table public.%I enable row level security', t);
    execute format('alter table public.%I force row level security', t);
    execute format('create policy service on public.%I to service_role using (true) with check (true)', t);
    execute format('create policy see on public.%I for select to authenticated using (workspace_id = any (array(select private.my_workspaces())))', t);
    execute format('grant select, insert, update, delete on public.%I to service_role', t);
    execute format('grant select on public.%I to authenticated', t);
    if t not in ('imports', 'utterances', 'import_hypotheses') then
      execute format('create policy add on public.%I for insert to authenticated with check (workspace_id = any (array(select private.my_workspaces(''editor''))))', t);
      execute format('create policy change on public.%I for update to authenticated using (workspace_id = any (array(select private.my_workspaces(''editor'')))) with check (workspace_id = any (array(select private.my_workspaces(''editor''))))', t);
      execute format('create policy remove on public.%I for delete to authenticated using (workspace_id = any (array(select private.my_workspaces(''editor''))))', t);
      execute format('grant insert, update, delete on public.%I to authenticated', t);
    end if;
  end loop;
end $$;
-- +goose StatementEnd

grant select, insert, update, delete on private.transcripts, private.chunk_answers to service_role;
