-- +goose Up
-- Checks of speakers: a model is asked who speaks where that is in doubt, before an import is read.

set local role service_role;

-- Whether a model may be asked who speaks in an import: its workspace allows that, labels are in doubt,
-- nobody has decided anything about them, no model has been asked, no run has begun, and nothing is quoted.
-- +goose StatementBegin
create function private.has_speakers_in_doubt(import uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return exists (
    select
    from public.imports i
    join public.workspaces w on w.id = i.workspace_id
    join private.import_files f on f.import_id = i.id
    where i.id = import
      and w.check_speakers
      and i.needs_look
      and i.reading = '{}'
      and f.layout = ''
      and f.speakers = '{}'
      and f.advice is null
      and not exists (
        select from private.import_runs r where r.import_id = i.id and r.begun_at is not null
      )
      and not exists (select from public.evidence e where e.import_id = i.id)
      and not exists (select from private.turn_corrections c where c.import_id = i.id)
  );
end $$;
-- +goose StatementEnd

-- Replaces the transcript of an import by another reading of its file, on the advice of a model. The import
-- was never read, and has no evidence. Labels
-- that stay keep what people said about them.
-- +goose StatementBegin
create function private.advise_import(
  import uuid, body bytea, speakers text[], starts bigint[], ends bigint[], texts text[],
  byte_starts integer[], byte_ends integer[], confidences double precision[], craft jsonb,
  doubts jsonb, confidence double precision, needs_look boolean
) returns void
language plpgsql
set search_path = ''
as $$
declare
  gone uuid[];
  bytes_before bigint;
begin
  select private.transcript_bytes(octet_length(t.body), count(u.ordinal), count(distinct u.speaker))
  into bytes_before
  from private.transcripts t
  left join public.utterances u on u.import_id = t.import_id
  where t.import_id = import
  group by t.import_id;
  delete from private.transcript_words w where w.import_id = import;
  delete from public.utterances u where u.import_id = import;
  delete from public.utterance_questions q where q.import_id = import;
  delete from private.transcripts t where t.import_id = import;
  with removed as (
    delete from public.import_speakers s
    where s.import_id = import and s.speaker <> all (advise_import.speakers)
    returning s.participant_id
  )
  select array_agg(distinct r.participant_id) into gone from removed r where r.participant_id is not null;
  perform private.write_transcript(
    import, body, speakers, starts, ends, texts, byte_starts, byte_ends, confidences, craft
  );
  -- Who was a person because of a label alone is none.
  delete from public.participants p
  where p.id = any (gone)
    and p.persona_id is null
    and p.attributes = '{}'
    and not exists (select from public.import_speakers s where s.participant_id = p.id);
  update public.imports i set
    stored_bytes = i.stored_bytes - bytes_before
      + private.transcript_bytes(octet_length(body), cardinality(texts),
        (select count(distinct s) from unnest(speakers) as s)),
    warnings = doubts,
    reading_confidence = advise_import.confidence,
    needs_look = advise_import.needs_look
  where i.id = import;
end $$;
-- +goose StatementEnd
grant execute on function private.advise_import(
  uuid, bytea, text[], bigint[], bigint[], text[], integer[], integer[], double precision[], jsonb, jsonb,
  double precision, boolean
) to service_role;

reset role;
