-- +goose Up
-- Storing and claiming imports. Clients may not write these tables; functions that check the role of the
-- member do.

-- The plan of the latest run, one row per chunk: the source of progress, coverage and unread ranges.
create table private.import_chunks (
  import_id uuid not null constraint import_chunks_import_id_fkey references public.imports (id) on delete cascade,
  claim_id uuid not null,
  ordinal integer not null,
  utterance_from integer not null,
  utterance_to integer not null,
  byte_start integer not null,
  byte_end integer not null,
  done_at timestamptz,
  answer_keys bytea[] not null default '{}',
  unread jsonb not null default '[]',
  constraint import_chunks_pkey primary key (import_id, claim_id, ordinal)
);
comment on column private.import_chunks.utterance_to is 'Exclusive.';
comment on column private.import_chunks.answer_keys is 'Of private.chunk_answers: several where the chunk had to be split.';
comment on column private.import_chunks.unread is '[{"from", "to", "reason"}], ordinals, both included.';
grant select, insert, update, delete on private.import_chunks to service_role;

set local role service_role;

-- +goose StatementBegin
create function private.require_editor(workspace uuid) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if current_setting('role', true) in ('anon', 'authenticated')
     and (workspace is null or workspace not in (select private.my_workspaces('editor'))) then
    raise exception 'editors only' using errcode = 'insufficient_privilege';
  end if;
end $$;
-- +goose StatementEnd

-- Stores an uploaded transcript: the import, its text and its utterances. -1 in starts or ends is an unknown
-- time. Every proof of a quote relies on these rows, so the texts joined by line feeds must equal the body,
-- and the offsets must be theirs.
-- +goose StatementBegin
create function private.store_import(
  project uuid, persona uuid, title text, filename text, format text, size_bytes bigint, sha256 text, language text, body bytea,
  speakers text[], starts bigint[], ends bigint[], texts text[], byte_starts integer[], byte_ends integer[]
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
  if convert_to(array_to_string(texts, e'\n'), 'UTF8') is distinct from body or exists (
    select from (
      select u.byte_start, u.byte_end, octet_length(convert_to(u.text, 'UTF8')) as length, lag(u.byte_end, 1, -1) over (order by u.ordinal) as before
      from unnest(texts, byte_starts, byte_ends) with ordinality as u (text, byte_start, byte_end, ordinal)
    ) spans where (byte_start, byte_end) is distinct from (before + 1, before + 1 + length)
  ) then
    raise exception 'the utterances are not the transcript' using errcode = 'check_violation', constraint = 'utterances_body_check';
  end if;
  insert into public.imports (workspace_id, project_id, persona_id, title, filename, format, size_bytes, sha256, language, created_by)
  values (workspace, project, persona, title, filename, format, size_bytes, sha256, language, auth.uid())
  returning id into import;
  insert into private.transcripts (import_id, body) values (import, body);
  insert into public.utterances (import_id, ordinal, workspace_id, project_id, speaker, start_ms, end_ms, text, byte_start, byte_end)
  select import, u.ordinal - 1, workspace, project, u.speaker, nullif(u.start_ms, -1), nullif(u.end_ms, -1), u.text, u.byte_start, u.byte_end
  from unnest(speakers, starts, ends, texts, byte_starts, byte_ends) with ordinality
    as u (speaker, start_ms, end_ms, text, byte_start, byte_end, ordinal);
  return import;
end $$;
-- +goose StatementEnd

-- Replaced by 0060. Claims an import for a new run and returns the row as it was. It returns null if another
-- call was faster or the status does not allow it.
-- +goose StatementBegin
create function private.claim_import(import uuid, claim uuid, hypotheses uuid[]) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  before public.imports;
begin
  select * into before from public.imports i where i.id = import for update;
  perform private.require_editor(before.workspace_id);
  if before.status not in ('uploaded', 'failed', 'canceled', 'terminated', 'timed_out') then
    return null;
  end if;
  update public.imports set status = 'queued', claim_id = claim, requested_hypotheses = hypotheses, queued_at = now(),
    progress_done = 0, progress_total = 0, error_code = null, error_message = null, run_id = null, workflow_id = null,
    started_at = null, finished_at = null
  where id = import;
  return to_jsonb(before);
end $$;
-- +goose StatementEnd

-- Replaced by 0060. Undoes a claim whose run could not be started.
-- +goose StatementBegin
create function private.release_import(claim uuid, before jsonb) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  old public.imports := jsonb_populate_record(null::public.imports, before);
begin
  -- The rights are those in the import's own workspace, whatever the caller says was there before.
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = old.id));
  if old.status not in ('uploaded', 'failed', 'canceled', 'terminated', 'timed_out') then
    return false;
  end if;
  update public.imports set status = old.status, claim_id = old.claim_id, requested_hypotheses = old.requested_hypotheses, queued_at = old.queued_at,
    progress_done = old.progress_done, progress_total = old.progress_total, error_code = old.error_code, error_message = old.error_message,
    run_id = old.run_id, workflow_id = old.workflow_id, started_at = old.started_at, finished_at = old.finished_at
  where id = old.id and claim_id = claim and status = 'queued';
  return found;
end $$;
-- +goose StatementEnd

reset role;

grant execute on function private.require_editor(uuid), private.claim_import(uuid, uuid, uuid[]), private.release_import(uuid, jsonb),
  private.store_import(uuid, uuid, text, text, text, bigint, text, text, bytea, text[], bigint[], bigint[], text[], integer[], integer[])
  to authenticated, service_role;
