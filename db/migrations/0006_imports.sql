-- +goose Up
-- Imports: uploaded transcripts with their utterances. Clients read them; functions that check the role of
-- the member write them.

create type public.import_status as enum (
  'uploaded', 'queued', 'parsing', 'parsed', 'failed', 'canceled', 'terminated', 'timed_out'
);

create table public.imports (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  persona_id uuid,
  title text not null constraint imports_title_check check (length(title) between 1 and 300),
  interviewed_on date,
  filename text not null default '',
  format text not null,
  size_bytes bigint not null,
  stored_bytes bigint not null default 0,
  sha256 text not null,
  language text not null default '',
  question_language text not null default '',
  -- What is doubtful is known when a file is uploaded, and must be seen by everyone who relies on the import
  -- later.
  warnings jsonb not null default '[]' constraint imports_warnings_check
    check (jsonb_typeof(warnings) = 'array' and octet_length(warnings::text) <= 4000),
  reading jsonb not null default '{}' constraint imports_reading_check
    check (jsonb_typeof(reading) = 'object' and octet_length(reading::text) <= 100000),
  reading_confidence double precision not null default 1
    constraint imports_reading_confidence_check check (reading_confidence between 0 and 1),
  needs_look boolean not null default false,
  status public.import_status not null default 'uploaded',
  waiting_reason text constraint imports_waiting_reason_check
    check (waiting_reason in (
      'worker', 'turn', 'model_unavailable', 'model_rate_limited', 'token_budget', 'paused',
      'no_worker_of_version', 'workflow_task_failing'
    )),
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
  coverage double precision not null default 0
    constraint imports_coverage_check check (coverage between 0 and 1),
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
-- PostgreSQL plans the check of a foreign key for an average project. Where that has one interview, the
-- indexes on the project and on the workspace looked as good as the primary key: each utterance of an upload
-- then read all imports of its project. These numbers let it expect ten.
alter table public.imports
  alter column project_id set (n_distinct = -0.1),
  alter column workspace_id set (n_distinct = -0.1);
create index imports_project_id_idx on public.imports (project_id, created_at);
create index imports_project_id_sha256_idx on public.imports (project_id, sha256);
-- Uploads of the last hour are counted, by workspace and by user, and what the imports of a workspace take is
-- summed up.
create index imports_workspace_id_idx on public.imports (workspace_id, created_at) include (stored_bytes);
create index imports_persona_id_idx on public.imports (persona_id);
create index imports_created_by_idx on public.imports (created_by, created_at);
create index imports_open_idx on public.imports (queued_at) where status in ('queued', 'parsing');
-- For the metrics, which count imports by status as service_role. PostgreSQL checks a policy before it
-- compares values of an enum, so an index on the status does not serve, and the whole table is read. These
-- indexes have the status in their condition, and the column that the policy needs.
create index imports_uploaded_idx on public.imports (workspace_id) where status = 'uploaded';
create index imports_parsed_idx on public.imports (workspace_id) where status = 'parsed';
create index imports_failed_idx on public.imports (workspace_id) where status = 'failed';
create index imports_canceled_idx on public.imports (workspace_id) where status = 'canceled';
create index imports_terminated_idx on public.imports (workspace_id) where status = 'terminated';
create index imports_timed_out_idx on public.imports (workspace_id) where status = 'timed_out';
comment on table public.imports is
  'An uploaded transcript and the state of the workflow that parses it. Editors may change title, '
  'persona_id and interviewed_on.';
comment on column public.imports.interviewed_on is
  'The day of the interview; null if unknown. Editors set it.';
comment on column public.imports.filename is 'As it was uploaded.';
comment on column public.imports.format is 'The detected format: webvtt, srt, text, ….';
comment on column public.imports.size_bytes is 'Size of the uploaded file.';
comment on column public.imports.stored_bytes is
  'What the transcript takes of the storage of its workspace, with all that is derived from it.';
comment on column public.imports.sha256 is 'Of the uploaded file, in hexadecimal digits.';
comment on column public.imports.language is 'A BCP 47 tag; empty if unknown.';
comment on column public.imports.question_language is
  'The language in whose word lists its questions were recognized, a BCP 47 tag; empty if there are none.';
comment on column public.imports.warnings is
  'What is doubtful about how the file was read: [{"code", "count"}]. Empty if nothing is.';
comment on column public.imports.reading is
  'What people decided about how the file is read: people, nobody, same, unlabelled, from and to. Empty if '
  'nothing.';
comment on column public.imports.reading_confidence is
  'From 0 to 1: how likely it is that at most one word of a hundred has another speaker.';
comment on column public.imports.needs_look is
  'Whether a person should look at the speakers before quotes are trusted.';
comment on column public.imports.status is
  'uploaded → queued → parsing → parsed, failed, canceled, terminated or timed_out. An import with one of '
  'the last four statuses can be parsed again; a parsed one as well if something is missing.';
comment on column public.imports.waiting_reason is
  'What an open import is waiting for; null while it is read. worker: for a worker; turn: other imports are '
  'read first; model_unavailable: the server of the model cannot be reached or fails; model_rate_limited: '
  'the server of the model limits the rate of requests; token_budget: the quota of tokens of the day is used '
  'up, and renews at 00:00 UTC; paused: an operator paused it; no_worker_of_version: no worker of the '
  'version on which it began runs; workflow_task_failing: the workers cannot continue it.';
comment on column public.imports.progress_done is 'Chunks of the latest run that are done.';
comment on column public.imports.progress_total is 'Chunks of the latest run; 0 before it is planned.';
comment on column public.imports.error_code is 'Why the latest run ended without success, for programs.';
comment on column public.imports.error_message is 'Why the latest run ended without success, for people.';
comment on column public.imports.workflow_id is
  'The Temporal workflow of the latest run; null until the run begins.';
comment on column public.imports.run_id is 'The Temporal run of the latest run; null until the run begins.';
comment on column public.imports.claim_id is
  'The latest request to parse. Writes of an earlier request change nothing.';
comment on column public.imports.requested_hypotheses is 'The hypotheses of the latest request to parse.';
comment on column public.imports.extractor is
  'openai (a language model) or keyword (matches keywords, without AI): what reads the transcript, or read '
  'most of it. import_hypotheses has what read it for each hypothesis.';
comment on column public.imports.model is 'The language model; null for none.';
comment on column public.imports.prompt_version is 'The version of the instructions to the model.';
comment on column public.imports.input_tokens is
  'Tokens of the requests of all runs, as counted by the model.';
comment on column public.imports.output_tokens is
  'Tokens of the responses to all runs, as counted by the model.';
comment on column public.imports.evidence_count is
  'Pieces of evidence whose quotes are proven, those of a run in progress included.';
comment on column public.imports.rejected_count is
  'Quotes of the extractor that the transcript does not contain. They are not evidence.';
comment on column public.imports.coverage is
  'The part of the transcript that was read, from 0 to 1: for the hypothesis of the latest request that was '
  'read least.';
comment on column public.imports.unread is
  'Ranges that could not be read: [{"from", "to", "reason"}], ordinals of utterances, both included.';
comment on column public.imports.created_by is 'Who uploaded it.';

alter table public.imports enable row level security;
alter table public.imports force row level security;
create policy service on public.imports to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.imports for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
-- Editors rename an import, and set its persona and when the interview took place.
create policy change on public.imports for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.imports to service_role;
grant select, update (title, persona_id, interviewed_on) on public.imports to authenticated;

create trigger t1_key before update on public.imports
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t1_workspace before insert or update on public.imports
for each row execute function private.fill_workspace();
create trigger t2_creator before insert or update on public.imports
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_creator();
create trigger t2_stamp before insert or update on public.imports
for each row execute function private.stamp();

-- Transcripts -----------------------------------------------------------------------------------------------

create table private.transcripts (
  import_id uuid not null
    constraint transcripts_import_id_fkey references public.imports (id) on delete cascade,
  body bytea not null,
  constraint transcripts_pkey primary key (import_id)
);
-- Uncompressed, so that a slice can be read without the rest.
alter table private.transcripts alter column body set storage external;
comment on table private.transcripts is
  'The normalised transcript, UTF-8; every byte offset of the service counts into it.';
grant select, insert, update, delete on private.transcripts to service_role;

-- Utterances have no triggers for each row: clients cannot write them, and an import has tens of thousands.
create table public.utterances (
  import_id uuid not null,
  ordinal integer not null,
  workspace_id uuid not null,
  project_id uuid not null,
  speaker text not null default '',
  start_ms bigint,
  end_ms bigint,
  -- What takes time in proportion to a text and a pattern cannot be interrupted within a row.
  text text not null constraint utterances_text_length check (octet_length(text) <= 65536),
  byte_start integer not null,
  byte_end integer not null,
  words integer not null default 0,
  confidence double precision not null default 1
    constraint utterances_confidence_check check (confidence between 0 and 1),
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
comment on table public.utterances is
  'The turns of a transcript with speaker, time and position. The texts joined by line feeds are the '
  'transcript. Read only for clients.';
comment on column public.utterances.ordinal is 'From 0, in the order of the transcript.';
comment on column public.utterances.start_ms is
  'Milliseconds from the start of the recording; null if unknown.';
comment on column public.utterances.end_ms is
  'Milliseconds from the start of the recording; null if unknown.';
comment on column public.utterances.byte_start is 'First byte of the text in the transcript, in UTF-8.';
comment on column public.utterances.byte_end is 'The byte after the last byte of the text.';
comment on column public.utterances.words is
  'How many words the text has. Two characters of a script without spaces count as one.';
comment on column public.utterances.confidence is
  'From 0 to 1: how likely the speaker is right. A quote from a turn below 0.9 counts for no person until '
  'somebody confirms its speaker.';

alter table public.utterances enable row level security;
alter table public.utterances force row level security;
create policy service on public.utterances to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.utterances for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.utterances to service_role;
grant select on public.utterances to authenticated;

-- What is asked in a transcript, whoever asks it: who is an interviewer can change.
create table public.utterance_questions (
  import_id uuid not null,
  byte_start integer not null,
  byte_end integer not null,
  ordinal integer not null,
  workspace_id uuid not null,
  project_id uuid not null,
  words integer not null,
  is_open boolean not null,
  is_closed boolean not null,
  is_past boolean not null,
  is_hypothetical boolean not null,
  is_leading boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint utterance_questions_pkey primary key (import_id, byte_start),
  constraint utterance_questions_import_id_fkey foreign key (import_id, project_id, workspace_id)
    references public.imports (id, project_id, workspace_id) on delete cascade,
  constraint utterance_questions_bytes_check check (0 <= byte_start and byte_start < byte_end),
  constraint utterance_questions_form_check check (not (is_open and is_closed))
);
create index utterance_questions_ordinal_idx on public.utterance_questions (import_id, ordinal);
create index utterance_questions_workspace_id_idx on public.utterance_questions (workspace_id);
comment on table public.utterance_questions is
  'The questions in the turns of a transcript, and how they ask. Recognized by word lists, in the languages '
  'that have them; imports.question_language says which. Read only for clients.';
comment on column public.utterance_questions.byte_start is
  'First byte of the question in the transcript, in UTF-8.';
comment on column public.utterance_questions.byte_end is 'The byte after the last byte of the question.';
comment on column public.utterance_questions.ordinal is 'The utterance that it is in.';
comment on column public.utterance_questions.words is 'How many words it has.';
comment on column public.utterance_questions.is_open is 'Whether it invites to tell.';
comment on column public.utterance_questions.is_closed is 'Whether yes, no or one of a few answers it.';
comment on column public.utterance_questions.is_past is 'Whether it asks about what happened.';
comment on column public.utterance_questions.is_hypothetical is 'Whether it asks about what would be.';
comment on column public.utterance_questions.is_leading is 'Whether it suggests the answer.';

alter table public.utterance_questions enable row level security;
alter table public.utterance_questions force row level security;
create policy service on public.utterance_questions to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.utterance_questions for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.utterance_questions to service_role;
grant select on public.utterance_questions to authenticated;

-- Whether it is uncertain that the words of a turn are those of its speaker.
create function private.is_doubtful(confidence double precision) returns boolean
language sql immutable
return confidence < 0.9;
grant execute on function private.is_doubtful(double precision) to authenticated, service_role;

-- Counted with the caller's rights.
-- +goose StatementBegin
create function public.import_overviews(imports uuid[])
returns table (import_id uuid, utterances integer, words bigint, duration_ms bigint, speakers text[])
language sql stable begin atomic
  select u.import_id, count(*)::integer,
    sum(u.words)::bigint,
    max(coalesce(u.end_ms, u.start_ms)),
    coalesce((array_agg(distinct u.speaker) filter (where u.speaker <> ''))[1:20], '{}')
  from public.utterances u
  where u.import_id = any (imports[1:1000])
  group by u.import_id;
end;
-- +goose StatementEnd
comment on function public.import_overviews is
  'Length and speakers (the first twenty, by name) of transcripts that the caller may see: of the first '
  'thousand that are asked for.';
grant execute on function public.import_overviews(uuid[]) to authenticated, service_role;

-- Storing and deleting --------------------------------------------------------------------------------------

set local role service_role;

-- Stores an uploaded transcript: the import, its text, its utterances and its speakers. -1 in starts or ends
-- is an unknown time. Without confidences, all speakers are certain. Every proof of a quote relies on these
-- rows, so the texts joined by line feeds must equal the body, and the offsets must be theirs. craft is how
-- the conversation is led, null if that is not known: {"language", "words": [of each utterance], "questions":
-- [{"turn", "start", "end", "words", "open", "closed", "past", "hypothetical", "leading"}]}, with offsets in
-- the turn.
-- +goose StatementBegin
create function private.store_import(
  project uuid, persona uuid, title text, filename text, format text, size_bytes bigint, sha256 text,
  language text, body bytea, speakers text[], starts bigint[], ends bigint[], texts text[],
  byte_starts integer[], byte_ends integer[], confidences double precision[], craft jsonb
) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  workspace uuid;
  import uuid;
begin
  select p.workspace_id into workspace from public.projects p where p.id = project;
  perform private.require_editor(workspace);
  insert into public.imports (
    workspace_id, project_id, persona_id, title, filename, format, size_bytes, stored_bytes, sha256, language,
    created_by
  )
  values (
    workspace, project, persona, title, filename, format, size_bytes,
    private.transcript_bytes(octet_length(body), cardinality(texts),
      (select count(distinct s) from unnest(speakers) as s)),
    sha256, language, auth.uid()
  )
  returning id into import;
  perform private.write_transcript(
    import, body, speakers, starts, ends, texts, byte_starts, byte_ends, confidences, craft
  );
  return import;
end $$;
-- +goose StatementEnd
grant execute on function private.store_import(
  uuid, uuid, text, text, text, bigint, text, text, bytea, text[], bigint[], bigint[], text[], integer[],
  integer[], double precision[], jsonb
) to authenticated;

-- Writes the transcript of an import that has none, for functions that checked the rights of the caller.
-- +goose StatementBegin
create function private.write_transcript(
  import uuid, body bytea, speakers text[], starts bigint[], ends bigint[], texts text[],
  byte_starts integer[], byte_ends integer[], confidences double precision[], craft jsonb
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if convert_to(array_to_string(texts, e'\n'), 'UTF8') is distinct from body or exists (
    select
    from (
      select
        u.byte_start,
        u.byte_end,
        octet_length(convert_to(u.text, 'UTF8')) as length,
        lag(u.byte_end, 1, -1) over (order by u.ordinal) as before
      from unnest(texts, byte_starts, byte_ends) with ordinality as u (text, byte_start, byte_end, ordinal)
    ) spans
    where (byte_start, byte_end) is distinct from (before + 1, before + 1 + length)
  ) then
    raise exception 'the utterances are not the transcript'
      using errcode = 'check_violation', constraint = 'utterances_body_check';
  end if;
  insert into private.transcripts (import_id, body) values (import, body);
  insert into public.utterances (
    import_id, ordinal, workspace_id, project_id, speaker, start_ms, end_ms, text, byte_start, byte_end,
    words, confidence
  )
  select
    i.id, u.ordinal - 1, i.workspace_id, i.project_id, u.speaker, nullif(u.start_ms, -1),
    nullif(u.end_ms, -1), u.text, u.byte_start, u.byte_end, coalesce(u.words, 0), coalesce(u.confidence, 1)
  from public.imports i
  cross join unnest(
    speakers, starts, ends, texts, byte_starts, byte_ends, confidences,
    array(
      select w.words::integer
      from jsonb_array_elements_text(craft -> 'words') with ordinality as w (words, ordinal)
      order by w.ordinal
    )
  ) with ordinality
    as u (speaker, start_ms, end_ms, text, byte_start, byte_end, confidence, words, ordinal)
  where i.id = import;
  insert into public.utterance_questions (
    import_id, byte_start, byte_end, ordinal, workspace_id, project_id, words, is_open, is_closed, is_past,
    is_hypothetical, is_leading
  )
  select
    i.id, byte_starts[q.turn + 1] + q.start, byte_starts[q.turn + 1] + q."end", q.turn, i.workspace_id,
    i.project_id, q.words, q.open, q.closed, q.past, q.hypothetical, q."leading"
  from public.imports i
  cross join jsonb_to_recordset(craft -> 'questions') as q (
    turn integer, start integer, "end" integer, words integer, open boolean, closed boolean, past boolean,
    hypothetical boolean, "leading" boolean
  )
  where i.id = import;
  update public.imports i set question_language = coalesce(craft ->> 'language', '') where i.id = import;
  perform private.add_speakers(import);
end $$;
-- +goose StatementEnd

-- Sets how the file of an import was read, and what is doubtful about that.
-- +goose StatementBegin
create function private.describe_import(
  import uuid, doubts jsonb, decided jsonb, confidence double precision, needs_look boolean
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  update public.imports i set
    warnings = doubts,
    reading = decided,
    reading_confidence = confidence,
    needs_look = describe_import.needs_look
  where i.id = import and i.status not in ('queued', 'parsing');
end $$;
-- +goose StatementEnd
grant execute on function private.describe_import(uuid, jsonb, jsonb, double precision, boolean)
to authenticated;

-- Deletes an import with everything that belongs to it, and says how much that was. A run that is under way
-- finds its claim gone, and writes nothing. The evidence is deleted first, without an activity event for each
-- piece.
-- +goose StatementBegin
create function private.delete_import(import uuid, out evidence bigint, out utterances bigint)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Writers of the import wait here, or are waited for, so that the counts are those of what is deleted.
  perform private.require_editor((
    select i.workspace_id from public.imports i where i.id = import and private.caller_may_see(i.workspace_id)
  ));
  perform private.lock_readers((select i.project_id from public.imports i where i.id = import));
  perform from public.imports i where i.id = import for update;
  select count(*) into evidence from public.evidence e where e.import_id = import;
  select count(*) into utterances from public.utterances u where u.import_id = import;
  perform set_config('research.removing', 'on', true);
  delete from public.evidence e where e.import_id = import;
  perform set_config('research.removing', '', true);
  delete from public.imports i where i.id = import;
end $$;
-- +goose StatementEnd
grant execute on function private.delete_import(uuid) to authenticated;

reset role;

-- Idempotency keys ------------------------------------------------------------------------------------------

-- Responses to requests with an Idempotency-Key, so that a request that is sent again gets the first one.
create table private.idempotency_keys (
  user_id uuid not null
    constraint idempotency_keys_user_id_fkey references auth.users (id) on delete cascade,
  key bytea not null constraint idempotency_keys_key_check check (octet_length(key) = 32),
  fingerprint bytea not null,
  import_id uuid constraint idempotency_keys_import_id_fkey references public.imports (id) on delete cascade,
  claim_id uuid,
  status integer,
  body bytea,
  expires_at timestamptz not null default now() + interval '24 hours',
  constraint idempotency_keys_pkey primary key (user_id, key),
  constraint idempotency_keys_response_check check ((status is null) = (body is null))
);
create index idempotency_keys_import_id_idx on private.idempotency_keys (import_id);
create index idempotency_keys_expires_at_idx on private.idempotency_keys (expires_at);
comment on column private.idempotency_keys.key is 'A hash of the key, the method and the path.';
comment on column private.idempotency_keys.fingerprint is 'A hash of what the body says.';
comment on column private.idempotency_keys.claim_id is 'Of a parse, also before its response is known.';
comment on column private.idempotency_keys.status is 'Null while the response is not known.';
grant select, insert, update, delete on private.idempotency_keys to service_role;

create type private.remember_result as enum ('remembered', 'known', 'too_many');

set local role service_role;

-- Deletes at most `most` expired keys. Concurrent calls delete different keys.
create function private.delete_expired_keys(most bigint) returns bigint
language sql volatile security definer
set search_path = ''
as $$
  with deleted as (
    delete from private.idempotency_keys k
    where (k.user_id, k.key) in (
      select e.user_id, e.key from private.idempotency_keys e
      where e.expires_at < now()
      order by e.expires_at
      limit most
      for update skip locked
    )
    returning k.user_id
  )
  select count(*) from deleted
$$;

-- Remembers a response to the caller, or the claim of a parse whose response is not known yet. One of several
-- concurrent calls with the same key gets 'remembered'. The others wait until its transaction has ended, and
-- get 'known' if it committed.
-- +goose StatementBegin
create function private.remember_response(
  key bytea, fingerprint bytea, import uuid, claim uuid, status integer, body bytea, most bigint
) returns private.remember_result
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.delete_expired_keys(10);
  if (
    select count(*) from (select from private.idempotency_keys k where k.user_id = auth.uid() limit most) own
  ) >= most then
    return 'too_many';
  end if;
  insert into private.idempotency_keys as k (user_id, key, fingerprint, import_id, claim_id, status, body)
  values (auth.uid(), $1, $2, $3, $4, $5, $6)
  on conflict on constraint idempotency_keys_pkey do update set
    fingerprint = excluded.fingerprint,
    import_id = excluded.import_id,
    claim_id = excluded.claim_id,
    status = excluded.status,
    body = excluded.body,
    expires_at = excluded.expires_at
  where k.expires_at < now();
  if found then
    return 'remembered';
  end if;
  return 'known';
end $$;
-- +goose StatementEnd
grant execute on function private.remember_response(bytea, bytea, uuid, uuid, integer, bytea, bigint)
to authenticated;

reset role;
