-- +goose Up
-- The database's part of an import, with fewer updates, function calls and plans (docs/decisions/0335).

set local role service_role;

-- As before, and what a run has read of hypotheses is written with their results. In a statement of its own it
-- updated the rows twice, and PostgreSQL checks the foreign keys of a row again that its transaction has written
-- before. Those checks ran with another search_path than the first, and were planned each time.
drop function private.update_results(uuid[]);

-- +goose StatementBegin
create function private.update_results(
  imports uuid[],
  hypotheses uuid[] default '{}',
  coverages double precision[] default '{}'
) returns void
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
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
    result = c.result,
    coverage = c.coverage,
    checked_at = c.checked_at
  from (
    select
      x.import_id,
      x.hypothesis_id,
      x.coverage,
      x.checked_at,
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
    from (
      select
        h.import_id,
        h.hypothesis_id,
        h.result,
        coalesce(read.coverage, h.coverage) as coverage,
        case when read.coverage is null then h.checked_at else now() end as checked_at
      from public.import_hypotheses h
      left join unnest(hypotheses, coverages) as read (hypothesis_id, coverage)
        on read.hypothesis_id = h.hypothesis_id
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
    and (ih.supports_count, ih.contradicts_count, ih.neutral_count, ih.result, ih.coverage, ih.checked_at)
      is distinct from (c.supports, c.contradicts, c.neutral, c.result, c.coverage, c.checked_at);
end $$;
-- +goose StatementEnd

-- As before, in PL/pgSQL, which keeps the plans on a connection. A function in SQL is planned for each call.
-- +goose StatementBegin
create or replace function private.queue_length(workspace uuid, out everybody bigint, out of_workspace bigint)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  select count(*), count(*) filter (where i.workspace_id = workspace)
  into everybody, of_workspace
  from public.imports i
  where i.status in ('queued', 'parsing');
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function private.interviewers(import uuid) returns text[]
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

-- The activity of an import whose status changes. record_activity compares all columns, of which the others
-- record nothing.
-- +goose StatementBegin
create function private.record_import_status() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.activity_events (workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail)
  values (
    new.workspace_id,
    new.project_id,
    case when current_setting('role', true) = 'authenticated' then auth.uid() end,
    new.status::text,
    'import',
    new.id,
    jsonb_build_object('from', old.status, 'to', new.status)
  );
  return null;
end $$;
-- +goose StatementEnd

-- The activity of the evidence that a statement inserts, at once. record_activity does the same for each row.
-- +goose StatementBegin
create function private.record_new_evidence() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.activity_events (workspace_id, project_id, actor_id, verb, entity_type, entity_id, detail)
  select
    n.workspace_id,
    n.project_id,
    case when current_setting('role', true) = 'authenticated' then auth.uid() end,
    'created',
    'evidence',
    n.id,
    jsonb_build_object('import_id', n.import_id, 'origin', n.origin)
  from new_rows n;
  return null;
end $$;
-- +goose StatementEnd

-- As before, for all activity of a statement at once.
-- +goose StatementBegin
create function private.record_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (select from new_rows n where n.entity_type = 'project' and n.verb = 'deleted') then
    -- As in public.activity_events, of a deleted project only this event is left.
    delete from private.events e
    using new_rows n
    where n.entity_type = 'project'
      and n.verb = 'deleted'
      and e.workspace_id = n.workspace_id
      and e.project_id = n.entity_id;
  end if;
  insert into private.events (
    event_id, type, workspace_id, project_id, import_id, entity_id, actor_id, detail
  )
  select
    n.id,
    n.entity_type || '.' || n.verb,
    n.workspace_id,
    n.project_id,
    case n.entity_type
      when 'import' then n.entity_id
      when 'evidence' then coalesce(
        (n.detail ->> 'import_id')::uuid,
        (select e.import_id from public.evidence e where e.id = n.entity_id)
      )
    end,
    n.entity_id,
    n.actor_id,
    n.detail - 'import_id'
  from new_rows n;
  return null;
end $$;
-- +goose StatementEnd

reset role;

grant execute on function private.update_results(uuid[], uuid[], double precision[]) to service_role;

drop trigger t9_event on public.activity_events;
create trigger t9_event after insert on public.activity_events
referencing new table as new_rows
for each statement execute function private.record_events();
drop function private.record_event();

drop trigger t9_activity on public.evidence;
create trigger t9_activity after update or delete on public.evidence
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity_inserted after insert on public.evidence
referencing new table as new_rows
for each statement when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_new_evidence();

drop trigger t9_activity on public.imports;
create trigger t9_activity after insert or delete on public.imports
for each row when (coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_activity();
create trigger t9_activity_status after update on public.imports
for each row when (old.status <> new.status and coalesce(current_setting('research.removing', true), '') <> 'on')
execute function private.record_import_status();

-- Triggers that change nothing in what the service writes are not called for it.
drop trigger t2_creator on public.imports;
create trigger t2_creator before insert or update on public.imports
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_creator();
drop trigger t2_creator on public.evidence;
create trigger t2_creator before insert or update on public.evidence
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_creator();
drop trigger t2_origin on public.evidence;
create trigger t2_origin before insert or update on public.evidence
for each row when (current_user in ('anon', 'authenticated')) execute function private.stamp_evidence();
