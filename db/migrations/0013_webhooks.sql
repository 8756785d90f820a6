-- +goose Up
-- Webhooks: events that are sent to the addresses that admins of a workspace register, signed by the Standard
-- Webhooks specification. A delivery is made for one endpoint at a time, by the worker that sends to it, and
-- only as long as few are waiting: what an endpoint has not been given yet stays in private.events. So the
-- endpoints of a workspace delay neither its events nor what is sent to others.

create table public.webhook_endpoints (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null
    constraint webhook_endpoints_workspace_id_fkey references public.workspaces (id),
  url text not null constraint webhook_endpoints_url_check
    check (
      length(url) <= 2000
      and url ~ replace('^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@ ]+([/?#][^ ]*)?$', ' ', private.white_space())
    ),
  events text[] not null default '{*}' constraint webhook_endpoints_events_check check (
    cardinality(events) between 1 and 50 and array_to_string(events, ',', '') ~
    '^(\*|(import|evidence|project|persona|hypothesis|question|answer|theme|theme_run|comment|report|member)'
    '\.(\*|[a-z_]{1,40}))'
    '(,(\*|(import|evidence|project|persona|hypothesis|question|answer|theme|theme_run|comment|report|member)'
    '\.(\*|[a-z_]{1,40})))*$'
  ),
  active boolean not null default true,
  verified_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  ended_at timestamptz,
  secret text,
  created_by uuid
    constraint webhook_endpoints_created_by_fkey references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_endpoints_pkey primary key (id)
);
create index webhook_endpoints_workspace_id_idx on public.webhook_endpoints (workspace_id);
create index webhook_endpoints_created_by_idx on public.webhook_endpoints (created_by);
comment on table public.webhook_endpoints is
  'Addresses to which events of the workspace are sent. For its owners and admins.';
comment on column public.webhook_endpoints.url is
  'Where to POST events. By https, unless the operator allows the host.';
comment on column public.webhook_endpoints.events is
  'Types of events, such as import.parsed; import.* are all of imports, and * is every event.';
comment on column public.webhook_endpoints.active is
  'Whether events are sent. The service ends it when an endpoint has failed for a day.';
comment on column public.webhook_endpoints.verified_at is
  'When the address accepted the test event. Before that, no other event is sent. Another address has to '
  'accept it again.';
comment on column public.webhook_endpoints.disabled_at is
  'When the service made the endpoint inactive; null if it did not.';
comment on column public.webhook_endpoints.disabled_reason is
  'Why the service made the endpoint inactive; null if it did not.';
comment on column public.webhook_endpoints.ended_at is
  'When it became inactive because created_by may no longer register webhooks; null otherwise.';
comment on column public.webhook_endpoints.secret is
  'The key of signatures. Only in the answer to the insert, and null afterwards.';
comment on column public.webhook_endpoints.created_by is
  'Who registered it, or last changed what it sends and where. Filled by the database.';

alter table public.webhook_endpoints enable row level security;
alter table public.webhook_endpoints force row level security;
create policy service on public.webhook_endpoints to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy admins on public.webhook_endpoints to authenticated
using (workspace_id = any (array(select private.my_workspaces('admin'))))
with check (workspace_id = any (array(select private.my_workspaces('admin'))));
grant select, insert, update, delete on public.webhook_endpoints to service_role;
grant select, delete, insert (id, workspace_id, url, events, active), update (url, events, active)
on public.webhook_endpoints to authenticated;

-- Deliveries are many, so they do not go with the row of the workspace, but are removed in batches.
create table public.webhook_deliveries (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null
    constraint webhook_deliveries_workspace_id_fkey references public.workspaces (id),
  endpoint_id uuid not null
    constraint webhook_deliveries_endpoint_id_fkey references public.webhook_endpoints (id) on delete cascade,
  event_id uuid not null,
  type text not null,
  status text not null default 'pending'
    constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  response_status integer,
  response_excerpt text,
  error text,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  payload jsonb not null,
  queue uuid not null,
  seq bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_deliveries_pkey primary key (id),
  constraint webhook_deliveries_event_key unique (endpoint_id, event_id)
);
create index webhook_deliveries_workspace_id_idx on public.webhook_deliveries (workspace_id, created_at);
create index webhook_deliveries_pending_idx on public.webhook_deliveries (endpoint_id, queue, seq)
where status = 'pending';
create index webhook_deliveries_endpoint_id_idx on public.webhook_deliveries (endpoint_id, seq);
create index webhook_deliveries_created_at_idx on public.webhook_deliveries (created_at);
comment on table public.webhook_deliveries is
  'The outcome of each event for an endpoint, for 30 days, and of its latest 10,000 events at most. For '
  'owners and admins; read only.';
comment on column public.webhook_deliveries.endpoint_id is 'The endpoint.';
comment on column public.webhook_deliveries.event_id is
  'The id of the event, which the receiver sees as webhook-id, the same in every attempt.';
comment on column public.webhook_deliveries.type is 'The type of the event.';
comment on column public.webhook_deliveries.status is
  'pending, delivered (a status from 200 to 299), or failed (given up after a day).';
comment on column public.webhook_deliveries.attempts is 'How often it was sent.';
comment on column public.webhook_deliveries.response_status is
  'The status of the latest answer; null if there was none.';
comment on column public.webhook_deliveries.response_excerpt is 'The beginning of the latest answer.';
comment on column public.webhook_deliveries.error is 'Why the latest attempt got no answer.';
comment on column public.webhook_deliveries.next_attempt_at is
  'When the next attempt is due; null before the first and after the last.';
comment on column public.webhook_deliveries.delivered_at is 'When the endpoint accepted it.';
comment on column public.webhook_deliveries.payload is 'The body that is sent.';
comment on column public.webhook_deliveries.queue is
  'Deliveries of one queue are sent in order: the id of the import or the workspace, or for the test event '
  'that of the endpoint.';
comment on column public.webhook_deliveries.seq is 'The order within the queue.';

alter table public.webhook_deliveries enable row level security;
alter table public.webhook_deliveries force row level security;
create policy service on public.webhook_deliveries to service_role
using (workspace_id not in (select d.id from private.deletions d where private.hides_marked()))
with check (workspace_id not in (select d.id from private.deletions d where private.hides_marked()));
create policy see on public.webhook_deliveries for select to authenticated
using (workspace_id = any (array(select private.my_workspaces('admin'))));
grant select, insert, update, delete on public.webhook_deliveries to service_role;
grant select on public.webhook_deliveries to authenticated;

-- The keys sign what we send, so they have to be readable, unlike a password. Clients cannot read them.
create table private.webhook_secrets (
  endpoint_id uuid not null
    constraint webhook_secrets_endpoint_id_fkey references public.webhook_endpoints (id) on delete cascade,
  secret text not null,
  previous text,
  previous_until timestamptz,
  constraint webhook_secrets_pkey primary key (endpoint_id),
  constraint webhook_secrets_previous_check check ((previous is null) = (previous_until is null))
);
comment on column private.webhook_secrets.previous_until is 'Until when the former secret signs too.';
grant select, insert, update, delete on private.webhook_secrets to service_role;

-- How far each endpoint is. The row of an endpoint is locked before its queues and deliveries are.
create table private.webhook_cursors (
  endpoint_id uuid not null
    constraint webhook_cursors_endpoint_id_fkey references public.webhook_endpoints (id) on delete cascade,
  workspace_id uuid not null,
  seq bigint not null,
  due_at timestamptz not null default now(),
  failing_since timestamptz,
  constraint webhook_cursors_pkey primary key (endpoint_id)
);
create index webhook_cursors_due_at_idx on private.webhook_cursors (due_at);
comment on column private.webhook_cursors.seq is
  'The number of the last event that the endpoint was given, as far as it wants it.';
comment on column private.webhook_cursors.due_at is
  'When a worker has to look at the endpoint: no later than one of its queues is due.';
comment on column private.webhook_cursors.failing_since is
  'The first attempt that failed since the last one that was accepted.';
grant select, insert, update, delete on private.webhook_cursors to service_role;

-- One row. Its lock is the right to route.
create table private.webhook_head (seq bigint not null);
comment on column private.webhook_head.seq is 'The last event whose endpoints were made due.';
insert into private.webhook_head (seq) values (0);
grant select, update on private.webhook_head to service_role;

-- A row for each queue of an endpoint with pending deliveries.
create table private.webhook_queues (
  endpoint_id uuid not null
    constraint webhook_queues_endpoint_id_fkey references public.webhook_endpoints (id) on delete cascade,
  queue uuid not null,
  due_at timestamptz not null default now(),
  constraint webhook_queues_pkey primary key (endpoint_id, queue)
);
create index webhook_queues_due_at_idx on private.webhook_queues (endpoint_id, due_at);
comment on column private.webhook_queues.due_at is
  'When the first delivery may be sent. A sender moves it ahead before it sends, so that no other sends it '
  'too.';
grant select, insert, update, delete on private.webhook_queues to service_role;

-- Secrets ---------------------------------------------------------------------------------------------------

set local role service_role;

create function private.new_webhook_secret() returns text
language sql volatile
set search_path = ''
-- Two random uuids have 244 random bits. The specification asks for 192 at least.
return 'whsec_' || encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64');
grant execute on function private.new_webhook_secret() to authenticated;

-- +goose StatementBegin
create function private.hide_webhook_secret() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.webhook_secrets (endpoint_id, secret) values (new.id, new.secret);
  update public.webhook_endpoints set secret = null where id = new.id;
  return null;
end $$;
-- +goose StatementEnd

-- Queues a test event of an endpoint, in place of one that is pending, and returns the id of the delivery.
-- +goose StatementBegin
create function private.queue_test_event(endpoint uuid, workspace uuid) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  event constant uuid := gen_random_uuid();
  delivery uuid;
begin
  -- Whoever is just sending the former test finds it gone, and proves nothing.
  delete from public.webhook_deliveries d
  where d.endpoint_id = endpoint and d.type = 'webhook.test' and d.status = 'pending';
  insert into public.webhook_deliveries (workspace_id, endpoint_id, event_id, type, payload, queue, seq)
  values (workspace, endpoint, event, 'webhook.test', jsonb_build_object(
    'id', event, 'type', 'webhook.test',
    'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'data', jsonb_build_object('workspaceId', workspace, 'entityId', endpoint)), endpoint, 0)
  returning id into delivery;
  insert into private.webhook_queues as q (endpoint_id, queue) values (endpoint, endpoint)
  on conflict (endpoint_id, queue) do update set due_at = now();
  return delivery;
end $$;
-- +goose StatementEnd

-- An endpoint begins with the next event: when it is registered, and when it is made active again. Until its
-- address has accepted a test event, it gets no other.
-- +goose StatementBegin
create function private.begin_webhook() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.webhook_cursors as c (endpoint_id, workspace_id, seq)
  select new.id, new.workspace_id, h.seq from private.event_head h
  on conflict (endpoint_id) do update set
    seq = case when old.active then c.seq else excluded.seq end, due_at = now(), failing_since = null;
  if tg_op = 'UPDATE' and not old.active then
    update private.webhook_queues q set due_at = now() where q.endpoint_id = new.id and q.due_at > now();
    update public.webhook_deliveries d set attempts = 0 where d.endpoint_id = new.id and d.status = 'pending';
  end if;
  if not new.active or new.verified_at is not null then
    return null;
  end if;
  perform private.queue_test_event(new.id, new.workspace_id);
  return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.most_webhooks() returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((select s.value from private.settings s where s.name = 'webhook_endpoints')::integer, 10);
end $$;
-- +goose StatementEnd

-- What sends a test event to an address is limited within an hour: each is a request to any address. The lock
-- makes concurrent statements of a workspace count each other.
-- +goose StatementBegin
create function private.limit_test_events(workspace uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  begun bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('webhooks of ' || workspace::text, 0));
  select count(*) into begun
  from private.audit_records r
  where r.workspace_id = workspace
    and r.occurred_at > now() - interval '1 hour'
    and r.action in ('webhook_added', 'webhook_changed', 'webhook_tested');
  if begun >= 5 * private.most_webhooks() then
    raise exception
      'Webhook endpoints of the workspace were added, changed or tested % times within an hour. '
      'Try again later.', begun using errcode = 'PT429';
  end if;
end $$;
-- +goose StatementEnd

-- A workspace has a limited number of endpoints.
-- +goose StatementBegin
create function private.limit_webhooks() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  most constant integer := private.most_webhooks();
begin
  perform private.limit_test_events(new.workspace_id);
  if tg_op = 'INSERT' and most <= (
    select count(*) from public.webhook_endpoints w where w.workspace_id = new.workspace_id
  ) then
    raise exception 'The workspace has % webhook endpoints, which is the limit.', most
      using errcode = 'PT429', hint = 'Delete an endpoint first, or change the address of one.';
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- Sends a test event to an endpoint. Null means that the caller is not an admin of the endpoint's workspace,
-- or that the endpoint is inactive. The row is locked first, as an update of it does.
-- +goose StatementBegin
create function private.send_test_event(endpoint uuid) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  service constant boolean := current_setting('role', true) = 'service_role';
  workspace uuid;
begin
  select w.workspace_id into workspace
  from public.webhook_endpoints w
  where w.id = endpoint and w.active
    and (service or w.workspace_id in (select private.my_workspaces('admin')))
  for no key update;
  if not found then
    return null;
  end if;
  if not service then
    perform private.limit_test_events(workspace);
  end if;
  update private.webhook_cursors c set due_at = now() where c.endpoint_id = endpoint;
  perform private.write_audit(workspace, 'webhook_tested', 'webhook_endpoint', endpoint);
  return private.queue_test_event(endpoint, workspace);
end $$;
-- +goose StatementEnd
grant execute on function private.send_test_event(uuid) to authenticated;

-- Checks ----------------------------------------------------------------------------------------------------

-- Whether an address belongs to the public internet. Senders ask the same of what a name resolves to.
create function private.is_public_address(address inet) returns boolean
language sql immutable
set search_path = ''
return not case
  when address <<= '::ffff:0.0.0.0/96'::inet then substring(host(address) from '[0-9.]+$')::inet
  else address
end <<= any (array[
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12',
  '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24',
  '203.0.113.0/24', '224.0.0.0/3',
  '::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16',
  '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'
]::inet[]);

-- Why an address cannot be that of a receiver; null if it can be. What a name resolves to is seen when
-- something is sent.
-- +goose StatementBegin
create function private.webhook_url_problem(url text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  address constant text := private.fold(url);
  authority constant text := substring(address from '^https?://([^/?#]+)');
  host text := substring(authority from '^(\[[0-9a-f:.]+\]|[^]:[@\\%<>"^`{|}]+)(?::[0-9]{0,5})?$');
  port constant integer := nullif(substring(authority from ':([0-9]{1,5})$'), '');
  allowed constant text[] := string_to_array(
    (select s.value from private.settings s where s.name = 'webhook_allowed_hosts'), ','
  );
  literal inet;
begin
  if length(url) > 2000 or url ~ replace('[ \u0001-\u001f\u007f]', ' ', private.white_space()) then
    return 'The url has white space or more than 2,000 characters.';
  elsif address ~ '%(?![0-9a-f]{2})' then
    return 'The url has a % without two hexadecimal digits: write %25 for the sign itself.';
  elsif authority is null then
    return 'The url must be an address such as https://example.com/research.';
  elsif position('@' in authority) > 0 then
    return 'The url must not contain a user or password: receivers verify the signature instead.';
  elsif host is null or port not between 1 and 65535 then
    return 'The url has no valid host and port.';
  end if;
  host := btrim(host, '[]');
  if allowed && array[host, authority] then
    return null;
  elsif address !~ '^https:' then
    return 'The url must begin with https://, unless the operator allows the host in WEBHOOK_ALLOWED_HOSTS.';
  end if;
  host := rtrim(host, '.');
  -- As in browsers, a name whose last part is a number is an address. The name of no public host ends so.
  if position(':' in host) > 0 or host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    begin
      literal := host::inet;
    exception when others then
      literal := null;
    end;
    if literal is null or host !~ '^([0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|[0-9a-f:.]*:[0-9a-f:.]*)$' then
      return 'The host of the url is not a valid IP address.';
    end if;
  end if;
  if host ~ '(^|\.)localhost$' or not private.is_public_address(literal) then
    return 'The host of the url is a private address: use a public one, or let the operator allow it in '
      'WEBHOOK_ALLOWED_HOSTS.';
  end if;
  return null;
end $$;
-- +goose StatementEnd

create function private.event_types() returns setof text
language sql immutable
set search_path = ''
return unnest(array[
  'import.created', 'import.queued', 'import.parsing', 'import.parsed', 'import.failed', 'import.canceled',
  'import.terminated', 'import.timed_out', 'import.uploaded', 'import.progress', 'import.deleted',
  'import.restored',
  'evidence.created', 'evidence.accepted', 'evidence.rejected', 'evidence.suggested',
  'evidence.stance_changed', 'evidence.updated', 'evidence.deleted',
  'project.created', 'project.updated', 'project.status_changed', 'project.deleted',
  'persona.created', 'persona.updated', 'persona.status_changed', 'persona.deleted',
  'hypothesis.created', 'hypothesis.updated', 'hypothesis.status_changed', 'hypothesis.confirmed',
  'hypothesis.deleted',
  'question.created', 'question.updated', 'question.status_changed', 'question.deleted',
  'answer.asked', 'answer.progress', 'answer.sentence', 'answer.finished', 'answer.failed',
  'answer.canceled', 'answer.deleted',
  'theme.created', 'theme.updated', 'theme.status_changed', 'theme.deleted', 'theme.changed',
  'theme_run.progress', 'theme_run.done', 'theme_run.failed', 'theme_run.canceled',
  'comment.created', 'comment.mentioned', 'comment.deleted',
  'report.created', 'report.updated', 'report.deleted',
  'member.created', 'member.role_changed', 'member.deleted'
]);

-- The type of event that is written most like another text, by the pairs of letters that they share.
create function private.nearest_event_type(written text) returns text
language sql immutable
set search_path = ''
return (
  select t
  from private.event_types() t
  order by (
    select count(*)
    from generate_series(1, length(written) - 1) i
    where position(substr(private.fold(written), i, 2) in t) > 0
  )::float8 / (length(written) + length(t)) desc, t
  limit 1
);

-- +goose StatementBegin
create function private.check_webhook_endpoint() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  problem text;
  unknown text;
begin
  if tg_op = 'INSERT' or new.url <> old.url then
    problem := private.webhook_url_problem(new.url);
    if problem is not null then
      raise exception '%', problem using errcode = 'check_violation',
        schema = tg_table_schema, table = tg_table_name, constraint = 'webhook_endpoints_url_check';
    end if;
  end if;
  if tg_op = 'UPDATE' and new.events = old.events then
    return new;
  end if;
  if cardinality(new.events) not between 1 and 50 or array_position(new.events, null) is not null then
    raise exception 'events must have 1 to 50 types of events: write * for every event.'
      using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name,
        constraint = 'webhook_endpoints_events_check';
  end if;
  select left(e, 60) into unknown
  from unnest(new.events) with ordinality n (e, place)
  where e <> '*' and e not in (
    select t from private.event_types() t
    union all
    select split_part(t, '.', 1) || '.*' from private.event_types() t
  )
  order by place
  limit 1;
  if found then
    raise exception 'events has "%", which is no type of event: did you mean %?',
      unknown, private.nearest_event_type(unknown)
      using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name,
        constraint = 'webhook_endpoints_events_check',
        hint = (
          select 'The types are ' || string_agg(t, ', ')
            || '; import.* are all of imports, and * is every event.'
          from private.event_types() t
        );
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- A new secret for an endpoint. The former one signs too for a day, so that a receiver misses nothing while
-- it changes over. Null means that the caller is not an admin of the endpoint's workspace.
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
    and (
      current_setting('role', true) = 'service_role'
      or w.workspace_id in (select private.my_workspaces('admin'))
    );
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
grant execute on function private.rotate_webhook_secret(uuid) to authenticated;

reset role;

-- Clients cannot choose the secret. The row keeps it until the end of the statement, whose answer has it.
-- +goose StatementBegin
create function private.make_webhook_secret() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.secret := private.new_webhook_secret();
  return new;
end $$;
-- +goose StatementEnd

create function public.rotate_webhook_secret(endpoint uuid) returns text
language sql volatile return private.rotate_webhook_secret(endpoint);
comment on function public.rotate_webhook_secret is
  'Gives an endpoint a new secret and returns it, once. For a day, events are signed with the former one '
  'too. For owners and admins; null for others.';
grant execute on function public.rotate_webhook_secret(uuid) to authenticated, service_role;

create function public.send_test_event(endpoint uuid) returns uuid
language sql volatile return private.send_test_event(endpoint);
comment on function public.send_test_event is
  'Sends an event webhook.test to an active endpoint, and returns the id of the row in webhook_deliveries. '
  'For owners and admins; null for others.';
grant execute on function public.send_test_event(uuid) to authenticated, service_role;

-- Deliveries ------------------------------------------------------------------------------------------------

set local role service_role;

create function private.matches_events(types text[], type text) returns boolean
language sql immutable
set search_path = ''
as $$ select types && array['*', type, split_part(type, '.', 1) || '.*'] $$;

-- Makes the endpoints due that want one of the next events, at most most of them, and returns the number of
-- these events. Another transaction that does so at the same time keeps this one from it, and it returns 0.
-- +goose StatementBegin
create function private.route_webhooks(most integer) returns bigint
language plpgsql security definer
set search_path = ''
set enable_seqscan = off -- plans do not depend on when the events were last analyzed
as $$
declare
  routed constant bigint := (select h.seq from private.webhook_head h for update skip locked);
  head constant bigint := (select h.seq from private.event_head h);
  last bigint;
  events bigint;
begin
  if routed is null or routed >= head then
    return 0;
  end if;
  select count(*), max(n.seq) into events, last
  from (select e.seq from private.events e where e.seq > routed order by e.seq limit most) n;
  update private.webhook_cursors c set due_at = now()
  from (
    select distinct e.workspace_id, e.type from private.events e where e.seq > routed and e.seq <= last
  ) n
  join public.webhook_endpoints w on w.workspace_id = n.workspace_id
    and w.active and w.verified_at is not null and private.matches_events(w.events, n.type)
  where c.endpoint_id = w.id and c.due_at > now();
  -- Without later events, those up to the head were deleted with their project or workspace.
  update private.webhook_head set seq = case when events < most then greatest(head, last) else last end;
  return events;
end $$;
-- +goose StatementEnd

-- Makes deliveries of the next events of an endpoint: out of at most most events, and none while most_pending
-- deliveries are pending. Returns whether there may be something to send now. An endpoint gets the events
-- that happened after its registration: events are published up to half a second after they happen. Finished
-- deliveries beyond the latest 10,000 are deleted, so that no endpoint fills the disk.
-- +goose StatementBegin
create function private.feed_webhook(endpoint uuid, most integer, most_pending integer) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  w public.webhook_endpoints;
  c private.webhook_cursors;
  kept constant integer := 10000;
  read integer := 0;
  last bigint;
  added boolean := false;
begin
  select * into w from public.webhook_endpoints x where x.id = endpoint for key share;
  select * into c from private.webhook_cursors x where x.endpoint_id = endpoint for update;
  if c.endpoint_id is null then
    return false;
  end if;
  if not w.active then
    update private.webhook_cursors x set due_at = 'infinity' where x.endpoint_id = endpoint;
    return false;
  end if;
  if w.verified_at is not null and most_pending > (
    select count(*) from (
      select from public.webhook_deliveries d
      where d.endpoint_id = endpoint and d.status = 'pending'
      limit most_pending
    ) p
  ) then
    select count(*), max(n.seq) into read, last
    from (
      select e.seq from private.events e
      where e.workspace_id = c.workspace_id and e.seq > c.seq
      order by e.seq
      limit most
    ) n;
    with made as (
      insert into public.webhook_deliveries (workspace_id, endpoint_id, event_id, type, payload, queue, seq)
      select e.workspace_id, w.id, e.event_id, e.type, private.event_body(e),
        coalesce(e.import_id, e.workspace_id), e.seq
      from private.events e
      where e.workspace_id = c.workspace_id and e.seq > c.seq and e.seq <= last
        and e.occurred_at >= w.created_at and private.matches_events(w.events, e.type)
      on conflict (endpoint_id, event_id) do nothing
      returning queue
    )
    insert into private.webhook_queues as q (endpoint_id, queue)
    select distinct w.id, m.queue from made m
    -- It waits for a sender that is just deleting the row, which "do nothing" would not.
    on conflict (endpoint_id, queue) do update set due_at = q.due_at;
    added := found;
  end if;
  if added then
    delete from public.webhook_deliveries d
    where d.id in (
      select o.id
      from public.webhook_deliveries o
      where o.endpoint_id = endpoint and o.status <> 'pending' and o.seq < (
        select n.seq from public.webhook_deliveries n
        where n.endpoint_id = endpoint
        order by n.seq desc
        offset kept - 1
        limit 1
      )
      order by o.seq
      limit 2 * most -- more than were added
    );
  end if;
  update private.webhook_cursors x set
    seq = coalesce(last, c.seq),
    due_at = case
      when read = most then now()
      else coalesce(
        (
          select min(q.due_at) from private.webhook_queues q
          where q.endpoint_id = w.id and (w.verified_at is not null or q.queue = w.id)
        ),
        'infinity'
      )
    end
  where x.endpoint_id = endpoint;
  return added or read = most;
end $$;
-- +goose StatementEnd

-- Takes the first delivery of a queue that is due, of one endpoint, and keeps other senders from that queue
-- for the time of the lease. No row means that nothing is due.
-- +goose StatementBegin
create function private.claim_webhook(endpoint uuid, lease_seconds double precision)
returns table (id uuid, event_id uuid, attempts integer, body text, url text, secret text)
language plpgsql security definer
set search_path = ''
as $$
declare
  due uuid;
  first uuid;
begin
  loop
    select q.queue into due
    from private.webhook_queues q
    join public.webhook_endpoints w on w.id = q.endpoint_id and w.active
    where q.endpoint_id = endpoint and q.due_at <= now()
      and (w.verified_at is not null or q.queue = endpoint) -- only the test event
    order by q.due_at
    limit 1
    for update of q skip locked;
    if not found then
      return;
    end if;
    select d.id into first
    from public.webhook_deliveries d
    where d.endpoint_id = endpoint and d.queue = due and d.status = 'pending'
    order by d.seq
    limit 1;
    if found then
      update private.webhook_queues q set due_at = now() + make_interval(secs => lease_seconds)
      where q.endpoint_id = endpoint and q.queue = due;
      return query
        update public.webhook_deliveries d set attempts = d.attempts + 1, next_attempt_at = null
        from public.webhook_endpoints w
        join private.webhook_secrets s on s.endpoint_id = w.id
        where d.id = first and w.id = endpoint
        returning d.id, d.event_id, d.attempts, d.payload::text, w.url, s.secret;
      return;
    end if;
    delete from private.webhook_queues q where q.endpoint_id = endpoint and q.queue = due;
  end loop;
end $$;
-- +goose StatementEnd

-- Pauses an endpoint. The owners and admins of its workspace are told by mail, once a day at most.
-- +goose StatementBegin
create function private.pause_webhook(endpoint uuid, reason text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  workspace uuid;
begin
  update public.webhook_endpoints w set active = false, disabled_at = now(), disabled_reason = reason
  where w.id = endpoint and w.active
  returning w.workspace_id into workspace;
  if not found then
    return;
  end if;
  insert into auth.notices (user_id, kind, recipient)
  select u.id, 'webhook_paused', u.email
  from public.workspace_members m
  join auth.users u on u.id = m.user_id
  where m.workspace_id = workspace and m.role >= 'admin' and u.email_confirmed_at is not null
    and not exists (
      select from private.audit_records r
      where r.workspace_id = workspace
        and r.action = 'webhook_disabled'
        and r.detail ? 'reason' -- another one was paused, and not ended with who registered it
        and r.occurred_at > now() - interval '1 day'
    );
  perform private.write_audit(workspace, 'webhook_disabled', 'webhook_endpoint', endpoint,
    jsonb_build_object('reason', reason));
end $$;
-- +goose StatementEnd

-- Pauses the endpoints that were not given an event they want, of those up to last, which are about to be
-- deleted.
-- +goose StatementBegin
create function private.pause_late_webhooks(last bigint) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.pause_webhook(late.id, 'It was so far behind that events were no longer kept for it.')
  from (
    select distinct w.id
    from private.events e
    join public.webhook_endpoints w on w.workspace_id = e.workspace_id
      and w.active and w.verified_at is not null
      and w.created_at <= e.occurred_at and private.matches_events(w.events, e.type)
    join private.webhook_cursors c on c.endpoint_id = w.id and c.seq < e.seq
    where e.seq <= last
  ) late;
end $$;
-- +goose StatementEnd

-- Records an attempt. A delivery that fails is due again after retry_seconds, and the later ones of its queue
-- wait; null gives it up. An endpoint is paused if it is gone, or if nothing was accepted for a day after an
-- attempt that failed.
-- +goose StatementBegin
create function private.record_webhook(
  delivery uuid, accepted boolean, answer_status integer, excerpt text, problem text,
  retry_seconds double precision, gone boolean
) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.webhook_deliveries;
  since timestamptz;
begin
  select * into d from public.webhook_deliveries w where w.id = delivery;
  perform from public.webhook_endpoints w where w.id = d.endpoint_id for key share;
  update private.webhook_cursors c set failing_since = case when not accepted then now() end
  where c.endpoint_id = d.endpoint_id and accepted <> (c.failing_since is null);
  select c.failing_since into since from private.webhook_cursors c where c.endpoint_id = d.endpoint_id;
  update private.webhook_queues q set due_at = now() + make_interval(secs => coalesce(retry_seconds, 0))
  where q.endpoint_id = d.endpoint_id and q.queue = d.queue;
  update public.webhook_deliveries w set
    status = case when accepted then 'delivered' when retry_seconds is null then 'failed' else 'pending' end,
    response_status = answer_status,
    response_excerpt = excerpt,
    error = problem,
    next_attempt_at = now() + make_interval(secs => retry_seconds),
    delivered_at = case when accepted then now() end
  where w.id = delivery;
  if not found then
    return; -- it was removed meanwhile
  end if;
  if accepted and d.type = 'webhook.test' then
    update public.webhook_endpoints w set verified_at = now()
    where w.id = d.endpoint_id and w.verified_at is null;
    update private.webhook_cursors c set due_at = now() where c.endpoint_id = d.endpoint_id and found;
  elsif gone then
    perform private.pause_webhook(d.endpoint_id, 'It answered that it is gone (410).');
  elsif since <= now() - interval '1 day' then
    perform private.pause_webhook(d.endpoint_id, case d.type
      when 'webhook.test' then 'It did not accept the test event for a day.'
      else 'It accepted nothing for a day.' end);
  end if;
end $$;
-- +goose StatementEnd

-- Puts a delivery that is not pending at the beginning of its queue again, under the same id.
-- +goose StatementBegin
create function private.redeliver_webhook(delivery uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.webhook_deliveries;
begin
  select * into d
  from public.webhook_deliveries x
  where x.id = delivery and x.status <> 'pending'
    and x.workspace_id in (
      select private.my_workspaces('admin')
      union all
      select w.id from public.workspaces w where current_setting('role', true) = 'service_role');
  if not found then
    return false;
  end if;
  update private.webhook_cursors set due_at = now() where endpoint_id = d.endpoint_id;
  insert into private.webhook_queues as q (endpoint_id, queue) values (d.endpoint_id, d.queue)
  on conflict (endpoint_id, queue) do update set due_at = q.due_at;
  update public.webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now()
  where id = delivery and status <> 'pending';
  return found;
end $$;
-- +goose StatementEnd
grant execute on function private.redeliver_webhook(uuid) to authenticated;

-- +goose StatementBegin
create function private.audit_webhook() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  w public.webhook_endpoints := case when tg_op = 'DELETE' then old else new end;
begin
  perform private.write_audit(w.workspace_id, case tg_op
    when 'INSERT' then 'webhook_added' when 'DELETE' then 'webhook_removed' else 'webhook_changed' end,
    'webhook_endpoint', w.id);
  return null;
end $$;
-- +goose StatementEnd

reset role;

create function public.redeliver_webhook(delivery uuid) returns boolean
language sql volatile return private.redeliver_webhook(delivery);
comment on function public.redeliver_webhook is
  'Sends a delivery again that was delivered or failed, with the same webhook-id. For owners and admins; '
  'false for others, and where it is pending.';
grant execute on function public.redeliver_webhook(uuid) to authenticated, service_role;

-- An endpoint that is made active again starts without the reason why it was not. Another address has to
-- prove that it wants events.
-- +goose StatementBegin
create function private.revive_webhook_endpoint() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.active and not old.active then
    new.disabled_at := null;
    new.disabled_reason := null;
  end if;
  if new.url <> old.url then
    new.verified_at := null;
  end if;
  return new;
end $$;
-- +goose StatementEnd

create trigger t0_needs_workspace before insert on public.webhook_endpoints
for each row when (new.workspace_id is null) execute function private.refuse_null('workspace_id');
create trigger t0_stamp before insert or update on public.webhook_endpoints
for each row execute function private.stamp();
create trigger t1_creator before insert or update on public.webhook_endpoints
for each row execute function private.stamp_creator();
create trigger t1_known before insert or update of url, events on public.webhook_endpoints
for each row execute function private.check_webhook_endpoint();
create trigger t2_secret before insert on public.webhook_endpoints
for each row execute function private.make_webhook_secret();
create trigger t3_revive before update on public.webhook_endpoints
for each row when (new.url <> old.url or (new.active and not old.active))
execute function private.revive_webhook_endpoint();
-- Statements of service_role have no limit.
create trigger t4_limit before insert on public.webhook_endpoints
for each row when (current_user = 'authenticated') execute function private.limit_webhooks();
create trigger t4_limit_changes before update on public.webhook_endpoints
for each row when (
  current_user = 'authenticated' and (new.url <> old.url or (new.active and not old.active))
)
execute function private.limit_webhooks();
create trigger t9_audit after insert or delete on public.webhook_endpoints
for each row execute function private.audit_webhook();
create trigger t9_audit_changes after update on public.webhook_endpoints
for each row when (new.url <> old.url or (new.active and not old.active))
execute function private.audit_webhook();
create trigger t9_begin after insert on public.webhook_endpoints
for each row execute function private.begin_webhook();
create trigger t9_begin_again after update on public.webhook_endpoints
for each row when (new.url <> old.url or (new.active and not old.active))
execute function private.begin_webhook();
create trigger t9_secret after insert on public.webhook_endpoints
for each row execute function private.hide_webhook_secret();
create trigger t0_stamp before insert or update on public.webhook_deliveries
for each row execute function private.stamp();

-- Sensitive changes -----------------------------------------------------------------------------------------

-- A webhook sends the data of a workspace to an address, and its secret signs them.
create trigger t0_recent_sign_in before insert on public.webhook_endpoints
for each row execute function private.require_recent_sign_in();
create trigger t0_recent_sign_in_url before update on public.webhook_endpoints
for each row when (old.url <> new.url) execute function private.require_recent_sign_in();
create trigger t0_recent_sign_in before update on private.webhook_secrets
for each row execute function private.require_recent_sign_in();
