-- +goose Up
-- What imports say about hypotheses: results, counts, and how many people support or contradict. They follow
-- the evidence: when people review it, change its stance or delete it, they change in the same transaction.

create type public.hypothesis_result as enum (
  'pending', 'supports', 'contradicts', 'mixed', 'undecided', 'nothing_found'
);

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
  coverage double precision not null default 0
    constraint import_hypotheses_coverage_check check (coverage between 0 and 1),
  model_coverage double precision not null default 0
    constraint import_hypotheses_model_coverage_check check (model_coverage between 0 and 1),
  readings jsonb not null default '[]',
  statement_language text not null default '',
  checked_at timestamptz,
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
comment on table public.import_hypotheses is
  'The result of one import for one chosen hypothesis. Read only for clients.';
comment on column public.import_hypotheses.statement is
  'The hypothesis as it was worded when the import was parsed.';
comment on column public.import_hypotheses.result is
  'supports, contradicts, or mixed if there is evidence of both; undecided if the evidence is only neutral; '
  'nothing_found if the transcript was read and has no evidence; otherwise pending. Rejected evidence does '
  'not count. nothing_found with a model_coverage of 0 says only that keyword matching found nothing that '
  'counts.';
comment on column public.import_hypotheses.supports_count is
  'Evidence that supports it and that nobody rejected.';
comment on column public.import_hypotheses.contradicts_count is
  'Evidence that contradicts it and that nobody rejected.';
comment on column public.import_hypotheses.neutral_count is
  'Evidence that concerns it, neither supports nor contradicts it, and that nobody rejected.';
comment on column public.import_hypotheses.coverage is
  'The part of the transcript that was read for the hypothesis, from 0 to 1.';
comment on column public.import_hypotheses.model_coverage is
  'The part that a language model read for the hypothesis, from 0 to 1. Keyword matching read the rest of '
  'coverage.';
comment on column public.import_hypotheses.readings is
  'What read the transcript for the hypothesis: [{"extractor", "model", "prompt_version", "coverage"}], the '
  'largest part first. The parts do not overlap.';
comment on column public.import_hypotheses.statement_language is
  'The language of the statement, a BCP 47 tag, if keyword matching read for it; empty if it was not '
  'recognized.';
comment on column public.import_hypotheses.checked_at is
  'When a run last read for the hypothesis; null if none did.';

alter table public.import_hypotheses enable row level security;
alter table public.import_hypotheses force row level security;
create policy service on public.import_hypotheses to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.import_hypotheses for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.import_hypotheses to service_role;
grant select on public.import_hypotheses to authenticated;

create trigger t1_workspace before insert or update on public.import_hypotheses
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.import_hypotheses
for each row execute function private.stamp();

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
  'How much evidence a speaker of an import gives about a hypothesis, without what people rejected, and '
  'without quotes whose speaker is not confirmed. Follows the evidence; read only for clients.';
comment on column public.speaker_stances.supports_count is 'Evidence that supports the hypothesis.';
comment on column public.speaker_stances.contradicts_count is 'Evidence that contradicts the hypothesis.';
comment on column public.speaker_stances.neutral_count is
  'Evidence that concerns the hypothesis and is neutral.';

alter table public.speaker_stances enable row level security;
alter table public.speaker_stances force row level security;
create policy service on public.speaker_stances to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.speaker_stances for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.speaker_stances to service_role;
grant select on public.speaker_stances to authenticated;

-- Following the evidence ------------------------------------------------------------------------------------

set local role service_role;

-- Updates the counts and the result of every hypothesis of some imports, and what each speaker says, without
-- the words of interviewers. A quote whose speaker is not confirmed is evidence, but of no person. Without
-- evidence the result is nothing_found if the whole transcript was read,
-- or as much of it as a run that ended well could read; otherwise it is pending.
--
-- What a run has read of hypotheses is written with their results. Another statement for it would update the
-- rows twice, and PostgreSQL checks the foreign keys of a row again that its transaction has written before.
-- Those checks ran with another search_path than the first, and were planned each time (docs/decisions/0335).
--
-- The statements find their rows by keys, however many imports they are about, so a generic plan serves.
-- Without the setting they were planned at each call. The plan must use the keys in a database that was never
-- analyzed too, where a connection would keep the plan for tables that were small when it made it.
-- +goose StatementBegin
create function private.update_results(imports uuid[], reads jsonb default '[]') returns void
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  -- Each of several concurrent changes must count what the one before it wrote: the next statement sees that.
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
      e.speaker_confirmed,
      e.workspace_id,
      e.project_id,
      count(*) filter (where eh.stance = 'supports') as supports,
      count(*) filter (where eh.stance = 'contradicts') as contradicts,
      count(*) filter (where eh.stance = 'neutral') as neutral
    from public.evidence e
    join public.evidence_hypotheses eh on eh.evidence_id = e.id
    left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
    where e.import_id = any(imports) and e.review <> 'rejected' and not e.in_progress
    group by
      e.import_id, eh.hypothesis_id, e.speaker, s.role, e.speaker_confirmed, e.workspace_id, e.project_id
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
        and said.speaker_confirmed
    )
  ),
  stances as (
    insert into public.speaker_stances as v (
      import_id, hypothesis_id, speaker, workspace_id, project_id, supports_count, contradicts_count,
      neutral_count
    )
    select import_id, hypothesis_id, speaker, workspace_id, project_id, supports, contradicts, neutral
    from said
    where role is not null and speaker_confirmed
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
    result = c.result,
    coverage = c.coverage,
    model_coverage = c.model_coverage,
    readings = c.readings,
    statement_language = c.statement_language,
    checked_at = c.checked_at
  from (
    select
      x.import_id,
      x.hypothesis_id,
      x.coverage,
      x.model_coverage,
      x.readings,
      x.statement_language,
      x.checked_at,
      n.supports,
      n.contradicts,
      n.neutral,
      case
        when n.supports > 0 and n.contradicts > 0 then 'mixed'
        when n.supports > 0 then 'supports'
        when n.contradicts > 0 then 'contradicts'
        when n.neutral > 0 then 'undecided'
        when x.result = 'nothing_found' or x.coverage = 1 or x.coverage > 0 and exists (
          select
          from private.import_runs r
          where r.import_id = x.import_id
            and r.status = 'parsed'
            and r.finished_at >= x.checked_at
            and x.hypothesis_id = any(r.hypotheses)
        ) then 'nothing_found'
        else 'pending'
      end::public.hypothesis_result as result
    from (
      select
        h.import_id,
        h.hypothesis_id,
        h.result,
        coalesce(read.coverage, h.coverage) as coverage,
        coalesce(read.model_coverage, h.model_coverage) as model_coverage,
        coalesce(read.readings, h.readings) as readings,
        coalesce(read.statement_language, h.statement_language) as statement_language,
        case when read.coverage is null then h.checked_at else now() end as checked_at
      from public.import_hypotheses h
      left join jsonb_to_recordset(reads) as read (
        hypothesis_id uuid, coverage double precision, model_coverage double precision, readings jsonb,
        statement_language text
      ) on read.hypothesis_id = h.hypothesis_id
      where h.import_id = any(imports)
    ) x
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
  ) c
  where ih.import_id = c.import_id
    and ih.hypothesis_id = c.hypothesis_id
    and (
      ih.supports_count, ih.contradicts_count, ih.neutral_count, ih.result, ih.coverage, ih.model_coverage,
      ih.readings, ih.statement_language, ih.checked_at
    ) is distinct from (
      c.supports, c.contradicts, c.neutral, c.result, c.coverage, c.model_coverage, c.readings,
      c.statement_language, c.checked_at
    );
end $$;
-- +goose StatementEnd
grant execute on function private.update_results(uuid[], jsonb) to service_role;

-- The triggers fire once for each statement. What goes with its project, import or hypothesis is not counted
-- again. Evidence is inserted before its links, so that its insertion changes nothing. A statement that
-- changes no result counts nothing.
-- +goose StatementBegin
create function private.follow_evidence() returns trigger
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
        or o.speaker_confirmed <> n.speaker_confirmed
    );
  end if;
  if cardinality(changed) > 0 then
    perform private.update_results(array(
      select i.id
      from public.imports i
      join public.projects p on p.id = i.project_id
      where i.id = any(changed)
    ));
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.follow_links() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  changed uuid[];
begin
  case tg_op
    when 'INSERT' then
      changed := array(select distinct n.evidence_id from new_rows n);
    when 'DELETE' then
      changed := array(
        select distinct o.evidence_id
        from old_rows o
        join public.hypotheses h on h.id = o.hypothesis_id
        join public.projects p on p.id = o.project_id
      );
    else
      changed := array(
        select unnest(array[o.evidence_id, n.evidence_id])
        from old_rows o
        full join new_rows n on (n.evidence_id, n.hypothesis_id) = (o.evidence_id, o.hypothesis_id)
        where n.stance is distinct from o.stance
      );
  end case;
  if cardinality(changed) > 0 then
    perform private.update_results(array(
      select distinct e.import_id
      from public.evidence e
      where e.id = any(changed) and e.import_id is not null
    ));
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- When a role changes, a quote of several speakers is attributed again, and what quotes answer is looked up.
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
    perform private.follow_questions(changed);
    perform private.update_results(changed);
  end if;
  return null;
end $$;
-- +goose StatementEnd

reset role;

-- A run counts the results of its import once, after it has written its evidence, what it read and its end.
-- The triggers would count them three times more while it writes, also where no row has changed: a statement
-- with ON CONFLICT fires the triggers of INSERT and of UPDATE. The setting research.ending says that the
-- transaction counts by itself.
create trigger t6_results after update on public.evidence
referencing old table as old_rows new table as new_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_evidence();
create trigger t6_results_deleted after delete on public.evidence
referencing old table as old_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_evidence();
create trigger t6_results after update on public.evidence_hypotheses
referencing old table as old_rows new table as new_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_links();
create trigger t6_results_deleted after delete on public.evidence_hypotheses
referencing old table as old_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_links();
create trigger t6_results_inserted after insert on public.evidence_hypotheses
referencing new table as new_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_links();
create trigger t6_results after update on public.import_speakers
referencing old table as old_rows new table as new_rows
for each statement execute function private.follow_roles();

-- The balance of evidence -----------------------------------------------------------------------------------

-- Counted with the caller's rights, without the words of interviewers and the evidence of runs in progress.
-- Rejected evidence does not count as support or contradiction.
-- +goose StatementBegin
create function private.hypothesis_balances() returns table (
  hypothesis_id uuid, project_id uuid, supports integer, contradicts integer, neutral integer,
  suggested integer, rejected integer, accepted integer
)
language sql stable begin atomic
  select eh.hypothesis_id, eh.project_id,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'supports'))::integer,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'contradicts'))::integer,
    (count(*) filter (where e.review <> 'rejected' and eh.stance = 'neutral'))::integer,
    (count(*) filter (where e.review = 'suggested'))::integer,
    (count(*) filter (where e.review = 'rejected'))::integer,
    (count(*) filter (where e.review = 'accepted'))::integer
  from public.evidence_hypotheses eh
  join public.evidence e on e.id = eh.evidence_id
  where not e.in_progress
    and not exists (
      select
      from public.import_speakers s
      where s.import_id = e.import_id and s.speaker = e.speaker and s.role = 'interviewer'
    )
  group by eh.hypothesis_id, eh.project_id;
end;
-- +goose StatementEnd
grant execute on function private.hypothesis_balances() to authenticated, service_role;

-- +goose StatementBegin
create function public.hypothesis_balances(project uuid) returns table (
  hypothesis_id uuid, supports integer, contradicts integer, neutral integer, suggested integer,
  rejected integer, accepted integer
)
language sql stable begin atomic
  select b.hypothesis_id, b.supports, b.contradicts, b.neutral, b.suggested, b.rejected, b.accepted
  from private.hypothesis_balances() b
  where b.project_id = project;
end;
-- +goose StatementEnd
comment on function public.hypothesis_balances is
  'Counts the evidence for and against each hypothesis of a project. Of supports, contradicts and neutral, '
  'people have accepted as many as accepted says, and nobody has reviewed as many as suggested says. A '
  'hypothesis without evidence has no row.';
grant execute on function public.hypothesis_balances(uuid) to authenticated, service_role;

-- How many people support or contradict ---------------------------------------------------------------------

-- PostgreSQL 14 has no views with the rights of their caller. These views read functions, which have them,
-- and which the planner expands, so that a condition on a hypothesis or a project reaches the indexes.

-- What each person said about each hypothesis. A person is a participant, or else the speakers of an import
-- with one display name. Rows without evidence are people whose interview was read for the hypothesis.
-- +goose StatementBegin
create function private.hypothesis_voices() returns table (
  hypothesis_id uuid, project_id uuid, workspace_id uuid, participant_id uuid, import_id uuid,
  display_name text, persona_id uuid, supports bigint, contradicts bigint, neutral bigint,
  read_by_model boolean
)
language sql stable begin atomic
  select
    said.hypothesis_id,
    said.project_id,
    said.workspace_id,
    s.participant_id,
    case when s.participant_id is null then s.import_id end,
    case when s.participant_id is null then s.display_name end,
    coalesce(
      (select q.persona_id from private.participant_personas() q where q.participant_id = s.participant_id),
      case when s.participant_id is null then (array_agg(i.persona_id))[1] end -- of one import
    ),
    sum(said.supports_count),
    sum(said.contradicts_count),
    sum(said.neutral_count),
    bool_or(said.read_by_model)
  from (
    select
      v.hypothesis_id, v.project_id, v.workspace_id, v.import_id, v.speaker, v.supports_count,
      v.contradicts_count, v.neutral_count, false as read_by_model
    from public.speaker_stances v
    union all
    select
      ih.hypothesis_id, ih.project_id, ih.workspace_id, ih.import_id, asked.speaker, 0, 0, 0,
      ih.model_coverage > 0
    from public.import_hypotheses ih
    join public.import_speakers asked on asked.import_id = ih.import_id
    where ih.coverage > 0
  ) said
  join public.import_speakers s on s.import_id = said.import_id and s.speaker = said.speaker
  join public.imports i on i.id = said.import_id
  where s.role = 'participant'
  group by 1, 2, 3, 4, 5, 6;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.hypothesis_participants() returns table (
  hypothesis_id uuid, project_id uuid, workspace_id uuid, participant_id uuid, import_id uuid, name text,
  persona_id uuid, counted boolean, supports bigint, contradicts bigint, neutral bigint, stance text
)
language sql stable begin atomic
  select
    v.hypothesis_id,
    v.project_id,
    v.workspace_id,
    v.participant_id,
    v.import_id,
    coalesce(p.name, v.display_name),
    v.persona_id,
    coalesce(v.persona_id = h.persona_id, true),
    v.supports,
    v.contradicts,
    v.neutral,
    case
      when v.supports > 0 and v.contradicts > 0 then 'mixed'
      when v.supports > 0 then 'supports'
      when v.contradicts > 0 then 'contradicts'
      when v.neutral > 0 then 'neutral'
      when v.read_by_model then 'silent'
      else 'unmatched'
    end
  from private.hypothesis_voices() v
  join public.hypotheses h on h.id = v.hypothesis_id and h.project_id = v.project_id
  left join public.participants p on p.id = v.participant_id;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.hypothesis_people() returns table (
  hypothesis_id uuid, project_id uuid, workspace_id uuid, participants bigint, supporting bigint,
  contradicting bigint, mixed bigint, neutral bigint, silent bigint, unmatched bigint, others bigint
)
language sql stable begin atomic
  select
    h.id,
    h.project_id,
    h.workspace_id,
    count(v.hypothesis_id) filter (where c.counted),
    count(*) filter (where c.counted and v.supports > 0 and v.contradicts = 0),
    count(*) filter (where c.counted and v.contradicts > 0 and v.supports = 0),
    count(*) filter (where c.counted and v.supports > 0 and v.contradicts > 0),
    count(*) filter (where c.counted and v.supports = 0 and v.contradicts = 0 and v.neutral > 0),
    count(*) filter (where c.counted and v.supports + v.contradicts + v.neutral = 0 and v.read_by_model),
    count(*) filter (where c.counted and v.supports + v.contradicts + v.neutral = 0 and not v.read_by_model),
    count(*) filter (where not c.counted)
  from public.hypotheses h
  left join private.hypothesis_voices() v on v.hypothesis_id = h.id and v.project_id = h.project_id
  cross join lateral (select coalesce(v.persona_id = h.persona_id, true) as counted) c
  group by h.id, h.project_id, h.workspace_id;
end;
-- +goose StatementEnd

grant execute on function
  private.hypothesis_voices(), private.hypothesis_participants(), private.hypothesis_people()
to authenticated, service_role;

create view public.hypothesis_participants as
select
  v.hypothesis_id, v.project_id, v.workspace_id, v.participant_id, v.import_id, v.name, v.persona_id,
  v.counted, v.supports, v.contradicts, v.neutral, v.stance
from private.hypothesis_participants() as v (
  hypothesis_id, project_id, workspace_id, participant_id, import_id, name, persona_id, counted, supports,
  contradicts, neutral, stance
);
comment on view public.hypothesis_participants is
  'What each person said about each hypothesis, in interviews that were read for it or have evidence about '
  'it. Rejected evidence does not count.';
comment on column public.hypothesis_participants.participant_id is
  'The participant; null for a speaker who is not linked to one.';
comment on column public.hypothesis_participants.import_id is
  'The import of a speaker who is not linked to a participant; otherwise null.';
comment on column public.hypothesis_participants.persona_id is
  'The persona of the person: as in project_people.';
comment on column public.hypothesis_participants.counted is
  'false for a person with another persona than the hypothesis is about: hypothesis_people counts them among '
  'others.';
comment on column public.hypothesis_participants.supports is 'Pieces of evidence.';
comment on column public.hypothesis_participants.stance is
  'supports, contradicts, mixed (both), neutral; without evidence silent, or unmatched if only keyword '
  'matching read what the person said.';
grant select on public.hypothesis_participants to authenticated, service_role;

create view public.hypothesis_people as
select
  v.hypothesis_id, v.project_id, v.workspace_id, v.participants, v.supporting, v.contradicting, v.mixed,
  v.neutral, v.silent, v.unmatched, v.others
from private.hypothesis_people() as v (
  hypothesis_id, project_id, workspace_id, participants, supporting, contradicting, mixed, neutral, silent,
  unmatched, others
);
comment on view public.hypothesis_people is
  'How many people support and contradict each hypothesis. A person counts once, whatever they said. Of a '
  'hypothesis about a persona, these are the people with it, and those without any persona.';
comment on column public.hypothesis_people.participants is
  'People whose interviews were read for the hypothesis, or have evidence about it: the sum of the other '
  'counts, without others.';
comment on column public.hypothesis_people.silent is
  'Participants without evidence about the hypothesis, whose interview a language model read.';
comment on column public.hypothesis_people.unmatched is
  'Participants without evidence about the hypothesis, whose interview only keyword matching read.';
comment on column public.hypothesis_people.others is
  'People with another persona than the hypothesis is about, whose interviews were read for it.';
grant select on public.hypothesis_people to authenticated, service_role;
