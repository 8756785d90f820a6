-- name: ReserveTokenBudget :one
-- Reserves tokens of the day for calls about chunks of a run, for all or none.
select private.reserve_tokens(
  sqlc.arg(claim_id), sqlc.arg(ordinals)::integer[], sqlc.arg(wanted)::bigint[]
)::boolean as reserved;
