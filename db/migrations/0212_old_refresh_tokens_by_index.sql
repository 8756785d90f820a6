-- +goose NO TRANSACTION
-- +goose Up
-- The retention deletes refresh tokens that were replaced long ago, of sessions that go on as well. An index on the
-- time of their replacement would cost every refresh an entry in each index of the table. An attempt that was
-- interrupted leaves an invalid index behind, so it is dropped first.
drop index concurrently if exists auth.refresh_tokens_created_at_idx;
create index concurrently refresh_tokens_created_at_idx on auth.refresh_tokens (created_at);
