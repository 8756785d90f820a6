-- name: ReserveTokenBudget :one
-- Reserves tokens of the day for a call about a chunk of a run.
select private.reserve_tokens(
  sqlc.arg(claim_id), sqlc.arg(ordinal)::integer, sqlc.arg(wanted)::bigint
)::boolean as reserved;

-- name: ListConsumers :many
-- The workspaces that use most: `most` of each kind, with the sum over all workspaces. rows are those that
-- clients have inserted since the rows were last counted.
with used as (
  select 'storage' as kind, i.workspace_id, sum(i.stored_bytes)::bigint as amount
  from public.imports i
  group by i.workspace_id
  union all
  select x.kind, w.id, x.amount
  from private.daily_usage u
  join public.workspaces w on w.id = u.subject
  cross join lateral (values ('uploads', u.uploads::bigint), ('tokens', u.tokens)) x (kind, amount)
  where u.day = private.today()
  union all
  select 'rows', c.workspace_id, sum(c.rows)::bigint
  from private.row_counts c
  group by c.workspace_id
),
ranked as (
  select
    u.kind,
    u.workspace_id,
    u.amount,
    sum(u.amount) over (partition by u.kind) as total,
    row_number() over (partition by u.kind order by u.amount desc, u.workspace_id) as place
  from used u
  where u.amount > 0
)
select r.kind::text as kind, r.workspace_id::uuid as workspace_id, r.amount::bigint as amount,
  r.total::bigint as total
from ranked r
where r.place <= sqlc.arg(most)::integer
order by r.kind, r.place;

-- name: DeleteOldUsage :execrows
-- What was used on days that have ended.
delete from private.daily_usage
where ctid = any (array(
  select u.ctid
  from private.daily_usage u
  where u.day < (sqlc.arg(before)::timestamptz at time zone 'UTC')::date
  order by u.day
  limit sqlc.arg(most)
));
