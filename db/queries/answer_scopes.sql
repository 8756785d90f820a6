-- name: CountScope :one
-- Within AsUser. How many of these personas and imports a project has.
select
  (
    select count(*)
    from public.personas p
    where p.project_id = sqlc.arg(project_id) and p.id = any (sqlc.arg(personas)::uuid[])
  )::integer as personas,
  (
    select count(*)
    from public.imports i
    where i.project_id = sqlc.arg(project_id) and i.id = any (sqlc.arg(imports)::uuid[])
  )::integer as imports;
