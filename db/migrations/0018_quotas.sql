-- +goose Up
-- Quotas: what a workspace may store and use, and what all workspaces together may that one account created.
-- An account may create a hundred workspaces, and without the second bound it would have a hundred quotas.
-- Whoever uploads to a workspace uses the quotas of the account that created it.
--
-- `serve` writes the quotas to private.settings. One that is 0 or not set is no limit.

-- What was used on a day, by a workspace or by the workspaces of an account. Nothing that is deleted makes a
-- day's use smaller, so the rows have no foreign keys: a new workspace in place of a deleted one is no new
-- quota for its creator.
create table private.daily_usage (
  subject uuid not null,
  day date not null,
  uploads integer not null default 0,
  constraint daily_usage_pkey primary key (day, subject)
);
comment on table private.daily_usage is 'What was used on a day, in UTC.';
comment on column private.daily_usage.subject is
  'A workspace, or the account that created the workspaces that were used.';
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
-- their words with indexes. Measured with 10 MB of long turns, 60,000 short turns and 60,000 voices, it is
-- within a fifth of the growth of the tables; for one turn of 10 MB it is twice as much.
create function private.transcript_bytes(body bigint, utterances bigint, speakers bigint) returns bigint
language sql immutable
return 4096 + 6 * body + 350 * utterances + 200 * speakers;

create function private.stored_bytes(workspace uuid) returns bigint
language sql stable security definer
set search_path = ''
as $$
  select coalesce(sum(i.stored_bytes), 0)::bigint from public.imports i where i.workspace_id = workspace
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
