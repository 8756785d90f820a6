-- name: SearchHypotheses :many
-- Within AsUser. Hypotheses of some projects with all words of a query, the oldest first.
with asked as materialized (select private.search_beginnings(sqlc.arg(query)::text) as words)
select h.id, h.project_id, h.statement
from (
  select x.id, x.project_id, x.statement, x.created_at
  from public.hypotheses x
  where x.project_id = any (sqlc.arg(projects)::uuid[])
  order by x.created_at, x.id
  limit 2000
) h
where private.has_words(h.statement, (select a.words from asked a))
order by h.created_at, h.id
limit sqlc.arg(most)::integer;

-- name: SearchAnswers :many
-- Within AsUser. Answers of some projects with all words of a query in the question or in one sentence, the
-- newest first, with this text.
with asked as materialized (select private.search_beginnings(sqlc.arg(query)::text) as words),
newest as materialized (
  select a.id, a.project_id, a.question, a.created_at
  from public.answers a
  where a.project_id = any (sqlc.arg(projects)::uuid[])
  order by a.created_at desc, a.id
  limit 300
),
texts as (
  select n.id, n.question as text, -1 as ordinal from newest n
  union all
  select s.answer_id, s.text, s.ordinal from newest n join public.answer_sentences s on s.answer_id = n.id
)
select distinct on (n.created_at, n.id) n.id, n.project_id, n.question, t.text::text as text
from newest n
join texts t on t.id = n.id
where private.has_words(t.text, (select x.words from asked x))
order by n.created_at desc, n.id, t.ordinal
limit sqlc.arg(most)::integer;

-- name: FindInterviewsByName :many
-- Within AsUser. The newest interviews of some projects whose title, or one of whose speakers, has all words
-- of a query.
with asked as materialized (select private.search_beginnings(sqlc.arg(query)::text) as words)
select i.id, i.title
from (
  select x.id, x.title, x.created_at
  from public.imports x
  where x.project_id = any (sqlc.arg(projects)::uuid[])
  order by x.created_at desc, x.id
  limit 2000
) i
where
  private.has_words(i.title, (select a.words from asked a))
  or exists (
    select
    from public.import_speakers s
    left join public.participants p on p.id = s.participant_id
    where s.import_id = i.id
      and private.has_words(coalesce(p.name, s.display_name), (select a.words from asked a))
  )
order by i.created_at desc, i.id
limit sqlc.arg(most)::integer;

-- name: SearchPassages :many
-- Within AsUser. The turns of some projects around which most of the words of a query are said, the closest
-- first. The text has at most 400 characters around the first of these words.
select
  s.import_id::uuid as import_id,
  s.ordinal::integer as ordinal,
  i.title,
  private.search_excerpt(
    u.text, private.search_content(sqlc.arg(query)::text, array[i.language])
  )::text as text,
  coalesce(p.name, nullif(v.display_name, ''), u.speaker)::text as speaker,
  coalesce(u.start_ms, -1)::bigint as start_ms
from private.search_passages(
  sqlc.arg(projects)::uuid[], sqlc.arg(query)::text, sqlc.arg(most)::integer
) with ordinality as s (import_id, ordinal, n)
join public.utterances u on u.import_id = s.import_id and u.ordinal = s.ordinal
join public.imports i on i.id = s.import_id
left join public.import_speakers v on v.import_id = u.import_id and v.speaker = u.speaker
left join public.participants p on p.id = v.participant_id
order by s.n;

-- name: ListEvidenceOfTurns :many
-- Within AsUser. Quotes of some turns, in the order of these, that nobody rejected: the arrays name one turn
-- after the other.
select e.id, e.import_id::uuid as import_id, t.ordinal::integer as ordinal, e.quote
from (
  select
    unnest(sqlc.arg(imports)::uuid[]) as import_id,
    unnest(sqlc.arg(ordinals)::integer[]) as ordinal,
    generate_subscripts(sqlc.arg(imports)::uuid[], 1) as n
) t
join public.evidence e
  on e.import_id = t.import_id and t.ordinal between e.utterance_from and e.utterance_to
where e.review <> 'rejected' and not e.in_progress
order by t.n, e.byte_start, e.id
limit sqlc.arg(most)::integer;

-- name: ListSearchableProjects :many
-- Within AsUser. Projects that the caller sees, the newest first.
select p.id, p.workspace_id
from public.projects p
order by p.created_at desc, p.id
limit sqlc.arg(most)
offset sqlc.arg(skip);
