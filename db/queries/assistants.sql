-- name: ListProjectsForAssistants :many
-- Within AsUser. The projects that the caller sees, the newest first, with what is known in each.
select
  p.id,
  p.workspace_id,
  p.name,
  w.name as workspace,
  p.description,
  p.stage,
  p.status,
  (select count(*) from public.imports i where i.project_id = p.id) as interviews,
  h.hypotheses::bigint as hypotheses,
  h.validated::bigint as validated,
  h.invalidated::bigint as invalidated,
  b.supports::bigint as supports,
  b.contradicts::bigint as contradicts,
  b.neutral::bigint as neutral,
  b.suggested::bigint as suggested
from (
  select x.*
  from public.projects x
  order by x.created_at desc, x.id
  limit sqlc.arg(most)
  offset sqlc.arg(skip)
) p
join public.workspaces w on w.id = p.workspace_id
cross join lateral (
  select
    count(*) as hypotheses,
    count(*) filter (where x.status = 'validated') as validated,
    count(*) filter (where x.status = 'invalidated') as invalidated
  from public.hypotheses x
  where x.project_id = p.id
) h
cross join lateral (
  select
    coalesce(sum(x.supports), 0) as supports,
    coalesce(sum(x.contradicts), 0) as contradicts,
    coalesce(sum(x.neutral), 0) as neutral,
    coalesce(sum(x.suggested), 0) as suggested
  from public.hypothesis_balances(p.id) x
) b
order by p.created_at desc, p.id;

-- name: ListThemesForAssistants :many
-- The themes of a project that are not archived, as they are sorted, with how many people and quotes each has
-- with the themes within it.
select t.id,
  t.name,
  t.description,
  t.status,
  t.origin,
  coalesce(p.name, '')::text as part_of,
  coalesce(n.all_people, 0)::bigint as people,
  coalesce(n.all_quotes, 0)::bigint as quotes
from public.themes t
left join public.themes p on p.id = t.parent_id
left join public.theme_people n on n.theme_id = t.id and n.project_id = t.project_id
where t.project_id = sqlc.arg(project_id) and t.status <> 'archived'
order by t.position, t.id
limit sqlc.arg(most) offset sqlc.arg(skip);
