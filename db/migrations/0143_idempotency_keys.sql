-- +goose Up
-- Answers to requests with an Idempotency-Key, so that a request that is sent again gets the first answer.

create table private.idempotency_keys (
  user_id uuid not null
    constraint idempotency_keys_user_id_fkey references auth.users (id) on delete cascade,
  key bytea not null constraint idempotency_keys_key_check check (octet_length(key) = 32),
  fingerprint bytea not null,
  import_id uuid constraint idempotency_keys_import_id_fkey references public.imports (id) on delete cascade,
  claim_id uuid,
  status integer,
  body bytea,
  expires_at timestamptz not null default now() + interval '24 hours',
  constraint idempotency_keys_pkey primary key (user_id, key),
  constraint idempotency_keys_answer_check check ((status is null) = (body is null))
);
create index idempotency_keys_import_id_idx on private.idempotency_keys (import_id);
create index idempotency_keys_expires_at_idx on private.idempotency_keys (expires_at);
comment on column private.idempotency_keys.key is 'A hash of the key, the method and the path.';
comment on column private.idempotency_keys.fingerprint is 'A hash of what the body says.';
comment on column private.idempotency_keys.claim_id is 'Of a parse, also before its answer is known.';
comment on column private.idempotency_keys.status is 'Null while the answer is not known.';
grant select, insert, update, delete on private.idempotency_keys to service_role;

create type private.remember_result as enum ('remembered', 'known', 'too_many');

set local role service_role;

-- Deletes expired keys, at most so many at once. Concurrent calls delete different keys.
-- +goose StatementBegin
create function private.delete_expired_keys(most bigint) returns bigint
language sql volatile security definer
set search_path = ''
as $$
  with deleted as (
    delete from private.idempotency_keys k
    where (k.user_id, k.key) in (
      select e.user_id, e.key from private.idempotency_keys e
      where e.expires_at < now()
      order by e.expires_at
      limit most
      for update skip locked
    )
    returning k.user_id
  )
  select count(*) from deleted
$$;
-- +goose StatementEnd

-- Remembers an answer of the caller, or the claim of a parse whose answer is not known yet. Of concurrent calls
-- with one key, one gets 'remembered'. The others wait until its transaction has ended, and get 'known' if it
-- committed.
-- +goose StatementBegin
create function private.remember_answer(
  key bytea, fingerprint bytea, import uuid, claim uuid, status integer, body bytea, most bigint
) returns private.remember_result
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.delete_expired_keys(10);
  if (
    select count(*) from (select from private.idempotency_keys k where k.user_id = auth.uid() limit most) own
  ) >= most then
    return 'too_many';
  end if;
  insert into private.idempotency_keys as k (user_id, key, fingerprint, import_id, claim_id, status, body)
  values (auth.uid(), $1, $2, $3, $4, $5, $6)
  on conflict on constraint idempotency_keys_pkey do update set
    fingerprint = excluded.fingerprint,
    import_id = excluded.import_id,
    claim_id = excluded.claim_id,
    status = excluded.status,
    body = excluded.body,
    expires_at = excluded.expires_at
  where k.expires_at < now();
  if found then
    return 'remembered';
  end if;
  return 'known';
end $$;
-- +goose StatementEnd

reset role;

grant execute on function private.delete_expired_keys(bigint) to service_role;
grant execute on function private.remember_answer(bytea, bytea, uuid, uuid, integer, bytea, bigint)
  to authenticated, service_role;
