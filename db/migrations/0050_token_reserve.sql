-- +goose Up
-- Tokens reserved for calls in flight, so that concurrent calls cannot exceed MAX_TOKENS_PER_IMPORT together.
alter table private.import_chunks add column reserved_tokens bigint not null default 0;
comment on column private.import_chunks.reserved_tokens is 'What the call under way will take at least; 0 between calls.';
