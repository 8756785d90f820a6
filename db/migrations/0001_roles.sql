-- +goose Up
-- The database roles of PostgREST's contract: a program logs in as (or switches to) authenticator, which has no rights
-- of its own, and each transaction becomes anon, authenticated or service_role. Roles belong to the cluster, so another
-- database's migration may create them at the same moment.

-- +goose StatementBegin
do $$
declare
  wanted text;
begin
  foreach wanted in array array['anon', 'authenticated', 'service_role', 'authenticator'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I noinherit %s', wanted,
                       case wanted when 'authenticator' then 'login' else 'nologin' end);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
  end loop;
end $$;
-- +goose StatementEnd

-- Granting the same membership from two databases at once can collide as well ("tuple concurrently updated").
-- +goose StatementBegin
do $$
begin
  for attempt in 1..10 loop
    begin
      grant anon, authenticated, service_role to authenticator;
      execute format('grant anon, authenticated, service_role, authenticator to %I', current_user);
      return;
    exception when internal_error or unique_violation then
      if attempt = 10 then
        raise;
      end if;
      perform pg_sleep(0.05 * attempt);
    end;
  end loop;
end $$;
-- +goose StatementEnd

-- private holds what no API serves: transcript bodies, stored model answers, and the functions that triggers and policies
-- call. Its functions that run with more rights than their caller belong to service_role, which passes
-- row-level security by policy, so that no superuser and no BYPASSRLS is needed.
create schema if not exists private; -- the list of applied migrations is in it already
grant usage on schema private to anon, authenticated, service_role;
grant create on schema private to service_role;

create schema auth;
grant usage on schema auth to anon, authenticated, service_role, authenticator;
grant create on schema auth to service_role;

revoke create on schema public from public;
grant usage on schema public to anon, authenticated, service_role, authenticator;
grant create on schema public to service_role;

-- A function is callable by nobody until a migration grants it.
alter default privileges revoke execute on functions from public;
