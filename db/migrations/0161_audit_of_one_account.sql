-- +goose Up
-- An export of an account reads the entries of the account, and not the whole log.
create index audit_log_entries_actor_idx on auth.audit_log_entries ((payload ->> 'actor_id'));
create index audit_log_entries_user_idx on auth.audit_log_entries ((payload -> 'traits' ->> 'user_id'));
