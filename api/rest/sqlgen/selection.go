package sqlgen

import (
	"slices"
	"strconv"
	"strings"

	"research/api/rest/plan"
	"research/api/rest/query"
)

// A statement in the making: select items from source joins where … group by …
type selectStatement struct {
	items, joins, groups, where []string
}

// add appends an item. An item that is not an aggregate is grouped by if anything is.
func (s *selectStatement) add(sql string, aggregate bool) {
	s.items = append(s.items, sql)
	if !aggregate {
		s.groups = append(s.groups, strconv.Itoa(len(s.items)))
	}
}

// selectSQL returns the query of a selection: columns, lateral joins of embedded selections, filters, order
// and window.
func (b *builder) selectSQL(s *plan.Selection, source string, w plan.Window) string {
	var st selectStatement
	grouped := !s.SpreadsOne() // the parent of a spread selection groups the rows
	for _, f := range s.Fields {
		st.add(b.fieldSQL(s, f, grouped), grouped && f.Aggregate != "")
	}
	if len(s.Fields) == 0 && len(s.Embeds) == 0 {
		st.add(quote(s.Alias)+".*", false) // for counting and sorting; the answer does not contain it
	}
	for _, embedded := range s.Embeds {
		st.joins = append(st.joins, b.joinSQL(embedded))
		b.addOutputs(&st, s, embedded, grouped)
	}
	st.where = relatedBy(s)
	if filter := b.conditionSQL(s, s.Filter, joinedRows); filter != "" {
		st.where = append(st.where, filter)
	}
	sql := "select " + strings.Join(st.items, ", ") + " from " + source + strings.Join(st.joins, "")
	if len(st.where) > 0 {
		sql += " where " + strings.Join(st.where, " and ")
	}
	if grouped && s.Aggregated() && len(st.groups) > 0 {
		sql += " group by " + strings.Join(st.groups, ", ")
	}
	return sql + b.orderSQL(s) + b.windowSQL(w)
}

// windowSQL binds the numbers as parameters: with literals PostgreSQL would plan each page again, and under
// row-level security it chose slower plans.
func (b *builder) windowSQL(w plan.Window) string {
	sql := ""
	if w.Limit != nil {
		sql += " limit " + b.number(*w.Limit)
	}
	if w.Offset > 0 {
		sql += " offset " + b.number(w.Offset)
	}
	return sql
}

// fieldSQL is a selected column with its name.
func (b *builder) fieldSQL(s *plan.Selection, f plan.Field, grouped bool) string {
	var sql string
	switch {
	case f.IsStar():
		return quote(s.Alias) + ".*"
	case f.Name != query.Star:
		sql = b.shownSQL(s, f.Column)
	case grouped: // count()
		sql = "*"
	default: // count() of the parent: the row
		sql = quote(s.Alias)
	}
	sql = castSQL(sql, f.Cast)
	if grouped {
		sql = aggregateSQL(sql, f.Field)
	}
	return sql + " as " + quote(f.Output)
}

func aggregateSQL(sql string, f query.Field) string {
	if f.Aggregate == "" {
		return sql
	}
	return castSQL(f.Aggregate+"("+sql+")", f.AggregateCast)
}

// joinSQL is the lateral join of an embedded selection. To-one it gives the row, to-many a list of rows under
// the join's own name and, for a spread selection, a list of each column.
func (b *builder) joinSQL(e *plan.Selection) string {
	name := quote(e.Join)
	rows := b.selectSQL(e, sourceOf(e), e.Window)
	join, on := " left join lateral (", " on true"
	if e.Inner {
		join = " join lateral ("
	}
	if e.Relationship.ToOne() {
		return join + rows + ") as " + name + on
	}
	list := b.boundedList(e, "json_agg("+name+")") + " as " + name
	if e.Spread {
		for _, output := range e.Outputs() {
			column := quote(output.Name)
			all := b.boundedList(e, "json_agg("+name+"."+column+")")
			list += ", coalesce(" + all + ", '[]')::jsonb as " + column
		}
	}
	if e.Inner {
		on = " on " + name + "." + name + " is not null"
	}
	return join + "select " + list + " from (" + rows + ") as " + name + ") as " + name + on
}

// addOutputs adds the columns that an embedded selection gives its parent. grouped says whether the parent
// applies aggregates.
func (b *builder) addOutputs(st *selectStatement, parent, e *plan.Selection, grouped bool) {
	name := quote(e.Join)
	asGroup := ""
	if parent.Aggregated() {
		asGroup = "::jsonb" // json has no equality to group by
	}
	switch {
	case e.Hidden():
	case e.Spread:
		for _, output := range e.Outputs() {
			if output.Name == "" { // all columns of a function's result
				st.add(name+".*", false)
				continue
			}
			sql, aggregate := name+"."+quote(output.Name), false
			if grouped && e.Relationship.ToOne() {
				sql, aggregate = aggregateSQL(sql, output.Field), output.Aggregate != ""
			}
			st.add(sql+" as "+quote(output.Name), aggregate)
		}
	case e.Relationship.ToOne() && b.nests && !parent.Aggregated():
		st.add(name+" as "+quote(e.Key), false)
	case e.Relationship.ToOne():
		st.add("row_to_json("+name+".*)"+asGroup+" as "+quote(e.Key), false)
	default:
		st.add("coalesce("+name+"."+name+", '[]')"+asGroup+" as "+quote(e.Key), false)
	}
}

// sourceOf returns the source of an embedded selection's rows.
func sourceOf(e *plan.Selection) string {
	r := e.Relationship
	switch {
	case r.Function != nil: // the cast to the row's type chooses between overloads
		row := quote(e.Parent.Alias)
		if e.Parent.Derived { // its columns may be more, or in another order
			var columns []string
			for _, c := range r.Source.Columns {
				columns = append(columns, row+"."+quote(c.Name))
			}
			row = "row(" + strings.Join(columns, ", ") + ")"
		}
		return qualify(r.Function.Schema, r.Function.Name) +
			"(" + row + "::" + qualify(r.Source.Schema, r.Source.Name) + ") as " + quote(e.Alias)
	case r.Junction != nil:
		return qualify(e.Table.Schema, e.Table.Name) + " as " + quote(e.Alias) +
			", " + qualify(r.Junction.Table.Schema, r.Junction.Table.Name) + " as " + quote(junctionAlias(e))
	}
	return qualify(e.Table.Schema, e.Table.Name) + " as " + quote(e.Alias)
}

func junctionAlias(e *plan.Selection) string { return e.Join + "_middle" }

// relatedBy are the conditions that relate the rows of an embedded selection to its parent's row.
func relatedBy(e *plan.Selection) []string {
	r := e.Relationship
	if r == nil || r.Function != nil {
		return nil
	}
	var on []string
	equal := func(alias, column, otherAlias, otherColumn string) {
		on = append(on, quote(alias)+"."+quote(column)+" = "+quote(otherAlias)+"."+quote(otherColumn))
	}
	for _, pair := range r.Columns {
		equal(e.Alias, pair.To, e.Parent.Alias, pair.From)
	}
	if r.Junction != nil {
		for _, pair := range r.Junction.SourceColumns {
			equal(junctionAlias(e), pair.To, e.Parent.Alias, pair.From)
		}
		for _, pair := range r.Junction.TargetColumns {
			equal(junctionAlias(e), pair.To, e.Alias, pair.From)
		}
	}
	return on
}

// joinedRows is whether the join of an embedded selection has rows.
func joinedRows(e *plan.Selection) string {
	name := quote(e.Join)
	if !e.Relationship.ToOne() {
		name += "." + name
	}
	return name + " is distinct from null"
}

func (b *builder) orderSQL(s *plan.Selection) string {
	var terms []string
	for _, o := range s.Order {
		var sql string
		if o.Relation != "" {
			sql = b.relatedSQL(s.Embedded(o.Relation), o.Column)
		} else {
			sql = b.columnSQL(s, o.Column)
		}
		if o.Direction != "" {
			sql += " " + o.Direction
		}
		if o.Nulls != "" {
			sql += " nulls " + o.Nulls
		}
		terms = append(terms, sql)
	}
	if len(terms) == 0 {
		return ""
	}
	return " order by " + strings.Join(terms, ", ")
}

// relatedSQL is a column of an embedded row: of its join where the column is selected, and else of a
// subquery.
func (b *builder) relatedSQL(e *plan.Selection, c query.Column) string {
	selected := slices.ContainsFunc(e.Outputs(), func(o plan.Output) bool {
		return o.Name == c.Name && (o.Field.Name == c.Name || e.Column(c.Name) == nil)
	})
	if selected && len(c.Path) == 0 {
		return quote(e.Join) + "." + quote(c.Name)
	}
	sql := "(select " + b.columnSQL(e, c) + " from " + sourceOf(e)
	if on := relatedBy(e); len(on) > 0 {
		sql += " where " + strings.Join(on, " and ")
	}
	return sql + " limit 1)"
}
