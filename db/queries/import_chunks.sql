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

-- name: ListPlannedChunks :many
select c.ordinal, (c.done_at is not null)::boolean as done
from private.import_chunks c
where c.import_id = sqlc.arg(import_id) and c.claim_id = sqlc.arg(claim_id)::uuid
order by c.ordinal;

-- name: StoreResponse :one
-- Stores the response to a call with what it cost. Storing a response again changes nothing. is_new is false
-- for a response that was stored before: the call was made twice. called is false if no call was made,
-- because it would fail like an earlier one. A response that comes after the claim has ended has words that
-- may be redacted by now: it is counted, and not kept.
with claim as (
  select i.id
  from public.imports i
  where i.id = sqlc.arg(import_id) and i.claim_id = sqlc.arg(claim_id)::uuid
  for no key update
),
response as (
  insert into private.chunk_responses (key, import_id, response, input_tokens, output_tokens)
  select
    sqlc.arg(key),
    claim.id,
    sqlc.arg(response),
    sqlc.arg(input_tokens)::bigint,
    sqlc.arg(output_tokens)::bigint
  from claim
  on conflict (key, import_id) do nothing
  returning input_tokens, output_tokens
),
chunk as (
  update private.import_chunks c set
    calls = c.calls + (select count(*) from response where sqlc.arg(called)::boolean),
    input_tokens = c.input_tokens + (select coalesce(sum(r.input_tokens), 0) from response r),
    output_tokens = c.output_tokens + (select coalesce(sum(r.output_tokens), 0) from response r),
    call_seconds = c.call_seconds
      + (select count(*) from response) * sqlc.arg(call_seconds)::double precision,
    reserved_tokens = 0
  where c.import_id = sqlc.arg(import_id)
    and c.claim_id = sqlc.arg(claim_id)::uuid
    and c.ordinal = sqlc.arg(ordinal)
    and c.done_at is null
),
released as (
  delete from private.token_reservations t
  where t.claim_id = sqlc.arg(claim_id)::uuid and t.ordinal = sqlc.arg(ordinal)
),
spent as (
  update public.imports i set
    input_tokens = i.input_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.input_tokens), 0) from response r)
      else sqlc.arg(input_tokens)::bigint
    end,
    output_tokens = i.output_tokens + case
      when exists (select from claim) then (select coalesce(sum(r.output_tokens), 0) from response r)
      else sqlc.arg(output_tokens)::bigint
    end
  where i.id = sqlc.arg(import_id)
)
select (exists (select from response) or not exists (select from claim))::boolean as is_new;

-- name: FinishChunk :exec
-- The end of a chunk, and of reading it. An import that has others to read waits for its turn, unless one of
-- them is being read.
with chunk as (
  update private.import_chunks c set
    done_at = now(),
    read_at = null,
    response_keys = sqlc.arg(response_keys),
    unread = sqlc.arg(unread)
  where c.import_id = sqlc.arg(import_id)
    and c.claim_id = sqlc.arg(claim_id)::uuid
    and c.ordinal = sqlc.arg(ordinal)
    and c.done_at is null
  returning c.import_id, c.claim_id
),
run as (
  update private.import_runs r set
    seen_at = now(),
    idle_since = case
      when not private.reads_other_chunk(chunk.import_id, chunk.claim_id, sqlc.arg(ordinal)) then now()
    end
  from chunk
  where r.claim_id = chunk.claim_id
)
update public.imports i set progress_done = i.progress_done + 1
from chunk
where i.id = chunk.import_id and i.claim_id = chunk.claim_id;

-- name: ListChunkResponses :many
select r.key, r.response
from private.chunk_responses r
where r.import_id = sqlc.arg(import_id) and r.key = any(sqlc.arg(keys)::bytea[]);

-- name: SumTokens :one
select (coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0))::bigint
from private.chunk_responses
where import_id = $1;

-- name: ReserveTokens :execrows
-- Changes no row if the import would exceed the limit. The caller holds the lock of the import.
update private.import_chunks c set reserved_tokens = sqlc.arg(wanted)
where c.import_id = sqlc.arg(import_id)
  and c.claim_id = sqlc.arg(claim_id)::uuid
  and c.ordinal = sqlc.arg(ordinal)
  and sqlc.arg(wanted)::bigint
    + (
      select coalesce(sum(r.input_tokens), 0) + coalesce(sum(r.output_tokens), 0)
      from private.chunk_responses r
      where r.import_id = c.import_id
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
