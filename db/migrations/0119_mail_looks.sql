-- +goose Up
alter table private.temporal_state add column mails_looked_at timestamptz not null default '-infinity';
comment on column private.temporal_state.mails_looked_at is
  'When a worker last started the mails about accounts that waited. One worker an interval does.';
