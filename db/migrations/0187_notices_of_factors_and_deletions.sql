-- +goose Up
-- Users are told when a second factor was added or removed, when a recovery code was used, and when their
-- account was deleted. The log of sign-ins keeps no address of a deleted account.

alter table auth.notices
  alter column user_id drop not null,
  drop constraint notices_kind_check,
  add constraint notices_kind_check check (kind in (
    'password_changed', 'email_changed', 'factor_added', 'factor_removed', 'recovery_code_used', 'account_deleted'
  )) not valid;
comment on column auth.notices.user_id is 'Null if the account is deleted, which would delete the row.';

set local role service_role;

-- As before, and without the address in the log of sign-ins.
-- +goose StatementBegin
create or replace function private.mark_account_deleted(account uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  update auth.users u set
    deleted_at = coalesce(u.deleted_at, now()), updated_at = now(), email = null, phone = null, encrypted_password = null,
    raw_user_meta_data = null, raw_app_meta_data = null, email_change = null
  where u.id = account and not exists (select from private.deletions d where d.id = u.id);
  if not found then
    return false;
  end if;
  delete from public.workspace_members m where m.user_id = account;
  delete from public.digest_preferences p where p.user_id = account;
  delete from public.digest_deliveries d where d.user_id = account;
  delete from auth.sessions s where s.user_id = account;
  delete from auth.one_time_tokens t where t.user_id = account;
  delete from auth.identities i where i.user_id = account;
  update auth.audit_log_entries e set payload = e.payload - 'actor_username'
  where e.payload ->> 'actor_id' = account::text and e.payload ? 'actor_username';
  update public.profiles p set display_name = '', email = null where p.id = account;
  insert into private.deletions (id, kind) values (account, 'account');
  return true;
end $$;
-- +goose StatementEnd

reset role;
