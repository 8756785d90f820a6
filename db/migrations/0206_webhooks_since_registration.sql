-- +goose Up
-- An endpoint gets the events that happened after its registration. Events are published up to half a second after
-- they happen, so those of just before were sent as well.

set local role service_role;

-- +goose StatementBegin
create or replace function private.add_webhook_deliveries(first bigint, last bigint) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  if not exists (select from public.webhook_endpoints w where w.active) then
    return;
  end if;
  with added as (
    insert into public.webhook_deliveries (workspace_id, endpoint_id, event_id, type, payload, queue, seq)
    select e.workspace_id, w.id, e.event_id, e.type, private.event_body(e), coalesce(e.import_id, e.workspace_id), e.seq
    from private.events e
    join public.webhook_endpoints w on w.workspace_id = e.workspace_id and w.active
      and w.created_at <= e.occurred_at and private.matches_events(w.events, e.type)
    where e.seq between first and last
    returning endpoint_id, queue
  )
  insert into private.webhook_queues as q (endpoint_id, queue)
  select distinct a.endpoint_id, a.queue from added a
  -- It waits for a sender that is just deleting the row, which "do nothing" would not.
  on conflict (endpoint_id, queue) do update set due_at = q.due_at;
end $$;
-- +goose StatementEnd

reset role;
