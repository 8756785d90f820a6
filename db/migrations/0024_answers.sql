-- +goose Up
-- Answers: what people ask over the interviews of a project, the sentences that answer, and the quotes that
-- prove each of them.

create type public.answer_mode as enum ('quick', 'thorough', 'passages');
create type public.answer_status as enum (
  'queued', 'reading', 'answered', 'failed', 'canceled', 'timed_out', 'terminated'
);
create type public.answer_result as enum ('answered', 'partly', 'not_answered', 'not_found');

create table public.answers (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  question_id uuid,
  question text not null
    constraint answers_question_check
    check (length(question) between 3 and 1000 and question = btrim(question, e' \t\r\n')),
  mode public.answer_mode not null,
  scope jsonb not null default '{}'
    constraint answers_scope_check
    check (jsonb_typeof(scope) = 'object' and octet_length(scope::text) <= 50000),
  title text not null default '' constraint answers_title_length check (length(title) <= 300),
  kept boolean not null default false,
  status public.answer_status not null default 'queued',
  result public.answer_result,
  missing text not null default '' constraint answers_missing_length check (length(missing) <= 1000),
  waiting_reason text constraint answers_waiting_reason_check
    check (waiting_reason in (
      'worker', 'turn', 'model_unavailable', 'model_rate_limited', 'token_budget', 'paused',
      'no_worker_of_version', 'workflow_task_failing'
    )),
  imports_total integer not null default 0,
  imports_read integer not null default 0,
  passages_total integer not null default 0,
  passages_read integer not null default 0,
  coverage double precision not null default 0
    constraint answers_coverage_check check (coverage between 0 and 1),
  progress_done integer not null default 0,
  progress_total integer not null default 0,
  people_total integer not null default 0,
  people_count integer not null default 0,
  unsupported_count integer not null default 0,
  rejected_count integer not null default 0,
  stale_since timestamptz,
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
  created_by uuid constraint answers_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  seen_at timestamptz not null default now(),
  constraint answers_pkey primary key (id),
  constraint answers_id_project_id_workspace_id_key unique (id, project_id, workspace_id),
  constraint answers_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint answers_question_id_fkey foreign key (question_id, project_id)
    references public.questions (id, project_id),
  constraint answers_result_check check (result is null or status = 'answered')
);
create index answers_project_id_idx on public.answers (project_id, created_at);
create index answers_workspace_id_idx on public.answers (workspace_id, created_at);
create index answers_question_id_idx on public.answers (question_id);
create index answers_created_by_idx on public.answers (created_by);
create index answers_claim_id_idx on public.answers (claim_id);
create index answers_open_idx on public.answers (seen_at) where status in ('queued', 'reading');
comment on table public.answers is
  'A question over the interviews of a project, and how it was answered. Editors may change title and kept.';
comment on column public.answers.question_id is 'The question of the project that it answers, if it is one.';
comment on column public.answers.question is 'As it was asked, 3 to 1000 characters.';
comment on column public.answers.mode is
  'quick: the passages that have most in common with the question are read; thorough: everything is read; '
  'passages: such passages are shown, without AI.';
comment on column public.answers.scope is
  'Which interviews are asked: {"personas", "imports"} with ids, {"from", "to"} with days, each optional. '
  'Ids of what was deleted have no meaning.';
comment on column public.answers.title is 'A title that people give it; empty for none.';
comment on column public.answers.kept is 'Whether people want to keep it at hand.';
comment on column public.answers.status is
  'queued → reading → answered, failed, canceled, timed_out or terminated. It can then be asked again.';
comment on column public.answers.result is
  'answered; partly; not_answered: everything was read and nothing answers it; not_found: nothing in what '
  'was read answers it. null until it has one, and for passages that were found without AI.';
comment on column public.answers.missing is
  'What of the question the interviews do not answer, as the model puts it.';
comment on column public.answers.waiting_reason is
  'What an open answer is waiting for, as in imports; null while it is read.';
comment on column public.answers.imports_total is 'Interviews in the scope.';
comment on column public.answers.imports_read is 'Interviews of which something was read.';
comment on column public.answers.passages_total is 'Passages of the interviews in the scope.';
comment on column public.answers.passages_read is 'Passages that were read.';
comment on column public.answers.coverage is 'The part of the scope that was read, from 0 to 1.';
comment on column public.answers.progress_done is 'Steps of the latest run that are done.';
comment on column public.answers.progress_total is 'Steps of the latest run; 0 before it is planned.';
comment on column public.answers.people_total is 'People who speak in the scope, without interviewers.';
comment on column public.answers.people_count is 'People whose words the sentences quote.';
comment on column public.answers.unsupported_count is
  'Sentences of the model that its quotes do not support. They are not part of the answer.';
comment on column public.answers.rejected_count is
  'Quotes of the model that are not a participant''s words in the passage that they cite.';
comment on column public.answers.stale_since is
  'Since when the interviews in the scope are not those that were read: one is new, changed or deleted. '
  'Or since when a later run ended without success after it was planned: the text is of an earlier one.';
comment on column public.answers.extractor is
  'openai (a language model) or keyword (words in common, without AI): what answered.';
comment on column public.answers.model is 'The language model; null for none.';
comment on column public.answers.prompt_version is 'The version of the instructions to the model.';
comment on column public.answers.input_tokens is
  'Tokens of the requests of all runs, as counted by the model.';
comment on column public.answers.output_tokens is
  'Tokens of the responses to all runs, as counted by the model.';
comment on column public.answers.workflow_id is
  'The Temporal workflow of the latest run that began; null before the first.';
comment on column public.answers.run_id is 'The latest run that began, in Temporal; null before the first.';
comment on column public.answers.claim_id is
  'The latest request to answer. Writes of an earlier request change nothing.';
comment on column public.answers.error_code is 'Why the latest run ended without success, for programs.';
comment on column public.answers.error_message is 'Why the latest run ended without success, for people.';
comment on column public.answers.created_by is 'Who asked.';
comment on column public.answers.seen_at is 'When the latest run was last known to be open.';

alter table public.answers enable row level security;
alter table public.answers force row level security;
create policy service on public.answers to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.answers for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy change on public.answers for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.answers for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.answers to service_role;
grant select, update (title, kept), delete on public.answers to authenticated;

create table public.answer_sentences (
  answer_id uuid not null,
  ordinal integer not null,
  workspace_id uuid not null,
  project_id uuid not null,
  text text not null constraint answer_sentences_text_check check (length(text) between 1 and 2000),
  people_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint answer_sentences_pkey primary key (answer_id, ordinal),
  constraint answer_sentences_answer_id_ordinal_project_id_key unique (answer_id, ordinal, project_id),
  constraint answer_sentences_answer_id_fkey foreign key (answer_id, project_id, workspace_id)
    references public.answers (id, project_id, workspace_id) on delete cascade
);
create index answer_sentences_workspace_id_idx on public.answer_sentences (workspace_id);
comment on table public.answer_sentences is
  'The sentences of an answer. Each has a quote that proves it. Read only for clients.';
comment on column public.answer_sentences.answer_id is 'The answer that it is part of.';
comment on column public.answer_sentences.ordinal is 'From 0, in the order of the answer.';
comment on column public.answer_sentences.people_count is 'People whose words its quotes are.';

alter table public.answer_sentences enable row level security;
alter table public.answer_sentences force row level security;
create policy service on public.answer_sentences to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.answer_sentences for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.answer_sentences to service_role;
grant select on public.answer_sentences to authenticated;

create table public.answer_quotes (
  id uuid not null default gen_random_uuid(),
  answer_id uuid not null,
  workspace_id uuid not null,
  project_id uuid not null,
  sentence_ordinal integer,
  ordinal integer not null,
  import_id uuid not null,
  quote text not null
    constraint answer_quotes_quote_check check (length(quote) >= 1 and octet_length(quote) <= 100000),
  speaker text not null default '',
  speaker_confirmed boolean not null default true,
  start_ms bigint,
  utterance_from integer,
  utterance_to integer,
  byte_start integer not null,
  byte_end integer not null,
  match public.evidence_match not null
    constraint answer_quotes_match_check check (match in ('verbatim', 'repaired')),
  evidence_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint answer_quotes_pkey primary key (id),
  constraint answer_quotes_answer_id_fkey foreign key (answer_id, project_id, workspace_id)
    references public.answers (id, project_id, workspace_id) on delete cascade,
  constraint answer_quotes_sentence_ordinal_fkey foreign key (answer_id, sentence_ordinal, project_id)
    references public.answer_sentences (answer_id, ordinal, project_id) on delete cascade,
  constraint answer_quotes_import_id_fkey foreign key (import_id, project_id, workspace_id)
    references public.imports (id, project_id, workspace_id) on delete cascade,
  constraint answer_quotes_evidence_id_fkey foreign key (evidence_id, project_id)
    references public.evidence (id, project_id),
  constraint answer_quotes_bytes_check check (0 <= byte_start and byte_start < byte_end)
);
create index answer_quotes_answer_id_idx on public.answer_quotes (answer_id, sentence_ordinal, ordinal);
create index answer_quotes_workspace_id_idx on public.answer_quotes (workspace_id);
create index answer_quotes_import_id_idx on public.answer_quotes (import_id);
create index answer_quotes_evidence_id_idx on public.answer_quotes (evidence_id);
comment on table public.answer_quotes is
  'The quotes of answers. Editors may set evidence_id, to evidence of the project that they made of a quote.';
comment on column public.answer_quotes.answer_id is 'The answer that it is part of.';
comment on column public.answer_quotes.sentence_ordinal is
  'The sentence that it proves; null for a passage that is shown as it is.';
comment on column public.answer_quotes.ordinal is 'From 0, in the order of the sentence or the passages.';
comment on column public.answer_quotes.quote is
  'Exactly the bytes of the transcript from byte_start to byte_end; the database rejects anything else.';
comment on column public.answer_quotes.speaker is 'The speaker. Looked up by the database.';
comment on column public.answer_quotes.speaker_confirmed is
  'false while it is doubtful who says the words: the quote counts for no person.';
comment on column public.answer_quotes.start_ms is
  'Start of the first utterance of the quote, in milliseconds; null if unknown. Looked up by the database.';
comment on column public.answer_quotes.utterance_from is
  'Ordinal of the first utterance of the quote. Looked up by the database.';
comment on column public.answer_quotes.utterance_to is
  'Ordinal of the last utterance of the quote. Looked up by the database.';
comment on column public.answer_quotes.byte_start is
  'First byte of the quote in the transcript, in UTF-8.';
comment on column public.answer_quotes.byte_end is 'The byte after the last byte of the quote.';
comment on column public.answer_quotes.match is
  'verbatim: as quoted; repaired: corrected to the wording of the transcript.';
comment on column public.answer_quotes.evidence_id is 'The evidence that was made of it; null for none.';

alter table public.answer_quotes enable row level security;
alter table public.answer_quotes force row level security;
create policy service on public.answer_quotes to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.answer_quotes for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy change on public.answer_quotes for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.answer_quotes to service_role;
grant select, update (evidence_id) on public.answer_quotes to authenticated;

-- As in 0020_storage.sql.
alter table public.answers
  alter column question set storage external,
  alter column scope set storage external,
  alter column title set storage external,
  alter column missing set storage external,
  alter column waiting_reason set storage external,
  alter column extractor set storage external,
  alter column model set storage external,
  alter column prompt_version set storage external,
  alter column workflow_id set storage external,
  alter column run_id set storage external,
  alter column error_code set storage external,
  alter column error_message set storage external;
alter table public.answer_sentences alter column text set storage external;
alter table public.answer_quotes
  alter column quote set storage external,
  alter column speaker set storage external;

-- The plan of the latest run: the passages or chunks that are read.
create table private.answer_parts (
  answer_id uuid not null
    constraint answer_parts_answer_id_fkey references public.answers (id) on delete cascade,
  claim_id uuid not null,
  ordinal integer not null,
  import_id uuid not null
    constraint answer_parts_import_id_fkey references public.imports (id) on delete cascade,
  utterance_from integer not null,
  utterance_to integer not null,
  byte_start integer not null,
  byte_end integer not null,
  read_at timestamptz,
  done_at timestamptz,
  response_keys bytea[] not null default '{}',
  unread jsonb not null default '[]',
  reserved_tokens bigint not null default 0,
  constraint answer_parts_pkey primary key (answer_id, claim_id, ordinal)
);
create index answer_parts_import_id_idx on private.answer_parts (import_id);
comment on table private.answer_parts is 'The passages or chunks that runs of answers read.';
comment on column private.answer_parts.utterance_to is 'Exclusive.';
comment on column private.answer_parts.read_at is
  'When an activity last said that it reads the part; null if none does.';
comment on column private.answer_parts.response_keys is
  'Of private.chunk_responses: several where the chunk had to be split.';
comment on column private.answer_parts.unread is '[{"from", "to", "reason"}], ordinals, both included.';
comment on column private.answer_parts.reserved_tokens is
  'What the call under way will take at least; 0 between calls.';
grant select, insert, update, delete on private.answer_parts to service_role;

-- Rewordings, compositions and groups of labels. What chunks say is in private.chunk_responses.
create table private.answer_responses (
  key bytea not null,
  project_id uuid not null,
  workspace_id uuid not null,
  response jsonb not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at timestamptz not null default now(),
  constraint answer_responses_pkey primary key (key, project_id),
  constraint answer_responses_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index answer_responses_project_id_idx on private.answer_responses (project_id);
create index answer_responses_workspace_id_idx on private.answer_responses (workspace_id);
create index answer_responses_created_at_idx on private.answer_responses (created_at);
comment on table private.answer_responses is
  'Responses of a model over several interviews, under keys made from what was asked, so that each is paid '
  'for once. They go when an interview of the project is deleted or changed.';
grant select, insert, update, delete on private.answer_responses to service_role;

-- What a user asked or had proposed within an hour, for ASK_LIMIT. Deleting an answer does not make it less.
create table private.answer_claims (
  claim_id uuid not null,
  claimed_by uuid not null
    constraint answer_claims_claimed_by_fkey references auth.users (id) on delete cascade,
  claimed_at timestamptz not null default now(),
  constraint answer_claims_pkey primary key (claim_id)
);
create index answer_claims_claimed_by_idx on private.answer_claims (claimed_by, claimed_at);
comment on table private.answer_claims is
  'The requests of users to answer or to propose themes, for an hour.';
grant select, insert, update, delete on private.answer_claims to service_role;

-- Scope -----------------------------------------------------------------------------------------------------

set local role service_role;

-- The day that counts for a scope.
create function private.day_of(interviewed_on date, created_at timestamptz) returns date
language sql immutable
return coalesce(interviewed_on, (created_at at time zone 'UTC')::date);

-- The interviews of a project that a scope has. One belongs to the personas of its participants.
-- +goose StatementBegin
create function private.scope_imports(project uuid, scope jsonb) returns setof uuid
language sql stable begin atomic
  select i.id
  from public.imports i
  where i.project_id = project
    and exists (select from private.transcripts t where t.import_id = i.id)
    and (not scope ? 'imports' or scope -> 'imports' ? i.id::text)
    and (not scope ? 'from' or private.day_of(i.interviewed_on, i.created_at) >= (scope ->> 'from')::date)
    and (not scope ? 'to' or private.day_of(i.interviewed_on, i.created_at) <= (scope ->> 'to')::date)
    and (not scope ? 'personas' or i.id in (
      select v.import_id
      from private.search_voices(
        project, array(select p::uuid from jsonb_array_elements_text(scope -> 'personas') p), null) v
    ));
end;
-- +goose StatementEnd

-- It changes with a transcript, which is never updated in place.
create function private.transcript_version(import uuid) returns text
language sql stable
return (select t.xmin::text from private.transcripts t where t.import_id = import);

-- Whether a scope may have an interview, whoever speaks: a deleted one no longer has its participants, whose
-- personas count.
create function private.may_be_in_scope(scope jsonb, import uuid, day date) returns boolean
language sql immutable
return (not scope ? 'imports' or scope -> 'imports' ? import::text)
  and (not scope ? 'from' or day >= (scope ->> 'from')::date)
  and (not scope ? 'to' or day <= (scope ->> 'to')::date);

-- Who a speaker of an import is: a participant, or else the speakers of the import with one display name.
create function private.person_of(participant uuid, import uuid, display_name text) returns text
language sql immutable
return coalesce(participant::text, import::text || ' ' || display_name);

-- How many people speak in imports, without interviewers.
create function private.count_people(imports uuid[]) returns integer
language sql stable
return (
  select count(distinct private.person_of(s.participant_id, s.import_id, s.display_name))
  from public.import_speakers s
  where s.import_id = any (imports) and s.role = 'participant'
);

-- Following what interviews are -----------------------------------------------------------------------------

-- The offsets of a quote must be those of its words, whoever writes it. Its speaker, time and utterances are
-- looked up.
-- +goose StatementBegin
create function private.prove_answer_quote() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  place record;
begin
  if not private.lock_transcript(new.workspace_id, new.project_id, new.import_id)
    or octet_length(new.quote) > 100000 or new.byte_start < 0 or new.byte_end <= new.byte_start
  then
    return new; -- a constraint rejects it
  end if;
  perform private.require_words(new.import_id, new.quote, new.byte_start, new.byte_end, tg_table_name);
  select * into place from private.place_of(new.import_id, new.byte_start, new.byte_end);
  new.utterance_from := place.utterance_from;
  new.utterance_to := place.utterance_to;
  new.start_ms := place.start_ms;
  new.speaker := place.speaker;
  new.speaker_confirmed := not place.is_doubtful;
  return new;
end $$;
-- +goose StatementEnd

-- Counts again how many people answers and their sentences quote. An answer that has lost its last sentence
-- answers nothing.
-- +goose StatementBegin
create function private.recount_answers(answers uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  with voices as (
    select
      q.answer_id,
      q.sentence_ordinal,
      private.person_of(s.participant_id, s.import_id, s.display_name) as person
    from public.answer_quotes q
    join public.import_speakers s on s.import_id = q.import_id and s.speaker = q.speaker
    where q.answer_id = any (answers)
      and q.sentence_ordinal is not null
      and q.speaker_confirmed
      and s.role = 'participant'
  ),
  sentences as (
    update public.answer_sentences s set people_count = c.people
    from (
      select x.answer_id, x.ordinal, count(distinct v.person) as people
      from public.answer_sentences x
      left join voices v on v.answer_id = x.answer_id and v.sentence_ordinal = x.ordinal
      where x.answer_id = any (answers)
      group by x.answer_id, x.ordinal
    ) c
    where s.answer_id = c.answer_id and s.ordinal = c.ordinal and s.people_count <> c.people
  )
  update public.answers a set people_count = c.people, result = c.result
  from (
    select
      x.id,
      (select count(distinct v.person) from voices v where v.answer_id = x.id) as people,
      case
        when x.result in ('answered', 'partly')
          and not exists (select from public.answer_sentences s where s.answer_id = x.id)
          then 'not_found'::public.answer_result
        else x.result
      end as result
    from public.answers x
    where x.id = any (answers)
  ) c
  where a.id = c.id and (a.people_count, a.result) is distinct from (c.people, c.result);
end $$;
-- +goose StatementEnd

-- A sentence without a quote goes with the last one.
-- +goose StatementBegin
create function private.follow_answer_quotes() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.recount_answers(array(select distinct n.answer_id from new_rows n));
    return null;
  end if;
  delete from public.answer_sentences s
  using old_rows o
  where s.answer_id = o.answer_id
    and s.ordinal = o.sentence_ordinal
    and not exists (
      select from public.answer_quotes q where q.answer_id = s.answer_id and q.sentence_ordinal = s.ordinal
    );
  perform private.recount_answers(array(select distinct o.answer_id from old_rows o));
  return null;
end $$;
-- +goose StatementEnd

-- Who speaks in an interview has changed: quotes of several speakers are attributed again, and people are
-- counted again.
-- +goose StatementBegin
create function private.follow_speakers_in_answers() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  changed constant uuid[] := array(
    select distinct n.import_id
    from old_rows o
    join new_rows n on (n.import_id, n.speaker) = (o.import_id, o.speaker)
    where (n.role, n.display_name, n.participant_id)
      is distinct from (o.role, o.display_name, o.participant_id)
  );
  quoting constant uuid[] := array(
    select distinct q.answer_id from public.answer_quotes q where q.import_id = any (changed)
  );
begin
  if cardinality(quoting) > 0 then
    update public.answer_quotes q set speaker = q.speaker
    where q.import_id = any (changed) and q.utterance_from < q.utterance_to;
    perform private.recount_answers(quoting);
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- Marks answers as stale whose scope may have an interview. The plan of an open one ends the mark that it
-- has, and is made before or after this, not meanwhile.
create function private.make_stale(project uuid, import uuid, day date) returns void
language sql volatile
set search_path = ''
as $$
  update public.answers a set stale_since = coalesce(a.stale_since, now())
  where a.id in (
    select x.id
    from public.answers x
    where x.project_id = $1
      and (x.stale_since is null or x.status in ('queued', 'reading'))
      and private.may_be_in_scope(x.scope, $2, $3)
    order by x.id
    for no key update
  )
$$;

-- Ends the runs of answers and of proposals of themes that read an interview whose words are no longer those
-- that were planned, and removes the responses that may have these words.
-- +goose StatementBegin
create function private.end_readers(project uuid, import uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from private.answer_responses r where r.project_id = project;
  update public.answers a set
    status = 'failed',
    claim_id = null,
    waiting_reason = null,
    error_code = 'interview_changed',
    error_message = 'An interview was changed or deleted while it was read. Ask again.',
    finished_at = now()
  where a.status = 'reading' and a.id in (
    select p.answer_id
    from private.answer_parts p
    where p.import_id = import and p.claim_id = a.claim_id
  );
  update public.theme_runs r set
    status = 'failed',
    claim_id = null,
    waiting_reason = null,
    error_code = 'interview_changed',
    error_message = 'An interview was changed or deleted while it was read. Propose themes again.',
    finished_at = now()
  where r.status = 'reading' and r.id in (
    select p.theme_run_id from private.theme_run_parts p where p.import_id = import
  );
end $$;
-- +goose StatementEnd

-- Removes what a model wrote of an interview that is redacted. Sentences that quote others as well may have
-- the words, too.
-- +goose StatementBegin
create function private.redact_answers(project uuid, import uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.end_readers(project, import);
  delete from public.answer_sentences s
  using public.answer_quotes q
  where q.import_id = import and s.answer_id = q.answer_id and s.ordinal = q.sentence_ordinal;
  update public.answers a set missing = '' where a.project_id = project and a.missing <> '';
end $$;
-- +goose StatementEnd

-- The transcript of an interview is new. If there was another one, quotes of it prove nothing any more.
-- +goose StatementBegin
create function private.follow_transcript_in_answers() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  i public.imports;
begin
  select * into i from public.imports x where x.id = new.import_id;
  if i.created_at < now() then -- the start of the transaction, in which a new one is uploaded
    perform private.end_readers(i.project_id, i.id);
    delete from public.answer_quotes q where q.import_id = i.id;
  end if;
  perform private.make_stale(i.project_id, i.id, private.day_of(i.interviewed_on, i.created_at));
  return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.follow_imports_in_answers() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.make_stale(old.project_id, old.id, private.day_of(old.interviewed_on, old.created_at));
  if tg_op = 'DELETE' then
    perform private.end_readers(old.project_id, old.id);
    return old;
  end if;
  perform private.make_stale(new.project_id, new.id, private.day_of(new.interviewed_on, new.created_at));
  return new;
end $$;
-- +goose StatementEnd

create function private.key_of_readers(project uuid) returns bigint
language sql immutable
return hashtextextended('readers of ' || project::text, 0);

-- The plan of a run counts for the sentences that an earlier run wrote, until it writes its own.
-- +goose StatementBegin
create function private.mark_unfinished() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.answer_quotes q where q.answer_id = new.id and q.created_at < new.queued_at
  ) then
    new.stale_since := now();
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- Locks the answers and proposals of a project that are read, for a transaction that locks an interview
-- afterwards: whoever plans one or writes for it locks in this order. Nothing else is asked until its end.
-- +goose StatementBegin
create function private.lock_readers(project uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(private.key_of_readers(project));
  perform
  from public.answers a
  where a.project_id = project and a.status in ('queued', 'reading')
  order by a.id
  for no key update;
  perform
  from public.theme_runs r
  where r.project_id = project and r.status in ('queued', 'reading')
  order by r.id
  for no key update;
end $$;
-- +goose StatementEnd

-- As private.forget_persona does for personas.
-- +goose StatementBegin
create function private.forget_question() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (select from public.projects p where p.id = old.project_id) then
    update public.answers set question_id = null where question_id = old.id;
  end if;
  return old;
end $$;
-- +goose StatementEnd

-- Writes a sentence with its quotes, and returns how many people these quote. Without a sentence, the quotes
-- are passages.
-- +goose StatementBegin
create function private.write_sentence(
  answer uuid, sentence integer, text text, imports uuid[], quotes text[], byte_starts integer[],
  byte_ends integer[], matches text[]
) returns integer
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into public.answer_sentences (answer_id, ordinal, workspace_id, project_id, text)
  select a.id, sentence, a.workspace_id, a.project_id, write_sentence.text
  from public.answers a
  where a.id = answer and sentence is not null;
  insert into public.answer_quotes (
    answer_id, workspace_id, project_id, sentence_ordinal, ordinal, import_id, quote, byte_start, byte_end,
    match
  )
  select
    a.id, a.workspace_id, a.project_id, sentence, q.ordinal - 1, q.import, q.quote, q.byte_start, q.byte_end,
    q.match::public.evidence_match
  from public.answers a
  cross join unnest(imports, quotes, byte_starts, byte_ends, matches) with ordinality
    as q (import, quote, byte_start, byte_end, match, ordinal)
  where a.id = answer;
  return (
    select s.people_count from public.answer_sentences s where s.answer_id = answer and s.ordinal = sentence
  );
end $$;
-- +goose StatementEnd

-- Activity and events ---------------------------------------------------------------------------------------

-- What a question, its answer and their end are called. An answer that begins to be read is no activity.
-- +goose StatementBegin
create function private.record_answer() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  a public.answers := case when tg_op = 'DELETE' then old else new end;
  verb text := case
    when tg_op = 'DELETE' then 'deleted'
    when a.status = 'queued' then 'asked'
    when a.status = 'answered' then 'finished'
    when a.status = 'canceled' then 'canceled'
    when a.status in ('failed', 'timed_out', 'terminated') then 'failed'
  end;
begin
  -- Rows that are deleted with their workspace or project are not recorded.
  insert into public.activity_events (
    workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail
  )
  select
    p.workspace_id,
    p.id,
    case when current_setting('role', true) = 'authenticated' then auth.uid() end,
    verb,
    'answer',
    a.id,
    case when tg_op = 'DELETE' then '{}' else jsonb_build_object('status', a.status, 'result', a.result) end
  from public.projects p
  where p.id = a.project_id and verb is not null;
  return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.record_answer_progress() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.events (type, workspace_id, project_id, answer_id, entity_id, detail)
  values ('answer.progress', new.workspace_id, new.project_id, new.id, new.id, jsonb_build_object(
    'done', new.progress_done, 'total', new.progress_total, 'waitingReason', new.waiting_reason));
  return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.record_sentence() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.events (type, workspace_id, project_id, answer_id, entity_id, detail)
  values ('answer.sentence', new.workspace_id, new.project_id, new.answer_id, new.answer_id,
    jsonb_build_object('ordinal', new.ordinal));
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t1_key before update on public.answers
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t1_workspace before insert or update on public.answers
for each row execute function private.fill_workspace();
create trigger t2_creator before insert or update on public.answers
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_creator();
create trigger t2_stamp before insert or update on public.answers
for each row execute function private.stamp();
create trigger t3_unfinished before update on public.answers
for each row when (
  old.status = 'reading'
  and new.status in ('failed', 'canceled', 'timed_out', 'terminated')
  and new.progress_total > 0
  and new.stale_since is null
)
execute function private.mark_unfinished();
create trigger t9_activity after insert or delete on public.answers
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_answer();
create trigger t9_activity_status after update on public.answers
for each row
when (old.status <> new.status and coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_answer();
-- The name sorts before t9_activity_status: the end of an answer is its last event.
create trigger t8_progress after update on public.answers
for each row when (
  (old.progress_done, old.progress_total, old.waiting_reason)
  is distinct from (new.progress_done, new.progress_total, new.waiting_reason)
)
execute function private.record_answer_progress();
create trigger t9_audit after delete on public.answers
for each row execute function private.audit_deletion('answer');

create trigger t1_workspace before insert or update on public.answer_sentences
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.answer_sentences
for each row execute function private.stamp();
create trigger t9_sentence after insert on public.answer_sentences
for each row execute function private.record_sentence();

create trigger t1_key before update on public.answer_quotes
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t1_workspace before insert or update on public.answer_quotes
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.answer_quotes
for each row execute function private.stamp();
create trigger t3_prove before insert or update of
  quote, import_id, byte_start, byte_end, speaker, speaker_confirmed, start_ms, utterance_from, utterance_to
on public.answer_quotes
for each row execute function private.prove_answer_quote();
create trigger t6_follow_inserted after insert on public.answer_quotes
referencing new table as new_rows
for each statement execute function private.follow_answer_quotes();
create trigger t6_follow_deleted after delete on public.answer_quotes
referencing old table as old_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.follow_answer_quotes();

create trigger t4_forget before delete on public.questions
for each row execute function private.forget_question();
create trigger t6_answers after update on public.import_speakers
referencing old table as old_rows new table as new_rows
for each statement execute function private.follow_speakers_in_answers();
create trigger t6_answers after insert or update on private.transcripts
for each row execute function private.follow_transcript_in_answers();
-- Before the foreign keys remove the plans of who reads it.
create trigger t6_answers before delete on public.imports
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.follow_imports_in_answers();
create trigger t6_answers_scope after update on public.imports
for each row
when ((old.persona_id, old.interviewed_on) is distinct from (new.persona_id, new.interviewed_on))
execute function private.follow_imports_in_answers();

-- As in 0018_quotas.sql.
create trigger t9_tokens after update on public.answers
for each row when (new.input_tokens + new.output_tokens > old.input_tokens + old.output_tokens)
execute function private.count_tokens();
-- +goose StatementBegin
do $$
declare
  name text;
begin
  foreach name in array array['answers', 'answer_quotes'] loop
    execute format(
      'create trigger t0_budget before insert or update on public.%1$I
       for each statement when (current_user = ''authenticated'') execute function private.begin_writing();
       create trigger t0_written before insert or update on public.%1$I
       for each row when (current_user = ''authenticated'') execute function private.add_written();
       create trigger t9_written after insert or update on public.%1$I
       for each statement when (current_user = ''authenticated'') execute function private.end_writing()',
      name);
  end loop;
end $$;
-- +goose StatementEnd
create trigger t0_function before insert on public.answers
for each statement
when (current_setting('role', true) = 'authenticated' and current_user <> 'authenticated')
execute function private.begin_writing();
create trigger t9_function after insert on public.answers referencing new table as new_rows
for each statement
when (current_setting('role', true) = 'authenticated' and current_user <> 'authenticated')
execute function private.spend_updated();
create trigger t9_limit after insert on public.answers referencing new table as new_rows
for each statement when (current_setting('role', true) = 'authenticated')
execute function private.limit_rows(10000);

-- Claims ----------------------------------------------------------------------------------------------------

-- The values are error codes of POST /api/project/{projectId}/ask and POST /api/answer/{answerId}/again, in
-- the order of the checks.
create type private.ask_result as enum (
  'claimed',
  'project_not_found',
  'answer_not_found',
  'forbidden',
  'question_not_found',
  'answer_running',
  'nothing_to_read',
  'ask_limit',
  'workspace_queue_full',
  'queue_full'
);
create type private.cancel_result as enum ('canceled', 'answer_not_found', 'forbidden', 'not_running');

set local role service_role;

-- Whether a question may be asked now: 'claimed', or why not. A limit of 0 means none.
-- +goose StatementBegin
create function private.check_ask(
  workspace uuid, project uuid, scope jsonb, queue_limit bigint, workspace_queue_limit bigint,
  ask_limit bigint
) returns private.ask_result
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return case
    when not exists (select from private.scope_imports(project, scope)) then 'nothing_to_read'
    when ask_limit > 0 and ask_limit <= (
      select count(*)
      from private.answer_claims c
      where c.claimed_by = auth.uid() and c.claimed_at > now() - interval '1 hour'
    ) then 'ask_limit'
    else coalesce(private.full_queue(workspace, queue_limit, workspace_queue_limit), 'claimed')
  end;
end $$;
-- +goose StatementEnd

-- Counts a claim of the caller for ASK_LIMIT.
-- +goose StatementBegin
create function private.count_claim(claim uuid) returns void
language sql volatile
set search_path = ''
as $$
  delete from private.answer_claims c
  where c.claimed_by = auth.uid() and c.claimed_at < now() - interval '1 hour';
  insert into private.answer_claims (claim_id, claimed_by)
  select claim, u.id from auth.users u where u.id = auth.uid();
$$;
-- +goose StatementEnd

-- Asks a question over the interviews of a project. Only the result 'claimed' makes an answer. A project that
-- the caller may not see is not found. Empty arrays and null do not limit the scope.
-- +goose StatementBegin
create function private.claim_answer(
  answer uuid,
  claim uuid,
  project uuid,
  question text,
  mode public.answer_mode,
  personas uuid[],
  imports uuid[],
  first_day date,
  last_day date,
  question_id uuid,
  queue_limit bigint,
  workspace_queue_limit bigint,
  ask_limit bigint,
  out result private.ask_result,
  out workspace_id uuid
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  p public.projects;
  scope constant jsonb := jsonb_strip_nulls(jsonb_build_object(
    'personas', to_jsonb(nullif(personas, '{}')),
    'imports', to_jsonb(nullif(imports, '{}')),
    'from', first_day,
    'to', last_day
  ));
begin
  perform pg_advisory_xact_lock_shared(private.key_of_readers(project)); -- see private.lock_readers
  select * into p from public.projects x where x.id = project and private.caller_may_see(x.workspace_id);
  result := case
    when p.id is null then 'project_not_found'
    when not private.caller_may_edit(p.workspace_id) then 'forbidden'
    when claim_answer.question_id is not null and not exists (
      select from public.questions q where q.id = claim_answer.question_id and q.project_id = p.id
    ) then 'question_not_found'
    else private.check_ask(p.workspace_id, p.id, scope, queue_limit, workspace_queue_limit, ask_limit)
  end;
  if result <> 'claimed' then
    return;
  end if;
  workspace_id := p.workspace_id;
  insert into public.answers (
    id, workspace_id, project_id, question_id, question, mode, scope, waiting_reason, claim_id, created_by
  )
  values (
    answer, p.workspace_id, p.id, claim_answer.question_id, claim_answer.question, claim_answer.mode, scope,
    'worker', claim, (select x.id from public.profiles x where x.id = auth.uid())
  );
  perform private.count_claim(claim);
end $$;
-- +goose StatementEnd
grant execute on function private.claim_answer(
  uuid, uuid, uuid, text, public.answer_mode, uuid[], uuid[], date, date, uuid, bigint, bigint, bigint
) to authenticated;

-- Asks the question of an answer that has ended again, in another mode if that is not null. Its sentences
-- stay until the new run writes.
-- +goose StatementBegin
create function private.claim_answer_again(
  answer uuid,
  claim uuid,
  mode public.answer_mode,
  queue_limit bigint,
  workspace_queue_limit bigint,
  ask_limit bigint,
  out result private.ask_result,
  out workspace_id uuid,
  out project_id uuid
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  a public.answers;
begin
  perform pg_advisory_xact_lock_shared(private.key_of_readers(x.project_id)) -- see private.lock_readers
  from public.answers x
  where x.id = answer and private.caller_may_see(x.workspace_id);
  select * into a
  from public.answers x
  where x.id = answer and private.caller_may_see(x.workspace_id)
  for no key update;
  result := case
    when a.id is null then 'answer_not_found'
    when not private.caller_may_edit(a.workspace_id) then 'forbidden'
    when a.status in ('queued', 'reading') then 'answer_running'
    else private.check_ask(
      a.workspace_id, a.project_id, a.scope, queue_limit, workspace_queue_limit, ask_limit)
  end;
  if result <> 'claimed' then
    return;
  end if;
  workspace_id := a.workspace_id;
  project_id := a.project_id;
  delete from private.answer_parts p where p.answer_id = a.id;
  update public.answers x set
    mode = coalesce(claim_answer_again.mode, x.mode),
    status = 'queued',
    result = null,
    claim_id = claim,
    queued_at = now(),
    seen_at = now(),
    started_at = null,
    finished_at = null,
    progress_done = 0,
    progress_total = 0,
    waiting_reason = 'worker',
    error_code = null,
    error_message = null
  where x.id = a.id;
  perform private.count_claim(claim);
end $$;
-- +goose StatementEnd
grant execute on function private.claim_answer_again(uuid, uuid, public.answer_mode, bigint, bigint, bigint)
to authenticated;

-- Cancels the run of an answer. Its claim ends, so that a run that is under way, or just being started,
-- changes nothing.
-- +goose StatementBegin
create function private.cancel_answer(
  answer uuid, message text, out result private.cancel_result, out run_id text
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  a public.answers;
begin
  select * into a
  from public.answers x
  where x.id = answer and private.caller_may_see(x.workspace_id)
  for no key update;
  result := case
    when a.id is null then 'answer_not_found'
    when not private.caller_may_edit(a.workspace_id) then 'forbidden'
    when a.status not in ('queued', 'reading') then 'not_running'
    else 'canceled'
  end;
  if result = 'canceled' then
    run_id := a.run_id;
    update public.answers x set
      status = 'canceled',
      claim_id = null,
      waiting_reason = null,
      error_code = 'canceled',
      error_message = message,
      finished_at = now()
    where x.id = a.id;
  end if;
end $$;
-- +goose StatementEnd
grant execute on function private.cancel_answer(uuid, text) to authenticated;

reset role;
