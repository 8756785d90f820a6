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
comment on column public.finding_quotes.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.finding_quotes.project_id is
  'The project of the hypothesis. Filled by the database if left out.';
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

create trigger t0_needs_evidence before insert on public.finding_quotes
for each row when (new.evidence_id is null) execute function private.refuse_null('evidence_id');
create trigger t0_needs_hypothesis before insert on public.finding_quotes
for each row when (new.hypothesis_id is null) execute function private.refuse_null('hypothesis_id');
create trigger t0_project before insert or update on public.finding_quotes
for each row execute function private.fill_project_of_link();
create trigger t1_workspace before insert or update on public.finding_quotes
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.finding_quotes
for each row execute function private.stamp();

-- The report of a project: what people write around its findings, and which findings it has.
create table public.reports (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  title text not null default '' constraint reports_title_length check (length(title) <= 300),
  summary text not null default '' constraint reports_summary_length check (length(summary) <= 20000),
  method text not null default '' constraint reports_method_length check (length(method) <= 20000),
  recommendations text not null default ''
    constraint reports_recommendations_length check (length(recommendations) <= 20000),
  hypothesis_ids uuid[]
    constraint reports_hypothesis_ids_check check (cardinality(hypothesis_ids) <= 1000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint reports_pkey primary key (id),
  constraint reports_id_project_id_key unique (id, project_id),
  constraint reports_project_id_key unique (project_id),
  constraint reports_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index reports_workspace_id_idx on public.reports (workspace_id);
comment on table public.reports is
  'The report of a project: texts around its findings. project_report is the whole.';
comment on column public.reports.workspace_id is
  'The workspace of the project. Filled by the database if left out.';
comment on column public.reports.title is 'The title; without one, the report has the name of the project.';
comment on column public.reports.summary is 'What the study found, in a few sentences.';
comment on column public.reports.method is 'How it was done; what is known of the interviews is added to it.';
comment on column public.reports.recommendations is 'What follows from it.';
comment on column public.reports.hypothesis_ids is
  'The hypotheses whose findings the report has, in its order. null means all that are not parked. Ids of '
  'hypotheses that were deleted have no meaning.';

alter table public.reports enable row level security;
alter table public.reports force row level security;
create policy service on public.reports to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.reports for select to authenticated
using (workspace_id = any (array(select private.my_workspaces())));
create policy add on public.reports for insert to authenticated
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy change on public.reports for update to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))))
with check (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.reports for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.reports to authenticated, service_role;

create trigger t0_needs_project before insert on public.reports
for each row when (new.project_id is null) execute function private.refuse_null('project_id');
create trigger t1_key before update on public.reports
for each row when (old.id <> new.id) execute function private.keep_key();
create trigger t1_workspace before insert or update on public.reports
for each row execute function private.fill_workspace();
create trigger t2_stamp before insert or update on public.reports
for each row execute function private.stamp();
create trigger t9_activity after insert or update or delete on public.reports
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();

-- What the interviews of a hypothesis added, in their order: rows of hypothesis_timeline, which
-- 0023_decisions.sql creates, so that this is not bound to it before.
-- +goose StatementBegin
create function private.course(project uuid, hypothesis uuid) returns table (
  import_id uuid, "position" integer, supporting bigint, contradicting bigint, mixed bigint, silent bigint,
  changed boolean, coverage double precision, model_coverage double precision
)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select
    t.import_id, t.position, t.supporting, t.contradicting, t.mixed, t.silent, t.changed, t.coverage,
    t.model_coverage
  from private.hypothesis_timeline(project, hypothesis) t;
end $$;
-- +goose StatementEnd
grant execute on function private.course(uuid, uuid) to authenticated, service_role;

-- The findings of a hypothesis; null if the caller does not see it. Without names, people and interviews have
-- numbers. Without keys, nothing refers to a row.
-- +goose StatementBegin
create function private.findings(hypothesis uuid, names boolean, keys boolean) returns jsonb
language sql stable begin atomic
  with
  interviews as (
    select
      i.id,
      case
        when names then i.title
        else 'Interview ' || row_number() over (order by i.created_at, i.id)
      end as label,
      i.created_at,
      i.interviewed_on,
      a.result,
      case when a.model_coverage > 0 then a.model_coverage else coalesce(a.coverage, 0) end as coverage,
      coalesce(a.model_coverage > 0, false) as read_by_model,
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
    select
      p.label,
      coalesce(x.stance, 'unread') as stance,
      coalesce(o.persona_id = h.persona_id, true) as counted
    from public.hypotheses h
    cross join public.project_people(h.project_id) o
    join persons p on p.person = coalesce(o.participant_id::text, o.import_id || ' ' || o.name)
    left join public.hypothesis_participants x
      on x.hypothesis_id = hypothesis
      and coalesce(x.participant_id::text, x.import_id || ' ' || x.name) = p.person
    where h.id = hypothesis
  ),
  quotes as (
    select
      f.position,
      f.created_at,
      jsonb_build_object(
        'stance', eh.stance,
        'strength', eh.strength,
        'review', e.review,
        'quote', e.quote,
        'match', e.match,
        'speaker', case
          when v.role = 'participant' then p.label
          when names then coalesce(v.name, e.speaker)
        end,
        'speaker_confirmed', e.speaker_confirmed,
        'place_lost', e.place_lost,
        'asked_kind', e.asked_kind,
        'start_ms', e.start_ms,
        'interview', i.label,
        'interviewed_on', i.interviewed_on
      ) || case when keys then jsonb_build_object(
        'evidence_id', e.id, 'import_id', e.import_id, 'position', f.position, 'in_progress', e.in_progress
      ) else '{}' end as quote
    from public.finding_quotes f
    join public.evidence_hypotheses eh
      on eh.evidence_id = f.evidence_id and eh.hypothesis_id = f.hypothesis_id
    join public.evidence e on e.id = f.evidence_id
    left join interviews i on i.id = e.import_id
    left join voices v on v.import_id = e.import_id and v.speaker = e.speaker
    left join persons p on p.person = v.person
    where f.hypothesis_id = hypothesis and e.review <> 'rejected' and (keys or not e.in_progress)
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
      select jsonb_agg(jsonb_build_object('label', p.label, 'stance', p.stance) order by p.label)
      from people p
      where p.counted
    ), '[]'),
    'persona', (select x.name from public.personas x where x.id = h.persona_id),
    'others', (select count(*) from people p where not p.counted),
    'evidence', jsonb_build_object(
      'quotes', coalesce(b.supports + b.contradicts + b.neutral, 0), 'accepted', coalesce(b.accepted, 0)
    ),
    'quotes', coalesce((select jsonb_agg(q.quote order by q.position, q.created_at) from quotes q), '[]'),
    'interviews', (select count(*) from interviews),
    'course', coalesce((
      select jsonb_agg(
        jsonb_build_object(
          'title', i.label, 'supporting', t.supporting, 'contradicting', t.contradicting, 'mixed', t.mixed,
          'silent', t.silent, 'changed', t.changed, 'coverage', t.coverage,
          'model_coverage', t.model_coverage
        )
        order by t.position
      )
      from private.course(h.project_id, hypothesis) t
      join interviews i on i.id = t.import_id
    ), '[]'),
    'gaps', jsonb_build_object(
      'nothing_found', coalesce((
        select jsonb_agg(i.label order by i.created_at, i.id)
        from interviews i
        where i.result = 'nothing_found' and i.read_by_model
      ), '[]'),
      'unmatched', coalesce((
        select jsonb_agg(i.label order by i.created_at, i.id)
        from interviews i
        where i.result = 'nothing_found' and not i.read_by_model
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
  left join private.hypothesis_balances() b on b.hypothesis_id = h.id
  where h.id = hypothesis;
end;
-- +goose StatementEnd
grant execute on function private.findings(uuid, boolean, boolean) to authenticated, service_role;

-- +goose StatementBegin
create function public.hypothesis_findings(hypothesis uuid, names boolean default true) returns jsonb
language sql stable begin atomic
  select private.findings(hypothesis, names, true);
end;
-- +goose StatementEnd
comment on function public.hypothesis_findings is
  'The findings of a hypothesis: verdict, people with their stances, the chosen quotes, what was not read, '
  'and the course of its interviews, as hypothesis_timeline has it. Without names, people and interviews '
  'have numbers. null if there is no such hypothesis.';
grant execute on function public.hypothesis_findings(uuid, boolean) to authenticated, service_role;

-- The hypotheses of the report of a project, with their places: the chosen ones or, without a choice, those
-- that are not parked.
-- +goose StatementBegin
create function private.report_hypotheses(project uuid, chosen uuid[])
returns table (hypothesis_id uuid, place bigint)
language sql stable begin atomic
  select h.id, coalesce(c.place, row_number() over (order by h.created_at, h.id))
  from public.hypotheses h
  left join (
    select u.id, min(u.place) as place from unnest(chosen) with ordinality u (id, place) group by u.id
  ) c on c.id = h.id
  where h.project_id = project and (c.id is not null or chosen is null and h.status <> 'parked');
end;
-- +goose StatementEnd
grant execute on function private.report_hypotheses(uuid, uuid[]) to authenticated, service_role;

-- What is known of the method of a report, in numbers. An interview is read in full if it was for each of
-- these hypotheses.
-- +goose StatementBegin
create function private.report_facts(project uuid, hypotheses uuid[]) returns jsonb
language sql stable begin atomic
  with
  answers as (
    select a.import_id, a.coverage, a.model_coverage, a.result, a.readings
    from public.import_hypotheses a
    join public.hypotheses h on h.id = a.hypothesis_id and h.statement = a.statement
    where a.project_id = project and a.hypothesis_id = any (hypotheses)
  ),
  interviews as (
    select
      i.id,
      i.interviewed_on,
      count(a.import_id) filter (where a.coverage > 0 or a.result <> 'pending') as checked,
      count(a.import_id) filter (where a.coverage >= 1 and a.model_coverage >= 1) as by_model,
      count(a.import_id) filter (where a.coverage >= 1 and a.model_coverage = 0) as by_keyword
    from public.imports i
    left join answers a on a.import_id = i.id
    where i.project_id = project
    group by i.id
  ),
  models as (
    select distinct r ->> 'model' as model
    from answers a
    cross join jsonb_array_elements(a.readings) r
    where a.model_coverage > 0 and r ->> 'extractor' <> 'keyword' and r ->> 'model' <> ''
  ),
  quotes as (
    select distinct e.id, e.review
    from public.evidence_hypotheses eh
    join public.evidence e on e.id = eh.evidence_id
    where eh.project_id = project and eh.hypothesis_id = any (hypotheses) and e.review <> 'rejected'
      and not e.in_progress
      and not exists (
        select
        from public.import_speakers s
        where s.import_id = e.import_id and s.speaker = e.speaker and s.role = 'interviewer'
      )
  )
  select jsonb_build_object(
    'interviews', count(*),
    'participants', (select count(*) from public.project_people(project)),
    'first_on', min(i.interviewed_on),
    'last_on', max(i.interviewed_on),
    'undated', count(*) filter (where i.interviewed_on is null),
    'by_model', count(*) filter (where i.by_model = cardinality(hypotheses) and i.by_model > 0),
    'by_keyword', count(*) filter (where i.by_keyword = cardinality(hypotheses) and i.by_keyword > 0),
    'by_both', count(*) filter (
      where i.by_model + i.by_keyword = cardinality(hypotheses) and i.by_model > 0 and i.by_keyword > 0),
    'not_read', count(*) filter (where i.checked = 0),
    'models', coalesce((
      select jsonb_agg(m.model order by m.model)
      from (select x.model from models x order by x.model limit 10) m
    ), '[]'),
    'evidence', (
      select jsonb_build_object(
        'quotes', count(*), 'accepted', count(*) filter (where q.review = 'accepted'))
      from quotes q
    )
  )
  from interviews i;
end;
-- +goose StatementEnd
grant execute on function private.report_facts(uuid, uuid[]) to authenticated, service_role;

-- The report of a project without its findings; null if the caller does not see the project.
-- +goose StatementBegin
create function private.report(project uuid, keys boolean) returns jsonb
language sql stable begin atomic
  select
    jsonb_build_object(
      'as_of', now(),
      'title', coalesce(nullif(r.title, ''), p.name),
      'summary', coalesce(r.summary, ''),
      'method', coalesce(r.method, ''),
      'recommendations', coalesce(r.recommendations, ''),
      'facts', private.report_facts(p.id, x.ids)
    ) || case
      when keys then jsonb_build_object(
        'id', r.id, 'updated_at', r.updated_at, 'hypothesis_ids', to_jsonb(x.ids)
      )
      else '{}'
    end
  from public.projects p
  left join public.reports r on r.project_id = p.id
  cross join lateral (
    select coalesce(array_agg(h.hypothesis_id order by h.place), '{}') as ids
    from private.report_hypotheses(p.id, r.hypothesis_ids) h
  ) x
  where p.id = project;
end;
-- +goose StatementEnd
grant execute on function private.report(uuid, boolean) to authenticated, service_role;

create function public.project_report(project uuid) returns jsonb
language sql stable return private.report(project, true);
comment on function public.project_report is
  'The report of a project: its texts, what is known of its method, and the hypotheses whose findings it '
  'has, in their order. hypothesis_findings has the findings of each. A report that nobody wrote has no '
  'texts, and all hypotheses that are not parked. null if there is no such project.';
grant execute on function public.project_report(uuid) to authenticated, service_role;

-- Links -----------------------------------------------------------------------------------------------------

-- Links to the findings of a hypothesis, or to a report, that can be read without an account. A link works
-- until it expires or is deleted, or until the member who made it may no longer edit the workspace.
create table public.finding_shares (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  project_id uuid not null,
  hypothesis_id uuid,
  report_id uuid,
  show_names boolean not null default false,
  expires_at timestamptz not null,
  ended_at timestamptz,
  created_by uuid
    constraint finding_shares_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint finding_shares_pkey primary key (id),
  constraint finding_shares_one_check check (num_nonnulls(hypothesis_id, report_id) = 1),
  constraint finding_shares_hypothesis_id_fkey foreign key (hypothesis_id, project_id)
    references public.hypotheses (id, project_id) on delete cascade,
  constraint finding_shares_report_id_fkey foreign key (report_id, project_id)
    references public.reports (id, project_id) on delete cascade,
  constraint finding_shares_project_id_fkey foreign key (project_id, workspace_id)
    references public.projects (id, workspace_id) on delete cascade
);
create index finding_shares_hypothesis_id_idx on public.finding_shares (hypothesis_id);
create index finding_shares_report_id_idx on public.finding_shares (report_id);
create index finding_shares_project_id_idx on public.finding_shares (project_id);
create index finding_shares_workspace_id_idx on public.finding_shares (workspace_id);
create index finding_shares_created_by_idx on public.finding_shares (created_by);
comment on table public.finding_shares is
  'Links to the findings of a hypothesis, or to the report of a project, without their tokens. For editors. '
  'Deleting one revokes the link. POST /api/findings/shares makes one.';
comment on column public.finding_shares.hypothesis_id is
  'The hypothesis whose findings the link shows; null for a link to a report.';
comment on column public.finding_shares.report_id is
  'The report that the link shows; null for a link to the findings of a hypothesis.';
comment on column public.finding_shares.show_names is
  'Whether the link shows the names of people and the titles of interviews; otherwise they have numbers.';
comment on column public.finding_shares.expires_at is 'When the link stops working.';
comment on column public.finding_shares.ended_at is
  'When who made it left the workspace or could no longer edit; it does not work since. null while it '
  'stands.';
comment on column public.finding_shares.created_by is 'Who made the link, or took it over.';

alter table public.finding_shares enable row level security;
alter table public.finding_shares force row level security;
create policy service on public.finding_shares to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.finding_shares for select to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
create policy remove on public.finding_shares for delete to authenticated
using (workspace_id = any (array(select private.my_workspaces('editor'))));
grant select, insert, update, delete on public.finding_shares to service_role;
grant select, delete on public.finding_shares to authenticated;

-- Only hashes: whoever reads the database cannot open a link.
create table private.finding_share_tokens (
  share_id uuid not null
    constraint finding_share_tokens_share_id_fkey references public.finding_shares (id) on delete cascade,
  token_hash bytea not null
    constraint finding_share_tokens_token_hash_check check (octet_length(token_hash) = 32),
  constraint finding_share_tokens_pkey primary key (share_id),
  constraint finding_share_tokens_token_hash_key unique (token_hash)
);
grant select, insert, update, delete on private.finding_share_tokens to service_role;

set local role service_role;

-- Makes a link to the findings of a hypothesis or, if that is null, to a report. It belongs to the calling
-- member; the secret key is nobody. No row means that the caller does not see what it should show.
-- +goose StatementBegin
create function private.share_findings(
  hypothesis uuid, report uuid, token_hash bytea, days integer, names boolean
) returns table (id uuid, expires_at timestamptz)
language plpgsql security definer
set search_path = ''
as $$
declare
  shown record;
  share public.finding_shares;
begin
  select x.workspace_id, x.project_id into shown
  from (
    select h.workspace_id, h.project_id from public.hypotheses h where h.id = hypothesis
    union all
    select r.workspace_id, r.project_id from public.reports r where r.id = report and hypothesis is null
  ) x
  where private.caller_may_see(x.workspace_id);
  if not found then
    return;
  end if;
  perform private.require_editor(shown.workspace_id);
  if not exists (
    select
    from public.workspace_members m
    where m.workspace_id = shown.workspace_id and m.user_id = auth.uid()
  ) then
    raise exception 'members only' using errcode = 'insufficient_privilege';
  end if;
  insert into public.finding_shares (
    workspace_id, project_id, hypothesis_id, report_id, show_names, expires_at, created_by
  )
  values (
    shown.workspace_id, shown.project_id, hypothesis, report, names, now() + make_interval(days => days),
    auth.uid()
  )
  returning * into share;
  insert into private.finding_share_tokens (share_id, token_hash)
  values (share.id, share_findings.token_hash);
  return query select share.id, share.expires_at;
end $$;
-- +goose StatementEnd
grant execute on function private.share_findings(uuid, uuid, bytea, integer, boolean) to authenticated;

-- What a link shows: the findings of a hypothesis, or a report with its findings; the other is null. No row
-- means that it does not work.
-- +goose StatementBegin
create function private.shared_findings(hash bytea)
returns table (expires_at timestamptz, show_names boolean, findings jsonb, report jsonb)
language sql stable security definer
set search_path = ''
as $$
  select s.expires_at, s.show_names, f.findings, f.report
  from private.finding_share_tokens t
  join public.finding_shares s on s.id = t.share_id and s.expires_at > now() and s.ended_at is null
  left join public.reports r on r.id = s.report_id
  cross join lateral (
    select
      private.findings(s.hypothesis_id, s.show_names, false) as findings,
      private.report(r.project_id, false) || jsonb_build_object('findings', coalesce((
        select jsonb_agg(private.findings(h.hypothesis_id, s.show_names, false) order by h.place)
        from private.report_hypotheses(r.project_id, r.hypothesis_ids) h
      ), '[]')) as report
  ) f
  where t.token_hash = hash and num_nonnulls(f.findings, f.report) = 1
$$;
-- +goose StatementEnd

-- Links that are deleted with their workspace or project are not recorded.
-- +goose StatementBegin
create function private.audit_share() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  s public.finding_shares := case when tg_op = 'DELETE' then old else new end;
begin
  if tg_op = 'DELETE' and s.ended_at is not null then
    return null; -- its end is recorded
  end if;
  if exists (select from public.projects p where p.id = s.project_id) then
    perform private.write_audit(s.workspace_id,
      case
        when tg_op = 'DELETE' or s.ended_at is not null then 'findings_unshared'
        else 'findings_shared'
      end,
      'finding_share', s.id, jsonb_build_object(
        'expires_at', s.expires_at, 'show_names', s.show_names, 'report', s.report_id is not null));
  end if;
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t0_stamp before insert or update on public.finding_shares
for each row execute function private.stamp();
create trigger t9_audit after insert or delete or update of ended_at on public.finding_shares
for each row execute function private.audit_share();
