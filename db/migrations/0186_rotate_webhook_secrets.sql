-- +goose Up
-- A new secret for an endpoint. The former one signs too for a day, so that a receiver misses nothing while it
-- changes over.

alter table private.webhook_secrets add column previous text;
alter table private.webhook_secrets add column previous_until timestamptz;
alter table private.webhook_secrets add constraint webhook_secrets_previous_check
check ((previous is null) = (previous_until is null)) not valid;
comment on column private.webhook_secrets.previous_until is 'Until when the former secret signs too.';

set local role service_role;

create function private.new_webhook_secret() returns text
language sql volatile
set search_path = ''
-- Two random uuids have 244 random bits. The specification asks for 192 at least.
return 'whsec_' || encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64');

-- Null means that the caller is not an admin of the endpoint's workspace.
-- +goose StatementBegin
create function private.rotate_webhook_secret(endpoint uuid) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  workspace uuid;
  made text;
begin
  select w.workspace_id into workspace
  from public.webhook_endpoints w
  where w.id = endpoint
    and (current_setting('role', true) = 'service_role' or w.workspace_id in (select private.my_workspaces('admin')));
  if not found then
    return null;
  end if;
  update private.webhook_secrets s set
    secret = private.new_webhook_secret(), previous = s.secret, previous_until = now() + interval '1 day'
  where s.endpoint_id = endpoint
  returning s.secret into made;
  perform private.write_audit(workspace, 'webhook_secret_rotated', 'webhook_endpoint', endpoint);
  return made;
end $$;
-- +goose StatementEnd

reset role;

-- +goose StatementBegin
create or replace function private.make_webhook_secret() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.secret := private.new_webhook_secret();
  return new;
end $$;
-- +goose StatementEnd

grant execute on function private.new_webhook_secret() to authenticated, service_role;
grant execute on function private.rotate_webhook_secret(uuid) to authenticated, service_role;

create function public.rotate_webhook_secret(endpoint uuid) returns text
language sql volatile return private.rotate_webhook_secret(endpoint);
comment on function public.rotate_webhook_secret is
  'Gives an endpoint a new secret and returns it, once. For a day, events are signed with the former one too. '
  'For owners and admins; null for others.';
grant execute on function public.rotate_webhook_secret(uuid) to authenticated, service_role;
