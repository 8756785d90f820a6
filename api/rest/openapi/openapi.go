// Package openapi describes the data API to clients: OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1), and
// OpenAPI 2.0 as PostgREST writes it (https://docs.postgrest.org/en/stable/references/api/openapi.html),
// which tools made for PostgREST read.
//
// A description shows what the caller's role may use: the catalog says what there is, and Privileges say what
// of it is allowed. docs/decisions/0152 says why no library writes the documents.
package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"research/api/rest/catalog"
)

// Config says where the API is reached.
type Config struct {
	PublicURL string // of the root, as clients reach it; may be empty
	Prefix    string // of paths, where PublicURL is empty
	Security  bool   // OpenAPI 2.0 says that a token is required; 3.1 always does
}

// Privileges are the privileges of a role in a schema.
type Privileges struct {
	Comment   string                // of the schema
	Tables    map[string]TableGrant // by name
	Functions []string              // object identifiers
}

// A TableGrant holds the privileges of a role on a table.
type TableGrant struct {
	Select, Insert, Update, Delete bool
	Columns                        map[string]ColumnGrant
}

// A ColumnGrant holds the privileges of a role on a column.
type ColumnGrant struct{ Select, Insert, Update bool }

// DecodePrivileges reads the result of the statement of a plan.Description. Without a row the schema does not
// exist.
func DecodePrivileges(rows [][][]byte) (Privileges, error) {
	var p Privileges
	if len(rows) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(rows[0][0], &p); err != nil {
		return p, fmt.Errorf("decode the privileges: %w", err)
	}
	return p, nil
}

// apiVersion is the version of the wire. What the tables hold changes with the migrations.
const apiVersion = "1"

// A describer describes one schema to one role.
type describer struct {
	cfg        Config
	catalog    *catalog.Catalog
	schema     string
	privileges Privileges
}

// V2 writes OpenAPI 2.0.
func V2(cfg Config, c *catalog.Catalog, schema string, p Privileges) ([]byte, error) {
	d := describer{cfg, c, schema, p}
	return json.Marshal(d.swagger())
}

// V3 writes OpenAPI 3.1.
func V3(cfg Config, c *catalog.Catalog, schema string, p Privileges) ([]byte, error) {
	d := describer{cfg, c, schema, p}
	return json.Marshal(d.openAPI())
}

// tables are those that the role may use, by name.
func (d *describer) tables() []*catalog.Table {
	return slices.DeleteFunc(d.catalog.Tables(d.schema), func(t *catalog.Table) bool {
		_, granted := d.privileges.Tables[t.Name]
		return !granted
	})
}

// readable reports whether the role can read a table of this schema.
func (d *describer) readable(t *catalog.Table) bool {
	return t.Schema == d.schema && d.privileges.Tables[t.Name].Select
}

// functions calls yield for the functions that the role may call, by name. Overloads share it.
func (d *describer) functions(yield func(name string, overloads []*catalog.Function)) {
	for _, name := range d.catalog.FunctionNames(d.schema) {
		var overloads []*catalog.Function
		for _, f := range d.catalog.Functions(d.schema, name) {
			if slices.Contains(d.privileges.Functions, f.OID) && f.Nameable() {
				overloads = append(overloads, f)
			}
		}
		if overloads != nil {
			yield(name, overloads)
		}
	}
}

// foreignKey is the relationship that a column makes by itself, to a table rather than to a view; nil without
// one.
func (d *describer) foreignKey(t *catalog.Table, column string) *catalog.Relationship {
	var found *catalog.Relationship
	for _, r := range d.catalog.Relationships(t) {
		if r.HoldsKey && len(r.Columns) == 1 && r.Columns[0].From == column &&
			(found == nil || found.Target.IsView && !r.Target.IsView) {
			found = r
		}
	}
	return found
}

// title cuts a comment into a summary, its first line, and a description, the rest.
func title(comment string) (summary, description string) {
	summary, description, _ = strings.Cut(comment, "\n")
	return summary, strings.TrimLeft(description, "\n")
}
