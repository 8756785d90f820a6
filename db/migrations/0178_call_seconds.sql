-- +goose Up
-- How long the calls of a chunk took, from which operators learn whether there are enough workers.
alter table private.import_chunks add column call_seconds real not null default 0;
