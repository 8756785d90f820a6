package catalog

import "slices"

// A Function is a function that the API can call.
type Function struct {
	Schema, Name string
	Comment      string
	OID          string
	Parameters   []Parameter
	ReturnType   string
	ReturnSchema string
	ReturnTable  string // the relation of a composite type; empty means none
	Set          bool   // returns rows
	Scalar       bool   // returns no composite type
	Void         bool
	Volatile     bool
	Single       bool // is declared with ROWS 1
	Callable     bool // its parameters have names, or its only one takes the whole body
	Settings     []Setting
}

// A Parameter is an input parameter of a function.
type Parameter struct {
	Name, Type string
	Unbounded  string // the type for a value of any length: a cast to bit or character would cut it
	Required   bool
	Variadic   bool
	OfSchema   string // of a table's row type, the table's schema
	OfTable    string // of a table's row type, the table's name
}

// TakesBody reports whether the only parameter takes the whole body of a request.
func (f *Function) TakesBody() bool {
	return len(f.Parameters) == 1 && f.Parameters[0].Name == "" &&
		slices.Contains([]string{"bytea", "json", "jsonb", "text", "xml"}, f.Parameters[0].Type)
}

// Nameable reports whether a request can name the arguments: all parameters have names, or the only one takes
// the whole body.
func (f *Function) Nameable() bool {
	unnamed := slices.ContainsFunc(f.Parameters, func(p Parameter) bool { return p.Name == "" })
	return !unnamed || f.TakesBody()
}

func (c *Catalog) addFunction(f *Function) {
	if c.functions[f.Schema] == nil {
		c.functions[f.Schema] = map[string][]*Function{}
	}
	c.functions[f.Schema][f.Name] = append(c.functions[f.Schema][f.Name], f)
}

// functionsSQL reads functions with their input parameters: modes i (in), b (inout) and v (variadic).
const functionsSQL = domainsSQL + `
select coalesce(json_agg(f), '[]')
from (
  select n.nspname as "Schema",
    p.proname as "Name",
    coalesce(d.description, '') as "Comment",
    p.oid::text as "OID",
    (select coalesce(json_agg(json_build_object(
        'Name', coalesce(p.proargnames[o], ''),
        'Type', format_type(a, null),
        'Unbounded', case format_type(a, null)
          when 'bit' then 'bit varying'
          when 'bit[]' then 'bit varying[]'
          when 'character' then 'character varying'
          when 'character[]' then 'character varying[]'
          else format_type(a, null) end,
        'Required', o <= p.pronargs - p.pronargdefaults,
        'Variadic', coalesce(p.proargmodes[o] = 'v', false),
        'OfSchema', an.nspname,
        'OfTable', ac.relname) order by o), '[]')
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality u (a, o)
      join pg_type pt on pt.oid = a
      left join pg_class ac on ac.oid = pt.typrelid and pt.typrelid <> 0
      left join pg_namespace an on an.oid = ac.relnamespace
      where p.proargmodes is null or p.proargmodes[o] in ('i', 'b', 'v')) as "Parameters",
    format_type(p.prorettype, null) as "ReturnType",
    coalesce(cn.nspname, tn.nspname) as "ReturnSchema",
    coalesce(cls.relname, '') as "ReturnTable",
    p.proretset as "Set",
    t.typtype <> 'c' and not coalesce(p.proargmodes::text[] && '{t,b,o}', false) as "Scalar",
    p.prorettype = 'void'::regtype as "Void",
    p.provolatile = 'v' as "Volatile",
    p.prorows = 1 as "Single",
    coalesce((
      select count(*) filter (where coalesce(p.proargnames[o], '') = '') = 0
        or count(*) = 1 and bool_and(
          a in ('json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype, 'bytea'::regtype))
      from unnest(p.proargtypes::oid[]) with ordinality u (a, o)), true) as "Callable",
    (select json_agg(json_build_object('Name', split_part(s, '=', 1), 'Value', substr(s, strpos(s, '=') + 1)))
      from unnest(p.proconfig) s) as "Settings"
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
  left join bases b on b.oid = p.prorettype
  join pg_type t on t.oid = coalesce(b.base, p.prorettype)
  join pg_namespace tn on tn.oid = t.typnamespace
  left join pg_class cls on cls.oid = t.typrelid
  left join pg_namespace cn on cn.oid = cls.relnamespace
  left join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
  where p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
    and n.nspname not in ('pg_catalog', 'information_schema')
  order by n.nspname, p.proname, p.pronargs, d.description nulls first,
    pg_get_function_arguments(p.oid) collate "C"
) f`
