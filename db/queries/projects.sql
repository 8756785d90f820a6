-- name: GetProject :one
select * from public.projects where id = $1;
