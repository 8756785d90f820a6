-- +goose Up
-- For the metrics, which count imports by status.
create index imports_status_idx on public.imports (status);
