package openapi

import (
	"fmt"
	"slices"
	"strings"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

type document struct {
	OpenAPI    string                    `json:"openapi"`
	Info       info                      `json:"info"`
	Servers    []server                  `json:"servers,omitempty"`
	Security   []requirement             `json:"security"`
	Paths      object[object[operation]] `json:"paths"`
	Components components                `json:"components"`
}

type server struct {
	URL string `json:"url"`
}

type components struct {
	Schemas         object[*schema]           `json:"schemas"`
	Parameters      object[parameter]         `json:"parameters"`
	Headers         object[header]            `json:"headers"`
	SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
}

const apiDescription = "Tables, views and functions over PostgREST's wire: " +
	"https://docs.postgrest.org/en/stable/references/api.html. " +
	"What is listed is what your role may use. Rows are those that row-level security lets you see."

// The names of our own components. Those of tables contain no full stop but before ".insert" and ".update".
const (
	schemaError  = "pgrst.error"
	schemaFilter = "pgrst.filter"
	headerCount  = "pgrst.contentRange"
)

func (d *describer) openAPI() document {
	name, description := title(d.privileges.Comment)
	if name == "" || name == "standard public schema" { // PostgreSQL's own comment
		name, description = "Data API", apiDescription
	}
	doc := document{
		OpenAPI:  "3.1.0",
		Info:     info{name, description, apiVersion},
		Security: []requirement{{"apikey": {}, "bearer": {}}},
		Paths:    object[object[operation]]{{"/", object[operation]{{"get", describeOperation()}}}},
		Components: components{
			Schemas:    object[*schema]{{schemaError, errorSchema()}, {schemaFilter, filterSchema()}},
			Parameters: commonParameters(),
			Headers: object[header]{{headerCount, header{
				Description: "first-last/total, as 0-24/573; * where unknown or empty",
				Schema:      &schema{Type: types{"string"}},
			}}},
			SecuritySchemes: map[string]securityScheme{
				"apikey": {Type: "apiKey", In: "header", Name: "apikey", Description: "The public API key."},
				"bearer": {
					Type: "http", Scheme: "bearer", BearerFormat: "JWT",
					Description: "The access token of a signed-in user.",
				},
			},
		},
	}
	if d.cfg.PublicURL != "" {
		doc.Servers = []server{{d.cfg.PublicURL}}
	} else if d.cfg.Prefix != "" {
		doc.Servers = []server{{d.cfg.Prefix}}
	}
	for _, t := range d.tables() {
		d.addTable(&doc, t)
	}
	d.functions(func(name string, overloads []*catalog.Function) {
		doc.Paths.set("/rpc/"+encodePath(name), d.functionPath(name, overloads))
	})
	return doc
}

func describeOperation() operation {
	return operation{
		ID: "describe", Summary: "This description", Tags: []string{"description"},
		Responses: object[response]{
			{"200", response{
				Description: "OpenAPI 2.0, or 3.1 by the media type application/openapi+json;version=3.1",
				Content:     object[content]{{query.TypeOpenAPI, content{}}},
			}},
			{"default", errorResponse()},
		},
	}
}

// addTable adds a table's path and components, if the role may do anything with it.
func (d *describer) addTable(doc *document, t *catalog.Table) {
	grant := d.privileges.Tables[t.Name]
	item := tablePath(t, grant)
	if len(item) == 0 {
		return
	}
	doc.Paths.set("/"+encodePath(t.Name), item)
	name, schemas := component(t.Name), &doc.Components.Schemas
	schemas.set(name, d.rowSchema(t, grant))
	if grant.Insert && t.Insertable {
		schemas.set(name+".insert", insertSchema(t, grant))
	}
	if grant.Update && t.Updatable {
		schemas.set(name+".update", updateSchema(t, grant))
	}
	for _, c := range filterable(t, grant) {
		doc.Components.Parameters.set(filterName(t, c), parameter{
			Name: c.Name, In: "query", Description: c.Comment,
			Schema: reference("#/components/schemas/" + schemaFilter),
		})
	}
}

// component makes a name of a component, which holds letters, digits, "_" and "-", out of any name. Different
// names make different components.
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
	return strings.NewReplacer(
		"%", "%25", "/", "%2F", "{", "%7B", "}", "%7D", "?", "%3F", "#", "%23",
	).Replace(name)
}

// reserved are query parameters that are not filters.
var reserved = []string{"select", "order", "limit", "offset", "and", "or", "columns", "on_conflict"}

// filterable are the columns by which the role can filter.
func filterable(t *catalog.Table, grant TableGrant) []*catalog.Column {
	var list []*catalog.Column
	for _, c := range t.Columns {
		if grant.Columns[c.Name].Select && !slices.Contains(reserved, c.Name) {
			list = append(list, c)
		}
	}
	return list
}

// filterName is the name of the component that filters by a column.
func filterName(t *catalog.Table, c *catalog.Column) string {
	return component(t.Name) + ".filter." + component(c.Name)
}

// parameterRefs refers to parameters among the components.
func parameterRefs(names ...string) []parameter {
	var list []parameter
	for _, name := range names {
		list = append(list, parameter{Ref: "#/components/parameters/" + name})
	}
	return list
}

// tablePath has an operation for each method that the role may use.
func tablePath(t *catalog.Table, grant TableGrant) object[operation] {
	summary, description := title(t.Comment)
	name := component(t.Name)
	var filters, keys []parameter
	for _, c := range filterable(t, grant) {
		filters = append(filters, parameterRefs(filterName(t, c))...)
		if slices.Contains(t.Key, c.Name) {
			keys = append(keys, parameterRefs(filterName(t, c))...)
		}
	}
	filters = append(filters, parameterRefs("and", "or")...)

	var item object[operation]
	add := func(method, verb string, parameters []parameter, body *requestBody, answers ...member[response]) {
		item.set(method, operation{
			ID: verb + "." + name, Tags: []string{t.Name}, Summary: summary, Description: description,
			Parameters: parameters, RequestBody: body,
			Responses: append(answers, member[response]{"default", errorResponse()}),
		})
	}
	rows := func(status, description string) member[response] {
		return member[response]{status, rowsResponse(name, description)}
	}
	noRows := func(status, description string) member[response] {
		return member[response]{status, response{Description: description}}
	}
	canInsert, canUpdate := grant.Insert && t.Insertable, grant.Update && t.Updatable
	if grant.Select {
		paging := parameterRefs("select", "order", "limit", "offset", "range", "preferCount")
		add("get", "read", slices.Concat(paging, filters), nil,
			rows("200", "All rows that the request asks for"), rows("206", "A part of them"),
			noRows("416", "Requested Range Not Satisfiable"))
	}
	if canInsert {
		add("post", "insert", parameterRefs("select", "columns", "on_conflict", "preferWrite"),
			rowsBody(name+".insert"),
			rows("201", "Created"), rows("200", "Merged into rows that were there"), noRows("409", "Conflict"))
	}
	if canInsert && canUpdate && len(t.Key) > 0 {
		add("put", "put", slices.Concat(keys, parameterRefs("select", "preferWrite")), rowsBody(name+".insert"),
			rows("200", "Replaced"), rows("201", "Created"), noRows("204", "No Content"))
	}
	if canUpdate {
		add("patch", "update", slices.Concat(parameterRefs("select", "columns", "preferWrite"), filters),
			rowsBody(name+".update"), rows("200", "Changed"), noRows("204", "No Content"))
	}
	if grant.Delete && t.Deletable {
		add("delete", "delete", slices.Concat(parameterRefs("select", "preferWrite"), filters), nil,
			rows("200", "Deleted"), noRows("204", "No Content"))
	}
	return item
}

// rowsResponse is an answer with rows of a component.
func rowsResponse(name, description string) response {
	row := reference("#/components/schemas/" + name)
	return response{
		Description: description,
		Headers:     object[header]{{"Content-Range", header{Ref: "#/components/headers/" + headerCount}}},
		Content: object[content]{
			{query.TypeJSON, content{&schema{Type: types{"array"}, Items: row}}},
			{query.TypeSingular, content{row}},
			{query.TypeCSV, content{&schema{Type: types{"string"}}}},
		},
	}
}

// rowsBody is a body with one row or several of a component.
func rowsBody(name string) *requestBody {
	row := reference("#/components/schemas/" + name)
	return &requestBody{Required: true, Content: object[content]{
		{query.TypeJSON, content{&schema{OneOf: []*schema{row, {Type: types{"array"}, Items: row}}}}},
		{query.TypeCSV, content{&schema{Type: types{"string"}}}},
	}}
}

func errorResponse() response {
	return response{
		Description: "An error",
		Content:     object[content]{{query.TypeJSON, content{reference("#/components/schemas/" + schemaError)}}},
	}
}

func errorSchema() *schema {
	return &schema{
		Type: types{"object"}, Required: []string{"code", "message", "details", "hint"},
		Properties: object[*schema]{
			{"code", &schema{
				Type: types{"string"},
				Description: "PGRST… (https://docs.postgrest.org/en/stable/references/errors.html), " +
					"or PostgreSQL's SQLSTATE",
			}},
			{"message", &schema{Type: types{"string"}}},
			{"details", &schema{}},
			{"hint", &schema{Type: types{"string", "null"}}},
		},
	}
}

func filterSchema() *schema {
	return &schema{
		Type: types{"string"}, Pattern: `^(not\.)?[a-z]+(\([^)]*\))?\.`,
		Examples: []string{"eq.5", "in.(a,b)", "is.null", "not.like.*draft*"},
		Description: "operator.value: eq, neq, gt, gte, lt, lte, like, ilike, match, imatch, in, is, isdistinct, " +
			"fts, plfts, phfts, wfts, cs, cd, ov, sl, sr, nxr, nxl, adj; not. before it negates; " +
			"(any) and (all) take a list, as like(any).{a*,b*}",
	}
}

func commonParameters() object[parameter] {
	var list object[parameter]
	text, least := &schema{Type: types{"string"}}, 0
	number := &schema{Type: types{"integer"}, Minimum: &least}
	add := func(key, name, in string, s *schema, description string) {
		list.set(key, parameter{Name: name, In: in, Description: description, Schema: s})
	}
	add("select", "select", "query", text,
		"Columns, and related resources in parentheses, as id,name,projects(name). "+
			"alias:column renames, column::type casts, resource!inner(…) joins, ...resource(…) spreads.")
	add("order", "order", "query", text,
		"As created_at.desc.nullslast,name; resource(column) orders by a related resource.")
	add("limit", "limit", "query", number, "Most rows; resource.limit for those of an embedded one.")
	add("offset", "offset", "query", number, "Rows that are passed over.")
	add("and", "and", "query", text, "(a.eq.1,or(b.gt.2,c.is.null)); not.and negates.")
	add("or", "or", "query", text, "(a.eq.1,b.gt.2); not.or negates.")
	add("columns", "columns", "query", text, "The columns of the body that count.")
	add("on_conflict", "on_conflict", "query", text,
		"The unique columns by which Prefer: resolution tells what is there.")
	add("range", "Range", "header", text, "First and last row, as 0-24.")
	add("preferCount", "Prefer", "header", text,
		"count=exact, planned or estimated; handling=strict; timezone=….")
	add("preferWrite", "Prefer", "header", text,
		"return=minimal, headers-only or representation; resolution=merge-duplicates or ignore-duplicates; "+
			"missing=default; count=exact; max-affected=N with handling=strict.")
	return list
}
