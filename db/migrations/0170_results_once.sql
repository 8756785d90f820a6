-- +goose Up
-- A run counts the results of its import once, after it has written its evidence, what it read and its end.
-- Before, the triggers counted them three times more while it wrote, also where no row had changed: a statement
-- with ON CONFLICT fires the triggers of INSERT and of UPDATE. The setting research.ending says that the
-- transaction counts by itself.

set local role service_role;

-- As before, and a statement that changes no result counts nothing.
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
create or replace function private.follow_links() returns trigger
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

reset role;

drop trigger t6_results on public.evidence;
drop trigger t6_results_deleted on public.evidence;
drop trigger t6_results_inserted on public.evidence_hypotheses;
drop trigger t6_results on public.evidence_hypotheses;
drop trigger t6_results_deleted on public.evidence_hypotheses;

create trigger t6_results after update on public.evidence
referencing old table as old_rows new table as new_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_evidence();
create trigger t6_results_deleted after delete on public.evidence
referencing old table as old_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_evidence();

create trigger t6_results_inserted after insert on public.evidence_hypotheses
referencing new table as new_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_links();
create trigger t6_results after update on public.evidence_hypotheses
referencing old table as old_rows new table as new_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_links();
create trigger t6_results_deleted after delete on public.evidence_hypotheses
referencing old table as old_rows
for each statement when (coalesce(current_setting('research.ending', true), '') <> 'on')
execute function private.follow_links();

-- A claim finds its rows by keys, and each connection of the API planned its queries five times for their
-- parameters.
alter function private.claim_import(uuid, uuid, uuid[], bigint, bigint, boolean)
set plan_cache_mode = 'force_generic_plan';
