-- name: ListSigningKeys :many
-- The key that signs is the newest that is not retired and has been known for long enough.
select kid, algorithm, private_key, created_at, retired_at from auth.signing_keys order by created_at desc, kid;

-- name: LockSigningKeys :exec
-- Held to the end of the transaction: of many programs that start at once, one makes the first key.
select pg_advisory_xact_lock(715518);

-- name: InsertSigningKey :exec
insert into auth.signing_keys (kid, algorithm, private_key) values ($1, $2, $3);

-- name: RetireSigningKeys :exec
-- All but one.
update auth.signing_keys set retired_at = sqlc.arg(retired_at)::timestamptz where kid <> sqlc.arg(keep) and retired_at is null;

-- name: DeleteSigningKeys :exec
-- All but one.
delete from auth.signing_keys where kid <> $1;

-- name: ForgetSigningKeys :exec
-- Those whose last token expired long ago.
delete from auth.signing_keys where retired_at < now() - interval '30 days';
