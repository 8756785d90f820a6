-- +goose Up
-- Who said it matters more than how often. Each import has its speakers, who are interviewers, participants or
-- others, and a project has participants, who can speak in several imports. Words of interviewers are no
-- evidence.

create type public.speaker_role as enum ('interviewer', 'participant', 'other');

create table public.participants (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  name text not null constraint participants_name_check check (length(btrim(name)) between 1 and 200),
  persona_id uuid,
  attributes jsonb not null default '{}'
    constraint participants_attributes_length check (octet_length(attributes::text) <= 40000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint participants_pkey primary key (id),
  constraint participants_id_project_id_key unique (id, project_id),
  constraint participants_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint participants_persona_id_fkey foreign key (persona_id, project_id)
    references public.personas (id, project_id)
);
-- Not unique: two people can have the same name.
create index participants_project_id_idx on public.participants (project_id, lower(name));
create index participants_workspace_id_idx on public.participants (workspace_id);
create index participants_persona_id_idx on public.participants (persona_id);
comment on table public.participants is 'A person who was interviewed, once or several times.';
comment on column public.participants.attributes is 'Anything else, as a JSON object of the client''s own.';

create table public.import_speakers (
  import_id uuid not null,
  speaker text not null,
  workspace_id uuid not null,
  project_id uuid not null,
  display_name text not null,
  role public.speaker_role not null default 'participant',
  participant_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint import_speakers_pkey primary key (import_id, speaker),
  constraint import_speakers_import_id_fkey foreign key (import_id, project_id, workspace_id)
    references public.imports (id, project_id, workspace_id) on delete cascade,
  constraint import_speakers_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint import_speakers_participant_id_fkey foreign key (participant_id, project_id)
    references public.participants (id, project_id),
  constraint import_speakers_display_name_check check (
    length(display_name) <= 300 and (speaker = '' or length(btrim(display_name)) > 0)
  )
);
create index import_speakers_participant_id_idx on public.import_speakers (participant_id);
create index import_speakers_project_id_idx on public.import_speakers (project_id);
create index import_speakers_workspace_id_idx on public.import_speakers (workspace_id);
comment on table public.import_speakers is
  'The speakers of an import. Made when it is uploaded; editors change display_name, role and participant_id.';
comment on column public.import_speakers.speaker is
  'As in the transcript and in its evidence. Empty in an import that names no speaker at all.';
comment on column public.import_speakers.display_name is
  'The name to show. Speakers of one import with the same display name and without a participant are one person.';
comment on column public.import_speakers.role is
  'interviewer: what they say is no evidence; participant: counted as a person; other: neither, such as an interpreter.';
comment on column public.import_speakers.participant_id is
  'The person who speaks. By default the participant of the same name; null for labels such as "Speaker 1".';

create table public.speaker_stances (
  import_id uuid not null,
  hypothesis_id uuid not null,
  speaker text not null,
  workspace_id uuid not null,
  project_id uuid not null,
  supports_count integer not null,
  contradicts_count integer not null,
  neutral_count integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint speaker_stances_pkey primary key (import_id, hypothesis_id, speaker),
  constraint speaker_stances_import_id_fkey foreign key (import_id, project_id, workspace_id)
    references public.imports (id, project_id, workspace_id) on delete cascade,
  constraint speaker_stances_hypothesis_id_fkey foreign key (hypothesis_id, project_id)
    references public.hypotheses (id, project_id) on delete cascade,
  constraint speaker_stances_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index speaker_stances_hypothesis_id_idx on public.speaker_stances (hypothesis_id);
create index speaker_stances_project_id_idx on public.speaker_stances (project_id);
create index speaker_stances_workspace_id_idx on public.speaker_stances (workspace_id);
comment on table public.speaker_stances is
  'How much evidence a speaker of an import gives about a hypothesis, without what people rejected. Follows the '
  'evidence; read only for clients.';
comment on column public.speaker_stances.supports_count is 'Evidence that supports the hypothesis.';
comment on column public.speaker_stances.contradicts_count is 'Evidence that contradicts the hypothesis.';
comment on column public.speaker_stances.neutral_count is 'Evidence that concerns the hypothesis and is neutral.';

set local role service_role;

-- As before, and participants refer to personas as well.
-- +goose StatementBegin
create or replace function private.forget_persona() returns trigger
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
  update public.participants set persona_id = null where persona_id = old.id;
  return old;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.forget_participant() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (select from public.projects p where p.id = old.project_id) then
    update public.import_speakers set participant_id = null where participant_id = old.id;
  end if;
  return old;
end $$;
-- +goose StatementEnd

-- The words of a label, without digits and punctuation.
-- +goose StatementBegin
create function private.label_words(label text) returns text[]
language sql immutable
return string_to_array(btrim(regexp_replace(lower(label), '[][\s0-9_().,:;#|/\\{}<>*''"+–—-]+', ' ', 'g')), ' ');
-- +goose StatementEnd

-- The role that the label of a speaker names: in any word, or as the whole label where the word has other uses.
-- +goose StatementBegin
create function private.role_of_label(label text) returns public.speaker_role
language sql immutable
return case
  when private.label_words(label) && array[
    'interviewer', 'interviewers', 'interviewerin', 'moderator', 'moderators', 'moderatorin', 'facilitator',
    'facilitators', 'intervieweur', 'intervieweuse', 'enquêteur', 'enquêtrice', 'animateur', 'animatrice',
    'modérateur', 'modératrice', 'entrevistador', 'entrevistadora', 'moderador', 'moderadora', 'intervistatore',
    'intervistatrice', 'moderatore', 'moderatrice', 'vragensteller', 'intervjuare', 'intervjuer', 'ankieter',
    'prowadzący', 'görüşmeci', 'moderatör', 'интервьюер', 'модератор', 'インタビュアー', '聞き手', '采访者', '主持人',
    '면접관', '진행자', 'المحاور'
  ] then 'interviewer'
  when array_to_string(private.label_words(label), ' ') = any(array[
    'q', 'question', 'host', 'int', 'intv', 'mod', 'interview', 'researcher', 'moderation', 'frage', 'pregunta',
    'pergunta', 'domanda', 'vraag'
  ]) then 'interviewer'
  else 'participant'
end::public.speaker_role;
-- +goose StatementEnd

-- The name of the person in a label, without what follows it in brackets or after a bar; null for a label that
-- names nobody, such as "Speaker 1", "P4" or "A".
-- +goose StatementBegin
create function private.name_of_label(label text) returns text
language sql immutable
return case
  when not exists (
    select from unnest(private.label_words(label)) as w (word)
    where not (word ~ '^[a-z]?$' or word = any(array[
      'speaker', 'speakers', 'spk', 'channel', 'participant', 'participants', 'person', 'voice', 'respondent',
      'interviewee', 'guest', 'user', 'customer', 'client', 'agent', 'caller', 'unknown', 'unidentified', 'male',
      'female', 'man', 'woman', 'all', 'everyone', 'group', 'audience', 'multiple', 'others', 'someone', 'candidate',
      'applicant', 'answer', 'narrator', 'operator', 'attendee', 'support', 'sales', 'team', 'ip', 'tn', 'kp',
      'sprecher', 'sprecherin', 'teilnehmer', 'teilnehmerin', 'teilnehmende', 'befragte', 'befragter', 'gast', 'kunde',
      'kundin', 'unbekannt', 'antwort', 'alle', 'invité', 'invitée', 'cliente', 'inconnu', 'intervenant',
      'réponse', 'entrevistado', 'entrevistada', 'hablante', 'desconocido', 'respuesta', 'falante', 'resposta',
      'intervistato', 'intervistata', 'risposta', 'geïnterviewde', 'klant', 'antwoord', 'spreker', 'talare', 'mówca',
      'rozmówca', 'konuşmacı', 'katılımcı', 'спикер', 'участник', 'респондент', 'собеседник', '話者', '说话人', '发言人',
      '참석자', '화자', 'المتحدث'
    ]))
  ) then null
  else left(coalesce(nullif(btrim(regexp_replace(label, '\s*(\([^)]*\)|\|.*)$', '')), ''), btrim(label)), 200)
end;
-- +goose StatementEnd

-- Adds the speakers of an import, and the participants whom their labels name and whom the project does not have.
-- Words without a label count as a speaker's only where there is no label at all. With more labels than any
-- conversation has, none is a name.
-- +goose StatementBegin
create function private.add_speakers(import uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  i public.imports;
  labels text[];
  named text[];
begin
  select * into i from public.imports x where x.id = import;
  labels := array(select distinct u.speaker from public.utterances u where u.import_id = import);
  if cardinality(labels) > 1 then
    labels := array_remove(labels, '');
  end if;
  named := array(
    select distinct private.name_of_label(l)
    from unnest(labels) as l
    where cardinality(labels) <= 200
      and private.role_of_label(l) = 'participant'
      and private.name_of_label(l) is not null
  );

  -- Of concurrent uploads one adds a participant, and the others find it.
  perform from public.projects p where p.id = i.project_id for no key update;
  insert into public.participants (workspace_id, project_id, name)
  select i.workspace_id, i.project_id, min(n)
  from unnest(named) as n
  where not exists (
    select from public.participants p where p.project_id = i.project_id and lower(p.name) = lower(n)
  )
  group by lower(n);
  insert into public.import_speakers (
    import_id, speaker, workspace_id, project_id, display_name, role, participant_id
  )
  select
    i.id,
    l,
    i.workspace_id,
    i.project_id,
    l,
    private.role_of_label(l),
    case when private.name_of_label(l) = any(named) and private.role_of_label(l) = 'participant' then (
      select p.id
      from public.participants p
      where p.project_id = i.project_id and lower(p.name) = lower(private.name_of_label(l))
      order by p.created_at, p.id
      limit 1
    ) end
  from unnest(labels) as l
  on conflict do nothing;
end $$;
-- +goose StatementEnd

-- As before, with the speakers.
-- +goose StatementBegin
create or replace function private.store_import(
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
  perform private.add_speakers(import);
  return import;
end $$;
-- +goose StatementEnd

-- Changes that take one request --------------------------------------------------------------------------------

-- The speakers of an import that the caller may change; none if the caller does not see the import.
-- +goose StatementBegin
create function private.speakers_for_editing(import uuid) returns setof public.import_speakers
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  workspace uuid;
begin
  select i.workspace_id into workspace
  from public.imports i
  where i.id = import and private.caller_may_see(i.workspace_id);
  if not found then
    return;
  end if;
  perform private.require_editor(workspace);
  return query
    select s.* from public.import_speakers s where s.import_id = import order by s.speaker for no key update;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.require_speakers(wanted text[], existing public.import_speakers[]) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if cardinality(existing) > 0 and exists (
    select from unnest(wanted) as w where w is null or w not in (select e.speaker from unnest(existing) as e)
  ) then
    raise exception 'the import has no such speaker'
      using errcode = 'check_violation', hint = 'Name speakers as in import_speakers.speaker.';
  end if;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.set_interviewers(import uuid, speakers text[]) returns setof public.import_speakers
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  before public.import_speakers[] := array(select s from private.speakers_for_editing(import) s);
begin
  perform private.require_speakers(speakers, before);
  update public.import_speakers s set
    role = case when s.speaker = any(speakers) then 'interviewer' else 'participant' end::public.speaker_role
  from unnest(before) b
  where s.import_id = b.import_id
    and s.speaker = b.speaker
    and (s.role = 'interviewer') <> (s.speaker = any(speakers));
  return query select b.* from unnest(before) b;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.merge_speakers(import uuid, merged text[], target text) returns setof public.import_speakers
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  before public.import_speakers[] := array(select s from private.speakers_for_editing(import) s);
begin
  perform private.require_speakers(merged || target, before);
  update public.import_speakers s set
    display_name = t.display_name,
    role = t.role,
    participant_id = t.participant_id
  from unnest(before) b, unnest(before) t
  where s.import_id = b.import_id and s.speaker = b.speaker and s.speaker = any(merged) and t.speaker = target;
  return query select b.* from unnest(before) b;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.restore_speakers(import uuid, speakers jsonb) returns setof public.import_speakers
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  before public.import_speakers[] := array(select s from private.speakers_for_editing(import) s);
  wanted public.import_speakers[] := array(
    select w from jsonb_populate_recordset(null::public.import_speakers, speakers) w
  );
begin
  perform private.require_speakers(array(select w.speaker from unnest(wanted) w), before);
  update public.import_speakers s set
    display_name = w.display_name,
    role = w.role,
    participant_id = w.participant_id
  from unnest(before) b, unnest(wanted) w
  where s.import_id = b.import_id and s.speaker = b.speaker and w.speaker = b.speaker;
  return query select b.* from unnest(before) b;
end $$;
-- +goose StatementEnd

-- Results --------------------------------------------------------------------------------------------------------

-- As before, without the words of interviewers, and with what each speaker says.
-- +goose StatementBegin
create or replace function private.update_results(imports uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Of concurrent changes each must count what the one before it wrote: the next statement sees that.
  perform
  from public.import_speakers s
  where s.import_id = any(imports)
  order by s.import_id, s.speaker
  for no key update;

  with said as (
    select
      e.import_id,
      eh.hypothesis_id,
      e.speaker,
      s.role,
      e.workspace_id,
      e.project_id,
      count(*) filter (where eh.stance = 'supports') as supports,
      count(*) filter (where eh.stance = 'contradicts') as contradicts,
      count(*) filter (where eh.stance = 'neutral') as neutral
    from public.evidence e
    join public.evidence_hypotheses eh on eh.evidence_id = e.id
    left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
    where e.import_id = any(imports) and e.review <> 'rejected'
    group by e.import_id, eh.hypothesis_id, e.speaker, s.role, e.workspace_id, e.project_id
  ),
  gone as (
    delete from public.speaker_stances v
    where v.import_id = any(imports) and not exists (
      select
      from said
      where said.import_id = v.import_id
        and said.hypothesis_id = v.hypothesis_id
        and said.speaker = v.speaker
        and said.role is not null
    )
  ),
  stances as (
    insert into public.speaker_stances as v (
      import_id, hypothesis_id, speaker, workspace_id, project_id, supports_count, contradicts_count, neutral_count
    )
    select import_id, hypothesis_id, speaker, workspace_id, project_id, supports, contradicts, neutral
    from said
    where role is not null
    on conflict (import_id, hypothesis_id, speaker) do update set
      supports_count = excluded.supports_count,
      contradicts_count = excluded.contradicts_count,
      neutral_count = excluded.neutral_count,
      updated_at = now()
    where (v.supports_count, v.contradicts_count, v.neutral_count)
      <> (excluded.supports_count, excluded.contradicts_count, excluded.neutral_count)
  )
  update public.import_hypotheses ih set
    supports_count = c.supports,
    contradicts_count = c.contradicts,
    neutral_count = c.neutral,
    result = c.result
  from (
    select
      x.import_id,
      x.hypothesis_id,
      n.supports,
      n.contradicts,
      n.neutral,
      case
        when n.supports > 0 and n.contradicts > 0 then 'mixed'
        when n.supports > 0 then 'supports'
        when n.contradicts > 0 then 'contradicts'
        when n.neutral > 0 then 'undecided'
        when x.result = 'nothing_found' or x.coverage = 1 or exists (
          select
          from private.import_runs r
          where r.import_id = x.import_id
            and r.status = 'parsed'
            and r.finished_at >= x.checked_at
            and x.hypothesis_id = any(r.hypotheses)
        ) then 'nothing_found'
        else 'pending'
      end::public.hypothesis_result as result
    from public.import_hypotheses x
    left join (
      select
        import_id,
        hypothesis_id,
        sum(supports) as supports,
        sum(contradicts) as contradicts,
        sum(neutral) as neutral
      from said
      where role is distinct from 'interviewer'
      group by import_id, hypothesis_id
    ) counted on counted.import_id = x.import_id and counted.hypothesis_id = x.hypothesis_id
    cross join lateral (
      select
        coalesce(counted.supports, 0) as supports,
        coalesce(counted.contradicts, 0) as contradicts,
        coalesce(counted.neutral, 0) as neutral
    ) n
    where x.import_id = any(imports)
  ) c
  where ih.import_id = c.import_id
    and ih.hypothesis_id = c.hypothesis_id
    and (ih.supports_count, ih.contradicts_count, ih.neutral_count, ih.result)
      is distinct from (c.supports, c.contradicts, c.neutral, c.result);
end $$;
-- +goose StatementEnd

-- As before, and another speaker counts as well.
-- +goose StatementBegin
create or replace function private.follow_evidence() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  changed uuid[];
begin
  if tg_op = 'DELETE' then
    changed := array(select distinct o.import_id from old_rows o where o.review <> 'rejected');
  else
    changed := array(
      select unnest(array[o.import_id, n.import_id])
      from old_rows o
      join new_rows n on n.id = o.id
      where (o.review = 'rejected') <> (n.review = 'rejected')
        or o.import_id is distinct from n.import_id
        or o.speaker <> n.speaker
    );
  end if;
  perform private.update_results(array(
    select i.id
    from public.imports i
    join public.projects p on p.id = i.project_id
    where i.id = any(changed)
  ));
  return null;
end $$;
-- +goose StatementEnd

-- A quote of several speakers is attributed anew when a role changes.
-- +goose StatementBegin
create function private.follow_roles() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  changed uuid[] := array(
    select distinct n.import_id
    from old_rows o
    join new_rows n on (n.import_id, n.speaker) = (o.import_id, o.speaker)
    where n.role <> o.role
  );
begin
  if cardinality(changed) > 0 then
    update public.evidence set speaker = speaker
    where import_id = any(changed) and utterance_from < utterance_to and byte_start is not null;
    perform private.update_results(changed);
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- As before, and the speaker of a quote is the first one who is not an interviewer, if there is any.
-- +goose StatementBegin
create or replace function private.prove_quote() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  found_at integer;
begin
  -- All three keys: with a workspace of their own and the project and import of another, a caller would learn
  -- from the kind of the error what the transcript says.
  if new.import_id is null or not private.caller_may_see(new.workspace_id) or not exists (
    select from public.imports i where i.id = new.import_id and i.project_id = new.project_id and i.workspace_id = new.workspace_id
  ) then
    return new; -- the policy or a foreign key rejects what is not allowed
  end if;
  if new.byte_start is null then
    select position(convert_to(new.quote, 'UTF8') in t.body) into found_at from private.transcripts t where t.import_id = new.import_id;
    if coalesce(found_at, 0) = 0 then
      return new;
    end if;
    new.byte_start := found_at - 1;
    new.byte_end := found_at - 1 + octet_length(convert_to(new.quote, 'UTF8'));
  elsif new.byte_end is null or new.byte_start < 0 or new.byte_end <= new.byte_start then
    return new; -- evidence_bytes_check rejects it
  elsif not exists (
    select from private.transcripts t where t.import_id = new.import_id
      and substring(t.body from new.byte_start + 1 for new.byte_end - new.byte_start) = convert_to(new.quote, 'UTF8')
  ) then
    raise exception 'the quote is not what the transcript says at these offsets'
      using errcode = 'check_violation', constraint = 'evidence_quote_proven',
            hint = 'byte_start and byte_end count UTF-8 bytes of the utterances joined by line feeds.';
  end if;
  select min(u.ordinal), max(u.ordinal), min(u.start_ms), max(u.end_ms),
      (array_agg(u.speaker order by s.role is not distinct from 'interviewer', u.ordinal))[1]
    into new.utterance_from, new.utterance_to, new.start_ms, new.end_ms, new.speaker
    from public.utterances u
    left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
    where u.import_id = new.import_id and u.byte_start < new.byte_end and u.byte_end > new.byte_start
      -- Utterances do not overlap, so the one that holds the first byte is the last that starts at or before it: a range of the index.
      and u.byte_start >= (select max(v.byte_start) from public.utterances v where v.import_id = new.import_id and v.byte_start <= new.byte_start);
  new.speaker := coalesce(new.speaker, '');
  return new;
end $$;
-- +goose StatementEnd

reset role;

create trigger t1_key before update on public.participants
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t1_workspace before insert or update on public.participants
for each row execute function private.fill_workspace();
create trigger t1_workspace before insert or update on public.import_speakers
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.participants
for each row execute function private.stamp();
create trigger t2_stamp before insert or update on public.import_speakers
for each row execute function private.stamp();
create trigger t4_forget before delete on public.participants
for each row execute function private.forget_participant();
create trigger t6_results after update on public.import_speakers
referencing old table as old_rows new table as new_rows
for each statement execute function private.follow_roles();
create trigger t9_audit after delete on public.participants
for each row execute function private.audit_deletion('participant');

-- Row-level security ---------------------------------------------------------------------------------------------

alter table public.participants enable row level security;
alter table public.participants force row level security;
create policy service on public.participants to service_role using (true) with check (true);
create policy see on public.participants for select to authenticated
  using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.participants for insert to authenticated
  with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.participants for update to authenticated
  using (workspace_id = any (array(select private.my_workspaces('editor'))))
  with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.participants for delete to authenticated
  using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.participants to service_role, authenticated;

alter table public.import_speakers enable row level security;
alter table public.import_speakers force row level security;
create policy service on public.import_speakers to service_role using (true) with check (true);
create policy see on public.import_speakers for select to authenticated
  using (workspace_id = any (array(select private.my_workspaces())));
create policy change on public.import_speakers for update to authenticated
  using (workspace_id = any (array(select private.my_workspaces('editor'))))
  with check (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.import_speakers to service_role;
grant select, update (display_name, role, participant_id) on public.import_speakers to authenticated;

alter table public.speaker_stances enable row level security;
alter table public.speaker_stances force row level security;
create policy service on public.speaker_stances to service_role using (true) with check (true);
create policy see on public.speaker_stances for select to authenticated
  using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.speaker_stances to service_role;
grant select on public.speaker_stances to authenticated;

grant execute on function private.set_interviewers(uuid, text[]), private.merge_speakers(uuid, text[], text),
  private.restore_speakers(uuid, jsonb) to authenticated, service_role;
grant execute on function private.add_speakers(uuid), private.role_of_label(text), private.name_of_label(text),
  private.label_words(text) to service_role;

-- +goose StatementBegin
create function public.set_interviewers(import uuid, speakers text[]) returns setof public.import_speakers
language sql volatile begin atomic
  select s.* from private.set_interviewers(import, speakers) s;
end;
-- +goose StatementEnd
comment on function public.set_interviewers is
  'Makes these speakers of an import its interviewers, and the interviewers who are not among them participants. '
  'Returns the speakers as they were; restore_speakers undoes it.';

-- +goose StatementBegin
create function public.merge_speakers(import uuid, "from" text[], "into" text) returns setof public.import_speakers
language sql volatile begin atomic
  select s.* from private.merge_speakers(import, "from", "into") s;
end;
-- +goose StatementEnd
comment on function public.merge_speakers is
  'Gives speakers of an import the display name, the role and the participant of another one, so that they are one '
  'person. The transcript does not change. Returns the speakers as they were; restore_speakers undoes it.';

-- +goose StatementBegin
create function public.restore_speakers(import uuid, speakers jsonb) returns setof public.import_speakers
language sql volatile begin atomic
  select s.* from private.restore_speakers(import, speakers) s;
end;
-- +goose StatementEnd
comment on function public.restore_speakers is
  'Sets display_name, role and participant_id of speakers of an import, given as an array of rows of import_speakers. '
  'Returns the speakers as they were.';

grant execute on function public.set_interviewers(uuid, text[]), public.merge_speakers(uuid, text[], text),
  public.restore_speakers(uuid, jsonb) to authenticated, service_role;

-- How many people support or contradict --------------------------------------------------------------------------

-- PostgreSQL 14 has no views with the rights of their caller. These views read functions, which have them, and
-- which the planner expands, so that a condition on a hypothesis or a project reaches the indexes.

-- What each person said about each hypothesis. A person is a participant, or else the speakers of an import with
-- one display name. Rows without evidence are people whose interview was read for the hypothesis.
-- +goose StatementBegin
create function private.hypothesis_voices() returns table (
  hypothesis_id uuid, project_id uuid, workspace_id uuid, participant_id uuid, import_id uuid, display_name text,
  supports bigint, contradicts bigint, neutral bigint
)
language sql stable begin atomic
  select
    said.hypothesis_id,
    said.project_id,
    said.workspace_id,
    s.participant_id,
    case when s.participant_id is null then s.import_id end,
    case when s.participant_id is null then s.display_name end,
    sum(said.supports_count),
    sum(said.contradicts_count),
    sum(said.neutral_count)
  from (
    select
      v.hypothesis_id, v.project_id, v.workspace_id, v.import_id, v.speaker, v.supports_count, v.contradicts_count,
      v.neutral_count
    from public.speaker_stances v
    union all
    select ih.hypothesis_id, ih.project_id, ih.workspace_id, ih.import_id, asked.speaker, 0, 0, 0
    from public.import_hypotheses ih
    join public.import_speakers asked on asked.import_id = ih.import_id
    where ih.coverage > 0
  ) said
  join public.import_speakers s on s.import_id = said.import_id and s.speaker = said.speaker
  where s.role = 'participant'
  group by 1, 2, 3, 4, 5, 6;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.hypothesis_participants() returns table (
  hypothesis_id uuid, project_id uuid, workspace_id uuid, participant_id uuid, import_id uuid, name text,
  supports bigint, contradicts bigint, neutral bigint, stance text
)
language sql stable begin atomic
  select
    v.hypothesis_id,
    v.project_id,
    v.workspace_id,
    v.participant_id,
    v.import_id,
    coalesce(p.name, v.display_name),
    v.supports,
    v.contradicts,
    v.neutral,
    case
      when v.supports > 0 and v.contradicts > 0 then 'mixed'
      when v.supports > 0 then 'supports'
      when v.contradicts > 0 then 'contradicts'
      when v.neutral > 0 then 'neutral'
      else 'silent'
    end
  from private.hypothesis_voices() v
  left join public.participants p on p.id = v.participant_id;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.hypothesis_people() returns table (
  hypothesis_id uuid, project_id uuid, workspace_id uuid, participants bigint, supporting bigint,
  contradicting bigint, mixed bigint, neutral bigint, silent bigint
)
language sql stable begin atomic
  select
    h.id,
    h.project_id,
    h.workspace_id,
    count(v.hypothesis_id),
    count(*) filter (where v.supports > 0 and v.contradicts = 0),
    count(*) filter (where v.contradicts > 0 and v.supports = 0),
    count(*) filter (where v.supports > 0 and v.contradicts > 0),
    count(*) filter (where v.supports = 0 and v.contradicts = 0 and v.neutral > 0),
    count(*) filter (where v.supports = 0 and v.contradicts = 0 and v.neutral = 0)
  from public.hypotheses h
  left join private.hypothesis_voices() v on v.hypothesis_id = h.id and v.project_id = h.project_id
  group by h.id, h.project_id, h.workspace_id;
end;
-- +goose StatementEnd

create view public.hypothesis_participants as
select
  v.hypothesis_id, v.project_id, v.workspace_id, v.participant_id, v.import_id, v.name, v.supports, v.contradicts,
  v.neutral, v.stance
from private.hypothesis_participants() as v (
  hypothesis_id, project_id, workspace_id, participant_id, import_id, name, supports, contradicts, neutral, stance
);
comment on view public.hypothesis_participants is
  'What each person said about each hypothesis, in interviews that were read for it or have evidence about it. '
  'Rejected evidence does not count.';
comment on column public.hypothesis_participants.participant_id is
  'The participant; null for a speaker who is not linked to one.';
comment on column public.hypothesis_participants.import_id is
  'The import of a speaker who is not linked to a participant; otherwise null.';
comment on column public.hypothesis_participants.supports is 'Pieces of evidence.';
comment on column public.hypothesis_participants.stance is
  'supports, contradicts, mixed (both), neutral, or silent: no evidence.';

create view public.hypothesis_people as
select
  v.hypothesis_id, v.project_id, v.workspace_id, v.participants, v.supporting, v.contradicting, v.mixed, v.neutral,
  v.silent
from private.hypothesis_people() as v (
  hypothesis_id, project_id, workspace_id, participants, supporting, contradicting, mixed, neutral, silent
);
comment on view public.hypothesis_people is
  'How many people support and contradict each hypothesis. A person counts once, whatever they said.';
comment on column public.hypothesis_people.participants is
  'People whose interviews were read for the hypothesis, or have evidence about it: the sum of the other counts.';
comment on column public.hypothesis_people.silent is 'Participants without evidence about the hypothesis.';

grant execute on function private.hypothesis_voices(), private.hypothesis_participants(), private.hypothesis_people()
  to authenticated, service_role;
grant select on public.hypothesis_participants, public.hypothesis_people to authenticated, service_role;

-- As before, without the words of interviewers.
-- +goose StatementBegin
create or replace function public.hypothesis_balances(project uuid)
returns table (hypothesis_id uuid, supports integer, contradicts integer, neutral integer, suggested integer, rejected integer)
language sql stable begin atomic
  select eh.hypothesis_id,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'supports'))::integer,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'contradicts'))::integer,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'neutral'))::integer,
    (count(*) filter (where e.review = 'suggested'))::integer,
    (count(*) filter (where e.review = 'rejected'))::integer
  from public.evidence_hypotheses eh
  join public.evidence e on e.id = eh.evidence_id
  where eh.project_id = project
    and not exists (
      select
      from public.import_speakers s
      where s.import_id = e.import_id and s.speaker = e.speaker and s.role = 'interviewer'
    )
  group by eh.hypothesis_id;
end;
-- +goose StatementEnd

-- The imports that there are ------------------------------------------------------------------------------------

set local role service_role;
-- +goose StatementBegin
do $$
declare
  import uuid;
begin
  for import in select i.id from public.imports i order by i.created_at, i.id loop
    perform private.add_speakers(import);
    -- Quotes of several speakers are attributed anew, as when a role changes.
    update public.evidence e set speaker = e.speaker
    where e.import_id = import
      and e.utterance_from < e.utterance_to
      and e.byte_start is not null
      and exists (select from public.import_speakers s where s.import_id = import and s.role = 'interviewer');
    perform private.update_results(array[import]);
  end loop;
end $$;
-- +goose StatementEnd
reset role;
