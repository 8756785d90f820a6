-- +goose Up
-- Readings: the uploaded files, so that an import can be read again when somebody knows better who speaks,
-- and what people decided about labels, so that the next file of the project need not ask. Corrections: what
-- people changed in a transcript since.

create table private.import_files (
  import_id uuid not null
    constraint import_files_import_id_fkey references public.imports (id) on delete cascade,
  data bytea not null,
  layout text not null default '',
  speakers jsonb not null default '{}',
  remembered text[] not null default '{}',
  remembered_unlabelled boolean not null default false,
  advice jsonb,
  constraint import_files_pkey primary key (import_id)
);
-- Uncompressed: documents and archives are compressed already, and reading must be quick.
alter table private.import_files alter column data set storage external;
comment on table private.import_files is 'The files of imports as they were uploaded.';
comment on column private.import_files.layout is 'The layout that was chosen; empty if it is detected.';
comment on column private.import_files.speakers is 'The names, merges and roles that were chosen, by labels.';
comment on column private.import_files.remembered is
  'Labels of which imports.reading has an answer that was given for an earlier file.';
comment on column private.import_files.remembered_unlabelled is
  'Whether imports.reading has such an answer about the lines without a label.';
comment on column private.import_files.advice is
  'What a model said about labels in doubt; null if none was asked. Readings of the file weigh it.';
grant select, insert, update, delete on private.import_files to service_role;

create table private.project_readings (
  project_id uuid not null,
  workspace_id uuid not null,
  format text not null,
  label text not null,
  unlabelled boolean not null,
  answer text not null
    constraint project_readings_answer_check check (answer in ('person', 'nobody', 'same', 'unlabelled')),
  other text not null default '',
  answered_at timestamptz not null default now(),
  constraint project_readings_pkey primary key (project_id, format, label, unlabelled),
  constraint project_readings_unlabelled_check check (unlabelled = (answer = 'unlabelled')),
  constraint project_readings_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index project_readings_workspace_id_idx on private.project_readings (workspace_id);
comment on table private.project_readings is
  'What people decided about the labels of files of a project. It holds for later files of the same format.';
comment on column private.project_readings.unlabelled is
  'Whether the answer is about the lines without a label in the turns of this label.';
comment on column private.project_readings.other is
  'The label of the same person, or who says the lines without a label.';
grant select, insert, update, delete on private.project_readings to service_role;

create table private.turn_corrections (
  id bigint generated always as identity,
  import_id uuid not null
    constraint turn_corrections_import_id_fkey references public.imports (id) on delete cascade,
  ordinal integer not null,
  was_text text not null,
  was_speaker text not null,
  was_confidence double precision not null,
  was_voice jsonb,
  corrected_by uuid
    constraint turn_corrections_corrected_by_fkey references public.profiles (id) on delete set null,
  corrected_at timestamptz not null default now(),
  constraint turn_corrections_pkey primary key (id)
);
create index turn_corrections_import_id_idx on private.turn_corrections (import_id, ordinal, id);
create index turn_corrections_corrected_by_idx on private.turn_corrections (corrected_by);
comment on table private.turn_corrections is
  'What people corrected in transcripts: what a turn was before. Words that are redacted are redacted here.';
comment on column private.turn_corrections.was_confidence is
  'How certain the speaker was. It is so again when the turn is corrected back.';
comment on column private.turn_corrections.was_voice is
  'The display_name, role and participant_id of the speaker, which a speaker without turns has no more.';
grant select, insert, update, delete on private.turn_corrections to service_role;

set local role service_role;

-- Keeps the file of an import that was just stored. It counts for the storage of the workspace.
-- +goose StatementBegin
create function private.keep_file(
  import uuid, data bytea, layout text, speakers jsonb, remembered text[], remembered_unlabelled boolean
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  insert into private.import_files (import_id, data, layout, speakers, remembered, remembered_unlabelled)
  values (import, data, layout, speakers, remembered, remembered_unlabelled);
  update public.imports i set stored_bytes = i.stored_bytes + octet_length(data) where i.id = import;
end $$;
-- +goose StatementEnd
grant execute on function private.keep_file(uuid, bytea, text, jsonb, text[], boolean) to authenticated;

-- Remembers what the caller decided about labels. The latest answer holds; of a project, the latest 5,000 are
-- kept.
-- +goose StatementBegin
create function private.remember_readings(
  project uuid, format text, labels text[], answers text[], others text[]
) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  workspace uuid;
begin
  select p.workspace_id into workspace from public.projects p where p.id = project;
  perform private.require_editor(workspace);
  insert into private.project_readings as r (
    project_id, workspace_id, format, label, unlabelled, answer, other
  )
  select project, workspace, remember_readings.format, a.label, a.answer = 'unlabelled', a.answer, a.other
  from unnest(labels, answers, others) as a (label, answer, other)
  order by a.label, a.answer
  on conflict on constraint project_readings_pkey do update set
    answer = excluded.answer,
    other = excluded.other,
    answered_at = excluded.answered_at;
  delete from private.project_readings r
  where r.project_id = project and (r.format, r.label, r.unlabelled) in (
    select x.format, x.label, x.unlabelled
    from private.project_readings x
    where x.project_id = project
    order by x.answered_at desc, x.format, x.label, x.unlabelled
    offset 5000
  );
end $$;
-- +goose StatementEnd
grant execute on function private.remember_readings(uuid, text, text[], text[], text[]) to authenticated;

-- Reading again ---------------------------------------------------------------------------------------------

-- Locks an import whose file is read again, until the end of the transaction, and returns its status. Parses,
-- judgements and quotes of others wait.
-- +goose StatementBegin
create function private.lock_for_reading(import uuid) returns public.import_status
language plpgsql security definer
set search_path = ''
as $$
declare
  i public.imports;
begin
  perform private.lock_readers((select x.project_id from public.imports x where x.id = import));
  select * into i from public.imports x where x.id = import for update;
  perform private.require_editor(i.workspace_id);
  return i.status;
end $$;
-- +goose StatementEnd
grant execute on function private.lock_for_reading(uuid) to authenticated;

-- Removes the speakers of an import whom its transcript no longer has, and the participants who were made of
-- their labels and about whom nobody has said anything since.
-- +goose StatementBegin
create function private.drop_speakers(import uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  labels text[] := array(select distinct u.speaker from public.utterances u where u.import_id = import);
  gone public.import_speakers[];
begin
  if cardinality(labels) > 1 then
    labels := array_remove(labels, '');
  end if;
  gone := array(
    select s from public.import_speakers s where s.import_id = import and not s.speaker = any(labels)
  );
  delete from public.import_speakers s where s.import_id = import and not s.speaker = any(labels);
  delete from public.participants p
  using unnest(gone) g
  where p.id = g.participant_id
    and private.fold(p.name) = private.fold(private.name_of_label(g.speaker))
    and p.persona_id is null
    and p.attributes = '{}'
    and not exists (select from public.import_speakers s where s.participant_id = p.id);
end $$;
-- +goose StatementEnd

-- Gives speakers who have turns again what was said about them when a correction took the last one. A
-- participant who was made of the label is made again.
-- +goose StatementBegin
create function private.restore_speakers(import uuid, speakers text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  i public.imports;
  v record;
  person uuid;
  label_name text;
begin
  select * into i from public.imports x where x.id = import;
  for v in
    select distinct on (c.was_speaker)
      c.was_speaker,
      c.was_voice ->> 'display_name' as display_name,
      (c.was_voice ->> 'role')::public.speaker_role as role,
      (c.was_voice ->> 'participant_id')::uuid as participant_id
    from private.turn_corrections c
    where c.import_id = import
      and c.was_voice is not null
      and c.was_speaker = any(speakers)
      and not exists (
        select from public.import_speakers s where s.import_id = import and s.speaker = c.was_speaker
      )
    order by c.was_speaker, c.id desc
  loop
    select p.id into person
    from public.participants p
    where p.id = v.participant_id and p.project_id = i.project_id;
    label_name := private.name_of_label(v.was_speaker);
    if person is null and v.participant_id is not null and label_name is not null then
      person := private.participant_to_link(i.id, i.project_id, label_name);
      if person is null then
        insert into public.participants (workspace_id, project_id, name)
        values (i.workspace_id, i.project_id, label_name)
        returning id into person;
      end if;
    end if;
    insert into public.import_speakers (
      import_id, speaker, workspace_id, project_id, display_name, role, participant_id
    )
    values (i.id, v.was_speaker, i.workspace_id, i.project_id, v.display_name, v.role, person);
  end loop;
end $$;
-- +goose StatementEnd

create function private.bytes_of(ranges int4multirange) returns bigint
language sql immutable
return (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(ranges) as part);

-- Moves what was read of a transcript to where the same turns are in the new one, of `size` bytes. What is of
-- another length there was read if all of it was. The rest is to be read again, and what was not found in
-- part of a transcript is open.
-- +goose StatementBegin
create function private.move_readings(
  import uuid, size integer, old_starts integer[], old_ends integer[], new_starts integer[],
  new_ends integer[]
) returns void
language plpgsql
set search_path = ''
as $$
begin
  update private.import_readings r set
    read = coalesce((
      select range_agg(case
        when int4range(m.old_start, m.old_end) <@ part then int4range(m.new_start, m.new_end)
        when m.old_end - m.old_start = m.new_end - m.new_start then int4range(
          greatest(lower(part), m.old_start) + m.new_start - m.old_start,
          least(upper(part), m.old_end) + m.new_start - m.old_start
        )
      end)
      from unnest(r.read) as part
      join unnest(old_starts, old_ends, new_starts, new_ends) as m (old_start, old_end, new_start, new_end)
        on part && int4range(m.old_start, m.old_end)
    ), '{}') * int4multirange(int4range(0, size))
  where r.import_id = import;
  delete from private.import_readings r where r.import_id = import and isempty(r.read);
  update public.import_hypotheses ih set
    coverage = c.coverage,
    model_coverage = c.model_coverage,
    readings = c.readings,
    result = case when c.coverage < 1 then 'pending' else ih.result end,
    checked_at = case when c.coverage < 1 then null else ih.checked_at end
  from (
    select
      h.hypothesis_id,
      coalesce(sum(x.bytes), 0) / greatest(size, 1)::double precision as coverage,
      coalesce(sum(x.bytes) filter (where x.extractor <> 'keyword'), 0) / greatest(size, 1)::double precision
        as model_coverage,
      coalesce(
        jsonb_agg(
          jsonb_build_object(
            'extractor', x.extractor,
            'model', nullif(x.model, ''),
            'prompt_version', x.prompt_version,
            'coverage', x.bytes / greatest(size, 1)::double precision
          )
          order by x.bytes desc, x.extractor, x.model, x.prompt_version
        ) filter (where x.extractor is not null),
        '[]'
      ) as readings
    from public.import_hypotheses h
    left join (select r.*, private.bytes_of(r.read) as bytes from private.import_readings r) x
      on x.import_id = h.import_id and x.hypothesis_id = h.hypothesis_id and x.statement = h.statement
    where h.import_id = import
    group by h.hypothesis_id
  ) c
  where ih.import_id = import and ih.hypothesis_id = c.hypothesis_id;
  update public.imports i set
    coverage = coalesce((
      select min(ih.coverage)
      from public.import_hypotheses ih
      where ih.import_id = i.id and ih.hypothesis_id = any(i.requested_hypotheses)
    ), 0)
  where i.id = import;
end $$;
-- +goose StatementEnd

-- Gives quotes their places in a new transcript; -1 is none. Moving them is no activity of a person. A
-- speaker whom somebody had confirmed stays confirmed while it is the same one.
-- +goose StatementBegin
create function private.move_quotes(
  import uuid, evidence uuid[], quotes text[], places integer[], confirmed uuid[], confirmed_speakers text[]
) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('research.removing', 'on', true);
  perform set_config('research.ending', 'on', true);
  update public.evidence e set
    quote = p.quote,
    byte_start = p.place,
    byte_end = p.place + octet_length(convert_to(p.quote, 'UTF8'))
  from unnest(evidence, quotes, places) as p (id, quote, place)
  where e.id = p.id and e.import_id = import and p.place >= 0;
  update public.evidence e set
    byte_start = null,
    byte_end = null,
    utterance_from = null,
    utterance_to = null,
    start_ms = null,
    end_ms = null,
    match = 'manual',
    place_lost = true
  from unnest(evidence, places) as p (id, place)
  where e.id = p.id and e.import_id = import and p.place < 0 and not e.place_lost;
  update public.evidence e set speaker_confirmed = x.confirmed
  from (
    select
      q.id,
      coalesce(not bool_or(private.is_doubtful(u.confidence)), false) or exists (
        select
        from unnest(confirmed, confirmed_speakers) as c (id, speaker)
        where c.id = q.id and c.speaker = q.speaker
      ) as confirmed
    from public.evidence q
    left join public.utterances u
      on u.import_id = q.import_id and u.ordinal between q.utterance_from and q.utterance_to
    where q.id = any(evidence) and q.import_id = import
    group by q.id, q.speaker
  ) x
  where e.id = x.id and e.speaker_confirmed <> x.confirmed;
  perform set_config('research.removing', '', true);
  perform set_config('research.ending', '', true);
end $$;
-- +goose StatementEnd

-- Counts again what an import takes on disk: its transcript, its file, and what was corrected.
-- +goose StatementBegin
create function private.measure_import(import uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.imports i set
    stored_bytes = (
      select private.transcript_bytes(
        octet_length(t.body),
        (select count(*) from public.utterances u where u.import_id = i.id),
        (select count(distinct u.speaker) from public.utterances u where u.import_id = i.id)
      )
      from private.transcripts t
      where t.import_id = i.id
    )
    + (select coalesce(sum(octet_length(f.data)), 0) from private.import_files f where f.import_id = i.id)
    + private.corrected_bytes(i.id)
  where i.id = import;
end $$;
-- +goose StatementEnd

create function private.corrected_bytes(import uuid) returns bigint
language sql stable
set search_path = ''
as $$
  select coalesce(sum(octet_length(c.was_text) + octet_length(c.was_speaker)), 0)::bigint
  from private.turn_corrections c
  where c.import_id = import
$$;

-- Replaces the transcript of an import whose file was read again; the arguments of the transcript are those
-- of private.store_import. Turns from old_starts to old_ends, with the white space after them, are those from
-- new_starts to new_ends. Without a layout, the file is read as it was. Quotes, speakers, what was read and
-- all results follow. Runs before can no longer write.
-- +goose StatementBegin
create function private.replace_transcript(
  import uuid, format text, language text, body bytea, speakers text[], starts bigint[], ends bigint[],
  texts text[], byte_starts integer[], byte_ends integer[], confidences double precision[], craft jsonb,
  old_starts integer[], old_ends integer[], new_starts integer[], new_ends integer[],
  evidence uuid[], quotes text[], places integer[], confirmed uuid[], confirmed_speakers text[],
  layout text, remembered text[], remembered_unlabelled boolean
) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  is_same boolean;
begin
  if private.lock_for_reading(import) in ('queued', 'parsing') then
    raise exception 'the import is being parsed'
      using errcode = 'check_violation', constraint = 'imports_not_parsing';
  end if;
  select t.body = replace_transcript.body into is_same from private.transcripts t where t.import_id = import;
  delete from private.transcripts t where t.import_id = import;
  delete from private.transcript_words w where w.import_id = import;
  delete from public.utterances u where u.import_id = import;
  delete from public.utterance_questions q where q.import_id = import;
  perform private.restore_speakers(import, speakers);
  perform private.write_transcript(
    import, body, speakers, starts, ends, texts, byte_starts, byte_ends, confidences, craft
  );
  perform private.drop_speakers(import);
  update public.imports i set
    format = replace_transcript.format,
    language = replace_transcript.language,
    claim_id = null,
    unread = case when is_same then i.unread else '[]' end
  where i.id = import;
  perform private.measure_import(import);
  update private.import_files f set
    layout = replace_transcript.layout,
    remembered = replace_transcript.remembered,
    remembered_unlabelled = replace_transcript.remembered_unlabelled
  where f.import_id = import and replace_transcript.layout is not null;
  perform private.move_quotes(import, evidence, quotes, places, confirmed, confirmed_speakers);
  perform private.follow_questions(array[import]);
  perform private.move_readings(import, octet_length(body), old_starts, old_ends, new_starts, new_ends);
  perform private.update_results(array[import]);
end $$;
-- +goose StatementEnd
grant execute on function private.replace_transcript(
  uuid, text, text, bytea, text[], bigint[], bigint[], text[], integer[], integer[], double precision[],
  jsonb, integer[], integer[], integer[], integer[], uuid[], text[], integer[], uuid[], text[], text, text[],
  boolean
) to authenticated;

-- Corrections -----------------------------------------------------------------------------------------------

-- The SHA-256 of the transcript of an import that the caller may see, with who speaks, which names its state.
-- +goose StatementBegin
create function private.transcript_hash(import uuid) returns bytea
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select sha256(t.body || '\x0a'::bytea || (
      select convert_to(coalesce(string_agg(u.speaker, e'\n' order by u.ordinal), ''), 'UTF8')
      from public.utterances u
      where u.import_id = t.import_id
    ))
    from private.transcripts t
    join public.imports i on i.id = t.import_id
    where t.import_id = import and private.caller_may_see(i.workspace_id)
  );
end $$;
-- +goose StatementEnd
grant execute on function private.transcript_hash(uuid) to authenticated;

-- Whether somebody corrected an import that the caller may see.
-- +goose StatementBegin
create function private.is_corrected(import uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return exists (
    select
    from private.turn_corrections c
    join public.imports i on i.id = c.import_id
    where c.import_id = import and private.caller_may_see(i.workspace_id)
  );
end $$;
-- +goose StatementEnd
grant execute on function private.is_corrected(uuid) to authenticated;

-- How certain the speakers of turns were when the turns were these ones: the latest time that it was so.
-- +goose StatementBegin
create function private.confidences_before(import uuid, ordinals integer[], texts text[], speakers text[])
returns table (turn integer, confidence double precision)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  return query
  select distinct on (c.ordinal) c.ordinal, c.was_confidence
  from unnest(ordinals, texts, speakers) as t (ordinal, text, speaker)
  join private.turn_corrections c
    on c.import_id = import and c.ordinal = t.ordinal and c.was_text = t.text and c.was_speaker = t.speaker
  order by c.ordinal, c.id desc;
end $$;
-- +goose StatementEnd
grant execute on function private.confidences_before(uuid, integer[], text[], text[]) to authenticated;

-- What the turns of an import were before they were corrected, the oldest first.
-- +goose StatementBegin
create function private.corrections_of(import uuid)
returns table (turn integer, was_text text, was_speaker text, author text, corrected_at timestamptz)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return query
  select c.ordinal, c.was_text, c.was_speaker, p.display_name, c.corrected_at
  from private.turn_corrections c
  join public.imports i on i.id = c.import_id
  left join public.profiles p on p.id = c.corrected_by
  where c.import_id = import and private.caller_may_see(i.workspace_id)
  order by c.id;
end $$;
-- +goose StatementEnd
grant execute on function private.corrections_of(uuid) to authenticated;

-- Keeps what turns of an import are, with what was said about their speakers, before the caller corrects them
-- by private.replace_transcript.
-- +goose StatementBegin
create function private.keep_turns(
  import uuid, ordinals integer[], texts text[], speakers text[], confidences double precision[]
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  insert into private.turn_corrections (
    import_id, ordinal, was_text, was_speaker, was_confidence, was_voice, corrected_by
  )
  select
    import, c.ordinal, c.was_text, c.was_speaker, c.was_confidence,
    (
      select jsonb_build_object(
        'display_name', s.display_name, 'role', s.role, 'participant_id', s.participant_id)
      from public.import_speakers s
      where s.import_id = import and s.speaker = c.was_speaker
    ),
    auth.uid()
  from unnest(ordinals, texts, speakers, confidences) as c (ordinal, was_text, was_speaker, was_confidence)
  order by c.ordinal;
end $$;
-- +goose StatementEnd
grant execute on function private.keep_turns(uuid, integer[], text[], text[], double precision[])
to authenticated;

-- Remembers what is to be read again of an import that the caller corrected, after
-- private.replace_transcript. Quotes that lost their place in this transaction are suggestions again. An
-- import keeps the first 5,000 corrections, of 10 MB, and then takes no more: the answer is false.
-- +goose StatementBegin
create function private.record_corrections(import uuid, unread jsonb, lost uuid[]) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  update public.imports i set unread = record_corrections.unread where i.id = import;
  perform set_config('research.removing', 'on', true);
  update public.evidence e set review = 'suggested', reviewed_by = null, reviewed_at = null
  where e.id = any(lost) and e.import_id = import and e.review = 'accepted';
  perform set_config('research.removing', '', true);
  return (select count(*) <= 5000 from private.turn_corrections c where c.import_id = import)
    and private.corrected_bytes(import) <= 10 * 1024 * 1024;
end $$;
-- +goose StatementEnd
grant execute on function private.record_corrections(uuid, jsonb, uuid[]) to authenticated;

-- Redaction -------------------------------------------------------------------------------------------------

-- The texts beside its transcript in which an import can name somebody, each with the kind of its column.
-- +goose StatementBegin
create function private.texts_of_import(import uuid) returns table (kind text, value text)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  perform private.require_editor((select i.workspace_id from public.imports i where i.id = import));
  return query
  select distinct x.kind, x.value
  from (
    select v.kind, v.value
    from public.evidence e
    cross join lateral (values
      ('quote', case when e.byte_start is null then e.quote end),
      ('speaker', case when e.byte_start is null then e.speaker end),
      ('original_quote', e.original_quote),
      ('original_speaker', e.original_speaker),
      ('summary', e.summary),
      ('rationale', e.rationale)
    ) as v (kind, value)
    where e.import_id = import
    union all
    select v.kind, v.value
    from private.turn_corrections c
    cross join lateral (values
      ('was_text', c.was_text), ('was_speaker', c.was_speaker), ('was_name', c.was_voice ->> 'display_name')
    ) as v (kind, value)
    where c.import_id = import
    union all
    select 'gone', c.quote
    from private.import_run_changes c
    join private.import_runs r on r.claim_id = c.claim_id
    where r.import_id = import
    union all
    select v.kind, v.value
    from public.import_speakers s
    left join public.participants p on p.id = s.participant_id
    cross join lateral (values ('label', s.speaker), ('name', s.display_name), ('person', p.name))
      as v (kind, value)
    where s.import_id = import
    union all
    select v.kind, v.value
    from public.imports i
    cross join lateral (values ('title', i.title), ('filename', i.filename)) as v (kind, value)
    where i.id = import
    union all
    select 'question', q.text
    from public.questions q
    join public.imports i on i.project_id = q.project_id
    where i.id = import and q.origin = 'ai'
    union all
    select 'voice', v.speaker
    from public.imports i
    join public.hypothesis_decisions d
      on d.project_id = i.project_id and d.voices @> jsonb_build_array(jsonb_build_object('import_id', i.id))
    cross join lateral jsonb_to_recordset(d.voices) as v (import_id uuid, speaker text)
    where i.id = import and v.import_id = import
    union all
    select 'remembered', r.label
    from private.project_readings r
    join public.imports i on i.project_id = r.project_id
    where i.id = import
    union all
    select 'remembered', r.other
    from private.project_readings r
    join public.imports i on i.project_id = r.project_id
    where i.id = import
  ) x
  where x.value <> '';
end $$;
-- +goose StatementEnd
grant execute on function private.texts_of_import(uuid) to authenticated;

-- Removes words of an import for good, before private.replace_transcript: `olds`, as private.texts_of_import
-- returns them, become `news`. Its file, what was decided about it, the sentences of answers that quote it,
-- and the responses of models are removed; those that are still awaited are not stored. A quote that a person
-- reviewed stays reviewed.
-- +goose StatementBegin
create function private.redact_import(import uuid, kinds text[], olds text[], news text[]) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  i public.imports;
begin
  if private.lock_for_reading(import) in ('queued', 'parsing') then
    raise exception 'the import is being parsed'
      using errcode = 'check_violation', constraint = 'imports_not_parsing';
  end if;
  select * into i from public.imports x where x.id = import;
  perform private.redact_answers(i.project_id, import);
  perform set_config('research.removing', 'on', true);
  perform set_config('research.ending', 'on', true);
  delete from private.import_files f where f.import_id = import;
  delete from private.chunk_responses c where c.import_id = import;
  delete from private.idempotency_keys k where k.import_id = import;
  delete from private.project_readings r
  using unnest(kinds, olds) as t (kind, old)
  where r.project_id = i.project_id and t.kind = 'remembered' and t.old in (r.label, r.other);
  update public.evidence e set quote = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where e.import_id = import and t.kind = 'quote' and e.quote = t.old and e.byte_start is null;
  update public.evidence e set speaker = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where e.import_id = import and t.kind = 'speaker' and e.speaker = t.old and e.byte_start is null;
  update public.evidence e set original_quote = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where e.import_id = import and t.kind = 'original_quote' and e.original_quote = t.old;
  update public.evidence e set original_speaker = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where e.import_id = import and t.kind = 'original_speaker' and e.original_speaker = t.old;
  update public.evidence e set summary = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where e.import_id = import and t.kind = 'summary' and e.summary = t.old;
  update public.evidence e set rationale = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where e.import_id = import and t.kind = 'rationale' and e.rationale = t.old;
  update private.turn_corrections c set was_text = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where c.import_id = import and t.kind = 'was_text' and c.was_text = t.old;
  update private.turn_corrections c set was_speaker = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where c.import_id = import and t.kind = 'was_speaker' and c.was_speaker = t.old;
  update private.turn_corrections c set was_voice = jsonb_set(c.was_voice, '{display_name}', to_jsonb(t.new))
  from unnest(kinds, olds, news) as t (kind, old, new)
  where c.import_id = import and t.kind = 'was_name' and c.was_voice ->> 'display_name' = t.old;
  update private.import_run_changes c set quote = t.new
  from unnest(kinds, olds, news) as t (kind, old, new), private.import_runs r
  where r.import_id = import and c.claim_id = r.claim_id and t.kind = 'gone' and c.quote = t.old;
  update public.questions q set text = left(t.new, 2000)
  from unnest(kinds, olds, news) as t (kind, old, new)
  where q.project_id = i.project_id and q.origin = 'ai' and t.kind = 'question' and q.text = t.old;
  update public.participants p set name = t.new
  from unnest(kinds, olds, news) as t (kind, old, new), public.import_speakers s
  where s.import_id = import and p.id = s.participant_id and t.kind = 'person' and p.name = t.old;
  update public.import_speakers s set display_name = t.new
  from unnest(kinds, olds, news) as t (kind, old, new)
  where s.import_id = import and t.kind = 'name' and s.display_name = t.old;
  -- Who keeps a label keeps what was said about it. Of labels that become the same, the first one does.
  update public.import_speakers s set speaker = t.new
  from (
    select distinct on (l.new) l.old, l.new
    from unnest(kinds, olds, news) as l (kind, old, new)
    where l.kind = 'label' and not exists (
      select from public.import_speakers x where x.import_id = import and x.speaker = l.new
    )
    order by l.new, l.old collate "C"
  ) t
  where s.import_id = import and s.speaker = t.old;
  perform private.rename_voices(i.project_id, import, array_agg(t.old), array_agg(t.new))
  from unnest(kinds, olds, news) as t (kind, old, new)
  where t.kind in ('label', 'voice')
  having count(*) > 0;
  update public.imports x set
    title = coalesce((
      select t.new from unnest(kinds, olds, news) as t (kind, old, new)
      where t.kind = 'title' and t.old = x.title), x.title),
    filename = coalesce((
      select t.new from unnest(kinds, olds, news) as t (kind, old, new)
      where t.kind = 'filename' and t.old = x.filename), x.filename),
    reading = '{}',
    claim_id = null
  where x.id = import;
  perform private.measure_import(import);
  -- What a run began with is only needed while it is open; what it discarded may have the words.
  update private.import_runs r set before = null, discarded = '[]' where r.import_id = import;
  perform set_config('research.removing', '', true);
  perform set_config('research.ending', '', true);
end $$;
-- +goose StatementEnd
grant execute on function private.redact_import(uuid, text[], text[], text[]) to authenticated;

reset role;
