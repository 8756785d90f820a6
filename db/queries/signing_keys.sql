-- name: ListSigningKeys :many
-- The key that signs is the newest that is not retired.
select kid, algorithm, private_key, created_at, retired_at from auth.signing_keys order by created_at desc, kid;

-- name: LockSigningKeys :exec
-- Held to the end of the transaction: of many programs that start at once, one makes the first key.
select pg_advisory_xact_lock(715518);

-- name: InsertSigningKey :exec
insert into auth.signing_keys (kid, algorithm, private_key) values ($1, $2, $3);
