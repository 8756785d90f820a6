-- +goose Up
-- The members whose digests `research restore-fence` paused, because they may have unsubscribed in the interval that a
-- restore lost.

create table private.digest_restore_pauses (
  user_id uuid not null
    constraint digest_restore_pauses_user_id_fkey references public.digest_preferences (user_id) on delete cascade,
  paused_until timestamptz,
  constraint digest_restore_pauses_pkey primary key (user_id)
);
comment on column private.digest_restore_pauses.paused_until is 'What the member had chosen before.';
grant select, insert, update, delete on private.digest_restore_pauses to service_role;
