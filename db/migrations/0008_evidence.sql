-- +goose Up
-- Evidence: quotes that are proven against the transcript, their links to hypotheses, and the questions that
-- they answer.

-- Evidence --------------------------------------------------------------------------------------------------

create type public.evidence_match as enum ('verbatim', 'repaired', 'manual');
create type public.evidence_origin as enum ('human', 'ai', 'keyword');
create type public.evidence_review as enum ('suggested', 'accepted', 'rejected');

create table public.evidence (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  import_id uuid,
  quote text not null
    constraint evidence_quote_check check (length(quote) >= 1)
    -- In bytes. A quote may be a long turn of an interview.
    constraint evidence_quote_length check (octet_length(quote) <= 100000),
  original_quote text,
  summary text not null default '' constraint evidence_summary_length check (length(summary) <= 20000),
  rationale text not null default '' constraint evidence_rationale_length check (length(rationale) <= 20000),
  memo text not null default '' constraint evidence_memo_length check (length(memo) <= 20000),
  speaker text not null default '' constraint evidence_speaker_length check (length(speaker) <= 2000),
  original_speaker text,
  speaker_confirmed boolean not null default true,
  start_ms bigint,
  end_ms bigint,
  utterance_from integer,
  utterance_to integer,
  byte_start integer,
  byte_end integer,
  asked_kind text constraint evidence_asked_kind_check check (asked_kind in ('hypothetical', 'leading')),
  asked_start integer,
  asked_end integer,
  place_lost boolean not null default false
    constraint evidence_place_lost_check check (not place_lost or byte_start is null),
  match public.evidence_match not null default 'manual',
  confidence double precision not null default 1
    constraint evidence_confidence_check check (confidence between 0 and 1),
  origin public.evidence_origin not null default 'human',
  review public.evidence_review not null default 'suggested',
  in_progress boolean not null default false,
  model text,
  prompt_version text,
  edited_by uuid constraint evidence_edited_by_fkey references public.profiles (id) on delete set null,
  edited_at timestamptz,
  counted_at timestamptz not null default now(),
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
create index evidence_project_id_idx on public.evidence (project_id, created_at);
create index evidence_workspace_id_idx on public.evidence (workspace_id, created_at);
create index evidence_import_id_idx on public.evidence (import_id, byte_start);
-- For the search: quotes that are at no place of a transcript.
create index evidence_unlocated_idx on public.evidence (project_id) where byte_start is null;
create index evidence_created_by_idx on public.evidence (created_by);
create index evidence_edited_by_idx on public.evidence (edited_by);
create index evidence_reviewed_by_idx on public.evidence (reviewed_by);
comment on table public.evidence is
  'A quote: it may support or contradict hypotheses, and belong to themes.';
comment on column public.evidence.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.evidence.import_id is
  'The transcript it was taken from; null for evidence from elsewhere. It cannot change.';
comment on column public.evidence.quote is
  'If byte_start and byte_end are set, exactly these bytes of the transcript; the database rejects anything '
  'else.';
comment on column public.evidence.original_quote is
  'The quote before a person changed it for the first time; null if nobody did. Filled by the database.';
comment on column public.evidence.summary is 'The point in a few words.';
comment on column public.evidence.rationale is 'Why it supports or contradicts the hypotheses.';
comment on column public.evidence.memo is 'What people think about it.';
comment on column public.evidence.speaker is
  'The speaker. Looked up by the database if the quote has offsets.';
comment on column public.evidence.original_speaker is
  'The speaker before a person changed it for the first time; null if nobody did. Filled by the database.';
comment on column public.evidence.speaker_confirmed is
  'false while it is doubtful who says the words and nobody has confirmed it: the quote counts for no '
  'person. Editors may set it. A speaker whom a person enters is confirmed.';
comment on column public.evidence.start_ms is
  'Start of the first utterance of the quote, in milliseconds. Looked up by the database where the quote '
  'has offsets.';
comment on column public.evidence.end_ms is
  'End of the last utterance of the quote, in milliseconds. Looked up by the database where the quote has '
  'offsets.';
comment on column public.evidence.utterance_from is
  'Ordinal of the first utterance of the quote. Looked up by the database where the quote has offsets.';
comment on column public.evidence.utterance_to is
  'Ordinal of the last utterance of the quote. Looked up by the database where the quote has offsets.';
comment on column public.evidence.byte_start is
  'First byte of the quote in the transcript, in UTF-8. Searched for by the database if a client leaves it '
  'out.';
comment on column public.evidence.byte_end is 'The byte after the last byte of the quote.';
comment on column public.evidence.asked_kind is
  'hypothetical or leading if the quote answers such a question of an interviewer: such an answer says less. '
  'leading, if the question is both. Filled by the database.';
comment on column public.evidence.asked_start is
  'First byte of that question in the transcript; null without asked_kind.';
comment on column public.evidence.asked_end is 'The byte after the last byte of that question.';
comment on column public.evidence.place_lost is
  'Whether the quote had a place in the transcript that it lost when the transcript was changed. Filled by '
  'the database.';
comment on column public.evidence.match is
  'verbatim: as quoted; repaired: corrected to the wording of the transcript; manual: entered by a person.';
comment on column public.evidence.confidence is
  'From 0 to 1, as judged by the extractor; 1 for what a person entered.';
comment on column public.evidence.origin is
  'human, ai, or keyword (matches keywords, without AI): who entered or found the evidence. Whether a '
  'person changed the quote since is in original_quote and original_speaker.';
comment on column public.evidence.review is 'suggested until a person accepts or rejects it.';
comment on column public.evidence.in_progress is
  'Found by a run that still reads other parts of the transcript. When the run ends, the quote is kept, '
  'merged with another one or discarded; until then it counts for no result, balance or digest.';
comment on column public.evidence.model is 'The language model that found it; null for none.';
comment on column public.evidence.prompt_version is 'The version of the instructions to the model.';
comment on column public.evidence.edited_by is
  'Who last changed quote, speaker, summary, rationale, memo or a link. Filled by the database.';
comment on column public.evidence.edited_at is
  'When a person last changed quote, speaker, summary, rationale, memo or a link. Later runs do not change '
  'such evidence.';
comment on column public.evidence.counted_at is
  'When the quote came to count for its speaker: when it was found or entered, or when a rejection of it or '
  'a doubt about who speaks was taken back. Filled by the database.';
comment on column public.evidence.reviewed_by is 'Who last set review; filled by the database.';
comment on column public.evidence.reviewed_at is 'When review was last set; filled by the database.';
comment on column public.evidence.created_by is
  'Who entered it; null for what an extractor found. Filled by the database.';

alter table public.evidence enable row level security;
alter table public.evidence force row level security;
create policy service on public.evidence to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.evidence for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.evidence for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.evidence for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.evidence for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.evidence to authenticated, service_role;

-- Evidence that a person enters is marked as human: clients cannot choose its origin, model or creator. They
-- may say that they corrected a quote to the words of the transcript. What a person edits is marked, so that
-- later runs do not change it.
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
    new.match := case
      when new.byte_start is null then 'manual'
      when new.match = 'repaired' then 'repaired'
      else 'verbatim'
    end;
    new.confidence := 1;
    new.model := null;
    new.prompt_version := null;
    new.in_progress := false;
    new.speaker_confirmed := true;
    new.place_lost := false;
    new.asked_kind := null;
    new.asked_start := null;
    new.asked_end := null;
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
  new.in_progress := old.in_progress;
  new.place_lost := old.place_lost;
  new.asked_kind := old.asked_kind;
  new.asked_start := old.asked_start;
  new.asked_end := old.asked_end;
  new.model := old.model;
  new.prompt_version := old.prompt_version;
  new.confidence := old.confidence;
  new.match := old.match;
  if new.import_id is distinct from old.import_id then
    raise exception 'evidence cannot move to another import'
      using errcode = 'check_violation', constraint = 'evidence_import_kept',
      hint = 'Create a new one there.';
  end if;
  if (new.quote, new.byte_start, new.byte_end) is distinct from (old.quote, old.byte_start, old.byte_end) then
    if new.quote is distinct from old.quote
      and (new.byte_start, new.byte_end) is not distinct from (old.byte_start, old.byte_end)
    then
      new.byte_start := null;
      new.byte_end := null;
    end if;
    new.match := case when new.byte_start is null then 'manual' else 'verbatim' end;
    new.place_lost := false;
  end if;
  if new.review is distinct from old.review then
    new.reviewed_by := auth.uid();
    new.reviewed_at := now();
  else
    new.reviewed_by := old.reviewed_by;
    new.reviewed_at := old.reviewed_at;
  end if;
  new.edited_at := case
    when (new.quote, new.summary, new.rationale) is distinct from (old.quote, old.summary, old.rationale)
      then now()
    else old.edited_at
  end;
  return new;
end $$;
-- +goose StatementEnd

-- A quote of a person that is located in the transcript is verbatim.
-- +goose StatementBegin
create function private.stamp_match() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.match := 'verbatim';
  return new;
end $$;
-- +goose StatementEnd

-- A quote or a speaker that a person changes keeps the original, and names the person, so that it cannot pass
-- as what an extractor found. A speaker whom a person names is confirmed.
-- +goose StatementBegin
create function private.keep_original() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.original_quote := null;
    new.original_speaker := null;
    new.edited_by := null;
    return new;
  end if;
  new.original_quote := coalesce(old.original_quote, case when new.quote <> old.quote then old.quote end);
  new.original_speaker :=
    coalesce(old.original_speaker, case when new.speaker <> old.speaker then old.speaker end);
  if new.byte_start is null and new.speaker <> old.speaker then
    new.speaker_confirmed := true;
  end if;
  if (new.quote, new.speaker, new.speaker_confirmed, new.summary, new.rationale, new.memo)
    is distinct from (old.quote, old.speaker, old.speaker_confirmed, old.summary, old.rationale, old.memo)
  then
    new.edited_at := now();
    new.edited_by := auth.uid();
  else
    new.edited_by := old.edited_by;
  end if;
  return new;
end $$;
-- +goose StatementEnd

set local role service_role;

-- The hypothetical or leading question that words in these turns answer; nothing if it is another question,
-- or if there is none. It is the last one that an interviewer asked in their last turn before the answer,
-- which begins where somebody else speaks: a quote may contain its question. What an interviewer says in a
-- few words, such as "mm-hm", is no turn, and a question of a few words after a longer one, such as "How
-- much?", asks the same. A turn can have several utterances. A question two hundred utterances ago is not
-- what the words answer.
-- +goose StatementBegin
create function private.question_answered(
  import uuid, turn_from integer, turn_to integer,
  out kind text, out byte_start integer, out byte_end integer
)
language plpgsql stable
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  few constant integer := 4; -- words
  answer integer;
  turn_start integer;
  turn_end integer;
begin
  select u.ordinal into answer
  from public.utterances u
  left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
  where u.import_id = import
    and u.ordinal between turn_from and turn_to
    and s.role is distinct from 'interviewer'
  order by u.ordinal
  limit 1;
  answer := coalesce(answer, turn_from);
  select u.ordinal into turn_end
  from public.utterances u
  join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
  where u.import_id = import
    and u.ordinal between answer - 200 and answer - 1
    and s.role = 'interviewer'
    and (u.words > few or exists (
      select from public.utterance_questions q where q.import_id = u.import_id and q.ordinal = u.ordinal
    ))
  order by u.ordinal desc
  limit 1;
  select u.ordinal + 1 into turn_start
  from public.utterances u
  left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
  where u.import_id = import
    and u.ordinal between answer - 200 and turn_end - 1
    and s.role is distinct from 'interviewer'
  order by u.ordinal desc
  limit 1;
  select
    case when q.is_leading then 'leading' when q.is_hypothetical then 'hypothetical' end,
    q.byte_start,
    q.byte_end
  into kind, byte_start, byte_end
  from public.utterance_questions q
  where q.import_id = import and q.ordinal between coalesce(turn_start, answer - 200) and turn_end
  order by q.words >= few desc, q.byte_start desc
  limit 1;
  if kind is null then
    byte_start := null;
    byte_end := null;
  end if;
end $$;
-- +goose StatementEnd

-- Locks the transcript that a quote is taken from, and returns whether there is one with these keys. All
-- three: with a workspace of their own and the project and import of another, a caller would learn from the
-- kind of the error what the transcript says. While the file is read again, the lock waits for the new
-- transcript. The foreign key takes it later.
-- +goose StatementBegin
create function private.lock_transcript(workspace uuid, project uuid, import uuid) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  perform
  from public.imports i
  where i.id = import and i.project_id = project and i.workspace_id = workspace
  for key share;
  return found;
end $$;
-- +goose StatementEnd

-- Rejects a quote of a table that is not what the transcript of an import says at these offsets.
-- +goose StatementBegin
create function private.require_words(
  import uuid, quote text, byte_start integer, byte_end integer, quoting text
) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (
    select
    from private.transcripts t
    where t.import_id = import
      and substring(t.body from byte_start + 1 for byte_end - byte_start) = convert_to(quote, 'UTF8')
  ) then
    raise exception 'the quote is not what the transcript says at these offsets'
      using errcode = 'check_violation', constraint = quoting || '_quote_proven',
            hint = 'byte_start and byte_end count UTF-8 bytes of the utterances joined by line feeds.';
  end if;
end $$;
-- +goose StatementEnd

-- Where a quote is, and who says it: the first speaker who is not an interviewer, if there is any.
-- +goose StatementBegin
create function private.place_of(
  import uuid, byte_start integer, byte_end integer,
  out utterance_from integer, out utterance_to integer, out start_ms bigint, out end_ms bigint,
  out speaker text, out is_doubtful boolean
)
language plpgsql stable
set search_path = ''
as $$
begin
  select
    min(u.ordinal),
    max(u.ordinal),
    min(u.start_ms),
    max(u.end_ms),
    coalesce((array_agg(u.speaker order by s.role is not distinct from 'interviewer', u.ordinal))[1], ''),
    coalesce(bool_or(private.is_doubtful(u.confidence)), false)
  into utterance_from, utterance_to, start_ms, end_ms, speaker, is_doubtful
  from public.utterances u
  left join public.import_speakers s on s.import_id = u.import_id and s.speaker = u.speaker
  where u.import_id = import
    and u.byte_start < place_of.byte_end
    and u.byte_end > place_of.byte_start
      -- Utterances do not overlap, so the one that holds the first byte is the last that starts at or before
      -- it: a range of the index.
      and u.byte_start >= (
        select max(v.byte_start)
        from public.utterances v
        where v.import_id = import and v.byte_start <= place_of.byte_start
      );
end $$;
-- +goose StatementEnd

-- A quote with offsets must equal the transcript's bytes, whoever writes it; utterances, speaker and times
-- are looked up, never taken from the client. A person's quote without offsets is searched for in its import,
-- and located if it is found; one that lost its place stays without until a person changes it. The speaker
-- of a quote is the first one who is not an interviewer, if there is any. It is confirmed unless one of the
-- turns is doubtful; what a person decided about it holds while the place and the speaker stay the same. What
-- the quote answers is looked up too.
-- +goose StatementBegin
create function private.prove_quote() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  searched constant integer := 16384; -- bytes at once
  needle bytea;
  size integer;
  found_at integer;
  place record;
begin
  new.asked_kind := null;
  new.asked_start := null;
  new.asked_end := null;
  if octet_length(new.quote) > 100000 then
    return new; -- evidence_quote_length rejects it
  end if;
  if new.import_id is null or not private.caller_may_see(new.workspace_id) then
    return new; -- the policy rejects what is not allowed
  end if;
  if not private.lock_transcript(new.workspace_id, new.project_id, new.import_id) then
    return new; -- a foreign key rejects it
  end if;
  if new.byte_start is null then
    if new.place_lost then
      return new;
    end if;
    -- A search takes time in proportion to both lengths, and cannot be interrupted. So the transcript is
    -- searched in parts.
    needle := convert_to(new.quote, 'UTF8');
    select octet_length(t.body) into size from private.transcripts t where t.import_id = new.import_id;
    for start in 0 .. coalesce(size, 0) - 1 by searched loop
      select start + nullif(position(
        needle in substring(t.body from start + 1 for searched + octet_length(needle) - 1)), 0)
      into found_at
      from private.transcripts t
      where t.import_id = new.import_id;
      exit when found_at is not null;
    end loop;
    if found_at is null then
      return new;
    end if;
    new.byte_start := found_at - 1;
    new.byte_end := found_at - 1 + octet_length(needle);
  elsif new.byte_end is null or new.byte_start < 0 or new.byte_end <= new.byte_start then
    return new; -- evidence_bytes_check rejects it
  else
    perform private.require_words(new.import_id, new.quote, new.byte_start, new.byte_end, tg_table_name);
  end if;
  select * into place from private.place_of(new.import_id, new.byte_start, new.byte_end);
  new.utterance_from := place.utterance_from;
  new.utterance_to := place.utterance_to;
  new.start_ms := place.start_ms;
  new.end_ms := place.end_ms;
  new.speaker := place.speaker;
  new.place_lost := false;
  if tg_op = 'INSERT' or (new.byte_start, new.byte_end, new.speaker)
    is distinct from (old.byte_start, old.byte_end, old.speaker)
  then
    new.speaker_confirmed := not place.is_doubtful;
  end if;
  select a.kind, a.byte_start, a.byte_end into new.asked_kind, new.asked_start, new.asked_end
  from private.question_answered(new.import_id, new.utterance_from, new.utterance_to) a;
  return new;
end $$;
-- +goose StatementEnd

-- A quote that is given from an interviewer to a participant counts from now on. One that another participant
-- said counts as before: it may only have a new label.
-- +goose StatementBegin
create function private.count_speaker() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (
    select
    from public.import_speakers s
    where s.import_id = old.import_id and s.speaker = old.speaker and s.role <> 'participant'
  ) then
    new.counted_at := now();
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- As private.forget_persona does for personas.
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
  update public.answer_quotes set evidence_id = null where evidence_id = old.id;
  return old;
end $$;
-- +goose StatementEnd

reset role;

-- Triggers that change nothing in what the service writes are not called for it.
create trigger t1_key before update on public.evidence
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t0_needs_project before insert on public.evidence
for each row when (new.project_id is null) execute function private.refuse_null('project_id');
create trigger t1_workspace before insert or update on public.evidence
for each row execute function private.fill_workspace();
create trigger t2_creator before insert or update on public.evidence
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_creator();
create trigger t2_origin before insert or update on public.evidence
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_evidence();
create trigger t2_stamp before insert or update on public.evidence
for each row execute function private.stamp();
create trigger t3_prove before insert or update of
  quote, import_id, byte_start, byte_end, speaker, start_ms, end_ms, utterance_from, utterance_to
on public.evidence
for each row execute function private.prove_quote();
-- The name sorts after t3_prove, which locates the quote.
create trigger t3_proven before insert or update on public.evidence
for each row when (new.byte_start is not null and new.match = 'manual')
execute function private.stamp_match();
create trigger t4_forget before delete on public.evidence
for each row execute function private.forget_evidence();
-- The name sorts after t3_prove, which may look up the speaker.
create trigger t5_original before insert or update on public.evidence
for each row when (current_user in ('anon', 'authenticated')) execute function private.keep_original();
create trigger t6_counted before insert or update on public.evidence
for each row when (current_user in ('anon', 'authenticated')) execute function private.keep_counted();
-- What is put back or moved counts as it did.
create trigger t6_counted_anew before update on public.evidence
for each row when (
  (
    old.review = 'rejected' and new.review <> 'rejected'
    or not old.speaker_confirmed and new.speaker_confirmed
    or old.in_progress and not new.in_progress
  )
  and coalesce(current_setting('research.removing', true), '') <> 'on'
) execute function private.count_from_now();
create trigger t6_counted_by before update on public.evidence
for each row when (old.speaker <> new.speaker) execute function private.count_speaker();

-- Links to hypotheses ---------------------------------------------------------------------------------------

create type public.evidence_stance as enum ('supports', 'contradicts', 'neutral');
create type public.evidence_strength as enum ('weak', 'medium', 'strong');

create table public.evidence_hypotheses (
  evidence_id uuid not null,
  hypothesis_id uuid not null,
  workspace_id uuid not null,
  project_id uuid not null,
  stance public.evidence_stance not null default 'neutral',
  strength public.evidence_strength not null default 'medium',
  given_strength public.evidence_strength,
  counted_at timestamptz not null default now(),
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
comment on table public.evidence_hypotheses is
  'Which hypothesis a piece of evidence supports or contradicts, and how strongly.';
comment on column public.evidence_hypotheses.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.evidence_hypotheses.project_id is
  'The project of the hypothesis. Filled by the database if left out.';
comment on column public.evidence_hypotheses.stance is 'supports, contradicts or neutral.';
comment on column public.evidence_hypotheses.strength is
  'weak, medium or strong. What an extractor found is at most medium if it answers a hypothetical or leading '
  'question; a person may say otherwise.';
comment on column public.evidence_hypotheses.counted_at is
  'When the quote came to count with this stance. Filled by the database.';
comment on column public.evidence_hypotheses.given_strength is
  'What the extractor gave, where strength is less because of the question; otherwise null. Filled by the '
  'database.';

alter table public.evidence_hypotheses enable row level security;
alter table public.evidence_hypotheses force row level security;
create policy service on public.evidence_hypotheses to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.evidence_hypotheses for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.evidence_hypotheses for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.evidence_hypotheses for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.evidence_hypotheses for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.evidence_hypotheses to authenticated, service_role;

set local role service_role;

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
    update public.evidence set edited_at = now(), edited_by = auth.uid() where id = old.evidence_id;
  end if;
  if tg_op <> 'DELETE' then
    update public.evidence set edited_at = now(), edited_by = auth.uid() where id = new.evidence_id;
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- What an extractor finds in the answer to a hypothetical or leading question is at most medium. The strength
-- that it gave is kept: who is an interviewer can change. A quote that a person edited keeps the strength
-- that it had. It runs with the rights of the caller, to know a person from what follows another change.
-- +goose StatementBegin
create function private.weigh_link() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  is_weighed boolean;
begin
  if current_user in ('anon', 'authenticated') then
    new.given_strength := case when tg_op = 'UPDATE' then old.given_strength end;
    return new;
  end if;
  is_weighed := new.given_strength is not null;
  new.strength := coalesce(new.given_strength, new.strength);
  new.given_strength := null;
  if new.strength = 'strong' and exists (
    select
    from public.evidence e
    where e.id = new.evidence_id
      and e.asked_kind is not null
      and e.origin <> 'human'
      and (is_weighed or e.edited_at is null)
  ) then
    new.given_strength := new.strength;
    new.strength := 'medium';
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- A strength that a person sets is theirs.
-- +goose StatementBegin
create function private.forget_given_strength() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.given_strength := null;
  return new;
end $$;
-- +goose StatementEnd

-- Looks up again what the quotes of imports answer, where roles, words or questions have changed, and weighs
-- their links by it. That is nobody's judgement, so it is no activity.
-- +goose StatementBegin
create function private.follow_questions(imports uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  was constant text := coalesce(current_setting('research.removing', true), '');
begin
  perform set_config('research.removing', 'on', true);
  update public.evidence e set asked_kind = a.kind, asked_start = a.byte_start, asked_end = a.byte_end
  from public.evidence x
  cross join lateral private.question_answered(x.import_id, x.utterance_from, x.utterance_to) a
  where x.import_id = any(imports)
    and x.byte_start is not null
    and e.id = x.id
    and (e.asked_kind, e.asked_start, e.asked_end) is distinct from (a.kind, a.byte_start, a.byte_end);
  update public.evidence_hypotheses h set strength = h.strength
  from public.evidence e
  where e.import_id = any(imports)
    and h.evidence_id = e.id
    and h.project_id = e.project_id
    and case when e.asked_kind is null
      then h.given_strength is not null
      else h.strength = 'strong' and e.origin <> 'human' and e.edited_at is null
    end;
  perform set_config('research.removing', was, true);
end $$;
-- +goose StatementEnd
grant execute on function private.follow_questions(uuid[]) to service_role;

reset role;

create trigger t3_weigh before insert or update on public.evidence_hypotheses
for each row when (
  new.strength = 'strong' or new.given_strength is not null or current_user in ('anon', 'authenticated')
) execute function private.weigh_link();
-- The name sorts after t3_weigh, which keeps what was given.
create trigger t3_weigh_own before update of strength on public.evidence_hypotheses
for each row when (current_user in ('anon', 'authenticated'))
execute function private.forget_given_strength();

create trigger t0_needs_evidence before insert on public.evidence_hypotheses
for each row when (new.evidence_id is null) execute function private.refuse_null('evidence_id');
create trigger t0_needs_hypothesis before insert on public.evidence_hypotheses
for each row when (new.hypothesis_id is null) execute function private.refuse_null('hypothesis_id');
create trigger t0_project before insert or update on public.evidence_hypotheses
for each row execute function private.fill_project_of_link();
create trigger t1_workspace before insert or update on public.evidence_hypotheses
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.evidence_hypotheses
for each row execute function private.stamp();
create trigger t6_counted before insert or update on public.evidence_hypotheses
for each row when (current_user in ('anon', 'authenticated')) execute function private.keep_counted();
create trigger t6_counted_anew before update on public.evidence_hypotheses
for each row when (
  (old.evidence_id, old.hypothesis_id, old.stance) <> (new.evidence_id, new.hypothesis_id, new.stance)
) execute function private.count_from_now();
create trigger t4_edited after insert or update or delete on public.evidence_hypotheses
for each row when (current_user in ('anon', 'authenticated')) execute function private.mark_evidence_edited();

-- Questions -------------------------------------------------------------------------------------------------

create type public.question_status as enum ('open', 'asked', 'answered', 'dropped');
create type public.question_priority as enum ('high', 'medium', 'low');
create type public.question_origin as enum ('human', 'ai');

create table public.questions (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  hypothesis_id uuid,
  persona_id uuid,
  text text not null constraint questions_text_check check (length(text) <= 2000 and btrim(text) <> ''),
  status public.question_status not null default 'open',
  priority public.question_priority not null default 'medium',
  answer_evidence_id uuid,
  origin public.question_origin not null default 'human',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint questions_pkey primary key (id),
  constraint questions_id_project_id_key unique (id, project_id),
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
comment on column public.questions.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.questions.status is 'open, asked, answered or dropped.';
comment on column public.questions.priority is 'high, medium or low.';
comment on column public.questions.answer_evidence_id is 'The evidence that answers it.';
comment on column public.questions.origin is 'human or ai; filled by the database.';

alter table public.questions enable row level security;
alter table public.questions force row level security;
create policy service on public.questions to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.questions for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.questions for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.questions for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.questions for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.questions to authenticated, service_role;

-- Clients cannot choose the origin.
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

create trigger t1_key before update on public.questions
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t0_needs_project before insert on public.questions
for each row when (new.project_id is null) execute function private.refuse_null('project_id');
create trigger t1_workspace before insert or update on public.questions
for each row execute function private.fill_workspace();
create trigger t2_origin before insert or update on public.questions
for each row execute function private.stamp_question();
create trigger t2_stamp before insert or update on public.questions
for each row execute function private.stamp();
