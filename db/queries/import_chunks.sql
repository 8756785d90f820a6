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

-- name: ListChunks :many
select * from private.import_chunks where import_id = $1 and claim_id = $2 order by ordinal;

-- name: ListUnfinishedChunks :many
-- The next chunks to read, and how many are unfinished in all.
select sqlc.embed(c), count(*) over () as unfinished
from private.import_chunks c
where c.import_id = sqlc.arg(import_id) and c.claim_id = sqlc.arg(claim_id) and c.done_at is null
order by c.ordinal
limit sqlc.arg(page_size);

-- name: StoreAnswer :one
-- Stores the response to a call, with the state of its chunk after it, and with the last one of a chunk also
-- the progress of the import. Storing a response again changes nothing. It returns whether the claim is the
-- latest.
with answer as (
  insert into private.chunk_answers (key, import_id, answer, input_tokens, output_tokens)
  values (
    sqlc.arg(key),
    sqlc.arg(import_id),
    sqlc.arg(answer),
    sqlc.arg(input_tokens),
    sqlc.arg(output_tokens)
  )
  on conflict (key, import_id) do nothing
  returning input_tokens, output_tokens
),
chunk as (
  update private.import_chunks c set
    calls = c.calls + (select count(*) from answer),
    input_tokens = c.input_tokens + (select coalesce(sum(a.input_tokens), 0) from answer a),
    output_tokens = c.output_tokens + (select coalesce(sum(a.output_tokens), 0) from answer a),
    call_seconds = c.call_seconds + (select count(*) from answer) * sqlc.arg(call_seconds)::double precision,
    reserved_tokens = 0,
    answer_keys = sqlc.arg(answer_keys),
    unread = sqlc.arg(unread),
    done_at = case when sqlc.arg(is_last)::boolean then now() end
  where c.import_id = sqlc.arg(import_id)
    and c.claim_id = sqlc.arg(claim_id)::uuid
    and c.ordinal = sqlc.arg(ordinal)
    and c.done_at is null
  returning c.done_at
),
released as (
  delete from private.token_reservations t
  where t.claim_id = sqlc.arg(claim_id)::uuid and t.ordinal = sqlc.arg(ordinal)
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
