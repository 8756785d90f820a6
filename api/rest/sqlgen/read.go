package sqlgen

import (
	"strings"

	"research/api/rest/catalog"
	"research/api/rest/plan"
	"research/api/rest/query"
)

// The common table expressions of a statement: the source is what the plan reads, writes or calls, the result
// is what is selected from a function's rows, and counted has a row for each that is counted.
const (
	source  = "pgrst_source"
	result  = "pgrst_page"
	counted = "pgrst_source_count"
)

func compileRead(p *plan.Read) Statement {
	b := newBuilder(p.Format)
	table := tableAs(p.Selection)
	if isOneRow(p) {
		rows := b.selectSQL(p.Selection, table, p.Window)
		return Statement{SQL: b.oneRowSQL(rows, p.Format), Args: b.args}
	}
	with := "with " + source + " as (" + b.selectSQL(p.Selection, table, fetched(p.Window)) + ")"
	row := rowSQL{rows: "count(*)", body: bodySQL(p.Format, nil)}
	with += b.countSQL(&row, p.Selection, table, p.Count)
	page := b.pageSQL(&row, source, p.Window)
	sql := with + " " + b.answerSQL(row, page, p.Format)
	st := Statement{SQL: sql, Args: b.args}
	if p.Count.Estimate {
		var e builder
		st.Estimate = &Statement{SQL: "explain (format json) " + e.matchesSQL(p.Selection, table), Args: e.args}
	}
	return st
}

// isOneRow reports whether a read has one row at most, and needs no more than that row as JSON.
func isOneRow(p *plan.Read) bool {
	f := p.Format
	return p.Single && isJSON(f) && !f.Body.Stripped && p.Count == (plan.Count{}) && f.Explain == nil
}

// oneRowSQL makes the answer of one row without an aggregate, and with no columns but those it needs, which
// takes PostgreSQL less time (docs/decisions/0298). DecodeRow recognizes it by the name of the body's column.
// It returns a row even where there is none to read, for what functions set for the answer.
func (b *builder) oneRowSQL(rows string, f plan.Format) string {
	body := "row_to_json(_row)::text"
	if f.MaxBytes > 0 {
		body = "case when " + sizeSQL("_row", f.MaxBytes) + " >= 0 then " + body + " end"
	}
	body = "(select " + body + " from (" + rows + ") _row)"
	if f.Body.Name == query.TypeJSON {
		body = "'[' || " + body + " || ']'"
	}
	sql := "select " + body + " as " + columnOneRow + settingsColumns
	if f.MaxBytes == 0 {
		return sql
	}
	tooLarge := "octet_length(_row." + columnOneRow + ") > " + b.number(f.MaxBytes) + "::bigint"
	names := []string{columnHeaders, columnStatus, tooLarge + " as " + columnTooLarge}
	return "select case when not " + tooLarge + " then _row." + columnOneRow + " end as " + columnOneRow + ", " +
		strings.Join(names, ", ") + " from (" + sql + " offset 0) _row" // OFFSET: the body is made once
}

// tableAs is the table of a selection under its alias.
func tableAs(s *plan.Selection) string {
	return qualify(s.Table.Schema, s.Table.Name) + " as " + quote(s.Alias)
}

// fetched is the window that is read: one row more than an answer may hold shows whether there are more.
func fetched(w plan.Window) plan.Window {
	if w.Capped {
		one := *w.Limit + 1
		w.Limit = &one
	}
	return w
}

// pageSQL selects the rows of the answer from a table expression, and sets the row's column that says whether
// there are more.
func (b *builder) pageSQL(row *rowSQL, from string, w plan.Window) string {
	if !w.Capped {
		return "select * from " + from
	}
	most := b.number(*w.Limit) + "::bigint"
	row.cut = "(select count(*) > " + most + " from " + from + ")"
	return "select * from " + from + " limit " + most
}

// countSQL sets the row's total, and returns the table expression that it needs, or "".
func (b *builder) countSQL(row *rowSQL, s *plan.Selection, from string, c plan.Count) string {
	switch c.Method {
	case plan.CountPage:
		row.total = row.rows
	case plan.CountQuery:
		row.total = "(select count(*) from " + counted + ")"
		sql := b.matchesSQL(s, from)
		if c.Limit > 0 {
			sql += " limit " + b.number(c.Limit)
		}
		return ", " + counted + " as (" + sql + ")"
	}
	return ""
}

// matchesSQL has a row for each that the selection's filters match. It has no columns, joins or order, which
// counting does not need.
func (b *builder) matchesSQL(s *plan.Selection, from string) string {
	exists := func(e *plan.Selection) string { return "exists (" + b.matchesSQL(e, sourceOf(e)) + ")" }
	where := relatedBy(s)
	if filter := b.conditionSQL(s, s.Filter, exists); filter != "" {
		where = append(where, filter)
	}
	for _, e := range s.Embeds {
		if e.Inner {
			where = append(where, exists(e))
		}
	}
	sql := "select 1 from " + from
	if len(where) > 0 {
		sql += " where " + strings.Join(where, " and ")
	}
	return sql
}

// bodySQL makes the answer's body of the rows of the page. The function is the one whose result they are, or
// nil.
func bodySQL(f plan.Format, function *catalog.Function) string {
	scalar := function != nil && function.Scalar
	rows := "_page"
	if scalar {
		rows = "_page." + scalarColumn
	}
	if h := f.Handler; h != nil {
		switch {
		case h.Scalar:
			return "_page." + scalarColumn
		case !h.Any: // an aggregate over the rows of one table
			return h.Function + "(_page::" + qualify(h.ForSchema, h.ForName) + ")"
		}
		return h.Function + "(" + rows + ")"
	}
	list := "json_agg(" + rows + ")"
	if f.Body.Stripped {
		list = "json_strip_nulls(" + list + ")"
	}
	switch {
	case f.Body.Name == "":
		return ""
	case f.Body.Name == query.TypeCSV:
		return csvSQL
	case f.Body.Name == query.TypeGeoJSON:
		return "json_build_object('type', 'FeatureCollection', " +
			"'features', coalesce(json_agg(ST_AsGeoJSON(_page)::json), '[]'))"
	case f.Body.Name == query.TypeSingular, function != nil && !function.Set:
		return "coalesce(" + list + "->0, 'null')"
	}
	return "coalesce(" + list + ", '[]')"
}

// csvSQL writes the names of the first row's columns, and then the rows. PostgreSQL writes a row as CSV in
// parentheses.
const csvSQL = "(select coalesce(string_agg(a.k, ','), '') from (" +
	"select json_object_keys(r)::text as k from (" +
	"select row_to_json(h) as r from " + source + " as h limit 1) s) a)" +
	" || chr(10) || coalesce(string_agg(substring(_page::text, 2, length(_page::text) - 2), chr(10)), '')"
