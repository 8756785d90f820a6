// Package catalog is the schema cache of the data API: tables, views, functions, relationships and media
// types, as PostgreSQL's catalog has them.
//
// A Catalog is a snapshot. Load or New builds it once and nothing changes it afterwards, so that requests
// share it without locks. Each file holds a part of the catalog next to the query that reads it.
package catalog

import (
	"maps"
	"slices"
	"strings"
)

// A Catalog is a snapshot of the database's schemas. It is safe for concurrent use.
type Catalog struct {
	tables        map[string]map[string]*Table      // by schema and name
	functions     map[string]map[string][]*Function // by schema and name
	relationships map[*Table][]*Relationship
	computed      map[*Table][]*Relationship // relationships that functions compute
	media         map[mediaKey]*MediaHandler
	settings      map[string][]Setting // by role
}

// Table returns a table or view, or nil.
func (c *Catalog) Table(schema, name string) *Table { return c.tables[schema][name] }

// Tables returns the tables and views of a schema by name.
func (c *Catalog) Tables(schema string) []*Table {
	return slices.SortedFunc(maps.Values(c.tables[schema]), func(a, b *Table) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// Functions returns the functions of one name. Several are overloads.
func (c *Catalog) Functions(schema, name string) []*Function { return c.functions[schema][name] }

// FunctionNames returns the names of a schema's functions in order.
func (c *Catalog) FunctionNames(schema string) []string {
	return slices.Sorted(maps.Keys(c.functions[schema]))
}

// Relationships returns the relationships of a table that foreign keys make.
func (c *Catalog) Relationships(t *Table) []*Relationship { return c.relationships[t] }

// ComputedRelationships returns the relationships of a table that functions compute.
func (c *Catalog) ComputedRelationships(t *Table) []*Relationship { return c.computed[t] }

// RoleSettings returns the settings of a role that SET ROLE does not apply.
func (c *Catalog) RoleSettings(role string) []Setting { return c.settings[role] }
