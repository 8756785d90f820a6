package rest

import (
	"strconv"
	"strings"
)

// A query is a select statement in the making.
type query struct {
	items, joins, groups, where []string
}

// add appends an item of the select list. An item that is not aggregated is grouped by, if anything is.
func (s *query) add(sql string, aggregated bool) {
	s.items = append(s.items, sql)
	if !aggregated {
		s.groups = append(s.groups, strconv.Itoa(len(s.items)))
	}
}

// selectSQL is the query of a plan: columns, lateral joins of what is embedded, filters, order and window.
func (b *builder) selectSQL(plan *readPlan, source string, rows window) (string, error) {
	var s query
	applied := !plan.spreadsOne() // else aggregates are left to the parent, whose rows they group
	for _, f := range plan.fields {
		sql, err := b.fieldSQL(plan, f, applied)
		if err != nil {
			return "", err
		}
		s.add(sql, applied && f.aggregate != "")
	}
	if len(plan.fields) == 0 && len(plan.children) == 0 {
		s.add(quote(plan.alias)+".*", false) // that the rows can be counted and sorted by; it is not shown
	}
	for _, child := range plan.children {
		if err := b.embedSQL(&s, plan, child, applied); err != nil {
			return "", err
		}
	}
	s.where = append(s.where, joinSQL(plan)...)
	filter, err := b.conditionSQL(plan, plan.node.filter, presentSQL)
	if err != nil {
		return "", err
	}
	if filter != "" {
		s.where = append(s.where, filter)
	}
	var sql strings.Builder
	sql.WriteString("select " + strings.Join(s.items, ", ") + " from " + source + strings.Join(s.joins, ""))
	if len(s.where) > 0 {
		sql.WriteString(" where " + strings.Join(s.where, " and "))
	}
	if applied && plan.aggregated() && len(s.groups) > 0 {
		sql.WriteString(" group by " + strings.Join(s.groups, ", "))
	}
	sql.WriteString(b.orderSQL(plan))
	if rows.limit != nil {
		sql.WriteString(" limit " + b.param(strconv.FormatInt(*rows.limit, 10)))
	}
	if rows.offset > 0 {
		sql.WriteString(" offset " + b.param(strconv.FormatInt(rows.offset, 10)))
	}
	return sql.String(), nil
}

// fieldSQL is one selected column with its name.
func (b *builder) fieldSQL(plan *readPlan, f selected, applied bool) (string, error) {
	if f.isStar() {
		return quote(plan.alias) + ".*", nil
	}
	sql := quote(plan.alias) // of count(), the row
	if f.name != "*" {
		sql = b.shownSQL(plan, f.column)
	} else if applied {
		sql = "*"
	}
	sql, err := castSQL(sql, f.cast)
	if err != nil {
		return "", err
	}
	if applied {
		if sql, err = aggregateSQL(sql, f.field); err != nil {
			return "", err
		}
	}
	return sql + " as " + quote(f.output), nil
}

func aggregateSQL(sql string, f *field) (string, error) {
	if f.aggregate == "" {
		return sql, nil
	}
	return castSQL(f.aggregate+"("+sql+")", f.aggCast)
}

// embedSQL adds what an embedded resource adds to its parent: columns, and a lateral join.
func (b *builder) embedSQL(s *query, plan, c *readPlan, applied bool) error {
	most := b.maxRows
	if c.relation.toOne && c.relation.function == nil {
		most = 0 // a limit would keep PostgreSQL from joining as it likes
	}
	rows, err := (window{}).narrow(c.node.limit, c.node.offset, most)
	if err != nil {
		return err
	}
	inner, err := b.selectSQL(c, embedSource(plan, c), rows)
	if err != nil {
		return err
	}
	name := quote(c.lateral)
	join, on := " left join lateral (", " on true"
	if c.node.inner {
		join = " join lateral ("
	}
	if c.relation.toOne {
		s.joins = append(s.joins, join+inner+") as "+name+on)
	} else {
		list := "json_agg(" + name + ") as " + name
		if c.node.spread {
			for _, one := range c.outputs() {
				list += ", coalesce(json_agg(" + name + "." + quote(one.name) + "), '[]')::jsonb as " + quote(one.name)
			}
		}
		if c.node.inner {
			on = " on " + name + "." + name + " is not null"
		}
		s.joins = append(s.joins, join+"select "+list+" from ("+inner+") as "+name+") as "+name+on)
	}
	grouped := ""
	if plan.aggregated() {
		grouped = "::jsonb" // json has no equality
	}
	switch {
	case c.bare():
	case c.node.spread:
		for _, one := range c.outputs() {
			sql, aggregated := name+"."+quote(one.name), false
			if one.name == "" { // every column of a function's result
				s.add(name+".*", false)
				continue
			}
			if applied && c.relation.toOne {
				aggregated = one.aggregate != ""
				if sql, err = aggregateSQL(sql, one.field); err != nil {
					return err
				}
			}
			s.add(sql+" as "+quote(one.name), aggregated)
		}
	case c.relation.toOne:
		s.add("row_to_json("+name+".*)"+grouped+" as "+quote(c.node.key()), false)
	default:
		s.add("coalesce("+name+"."+name+", '[]')"+grouped+" as "+quote(c.node.key()), false)
	}
	return nil
}

// embedSource is where an embedded resource's rows come from.
func embedSource(parent, c *readPlan) string {
	switch {
	case c.relation.function != nil: // the row's type is told: functions may be overloaded
		row := quote(parent.alias)
		if parent.derived { // whose columns may be more, or in another order
			var columns []string
			for _, column := range c.relation.source.Columns {
				columns = append(columns, row+"."+quote(column.Name))
			}
			row = "row(" + strings.Join(columns, ", ") + ")"
		}
		return c.relation.function.sql() + "(" + row + "::" + c.relation.source.sql() + ") as " + quote(c.alias)
	case c.relation.many != nil:
		return c.from.sql() + " as " + quote(c.alias) + ", " + c.relation.many.table.sql() + " as " + quote(c.lateral+"_middle")
	}
	return c.from.sql() + " as " + quote(c.alias)
}

// presentSQL tells whether an embedded resource has rows, of its join.
func presentSQL(c *readPlan) (string, error) {
	name := quote(c.lateral)
	if !c.relation.toOne {
		name += "." + name
	}
	return name + " is distinct from null", nil
}

// joinSQL ties an embedded resource to its parent's row.
func joinSQL(c *readPlan) []string {
	r := c.relation
	if r == nil || r.function != nil {
		return nil
	}
	var on []string
	if r.many == nil {
		for _, pair := range r.columns {
			on = append(on, quote(c.alias)+"."+quote(pair[1])+" = "+quote(c.parent.alias)+"."+quote(pair[0]))
		}
		return on
	}
	middle := quote(c.lateral + "_middle")
	for _, pair := range r.many.sourceSide {
		on = append(on, middle+"."+quote(pair[1])+" = "+quote(c.parent.alias)+"."+quote(pair[0]))
	}
	for _, pair := range r.many.targetSide {
		on = append(on, middle+"."+quote(pair[1])+" = "+quote(c.alias)+"."+quote(pair[0]))
	}
	return on
}

// countSQL has a row for each that the plan's filters let through: no columns, joins or order, which counting does not need.
func (b *builder) countSQL(plan *readPlan, source string) (string, error) {
	exists := func(c *readPlan) (string, error) {
		sql, err := b.countSQL(c, embedSource(plan, c))
		return "exists (" + sql + ")", err
	}
	where := joinSQL(plan)
	filter, err := b.conditionSQL(plan, plan.node.filter, exists)
	if err != nil {
		return "", err
	}
	if filter != "" {
		where = append(where, filter)
	}
	for _, c := range plan.children {
		if c.node.inner {
			sql, err := exists(c)
			if err != nil {
				return "", err
			}
			where = append(where, sql)
		}
	}
	sql := "select 1 from " + source
	if len(where) > 0 {
		sql += " where " + strings.Join(where, " and ")
	}
	return sql, nil
}

// pageSQL is what an answer's rows are taken from, and what tells whether there would be more than one answer may hold: null where nobody asks.
func (b *builder) pageSQL(source string, rows window) (page, cut string) {
	if !rows.capped {
		return "select * from " + source, "null::bool"
	}
	most := b.param(strconv.FormatInt(*rows.limit, 10)) + "::bigint"
	return "select * from " + source + " limit " + most, "(select count(*) > " + most + " from " + source + ")"
}

// fetch is the window to read: one row more than an answer may hold tells whether there are more.
func (w window) fetch() window {
	if w.capped {
		one := *w.limit + 1
		w.limit = &one
	}
	return w
}

// bodySQL is the answer's body, made of the rows of the page; f is the function whose result they are, or nil.
func bodySQL(form shape, f *routine) string {
	scalar := f != nil && f.Scalar
	rows := "_page"
	if scalar {
		rows = "_page.pgrst_scalar"
	}
	list := "json_agg(" + rows + ")"
	if form.media.stripped {
		list = "json_strip_nulls(" + list + ")"
	}
	switch {
	case form.handler != nil && (form.handler.scalar || scalar && form.handler.cast == "" && form.handler.function == ""):
		return "_page.pgrst_scalar"
	case form.handler != nil && form.handler.cast != "":
		return form.handler.function + "(_page::" + form.handler.cast + ")"
	case form.handler != nil:
		return form.handler.function + "(" + rows + ")"
	case form.media.name == "":
		return "''"
	case form.media.name == typeCSV:
		return "(select coalesce(string_agg(a.k, ','), '') from (select json_object_keys(r)::text as k from (select row_to_json(h) as r from pgrst_source as h limit 1) s) a)" +
			" || chr(10) || coalesce(string_agg(substring(_page::text, 2, length(_page::text) - 2), chr(10)), '')"
	case form.media.name == typeGeoJSON:
		return "json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(_page)::json), '[]'))"
	case form.singular() || f != nil && !f.Set:
		return "coalesce(" + list + "->0, 'null')"
	}
	return "coalesce(" + list + ", '[]')"
}
