-- name: InsertChunks :exec
-- The chunks of a plan that ask about the same hypotheses.
insert into private.import_chunks (
  import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, hypotheses
)
select
  sqlc.arg(import_id),
  sqlc.arg(claim_id),
  c.ordinal,
  c.utterance_from,
  c.utterance_to,
  c.byte_start,
  c.byte_end,
  sqlc.arg(hypotheses)::uuid[]
from (
  select
    unnest(sqlc.arg(ordinals)::integer[]) as ordinal,
    unnest(sqlc.arg(utterance_froms)::integer[]) as utterance_from,
    unnest(sqlc.arg(utterance_tos)::integer[]) as utterance_to,
    unnest(sqlc.arg(byte_starts)::integer[]) as byte_start,
    unnest(sqlc.arg(byte_ends)::integer[]) as byte_end
) c;

-- name: CountChunks :one
select count(*) from private.import_chunks where import_id = $1 and claim_id = $2;

-- name: GetChunk :one
select * from private.import_chunks where import_id = $1 and claim_id = $2 and ordinal = $3;

-- name: ListChunks :many
select * from private.import_chunks where import_id = $1 and claim_id = $2 order by ordinal;

-- name: ListUnfinishedChunks :many
-- The next chunks to read, and how many are unfinished in all.
select sqlc.embed(c), count(*) over () as unfinished
from private.import_chunks c
where c.import_id = sqlc.arg(import_id) and c.claim_id = sqlc.arg(claim_id) and c.done_at is null
order by c.ordinal
limit sqlc.arg(page_size);

-- name: StoreAnswers :one
-- Stores the responses to calls about different chunks, and with the last one of a chunk the end of the chunk and
-- the progress of the import. answer_keys are arrays as texts. Storing a response again changes nothing. It
-- returns whether the claim is the latest.
with given as (
  select
    unnest(sqlc.arg(ordinals)::integer[]) as ordinal,
    unnest(sqlc.arg(keys)::bytea[]) as key,
    unnest(sqlc.arg(answers)::jsonb[]) as answer,
    unnest(sqlc.arg(input_tokens)::bigint[]) as input_tokens,
    unnest(sqlc.arg(output_tokens)::bigint[]) as output_tokens,
    unnest(sqlc.arg(call_seconds)::double precision[]) as call_seconds,
    unnest(sqlc.arg(answer_keys)::text[]) as answer_keys,
    unnest(sqlc.arg(unread)::jsonb[]) as unread,
    unnest(sqlc.arg(are_last)::boolean[]) as is_last
),
answer as (
  insert into private.chunk_answers (key, import_id, answer, input_tokens, output_tokens)
  select g.key, sqlc.arg(import_id), g.answer, g.input_tokens, g.output_tokens from given g
  -- Earlier versions stored failures under the key of the request.
  on conflict (key, import_id) do update set
    answer = excluded.answer,
    input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens
  where chunk_answers.answer ->> 'failed' is not null and excluded.answer ->> 'failed' is null
  returning key, input_tokens, output_tokens
),
chunk as (
  update private.import_chunks c set
    calls = c.calls + (select count(*) from answer a where a.key = g.key),
    input_tokens = c.input_tokens + coalesce((select a.input_tokens from answer a where a.key = g.key), 0),
    output_tokens = c.output_tokens + coalesce((select a.output_tokens from answer a where a.key = g.key), 0),
    call_seconds = c.call_seconds + coalesce((select g.call_seconds from answer a where a.key = g.key), 0),
    reserved_tokens = 0,
    answer_keys = g.answer_keys::bytea[],
    unread = g.unread,
    done_at = case when g.is_last then now() end
  from given g
  where c.import_id = sqlc.arg(import_id)
    and c.claim_id = sqlc.arg(claim_id)::uuid
    and c.ordinal = g.ordinal
    and c.done_at is null
  returning c.done_at
),
run as (
  update private.import_runs r set model_failures = 0
  where r.claim_id = sqlc.arg(claim_id)::uuid and sqlc.arg(model_answered)::boolean and r.model_failures > 0
)
update public.imports i set
  progress_done = i.progress_done + (
    select count(*) from chunk c where c.done_at is not null and i.claim_id = sqlc.arg(claim_id)::uuid
  ),
  input_tokens = i.input_tokens + (select coalesce(sum(a.input_tokens), 0) from answer a),
  output_tokens = i.output_tokens + (select coalesce(sum(a.output_tokens), 0) from answer a),
  waiting_reason = case when i.claim_id = sqlc.arg(claim_id)::uuid then null else i.waiting_reason end
where i.id = sqlc.arg(import_id)
returning (i.claim_id is not distinct from sqlc.arg(claim_id)::uuid)::boolean as is_latest;

-- name: FinishChunk :exec
-- The end of a chunk without a call: every response was stored, or it cannot be read.
with chunk as (
  update private.import_chunks c set
    done_at = now(),
    answer_keys = sqlc.arg(answer_keys),
    unread = sqlc.arg(unread)
  where c.import_id = sqlc.arg(import_id)
    and c.claim_id = sqlc.arg(claim_id)::uuid
    and c.ordinal = sqlc.arg(ordinal)
    and c.done_at is null
  returning c.import_id, c.claim_id
)
update public.imports i set progress_done = i.progress_done + 1
from chunk
where i.id = chunk.import_id and i.claim_id = chunk.claim_id;

-- name: GetChunkAnswer :one
select answer from private.chunk_answers where key = $1 and import_id = $2;

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

-- name: ReserveTokensOfChunks :execrows
-- ReserveTokens for several chunks at a time, all or none.
update private.import_chunks c set reserved_tokens = x.wanted
from (
  select
    unnest(sqlc.arg(ordinals)::integer[]) as ordinal,
    unnest(sqlc.arg(wanted)::bigint[]) as wanted
) x
where c.import_id = sqlc.arg(import_id)
  and c.claim_id = sqlc.arg(claim_id)::uuid
  and c.ordinal = x.ordinal
  and (select sum(w.wanted) from unnest(sqlc.arg(wanted)::bigint[]) as w (wanted))
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
        and not o.ordinal = any(sqlc.arg(ordinals)::integer[])
        and o.done_at is null
    )
    <= sqlc.arg(max_tokens)::bigint;
