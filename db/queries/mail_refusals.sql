-- name: RecordMailRefusal :one
-- Counts a permanent refusal of an address, and suppresses the address from the given number of refusals in a
-- row on.
insert into private.mail_refusals as r (address, code, suppressed_at, suppressed_by)
values (
  private.fold(sqlc.arg(address)),
  sqlc.arg(code),
  case when sqlc.arg(tolerated)::integer <= 1 then now() end,
  case when sqlc.arg(tolerated)::integer <= 1 then 'refusals' end
)
on conflict on constraint mail_refusals_pkey do update
set refusals = r.refusals + 1,
  code = excluded.code,
  last_at = now(),
  suppressed_at = coalesce(
    r.suppressed_at,
    case when r.refusals + 1 >= sqlc.arg(tolerated)::integer then now() end),
  suppressed_by = coalesce(
    r.suppressed_by,
    case when r.refusals + 1 >= sqlc.arg(tolerated)::integer then 'refusals' end)
returning r.refusals;

-- name: ClearMailRefusals :exec
-- Clears the refusals of an address after a mail to it was accepted. What a relay reported stays: a relay
-- accepts mails before it knows whether they arrive.
with cleared as (
  delete from private.mail_refusals r
  where r.address = private.fold(sqlc.arg(address))
    and r.bounces = 0
    and coalesce(r.suppressed_by, 'refusals') = 'refusals'
)
update private.mail_refusals r
set refusals = 0
where r.address = private.fold(sqlc.arg(address))
  and r.bounces > 0
  and r.refusals > 0;

-- name: SuppressAddress :execrows
-- Suppresses the address of a user at once. There is no row if no user has it.
insert into private.mail_refusals as r (address, refusals, code, suppressed_at, suppressed_by)
select private.fold(sqlc.arg(address)), 0, sqlc.arg(code)::integer, now(), sqlc.arg(suppressed_by)::text
where exists (
    select from auth.users u
    where private.fold(u.email) = private.fold(sqlc.arg(address)) and not u.is_sso_user
  )
  or exists (
    select from auth.users u
    where private.fold(u.email) = private.fold(sqlc.arg(address)) and u.is_sso_user
  )
on conflict on constraint mail_refusals_pkey do update
set code = excluded.code,
  last_at = now(),
  suppressed_at = coalesce(r.suppressed_at, now()),
  suppressed_by = case
    when excluded.suppressed_by = 'complaint' then 'complaint'
    else coalesce(r.suppressed_by, excluded.suppressed_by)
  end
where r.suppressed_by is distinct from 'complaint';

-- name: CountBounce :execrows
-- Counts a permanent bounce that is not about the address itself, and suppresses the address of a user from
-- the given number on. Bounces within twelve hours count once, since relays repeat events. Those of a month
-- ago are forgotten.
insert into private.mail_refusals as r (address, refusals, code, bounces, bounced_at)
select private.fold(sqlc.arg(address)), 0, sqlc.arg(code)::integer, 1, now()
where exists (
    select from auth.users u
    where private.fold(u.email) = private.fold(sqlc.arg(address)) and not u.is_sso_user
  )
  or exists (
    select from auth.users u
    where private.fold(u.email) = private.fold(sqlc.arg(address)) and u.is_sso_user
  )
on conflict on constraint mail_refusals_pkey do update
set code = excluded.code,
  last_at = now(),
  bounced_at = now(),
  bounces = case when r.bounced_at > now() - interval '30 days' then r.bounces + 1 else 1 end,
  suppressed_at = coalesce(
    r.suppressed_at,
    case
      when r.bounced_at > now() - interval '30 days' and r.bounces + 1 >= sqlc.arg(tolerated)::integer
      then now()
    end),
  suppressed_by = coalesce(
    r.suppressed_by,
    case
      when r.bounced_at > now() - interval '30 days' and r.bounces + 1 >= sqlc.arg(tolerated)::integer
      then 'bounces'
    end)
where r.bounced_at is null
  or r.bounced_at < now() - interval '12 hours';

-- name: ClearBounces :execrows
-- Clears what is known of an address after a mail to it has arrived. A suppressed address stays suppressed.
delete from private.mail_refusals
where address = private.fold(sqlc.arg(address))
  and suppressed_at is null;

-- name: CountSuppressedAddresses :one
select count(*)
from private.mail_refusals
where suppressed_at is not null;
