-- name: RecordMailRefusal :one
-- Counts a permanent refusal of an address, and suppresses the address from the given number of refusals in a
-- row on.
insert into private.mail_refusals as r (address, code, suppressed_at)
values (
  lower(sqlc.arg(address)),
  sqlc.arg(code),
  case when sqlc.arg(tolerated)::integer <= 1 then now() end
)
on conflict on constraint mail_refusals_pkey do update
set refusals = r.refusals + 1,
  code = excluded.code,
  last_at = now(),
  suppressed_at = coalesce(
    r.suppressed_at,
    case when r.refusals + 1 >= sqlc.arg(tolerated)::integer then now() end)
returning r.refusals;

-- name: ClearMailRefusals :execrows
-- Clears the refusals of an address after a mail to it was accepted.
delete from private.mail_refusals
where address = lower(sqlc.arg(address));

-- name: CountSuppressedAddresses :one
select count(*)
from private.mail_refusals
where suppressed_at is not null;
