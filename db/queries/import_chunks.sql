-- name: InsertChunks :copyfrom
insert into private.import_chunks (
  import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end
) values ($1, $2, $3, $4, $5, $6, $7);

-- name: CountChunks :one
select count(*) from private.import_chunks where import_id = $1 and claim_id = $2;

-- name: DeleteChunksOfOtherClaims :exec
delete from private.import_chunks where import_id = $1 and claim_id <> $2;

-- name: GetChunk :one
select * from private.import_chunks where import_id = $1 and claim_id = $2 and ordinal = $3;

-- name: ListChunks :many
select * from private.import_chunks where import_id = $1 and claim_id = $2 order by ordinal;

-- name: FinishChunk :exec
update private.import_chunks set
  done_at = now(),
  answer_keys = sqlc.arg(answer_keys),
  unread = sqlc.arg(unread)
where import_id = sqlc.arg(import_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and ordinal = sqlc.arg(ordinal);

-- name: GetChunkAnswer :one
select answer from private.chunk_answers where key = $1 and import_id = $2;

-- name: StoreChunkAnswer :exec
insert into private.chunk_answers (key, import_id, answer, input_tokens, output_tokens)
values ($1, $2, $3, $4, $5)
on conflict (key, import_id) do nothing;

-- name: ListChunkAnswers :many
select a.key, a.answer
from private.chunk_answers a
where a.import_id = sqlc.arg(import_id) and a.key = any(sqlc.arg(keys)::bytea[]);

-- name: SumTokens :one
select (coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0))::bigint
from private.chunk_answers
where import_id = $1;

-- name: ReserveTokens :execrows
-- Changes no row if the import would exceed the limit. The caller holds the lock of the import.
update private.import_chunks c set reserved_tokens = sqlc.arg(wanted)
where c.import_id = sqlc.arg(import_id)
  and c.claim_id = sqlc.arg(claim_id)::uuid
  and c.ordinal = sqlc.arg(ordinal)
  and sqlc.arg(wanted)::bigint
    + (
      select coalesce(sum(a.input_tokens), 0) + coalesce(sum(a.output_tokens), 0)
      from private.chunk_answers a
      where a.import_id = c.import_id
    )
    + (
      select coalesce(sum(o.reserved_tokens), 0)
      from private.import_chunks o
      where o.import_id = c.import_id
        and o.claim_id = c.claim_id
        and o.ordinal <> c.ordinal
        and o.done_at is null
    )
    <= sqlc.arg(max_tokens)::bigint;

-- name: ReleaseTokens :exec
update private.import_chunks set reserved_tokens = 0
where import_id = sqlc.arg(import_id)
  and claim_id = sqlc.arg(claim_id)::uuid
  and ordinal = sqlc.arg(ordinal)
  and reserved_tokens <> 0;
