-- +goose Up
-- The events that clients follow: those of public.activity_events, the progress of imports and answers, and
-- judgements of evidence. They are kept for a day. They contain ids and counts, and no transcript text.
--
-- Identities are assigned before the commit, so a reader that continues after the highest one it saw would
-- miss events of transactions that commit later. Events are therefore numbered in a second step, once they
-- are committed: private.publish_events assigns seq, in one transaction at a time.

create table private.events (
  id bigint generated always as identity,
  seq bigint,
  event_id uuid not null default gen_random_uuid(),
  type text not null,
  workspace_id uuid not null
    constraint events_workspace_id_fkey references public.workspaces (id) on delete cascade,
  project_id uuid,
  import_id uuid,
  answer_id uuid,
  entity_id uuid not null,
  actor_id uuid constraint events_actor_id_fkey references public.profiles (id) on delete set null,
  occurred_at timestamptz not null default clock_timestamp(),
  detail jsonb not null default '{}',
  constraint events_pkey primary key (id),
  constraint events_seq_key unique (seq)
);
create index events_unpublished_idx on private.events (id) where seq is null;
create index events_workspace_id_idx on private.events (workspace_id, seq);
create index events_actor_id_idx on private.events (actor_id);
comment on table private.events is 'The events of streams, for a day. Read by private.read_events.';
comment on column private.events.id is
  'The order of writing, which for one row of another table is that of its commits.';
comment on column private.events.seq is
  'The order in which readers see the event; null until it is published.';
comment on column private.events.type is 'The entity and what happened to it, such as import.parsed.';
grant select, insert, update, delete on private.events to service_role;

-- One row. Its lock is the right to publish.
create table private.event_head (
  seq bigint not null,
  expired bigint not null
);
comment on column private.event_head.seq is 'The highest number that was assigned.';
comment on column private.event_head.expired is
  'The highest number whose event was deleted because of its age.';
insert into private.event_head (seq, expired) values (0, 0);
grant select, update on private.event_head to service_role;

-- Who has which view of a project open, one row for each person and project. Pages say so again every twenty
-- seconds; what is older than 45 seconds is not shown, and deleted when the next person says so.
create table private.presence (
  project_id uuid not null
    constraint presence_project_id_fkey references public.projects (id) on delete cascade,
  user_id uuid not null
    constraint presence_user_id_fkey references public.profiles (id) on delete cascade,
  place text not null constraint presence_place_check check (place in ('evidence', 'review')),
  seen_at timestamptz not null default now(),
  constraint presence_pkey primary key (project_id, user_id)
);
create index presence_user_id_idx on private.presence (user_id);
comment on table private.presence is 'Who has a view of a project open. Read by private.who_is_here.';
grant select, insert, update, delete on private.presence to service_role;

set local role service_role;

-- Presence --------------------------------------------------------------------------------------------------

-- Says that the caller is at a place of a project, or with null that the caller has left it, and returns who
-- else is there, at most twenty people. It returns nothing to who is no member.
-- +goose StatementBegin
create function private.who_is_here(project uuid, viewing text)
returns table (user_id uuid, display_name text, place text)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  caller constant uuid := auth.uid();
  workspace constant uuid := (
    select p.workspace_id from public.projects p
    where p.id = $1 and p.workspace_id = any (array(select private.my_workspaces())));
begin
  if workspace is null or caller is null then
    return;
  end if;
  delete from private.presence h
  where h.project_id = $1
    and (h.seen_at < now() - interval '45 seconds' or ($2 is null and h.user_id = caller));
  if $2 is null then
    return;
  end if;
  insert into private.presence as h (project_id, user_id, place) values ($1, caller, $2)
  on conflict (project_id, user_id) do update set place = excluded.place, seen_at = now();
  return query
    select h.user_id, p.display_name, h.place
    from private.presence h
    join public.workspace_members m on m.user_id = h.user_id and m.workspace_id = workspace
    join public.profiles p on p.id = h.user_id
    where h.project_id = $1 and h.user_id <> caller
    order by p.display_name, h.user_id
    limit 20;
end $$;
-- +goose StatementEnd
grant execute on function private.who_is_here(uuid, text) to authenticated;

-- Writing ---------------------------------------------------------------------------------------------------

-- For all activity of a statement at once.
-- +goose StatementBegin
create function private.record_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (select from new_rows n where n.entity_type = 'project' and n.verb = 'deleted') then
    -- As in public.activity_events, of a deleted project only this event is left.
    delete from private.events e
    using new_rows n
    where n.entity_type = 'project'
      and n.verb = 'deleted'
      and e.workspace_id = n.workspace_id
      and e.project_id = n.entity_id;
  end if;
  insert into private.events (
    event_id, type, workspace_id, project_id, import_id, answer_id, entity_id, actor_id, detail
  )
  select
    n.id,
    n.entity_type || '.' || n.verb,
    n.workspace_id,
    n.project_id,
    case n.entity_type
      when 'import' then n.entity_id
      when 'evidence' then coalesce(
        (n.detail ->> 'import_id')::uuid,
        (select e.import_id from public.evidence e where e.id = n.entity_id)
      )
    end,
    case n.entity_type when 'answer' then n.entity_id end,
    n.entity_id,
    n.actor_id,
    n.detail - '{import_id,hypothesis_id}'::text[] || case
      when n.detail ? 'hypothesis_id' then jsonb_build_object('hypothesisId', n.detail -> 'hypothesis_id')
      else '{}'
    end
  from new_rows n;
  return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function private.record_progress() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.events (type, workspace_id, project_id, import_id, entity_id, detail)
  values ('import.progress', new.workspace_id, new.project_id, new.id, new.id, jsonb_build_object(
    'done', new.progress_done, 'total', new.progress_total, 'waitingReason', new.waiting_reason));
  return null;
end $$;
-- +goose StatementEnd

-- Reading ---------------------------------------------------------------------------------------------------

-- Numbers up to most events that are committed, and returns how many. Another transaction that publishes at
-- the same time keeps this one from doing so, and it returns 0. Its effect is visible to others in the order
-- of the numbers, since the lock lasts until the commit.
--
-- It waits for nobody. Where another transaction has locked an event, such as one that deletes a project, the
-- later events of that workspace wait for it, and those of other workspaces do not.
-- +goose StatementBegin
create function private.publish_events(most integer) returns bigint
language plpgsql security definer
set search_path = ''
set enable_seqscan = off -- plans do not depend on when the events were last analyzed
as $$
declare
  head bigint;
  published bigint;
begin
  if not exists (select from private.events e where e.seq is null) then
    return 0;
  end if;
  select h.seq into head from private.event_head h for update skip locked;
  if not found then
    return 0;
  end if;
  with next as materialized (
    select u.id, u.workspace_id from private.events u where u.seq is null order by u.id limit most
  ),
  free as materialized (
    select e.id
    from private.events e
    where e.id in (select n.id from next n)
    for update skip locked
  ),
  held as (
    select n.workspace_id, min(n.id) as id
    from next n
    where n.id not in (select f.id from free f)
    group by n.workspace_id
  )
  update private.events e set seq = head + numbered.place
  from (
    select f.id, row_number() over (order by f.id) as place
    from free f
    join next n on n.id = f.id
    left join held h on h.workspace_id = n.workspace_id
    where h.id is null or f.id < h.id
  ) numbered
  where e.id = numbered.id;
  get diagnostics published = row_count;
  update private.event_head set seq = head + published;
  return published;
end $$;
-- +goose StatementEnd

-- The body of an event, as streams and webhooks send it.
create function private.event_body(e private.events) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', e.event_id,
    'type', e.type,
    'timestamp', to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'data', jsonb_strip_nulls(jsonb_build_object(
      'workspaceId', e.workspace_id, 'projectId', e.project_id, 'importId', e.import_id,
      'answerId', e.answer_id, 'entityId', e.entity_id, 'actorId', e.actor_id)) || e.detail)
$$;

-- The published events that the caller may see, after a number. The service sees all of them.
create function private.read_events(after bigint, of_import uuid, of_answer uuid, most integer)
returns table (seq bigint, type text, body jsonb)
language sql stable security definer
set search_path = ''
as $$
  select e.seq, e.type, e.body
  from (
    select m as workspace_id from private.my_workspaces() m
    union
    select w.id from public.workspaces w where current_setting('role', true) = 'service_role'
  ) mine
  cross join lateral (
    select x.seq, x.type, private.event_body(x) as body from private.events x
    where x.workspace_id = mine.workspace_id
      and x.seq > after
      and (of_import is null or x.import_id = of_import)
      and (of_answer is null or x.answer_id = of_answer)
    order by x.seq
    limit most
  ) e
  order by e.seq
  limit most
$$;
grant execute on function private.read_events(bigint, uuid, uuid, integer) to authenticated;

create function private.event_bounds() returns table (head bigint, expired bigint)
language sql stable security definer
set search_path = ''
as $$ select h.seq, h.expired from private.event_head h $$;
grant execute on function private.event_bounds() to authenticated;

-- Deletes the oldest published events, as far as they are older than before, out of the first most. Returns
-- how many. Webhook endpoints that miss one are paused.
-- +goose StatementBegin
create function private.expire_events(before timestamptz, most integer) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
  last bigint;
  deleted bigint;
begin
  select max(o.seq) into last
  from (
    select e.seq, e.occurred_at from private.events e where e.seq is not null order by e.seq limit most
  ) o
  where o.occurred_at < before;
  if last is null then
    return 0;
  end if;
  perform private.pause_late_webhooks(last);
  update private.event_head set expired = greatest(expired, last);
  delete from private.events e where e.seq <= last;
  get diagnostics deleted = row_count;
  return deleted;
end $$;
-- +goose StatementEnd

reset role;

create trigger t9_event after insert on public.activity_events
referencing new table as new_rows
for each statement execute function private.record_events();
create trigger t9_progress after update on public.imports
for each row when (
  (old.progress_done, old.progress_total, old.waiting_reason)
  is distinct from (new.progress_done, new.progress_total, new.waiting_reason)
)
execute function private.record_progress();

-- +goose StatementBegin
create function public.who_is_here(project uuid, viewing text default null)
returns table (user_id uuid, display_name text, place text)
language sql volatile begin atomic
  select h.user_id, h.display_name, h.place from private.who_is_here(project, viewing) h;
end;
-- +goose StatementEnd
comment on function public.who_is_here is
  'Says for 45 seconds that the caller has a view of a project open (evidence or review), or without a place '
  'that it is closed, and returns which other members have one open. Empty for who is no member.';
grant execute on function public.who_is_here(uuid, text) to authenticated, service_role;
