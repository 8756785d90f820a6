-- +goose Up
-- Detects that the database was restored from a backup. A restored database has forgotten which digests were sent
-- and who unsubscribed since, so that digests are held until `research restore-fence` was run.

create table private.digest_fence (
  one boolean not null default true constraint digest_fence_one_check check (one),
  installation uuid not null default gen_random_uuid(),
  tables oid[] not null,
  seen_at timestamptz not null default now(),
  held_at timestamptz,
  fenced_at timestamptz,
  fenced_since timestamptz,
  constraint digest_fence_pkey primary key (one)
);
comment on column private.digest_fence.installation is 'Names this installation, also in its backups.';
comment on column private.digest_fence.tables is
  'The OIDs of the tables when this was a live database. A restored dump creates the tables again, with other OIDs.';
comment on column private.digest_fence.seen_at is
  'When digests were last planned or sent. Temporal remembers it too, and so notices a database that is older.';
comment on column private.digest_fence.held_at is 'Since when digests are held; null if they are not.';
comment on column private.digest_fence.fenced_at is 'When restore-fence was run last.';
comment on column private.digest_fence.fenced_since is 'The beginning of the interval that was lost then.';
grant select, update on private.digest_fence to service_role;

-- A migration that creates one of these tables again must also write private.digest_fence.
create function private.digest_table_oids() returns oid[]
language sql stable
set search_path = ''
as $$
  select array[
    'private.digest_fence'::regclass::oid,
    'private.digest_schedule'::regclass::oid,
    'public.digest_deliveries'::regclass::oid
  ]
$$;
grant execute on function private.digest_table_oids() to service_role;

insert into private.digest_fence (tables) values (private.digest_table_oids());
