package sqlgen

import (
	"strings"

	"research/api/rest/plan"
	"research/api/rest/query"
)

// The rows of a request's body.
const (
	body    = "pgrst_body"
	payload = "pgrst_payload"
)

// How many rows were inserted and not updated is counted in a setting of the transaction, since PostgreSQL
// does not tell them apart. Each row that is to be inserted counts up; one that updates instead counts down.
// The comparisons are always true.
const (
	insertedSetting = "nullif(current_setting('pgrst.inserted', true), '')"
	insertedSoFar   = "coalesce(" + insertedSetting + "::int, 0)"
	countInsert     = "set_config('pgrst.inserted', (" + insertedSoFar + " + 1)::text, true) <> '0'"
	countUpdate     = "set_config('pgrst.inserted', (" + insertedSoFar + " - 1)::text, true) <> '-1'"
)

func compileWrite(p *plan.Write) Statement {
	b := newBuilder(p.Format)
	row := rowSQL{rows: "count(_page)", body: bodySQL(p.Format, nil), write: true}
	if p.ReturnsKey {
		row.key = "case when count(_page) = 1 then (select row_to_json(_key) from " + source + " _key limit 1) end"
	}
	if p.CountsInserts {
		row.inserted = insertedSetting
	}
	with := "with " + source + " as (" + b.writeSQL(p) + ")"
	page := "select * from " + source
	if p.Selection != nil {
		page = b.selectSQL(p.Selection, source+" as "+quote(p.Selection.Alias), plan.Window{})
	}
	sql := with + " " + b.answerSQL(row, page, p.Format)
	return Statement{SQL: sql, Args: b.args}
}

func (b *builder) writeSQL(p *plan.Write) string {
	switch p.Kind {
	case plan.Update:
		return b.updateSQL(p)
	case plan.Delete:
		return "delete from " + tableOf(p) + b.whereSQL(p) + " returning " + returningSQL(p)
	}
	return b.insertSQL(p)
}

func tableOf(p *plan.Write) string { return qualify(p.Table.Schema, p.Table.Name) }

// insertSQL inserts the rows of the body. Of PUT, only the row that meets the filter is taken.
func (b *builder) insertSQL(p *plan.Write) string {
	from := b.bodySQL(p)
	names := columnNames(p)
	sql := "insert into " + tableOf(p)
	if len(names) > 0 {
		sql += "(" + quoteAll(names) + ")"
	}
	var values []string
	for _, name := range names {
		values = append(values, body+"."+quote(name))
	}
	sql += " select " + strings.Join(values, ", ") + " from " + from
	var where []string
	if p.CountsInserts {
		where = append(where, countInsert)
	}
	if p.Kind == plan.Put {
		where = append(where, b.conditionSQL(&plan.Selection{Table: p.Table, Alias: body}, p.Filter, nil))
	}
	if len(where) > 0 {
		sql += " where " + strings.Join(where, " and ")
	}
	return sql + conflictSQL(p.Conflict, names) + " returning " + returningSQL(p)
}

// conflictSQL says what happens to rows whose keys exist.
func conflictSQL(c plan.Conflict, names []string) string {
	if c.Resolution == "" || len(c.Columns) == 0 {
		return ""
	}
	sql := " on conflict (" + quoteAll(c.Columns) + ") do "
	if c.Resolution == query.IgnoreDuplicates || len(names) == 0 {
		return sql + "nothing"
	}
	var sets []string
	for _, name := range names {
		sets = append(sets, quote(name)+" = excluded."+quote(name))
	}
	return sql + "update set " + strings.Join(sets, ", ") + " where " + countUpdate
}

// updateSQL sets the columns that the body gives. Without any it changes nothing, which UPDATE cannot
// express.
func (b *builder) updateSQL(p *plan.Write) string {
	if len(p.Columns) == 0 {
		return "select " + returningSQL(p) + " from " + tableOf(p) + " where false"
	}
	var sets []string
	for _, name := range columnNames(p) {
		sets = append(sets, quote(name)+" = "+body+"."+quote(name))
	}
	return "update " + tableOf(p) + " set " + strings.Join(sets, ", ") +
		" from " + b.bodySQL(p) + b.whereSQL(p) + " returning " + returningSQL(p)
}

// whereSQL chooses the rows that are updated or deleted.
func (b *builder) whereSQL(p *plan.Write) string {
	where := b.conditionSQL(&plan.Selection{Table: p.Table, Alias: p.Table.Name}, p.Filter, nil)
	if where == "" {
		return ""
	}
	return " where " + where
}

// returningSQL lists the columns that the answer needs. A name that is not a column's is a function of the
// row. Without any, rows are still counted.
func returningSQL(p *plan.Write) string {
	if len(p.Returning) == 0 {
		return "1"
	}
	list := make([]string, len(p.Returning))
	for i, name := range p.Returning {
		list[i] = quote(p.Table.Name) + "." + quote(name) + " as " + quote(name)
	}
	return strings.Join(list, ", ")
}

func columnNames(p *plan.Write) []string {
	var names []string
	for _, c := range p.Columns {
		names = append(names, c.Name)
	}
	return names
}

// bodySQL is the body as rows of the types of the table's columns. With defaults, each row is laid over an
// object with the columns' defaults.
func (b *builder) bodySQL(p *plan.Write) string {
	var shown, types, defaults []string
	for _, c := range p.Columns {
		typ, value := c.Type, quote(c.Name)
		if c.FromJSON != "" {
			typ, value = "json", c.FromJSON+"("+value+") as "+value
		}
		shown = append(shown, value)
		types = append(types, quote(c.Name)+" "+typ)
		if c.Default != "" && !c.Generated {
			defaults = append(defaults, quoteLiteral(c.Name)+", "+c.Default)
		}
	}
	kind, data := "json", payload+".json_data"
	if p.Defaults {
		kind = "jsonb"
	}
	from := "(select " + b.bytes(p.JSON) + "::" + kind + " as json_data) " + payload
	if p.Defaults {
		from += ", lateral (" + defaultsSQL(data, defaults, p.IsObject) + ") pgrst_defaults"
		data = "pgrst_defaults.val"
	}
	var rows string
	switch {
	case len(types) > 0 && p.IsObject:
		rows = kind + "_to_record(" + data + ") as _(" + strings.Join(types, ", ") + ")"
	case len(types) > 0:
		rows = kind + "_to_recordset(" + data + ") as _(" + strings.Join(types, ", ") + ")"
	case p.IsObject:
		rows = "(values (1)) _"
	default:
		rows = kind + "_array_elements(" + data + ") _"
	}
	return from + ", lateral (select " + strings.Join(shown, ", ") + " from " + rows + ") " + body
}

// defaultsSQL lays the objects of the body over the columns' defaults.
func defaultsSQL(data string, defaults []string, isObject bool) string {
	merged := "jsonb_build_object(" + strings.Join(defaults, ", ") + ") || "
	if isObject {
		return "select " + merged + data + " as val"
	}
	return "select jsonb_agg(" + merged + "elem) as val from jsonb_array_elements(" + data + ") elem"
}
