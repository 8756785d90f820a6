-- name: GetUserByEmail :one
select * from auth.users where lower(email) = lower(sqlc.arg(email)::text) and not is_sso_user and deleted_at is null;

-- name: GetUser :one
select * from auth.users where id = $1 and deleted_at is null;

-- name: RecordSignIn :exec
update auth.users set last_sign_in_at = now() where id = $1;
