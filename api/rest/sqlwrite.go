package rest

import "strings"

// bodySource is the payload as the rows pgrst_body, of the types of the table's columns. With defaults, a row that leaves a column out gets the column's.
func (b *builder) bodySource(t *table, body payload, defaults bool) (string, error) {
	var shown, types, fallback []string
	for _, name := range body.columns {
		c := t.byName[name]
		if c == nil {
			return "", columnNotFound(t, name)
		}
		typ, value := c.Type, quote(name)
		if cast := b.schema.casts[[2]string{"json", c.Type}]; cast != "" {
			typ, value = "json", cast+"("+value+") as "+value
		}
		shown = append(shown, value)
		types = append(types, quote(name)+" "+typ)
		if c.Default != "" && !c.Generated {
			fallback = append(fallback, quoteLiteral(name)+", "+c.Default)
		}
	}
	kind, data := "json", "pgrst_payload.json_data"
	if defaults {
		kind, data = "jsonb", "pgrst_defaults.val"
	}
	from := "(select " + b.param(body.json) + "::" + kind + " as json_data) pgrst_payload"
	object := body.object()
	if defaults {
		merged := "jsonb_build_object(" + strings.Join(fallback, ", ") + ") || "
		if object {
			from += ", lateral (select " + merged + "pgrst_payload.json_data as val) pgrst_defaults"
		} else {
			from += ", lateral (select jsonb_agg(" + merged + "elem) as val from jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_defaults"
		}
	}
	rows := ""
	switch {
	case len(types) > 0 && object:
		rows = kind + "_to_record(" + data + ") as _(" + strings.Join(types, ", ") + ")"
	case len(types) > 0:
		rows = kind + "_to_recordset(" + data + ") as _(" + strings.Join(types, ", ") + ")"
	case object:
		rows = "(values (1)) _"
	default:
		rows = kind + "_array_elements(" + data + ") _"
	}
	return from + ", lateral (select " + strings.Join(shown, ", ") + " from " + rows + ") pgrst_body", nil
}

// How many rows were inserted, not updated, is counted in a setting of the transaction: PostgreSQL does not tell. Each row counts up; a row that updates counts back.
const (
	countInsert = "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) + 1)::text, true) <> '0'"
	countUpdate = "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) - 1)::text, true) <> '-1'"
	merge       = "merge-duplicates"
)

// insertSQL inserts the payload's rows; what happens to those that are there, resolution says. Only rows that meet same are taken.
func (b *builder) insertSQL(t *table, body payload, defaults bool, resolution string, keys []string, same string) (string, error) {
	from, err := b.bodySource(t, body, defaults)
	if err != nil {
		return "", err
	}
	sql := "insert into " + t.sql()
	var values []string
	for _, name := range body.columns {
		values = append(values, "pgrst_body."+quote(name))
	}
	if len(values) > 0 {
		sql += "(" + quoteAll(body.columns) + ")"
	}
	sql += " select " + strings.Join(values, ", ") + " from " + from
	var where []string
	if resolution == merge {
		where = append(where, countInsert)
	}
	if same != "" {
		where = append(where, same)
	}
	if len(where) > 0 {
		sql += " where " + strings.Join(where, " and ")
	}
	if resolution == "" || len(keys) == 0 {
		return sql, nil
	}
	sql += " on conflict (" + quoteAll(keys) + ") do "
	if resolution != merge || len(body.columns) == 0 {
		return sql + "nothing", nil
	}
	var sets []string
	for _, c := range body.columns {
		sets = append(sets, quote(c)+" = excluded."+quote(c))
	}
	return sql + "update set " + strings.Join(sets, ", ") + " where " + countUpdate, nil
}

// updateSQL sets the payload's columns. A payload without columns changes nothing, which no UPDATE can say.
func (b *builder) updateSQL(t *table, body payload, defaults bool, filter condition, returning []string) (string, error) {
	if len(body.columns) == 0 {
		return "select " + returningSQL(t, returning) + " from " + t.sql() + " where false", nil
	}
	from, err := b.bodySource(t, body, defaults)
	if err != nil {
		return "", err
	}
	where, err := b.whereSQL(t, filter)
	if err != nil {
		return "", err
	}
	var sets []string
	for _, c := range body.columns {
		sets = append(sets, quote(c)+" = pgrst_body."+quote(c))
	}
	return "update " + t.sql() + " set " + strings.Join(sets, ", ") + " from " + from + where + " returning " + returningSQL(t, returning), nil
}

// whereSQL chooses the rows that are written.
func (b *builder) whereSQL(t *table, filter condition) (string, error) {
	where, err := b.conditionSQL(&readPlan{from: t, alias: t.Name}, filter, presentSQL)
	if where != "" {
		where = " where " + where
	}
	return where, err
}

// returningSQL lists the columns that the answer needs, and no other: a role may not be allowed to see them all. Without any, rows are counted all the same.
func returningSQL(t *table, names []string) string {
	if len(names) == 0 {
		return "1"
	}
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = quote(t.Name) + "." + quote(name) + " as " + quote(name) // a name that is no column is a function of the row
	}
	return strings.Join(list, ", ")
}
