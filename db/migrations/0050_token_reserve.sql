-- +goose Up
-- Tokens that calls under way will take at least, so that calls at once cannot pass MAX_TOKENS_PER_IMPORT together.
alter table private.import_chunks add column reserved_tokens bigint not null default 0;
comment on column private.import_chunks.reserved_tokens is 'What the call under way will take at least; 0 between calls.';
