-- +goose Up
-- Who said it matters more than how often. Each import has its speakers, who are interviewers, participants
-- or others, and a project has participants, who can speak in several imports. Words of interviewers are not
-- evidence.

create table public.participants (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  name text not null constraint participants_name_check check (length(name) <= 200 and btrim(name) <> ''),
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
create index participants_project_id_idx on public.participants (project_id, private.fold(name));
create index participants_workspace_id_idx on public.participants (workspace_id);
create index participants_persona_id_idx on public.participants (persona_id);
comment on table public.participants is 'A person who was interviewed, once or several times.';
comment on column public.participants.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.participants.persona_id is
  'The persona of the person; null for that of the first of their interviews that has one.';
comment on column public.participants.attributes is
  'Anything else, as a JSON object that the client defines.';

alter table public.participants enable row level security;
alter table public.participants force row level security;
create policy service on public.participants to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.participants for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.participants for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.participants for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.participants for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.participants to authenticated, service_role;

set local role service_role;

-- As private.forget_persona does for personas.
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

reset role;

create trigger t1_key before update on public.participants
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t0_needs_project before insert on public.participants
for each row when (new.project_id is null) execute function private.refuse_null('project_id');
create trigger t1_workspace before insert or update on public.participants
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.participants
for each row execute function private.stamp();
create trigger t4_forget before delete on public.participants
for each row execute function private.forget_participant();

create type public.speaker_role as enum ('interviewer', 'participant', 'other');

-- What a verdict is held against counts from when its quote, the stance of it and its speaker all do. Each of
-- them has its own counted_at, so that nothing else has to be locked or written.
-- +goose StatementBegin
create function private.count_from_now() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.counted_at := now();
  return new;
end $$;
-- +goose StatementEnd

-- Clients do not choose it.
-- +goose StatementBegin
create function private.keep_counted() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.counted_at := case tg_op when 'INSERT' then now() else old.counted_at end;
  return new;
end $$;
-- +goose StatementEnd

create table public.import_speakers (
  import_id uuid not null,
  speaker text not null,
  workspace_id uuid not null,
  project_id uuid not null,
  display_name text not null,
  role public.speaker_role not null default 'participant',
  participant_id uuid,
  counted_at timestamptz not null default now(),
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
create index import_speakers_workspace_id_idx on public.import_speakers (workspace_id, counted_at);
comment on table public.import_speakers is
  'The speakers of an import. Made when it is uploaded; editors change display_name, role and '
  'participant_id.';
comment on column public.import_speakers.speaker is
  'As in the transcript and in its evidence. Empty in an import that names no speaker at all.';
comment on column public.import_speakers.display_name is
  'The name to show. Speakers of one import with the same display name and without a participant are one '
  'person.';
comment on column public.import_speakers.role is
  'interviewer: what they say is not evidence; participant: counted as a person; other: neither, such as an '
  'interpreter.';
comment on column public.import_speakers.participant_id is
  'The person who speaks. By default a participant of the name, who is added unless there is one who speaks '
  'in no import; null for labels such as "Speaker 1". Editors say whether people of one name are one person.';
comment on column public.import_speakers.counted_at is
  'When the speaker came to count as a participant. Filled by the database.';

alter table public.import_speakers enable row level security;
alter table public.import_speakers force row level security;
create policy service on public.import_speakers to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.import_speakers for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy change on public.import_speakers for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.import_speakers to service_role;
grant select, update (display_name, role, participant_id) on public.import_speakers to authenticated;

create trigger t1_workspace before insert or update on public.import_speakers
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.import_speakers
for each row execute function private.stamp();
create trigger t6_counted before update on public.import_speakers
for each row when (old.role <> new.role and new.role = 'participant')
execute function private.count_from_now();

set local role service_role;

-- The interviewers of an import, as the transcript names them. The statements with which the steps of a parse
-- begin read them, so that no step takes another one for that. PL/pgSQL keeps the plan on a connection.
-- +goose StatementBegin
create function private.interviewers(import uuid) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select s.speaker from public.import_speakers s
    where s.import_id = import and s.role = 'interviewer' and s.speaker <> ''
    order by s.speaker collate "C"
  );
end $$;
-- +goose StatementEnd

-- Personas of people ----------------------------------------------------------------------------------------

-- A person has their own persona, or else that of the first of their interviews that has one. The planner
-- expands the function.
-- +goose StatementBegin
create function private.participant_personas() returns table (participant_id uuid, persona_id uuid)
language sql stable begin atomic
  select
    p.id,
    coalesce(p.persona_id, (
      select i.persona_id
      from public.import_speakers s
      join public.imports i on i.id = s.import_id
      where s.participant_id = p.id and s.role = 'participant' and i.persona_id is not null
      order by i.created_at, i.id
      limit 1
    ))
  from public.participants p;
end;
-- +goose StatementEnd
grant execute on function private.participant_personas() to authenticated, service_role;

-- The speakers that a label names ---------------------------------------------------------------------------

-- The words of a label, without digits and punctuation.
create function private.label_words(label text) returns text[]
language sql immutable
return string_to_array(
  btrim(regexp_replace(private.fold(label),
    replace('[][ 0-9_().,:;#|/\\{}<>*''"+–—-]+', ' ', private.white_space()), ' ', 'g')),
  ' '
);

-- The role that the label of a speaker names: in any word, or as the whole label where the word has other
-- uses.
create function private.role_of_label(label text) returns public.speaker_role
language sql immutable
return case
  when private.label_words(label) && array[
    'observer', 'observers', 'notetaker', 'beobachter', 'beobachterin', 'protokollant', 'protokollantin',
    'observateur', 'observatrice', 'observador', 'observadora', 'osservatore', 'osservatrice', 'наблюдатель',
    'interviewer', 'interviewers', 'interviewerin', 'moderator', 'moderators', 'moderatorin', 'facilitator',
    'facilitators', 'intervieweur', 'intervieweuse', 'enquêteur', 'enquêtrice', 'animateur', 'animatrice',
    'modérateur', 'modératrice', 'entrevistador', 'entrevistadora', 'moderador', 'moderadora',
    'intervistatore', 'intervistatrice', 'moderatore', 'moderatrice', 'vragensteller', 'intervjuare',
    'intervjuer', 'ankieter', 'prowadzący', 'görüşmeci', 'moderatör', 'интервьюер', 'модератор', 'インタビュアー',
    '聞き手', '采访者', '主持人', '면접관', '진행자', 'المحاور'
  ] then 'interviewer'
  when array_to_string(private.label_words(label), ' ') = any(array[
    'q', 'question', 'host', 'int', 'intv', 'mod', 'interview', 'researcher', 'moderation', 'frage',
    'pregunta', 'pergunta', 'domanda', 'vraag'
  ]) then 'interviewer'
  else 'participant'
end::public.speaker_role;

-- A dry run says which role the label of each speaker names.
grant execute on function private.label_words(text), private.role_of_label(text) to authenticated;

-- The name of the person in a label, without what follows it in brackets or after a bar; null for a label
-- that names nobody, such as "Speaker 1", "P4" or "A".
create function private.name_of_label(label text) returns text
language sql immutable
return case
  when not exists (
    select from unnest(private.label_words(label)) as w (word)
    where not (word ~ '^[a-z]?$' or word = any(array[
      'speaker', 'speakers', 'spk', 'channel', 'participant', 'participants', 'person', 'voice',
      'respondent', 'interviewee', 'guest', 'user', 'customer', 'client', 'agent', 'caller', 'unknown',
      'unidentified', 'male', 'female', 'man', 'woman', 'all', 'everyone', 'group', 'audience', 'multiple',
      'others', 'someone', 'candidate', 'applicant', 'answer', 'narrator', 'operator', 'attendee', 'support',
      'sales', 'team', 'ip', 'tn', 'kp', 'sprecher', 'sprecherin', 'teilnehmer', 'teilnehmerin',
      'teilnehmende', 'befragte', 'befragter', 'gast', 'kunde', 'kundin', 'unbekannt', 'antwort', 'alle',
      'invité', 'invitée', 'cliente', 'inconnu', 'intervenant', 'réponse', 'entrevistado', 'entrevistada',
      'hablante', 'desconocido', 'respuesta', 'falante', 'resposta', 'intervistato', 'intervistata',
      'risposta', 'geïnterviewde', 'klant', 'antwoord', 'spreker', 'talare', 'mówca', 'rozmówca',
      'konuşmacı', 'katılımcı', 'спикер', 'участник', 'респондент', 'собеседник', '話者', '说话人', '发言人', '참석자',
      '화자', 'المتحدث'
    ]))
  ) then null
  else left(
    coalesce(
      nullif(
        btrim(regexp_replace(label,
          replace('[ ]*(\([^)]*\)|\|.*)$', ' ', private.white_space()), '')),
        ''),
      btrim(label)),
    200)
end;

-- The participant of a name to link a speaker of an import with: one who speaks in this import, or in none.
-- +goose StatementBegin
create function private.participant_to_link(import uuid, project uuid, name text) returns uuid
language sql volatile
set search_path = ''
as $$
  select p.id
  from public.participants p
  where p.project_id = project
    and private.fold(p.name) = private.fold(participant_to_link.name)
    and not exists (
      select from public.import_speakers s where s.participant_id = p.id and s.import_id <> import
    )
  order by
    exists (select from public.import_speakers s where s.participant_id = p.id) desc, p.created_at, p.id
  limit 1
$$;
-- +goose StatementEnd

-- Adds the speakers of an import, and the participants whom their labels name. A participant of the same name
-- is taken only if they speak in no import: two people can have one name, and a person says whether they are
-- one. Words without a label count as a speaker's only where there is no label at all. With more labels than
-- any conversation has, none is a name.
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
      and not exists (select from public.import_speakers s where s.import_id = i.id and s.speaker = l)
  );

  -- Of several concurrent uploads, one takes a participant who speaks in no import.
  perform from public.projects p where p.id = i.project_id for no key update;
  insert into public.participants (workspace_id, project_id, name)
  select i.workspace_id, i.project_id, min(n collate "C")
  from unnest(named) as n
  where private.participant_to_link(i.id, i.project_id, n) is null
  group by private.fold(n);
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
    case when private.name_of_label(l) = any(named) and private.role_of_label(l) = 'participant' then
      private.participant_to_link(i.id, i.project_id, private.name_of_label(l))
    end
  from unnest(labels) as l
  on conflict do nothing;
end $$;
-- +goose StatementEnd

-- Changes that take one request -----------------------------------------------------------------------------

-- The speakers of an import that the caller may change; none if the caller does not see the import. What
-- follows their roles is locked as a judgement locks it: links, quotes, and then the speakers.
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
  perform
  from public.evidence_hypotheses h
  where h.evidence_id in (select e.id from public.evidence e where e.import_id = import)
  order by h.evidence_id, h.hypothesis_id
  for no key update;
  perform from public.evidence e where e.import_id = import order by e.id for no key update;
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
  if cardinality(wanted) > 1001 then -- all of the largest import, and the one that they become
    raise exception 'more speakers than an import can have' using errcode = 'check_violation',
      hint = 'Name at most 1,000 speakers.';
  end if;
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
grant execute on function private.set_interviewers(uuid, text[]) to authenticated;

-- +goose StatementBegin
create function private.merge_speakers(import uuid, merged text[], target text)
returns setof public.import_speakers
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
  where s.import_id = b.import_id
    and s.speaker = b.speaker
    and s.speaker = any(merged)
    and t.speaker = target;
  return query select b.* from unnest(before) b;
end $$;
-- +goose StatementEnd
grant execute on function private.merge_speakers(uuid, text[], text) to authenticated;

-- Links speakers of an import that was just uploaded with participants of its project, and removes those whom
-- the upload added instead. It reports whether the project has all of them.
-- +goose StatementBegin
create function private.link_speakers(import uuid, labels text[], people uuid[]) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  before public.import_speakers[] := array(select s from private.speakers_for_editing(import) s);
  project uuid := (select i.project_id from public.imports i where i.id = import);
begin
  if exists (
    select from unnest(people) as w
    where w not in (select p.id from public.participants p where p.project_id = project)
  ) then
    return false;
  end if;
  update public.import_speakers s set participant_id = w.person
  from unnest(before) b, unnest(labels, people) as w (label, person)
  where s.import_id = b.import_id
    and s.speaker = b.speaker
    and s.speaker = w.label
    and s.role = 'participant';
  delete from public.participants p
  using unnest(before) b
  where p.id = b.participant_id
    and p.created_at = now()
    and not exists (select from public.import_speakers s where s.participant_id = p.id);
  return true;
end $$;
-- +goose StatementEnd
grant execute on function private.link_speakers(uuid, text[], uuid[]) to authenticated;

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
grant execute on function private.restore_speakers(uuid, jsonb) to authenticated;

reset role;

-- +goose StatementBegin
create function public.project_people(project uuid) returns table (
  participant_id uuid, import_id uuid, name text, persona_id uuid, attributes jsonb
)
language sql stable begin atomic
  select s.participant_id, null::uuid, p.name, q.persona_id, p.attributes
  from (
    select distinct x.participant_id
    from public.import_speakers x
    where x.project_id = project and x.role = 'participant' and x.participant_id is not null
  ) s
  join public.participants p on p.id = s.participant_id
  join private.participant_personas() q on q.participant_id = s.participant_id
  union all
  select null, s.import_id, s.display_name, i.persona_id, '{}'
  from (
    select distinct x.import_id, x.display_name
    from public.import_speakers x
    where x.project_id = project and x.role = 'participant' and x.participant_id is null
  ) s
  join public.imports i on i.id = s.import_id;
end;
-- +goose StatementEnd
comment on function public.project_people is
  'The people who were interviewed in a project: participants, and the speakers of imports who are not '
  'linked to one, by import and display name. persona_id is their own or, without one, that of the first of '
  'their interviews that has one.';
grant execute on function public.project_people(uuid) to authenticated, service_role;

-- +goose StatementBegin
create function public.set_interviewers(import uuid, speakers text[]) returns setof public.import_speakers
language sql volatile begin atomic
  select s.* from private.set_interviewers(import, speakers) s;
end;
-- +goose StatementEnd
comment on function public.set_interviewers is
  'Makes these speakers of an import its interviewers, and the interviewers who are not among them '
  'participants. Returns the speakers as they were; restore_speakers undoes it.';
grant execute on function public.set_interviewers(uuid, text[]) to authenticated, service_role;

-- +goose StatementBegin
create function public.merge_speakers(import uuid, "from" text[], "into" text)
returns setof public.import_speakers
language sql volatile begin atomic
  select s.* from private.merge_speakers(import, "from", "into") s;
end;
-- +goose StatementEnd
comment on function public.merge_speakers is
  'Gives speakers of an import the display name, the role and the participant of another one, so that they '
  'are one person. The transcript does not change. Returns the speakers as they were; restore_speakers '
  'undoes it.';
grant execute on function public.merge_speakers(uuid, text[], text) to authenticated, service_role;

-- +goose StatementBegin
create function public.restore_speakers(import uuid, speakers jsonb) returns setof public.import_speakers
language sql volatile begin atomic
  select s.* from private.restore_speakers(import, speakers) s;
end;
-- +goose StatementEnd
comment on function public.restore_speakers is
  'Sets display_name, role and participant_id of speakers of an import, given as an array of rows of '
  'import_speakers. Returns the speakers as they were.';
grant execute on function public.restore_speakers(uuid, jsonb) to authenticated, service_role;

-- How interviews are led ------------------------------------------------------------------------------------

-- Counted with the caller's rights when it is read, so that it is right whoever is an interviewer now. The
-- longest stretch is that with the most words in which no participant speaks.
-- +goose StatementBegin
create function private.interview_craft() returns table (
  import_id uuid, project_id uuid, workspace_id uuid, language text, words bigint, interviewer_words bigint,
  participant_words bigint, other_words bigint, interviewers bigint, participants bigint,
  longest_from integer, longest_to integer, longest_words bigint, longest_ms bigint, questions bigint,
  open bigint, closed bigint, past bigint, hypothetical bigint, "leading" bigint
)
language sql stable begin atomic
  select
    i.id,
    i.project_id,
    i.workspace_id,
    i.question_language,
    t.words,
    case when v.interviewers > 0 then t.interviewer_words end,
    case when v.participants > 0 then t.participant_words end,
    t.words - t.interviewer_words - t.participant_words,
    v.interviewers,
    v.participants,
    l.longest_from,
    l.longest_to,
    l.longest_words,
    l.longest_ms,
    q.questions,
    q.open,
    q.closed,
    q.past,
    q.hypothetical,
    q."leading"
  from public.imports i
  cross join lateral (
    select
      count(*) filter (where s.role = 'interviewer') as interviewers,
      count(*) filter (where s.role = 'participant') as participants
    from public.import_speakers s
    where s.import_id = i.id
  ) v
  cross join lateral (
    select
      coalesce(sum(u.words), 0)::bigint as words,
      coalesce(sum(u.words) filter (where s.role = 'interviewer'), 0)::bigint as interviewer_words,
      coalesce(sum(u.words) filter (where s.role = 'participant'), 0)::bigint as participant_words
    from public.utterances u
    left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
    where u.import_id = i.id
  ) t
  left join lateral (
    select
      min(x.ordinal) as longest_from,
      max(x.ordinal) as longest_to,
      sum(x.words)::bigint as longest_words,
      max(coalesce(x.end_ms, x.start_ms)) - min(x.start_ms) as longest_ms
    from (
      select
        u.ordinal,
        u.words,
        u.start_ms,
        u.end_ms,
        s.role is not distinct from 'participant' as is_theirs,
        count(*) filter (where s.role = 'participant') over (order by u.ordinal) as stretch
      from public.utterances u
      left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
      where u.import_id = i.id
    ) x
    where not x.is_theirs
    group by x.stretch
    order by sum(x.words) desc, x.stretch
    limit 1
  ) l on v.interviewers > 0 and v.participants > 0
  cross join lateral (
    select
      count(*) as questions,
      count(*) filter (where n.is_open) as open,
      count(*) filter (where n.is_closed) as closed,
      count(*) filter (where n.is_past) as past,
      count(*) filter (where n.is_hypothetical) as hypothetical,
      count(*) filter (where n.is_leading) as "leading"
    from public.utterance_questions n
    join public.utterances u on u.import_id = n.import_id and u.ordinal = n.ordinal
    join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
    where n.import_id = i.id and s.role = 'interviewer'
  ) q;
end;
-- +goose StatementEnd
grant execute on function private.interview_craft() to authenticated, service_role;

create view public.interview_craft as
select
  v.import_id, v.project_id, v.workspace_id, v.language, v.words, v.interviewer_words, v.participant_words,
  v.other_words, v.interviewers, v.participants, v.longest_from, v.longest_to, v.longest_words, v.longest_ms,
  v.questions, v.open, v.closed, v.past, v.hypothetical, v."leading"
from private.interview_craft() as v (
  import_id, project_id, workspace_id, language, words, interviewer_words, participant_words, other_words,
  interviewers, participants, longest_from, longest_to, longest_words, longest_ms, questions, open, closed,
  past, hypothetical, "leading"
);
comment on view public.interview_craft is
  'How each interview is led: who speaks how much, and what interviewers ask. The turns are counted when it '
  'is read: name an import or a few.';
comment on column public.interview_craft.language is
  'As imports.question_language: without one, no questions are recognized.';
comment on column public.interview_craft.words is 'Words of all speakers.';
comment on column public.interview_craft.interviewer_words is
  'Words of interviewers; null if the import has none.';
comment on column public.interview_craft.participant_words is
  'Words of participants; null if the import has none.';
comment on column public.interview_craft.other_words is 'Words of other speakers, or of none.';
comment on column public.interview_craft.interviewers is 'Speakers who are interviewers.';
comment on column public.interview_craft.participants is 'Speakers who are participants.';
comment on column public.interview_craft.longest_from is
  'Ordinal of the first utterance of the longest stretch in which no participant speaks; null without '
  'interviewers or participants.';
comment on column public.interview_craft.longest_to is 'Ordinal of the last utterance of that stretch.';
comment on column public.interview_craft.longest_words is 'Words of that stretch.';
comment on column public.interview_craft.longest_ms is 'Milliseconds of that stretch; null if unknown.';
comment on column public.interview_craft.questions is 'Questions of interviewers.';
comment on column public.interview_craft.open is 'Of these, questions that invite to tell.';
comment on column public.interview_craft.closed is 'Of these, questions that a word answers.';
comment on column public.interview_craft.past is 'Of these, questions about what happened.';
comment on column public.interview_craft.hypothetical is 'Of these, questions about what would be.';
comment on column public.interview_craft."leading" is 'Of these, questions that suggest the answer.';
grant select on public.interview_craft to authenticated, service_role;
