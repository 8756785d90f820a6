-- +goose NO TRANSACTION
-- +goose Up
-- For the metrics, which count imports by status as service_role. PostgreSQL checks a policy before it compares values
-- of an enum, so an index on the status did not serve, and the whole table was read. These indexes have the status in
-- their condition, and the column that the policy needs. An attempt that was interrupted leaves an invalid index
-- behind, so each is dropped first.
drop index concurrently if exists public.imports_uploaded_idx;
create index concurrently imports_uploaded_idx on public.imports (workspace_id) where status = 'uploaded';
drop index concurrently if exists public.imports_parsed_idx;
create index concurrently imports_parsed_idx on public.imports (workspace_id) where status = 'parsed';
drop index concurrently if exists public.imports_failed_idx;
create index concurrently imports_failed_idx on public.imports (workspace_id) where status = 'failed';
drop index concurrently if exists public.imports_canceled_idx;
create index concurrently imports_canceled_idx on public.imports (workspace_id) where status = 'canceled';
drop index concurrently if exists public.imports_terminated_idx;
create index concurrently imports_terminated_idx on public.imports (workspace_id) where status = 'terminated';
drop index concurrently if exists public.imports_timed_out_idx;
create index concurrently imports_timed_out_idx on public.imports (workspace_id) where status = 'timed_out';
drop index concurrently if exists public.imports_status_idx;
