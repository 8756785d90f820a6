package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"research/db"
)

// The catalogue is read as JSON, each part in one query.

// domainBases gives the type below each domain, however many domains are between. Only domains are in it: it is looked into for every column.
const domainBases = `
with recursive steps(oid, base) as (
  select oid, typbasetype from pg_type where typtype = 'd'
  union all
  select s.oid, t.typbasetype from steps s join pg_type t on t.oid = s.base where t.typtype = 'd'),
bases as materialized (select s.oid, s.base from steps s join pg_type t on t.oid = s.base where t.typtype <> 'd')`

const tablesSQL = domainBases + `
select coalesce(json_agg(t), '[]') from (
  select n.nspname as "Schema", c.relname as "Name", coalesce(d.description, '') as "Comment", c.relkind in ('v', 'm') as "IsView",
    (c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and (pg_relation_is_updatable(c.oid::regclass, true) & 8) = 8) as "Insertable",
    (c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and (pg_relation_is_updatable(c.oid::regclass, true) & 4) = 4) as "Updatable",
    (c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and (pg_relation_is_updatable(c.oid::regclass, true) & 16) = 16) as "Deletable",
    (select coalesce(json_agg(json_build_object(
        'Name', a.attname, 'Comment', coalesce(col_description(c.oid, a.attnum), ''), 'Type', format_type(a.atttypid, a.atttypmod),
        'BaseType', format_type(coalesce(b.base, t.oid), null), 'Nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
        'Default', case when a.attidentity = 'd' then format('nextval(%L)', (select q.objid::regclass from pg_depend q where q.classid = 'pg_class'::regclass and q.refclassid = 'pg_class'::regclass and q.refobjid = c.oid and q.refobjsubid = a.attnum and q.deptype = 'i')) when a.attgenerated <> '' then ''
          when ad.adbin is null then coalesce(pg_get_expr(t.typdefaultbin, 0), '') else pg_get_expr(ad.adbin, ad.adrelid) end,
        'MaxLength', case when t.typname in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4 else 0 end,
        'Generated', a.attgenerated <> '' or a.attidentity = 'a',
        'Enum', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = coalesce(b.base, t.oid))) order by a.attnum), '[]')
      from pg_attribute a join pg_type t on t.oid = a.atttypid left join bases b on b.oid = t.oid left join pg_attrdef ad on ad.adrelid = a.attrelid and ad.adnum = a.attnum
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

const routinesSQL = domainBases + `
select coalesce(json_agg(f), '[]') from (
  select n.nspname as "Schema", p.proname as "Name", coalesce(d.description, '') as "Comment", p.oid::text as "OID",
    (select coalesce(json_agg(json_build_object('Name', coalesce(p.proargnames[o], ''), 'Type', format_type(a, null),
        'Longest', case format_type(a, null) when 'bit' then 'bit varying' when 'bit[]' then 'bit varying[]' when 'character' then 'character varying'
          when 'character[]' then 'character varying[]' else format_type(a, null) end,
        'Required', o <= p.pronargs - p.pronargdefaults, 'Variadic', coalesce(p.proargmodes[o] = 'v', false),
        'OfSchema', an.nspname, 'OfTable', ac.relname) order by o), '[]')
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality u (a, o)
      join pg_type pt on pt.oid = a left join pg_class ac on ac.oid = pt.typrelid and pt.typrelid <> 0 left join pg_namespace an on an.oid = ac.relnamespace
      where p.proargmodes is null or p.proargmodes[o] in ('i', 'b', 'v')) as "Parameters",
    format_type(p.prorettype, null) as "ReturnType", coalesce(cn.nspname, tn.nspname) as "ReturnSchema", coalesce(cls.relname, '') as "ReturnTable",
    p.proretset as "Set", t.typtype <> 'c' and not coalesce(p.proargmodes::text[] && '{t,b,o}', false) as "Scalar",
    p.prorettype = 'void'::regtype as "Void", p.provolatile = 'v' as "Volatile", p.provariadic <> 0 as "Variadic", p.prorows = 1 as "Single",
    coalesce((select count(*) filter (where coalesce(p.proargnames[o], '') = '') = 0
        or count(*) = 1 and bool_and(a in ('json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype, 'bytea'::regtype))
      from unnest(p.proargtypes::oid[]) with ordinality u (a, o)), true) as "Callable",
    (select json_agg(json_build_object('Name', split_part(s, '=', 1), 'Value', substr(s, strpos(s, '=') + 1))) from unnest(p.proconfig) s) as "Settings"
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace left join bases b on b.oid = p.prorettype join pg_type t on t.oid = coalesce(b.base, p.prorettype)
  join pg_namespace tn on tn.oid = t.typnamespace left join pg_class cls on cls.oid = t.typrelid left join pg_namespace cn on cn.oid = cls.relnamespace
  left join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
  where p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype) and n.nspname not in ('pg_catalog', 'information_schema')
  order by n.nspname, p.proname, p.pronargs, d.description nulls first, pg_get_function_arguments(p.oid) collate "C"
) f`

// castsSQL gives the functions that PostgREST calls data representations: implicit casts between a domain and json or text.
const castsSQL = `
select coalesce(json_agg(json_build_object('Source', format_type(c.castsource, null), 'Target', format_type(c.casttarget, null), 'Function', format('%I.%I', n.nspname, p.proname))), '[]')
from pg_cast c join pg_type s on s.oid = c.castsource join pg_type t on t.oid = c.casttarget join pg_proc p on p.oid = c.castfunc join pg_namespace n on n.oid = p.pronamespace
where c.castcontext = 'i' and c.castmethod = 'f' and has_function_privilege(p.oid, 'execute')
  and (s.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype) or t.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype))`

// handlersSQL gives what answers with a media type: aggregates and functions that return a domain whose name is one.
const handlersSQL = domainBases + `, media as (
  select t.oid, lower(t.typname) as name, case t.typname when '*/*' then 'application/octet-stream' else t.typname end as resolved, b.base = 'bytea'::regtype as bytes
  from pg_type t join bases b on b.oid = t.oid where t.typbasetype <> 0 and (t.typname ~ '^[A-Za-z0-9.-]+/[A-Za-z0-9.+-]+$' or t.typname = '*/*'))
select coalesce(json_agg(h), '[]') from (
  select n.nspname as "Schema", format('%I.%I', n.nspname, p.proname) as "Function", an.nspname as "ForSchema", a.typname as "ForName",
    a.oid = 'anyelement'::regtype as "Any", false as "Scalar", m.name as "Name", m.resolved as "Media", m.bytes as "Bytes"
  from media m join pg_proc p on p.prorettype = m.oid join pg_namespace n on n.oid = p.pronamespace join pg_aggregate g on g.aggfnoid = p.oid
  join pg_type a on a.oid = p.proargtypes[0] join pg_namespace an on an.oid = a.typnamespace
  where p.pronargs = 1 and (a.typtype = 'c' or a.oid = 'anyelement'::regtype)
  union all
  select n.nspname, '', n.nspname, p.proname, false, true, m.name, m.resolved, m.bytes
  from media m join pg_proc p on p.prorettype = m.oid join pg_namespace n on n.oid = p.pronamespace
  where p.prokind = 'f' and not p.proretset
) h`

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

type domainCast struct{ Source, Target, Function string }

type mediaHandler struct {
	Schema, Function, ForSchema, ForName, Name, Media string
	Any, Scalar, Bytes                                bool
}

// loadSchema reads the catalogue; exposed are the schemas whose functions may serve requests.
func loadSchema(ctx context.Context, store runner, exposed []string) (*schema, error) {
	var tables []*table
	var keys []foreignKey
	var views []viewRule
	var oids map[string]catalogued
	var routines []*routine
	var casts []domainCast
	var handlers []mediaHandler
	s := &schema{tables: map[string]map[string]*table{}, routines: map[string]map[string][]*routine{}, relations: map[*table][]*relation{}, computed: map[*table][]*relation{},
		casts: map[[2]string]string{}, handlers: map[handlerKey]*handler{}}
	// With no search path, every type is written with its schema.
	for _, part := range []struct {
		sql  string
		into any
	}{{tablesSQL, &tables}, {keysSQL, &keys}, {viewsSQL, &views}, {oidsSQL, &oids}, {routinesSQL, &routines}, {castsSQL, &casts}, {handlersSQL, &handlers}, {settingsSQL, &s.settings}} {
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
		if slices.Contains(exposed, r.Schema) {
			s.addComputed(r)
		}
		if !r.Callable {
			continue
		}
		if s.routines[r.Schema] == nil {
			s.routines[r.Schema] = map[string][]*routine{}
		}
		s.routines[r.Schema][r.Name] = append(s.routines[r.Schema][r.Name], r)
	}
	for _, c := range casts {
		s.casts[[2]string{c.Source, c.Target}] = c.Function
	}
	for _, h := range handlers {
		if slices.Contains(exposed, h.Schema) {
			s.addHandler(h)
		}
	}
	return s, nil
}

func (s *schema) addHandler(h mediaHandler) {
	made := &handler{function: h.Function, scalar: h.Scalar, media: h.Media, bytes: h.Bytes}
	key := handlerKey{h.ForSchema, h.ForName, decodeMedia(h.Name).name}
	if h.Any {
		key.schema, key.name = "", ""
	} else if !h.Scalar {
		made.cast = quote(h.ForSchema) + "." + quote(h.ForName)
	}
	s.handlers[key] = made
}
