-- +goose NO TRANSACTION
-- +goose Up
-- The oldest events are read in order, for which an index of ranges does not serve. The index has an expression: one
-- of the column would also serve to read the newest events of a workspace, through those of all others. An attempt
-- that was interrupted leaves an invalid index behind, so it is dropped first.
drop index concurrently if exists public.activity_events_occurred_utc_idx;
create index concurrently activity_events_occurred_utc_idx
on public.activity_events ((occurred_at at time zone 'UTC'));
drop index concurrently if exists public.activity_events_occurred_at_idx;
