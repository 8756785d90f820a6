-- name: ListRequestedHypotheses :many
-- Hypotheses of the project of an import as they are worded now, with what was read for each.
select h.id, h.statement, coalesce(r.read, '{}')::text as read
from public.imports i
join public.hypotheses h on h.project_id = i.project_id and h.id = any(sqlc.arg(hypothesis_ids)::uuid[])
left join private.import_readings r
  on r.import_id = i.id and r.hypothesis_id = h.id and r.statement = h.statement
where i.id = sqlc.arg(import_id)
order by h.id;

-- name: ChooseHypotheses :exec
-- The hypotheses of the latest request, with their current statements. A hypothesis with another statement
-- than before has no result any more. Results for other hypotheses stay; those for which nothing was read,
-- and the plans of earlier requests, are deleted.
with unchosen as (
  delete from public.import_hypotheses ih
  using public.imports i
  where i.id = sqlc.arg(import_id)
    and ih.import_id = i.id
    and ih.result = 'pending'
    and ih.coverage = 0
    and not ih.hypothesis_id = any(i.requested_hypotheses)
),
chunks as (
  delete from private.import_chunks c
  where c.import_id = sqlc.arg(import_id) and c.claim_id <> sqlc.arg(claim_id)
)
insert into public.import_hypotheses (import_id, hypothesis_id, workspace_id, project_id, statement)
select i.id, h.id, i.workspace_id, i.project_id, h.statement
from public.imports i
join public.hypotheses h on h.project_id = i.project_id and h.id = any(i.requested_hypotheses)
where i.id = sqlc.arg(import_id)
on conflict (import_id, hypothesis_id) do update set
  statement = excluded.statement,
  result = 'pending',
  supports_count = 0,
  contradicts_count = 0,
  neutral_count = 0,
  coverage = 0,
  checked_at = null
where import_hypotheses.statement <> excluded.statement;

-- name: ListChosenHypotheses :many
-- The hypotheses of the latest request as the run asks about them, with what earlier runs read for each.
select ih.hypothesis_id as id, ih.statement, coalesce(r.read, '{}')::text as read
from public.imports i
join public.import_hypotheses ih on ih.import_id = i.id and ih.hypothesis_id = any(i.requested_hypotheses)
left join private.import_readings r
  on r.import_id = ih.import_id and r.hypothesis_id = ih.hypothesis_id and r.statement = ih.statement
where i.id = sqlc.arg(import_id)
order by ih.hypothesis_id;

-- name: RecordReadings :exec
-- What was read for hypotheses, with the statements that were asked about.
insert into private.import_readings (import_id, hypothesis_id, statement, read)
select ih.import_id, ih.hypothesis_id, ih.statement, x.read::int4multirange
from (
  select
    unnest(sqlc.arg(hypothesis_ids)::uuid[]) as hypothesis_id,
    unnest(sqlc.arg(reads)::text[]) as read
) x
join public.import_hypotheses ih on ih.import_id = sqlc.arg(import_id) and ih.hypothesis_id = x.hypothesis_id
on conflict (import_id, hypothesis_id) do update set statement = excluded.statement, read = excluded.read;

-- name: UpdateResults :exec
-- The counts and the result of every hypothesis of an import. Triggers do the same when evidence changes; a
-- run does it once, when it has ended, because what it read decides between nothing_found and pending.
-- coverages are the shares of the transcript that were read for the hypotheses of the run.
select private.update_results(
  array[sqlc.arg(import_id)::uuid],
  sqlc.arg(hypothesis_ids)::uuid[],
  sqlc.arg(coverages)::double precision[]
);

-- name: CountAtTheEnd :exec
-- Keeps the triggers from counting results within this transaction: a run counts them once, when it ends.
select set_config('research.ending', 'on', true);
