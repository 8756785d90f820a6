package typescript

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"research/api/rest/catalog"
)

// types are what the declaration needs and requests don't, so that the catalog has no place for it. Types are
// named as format_type writes them with an empty search path.
type types struct {
	Enums      []enum
	Composites []composite
	Domains    map[string]string      // the type below each domain
	Outputs    map[string][]attribute // the columns of functions that declare them, by object identifier
	Computed   []computed
}

type enum struct {
	Schema, Name, Type string
	Labels             []string
}

type composite struct {
	Schema, Name, Type string
	Table              string // the kind of a table's row type: r, v and so on; c for a type of its own
	Attributes         []attribute
}

type attribute struct{ Name, Type string }

// A computed column is a function of a table's row that returns a scalar.
type computed struct{ Schema, Table, Name, Type string }

func loadTypes(ctx context.Context, query catalog.Query) (types, error) {
	raw, err := query(ctx, typesSQL)
	if err != nil {
		return types{}, fmt.Errorf("read the types: %w", err)
	}
	var t types
	if err := json.Unmarshal(raw, &t); err != nil {
		return types{}, fmt.Errorf("decode the types: %w", err)
	}
	return t, nil
}

func (t types) enumsOf(schema string) []enum {
	return slices.DeleteFunc(slices.Clone(t.Enums), func(e enum) bool { return e.Schema != schema })
}

func (t types) compositesOf(schema string) []composite {
	return slices.DeleteFunc(slices.Clone(t.Composites), func(c composite) bool {
		return c.Schema != schema || c.Table != "c"
	})
}

func (t types) computedOf(schema, table string) []computed {
	return slices.DeleteFunc(slices.Clone(t.Computed), func(c computed) bool {
		return c.Schema != schema || c.Table != table
	})
}

// modifiers are those of numeric(10,2) and timestamp(3) with time zone.
var modifiers = regexp.MustCompile(`\([0-9, ]+\)`)

// typeOf returns the type of a value's JSON. Other base types than those listed are strings in JSON, but a
// type of an extension may have a cast to JSON, so that its values are unknown.
func (g *generator) typeOf(t string) string {
	if element, is := strings.CutSuffix(t, "[]"); is {
		return array(g.typeOf(element))
	}
	t = modifiers.ReplaceAllString(t, "")
	if base, is := g.types.Domains[t]; is {
		return g.typeOf(base)
	}
	switch t {
	case "boolean":
		return "boolean"
	case "smallint", "integer", "bigint", "real", "double precision", "numeric", "oid":
		return "number"
	case "json", "jsonb":
		return "Json"
	case "void":
		return "undefined"
	case "record":
		return "Record<string, unknown>"
	}
	for _, e := range g.types.Enums {
		if e.Type == t {
			return g.enumType(e)
		}
	}
	for _, c := range g.types.Composites {
		if c.Type == t {
			return g.compositeType(c)
		}
	}
	if strings.Contains(t, ".") && !strings.HasSuffix(t, ".citext") {
		return "unknown"
	}
	return "string"
}

func (g *generator) enumType(e enum) string {
	if !slices.Contains(g.schemas, e.Schema) {
		return union(e.Labels)
	}
	return fmt.Sprintf(`Database[%s]["Enums"][%s]`, text(e.Schema), text(e.Name))
}

func (g *generator) compositeType(c composite) string {
	if !slices.Contains(g.schemas, c.Schema) {
		return "Record<string, unknown>"
	}
	switch c.Table {
	case "c":
		return fmt.Sprintf(`Database[%s]["CompositeTypes"][%s]`, text(c.Schema), text(c.Name))
	case "v", "m":
		return fmt.Sprintf(`Database[%s]["Views"][%s]["Row"]`, text(c.Schema), text(c.Name))
	default:
		return fmt.Sprintf(`Database[%s]["Tables"][%s]["Row"]`, text(c.Schema), text(c.Name))
	}
}

func array(element string) string {
	if strings.Contains(element, " | ") {
		element = "(" + element + ")"
	}
	return element + "[]"
}

func union(labels []string) string {
	if len(labels) == 0 {
		return "never"
	}
	list := make([]string, len(labels))
	for i, label := range labels {
		list[i] = text(label)
	}
	return strings.Join(list, " | ")
}

// text returns a string literal. JSON's are TypeScript's as well.
func text(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string has no value that JSON lacks
	}
	return string(raw)
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// name returns a property's name, quoted if it is not an identifier.
func name(s string) string {
	if identifier.MatchString(s) {
		return s
	}
	return text(s)
}

// typesSQL returns types as one object. Output columns are those of modes t (table), o (out) and b (inout).
const typesSQL = `
with recursive steps(oid, base) as (
  select oid, typbasetype from pg_type where typtype = 'd'
  union all
  select s.oid, t.typbasetype from steps s join pg_type t on t.oid = s.base where t.typtype = 'd')
select json_build_object(
  'Enums', (select coalesce(json_agg(json_build_object(
      'Schema', n.nspname, 'Name', t.typname, 'Type', format_type(t.oid, null),
      'Labels', (select coalesce(json_agg(e.enumlabel order by e.enumsortorder), '[]')
        from pg_enum e where e.enumtypid = t.oid)) order by n.nspname, t.typname), '[]')
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where t.typtype = 'e'),
  'Composites', (select coalesce(json_agg(json_build_object(
      'Schema', n.nspname, 'Name', t.typname, 'Type', format_type(t.oid, null), 'Table', c.relkind,
      'Attributes', case when c.relkind = 'c' then (
        select coalesce(json_agg(json_build_object(
          'Name', a.attname, 'Type', format_type(a.atttypid, null)) order by a.attnum), '[]')
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) end)
      order by n.nspname, t.typname), '[]')
    from pg_type t
    join pg_namespace n on n.oid = t.typnamespace
    join pg_class c on c.oid = t.typrelid
    where t.typtype = 'c' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_t'),
  'Domains', (select coalesce(json_object_agg(format_type(s.oid, null), format_type(s.base, null)), '{}')
    from steps s join pg_type t on t.oid = s.base
    where t.typtype <> 'd'),
  'Outputs', (select coalesce(json_object_agg(p.oid::text, (
      select json_agg(json_build_object('Name', coalesce(p.proargnames[o], ''), 'Type', format_type(a, null))
        order by o)
      from unnest(p.proallargtypes) with ordinality u (a, o)
      where p.proargmodes[o] in ('t', 'o', 'b'))), '{}')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.proargmodes::text[] && '{t,o,b}' and n.nspname not in ('pg_catalog', 'information_schema')),
  'Computed', (select coalesce(json_agg(json_build_object(
      'Schema', n.nspname, 'Table', c.relname, 'Name', p.proname, 'Type', format_type(p.prorettype, null))
      order by p.proname), '[]')
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    join pg_type t on t.oid = p.proargtypes[0]
    join pg_class c on c.oid = t.typrelid and c.relnamespace = n.oid
    join pg_type r on r.oid = p.prorettype
    where p.prokind = 'f' and p.pronargs = 1 and not p.proretset and p.proargmodes is null
      and r.typtype not in ('c', 'p')))`
