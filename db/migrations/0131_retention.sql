-- +goose Up
-- Rows that are older than their retention are found without reading the whole table. Both tables are written
-- in the order of the column, more or less, so that a small index will do.
create index activity_events_occurred_at_idx on public.activity_events using brin (occurred_at);
create index sessions_not_after_idx on auth.sessions (not_after);
