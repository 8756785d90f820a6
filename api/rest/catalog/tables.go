package catalog

import "regexp"

// A Table is a table, a partitioned table, a foreign table or a view.
type Table struct {
	Schema, Name string
	Comment      string
	IsView       bool
	Inherited    bool // other tables inherit from it: their rows may repeat its key
	Insertable   bool
	Updatable    bool
	Deletable    bool
	Columns      []*Column // in the table's order
	Key          []string  // the primary key; of a view, the key of the tables whose keys it shows
	byName       map[string]*Column
}

// Column returns a column, or nil.
func (t *Table) Column(name string) *Column { return t.byName[name] }

// A Column is a column of a table.
type Column struct {
	Name, Comment string
	Type          string // as format_type writes it
	BaseType      string // of a domain, the type that it is based on
	Nullable      bool
	Default       string // an expression; empty means none
	MaxLength     int    // of varchar(n) and char(n); 0 means no limit
	Enum          []string
	Generated     bool // it is computed, and clients cannot write it
	Filled        bool // a trigger fills it where an insert leaves it out, as its comment says

	// The functions that convert between the column's domain and other types, as qualified names. Empty means
	// none.
	ToJSON   string // shows a value
	FromJSON string // reads a value of a body
	FromText string // reads a value of a filter
}

// Required reports whether an insert must give the column a value.
func (c *Column) Required() bool { return !c.Nullable && c.Default == "" && !c.Generated && !c.Filled }

// filledBy is how the comment of a column says that a trigger fills it. PostgreSQL's catalog does not say
// what triggers write.
var filledBy = regexp.MustCompile(`\bFilled by the database( if left out)?\.`)

// A Cast is an implicit cast between a domain and json or text, which PostgREST calls a data representation.
type Cast struct {
	Source, Target string // types as format_type writes them
	Function       string // a qualified name
}

func (c *Catalog) addTables(tables []*Table, casts []Cast) {
	functions := map[[2]string]string{}
	for _, cast := range casts {
		functions[[2]string{cast.Source, cast.Target}] = cast.Function
	}
	for _, t := range tables {
		t.byName = map[string]*Column{}
		for _, column := range t.Columns {
			column.Filled = filledBy.MatchString(column.Comment)
			column.ToJSON = functions[[2]string{column.Type, "json"}]
			column.FromJSON = functions[[2]string{"json", column.Type}]
			column.FromText = functions[[2]string{"text", column.Type}]
			t.byName[column.Name] = column
		}
		if c.tables[t.Schema] == nil {
			c.tables[t.Schema] = map[string]*Table{}
		}
		c.tables[t.Schema][t.Name] = t
	}
}

// domainsSQL finds the type below each domain, however many domains are in between. It lists domains only,
// since it is joined for every column.
const domainsSQL = `
with recursive steps(oid, base) as (
  select oid, typbasetype from pg_type where typtype = 'd'
  union all
  select s.oid, t.typbasetype from steps s join pg_type t on t.oid = s.base where t.typtype = 'd'),
bases as materialized (
  select s.oid, s.base from steps s join pg_type t on t.oid = s.base where t.typtype <> 'd')`

// tablesSQL reads tables with their columns. The bits of pg_relation_is_updatable are those of CmdType: 4 is
// UPDATE, 8 is INSERT, 16 is DELETE.
const tablesSQL = domainsSQL + `
select coalesce(json_agg(t), '[]')
from (
  select n.nspname as "Schema",
    c.relname as "Name",
    coalesce(d.description, '') as "Comment",
    c.relkind in ('v', 'm') as "IsView",
    c.relkind = 'r' and c.relhassubclass as "Inherited",
    c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and
      pg_relation_is_updatable(c.oid::regclass, true) & 8 = 8 as "Insertable",
    c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and
      pg_relation_is_updatable(c.oid::regclass, true) & 4 = 4 as "Updatable",
    c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and
      pg_relation_is_updatable(c.oid::regclass, true) & 16 = 16 as "Deletable",
    (select coalesce(json_agg(json_build_object(
        'Name', a.attname,
        'Comment', coalesce(col_description(c.oid, a.attnum), ''),
        'Type', format_type(a.atttypid, a.atttypmod),
        'BaseType', format_type(coalesce(b.base, t.oid), null),
        'Nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
        'Default', case
          when a.attidentity = 'd' then format('nextval(%L)', (
            select q.objid::regclass
            from pg_depend q
            where q.classid = 'pg_class'::regclass and q.refclassid = 'pg_class'::regclass
              and q.refobjid = c.oid and q.refobjsubid = a.attnum and q.deptype = 'i'))
          when a.attgenerated <> '' then ''
          when ad.adbin is null then coalesce(pg_get_expr(t.typdefaultbin, 0), '')
          else pg_get_expr(ad.adbin, ad.adrelid) end,
        'MaxLength', case
          when t.typname in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4
          else 0 end,
        'Generated', a.attgenerated <> '' or a.attidentity = 'a',
        'Enum', (select json_agg(e.enumlabel order by e.enumsortorder)
          from pg_enum e where e.enumtypid = coalesce(b.base, t.oid))) order by a.attnum), '[]')
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join bases b on b.oid = t.oid
      left join pg_attrdef ad on ad.adrelid = a.attrelid and ad.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as "Columns",
    (select coalesce(json_agg(a.attname order by k.ordinality), '[]')
      from pg_index i, unnest(i.indkey::int2[]) with ordinality k (attnum, ordinality)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary) as "Key"
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_description d on d.objoid = c.oid and d.objsubid = 0 and d.classoid = 'pg_class'::regclass
  where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_t'
) t`

// castsSQL reads implicit casts between domains and json or text that the API may call.
const castsSQL = `
select coalesce(json_agg(json_build_object(
  'Source', format_type(c.castsource, null),
  'Target', format_type(c.casttarget, null),
  'Function', format('%I.%I', n.nspname, p.proname))), '[]')
from pg_cast c
join pg_type s on s.oid = c.castsource
join pg_type t on t.oid = c.casttarget
join pg_proc p on p.oid = c.castfunc
join pg_namespace n on n.oid = p.pronamespace
where c.castcontext = 'i' and c.castmethod = 'f' and has_function_privilege(p.oid, 'execute')
  and (s.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype)
    or t.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype))`
