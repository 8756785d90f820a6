-- name: ListSigningKeys :many
select kid, algorithm, private_key, created_at, retired_at
from auth.signing_keys
order by created_at desc, kid;

-- name: LockSigningKeys :exec
-- Held until the end of the transaction: of several programs that start concurrently, one creates the first
-- key.
select pg_advisory_xact_lock(715518);

-- name: InsertSigningKey :exec
insert into auth.signing_keys (kid, algorithm, private_key)
values ($1, $2, $3);

-- name: RetireSigningKeys :exec
-- All keys but one.
update auth.signing_keys
set retired_at = sqlc.arg(retired_at)::timestamptz
where kid <> sqlc.arg(keep)
  and retired_at is null;

-- name: DeleteSigningKeys :exec
-- All keys but one.
delete from auth.signing_keys
where kid <> $1;

-- name: DeleteOldSigningKeys :exec
-- Keys whose last token expired long ago.
delete from auth.signing_keys
where retired_at < now() - interval '30 days';
