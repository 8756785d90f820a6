package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"research/db"
)

// A schema is what the database offers: loaded at once, and never changed after.
type schema struct {
	tables    map[string]map[string]*table     // by schema and name
	routines  map[string]map[string][]*routine // by schema and name
	relations map[*table][]*relation
	computed  map[*table][]*relation // functions that embed
	settings  map[string][]db.Setting
}

// A table is a table or a view.
type table struct {
	Schema, Name string
	Comment      string
	IsView       bool
	Insertable   bool
	Updatable    bool
	Deletable    bool
	Columns      []*tableColumn
	Key          []string
	byName       map[string]*tableColumn
}

func (t *table) sql() string { return quote(t.Schema) + "." + quote(t.Name) }

type tableColumn struct {
	Name, Comment string
	Type          string // as format_type gives it
	BaseType      string // of a domain
	Nullable      bool
	Default       string
	MaxLength     int
	Enum          []string
	Generated     bool
}

// A relation embeds target in source.
type relation struct {
	source, target *table
	constraint     string
	columns        [][2]string // of source and target
	toOne          bool
	oneToOne       bool // the key is unique: one on both sides
	forward        bool // the source holds the key
	many           *junction
	function       *routine // a computed relationship
	parentAlias    string   // set while SQL is written
	self           bool
}

// A junction is the table in the middle of a many-to-many relationship.
type junction struct {
	table                  *table
	constraint1            string
	constraint2            string
	sourceSide, targetSide [][2]string // column of source or target, column of the junction
}

// A routine is a function.
type routine struct {
	Schema, Name, Comment string
	OID                   string
	Parameters            []parameter
	ReturnType            string
	ReturnSchema          string
	ReturnTable           string // of a composite type
	Set                   bool
	Scalar                bool
	Void                  bool
	Volatile              bool
	Variadic              bool
	Settings              []db.Setting
	Single                bool // a to-one computed relationship: ROWS 1
}

type parameter struct {
	Name, Type string
	Required   bool
	Variadic   bool
}

func (r *routine) sql() string { return quote(r.Schema) + "." + quote(r.Name) }

// quote makes an identifier of a name from the catalogue.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// The catalogue is read as JSON, each part in one query.
const tablesSQL = `
select coalesce(json_agg(t), '[]') from (
  select n.nspname as "Schema", c.relname as "Name", coalesce(d.description, '') as "Comment", c.relkind in ('v', 'm') as "IsView",
    (c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and (pg_relation_is_updatable(c.oid::regclass, true) & 8) = 8) as "Insertable",
    (c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and (pg_relation_is_updatable(c.oid::regclass, true) & 4) = 4) as "Updatable",
    (c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and (pg_relation_is_updatable(c.oid::regclass, true) & 16) = 16) as "Deletable",
    (select coalesce(json_agg(json_build_object(
        'Name', a.attname, 'Comment', coalesce(col_description(c.oid, a.attnum), ''), 'Type', format_type(a.atttypid, a.atttypmod),
        'BaseType', format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null), 'Nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
        'Default', case when a.attidentity = 'd' then format('nextval(%L)', (select q.objid::regclass from pg_depend q where q.classid = 'pg_class'::regclass and q.refclassid = 'pg_class'::regclass and q.refobjid = c.oid and q.refobjsubid = a.attnum and q.deptype = 'i')) else coalesce(pg_get_expr(ad.adbin, ad.adrelid), '') end, 'MaxLength', case when t.typname in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4 else 0 end,
        'Generated', a.attgenerated <> '' or a.attidentity = 'a',
        'Enum', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = coalesce(nullif(t.typbasetype, 0), t.oid))) order by a.attnum), '[]')
      from pg_attribute a join pg_type t on t.oid = a.atttypid left join pg_attrdef ad on ad.adrelid = a.attrelid and ad.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as "Columns",
    (select coalesce(json_agg(a.attname order by k.ordinality), '[]') from pg_index i, unnest(i.indkey::int2[]) with ordinality k (attnum, ordinality)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum where i.indrelid = c.oid and i.indisprimary) as "Key"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_description d on d.objoid = c.oid and d.objsubid = 0 and d.classoid = 'pg_class'::regclass
  where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_t'
) t`

const keysSQL = `
select coalesce(json_agg(k), '[]') from (
  select con.conname as "Name", ns1.nspname as "Schema", c1.relname as "Table", ns2.nspname as "ForeignSchema", c2.relname as "ForeignTable",
    (select json_agg(a.attname order by o) from unnest(con.conkey) with ordinality u (n, o) join pg_attribute a on a.attrelid = con.conrelid and a.attnum = n) as "Columns",
    (select json_agg(a.attname order by o) from unnest(con.confkey) with ordinality u (n, o) join pg_attribute a on a.attrelid = con.confrelid and a.attnum = n) as "ForeignColumns",
    exists (select from pg_constraint p where p.conrelid = con.conrelid and p.contype in ('p', 'u')
      and (select array_agg(x order by x) from unnest(p.conkey) x) = (select array_agg(x order by x) from unnest(con.conkey) x)) as "Unique"
  from pg_constraint con join pg_class c1 on c1.oid = con.conrelid join pg_namespace ns1 on ns1.oid = c1.relnamespace
  join pg_class c2 on c2.oid = con.confrelid join pg_namespace ns2 on ns2.oid = c2.relnamespace
  where con.contype = 'f' and con.conparentid = 0
) k`

// viewsSQL gives the parsed queries of views, in which the targets that come straight from a table's column are marked.
const viewsSQL = `
select coalesce(json_agg(v), '[]') from (
  select n.nspname as "Schema", c.relname as "Name", r.ev_action::text as "Rule"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  where c.relkind in ('v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
) v`

const oidsSQL = `
select coalesce(json_object_agg(c.oid, json_build_object('Schema', n.nspname, 'Name', c.relname,
  'Columns', (select json_object_agg(a.attnum, a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0))), '{}')
from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_t'`

const routinesSQL = `
select coalesce(json_agg(f), '[]') from (
  select n.nspname as "Schema", p.proname as "Name", coalesce(d.description, '') as "Comment", p.oid::text as "OID",
    (select coalesce(json_agg(json_build_object('Name', coalesce(p.proargnames[o], ''), 'Type', format_type(a, null),
        'Required', o <= p.pronargs - p.pronargdefaults, 'Variadic', coalesce(p.proargmodes[o] = 'v', false)) order by o), '[]')
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality u (a, o)
      where p.proargmodes is null or p.proargmodes[o] in ('i', 'b', 'v')) as "Parameters",
    format_type(p.prorettype, null) as "ReturnType", tn.nspname as "ReturnSchema", coalesce(cls.relname, '') as "ReturnTable",
    p.proretset as "Set", (coalesce(bt.typtype, t.typtype) <> 'c' and p.prorettype <> 'record'::regtype) and not coalesce(p.proargmodes::text[] && '{t,b,o}', false) as "Scalar",
    p.prorettype = 'void'::regtype as "Void", p.provolatile = 'v' as "Volatile", p.provariadic <> 0 as "Variadic", p.prorows = 1 as "Single",
    (select json_agg(json_build_object('Name', split_part(s, '=', 1), 'Value', substr(s, strpos(s, '=') + 1))) from unnest(p.proconfig) s) as "Settings"
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype join pg_namespace tn on tn.oid = t.typnamespace
  left join pg_type bt on bt.oid = t.typbasetype left join pg_class cls on cls.oid = coalesce(bt.typrelid, t.typrelid) and cls.oid <> 0
  left join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
  where p.prokind = 'f' and n.nspname not in ('pg_catalog', 'information_schema')
) f`

const settingsSQL = `
select coalesce(json_object_agg(r.rolname, s.list), '{}') from pg_roles r cross join lateral (
  select json_agg(json_build_object('Name', split_part(c, '=', 1), 'Value', substr(c, strpos(c, '=') + 1))) as list
  from (select unnest(x.setconfig) as c from pg_db_role_setting x where x.setrole = r.oid and x.setdatabase in (0, (select oid from pg_database where datname = current_database()))) u
  where split_part(c, '=', 1) in ('statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation', 'idle_in_transaction_session_timeout', 'lock_timeout', 'work_mem')
) s where s.list is not null`

// runner runs a statement as a subject; *db.Store is one.
type runner interface {
	Run(ctx context.Context, subject db.Subject, st db.Statement, decide func(db.Rows) (bool, error)) (db.Rows, error)
}

type foreignKey struct {
	Name, Schema, Table, ForeignSchema, ForeignTable string
	Columns, ForeignColumns                          []string
	Unique                                           bool
}

// loadSchema reads the catalogue.
func loadSchema(ctx context.Context, store runner) (*schema, error) {
	var tables []*table
	var keys []foreignKey
	var views []viewRule
	var oids map[string]catalogued
	var routines []*routine
	s := &schema{tables: map[string]map[string]*table{}, routines: map[string]map[string][]*routine{}, relations: map[*table][]*relation{}, computed: map[*table][]*relation{}}
	// With no search path, every type is written with its schema.
	for _, part := range []struct {
		sql  string
		into any
	}{{tablesSQL, &tables}, {keysSQL, &keys}, {viewsSQL, &views}, {oidsSQL, &oids}, {routinesSQL, &routines}, {settingsSQL, &s.settings}} {
		rows, err := store.Run(ctx, db.Subject{}, db.Statement{ReadOnly: true, SQL: part.sql, Settings: []db.Setting{{Name: "search_path", Value: ""}}}, nil)
		if err != nil {
			return nil, fmt.Errorf("read the catalogue: %w", err)
		}
		if err := json.Unmarshal(rows.Values[0][0], part.into); err != nil {
			return nil, fmt.Errorf("understand the catalogue: %w", err)
		}
	}
	for _, t := range tables {
		t.byName = map[string]*tableColumn{}
		for _, c := range t.Columns {
			t.byName[c.Name] = c
		}
		if s.tables[t.Schema] == nil {
			s.tables[t.Schema] = map[string]*table{}
		}
		s.tables[t.Schema][t.Name] = t
	}
	s.addRelations(append(keys, s.viewKeys(keys, viewMap(views, oids))...))
	for _, r := range routines {
		if s.routines[r.Schema] == nil {
			s.routines[r.Schema] = map[string][]*routine{}
		}
		s.routines[r.Schema][r.Name] = append(s.routines[r.Schema][r.Name], r)
		s.addComputed(r)
	}
	return s, nil
}

// addRelations makes relationships of foreign keys: to one, back to many or to one, and many to many over tables whose key holds two of them.
func (s *schema) addRelations(keys []foreignKey) {
	slices.SortFunc(keys, func(a, b foreignKey) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name))
	})
	toOnes := map[*table][]*relation{}
	for _, k := range keys {
		source, target := s.tables[k.Schema][k.Table], s.tables[k.ForeignSchema][k.ForeignTable]
		if source == nil || target == nil {
			continue
		}
		forward := &relation{source: source, target: target, constraint: k.Name, toOne: true, oneToOne: k.Unique, forward: true, self: source == target}
		backward := &relation{source: target, target: source, constraint: k.Name, toOne: k.Unique, oneToOne: k.Unique, self: source == target}
		for i := range k.Columns {
			forward.columns = append(forward.columns, [2]string{k.Columns[i], k.ForeignColumns[i]})
			backward.columns = append(backward.columns, [2]string{k.ForeignColumns[i], k.Columns[i]})
		}
		s.relations[source] = append(s.relations[source], forward)
		s.relations[target] = append(s.relations[target], backward)
		toOnes[source] = append(toOnes[source], forward)
	}
	var middles []*table
	for t := range toOnes {
		middles = append(middles, t)
	}
	slices.SortFunc(middles, func(a, b *table) int { return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name)) })
	for _, middle := range middles {
		for _, one := range toOnes[middle] {
			for _, two := range toOnes[middle] {
				if one == two || !keyHolds(middle, one, two) {
					continue
				}
				r := &relation{source: one.target, target: two.target, self: one.target == two.target,
					many: &junction{table: middle, constraint1: one.constraint, constraint2: two.constraint}}
				for _, pair := range one.columns {
					r.many.sourceSide = append(r.many.sourceSide, [2]string{pair[1], pair[0]})
				}
				for _, pair := range two.columns {
					r.many.targetSide = append(r.many.targetSide, [2]string{pair[1], pair[0]})
				}
				s.relations[one.target] = append(s.relations[one.target], r)
			}
		}
	}
}

// keyHolds tells whether the table's primary key holds both foreign keys.
func keyHolds(middle *table, one, two *relation) bool {
	for _, r := range []*relation{one, two} {
		for _, pair := range r.columns {
			if !slices.Contains(middle.Key, pair[0]) {
				return false
			}
		}
	}
	return true
}

// addComputed makes a relationship of a function that takes a row of one table and returns rows of another.
func (s *schema) addComputed(r *routine) {
	if len(r.Parameters) != 1 || r.ReturnTable == "" || r.Scalar {
		return
	}
	target := s.tables[r.ReturnSchema][r.ReturnTable]
	for _, inSchema := range s.tables {
		for _, source := range inSchema {
			name := r.Parameters[0].Type
			if target != nil && (name == source.Schema+"."+source.Name || name == source.sql() || name == quote(source.Name) || name == source.Name && (source.Schema == r.Schema || source.Schema == "public")) {
				s.computed[source] = append(s.computed[source], &relation{source: source, target: target, toOne: r.Single || !r.Set, function: r, self: source == target})
			}
		}
	}
}
