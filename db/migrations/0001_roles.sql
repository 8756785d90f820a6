-- +goose Up
-- The database roles of PostgREST's contract. A program logs in as authenticator, or switches to it. That
-- role has no rights of its own; each transaction becomes anon, authenticated or service_role. Roles belong
-- to the cluster: the migration of another database may have created them, or may create them concurrently.

-- Clients send UTF-8, and stored offsets count its bytes.
-- +goose StatementBegin
do $$
begin
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'the database is encoded in %, and has to be in UTF8', current_setting('server_encoding')
      using hint = 'create database … encoding ''UTF8'' template template0';
  end if;
end $$;
-- +goose StatementEnd

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
      exception
        when duplicate_object or unique_violation then
          null;
        when insufficient_privilege then
          raise exception '% may not create the role %; have an administrator run: alter role % createrole',
            current_user, wanted, quote_ident(current_user) using errcode = 'insufficient_privilege';
      end;
    end if;
  end loop;
end $$;
-- +goose StatementEnd

-- The memberships of the roles. Only missing ones are granted, so that an owner without CREATEROLE can
-- migrate if an administrator has prepared the roles. Concurrent grants from two databases can collide
-- ("tuple concurrently updated").
-- +goose StatementBegin
do $$
declare
  wanted text;
begin
  for attempt in 1..10 loop
    begin
      foreach wanted in array array['anon', 'authenticated', 'service_role'] loop
        if not pg_has_role('authenticator', wanted, 'member') then
          execute format('grant %I to authenticator', wanted);
        end if;
      end loop;
      -- Directly, since a membership by way of authenticator inherits nothing. (A superuser needs none, and
      -- gets it for show.)
      foreach wanted in array array['anon', 'authenticated', 'service_role', 'authenticator'] loop
        if not exists (
          select from pg_auth_members m
          where m.roleid = wanted::regrole and m.member = current_user::regrole
            -- PostgreSQL 16 gives who creates a role a membership that neither inherits nor switches; the
            -- columns are its own.
            and coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, true)
            and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)
        ) then
          execute format('grant %I to %I', wanted, current_user);
        end if;
      end loop;
      return;
    exception
      when insufficient_privilege then
        raise exception '% may not grant the roles; have an administrator run: '
          'grant anon, authenticated, service_role to authenticator; '
          'grant anon, authenticated, service_role, authenticator to % with admin option',
          current_user, quote_ident(current_user) using errcode = 'insufficient_privilege';
      when internal_error or unique_violation then
        if attempt = 10 then
          raise;
        end if;
        perform pg_sleep(0.05 * attempt);
    end;
  end loop;
end $$;
-- +goose StatementEnd

-- The schema private has what no API serves: transcript bodies, stored responses of the model, and the
-- functions that triggers and policies call. Its security definer functions are owned by service_role, which
-- passes row-level security by policy, so that neither a superuser nor BYPASSRLS is needed.
create schema if not exists private; -- the table of applied migrations is in it already
grant usage on schema private to authenticated, service_role;
grant create on schema private to service_role;
-- Programs that log in as authenticator, or as a member of it, read as service_role which migrations are
-- applied. Their table is the only one yet; before a restore there is none.
grant select on all tables in schema private to service_role;

create schema auth;
grant usage on schema auth to anon, authenticated, service_role, authenticator;

revoke create on schema public from public;
grant usage on schema public to anon, authenticated, service_role, authenticator;

-- Nobody may call a function until a migration grants it, whichever of the two roles creates it.
alter default privileges revoke execute on functions from public;
alter default privileges for role service_role revoke execute on functions from public;
