-- name: CreateSession :one
insert into auth.sessions (user_id, user_agent, ip, amr) values ($1, $2, $3, $4) returning id, created_at;

-- name: TouchSession :exec
update auth.sessions set refreshed_at = now(), updated_at = now() where id = $1;

-- name: DeleteSession :exec
delete from auth.sessions where id = $1;
