-- +goose Up
-- Decisions: what each verdict on a hypothesis rested on, what people have said against it since, and how the
-- evidence came together, interview by interview.

-- What a verdict rests on -----------------------------------------------------------------------------------

create table public.hypothesis_decisions (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  hypothesis_id uuid not null,
  number integer not null,
  status public.hypothesis_status not null,
  confirms boolean not null default false,
  reason text not null default ''
    constraint hypothesis_decisions_reason_length check (length(reason) <= 20000),
  falsified_if text not null default ''
    constraint hypothesis_decisions_falsified_if_length check (length(falsified_if) <= 20000),
  reopen_after integer not null,
  decided_by uuid
    constraint hypothesis_decisions_decided_by_fkey references public.profiles (id) on delete set null,
  decided_at timestamptz not null default now(),
  participants bigint not null default 0,
  supporting bigint not null default 0,
  contradicting bigint not null default 0,
  mixed bigint not null default 0,
  neutral bigint not null default 0,
  silent bigint not null default 0,
  unmatched bigint not null default 0,
  others bigint not null default 0,
  supports integer not null default 0,
  contradicts integer not null default 0,
  neutrals integer not null default 0,
  interviews integer not null default 0,
  coverage double precision not null default 0
    constraint hypothesis_decisions_coverage_check check (coverage between 0 and 1),
  evidence_ids uuid[] not null default '{}'
    constraint hypothesis_decisions_evidence_ids_check check (cardinality(evidence_ids) <= 5000),
  against_ids uuid[] not null default '{}'
    constraint hypothesis_decisions_against_ids_check check (cardinality(against_ids) <= 5000),
  voices jsonb not null default '[]'
    constraint hypothesis_decisions_voices_check
      check (jsonb_typeof(voices) = 'array' and jsonb_array_length(voices) <= 2000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint hypothesis_decisions_pkey primary key (id),
  constraint hypothesis_decisions_hypothesis_id_number_key unique (hypothesis_id, number),
  constraint hypothesis_decisions_hypothesis_id_fkey foreign key (hypothesis_id, project_id)
    references public.hypotheses (id, project_id) on delete cascade,
  constraint hypothesis_decisions_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index hypothesis_decisions_project_id_idx on public.hypothesis_decisions (project_id, decided_at);
create index hypothesis_decisions_workspace_id_idx on public.hypothesis_decisions (workspace_id);
create index hypothesis_decisions_decided_by_idx on public.hypothesis_decisions (decided_by);
comment on table public.hypothesis_decisions is
  'The verdicts on hypotheses, each with what it rested on. Written with the verdict; read only for clients. '
  'Of a hypothesis, the latest 200 are kept.';
comment on column public.hypothesis_decisions.number is 'Counts the decisions on the hypothesis, from 1.';
comment on column public.hypothesis_decisions.status is 'The status that the hypothesis got.';
comment on column public.hypothesis_decisions.confirms is
  'Whether it confirms the status that the hypothesis had: see confirm_decision.';
comment on column public.hypothesis_decisions.reason is
  'decision_reason of the hypothesis. A correction of the reason corrects it here.';
comment on column public.hypothesis_decisions.falsified_if is 'That of the hypothesis at that moment.';
comment on column public.hypothesis_decisions.reopen_after is 'That of the hypothesis at that moment.';
comment on column public.hypothesis_decisions.decided_by is 'Who decided; null if that account is deleted.';
comment on column public.hypothesis_decisions.decided_at is 'When.';
comment on column public.hypothesis_decisions.participants is
  'People, as hypothesis_people counted them at that moment.';
comment on column public.hypothesis_decisions.supporting is 'Of the participants.';
comment on column public.hypothesis_decisions.contradicting is 'Of the participants.';
comment on column public.hypothesis_decisions.mixed is 'Of the participants: both for and against.';
comment on column public.hypothesis_decisions.neutral is 'Of the participants.';
comment on column public.hypothesis_decisions.silent is 'Of the participants: as in hypothesis_people.';
comment on column public.hypothesis_decisions.unmatched is 'Of the participants: as in hypothesis_people.';
comment on column public.hypothesis_decisions.others is
  'People with another persona than the hypothesis was about.';
comment on column public.hypothesis_decisions.supports is
  'Quotes, as hypothesis_balances counted them at that moment.';
comment on column public.hypothesis_decisions.contradicts is 'Quotes that contradict it.';
comment on column public.hypothesis_decisions.neutrals is 'Quotes that are neutral.';
comment on column public.hypothesis_decisions.interviews is 'Interviews that were read for the hypothesis.';
comment on column public.hypothesis_decisions.coverage is
  'How much of these interviews was read for it, on average, from 0 to 1.';
comment on column public.hypothesis_decisions.evidence_ids is
  'The quotes that counted, at most 5,000: those against the verdict first, then the newest. Quotes that '
  'were deleted since are not removed from it.';
comment on column public.hypothesis_decisions.against_ids is
  'Those of them, at most 5,000, by which a person spoke against the verdict: contradicting ones if it is '
  'validated, supporting ones if it is invalidated.';
comment on column public.hypothesis_decisions.voices is
  'Who spoke for or against the hypothesis: [{"import_id", "speaker", "participant_id", "supports", '
  '"contradicts"}] with numbers of quotes, at most 2,000 speakers, those against the verdict first. The '
  'speaker is empty if the import was deleted for good since.';

alter table public.hypothesis_decisions enable row level security;
alter table public.hypothesis_decisions force row level security;
create policy service on public.hypothesis_decisions to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.hypothesis_decisions for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
grant select, insert, update, delete on public.hypothesis_decisions to service_role;
grant select on public.hypothesis_decisions to authenticated;

-- As in 0020_storage.sql.
alter table public.hypothesis_decisions
  alter column reason set storage external,
  alter column falsified_if set storage external,
  alter column evidence_ids set storage external,
  alter column against_ids set storage external,
  alter column voices set storage external;

create trigger t1_workspace before insert or update on public.hypothesis_decisions
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.hypothesis_decisions
for each row execute function private.stamp();
-- A decision can be large, so it counts for its own size.
create trigger t0_function before insert on public.hypothesis_decisions
for each statement
when (current_setting('role', true) = 'authenticated' and current_user <> 'authenticated')
execute function private.begin_writing();
create trigger t9_function after insert on public.hypothesis_decisions referencing new table as new_rows
for each statement
when (current_setting('role', true) = 'authenticated' and current_user <> 'authenticated')
execute function private.spend_updated();

-- The stance that speaks against a verdict; null where nothing does.
create function private.stance_against(status public.hypothesis_status) returns public.evidence_stance
language sql immutable
return case status
  when 'validated' then 'contradicts'::public.evidence_stance
  when 'invalidated' then 'supports'::public.evidence_stance
end;
grant execute on function private.stance_against(public.hypothesis_status) to authenticated, service_role;

set local role service_role;

-- Keeps what a hypothesis rests on at this moment, with its status. The caller has locked its row.
-- +goose StatementBegin
create function private.record_decision(
  hypothesis uuid, confirms boolean, decided_by uuid, decided_at timestamptz
) returns public.hypothesis_decisions
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  most constant integer := 200;
  made public.hypothesis_decisions;
begin
  insert into public.hypothesis_decisions (
    workspace_id, project_id, hypothesis_id, number, status, confirms, reason, falsified_if, reopen_after,
    decided_by, decided_at, participants, supporting, contradicting, mixed, neutral, silent, unmatched,
    others, supports, contradicts, neutrals, interviews, coverage, evidence_ids, against_ids, voices
  )
  select
    h.workspace_id,
    h.project_id,
    h.id,
    1 + coalesce(
      (select max(d.number) from public.hypothesis_decisions d where d.hypothesis_id = h.id), 0),
    h.status,
    $2,
    h.decision_reason,
    h.falsified_if,
    h.reopen_after,
    $3,
    $4,
    p.participants, p.supporting, p.contradicting, p.mixed, p.neutral, p.silent, p.unmatched, p.others,
    q.supports,
    q.contradicts,
    q.neutrals,
    r.interviews,
    r.coverage,
    coalesce(q.ids[1:5000], '{}'),
    coalesce(q.against[1:5000], '{}'),
    coalesce(
      (
        select jsonb_agg(
          jsonb_build_object(
            'import_id', v.import_id, 'speaker', v.speaker, 'participant_id', v.participant_id,
            'supports', v.supports_count, 'contradicts', v.contradicts_count
          )
          order by v.against > 0 desc, v.import_id, v.speaker collate "C"
        )
        from (
          select
            x.import_id, x.speaker, s.participant_id, x.supports_count, x.contradicts_count,
            case private.stance_against(h.status)
              when 'contradicts' then x.contradicts_count
              when 'supports' then x.supports_count
              else 0
            end as against
          from public.speaker_stances x
          join public.import_speakers s on s.import_id = x.import_id and s.speaker = x.speaker
          where x.hypothesis_id = h.id
            and s.role = 'participant'
            and x.supports_count + x.contradicts_count > 0
          order by 6 desc, x.import_id, x.speaker collate "C"
          limit 2000
        ) v
      ),
      '[]'
    )
  from public.hypotheses h
  join private.hypothesis_people() p on p.hypothesis_id = h.id
  cross join lateral (
    select
      count(*) filter (where eh.stance = 'supports') as supports,
      count(*) filter (where eh.stance = 'contradicts') as contradicts,
      count(*) filter (where eh.stance = 'neutral') as neutrals,
      array_agg(
        e.id order by eh.stance is not distinct from private.stance_against(h.status) desc, e.created_at desc,
          e.id
      ) as ids,
      array_agg(e.id order by e.created_at desc, e.id) filter (
        where eh.stance = private.stance_against(h.status) and s.role = 'participant' and e.speaker_confirmed
      ) as against
    from public.evidence_hypotheses eh
    join public.evidence e on e.id = eh.evidence_id
    left join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
    where eh.hypothesis_id = h.id
      and e.review <> 'rejected'
      and not e.in_progress
      and s.role is distinct from 'interviewer'
  ) q
  cross join lateral (
    select count(*) as interviews, coalesce(avg(ih.coverage), 0) as coverage
    from public.import_hypotheses ih
    where ih.hypothesis_id = h.id and ih.coverage > 0
  ) r
  where h.id = $1
  returning * into made;
  delete from public.hypothesis_decisions d where d.hypothesis_id = $1 and d.number <= made.number - most;
  return made;
end $$;
-- +goose StatementEnd

-- A status that is set is a decision, and a reason that is corrected is that of the latest one. What the
-- service sets without saying when, it sets now, and as nobody.
-- +goose StatementBegin
create function private.follow_verdict() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  is_dated constant boolean :=
    new.decided_at is not null and (tg_op = 'INSERT' or new.decided_at is distinct from old.decided_at);
begin
  if tg_op = 'UPDATE' and new.status = old.status then
    update public.hypothesis_decisions d set reason = new.decision_reason
    where d.hypothesis_id = new.id and d.number = (
      select max(x.number) from public.hypothesis_decisions x where x.hypothesis_id = new.id
    );
  else
    perform private.record_decision(
      new.id,
      false,
      case when is_dated then new.decided_by end,
      case when is_dated then new.decided_at else now() end
    );
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- Decides on a hypothesis again as it was decided, with what is known now. Nothing if the caller does not see
-- it.
-- +goose StatementBegin
create function private.confirm_decision(hypothesis uuid) returns setof public.hypothesis_decisions
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  h public.hypotheses;
  caller constant uuid := (select p.id from public.profiles p where p.id = auth.uid());
begin
  select * into h
  from public.hypotheses x
  where x.id = hypothesis and private.caller_may_see(x.workspace_id)
  for no key update;
  if not found then
    return;
  end if;
  perform private.require_editor(h.workspace_id);
  if h.status not in ('validated', 'invalidated', 'inconclusive') then
    raise exception 'the hypothesis is not decided'
      using errcode = 'check_violation', constraint = 'hypothesis_decisions_decided',
      hint = 'Set its status to validated, invalidated or inconclusive.';
  end if;
  perform set_config('research.removing', 'on', true); -- the activity is a confirmation
  update public.hypotheses x set decided_by = caller, decided_at = now() where x.id = h.id;
  perform set_config('research.removing', '', true);
  insert into public.activity_events (
    workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail
  )
  values (
    h.workspace_id, h.project_id, caller, 'confirmed', 'hypothesis', h.id, jsonb_build_object('to', h.status)
  );
  return query select d.* from private.record_decision(h.id, true, caller, now()) d;
end $$;
-- +goose StatementEnd
grant execute on function private.confirm_decision(uuid) to authenticated;

-- Renames speakers of an import in what decisions keep, or with null leaves out their names.
-- +goose StatementBegin
create function private.rename_voices(project uuid, import uuid, olds text[], news text[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update public.hypothesis_decisions d set
    voices = (
      select jsonb_agg(
        case
          when v.voice ->> 'import_id' <> import::text then v.voice
          when olds is null then v.voice || '{"speaker": ""}'
          else v.voice || coalesce(
            (
              select jsonb_build_object('speaker', t.new)
              from unnest(olds, news) as t (old, new)
              where t.old = v.voice ->> 'speaker'
              limit 1
            ),
            '{}'
          )
        end
        order by v.place
      )
      from jsonb_array_elements(d.voices) with ordinality as v (voice, place)
    )
  where d.project_id = project and d.voices @> jsonb_build_array(jsonb_build_object('import_id', import));
end $$;
-- +goose StatementEnd

-- Decisions keep no name from an import that is deleted and can no longer be restored.
-- +goose StatementBegin
create function private.forget_voices() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_table_name = 'imports' then
    perform private.rename_voices(o.project_id, o.id, null, null)
    from old_rows o
    join public.projects p on p.id = o.project_id
    where not exists (select from private.deleted_imports d where d.import_id = o.id);
  else
    perform private.rename_voices(o.project_id, o.import_id, null, null)
    from old_rows o
    join public.projects p on p.id = o.project_id
    where not exists (select from public.imports i where i.id = o.import_id);
  end if;
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t8_decision after insert on public.hypotheses
for each row when (new.status <> 'untested') execute function private.follow_verdict();
create trigger t8_decision_changed after update on public.hypotheses
for each row when (old.status <> new.status or old.decision_reason <> new.decision_reason)
execute function private.follow_verdict();
create trigger t8_voices after delete on public.imports
referencing old table as old_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.forget_voices();
create trigger t8_voices after delete on private.deleted_imports
referencing old table as old_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.forget_voices();

-- +goose StatementBegin
create function public.confirm_decision(hypothesis uuid) returns setof public.hypothesis_decisions
language sql volatile begin atomic
  select d.* from private.confirm_decision(hypothesis) d;
end;
-- +goose StatementEnd
comment on function public.confirm_decision is
  'Decides on a hypothesis again as it is decided, with what is known now: what was said against it until '
  'now no longer counts as said since. Returns the decision; nothing for a hypothesis that the caller does '
  'not see. For editors.';
grant execute on function public.confirm_decision(uuid) to authenticated, service_role;

-- What speaks against a verdict since -----------------------------------------------------------------------

-- The quotes by which people speak against verdicts who did not when they were given, each with its person
-- and since when it counts. It is derived, so that evidence that is rejected or deleted takes it back.
--
-- A person spoke against a verdict before if one of the speakers who they are now did: as the decision keeps
-- the speakers, or by a quote that it keeps, since a label can be corrected. Of a speaker who is gone, it is
-- the participant. So who was linked, merged or renamed since did not speak since.
--
-- Words count since the quote, its stance and its speaker do. Who made them count, if it is known, is the
-- actor.
--
-- The quotes of a hypothesis are few, and are read before everything that belongs to them: the planner, which
-- expects few rows behind the policies, would begin with the speakers of the workspace.
-- +goose StatementBegin
create function private.quotes_against() returns table (
  hypothesis_id uuid, project_id uuid, workspace_id uuid, decision_id uuid, person text, evidence_id uuid,
  said_at timestamptz, actor_id uuid
)
language sql stable begin atomic
  select h.id, h.project_id, h.workspace_id, d.id, q.person, q.evidence_id, q.said_at, q.actor_id
  from public.hypotheses h
  cross join lateral (
    select x.id, x.decided_at, x.against_ids, x.voices
    from public.hypothesis_decisions x
    where x.hypothesis_id = h.id
    order by x.number desc
    limit 1
  ) d
  cross join lateral (
    with before as (
      select v.import_id, v.speaker, v.participant_id
      from jsonb_to_recordset(d.voices) as v (
        import_id uuid, speaker text, participant_id uuid, supports bigint, contradicts bigint
      )
      where case h.status when 'validated' then v.contradicts else v.supports end > 0
    ), known as (
      select coalesce(s.participant_id::text, s.import_id || ' ' || s.display_name) as person
      from before b
      join public.import_speakers s on s.import_id = b.import_id and s.speaker = b.speaker
      union
      select b.participant_id::text
      from before b
      left join public.import_speakers s on s.import_id = b.import_id and s.speaker = b.speaker
      where b.participant_id is not null and s.import_id is null
      union
      select coalesce(s.participant_id::text, s.import_id || ' ' || s.display_name)
      from unnest(d.against_ids) as a (id)
      join public.evidence e on e.id = a.id
      join public.import_speakers s on s.import_id = e.import_id and s.speaker = e.speaker
    ), links as materialized (
      select eh.evidence_id, eh.counted_at
      from public.evidence_hypotheses eh
      where eh.hypothesis_id = h.id and eh.stance = private.stance_against(h.status)
    ), said as materialized (
      select
        e.id as evidence_id, e.import_id, e.speaker, greatest(e.counted_at, l.counted_at) as counted_at
      from links l
      cross join lateral (
        select x.* from public.evidence x where x.id = l.evidence_id offset 0 -- by the key
      ) e
      where e.review <> 'rejected'
        and not e.in_progress
        and e.speaker_confirmed
    ), fresh as materialized (
      select
        v.evidence_id, v.import_id, s.participant_id,
        greatest(d.decided_at, v.counted_at, s.counted_at) as said_at,
        coalesce(s.participant_id::text, s.import_id || ' ' || s.display_name) as person
      from said v
      join public.import_speakers s on s.import_id = v.import_id and s.speaker = v.speaker
      where s.role = 'participant' and not exists (
        select
        from known k
        where k.person = coalesce(s.participant_id::text, s.import_id || ' ' || s.display_name)
      )
    )
    select n.person, n.evidence_id, n.said_at, n.actor_id
    from (
      select
        f.person,
        f.evidence_id,
        f.said_at,
        (
          select x.actor_id
          from public.activity_events x
          where x.entity_id = f.evidence_id
            and x.entity_type = 'evidence'
            and x.occurred_at = f.said_at
            and x.actor_id is not null
          limit 1
        ) as actor_id,
        case
          when f.participant_id is null then i.persona_id
          else (
            select y.persona_id
            from private.participant_personas() y
            where y.participant_id = f.participant_id
          )
        end as persona_id
      from fresh f
      join public.imports i on i.id = f.import_id
    ) n
    where coalesce(n.persona_id = h.persona_id, true)
  ) q
  where h.status in ('validated', 'invalidated');
end;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.hypothesis_challenges() returns table (
  hypothesis_id uuid, project_id uuid, workspace_id uuid, decision_id uuid, status public.hypothesis_status,
  decided_at timestamptz, falsified_if text, reopen_after integer, against bigint, reopened boolean,
  latest_at timestamptz, evidence_ids uuid[]
)
language sql stable begin atomic
  select
    q.hypothesis_id,
    q.project_id,
    q.workspace_id,
    q.decision_id,
    h.status,
    d.decided_at,
    h.falsified_if,
    h.reopen_after,
    q.against,
    q.against >= h.reopen_after,
    q.latest_at,
    q.evidence_ids
  from (
    select
      x.hypothesis_id,
      x.project_id,
      x.workspace_id,
      x.decision_id,
      count(distinct x.person) as against,
      max(x.first_at) as latest_at,
      (array_agg(x.evidence_id order by x.said_at desc, x.evidence_id))[1:1000] as evidence_ids
    from (
      select
        y.*,
        min(y.said_at) over (partition by y.hypothesis_id, y.project_id, y.workspace_id, y.person) as first_at
      from private.quotes_against() y
    ) x
    group by x.hypothesis_id, x.project_id, x.workspace_id, x.decision_id
  ) q
  join public.hypotheses h on h.id = q.hypothesis_id
  join public.hypothesis_decisions d on d.id = q.decision_id;
end;
-- +goose StatementEnd

grant execute on function private.quotes_against(), private.hypothesis_challenges()
to authenticated, service_role;

create view public.hypothesis_challenges as
select
  c.hypothesis_id, c.project_id, c.workspace_id, c.decision_id, c.status, c.decided_at, c.falsified_if,
  c.reopen_after, c.against, c.reopened, c.latest_at, c.evidence_ids
from private.hypothesis_challenges() as c (
  hypothesis_id, project_id, workspace_id, decision_id, status, decided_at, falsified_if, reopen_after,
  against, reopened, latest_at, evidence_ids
);
comment on view public.hypothesis_challenges is
  'The validated and invalidated hypotheses against whose verdict somebody has spoken since. Evidence that '
  'is rejected or deleted takes it back; confirm_decision begins anew.';
comment on column public.hypothesis_challenges.decision_id is 'The latest decision on the hypothesis.';
comment on column public.hypothesis_challenges.falsified_if is 'That of the hypothesis now.';
comment on column public.hypothesis_challenges.reopen_after is 'That of the hypothesis now.';
comment on column public.hypothesis_challenges.against is
  'How many people speak against the verdict now who did not when it was given: of a validated hypothesis '
  'they contradict it, of an invalidated one they support it. Who is not counted in hypothesis_people is not '
  'counted here.';
comment on column public.hypothesis_challenges.reopened is
  'Whether they are as many as reopen_after: the decision is open again.';
comment on column public.hypothesis_challenges.latest_at is 'When the last of these people first did.';
comment on column public.hypothesis_challenges.evidence_ids is
  'Their quotes against the verdict, the latest 1,000, the newest first.';
grant select on public.hypothesis_challenges to authenticated, service_role;

-- How the evidence came together ----------------------------------------------------------------------------

-- What a person says is a number here: 1 is for, 2 is against, 3 is both, 0 is neither. Numbers of people
-- and of interviews are quicker to sort than their ids.
-- Of all hypotheses of the project, or of one.
-- +goose StatementBegin
create function private.hypothesis_timeline(project uuid, hypothesis uuid) returns table (
  hypothesis_id uuid, import_id uuid, title text, interviewed_on date, "position" integer, supporting bigint,
  contradicting bigint, mixed bigint, silent bigint, changed boolean, coverage double precision,
  model_coverage double precision
)
language sql stable begin atomic
  with interviews as materialized (
    select
      i.id, i.title, i.interviewed_on, i.persona_id,
      row_number() over (
        order by coalesce(i.interviewed_on, (i.created_at at time zone 'UTC')::date), i.created_at, i.id
      ) as place
    from public.imports i
    where i.project_id = project
  ), speakers as materialized (
    select
      s.import_id, s.speaker, i.place,
      dense_rank() over (
        order by coalesce(s.participant_id, s.import_id), s.participant_id is null, case
          when s.participant_id is null then s.display_name
        end
      ) as person,
      case when s.participant_id is null then i.persona_id else p.persona_id end as persona_id
    from public.import_speakers s
    join interviews i on i.id = s.import_id
    left join (
      select y.id, q.persona_id
      from public.participants y
      join private.participant_personas() q on q.participant_id = y.id
      where y.project_id = project
    ) p on p.id = s.participant_id
    where s.project_id = project and s.role = 'participant'
  ), heard as (
    select
      x.hypothesis_id, x.import_id, s.place, s.person, bit_or(x.said) as said, max(x.coverage) as coverage,
      max(x.model_coverage) as model_coverage
    from (
      select
        v.hypothesis_id, v.import_id, v.speaker,
        (v.supports_count > 0)::integer + 2 * (v.contradicts_count > 0)::integer as said,
        0::double precision as coverage,
        0::double precision as model_coverage
      from public.speaker_stances v
      where v.project_id = project and (hypothesis is null or v.hypothesis_id = hypothesis)
      union all
      select ih.hypothesis_id, ih.import_id, asked.speaker, 0, ih.coverage, ih.model_coverage
      from public.import_hypotheses ih
      join speakers asked on asked.import_id = ih.import_id
      where ih.project_id = project and ih.coverage > 0
        and (hypothesis is null or ih.hypothesis_id = hypothesis)
    ) x
    join speakers s on s.import_id = x.import_id and s.speaker = x.speaker
    join public.hypotheses h on h.id = x.hypothesis_id
    where coalesce(s.persona_id = h.persona_id, true)
    group by x.hypothesis_id, x.import_id, s.place, s.person
  ), stances as (
    select
      e.hypothesis_id,
      e.import_id,
      e.place,
      e.coverage,
      e.model_coverage,
      bit_or(e.said) over so_far as said,
      bit_or(e.said) over (so_far rows between unbounded preceding and 1 preceding) as said_before
    from heard e
    window so_far as (partition by e.hypothesis_id, e.person order by e.place)
  ), steps as (
    select
      s.hypothesis_id,
      s.import_id,
      s.place,
      sum((s.said = 1)::integer - (s.said_before is not distinct from 1)::integer) as supporting,
      sum((s.said = 2)::integer - (s.said_before is not distinct from 2)::integer) as contradicting,
      sum((s.said = 3)::integer - (s.said_before is not distinct from 3)::integer) as mixed,
      sum((s.said = 0)::integer - (s.said_before is not distinct from 0)::integer) as silent,
      bool_or(s.said <> coalesce(s.said_before, 0)) as changed,
      max(s.coverage) as coverage,
      max(s.model_coverage) as model_coverage
    from stances s
    group by s.hypothesis_id, s.import_id, s.place
  )
  select
    t.hypothesis_id,
    i.id,
    i.title,
    i.interviewed_on,
    (row_number() over so_far)::integer,
    (sum(t.supporting) over so_far)::bigint,
    (sum(t.contradicting) over so_far)::bigint,
    (sum(t.mixed) over so_far)::bigint,
    (sum(t.silent) over so_far)::bigint,
    t.changed,
    t.coverage,
    t.model_coverage
  from steps t
  join public.imports i on i.id = t.import_id
  window so_far as (partition by t.hypothesis_id order by t.place)
  order by t.hypothesis_id, t.place;
end;
-- +goose StatementEnd
grant execute on function private.hypothesis_timeline(uuid, uuid) to authenticated, service_role;

-- +goose StatementBegin
create function public.hypothesis_timeline(project_id uuid) returns table (
  hypothesis_id uuid, import_id uuid, title text, interviewed_on date, "position" integer, supporting bigint,
  contradicting bigint, mixed bigint, silent bigint, changed boolean, coverage double precision,
  model_coverage double precision
)
language sql stable begin atomic
  select
    t.hypothesis_id, t.import_id, t.title, t.interviewed_on, t.position, t.supporting, t.contradicting,
    t.mixed, t.silent, t.changed, t.coverage, t.model_coverage
  from private.hypothesis_timeline(project_id, null) t;
end;
-- +goose StatementEnd
comment on function public.hypothesis_timeline is
  'For each hypothesis of a project, its interviews in their order, each with what its people have said so '
  'far: how many are for it, against it, both, and neither (silent). An interview is one that was read for '
  'the hypothesis or has evidence about it, of people whom hypothesis_people counts. The order is by '
  'interviewed_on, or without one by the day of the upload. changed: somebody is for or against for the '
  'first time, or both. coverage and model_coverage: how much of the interview was read for the hypothesis, '
  'by anything and by a model, as in import_hypotheses; both are 0 if people alone gave evidence. The last '
  'row has the counts of hypothesis_people, in which silent is neutral, silent and unmatched.';
grant execute on function public.hypothesis_timeline(uuid) to authenticated, service_role;

set local role service_role;

-- What happened to a hypothesis that the caller may see. That a decision was reopened is derived, as who
-- spoke against it is.
-- +goose StatementBegin
create function private.hypothesis_history(hypothesis uuid) returns table (
  at timestamptz, kind text, actor_id uuid, import_id uuid, evidence_id uuid, decision_id uuid, detail jsonb
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  most constant integer := 500;
  h public.hypotheses;
begin
  select * into h from public.hypotheses x where x.id = $1 and private.caller_may_see(x.workspace_id);
  if not found then
    return;
  end if;
  return query
  with quotes as materialized (
    select e.id, e.import_id
    from public.evidence_hypotheses eh
    join public.evidence e on e.id = eh.evidence_id
    where eh.hypothesis_id = h.id and not e.in_progress
  ), interviews as materialized (
    select ih.import_id as id from public.import_hypotheses ih where ih.hypothesis_id = h.id
    union
    select q.import_id from quotes q where q.import_id is not null
  ), persons as (
    select x.evidence_id, x.said_at, x.actor_id, x.decision_id,
      row_number() over (order by x.said_at, x.person) as place
    from (
      select distinct on (q.person) q.person, q.evidence_id, q.said_at, q.actor_id, q.decision_id
      from private.quotes_against() q
      where q.hypothesis_id = h.id
      order by q.person, q.said_at, q.evidence_id
    ) x
  )
  select u.* from (
    (
      select
        i.created_at as at, 'interview', i.created_by, i.id, null::uuid, null::uuid,
        jsonb_build_object('title', i.title, 'interviewed_on', i.interviewed_on)
      from public.imports i
      where i.id in (select n.id from interviews n)
      order by 1 desc
      limit most
    )
    union all
    (
      select
        r.finished_at, 'analysis', r.requested_by, r.import_id, null, null,
        jsonb_build_object(
          'status', r.status, 'extractor', r.extractor, 'model', r.model,
          'added', c.added, 'changed', c.changed, 'gone', c.gone
        )
      from private.import_runs r
      cross join lateral (
        select
          count(*) filter (where x.kind = 'added') as added,
          count(*) filter (where x.kind = 'changed') as changed,
          count(*) filter (where x.kind = 'gone') as gone
        from private.import_run_changes x
        where x.claim_id = r.claim_id and x.hypothesis_id = h.id
      ) c
      where r.import_id in (select n.id from interviews n)
        and h.id = any(r.hypotheses)
        and r.finished_at is not null
      order by 1 desc
      limit most
    )
    union all
    (
      select
        a.occurred_at, 'judgement', a.actor_id, q.import_id, q.id, null,
        jsonb_build_object('verb', a.verb, 'from', a.detail -> 'from', 'to', a.detail -> 'to')
      from quotes q
      join public.activity_events a on a.entity_id = q.id and a.entity_type = 'evidence'
      where a.verb in ('accepted', 'rejected', 'suggested')
        or a.verb = 'stance_changed'
          and a.detail ->> 'hypothesis_id' = h.id::text
          and a.detail ->> 'from' is distinct from a.detail ->> 'to'
      order by 1 desc
      limit most
    )
    union all
    (
      select
        d.decided_at, case when d.confirms then 'confirmed' else 'verdict' end, d.decided_by, null, null,
        d.id,
        jsonb_build_object(
          'number', d.number, 'status', d.status, 'reason', d.reason, 'supporting', d.supporting,
          'contradicting', d.contradicting, 'mixed', d.mixed, 'participants', d.participants
        )
      from public.hypothesis_decisions d
      where d.hypothesis_id = h.id
    )
    union all
    (
      select
        p.said_at, 'reopened', p.actor_id, q.import_id, p.evidence_id, p.decision_id,
        jsonb_build_object('against', p.place)
      from persons p
      join quotes q on q.id = p.evidence_id
      where p.place = h.reopen_after
    )
    union all
    (
      select
        a.occurred_at, 'edited', a.actor_id, null, null, null,
        jsonb_build_object('changed', a.detail -> 'changed')
      from public.activity_events a
      where a.entity_id = h.id
        and a.entity_type = 'hypothesis'
        and a.detail -> 'changed' ?| array['statement', 'falsified_if']
      order by 1 desc
      limit most
    )
  ) u (at, kind, actor_id, import_id, evidence_id, decision_id, detail)
  order by u.at desc, u.kind, u.evidence_id, u.decision_id
  limit most;
end $$;
-- +goose StatementEnd
grant execute on function private.hypothesis_history(uuid) to authenticated;

reset role;

-- +goose StatementBegin
create function public.hypothesis_history(hypothesis uuid) returns table (
  at timestamptz, kind text, actor_id uuid, import_id uuid, evidence_id uuid, decision_id uuid, detail jsonb
)
language sql stable begin atomic
  select e.at, e.kind, e.actor_id, e.import_id, e.evidence_id, e.decision_id, e.detail
  from private.hypothesis_history(hypothesis) e;
end;
-- +goose StatementEnd
comment on function public.hypothesis_history is
  'What happened to a hypothesis, the newest first, at most 500: interview (one was uploaded), analysis (a '
  'run ended; detail has its status, extractor, model, and how many quotes about the hypothesis it added, '
  'changed and no longer found), judgement (somebody reviewed a quote that is linked with it, or changed its '
  'stance), verdict, confirmed, reopened (as many people as reopen_after have spoken against the present '
  'verdict since) and edited (statement or falsified_if). Judgements and edits are kept as long as activity '
  'is.';
grant execute on function public.hypothesis_history(uuid) to authenticated, service_role;
