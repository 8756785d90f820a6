-- +goose Up
-- Programs that log in as authenticator, or as a member of it, read which migrations are applied as
-- service_role.

grant select on private.migrations to service_role;
