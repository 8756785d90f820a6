package sqlgen

import (
	"strconv"

	"research/api/rest/plan"
)

// privilegesSQL returns what the caller may use of a schema, as JSON. $1 is the schema, and $2 says whether
// everything counts as allowed.
const privilegesSQL = `
select json_build_object(
  'Comment', coalesce(obj_description(n.oid, 'pg_namespace'), ''),
  'Tables', (
    select coalesce(json_object_agg(c.relname, json_build_object(
      'Select', $2::bool or has_any_column_privilege(c.oid, 'SELECT'),
      'Insert', $2::bool or has_any_column_privilege(c.oid, 'INSERT'),
      'Update', $2::bool or has_any_column_privilege(c.oid, 'UPDATE'),
      'Delete', $2::bool or has_table_privilege(c.oid, 'DELETE'),
      'Columns', (
        select coalesce(json_object_agg(a.attname, json_build_object(
          'Select', $2::bool or has_column_privilege(c.oid, a.attnum, 'SELECT'),
          'Insert', $2::bool or has_column_privilege(c.oid, a.attnum, 'INSERT'),
          'Update', $2::bool or has_column_privilege(c.oid, a.attnum, 'UPDATE'))), '{}')
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped))), '{}')
    from pg_class c
    where c.relnamespace = n.oid and c.relkind in ('r', 'v', 'm', 'f', 'p')
      and ($2::bool or has_table_privilege(c.oid, 'DELETE, TRUNCATE, TRIGGER')
        or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))),
  'Functions', (
    select coalesce(json_agg(p.oid::text), '[]')
    from pg_proc p
    where p.pronamespace = n.oid and ($2::bool or has_function_privilege(p.oid, 'EXECUTE')))) as privileges
from pg_namespace n
where n.nspname = $1::text`

func compileDescription(p *plan.Description) Statement {
	return Statement{
		SQL:  privilegesSQL,
		Args: [][]byte{[]byte(p.Schema), []byte(strconv.FormatBool(p.AllPrivileges))},
	}
}
