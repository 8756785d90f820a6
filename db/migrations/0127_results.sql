-- +goose Up
-- The results and the counts of import_hypotheses follow the evidence: when people review it, change its stance
-- or delete it, they change in the same transaction. Until now only a run counted.

comment on column public.import_hypotheses.result is
  'supports, contradicts, or mixed if there is evidence of both; undecided if the evidence is only neutral; '
  'nothing_found if the transcript was read and has no evidence; otherwise pending. Rejected evidence does not '
  'count.';

set local role service_role;

-- Updates the counts and the result of every hypothesis of some imports. Without evidence the result is
-- nothing_found if the whole transcript was read, or as much of it as a run that ended well could read; otherwise
-- it is pending.
-- +goose StatementBegin
create function private.update_results(imports uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Of concurrent changes each must count what the one before it wrote: the next statement sees that.
  perform
  from public.import_hypotheses ih
  where ih.import_id = any(imports)
  order by ih.import_id, ih.hypothesis_id
  for no key update;
  if not found then
    return;
  end if;

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
        e.import_id,
        eh.hypothesis_id,
        count(*) filter (where eh.stance = 'supports') as supports,
        count(*) filter (where eh.stance = 'contradicts') as contradicts,
        count(*) filter (where eh.stance = 'neutral') as neutral
      from public.evidence e
      join public.evidence_hypotheses eh on eh.evidence_id = e.id
      where e.import_id = any(imports) and e.review <> 'rejected'
      group by e.import_id, eh.hypothesis_id
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

-- The triggers fire once for each statement. What goes with its project, import or hypothesis is not counted
-- again. Evidence is inserted before its links, so that its insertion changes nothing.
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
      where (o.review = 'rejected') <> (n.review = 'rejected') or o.import_id is distinct from n.import_id
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
  perform private.update_results(array(
    select distinct e.import_id
    from public.evidence e
    where e.id = any(changed) and e.import_id is not null
  ));
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t6_results after update on public.evidence
referencing old table as old_rows new table as new_rows
for each statement execute function private.follow_evidence();
create trigger t6_results_deleted after delete on public.evidence
referencing old table as old_rows
for each statement execute function private.follow_evidence();

create trigger t6_results_inserted after insert on public.evidence_hypotheses
referencing new table as new_rows
for each statement execute function private.follow_links();
create trigger t6_results after update on public.evidence_hypotheses
referencing old table as old_rows new table as new_rows
for each statement execute function private.follow_links();
create trigger t6_results_deleted after delete on public.evidence_hypotheses
referencing old table as old_rows
for each statement execute function private.follow_links();

grant execute on function private.update_results(uuid[]) to service_role;

set local role service_role;
select private.update_results(array(select id from public.imports));
reset role;
