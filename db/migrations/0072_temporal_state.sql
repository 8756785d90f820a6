-- +goose Up
-- What all processes share about Temporal and about the model.

create table private.temporal_state (
  one boolean not null default true constraint temporal_state_one_check check (one),
  namespace_id text,
  looked_at timestamptz not null default '-infinity',
  constraint temporal_state_pkey primary key (one)
);
comment on table private.temporal_state is 'One row: which namespace of Temporal belongs to this database.';
comment on column private.temporal_state.namespace_id is
  'The id that Temporal gave the namespace; null until a program has connected.';
comment on column private.temporal_state.looked_at is
  'When a worker last found runs that should be compared with Temporal. One worker an interval does.';
insert into private.temporal_state default values;
grant select, update on private.temporal_state to service_role;

create table private.call_pace (
  one boolean not null default true constraint call_pace_one_check check (one),
  next_at timestamptz not null default now(),
  constraint call_pace_pkey primary key (one)
);
comment on table private.call_pace is 'One row: the slots of calls to the model, for MODEL_CALLS_PER_MINUTE.';
comment on column private.call_pace.next_at is 'When the next free slot begins.';
insert into private.call_pace default values;
grant select, update on private.call_pace to service_role;
