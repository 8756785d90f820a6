-- +goose Up
-- Findings: the page about a hypothesis that is shown to others. People choose its quotes by hand; the rest
-- follows the data.

create table public.finding_quotes (
  hypothesis_id uuid not null,
  evidence_id uuid not null,
  workspace_id uuid not null,
  project_id uuid not null,
  position double precision not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint finding_quotes_pkey primary key (hypothesis_id, evidence_id),
  constraint finding_quotes_hypothesis_id_fkey foreign key (evidence_id, hypothesis_id, project_id)
    references public.evidence_hypotheses (evidence_id, hypothesis_id, project_id)
    on update cascade on delete cascade,
  constraint finding_quotes_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade,
  constraint finding_quotes_position_check check (position > '-infinity' and position < 'infinity')
);
create index finding_quotes_evidence_id_idx on public.finding_quotes (evidence_id);
create index finding_quotes_project_id_idx on public.finding_quotes (project_id);
create index finding_quotes_workspace_id_idx on public.finding_quotes (workspace_id);
comment on table public.finding_quotes is 'The quotes that people chose for the findings of a hypothesis.';
comment on column public.finding_quotes.evidence_id is
  'A quote that is linked to the hypothesis. The findings leave it out while it is rejected.';
comment on column public.finding_quotes.position is
  'The findings sort by position. A quote moves between two others by a number between theirs.';

alter table public.finding_quotes enable row level security;
alter table public.finding_quotes force row level security;
create policy service on public.finding_quotes to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.finding_quotes for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.finding_quotes for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.finding_quotes for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.finding_quotes for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.finding_quotes to authenticated, service_role;

create trigger t0_project before insert or update on public.finding_quotes
for each row execute function private.fill_project_of_link();
create trigger t1_workspace before insert or update on public.finding_quotes
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.finding_quotes
for each row execute function private.stamp();

-- The findings of a hypothesis; null if the caller does not see it. Without names, people and interviews have
-- numbers. Without keys, nothing refers to a row.
-- +goose StatementBegin
create function private.findings(hypothesis uuid, names boolean, keys boolean) returns jsonb
language sql stable begin atomic
  with
  interviews as (
    select
      i.id,
      case when names then i.title else 'Interview ' || row_number() over (order by i.created_at, i.id) end as label,
      i.created_at,
      i.interviewed_on,
      a.result,
      coalesce(a.coverage, 0) as coverage,
      coalesce(a.coverage > 0 or a.result <> 'pending', false) as checked
    from public.hypotheses h
    join public.imports i on i.project_id = h.project_id
    -- An answer to an earlier wording is none.
    left join public.import_hypotheses a
      on a.import_id = i.id and a.hypothesis_id = h.id and a.statement = h.statement
    where h.id = hypothesis
  ),
  voices as (
    select
      s.import_id,
      s.speaker,
      s.role,
      coalesce(s.participant_id::text, s.import_id || ' ' || s.display_name) as person,
      coalesce(p.name, nullif(s.display_name, ''), i.label) as name,
      i.created_at
    from interviews i
    join public.import_speakers s on s.import_id = i.id
    left join public.participants p on p.id = s.participant_id
  ),
  persons as (
    select
      v.person,
      case
        when names then min(v.name)
        else 'Participant ' || row_number() over (order by min(v.created_at), v.person)
      end as label
    from voices v
    where v.role = 'participant'
    group by v.person
  ),
  people as (
    select p.label, coalesce(x.stance, 'unread') as stance
    from persons p
    left join public.hypothesis_participants x
      on x.hypothesis_id = hypothesis and coalesce(x.participant_id::text, x.import_id || ' ' || x.name) = p.person
  ),
  quotes as (
    select
      f.position,
      f.created_at,
      jsonb_build_object(
        'stance', eh.stance,
        'strength', eh.strength,
        'quote', e.quote,
        'match', e.match,
        'speaker', case when v.role = 'participant' then p.label when names then coalesce(v.name, e.speaker) end,
        'start_ms', e.start_ms,
        'interview', i.label,
        'interviewed_on', i.interviewed_on
      ) || case when keys then jsonb_build_object(
        'evidence_id', e.id, 'import_id', e.import_id, 'position', f.position
      ) else '{}' end as quote
    from public.finding_quotes f
    join public.evidence_hypotheses eh on eh.evidence_id = f.evidence_id and eh.hypothesis_id = f.hypothesis_id
    join public.evidence e on e.id = f.evidence_id
    left join interviews i on i.id = e.import_id
    left join voices v on v.import_id = e.import_id and v.speaker = e.speaker
    left join persons p on p.person = v.person
    where f.hypothesis_id = hypothesis and e.review <> 'rejected'
  )
  select jsonb_build_object(
    'as_of', now(),
    'statement', h.statement,
    'category', h.category,
    'importance', h.importance,
    'status', h.status,
    'falsified_if', h.falsified_if,
    'decision_reason', h.decision_reason,
    'decided_at', h.decided_at,
    'people', coalesce((
      select jsonb_agg(jsonb_build_object('label', p.label, 'stance', p.stance) order by p.label) from people p
    ), '[]'),
    'quotes', coalesce((select jsonb_agg(q.quote order by q.position, q.created_at) from quotes q), '[]'),
    'interviews', (select count(*) from interviews),
    'gaps', jsonb_build_object(
      'nothing_found', coalesce((
        select jsonb_agg(i.label order by i.created_at, i.id) from interviews i where i.result = 'nothing_found'
      ), '[]'),
      'partly_read', coalesce((
        select jsonb_agg(
          jsonb_build_object('label', i.label, 'coverage', i.coverage) order by i.created_at, i.id
        )
        from interviews i
        where i.checked and i.coverage > 0 and i.coverage < 1
      ), '[]'),
      'not_read', coalesce((
        select jsonb_agg(i.label order by i.created_at, i.id) from interviews i where not i.checked
      ), '[]')
    )
  )
  from public.hypotheses h
  where h.id = hypothesis;
end;
-- +goose StatementEnd

-- +goose StatementBegin
create function public.hypothesis_findings(hypothesis uuid, names boolean default true) returns jsonb
language sql stable begin atomic
  select private.findings(hypothesis, names, true);
end;
-- +goose StatementEnd
comment on function public.hypothesis_findings is
  'The findings of a hypothesis: verdict, people with their stances, the chosen quotes, and what was not read. '
  'Without names, people and interviews have numbers. null if there is no such hypothesis.';

grant execute on function private.findings(uuid, boolean, boolean), public.hypothesis_findings(uuid, boolean)
  to authenticated, service_role;
