package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A builder writes SQL: identifiers of the schema quoted, everything else as parameters.
type builder struct {
	args    [][]byte
	maxRows int64 // in each embedded list
}

// param adds a value that PostgreSQL reads as the type it needs.
func (b *builder) param(value string) string {
	b.args = append(b.args, []byte(value))
	return fmt.Sprintf("$%d", len(b.args))
}

// columnSQL is a column, with its JSON path. What is no JSON becomes it first, so that paths work on composites and arrays too.
func (b *builder) columnSQL(plan *readPlan, c column) (string, error) {
	base := quote(plan.alias) + "." + quote(c.name)
	if len(c.path) == 0 {
		return base, nil
	}
	typ := ""
	if plan.from != nil {
		if known := plan.from.byName[c.name]; known != nil {
			typ = known.BaseType
		}
	}
	if typ != "json" && typ != "jsonb" {
		base = "to_jsonb(" + base + ")"
	}
	var out strings.Builder
	out.WriteString("(" + base)
	for _, s := range c.path {
		out.WriteString(map[bool]string{true: "->>", false: "->"}[s.asText])
		if s.index {
			out.WriteString(b.param(s.key) + "::int")
		} else {
			out.WriteString(b.param(s.key) + "::text")
		}
	}
	return out.String() + ")", nil
}

// typeName refuses what is no name of a type: the only text of a client that becomes part of the SQL.
func typeName(name string) (string, error) {
	base, array := strings.CutSuffix(name, "[]")
	for _, r := range base {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != ' ' {
			return "", unparsable(selectParameter, name, 0, "a cast names a type")
		}
	}
	words := strings.Fields(base)
	if len(words) == 0 || len(words) > 4 {
		return "", unparsable(selectParameter, name, 0, "a cast names a type")
	}
	out := quote(words[0])
	if len(words) > 1 || isBuiltin(words[0]) { // double precision, timestamp with time zone; int, which is a word of the grammar
		out = strings.Join(words, " ")
		if !isBuiltin(words[0]) {
			return "", unparsable(selectParameter, name, 0, "a cast names a type")
		}
	}
	if array {
		out += "[]"
	}
	return out, nil
}

// isBuiltin lists the names of types that are words of SQL's grammar, which quotes would hide.
func isBuiltin(word string) bool {
	return slices.Contains([]string{"int", "integer", "smallint", "bigint", "decimal", "numeric", "real", "double", "float", "boolean", "bit", "char", "character",
		"varchar", "time", "timestamp", "interval", "dec", "national", "nchar"}, strings.ToLower(word))
}

// itemSQL is one selected column with its name.
func (b *builder) itemSQL(plan *readPlan, item planItem) (string, error) {
	f := item.field
	if f.name == "*" && f.aggregate == "" {
		return quote(plan.alias) + ".*", nil
	}
	var expression string
	var err error
	if f.name != "*" {
		if expression, err = b.columnSQL(plan, f.column); err != nil {
			return "", err
		}
		if f.cast != "" {
			typ, err := typeName(f.cast)
			if err != nil {
				return "", err
			}
			expression = "cast(" + expression + " as " + typ + ")"
		}
	} else {
		expression = "*"
	}
	if f.aggregate != "" {
		expression = f.aggregate + "(" + expression + ")"
		if f.aggCast != "" {
			typ, err := typeName(f.aggCast)
			if err != nil {
				return "", err
			}
			expression = "cast(" + expression + " as " + typ + ")"
		}
	}
	return expression + " as " + quote(item.output), nil
}

// selectSQL is the query of a plan: columns, lateral joins of what is embedded, filters, order and window.
func (b *builder) selectSQL(plan *readPlan, source string, rows window) (string, error) {
	var items, joins, groups []string
	for _, item := range plan.items {
		if item.child != nil {
			columns, join, err := b.embedSQL(plan, item)
			if err != nil {
				return "", err
			}
			items = append(items, columns...)
			joins = append(joins, join)
			if plan.grouped {
				for _, c := range columns {
					expression, _, _ := strings.Cut(c, " as ")
					groups = append(groups, expression)
				}
			}
			continue
		}
		sql, err := b.itemSQL(plan, item)
		if err != nil {
			return "", err
		}
		items = append(items, sql)
		if plan.grouped && item.field.aggregate == "" {
			expression := sql
			if i := strings.LastIndex(sql, " as "); i > 0 {
				expression = sql[:i]
			}
			groups = append(groups, expression)
		}
	}
	if len(items) == 0 && len(plan.items) == 0 && len(plan.node.items) == 0 {
		items = append(items, "")
	}
	var where []string
	if plan.relation != nil {
		where = append(where, b.joinSQL(plan)...)
	}
	filter, err := b.conditionSQL(plan, plan.node.filter, true)
	if err != nil {
		return "", err
	}
	if filter != "" {
		where = append(where, filter)
	}
	for _, c := range plan.children {
		if c.inner {
			where = append(where, b.presentSQL(c, false))
		}
	}
	var sql strings.Builder
	sql.WriteString("select " + strings.Join(items, ", ") + " from " + source)
	for _, j := range joins {
		sql.WriteString(" " + j)
	}
	if len(where) > 0 {
		sql.WriteString(" where " + strings.Join(where, " and "))
	}
	if len(groups) > 0 {
		sql.WriteString(" group by " + strings.Join(groups, ", "))
	}
	order, err := b.orderSQL(plan)
	if err != nil {
		return "", err
	}
	sql.WriteString(order)
	if rows.limit != nil {
		sql.WriteString(" limit " + b.param(fmt.Sprint(*rows.limit)))
	}
	if rows.offset > 0 {
		sql.WriteString(" offset " + b.param(fmt.Sprint(rows.offset)))
	}
	return sql.String(), nil
}

// presentSQL tells whether an embedded resource has rows.
func (b *builder) presentSQL(c *readPlan, absent bool) string {
	present := quote(lateral(c)) + " is distinct from null"
	if !c.relation.toOne {
		present = quote(lateral(c)) + "." + quote(lateral(c)) + " is distinct from null"
	}
	if absent {
		return "not (" + present + ")"
	}
	return present
}

// lateral is the alias of an embedded resource's join.
func lateral(c *readPlan) string { return c.alias + "_embed" }

// embedSQL is what an embedded resource adds to its parent: columns, and a lateral join.
func (b *builder) embedSQL(parent *readPlan, item planItem) (columns []string, join string, err error) {
	c := item.child
	rows, err := (window{}).narrow(c.node.limit, c.node.offset, b.maxRows)
	if err != nil {
		return nil, "", err
	}
	source := ""
	switch {
	case c.relation.function != nil:
		source = c.relation.function.sql() + "(" + quote(parent.alias) + ") as " + quote(c.alias)
	case c.relation.many != nil:
		source = c.from.sql() + " as " + quote(c.alias) + ", " + c.relation.many.table.sql() + " as " + quote(c.alias+"_middle")
	default:
		source = c.from.sql() + " as " + quote(c.alias)
	}
	c.relation = c.relation.of(parent)
	inner, err := b.selectSQL(c, source, rows)
	if err != nil {
		return nil, "", err
	}
	name := lateral(c)
	if c.relation.toOne {
		join = "left join lateral (" + inner + ") as " + quote(name) + " on true"
	} else {
		join = "left join lateral (select json_agg(" + quote(name) + ") as " + quote(name) + " from (" + inner + ") as " + quote(name) + ") as " + quote(name) + " on true"
	}
	switch {
	case len(c.items) == 0 || onlyEmptyEmbeds(c): // selected for its filters alone
		return nil, join, nil
	case c.node.spread && c.relation.toOne:
		for _, one := range outputs(c) {
			if one == "*" {
				columns = append(columns, quote(name)+".*")
			} else {
				columns = append(columns, quote(name)+"."+quote(one)+" as "+quote(one))
			}
		}
	case c.node.spread:
		for _, one := range outputs(c) {
			columns = append(columns, fmt.Sprintf("coalesce((select json_agg(e->%s) from json_array_elements(%s.%s) e), '[]') as %s",
				b.param(one)+"::text", quote(name), quote(name), quote(one)))
		}
	case c.relation.toOne:
		columns = append(columns, "row_to_json("+quote(name)+".*) as "+quote(item.output))
	default:
		columns = append(columns, "coalesce("+quote(name)+"."+quote(name)+", '[]') as "+quote(item.output))
	}
	return columns, join, nil
}

func onlyEmptyEmbeds(c *readPlan) bool {
	for _, item := range c.items {
		if item.child == nil || len(item.child.items) > 0 && !onlyEmptyEmbeds(item.child) {
			return false
		}
	}
	return true
}

// outputs are the names of a plan's columns, with those of spread resources.
func outputs(p *readPlan) []string {
	var names []string
	for _, item := range p.items {
		switch {
		case item.child == nil && item.field.name == "*" && item.field.aggregate == "":
			if p.from == nil {
				names = append(names, "*")
				continue
			}
			for _, c := range p.from.Columns {
				names = append(names, c.Name)
			}
		case item.child != nil && (len(item.child.items) == 0 || onlyEmptyEmbeds(item.child)):
		case item.child != nil && item.child.node.spread:
			names = append(names, outputs(item.child)...)
		default:
			names = append(names, item.output)
		}
	}
	return names
}

// of binds a relation to the alias of its parent.
func (r *relation) of(parent *readPlan) *relation {
	bound := *r
	bound.parentAlias = parent.alias
	return &bound
}

// joinSQL ties an embedded resource to its parent's row.
func (b *builder) joinSQL(c *readPlan) []string {
	r := c.relation
	if r.function != nil {
		return nil
	}
	var on []string
	if r.many == nil {
		for _, pair := range r.columns {
			on = append(on, quote(c.alias)+"."+quote(pair[1])+" = "+quote(r.parentAlias)+"."+quote(pair[0]))
		}
		return on
	}
	middle := quote(c.alias + "_middle")
	for _, pair := range r.many.sourceSide {
		on = append(on, middle+"."+quote(pair[1])+" = "+quote(r.parentAlias)+"."+quote(pair[0]))
	}
	for _, pair := range r.many.targetSide {
		on = append(on, middle+"."+quote(pair[1])+" = "+quote(c.alias)+"."+quote(pair[0]))
	}
	return on
}

// conditionSQL is a tree of filters; embeds says whether filters may name embedded resources.
func (b *builder) conditionSQL(plan *readPlan, c condition, embeds bool) (string, error) {
	if c.filter != nil {
		if embeds && plan.isEmbedFilter(c.filter) {
			absent := c.filter.value == "null"
			if c.filter.negated {
				absent = !absent
			}
			return b.presentSQL(plan.child(c.filter.column.name), absent), nil
		}
		return b.filterSQL(plan, *c.filter)
	}
	var parts []string
	for _, part := range c.parts {
		sql, err := b.conditionSQL(plan, part, embeds)
		if err != nil {
			return "", err
		}
		if sql != "" {
			parts = append(parts, sql)
		}
	}
	if len(parts) == 0 {
		return "", nil
	}
	joined := strings.Join(parts, map[bool]string{true: " or ", false: " and "}[c.any])
	if c.negated {
		return "not (" + joined + ")", nil
	}
	return "(" + joined + ")", nil
}

// filterSQL is one comparison.
func (b *builder) filterSQL(plan *readPlan, f filter) (string, error) {
	left, err := b.columnSQL(plan, f.column)
	if err != nil {
		return "", err
	}
	not := func(sql string) string {
		if f.negated {
			return "not " + sql
		}
		return sql
	}
	if f.operator == "in" {
		return not(left + " = any (" + b.param(arrayLiteral(f.list)) + ")"), nil
	}
	if f.operator == "is" {
		return not(left + " is " + map[string]string{"null": "null", "not_null": "not null", "true": "true", "false": "false", "unknown": "unknown"}[f.value]), nil
	}
	if function, isSearch := searches[f.operator]; isSearch {
		language := ""
		if f.language != "" {
			language = b.param(f.language) + "::regconfig, "
		}
		if plan.from != nil && len(f.column.path) == 0 {
			if known := plan.from.byName[f.column.name]; known != nil && known.BaseType != "tsvector" {
				left = "to_tsvector(" + language + left + ")"
			}
		} else if len(f.column.path) > 0 {
			left = "to_tsvector(" + language + left + ")"
		}
		return not(left + " @@ " + function + "(" + language + b.param(f.value) + ")"), nil
	}
	value := f.value
	if slices.Contains([]string{"like", "ilike"}, f.operator) {
		value = strings.ReplaceAll(value, "*", "%")
	}
	right := b.param(value)
	if f.quantity != "" {
		right = f.quantity + " (" + right + ")"
	}
	return not(left + " " + operators[f.operator] + " " + right), nil
}

// arrayLiteral writes an array as PostgreSQL reads it.
func arrayLiteral(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

func (b *builder) orderSQL(plan *readPlan) (string, error) {
	if len(plan.node.order) == 0 {
		return "", nil
	}
	var terms []string
	for _, o := range plan.node.order {
		var sql string
		var err error
		if o.relation != "" {
			// The lateral join selects what the client asked for; the order may need another column, so that it is looked up in the relation itself.
			sql, err = b.relatedOrder(plan, plan.child(o.relation), o)
		} else {
			sql, err = b.columnSQL(plan, o.column)
		}
		if err != nil {
			return "", err
		}
		if o.direction != "" {
			sql += " " + o.direction
		}
		if o.nulls != "" {
			sql += " nulls " + o.nulls
		}
		terms = append(terms, sql)
	}
	return " order by " + strings.Join(terms, ", "), nil
}

// relatedOrder looks up the column of a to-one relation.
func (b *builder) relatedOrder(parent, of *readPlan, o orderTerm) (string, error) {
	scratch := *of
	scratch.alias = of.alias + "_order"
	scratch.relation = of.relation.of(parent)
	column, err := b.columnSQL(&scratch, o.column)
	if err != nil {
		return "", err
	}
	source := scratch.from.sql() + " as " + quote(scratch.alias)
	if of.relation.function != nil {
		source = of.relation.function.sql() + "(" + quote(parent.alias) + ") as " + quote(scratch.alias)
	}
	where := strings.Join(b.joinSQL(&scratch), " and ")
	if where == "" {
		where = "true"
	}
	return "(select " + column + " from " + source + " where " + where + ")", nil
}

// pageSQL is what an answer's rows are taken from, and what tells whether there would be more than one answer may hold: null where nobody asks.
func (b *builder) pageSQL(rows window) (page, cut string) {
	if !rows.capped {
		return "(select * from _source)", "null::bool"
	}
	most := b.param(fmt.Sprint(*rows.limit)) + "::bigint"
	return "(select * from _source limit " + most + ")", "(select count(*) > " + most + " from _source)"
}

// fetch is the window to read: one row more than an answer may hold tells whether there are more.
func (w window) fetch() window {
	if w.capped {
		one := *w.limit + 1
		w.limit = &one
	}
	return w
}

// bodySQL wraps the rows of a source into the answer: total, rows of the page, body, headers and status that functions set.
func bodySQL(kind, total string) string {
	body := "coalesce(json_agg(_page), '[]')::text"
	switch kind {
	case typeSingular:
		body = "coalesce((json_agg(_page)->0)::text, 'null')"
	case typeCSV:
		body = "coalesce((select string_agg(replace(quote_ident(k), '\"\"', '\"'), ',') from (select json_object_keys(r) k from (select row_to_json(hh)::json r from _source as hh limit 1) s) a), '') || chr(10) || coalesce(string_agg(substring(_page::text, 2, length(_page::text) - 2), chr(10)), '')"
	case typeGeoJSON:
		body = "json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(_page)::json), '[]'))::text"
	case "none":
		body = "''"
	case "scalar":
		body = "coalesce(json_agg(_page.pgrst_scalar)->>0, 'null')"
	case "scalars":
		body = "coalesce(json_agg(_page.pgrst_scalar), '[]')::text"
	case "raw":
		body = "string_agg(_page.pgrst_scalar::text, '')"
	case "stripped":
		body = "coalesce(json_strip_nulls(json_agg(_page)), '[]')::text"
	case "strippedSingular":
		body = "coalesce((json_strip_nulls(json_agg(_page))->0)::text, 'null')"
	}
	return "select " + total + ", count(_page), " + body + ", nullif(current_setting('response.headers', true), ''), nullif(current_setting('response.status', true), '')"
}

// payloadSQL turns a JSON body into rows of the target's types.
func (b *builder) payloadSQL(columns []string, target *table, body string) (string, error) {
	var types []string
	for _, name := range columns {
		c := target.byName[name]
		if c == nil {
			return "", columnNotFound(target, name)
		}
		types = append(types, quote(name)+" "+c.Type)
	}
	if len(types) == 0 {
		return "", nil
	}
	return "json_to_recordset(" + b.param(body) + "::json) as _body(" + strings.Join(types, ", ") + ")", nil
}

func columnNotFound(t *table, name string) error {
	return failure(http.StatusBadRequest, "PGRST204", fmt.Sprintf("Could not find the '%s' column of '%s' in the schema cache", name, t.Name))
}
