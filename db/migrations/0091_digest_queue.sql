-- +goose Up
-- Planned deliveries as a queue that several shards read at once, each in the order of the next attempts.

-- Divides deliveries, whose ids are random, into four shards. workflows.DigestShards is the same number.
create function private.digest_shard(delivery uuid) returns integer
language sql immutable
return get_byte(uuid_send(delivery), 15) & 3;
grant execute on function private.digest_shard(uuid) to authenticated, service_role;

alter table public.digest_deliveries add column requested_by text;
comment on column public.digest_deliveries.requested_by is
  'The run in Temporal that was asked to send it at once; null if it was planned by an hourly tick.';
comment on column public.digest_deliveries.next_attempt_at is
  'While it is planned: it is not sent before this time. The first attempt is due with the digest.';
comment on column public.digest_deliveries.expires_at is
  'When the digest of the next period is due. From then on this one is not sent.';

drop index public.digest_deliveries_planned_idx;
drop index public.digest_deliveries_run_id_idx;
create index digest_deliveries_queue_idx on public.digest_deliveries (private.digest_shard(id), next_attempt_at, id)
  where status = 'planned';
create index digest_deliveries_expiry_idx on public.digest_deliveries (expires_at) where status = 'planned';
create index digest_deliveries_requested_idx on public.digest_deliveries (requested_by) where requested_by is not null;
-- For operators: the latest deliveries, and those that need attention.
create index digest_deliveries_window_idx on public.digest_deliveries using brin (window_end);
create index digest_deliveries_trouble_idx on public.digest_deliveries (updated_at) where status in ('failed', 'uncertain');
