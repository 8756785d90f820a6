package catalog

import (
	"maps"
	"slices"
	"strings"
)

// A View is a view with its query, in PostgreSQL's own tree format.
type View struct{ Schema, Name, Rule string }

// A Relation is a table or view with the names of its columns by their numbers.
type Relation struct {
	Schema, Name string
	Columns      map[string]string
}

// A baseColumn is the column of a table that a view's column shows.
type baseColumn struct{ table, column string }

// maxViewDepth bounds how many views over views are followed. PostgreSQL allows no cycles.
const maxViewDepth = 20

// baseColumns returns the table's column for each column of a view that shows one. Views and tables are named
// schema.name. It follows views over views.
func baseColumns(views []View, relations map[string]Relation) map[string]map[string]baseColumn {
	direct := map[string]map[string]origin{}
	for _, v := range views {
		direct[v.Schema+"."+v.Name] = origins(v.Rule)
	}
	all := map[string]map[string]baseColumn{}
	for view, columns := range direct {
		all[view] = map[string]baseColumn{}
		for name, from := range columns {
			if base, found := follow(from, direct, relations); found {
				all[view][name] = base
			}
		}
	}
	return all
}

// follow goes through views to the table that a column comes from.
func follow(
	from origin, views map[string]map[string]origin, relations map[string]Relation,
) (baseColumn, bool) {
	for range maxViewDepth {
		relation, known := relations[from.oid]
		if !known {
			break
		}
		name, column := relation.Schema+"."+relation.Name, relation.Columns[from.column]
		view, isView := views[name]
		if !isView {
			return baseColumn{name, column}, true
		}
		if from, known = view[column]; !known {
			break
		}
	}
	return baseColumn{}, false
}

// viewForeignKeys derives foreign keys of views from those of their tables, if a view shows all columns of a
// key.
func viewForeignKeys(keys []ForeignKey, views map[string]map[string]baseColumn) []ForeignKey {
	byTable := map[string][]string{} // the views that show columns of a table
	for _, view := range slices.Sorted(maps.Keys(views)) {
		for _, c := range views[view] {
			if !slices.Contains(byTable[c.table], view) {
				byTable[c.table] = append(byTable[c.table], view)
			}
		}
	}
	// A side is a table or view with the columns of one end of a key.
	type side struct {
		schema, name string
		columns      []string
	}
	sides := func(table string, columns []string) []side {
		var list []side
		for _, view := range byTable[table] {
			schema, name, _ := strings.Cut(view, ".")
			for _, shown := range shownAs(views[view], table, columns) {
				list = append(list, side{schema, name, shown})
			}
		}
		return list
	}
	var made []ForeignKey
	for _, k := range keys {
		sources := append([]side{{k.Schema, k.Table, k.Columns}}, sides(k.Schema+"."+k.Table, k.Columns)...)
		targets := append([]side{{k.ForeignSchema, k.ForeignTable, k.ForeignColumns}},
			sides(k.ForeignSchema+"."+k.ForeignTable, k.ForeignColumns)...)
		for i, source := range sources {
			for j, target := range targets {
				if i == 0 && j == 0 { // the key itself
					continue
				}
				made = append(made, ForeignKey{
					Name: k.Name, Unique: k.Unique,
					Schema: source.schema, Table: source.name, Columns: source.columns,
					ForeignSchema: target.schema, ForeignTable: target.name, ForeignColumns: target.columns,
				})
			}
		}
	}
	return made
}

// addViewKeys sets the key of each view to the primary keys of the tables of which it shows all key columns.
func (c *Catalog) addViewKeys(views map[string]map[string]baseColumn) {
	for view, columns := range views {
		schema, name, _ := strings.Cut(view, ".")
		v := c.Table(schema, name)
		if v == nil {
			continue
		}
		tables := map[string]bool{}
		for _, shown := range columns {
			tables[shown.table] = true
		}
		for _, table := range slices.Sorted(maps.Keys(tables)) {
			schema, name, _ := strings.Cut(table, ".")
			base := c.Table(schema, name)
			if base == nil || len(base.Key) == 0 {
				continue
			}
			if all := shownAs(columns, table, base.Key); len(all) > 0 {
				v.Key = append(v.Key, all[0]...)
			}
		}
	}
}

// shownAs returns the ways in which a view shows all the given columns of a table. A column that the view
// shows twice makes two ways.
func shownAs(view map[string]baseColumn, table string, columns []string) [][]string {
	ways := [][]string{{}}
	for _, column := range columns {
		var names []string
		for name, base := range view {
			if base.table == table && base.column == column {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		var longer [][]string
		for _, way := range ways {
			for _, name := range names {
				longer = append(longer, append(slices.Clone(way), name))
			}
		}
		ways = longer
	}
	return ways
}

// viewsSQL reads the parsed queries of views.
const viewsSQL = `
select coalesce(json_agg(v), '[]')
from (
  select n.nspname as "Schema", c.relname as "Name", r.ev_action::text as "Rule"
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  where c.relkind in ('v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
) v`

const relationsSQL = `
select coalesce(json_object_agg(c.oid, json_build_object(
  'Schema', n.nspname,
  'Name', c.relname,
  'Columns', (
    select json_object_agg(a.attnum, a.attname)
    from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0))), '{}')
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f')
  and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_t'`
