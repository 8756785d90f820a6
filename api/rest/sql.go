package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A builder writes SQL: identifiers of the schema quoted, everything else as parameters.
type builder struct {
	args    [][]byte
	schema  *schema
	maxRows int64 // of the answer and of each embedded list; 0: no limit
}

// param adds a value that PostgreSQL reads as the type it needs.
func (b *builder) param(value string) string {
	b.args = append(b.args, []byte(value))
	return "$" + strconv.Itoa(len(b.args))
}

// columnSQL is a column, with its JSON path. What is no JSON becomes it first, so that paths work on composites and arrays too.
func (b *builder) columnSQL(plan *readPlan, c column) string {
	base := quote(plan.alias) + "." + quote(c.name)
	if len(c.path) == 0 {
		return base
	}
	if known := plan.typed(c.name); known == nil || known.BaseType != "json" && known.BaseType != "jsonb" {
		base = "to_jsonb(" + base + ")"
	}
	return "(" + b.pathSQL(base, c.path) + ")"
}

func (b *builder) pathSQL(base string, path []step) string {
	for _, s := range path {
		base += map[bool]string{true: "->>", false: "->"}[s.asText] + b.param(s.key)
		if s.index {
			base += "::int"
		}
	}
	return base
}

// shownSQL is a column as an answer shows it: by the cast of its domain to JSON where there is one.
func (b *builder) shownSQL(plan *readPlan, c column) string {
	sql := b.columnSQL(plan, c)
	if known := plan.typed(c.name); known != nil {
		if cast := b.schema.casts[[2]string{known.Type, "json"}]; cast != "" {
			return cast + "(" + sql + ")"
		}
	}
	return sql
}

// readSQL is a value of a query string as a filter compares it with a column: by the cast of text to its domain where there is one.
func (b *builder) readSQL(plan *readPlan, c column, value string) string {
	if cast := b.textCast(plan, c); cast != "" {
		return cast + "(" + b.param(value) + ")"
	}
	return b.param(value)
}

func (b *builder) textCast(plan *readPlan, c column) string {
	if known := plan.typed(c.name); known != nil {
		return b.schema.casts[[2]string{"text", known.Type}]
	}
	return ""
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
	out := quote(strings.ToLower(words[0]))
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

func castSQL(sql, typ string) (string, error) {
	if typ == "" {
		return sql, nil
	}
	name, err := typeName(typ)
	return "cast(" + sql + " as " + name + ")", err
}

// conditionSQL is a tree of filters; present writes whether an embedded resource has rows.
func (b *builder) conditionSQL(plan *readPlan, c condition, present func(*readPlan) (string, error)) (string, error) {
	if c.filter != nil {
		child := plan.nullFilter(c.filter)
		if child == nil {
			return b.filterSQL(plan, *c.filter), nil
		}
		sql, err := present(child)
		if !c.filter.negated {
			sql = "not (" + sql + ")"
		}
		return sql, err
	}
	var parts []string
	for _, part := range c.parts {
		sql, err := b.conditionSQL(plan, part, present)
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
func (b *builder) filterSQL(plan *readPlan, f filter) string {
	not := ""
	if f.negated {
		not = "not "
	}
	left := b.columnSQL(plan, f.column)
	switch {
	case f.operator == "in":
		list := b.param(arrayLiteral(f.list))
		if cast := b.textCast(plan, f.column); cast != "" {
			list = "(select " + cast + "(unnest(" + list + "::text[])))"
			return not + left + " = any " + list
		}
		return not + left + " = any (" + list + ")"
	case f.operator == "is":
		return not + left + " is " + strings.ReplaceAll(f.value, "_", " ") // the grammar knows five words
	case f.operator == "isdistinct":
		return not + left + " is distinct from " + b.param(f.value)
	case searches[f.operator] != "":
		language := ""
		if f.language != "" {
			language = b.param(f.language) + ", "
		}
		if known := plan.typed(f.column.name); known == nil || known.BaseType != "tsvector" {
			left = "to_tsvector(" + language + left + ")"
		}
		return not + left + " @@ " + searches[f.operator] + "(" + language + b.param(f.value) + ")"
	}
	var right string
	if f.operator == "like" || f.operator == "ilike" {
		right = b.param(strings.ReplaceAll(f.value, "*", "%"))
	} else {
		right = b.readSQL(plan, f.column, f.value)
	}
	if f.quantity != "" {
		right = f.quantity + " (" + right + ")"
	}
	return not + left + " " + operators[f.operator] + " " + right
}

// arrayLiteral writes an array as PostgreSQL reads it.
func arrayLiteral(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

func (b *builder) orderSQL(plan *readPlan) string {
	var terms []string
	for _, o := range plan.node.order {
		sql := ""
		if o.relation != "" {
			sql = b.relatedSQL(plan, plan.child(o.relation), o.column)
		} else {
			sql = b.columnSQL(plan, o.column)
		}
		if o.direction != "" {
			sql += " " + o.direction
		}
		if o.nulls != "" {
			sql += " nulls " + o.nulls
		}
		terms = append(terms, sql)
	}
	if len(terms) == 0 {
		return ""
	}
	return " order by " + strings.Join(terms, ", ")
}

// relatedSQL is a column of a resource that is embedded to one: of its join where it is selected, else looked up.
func (b *builder) relatedSQL(plan, c *readPlan, col column) string {
	selected := slices.ContainsFunc(c.outputs(), func(o output) bool {
		return o.name == col.name && (o.field.name == col.name || c.typed(col.name) == nil)
	})
	if selected && len(col.path) == 0 {
		return quote(c.lateral) + "." + quote(col.name)
	}
	sql := "(select " + b.columnSQL(c, col) + " from " + embedSource(plan, c)
	if on := joinSQL(c); len(on) > 0 {
		sql += " where " + strings.Join(on, " and ")
	}
	return sql + " limit 1)"
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	return strings.Join(quoted, ", ")
}

func columnNotFound(t *table, name string) error {
	return failure(http.StatusBadRequest, "PGRST204", "Could not find the '"+name+"' column of '"+t.Name+"' in the schema cache")
}
