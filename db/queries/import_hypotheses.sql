-- name: ListRequestedHypotheses :many
-- Hypotheses of the project of an import as they are worded now.
select h.id, h.statement
from public.imports i
join public.hypotheses h on h.project_id = i.project_id and h.id = any(sqlc.arg(hypothesis_ids)::uuid[])
where i.id = sqlc.arg(import_id)
order by h.id;

-- name: ListReadings :many
-- What was read of a transcript for hypotheses, as they were worded then, and by what.
select r.hypothesis_id, r.statement, r.extractor, r.model, r.prompt_version, r.read::text as read
from private.import_readings r
where r.import_id = sqlc.arg(import_id) and r.hypothesis_id = any(sqlc.arg(hypothesis_ids)::uuid[])
order by r.hypothesis_id, r.extractor, r.model, r.prompt_version;

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
  model_coverage = 0,
  readings = '[]',
  statement_language = '',
  checked_at = null
where import_hypotheses.statement <> excluded.statement;

-- name: ListChosenHypotheses :many
-- The hypotheses of the latest request as the run asks about them.
select ih.hypothesis_id as id, ih.statement
from public.imports i
join public.import_hypotheses ih on ih.import_id = i.id and ih.hypothesis_id = any(i.requested_hypotheses)
where i.id = sqlc.arg(import_id)
order by ih.hypothesis_id;

-- name: RecordReadings :exec
-- Replaces what was read for hypotheses, with the statements that were asked about. The arrays have one
-- element for each hypothesis and reader.
with reads as (
  select
    unnest(sqlc.arg(hypothesis_ids)::uuid[]) as hypothesis_id,
    unnest(sqlc.arg(extractors)::text[]) as extractor,
    unnest(sqlc.arg(models)::text[]) as model,
    unnest(sqlc.arg(prompt_versions)::text[]) as prompt_version,
    unnest(sqlc.arg(reads)::text[]) as read
),
gone as (
  delete from private.import_readings r
  where r.import_id = sqlc.arg(import_id)
    and r.hypothesis_id = any(sqlc.arg(hypothesis_ids)::uuid[])
    and not exists (
      select
      from reads x
      where (x.hypothesis_id, x.extractor, x.model, x.prompt_version)
        = (r.hypothesis_id, r.extractor, r.model, r.prompt_version)
    )
)
insert into private.import_readings (
  import_id, hypothesis_id, extractor, model, prompt_version, statement, read
)
select
  ih.import_id, ih.hypothesis_id, x.extractor, x.model, x.prompt_version, ih.statement, x.read::int4multirange
from reads x
join public.import_hypotheses ih on ih.import_id = sqlc.arg(import_id) and ih.hypothesis_id = x.hypothesis_id
on conflict (import_id, hypothesis_id, extractor, model, prompt_version) do update set
  statement = excluded.statement,
  read = excluded.read;

-- name: UpdateResults :exec
-- The counts and the result of every hypothesis of an import. Triggers do the same when evidence changes; a
-- run does it once, when it has ended, because what it read decides between nothing_found and pending. reads
-- is what is read of the transcript by now for the hypotheses about which the run read something.
select private.update_results(array[sqlc.arg(import_id)::uuid], sqlc.arg(reads)::jsonb);

-- name: FollowQuestions :exec
-- What the quotes of an import answer, where somebody has changed a role while they were written. It follows
-- UpdateResults, which holds the speakers.
select private.follow_questions(array[sqlc.arg(import_id)::uuid]);

-- name: CountAtTheEnd :exec
-- Keeps the triggers from counting results within this transaction: a run counts them once, when it ends.
select set_config('research.ending', 'on', true);
