-- +goose Up
-- Quotas: what a workspace may store and use, and what all workspaces together may that one account created.
-- An account may create a hundred workspaces, and without the second bound it would have a hundred quotas.
-- Whoever uploads to a workspace uses the quotas of the account that created it.
--
-- `serve` writes the quotas to private.settings. One that is 0 or not set is no limit.
--
-- And limits of what a user may write through the data API, which are constants.

-- What was used on a day, by a workspace or by the workspaces of an account. Nothing that is deleted makes a
-- day's use smaller, so the rows have no foreign keys: a new workspace in place of a deleted one is no new
-- quota for its creator.
create table private.daily_usage (
  subject uuid not null,
  day date not null,
  uploads integer not null default 0,
  tokens bigint not null default 0,
  constraint daily_usage_pkey primary key (day, subject)
);
comment on table private.daily_usage is 'What was used on a day, in UTC.';
comment on column private.daily_usage.subject is
  'A workspace, or the account that created the workspaces that were used.';
comment on column private.daily_usage.tokens is 'Of requests to the model and of its responses.';
grant select, insert, update, delete on private.daily_usage to service_role;

create type private.quota as enum (
  'none', 'workspace_storage', 'account_storage', 'workspace_uploads', 'account_uploads'
);

set local role service_role;

-- The value of a quota; null means no limit.
create function private.quota_limit(quota text) returns bigint
language sql stable security definer
set search_path = ''
as $$
  select nullif(s.value::bigint, 0) from private.settings s where s.name = quota
$$;

create function private.today() returns date
language sql stable
return (now() at time zone 'UTC')::date;

-- The bytes on disk of a transcript with everything that is derived from it: the body, the utterances and
-- their words with indexes. It is within a fifth of the growth of the tables for 10 MB of long turns, for
-- 60,000 short turns and for 60,000 voices. Short interviews take up to twice as much, and one turn of 10 MB
-- takes less than half.
create function private.transcript_bytes(body bigint, utterances bigint, speakers bigint) returns bigint
language sql immutable
return 4096 + 6 * body + 350 * utterances + 200 * speakers;

-- With what was deleted and can be restored.
create function private.stored_bytes(workspace uuid) returns bigint
language sql stable security definer
set search_path = ''
as $$
  select coalesce(sum(s.stored_bytes), 0)::bigint
  from (
    select i.stored_bytes from public.imports i where i.workspace_id = workspace
    union all
    select d.stored_bytes
    from private.deleted_imports d
    where d.workspace_id = workspace and now() < private.restorable_until(d.deleted_at)
  ) s
$$;

-- Those of all workspaces that the account created.
create function private.stored_bytes_of_account(account uuid) returns bigint
language sql stable security definer
set search_path = ''
as $$
  select coalesce(sum(private.stored_bytes(w.id)), 0)::bigint
  from public.workspaces w
  where w.created_by = account
$$;

-- The quota that keeps a workspace from storing further uploads, or 'none'.
-- +goose StatementBegin
create function private.exceeded_quota(workspace uuid, further integer) returns private.quota
language plpgsql stable security definer
set search_path = ''
as $$
declare
  account constant uuid := (select w.created_by from public.workspaces w where w.id = workspace);
  uploads constant integer := coalesce(
    (select u.uploads from private.daily_usage u where u.subject = workspace and u.day = private.today()), 0);
  uploads_of_account constant integer := coalesce(
    (select u.uploads from private.daily_usage u where u.subject = account and u.day = private.today()), 0);
begin
  return case
    when uploads + further > private.quota_limit('workspace_uploads_per_day') then 'workspace_uploads'
    when uploads_of_account + further > private.quota_limit('account_uploads_per_day') then 'account_uploads'
    when private.stored_bytes(workspace) + further > private.quota_limit('workspace_storage')
      then 'workspace_storage'
    when private.stored_bytes_of_account(account) + further > private.quota_limit('account_storage')
      then 'account_storage'
    else 'none'
  end::private.quota;
end $$;
-- +goose StatementEnd
grant execute on function private.exceeded_quota(uuid, integer) to authenticated;

-- Counts an import that was just stored, and returns the quota that it exceeds. The caller then rolls the
-- transaction back. Rows of accounts are locked before those of workspaces.
-- +goose StatementBegin
create function private.count_upload(import uuid) returns private.quota
language plpgsql security definer
set search_path = ''
as $$
declare
  w public.workspaces;
  counted uuid;
begin
  select x.* into w
  from public.imports i
  join public.workspaces x on x.id = i.workspace_id
  where i.id = import and private.caller_may_edit(i.workspace_id);
  foreach counted in array array_remove(array[w.created_by, w.id], null) loop
    insert into private.daily_usage as u (subject, day, uploads)
    values (counted, private.today(), 1)
    on conflict on constraint daily_usage_pkey do update set uploads = u.uploads + 1;
  end loop;
  return private.exceeded_quota(w.id, 0);
end $$;
-- +goose StatementEnd
grant execute on function private.count_upload(uuid) to authenticated;

reset role;

-- Tokens of the model ---------------------------------------------------------------------------------------

-- Before a call, its tokens are reserved under the claim of an import, of an answer or of proposals of
-- themes, and the ordinal of the chunk, so that a retry reserves nothing twice. What was used is counted
-- where the response is stored, once.
create table private.token_reservations (
  claim_id uuid not null,
  ordinal integer not null,
  workspace_id uuid not null
    constraint token_reservations_workspace_id_fkey references public.workspaces (id) on delete cascade,
  account_id uuid,
  tokens bigint not null,
  reserved_at timestamptz not null default clock_timestamp(),
  constraint token_reservations_pkey primary key (claim_id, ordinal)
);
create index token_reservations_workspace_id_idx on private.token_reservations (workspace_id);
create index token_reservations_account_id_idx on private.token_reservations (account_id);
comment on table private.token_reservations is
  'The tokens of calls to the model that are in progress. Those of an ended run, or older than two hours, no '
  'longer count: OPENAI_TIMEOUT is at most one.';
grant select, insert, update, delete on private.token_reservations to service_role;

set local role service_role;

-- Whether a run of an import, of an answer or of proposals of themes has not ended.
-- +goose StatementBegin
create function private.is_open_claim(claim uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return exists (select from private.import_runs r where r.claim_id = claim and r.finished_at is null)
    or exists (
      select from public.answers a where a.claim_id = claim and a.status in ('queued', 'reading')
    )
    or exists (
      select from public.theme_runs r where r.claim_id = claim and r.status in ('queued', 'reading')
    );
end $$;
-- +goose StatementEnd

-- The tokens that are reserved for a workspace or for the workspaces of an account, but for a chunk.
create function private.reserved_tokens(subject uuid, claim uuid, chunk integer) returns bigint
language sql stable security definer
set search_path = ''
as $$
  select coalesce(sum(t.tokens), 0)::bigint
  from private.token_reservations t
  where subject in (t.workspace_id, t.account_id)
    and (t.claim_id, t.ordinal) is distinct from (claim, chunk)
    and t.reserved_at > now() - interval '2 hours'
    and private.is_open_claim(t.claim_id)
$$;

-- Reserves tokens for a call about a chunk of a run, and returns whether the quotas of the day allow it. A
-- call that is larger than a quota is allowed if nothing else was used on the day: otherwise it would never
-- be made.
-- +goose StatementBegin
create function private.reserve_tokens(claim uuid, chunk integer, wanted bigint) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  w public.workspaces;
  q record;
  taken bigint;
begin
  if wanted = 0 then
    return true;
  end if;
  select x.* into w
  from public.workspaces x
  where x.id = (
    select i.workspace_id
    from private.import_runs r
    join public.imports i on i.id = r.import_id
    where r.claim_id = claim
    union all
    select a.workspace_id from public.answers a where a.claim_id = claim
    union all
    select t.workspace_id from public.theme_runs t where t.claim_id = claim
  );
  for q in
    select * from (values
      (w.created_by, private.quota_limit('account_tokens_per_day')),
      (w.id, private.quota_limit('workspace_tokens_per_day'))
    ) quotas (subject, most)
    where subject is not null
  loop
    insert into private.daily_usage as u (subject, day)
    values (q.subject, private.today())
    on conflict on constraint daily_usage_pkey do update set tokens = u.tokens
    returning tokens into taken;
    taken := taken + private.reserved_tokens(q.subject, claim, chunk);
    if taken > 0 and taken + wanted > q.most then
      return false;
    end if;
  end loop;
  delete from private.token_reservations t
  where t.workspace_id = w.id and t.reserved_at < now() - interval '2 hours';
  insert into private.token_reservations as t (claim_id, ordinal, workspace_id, account_id, tokens)
  values (claim, chunk, w.id, w.created_by, wanted)
  on conflict on constraint token_reservations_pkey do update set
    tokens = excluded.tokens,
    reserved_at = excluded.reserved_at;
  return true;
end $$;
-- +goose StatementEnd

-- Counts the tokens that are added to those of an import, an answer or proposals of themes: also for a
-- response that nobody wants any more. When they pass four fifths of the quota of the workspace, the audit
-- log says so, which its admins read.
-- +goose StatementBegin
create function private.count_tokens() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  used constant bigint := new.input_tokens + new.output_tokens - old.input_tokens - old.output_tokens;
  most constant bigint := private.quota_limit('workspace_tokens_per_day');
  w public.workspaces;
  counted uuid;
  sum_of_day bigint;
begin
  select x.* into w from public.workspaces x where x.id = new.workspace_id;
  foreach counted in array array_remove(array[w.created_by, w.id], null) loop
    insert into private.daily_usage as u (subject, day, tokens)
    values (counted, private.today(), used)
    on conflict on constraint daily_usage_pkey do update set tokens = u.tokens + used
    returning tokens into sum_of_day;
  end loop;
  if sum_of_day >= most * 0.8 and sum_of_day - used < most * 0.8 then
    perform private.write_audit(w.id, 'tokens_low', 'workspace', w.id,
      jsonb_build_object('used', sum_of_day, 'limit', most));
  end if;
  return null;
end $$;
-- +goose StatementEnd

reset role;

create trigger t9_tokens after update on public.imports
for each row when (new.input_tokens + new.output_tokens > old.input_tokens + old.output_tokens)
execute function private.count_tokens();

-- What a workspace uses -------------------------------------------------------------------------------------

set local role service_role;

-- +goose StatementBegin
create function private.read_usage(workspace uuid) returns table (
  storage_bytes bigint, storage_limit bigint, uploads_today integer, uploads_limit bigint, tokens_used bigint,
  tokens_reserved bigint, tokens_limit bigint, exhausted text[], renews_at timestamptz
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  account uuid;
begin
  if current_setting('role', true) is distinct from 'service_role'
    and not exists (select from private.my_workspaces('admin') w where w = workspace)
  then
    return;
  end if;
  select w.created_by into account from public.workspaces w where w.id = workspace;
  if not found then
    return;
  end if;
  return query
  with used as (
    select
      private.stored_bytes(workspace) as storage,
      private.stored_bytes_of_account(account) as account_storage,
      coalesce(sum(u.uploads) filter (where u.subject = workspace), 0)::integer as uploads,
      coalesce(sum(u.uploads) filter (where u.subject = account), 0)::integer as account_uploads,
      coalesce(sum(u.tokens) filter (where u.subject = workspace), 0)::bigint as tokens,
      coalesce(sum(u.tokens) filter (where u.subject = account), 0)::bigint as account_tokens,
      private.reserved_tokens(workspace, null, null) as reserved
    from private.daily_usage u
    where u.day = private.today() and u.subject in (workspace, account)
  )
  select
    u.storage, private.quota_limit('workspace_storage'),
    u.uploads, private.quota_limit('workspace_uploads_per_day'),
    u.tokens, u.reserved, private.quota_limit('workspace_tokens_per_day'),
    array_remove(array[
      case when u.storage >= private.quota_limit('workspace_storage')
        or u.account_storage >= private.quota_limit('account_storage') then 'storage' end,
      case when u.uploads >= private.quota_limit('workspace_uploads_per_day')
        or u.account_uploads >= private.quota_limit('account_uploads_per_day') then 'uploads' end,
      case when u.tokens >= private.quota_limit('workspace_tokens_per_day')
        or u.account_tokens >= private.quota_limit('account_tokens_per_day') then 'tokens' end
    ], null),
    (private.today() + 1)::timestamp at time zone 'UTC'
  from used u;
end $$;
-- +goose StatementEnd
grant execute on function private.read_usage(uuid) to authenticated;

reset role;

-- +goose StatementBegin
create function public.workspace_usage(workspace uuid) returns table (
  storage_bytes bigint, storage_limit bigint, uploads_today integer, uploads_limit bigint, tokens_used bigint,
  tokens_reserved bigint, tokens_limit bigint, exhausted text[], renews_at timestamptz
)
language sql stable begin atomic
  select
    u.storage_bytes, u.storage_limit, u.uploads_today, u.uploads_limit, u.tokens_used, u.tokens_reserved,
    u.tokens_limit, u.exhausted, u.renews_at
  from private.read_usage(workspace) u;
end;
-- +goose StatementEnd
comment on function public.workspace_usage is
  'What a workspace stores, and has uploaded and used today, for its owners and admins; empty for others. A '
  'limit is null if there is none. exhausted names what is used up, by this workspace or by all workspaces '
  'of the account that created it: storage, uploads, tokens. Uploads and tokens renew at renews_at.';
grant execute on function public.workspace_usage(uuid) to authenticated, service_role;

-- Limits of writes ------------------------------------------------------------------------------------------

-- What each user writes is bounded in a minute and in a day, in bytes. Triggers, indexes, events and logs
-- multiply it, so each row counts for at least 1,000 bytes. Five users can grow the disk by 200 MB in a
-- minute at most, and each can write 1 GB in a day.
--
-- A statement that changes rows locks the budget of its user before it begins: the writes of one user are
-- made one after the other. Only what clients change directly is counted, and not what triggers and functions
-- change in consequence.
create table private.write_budgets (
  user_id uuid not null
    constraint write_budgets_user_id_fkey references auth.users (id) on delete cascade,
  minute timestamptz not null default '-infinity',
  minute_bytes bigint not null default 0,
  day date not null default '-infinity',
  day_bytes bigint not null default 0,
  constraint write_budgets_pkey primary key (user_id)
);
comment on table private.write_budgets is
  'What users have written in their latest minute and on their latest day.';
grant select, insert, update, delete on private.write_budgets to service_role;

-- How many rows of a table users have inserted in a workspace since the rows were last counted.
create table private.row_counts (
  workspace_id uuid not null
    constraint row_counts_workspace_id_fkey references public.workspaces (id) on delete cascade,
  relation text not null,
  rows bigint not null,
  constraint row_counts_pkey primary key (workspace_id, relation)
);
grant select, insert, update, delete on private.row_counts to service_role;

set local role service_role;

-- Locks the budget of the caller, and rejects a statement if it is used up. A statement that fits at its
-- beginning may exceed the budget.
-- +goose StatementBegin
create function private.require_budget() returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  most_a_minute constant bigint := 20000000;
  most_a_day constant bigint := 1000000000;
  b private.write_budgets;
begin
  loop
    select * into b from private.write_budgets w where w.user_id = auth.uid() for update;
    exit when found;
    if not exists (select from auth.users u where u.id = auth.uid()) then
      return; -- who is in no workspace
    end if;
    insert into private.write_budgets (user_id) values (auth.uid()) on conflict do nothing;
  end loop;
  if b.minute = date_trunc('minute', clock_timestamp()) and b.minute_bytes >= most_a_minute then
    raise exception 'You have written % MB within a minute, which is the limit.', most_a_minute / 1000000
      using errcode = 'PT429', hint = 'Try again in a minute. Each row counts for at least 1,000 bytes.';
  elsif b.day = private.today() and b.day_bytes >= most_a_day then
    raise exception 'You have written % MB today, which is the limit.', most_a_day / 1000000
      using errcode = 'PT429', hint = 'Try again after 00:00 UTC. Each row counts for at least 1,000 bytes.';
  end if;
end $$;
-- +goose StatementEnd
grant execute on function private.require_budget() to authenticated;

-- +goose StatementBegin
create function private.spend_budget(bytes bigint) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  this_minute constant timestamptz := date_trunc('minute', clock_timestamp());
begin
  update private.write_budgets w set
    minute = this_minute,
    minute_bytes = bytes + case when w.minute = this_minute then w.minute_bytes else 0 end,
    day = private.today(),
    day_bytes = bytes + case when w.day = private.today() then w.day_bytes else 0 end
  where w.user_id = auth.uid();
end $$;
-- +goose StatementEnd
grant execute on function private.spend_budget(bigint) to authenticated;

-- +goose StatementBegin
create function private.begin_writing() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.require_budget();
  return null;
end $$;
-- +goose StatementEnd

-- Adds up the rows of a statement, in a setting of the transaction, and ends a statement that is too large.
-- +goose StatementBegin
create function private.add_written() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  most constant bigint := 20000000;
  written constant bigint := coalesce(nullif(current_setting('research.written', true), ''), '0')::bigint
    + greatest(1000, 500 + pg_column_size(new));
begin
  if written > most then
    raise exception 'A request may write % MB.', most / 1000000
      using errcode = 'PT413', hint = 'Write fewer rows at a time. Each counts for at least 1,000 bytes.';
  end if;
  perform set_config('research.written', written::text, true);
  return new;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.end_writing() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  written constant bigint := coalesce(nullif(current_setting('research.written', true), ''), '0')::bigint;
begin
  if written > 0 then -- an upsert has two such triggers
    perform private.spend_budget(written);
    perform set_config('research.written', '', true);
  end if;
  return null;
end $$;
-- +goose StatementEnd

-- What a function changes for a user, such as all speakers of a transcript: a row counts for its own size.
-- +goose StatementBegin
create function private.spend_updated() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.spend_budget((select coalesce(sum(pg_column_size(n)), 0) from new_rows n)::bigint);
  return null;
end $$;
-- +goose StatementEnd

-- Keeps the rows of a table within a limit for each workspace. Insertions are added up; only when their sum
-- exceeds the limit are the rows counted, so that deletions and what workers write cost nothing here.
-- +goose StatementBegin
create function private.limit_rows() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  most constant bigint := tg_argv[0];
  n record;
  counted bigint;
begin
  for n in
    select r.workspace_id, count(*) as added from new_rows r group by r.workspace_id order by r.workspace_id
  loop
    insert into private.row_counts as c (workspace_id, relation, rows)
    values (n.workspace_id, tg_table_name, n.added)
    on conflict on constraint row_counts_pkey do update set rows = c.rows + n.added
    returning c.rows into counted;
    if counted > most then
      execute format('select count(*) from (select from %s t where t.workspace_id = $1 limit $2) x',
        tg_relid::regclass)
      into counted using n.workspace_id, most + 1;
      if counted > most then
        raise exception 'A workspace may have % rows in %.', most, tg_table_name
          using errcode = 'PT413', hint = 'Delete what is no longer needed, or use another workspace.';
      end if;
      update private.row_counts c set rows = counted
      where c.workspace_id = n.workspace_id and c.relation = tg_table_name;
    end if;
  end loop;
  return null;
end $$;
-- +goose StatementEnd

reset role;

-- The tables that clients write, with their most rows in a workspace. Those without a number have no rows of
-- their own in a workspace, or clients do not insert into them.
-- +goose StatementBegin
do $$
declare
  t record;
begin
  for t in
    select * from (values
      ('profiles', null),
      ('workspaces', null),
      ('workspace_members', null),
      ('workspace_invitations', 1000),
      ('projects', 1000),
      ('personas', 10000),
      ('hypotheses', 10000),
      ('imports', null),
      ('participants', 50000),
      ('import_speakers', null),
      ('evidence', 1000000),
      ('evidence_hypotheses', 2000000),
      ('questions', 100000),
      ('webhook_endpoints', 1000),
      ('digest_preferences', null),
      ('finding_quotes', 100000),
      ('finding_shares', 10000),
      ('reports', 1000)
    ) tables (name, most)
  loop
    execute format(
      'create trigger t0_budget before insert or update on public.%1$I
       for each statement when (current_user = ''authenticated'') execute function private.begin_writing();
       create trigger t0_written before insert or update on public.%1$I
       for each row when (current_user = ''authenticated'') execute function private.add_written();
       create trigger t9_written after insert or update on public.%1$I
       for each statement when (current_user = ''authenticated'') execute function private.end_writing()',
      t.name);
    if t.most is not null then
      execute format(
        'create trigger t9_limit after insert on public.%I referencing new table as new_rows
         for each statement when (current_setting(''role'', true) = ''authenticated'')
         execute function private.limit_rows(%L)',
        t.name, t.most);
    end if;
  end loop;
end $$;
-- +goose StatementEnd

create trigger t0_function before update on public.import_speakers
for each statement
when (current_setting('role', true) = 'authenticated' and current_user <> 'authenticated')
execute function private.begin_writing();
create trigger t9_function after update on public.import_speakers referencing new table as new_rows
for each statement
when (current_setting('role', true) = 'authenticated' and current_user <> 'authenticated')
execute function private.spend_updated();
