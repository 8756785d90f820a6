package catalog

// A Setting is a run-time parameter of PostgreSQL.
type Setting struct{ Name, Value string }

// settingsSQL reads the settings of roles that PostgreSQL applies at login and not at SET ROLE. The API logs
// in as another role, so that it must apply these itself.
const settingsSQL = `
select coalesce(json_object_agg(r.rolname, s.list), '{}')
from pg_roles r
cross join lateral (
  select json_agg(json_build_object(
    'Name', split_part(c, '=', 1),
    'Value', substr(c, strpos(c, '=') + 1))) as list
  from (
    select unnest(x.setconfig) as c
    from pg_db_role_setting x
    where x.setrole = r.oid
      and x.setdatabase in (0, (select oid from pg_database where datname = current_database()))) u
  where split_part(c, '=', 1) in (
    'statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation',
    'idle_in_transaction_session_timeout', 'lock_timeout', 'work_mem')) s
where s.list is not null`
