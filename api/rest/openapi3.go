package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1): what the caller's role may read and write, column by column.

// apiVersion is that of the wire. What the tables hold changes with the migrations.
const apiVersion = "1"

const apiDescription = "Tables, views and functions over PostgREST's wire: https://docs.postgrest.org/en/stable/references/api.html. " +
	"What is listed is what your role may use. Rows are those that row-level security lets you see."

// The names of our own components; those of tables hold no point before ".insert" and ".update".
const (
	schemaError  = "pgrst.error"
	schemaFilter = "pgrst.filter"
	schemaCount  = "pgrst.contentRange"
)

func (d *document) openAPI() object {
	name, description := title(d.privileges.Comment)
	if name == "" || name == "standard public schema" { // PostgreSQL's own comment
		name, description = "Data API", apiDescription
	}
	paths := object{{"/", object{{"get", object{{"operationId", "describe"}, {"summary", "This description"}, {"tags", []string{"description"}},
		{"responses", object{{"200", object{{"description", "OpenAPI 3.1, or 2.0 where application/openapi+json is accepted"}, {"content", object{{typeOpenAPI, object{}}}}}}, {"default", errorResponse()}}}}}}}}
	schemas := object{{schemaError, errorSchema()}, {schemaFilter, filterSchema()}}
	parameters := commonParameters()
	for _, t := range d.tables() {
		grant := d.privileges.Tables[t.Name]
		item := d.tablePath(t, grant)
		if len(item) == 0 {
			continue
		}
		paths.add("/"+encodePath(t.Name), item)
		schemas.add(component(t.Name), d.rowSchema(t, grant))
		if grant.Insert && t.Insertable {
			schemas.add(component(t.Name)+".insert", payloadSchema(t, true, func(c *tableColumn) bool { return grant.Columns[c.Name].Insert }))
		}
		if grant.Update && t.Updatable {
			schemas.add(component(t.Name)+".update", payloadSchema(t, false, func(c *tableColumn) bool { return grant.Columns[c.Name].Update }))
		}
		for _, c := range filterable(t, grant) {
			parameters.add(component(t.Name)+".filter."+component(c.Name), object{{"name", c.Name}, {"in", "query"}, {"description", c.Comment},
				{"schema", reference("#/components/schemas/" + schemaFilter)}})
		}
	}
	names, routines := d.routines()
	for _, name := range names {
		paths.add("/rpc/"+encodePath(name), d.routinePath(name, routines[name]))
	}
	var servers []object
	switch {
	case d.cfg.OpenAPI.PublicURL != "":
		servers = []object{{{"url", d.cfg.OpenAPI.PublicURL}}}
	case d.cfg.Prefix != "":
		servers = []object{{{"url", d.cfg.Prefix}}}
	}
	return object{
		{"openapi", "3.1.0"},
		{"info", object{{"title", name}, {"description", description}, {"version", apiVersion}}},
		{"servers", servers},
		{"security", []object{{{"apikey", []any{}}, {"bearer", []any{}}}}},
		{"paths", paths},
		{"components", object{
			{"schemas", schemas}, {"parameters", parameters},
			{"headers", object{{schemaCount, object{{"description", "first-last/total, as 0-24/573; * where unknown or empty"}, {"schema", object{{"type", "string"}}}}}}},
			{"securitySchemes", object{
				{"apikey", object{{"type", "apiKey"}, {"in", "header"}, {"name", "apikey"}, {"description", "The public API key."}}},
				{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}, {"description", "The access token of a signed-in user."}}},
			}},
		}},
	}
}

// component makes a name of components (letters, digits, "_" and "-") out of any other, each out of one only.
func component(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "-%x-", r)
		}
	}
	return b.String()
}

// encodePath writes a name as a part of a path, in which braces would be parameters.
func encodePath(name string) string {
	return strings.NewReplacer("%", "%25", "/", "%2F", "{", "%7B", "}", "%7D", "?", "%3F", "#", "%23").Replace(name)
}

// reserved are query parameters that mean something else than a filter.
var reserved = []string{"select", "order", "limit", "offset", "and", "or", "columns", "on_conflict"}

// filterable are the columns by which the role can filter.
func filterable(t *table, grant tableGrant) []*tableColumn {
	var list []*tableColumn
	for _, c := range t.Columns {
		if grant.Columns[c.Name].Select && !slices.Contains(reserved, c.Name) {
			list = append(list, c)
		}
	}
	return list
}

func (d *document) tablePath(t *table, grant tableGrant) object {
	summary, description := title(t.Comment)
	name := component(t.Name)
	var filters []object
	for _, c := range filterable(t, grant) {
		filters = append(filters, parameter3(name+".filter."+component(c.Name)))
	}
	filters = append(filters, parameter3("and"), parameter3("or"))
	with := func(names ...string) []object {
		list := []object{}
		for _, n := range names {
			list = append(list, parameter3(n))
		}
		return list
	}
	var item object
	add := func(method, verb, status string, parameters []object, body, answer object) {
		item.add(method, object{{"operationId", verb + "." + name}, {"tags", []string{t.Name}}, {"summary", summary}, {"description", description},
			{"parameters", parameters}, {"requestBody", orNil(body)}, {"responses", append(answer, member{status, object{{"description", http.StatusText(statusCode(status))}}}, member{"default", errorResponse()})}})
	}
	row := reference("#/components/schemas/" + name)
	rows := object{{"type", "array"}, {"items", row}}
	page := func(description string) object {
		return object{{"description", description}, {"headers", object{{"Content-Range", reference("#/components/headers/" + schemaCount)}}},
			{"content", object{{typeJSON, object{{"schema", rows}}}, {typeSingular, object{{"schema", row}}}, {typeCSV, object{{"schema", object{{"type", "string"}}}}}}}}
	}
	written := func(name string) object {
		schema := reference("#/components/schemas/" + name)
		return object{{"required", true}, {"content", object{{typeJSON, object{{"schema", object{{"oneOf", []object{schema, {{"type", "array"}, {"items", schema}}}}}}}},
			{typeCSV, object{{"schema", object{{"type", "string"}}}}}}}}
	}
	if grant.Select {
		add("get", "read", "416", append(with("select", "order", "limit", "offset", "range", "preferCount"), filters...), nil,
			object{{"200", page("All rows that the request asks for")}, {"206", page("A part of them")}})
	}
	insertable := grant.Insert && t.Insertable
	if insertable {
		add("post", "insert", "409", with("select", "columns", "on_conflict", "preferWrite"), written(name+".insert"), object{{"201", page("Created")}, {"200", page("Merged into rows that were there")}})
	}
	if insertable && grant.Update && t.Updatable && len(t.Key) > 0 {
		var keys []object
		for _, c := range filterable(t, grant) {
			if slices.Contains(t.Key, c.Name) {
				keys = append(keys, parameter3(name+".filter."+component(c.Name)))
			}
		}
		add("put", "put", "204", append(keys, parameter3("select"), parameter3("preferWrite")), written(name+".insert"), object{{"200", page("Replaced")}, {"201", page("Created")}})
	}
	if grant.Update && t.Updatable {
		add("patch", "update", "204", append(with("select", "columns", "preferWrite"), filters...), written(name+".update"), object{{"200", page("Changed")}})
	}
	if grant.Delete && t.Deletable {
		add("delete", "delete", "204", append(with("select", "preferWrite"), filters...), nil, object{{"200", page("Deleted")}})
	}
	return item
}

func statusCode(text string) (code int) {
	_, _ = fmt.Sscan(text, &code) // one of ours
	return code
}

func orNil(o object) any {
	if o == nil {
		return nil
	}
	return o
}

func parameter3(name string) object { return reference("#/components/parameters/" + name) }

func errorResponse() object {
	return object{{"description", "An error"}, {"content", object{{typeJSON, object{{"schema", reference("#/components/schemas/" + schemaError)}}}}}}
}

func errorSchema() object {
	text := object{{"type", []string{"string", "null"}}}
	return object{{"type", "object"}, {"required", []string{"code", "message", "details", "hint"}}, {"properties", object{
		{"code", object{{"type", "string"}, {"description", "PGRST… (https://docs.postgrest.org/en/stable/references/errors.html), or PostgreSQL's SQLSTATE"}}},
		{"message", object{{"type", "string"}}}, {"details", object{}}, {"hint", text}}}}
}

func filterSchema() object {
	return object{{"type", "string"}, {"pattern", `^(not\.)?[a-z]+(\([^)]*\))?\.`}, {"examples", []string{"eq.5", "in.(a,b)", "is.null", "not.like.*draft*"}},
		{"description", "operator.value: eq, neq, gt, gte, lt, lte, like, ilike, match, imatch, in, is, isdistinct, fts, plfts, phfts, wfts, cs, cd, ov, sl, sr, nxr, nxl, adj; not. before it negates; " +
			"(any) and (all) take a list, as like(any).{a*,b*}"}}
}

func commonParameters() object {
	one := func(name, in, description string, schema object) object {
		return object{{"name", name}, {"in", in}, {"description", description}, {"schema", schema}}
	}
	text, number := object{{"type", "string"}}, object{{"type", "integer"}, {"minimum", 0}}
	return object{
		{"select", one("select", "query", "Columns, and related resources in parentheses, as id,name,projects(name). alias:column renames, column::type casts, resource!inner(…) joins, ...resource(…) spreads.", text)},
		{"order", one("order", "query", "As created_at.desc.nullslast,name; resource(column) orders by a related resource.", text)},
		{"limit", one("limit", "query", "Most rows; resource.limit for those of an embedded one.", number)},
		{"offset", one("offset", "query", "Rows that are passed over.", number)},
		{"and", one("and", "query", "(a.eq.1,or(b.gt.2,c.is.null)); not.and negates.", text)},
		{"or", one("or", "query", "(a.eq.1,b.gt.2); not.or negates.", text)},
		{"columns", one("columns", "query", "The columns of the body that count.", text)},
		{"on_conflict", one("on_conflict", "query", "The unique columns by which Prefer: resolution tells what is there.", text)},
		{"range", one("Range", "header", "First and last row, as 0-24.", text)},
		{"preferCount", one("Prefer", "header", "count=exact, planned or estimated; handling=strict; timezone=….", text)},
		{"preferWrite", one("Prefer", "header", "return=minimal, headers-only or representation; resolution=merge-duplicates or ignore-duplicates; missing=default; count=exact; max-affected=N with handling=strict.", text)},
	}
}

// rowSchema is a row as it is read.
func (d *document) rowSchema(t *table, grant tableGrant) object {
	properties, required := object{}, []string{}
	for _, c := range t.Columns {
		if !grant.Columns[c.Name].Select {
			continue
		}
		property := columnSchema(c)
		if c.Generated {
			property.add("readOnly", true)
		}
		if r := d.foreignKey(t, c.Name); r != nil && d.seen(r.target) {
			property.add("x-foreign-key", object{{"table", r.target.Name}, {"column", r.columns[0][1]}})
		}
		properties.add(c.Name, property)
		required = append(required, c.Name)
	}
	var related []object
	for _, r := range d.schema.relations[t] {
		if !d.seen(r.target) || r.target.IsView {
			continue
		}
		one := object{{"resource", r.target.Name}, {"cardinality", "many"}, {"hint", r.constraint}}
		if r.toOne {
			one[1].value = "one"
		}
		if r.many != nil {
			if !d.seen(r.many.table) {
				continue
			}
			one[2].value = r.many.table.Name
		}
		related = append(related, one)
	}
	return object{{"type", "object"}, {"description", t.Comment}, {"required", required}, {"properties", properties}, {"x-primary-key", t.Key}, {"x-related", related}}
}

// seen tells whether the document shows a table.
func (d *document) seen(t *table) bool {
	return t.Schema == d.name && d.privileges.Tables[t.Name].Select
}

// payloadSchema is a row as it is written.
func payloadSchema(t *table, insert bool, may func(*tableColumn) bool) object {
	properties, required := object{}, []string{}
	for _, c := range t.Columns {
		if !may(c) || c.Generated {
			continue
		}
		properties.add(c.Name, columnSchema(c))
		if insert && !c.Nullable && c.Default == "" {
			required = append(required, c.Name)
		}
	}
	return object{{"type", "object"}, {"required", required}, {"properties", properties}, {"additionalProperties", false}}
}

func columnSchema(c *tableColumn) object {
	schema := typeSchema(c.BaseType)
	if len(c.Enum) > 0 {
		schema = object{{"type", "string"}}
	}
	if c.MaxLength > 0 {
		schema.add("maxLength", c.MaxLength)
	}
	values := make([]any, 0, len(c.Enum)+1)
	for _, v := range c.Enum {
		values = append(values, v)
	}
	if c.Nullable && len(schema) > 0 && schema[0].name == "type" {
		schema[0].value = []any{schema[0].value, "null"}
		if len(values) > 0 {
			values = append(values, nil)
		}
	}
	if len(values) > 0 {
		schema.add("enum", values)
	}
	return append(schema, member{"description", c.Comment}, member{"default", constant(c)}, member{"x-type", c.Type})
}

var literal = regexp.MustCompile(`^'((?:[^']|'')*)'::`)

// constant is a column's default where it is one.
func constant(c *tableColumn) any {
	text, quoted := c.Default, false
	if found := literal.FindStringSubmatch(text); found != nil {
		text, quoted = strings.ReplaceAll(found[1], "''", "'"), true
	}
	schema := typeSchema(c.BaseType)
	isText := len(c.Enum) > 0 || len(schema) > 0 && schema[0].value == "string"
	if isText {
		if quoted {
			return text
		}
		return nil
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil || len(schema) > 0 && schema[0].value == "array" {
		return nil
	}
	return value
}

// typeSchema is how PostgreSQL writes a type as JSON; of a type that is not listed nothing is said.
func typeSchema(typ string) object {
	if element, is := strings.CutSuffix(typ, "[]"); is {
		return object{{"type", "array"}, {"items", typeSchema(element)}}
	}
	switch typ {
	case "boolean":
		return object{{"type", "boolean"}}
	case "smallint", "integer":
		return object{{"type", "integer"}, {"format", "int32"}}
	case "bigint":
		return object{{"type", "integer"}, {"format", "int64"}}
	case "real":
		return object{{"type", "number"}, {"format", "float"}}
	case "double precision":
		return object{{"type", "number"}, {"format", "double"}}
	case "numeric":
		return object{{"type", "number"}}
	case "uuid":
		return object{{"type", "string"}, {"format", "uuid"}}
	case "date":
		return object{{"type", "string"}, {"format", "date"}}
	case "timestamp with time zone":
		return object{{"type", "string"}, {"format", "date-time"}}
	case "text", "character varying", "character", `"char"`, "name", "timestamp without time zone", "time without time zone", "time with time zone", "interval", "bytea",
		"inet", "cidr", "macaddr", "macaddr8", "money", "bit", "bit varying", "tsvector", "tsquery", "xml",
		"int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange":
		return object{{"type", "string"}}
	}
	return object{}
}

// routinePath describes a function, or several of one name.
func (d *document) routinePath(name string, overloads []*routine) object {
	first := overloads[0]
	summary, description := title(first.Comment)
	var item object
	add := func(method string, list []*routine, rest object) {
		one := object{{"operationId", method + ".rpc." + component(name)}, {"tags", []string{"rpc/" + name}}, {"summary", summary}, {"description", description}}
		item.add(method, append(append(one, rest...), member{"responses", d.returned(list)}))
	}
	var readable []*routine
	for _, r := range overloads {
		if !r.Volatile && !r.unnamed() {
			readable = append(readable, r)
		}
	}
	if readable != nil {
		parameters := []object{}
		seen := map[string]bool{}
		for _, r := range readable {
			for _, p := range r.Parameters {
				if seen[p.Name] {
					continue
				}
				seen[p.Name] = true
				needed := true // by each of them
				for _, other := range readable {
					i := slices.IndexFunc(other.Parameters, func(o parameter) bool { return o.Name == p.Name })
					needed = needed && i >= 0 && other.Parameters[i].Required
				}
				schema := typeSchema(p.Type)
				if len(schema) > 0 && schema[0].value == "array" && !p.Variadic { // arrays are written {a,b}
					schema = object{{"type", "string"}}
				}
				parameters = append(parameters, object{{"name", p.Name}, {"in", "query"}, {"required", needed}, {"schema", schema}})
			}
		}
		if first.Set {
			for _, common := range []string{"select", "order", "limit", "offset"} {
				if !seen[common] {
					parameters = append(parameters, parameter3(common))
				}
			}
		}
		add("get", readable, object{{"parameters", parameters}})
	}
	content := object{}
	var named []object
	for _, r := range overloads {
		if r.unnamed() {
			media := map[string]string{"bytea": typeBinary, "json": typeJSON, "jsonb": typeJSON, "text": typeText, "xml": typeXML}[r.Parameters[0].Type]
			if media == typeJSON {
				named = append(named, object{})
			} else {
				content.add(media, object{{"schema", object{{"type", "string"}}}})
			}
			continue
		}
		properties, required := object{}, []string{}
		for _, p := range r.Parameters {
			properties.add(p.Name, append(typeSchema(p.Type), member{"x-type", p.Type}))
			if p.Required {
				required = append(required, p.Name)
			}
		}
		named = append(named, object{{"type", "object"}, {"description", r.Comment}, {"required", required}, {"properties", properties}, {"additionalProperties", false}})
	}
	switch len(named) {
	case 0:
	case 1:
		content.add(typeJSON, object{{"schema", named[0]}})
	default:
		content.add(typeJSON, object{{"schema", object{{"anyOf", named}}}})
	}
	add("post", overloads, object{{"requestBody", object{{"content", content}}}})
	return item
}

// returned are the answers of functions of one name.
func (d *document) returned(list []*routine) object {
	var schemas []object
	void := false
	for _, r := range list {
		target := d.schema.tables[r.ReturnSchema][r.ReturnTable]
		var schema object
		switch {
		case r.Void:
			void = true
			continue
		case r.Scalar:
			schema = typeSchema(r.ReturnType)
		case target != nil && d.seen(target):
			schema = reference("#/components/schemas/" + component(target.Name))
		default:
			schema = object{{"type", "object"}}
		}
		if r.Set {
			schema = object{{"type", "array"}, {"items", schema}}
		}
		schemas = append(schemas, schema)
	}
	out := object{}
	switch len(schemas) {
	case 0:
	case 1:
		out.add("200", object{{"description", "OK"}, {"content", object{{typeJSON, object{{"schema", schemas[0]}}}}}})
	default:
		out.add("200", object{{"description", "OK"}, {"content", object{{typeJSON, object{{"schema", object{{"anyOf", schemas}}}}}}}})
	}
	if void {
		out.add("204", object{{"description", "No Content"}})
	}
	return append(out, member{"default", errorResponse()})
}
