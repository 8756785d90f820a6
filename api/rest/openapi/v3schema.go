package openapi

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// rowSchema is a row as it is read.
func (d *describer) rowSchema(t *catalog.Table, grant TableGrant) *schema {
	row := &schema{
		Type: types{"object"}, Description: t.Comment, Properties: object[*schema]{},
		PrimaryKey: t.Key, Related: d.related(t),
	}
	for _, c := range t.Columns {
		if !grant.Columns[c.Name].Select {
			continue
		}
		property := columnSchema(c)
		property.ReadOnly = c.Generated
		if r := d.foreignKey(t, c.Name); r != nil && d.readable(r.Target) {
			property.ForeignKey = &foreignKey{Table: r.Target.Name, Column: r.Columns[0].To}
		}
		row.Properties.set(c.Name, property)
		row.Required = append(row.Required, c.Name)
	}
	return row
}

// related are the tables that the role can embed.
func (d *describer) related(t *catalog.Table) []related {
	var list []related
	for _, r := range d.catalog.Relationships(t) {
		if !d.readable(r.Target) || r.Target.IsView || r.Junction != nil && !d.readable(r.Junction.Table) {
			continue
		}
		one := related{Resource: r.Target.Name, Cardinality: "many", Hint: r.Constraint}
		if r.ToOne() {
			one.Cardinality = "one"
		}
		if r.Junction != nil {
			one.Hint = r.Junction.Table.Name
		}
		list = append(list, one)
	}
	return list
}

// insertSchema is a row as it is inserted.
func insertSchema(t *catalog.Table, grant TableGrant) *schema {
	row := payloadSchema(t, func(c *catalog.Column) bool { return grant.Columns[c.Name].Insert })
	for _, c := range t.Columns {
		if grant.Columns[c.Name].Insert && c.Required() {
			row.Required = append(row.Required, c.Name)
		}
	}
	return row
}

// updateSchema is a row as it is updated.
func updateSchema(t *catalog.Table, grant TableGrant) *schema {
	return payloadSchema(t, func(c *catalog.Column) bool { return grant.Columns[c.Name].Update })
}

func payloadSchema(t *catalog.Table, writable func(*catalog.Column) bool) *schema {
	row := &schema{Type: types{"object"}, Properties: object[*schema]{}, AdditionalProperties: new(bool)}
	for _, c := range t.Columns {
		if writable(c) && !c.Generated {
			row.Properties.set(c.Name, columnSchema(c))
		}
	}
	return row
}

func columnSchema(c *catalog.Column) *schema {
	s := typeSchema(c.BaseType)
	if len(c.Enum) > 0 {
		s = &schema{Type: types{"string"}, Enum: enum(c)}
	}
	if c.Nullable && s.Type != nil {
		s.Type = append(s.Type, "null")
		if s.Enum != nil {
			s.Enum = append(s.Enum, nil)
		}
	}
	s.MaxLength, s.Description, s.SQLType = c.MaxLength, c.Comment, c.Type
	s.Default = constant(c)
	return s
}

var literal = regexp.MustCompile(`^'((?:[^']|'')*)'::`)

// constant is a column's default where it is a constant.
func constant(c *catalog.Column) any {
	text, quoted := c.Default, false
	if found := literal.FindStringSubmatch(text); found != nil {
		text, quoted = strings.ReplaceAll(found[1], "''", "'"), true
	}
	s := typeSchema(c.BaseType)
	isText := len(c.Enum) > 0 || slices.Equal(s.Type, types{"string"})
	switch {
	case isText && quoted:
		return textDefault(text)
	case isText, slices.Equal(s.Type, types{"array"}):
		return nil
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return nil
	}
	return value
}

// stringTypes are PostgreSQL's types that are JSON strings without a format of their own.
var stringTypes = []string{
	"text", "character varying", "character", `"char"`, "name", "timestamp without time zone",
	"time without time zone", "time with time zone", "interval", "bytea", "inet", "cidr", "macaddr", "macaddr8",
	"money", "bit", "bit varying", "tsvector", "tsquery", "xml", "int4range", "int8range", "numrange", "tsrange",
	"tstzrange", "daterange",
}

// typeSchema is how PostgreSQL writes a type as JSON. Of other types nothing is known.
func typeSchema(typ string) *schema {
	if element, isArray := strings.CutSuffix(typ, "[]"); isArray {
		return &schema{Type: types{"array"}, Items: typeSchema(element)}
	}
	switch typ {
	case "boolean":
		return &schema{Type: types{"boolean"}}
	case "smallint", "integer":
		return &schema{Type: types{"integer"}, Format: "int32"}
	case "bigint":
		return &schema{Type: types{"integer"}, Format: "int64"}
	case "real":
		return &schema{Type: types{"number"}, Format: "float"}
	case "double precision":
		return &schema{Type: types{"number"}, Format: "double"}
	case "numeric":
		return &schema{Type: types{"number"}}
	case "uuid":
		return &schema{Type: types{"string"}, Format: "uuid"}
	case "date":
		return &schema{Type: types{"string"}, Format: "date"}
	case "timestamp with time zone":
		return &schema{Type: types{"string"}, Format: "date-time"}
	}
	if slices.Contains(stringTypes, typ) {
		return &schema{Type: types{"string"}}
	}
	return &schema{}
}

// functionPath describes the overloads of a function.
func (d *describer) functionPath(name string, overloads []*catalog.Function) object[operation] {
	summary, description := title(overloads[0].Comment)
	one := func(method string, functions []*catalog.Function) operation {
		return operation{
			ID: method + ".rpc." + component(name), Tags: []string{"rpc/" + name},
			Summary: summary, Description: description, Responses: d.results(functions),
		}
	}
	var item object[operation]
	var readable []*catalog.Function
	for _, f := range overloads {
		if !f.Volatile && !f.TakesBody() {
			readable = append(readable, f)
		}
	}
	if readable != nil {
		get := one("get", readable)
		get.Parameters = argumentParameters(readable)
		if overloads[0].Set {
			get.Parameters = append(get.Parameters, pagingParameters(get.Parameters)...)
		}
		item.set("get", get)
	}
	post := one("post", overloads)
	post.RequestBody = argumentsBody(overloads)
	item.set("post", post)
	return item
}

// argumentParameters are the arguments of overloads in a query string. One is required if each of them
// requires it.
func argumentParameters(overloads []*catalog.Function) []parameter {
	var list []parameter
	for _, f := range overloads {
		for _, p := range f.Parameters {
			if hasParameter(list, p.Name) {
				continue
			}
			required := !slices.ContainsFunc(overloads, func(other *catalog.Function) bool {
				i := slices.IndexFunc(other.Parameters, func(o catalog.Parameter) bool { return o.Name == p.Name })
				return i < 0 || !other.Parameters[i].Required
			})
			s := typeSchema(p.Type)
			if slices.Equal(s.Type, types{"array"}) && !p.Variadic { // arrays are written {a,b}
				s = &schema{Type: types{"string"}}
			}
			list = append(list, parameter{Name: p.Name, In: "query", Required: &required, Schema: s})
		}
	}
	return list
}

// pagingParameters are those of a function that returns rows, but for names that its arguments have.
func pagingParameters(arguments []parameter) []parameter {
	var list []parameter
	for _, name := range []string{"select", "order", "limit", "offset"} {
		if !hasParameter(arguments, name) {
			list = append(list, parameterRefs(name)...)
		}
	}
	return list
}

func hasParameter(list []parameter, name string) bool {
	return slices.ContainsFunc(list, func(p parameter) bool { return p.Name == name })
}

// argumentsBody is the body of a call: an object with the arguments, or the argument itself.
func argumentsBody(overloads []*catalog.Function) *requestBody {
	body := &requestBody{Content: object[content]{}}
	var objects []*schema
	for _, f := range overloads {
		if !f.TakesBody() {
			objects = append(objects, argumentsSchema(f))
			continue
		}
		text := content{&schema{Type: types{"string"}}}
		switch f.Parameters[0].Type {
		case "bytea":
			body.Content.set(query.TypeBinary, text)
		case "text":
			body.Content.set(query.TypeText, text)
		case "xml":
			body.Content.set(query.TypeXML, text)
		default: // json and jsonb take anything
			objects = append(objects, &schema{})
		}
	}
	if len(objects) > 0 {
		body.Content.set(query.TypeJSON, content{anyOf(objects)})
	}
	return body
}

func argumentsSchema(f *catalog.Function) *schema {
	s := &schema{
		Type: types{"object"}, Description: f.Comment,
		Properties: object[*schema]{}, AdditionalProperties: new(bool),
	}
	for _, p := range f.Parameters {
		argument := typeSchema(p.Type)
		argument.SQLType = p.Type
		s.Properties.set(p.Name, argument)
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	return s
}

func anyOf(list []*schema) *schema {
	if len(list) == 1 {
		return list[0]
	}
	return &schema{AnyOf: list}
}

// results are the answers of overloads.
func (d *describer) results(overloads []*catalog.Function) object[response] {
	var values []*schema
	void := false
	for _, f := range overloads {
		if f.Void {
			void = true
			continue
		}
		value := &schema{Type: types{"object"}}
		target := d.catalog.Table(f.ReturnSchema, f.ReturnTable)
		switch {
		case f.Scalar:
			value = typeSchema(f.ReturnType)
		case target != nil && d.readable(target):
			value = reference("#/components/schemas/" + component(target.Name))
		}
		if f.Set {
			value = &schema{Type: types{"array"}, Items: value}
		}
		values = append(values, value)
	}
	list := object[response]{}
	if len(values) > 0 {
		list.set("200", response{
			Description: "OK",
			Content:     object[content]{{query.TypeJSON, content{anyOf(values)}}},
		})
	}
	if void {
		list.set("204", response{Description: "No Content"})
	}
	list.set("default", errorResponse())
	return list
}
