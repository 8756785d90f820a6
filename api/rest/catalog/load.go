package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// Contents are what the catalog's queries return. Load reads them; tests write them by hand.
type Contents struct {
	Tables      []*Table
	ForeignKeys []ForeignKey
	Views       []View
	Relations   map[string]Relation // by object identifier
	Functions   []*Function
	Casts       []Cast
	Media       []MediaHandler
	Settings    map[string][]Setting
}

// A Query runs one statement with an empty search path, so that PostgreSQL qualifies every name of a type,
// and returns the JSON in the first column of its first row.
type Query func(ctx context.Context, sql string) ([]byte, error)

// Load reads the catalog. Functions of the exposed schemas may define computed relationships and media types.
func Load(ctx context.Context, query Query, exposed []string) (*Catalog, error) {
	var c Contents
	for _, part := range []struct {
		name, sql string
		into      any
	}{
		{"tables", tablesSQL, &c.Tables},
		{"foreign keys", foreignKeysSQL, &c.ForeignKeys},
		{"views", viewsSQL, &c.Views},
		{"relations", relationsSQL, &c.Relations},
		{"functions", functionsSQL, &c.Functions},
		{"casts", castsSQL, &c.Casts},
		{"media types", mediaSQL, &c.Media},
		{"settings of roles", settingsSQL, &c.Settings},
	} {
		raw, err := query(ctx, part.sql)
		if err != nil {
			return nil, fmt.Errorf("read the catalog's %s: %w", part.name, err)
		}
		if err := json.Unmarshal(raw, part.into); err != nil {
			return nil, fmt.Errorf("decode the catalog's %s: %w", part.name, err)
		}
	}
	return New(c, exposed), nil
}

// New builds a catalog and takes ownership of the contents.
func New(contents Contents, exposed []string) *Catalog {
	c := &Catalog{
		tables:        map[string]map[string]*Table{},
		functions:     map[string]map[string][]*Function{},
		relationships: map[*Table][]*Relationship{},
		computed:      map[*Table][]*Relationship{},
		media:         map[mediaKey]*MediaHandler{},
		settings:      contents.Settings,
	}
	c.addTables(contents.Tables, contents.Casts)
	columns := baseColumns(contents.Views, contents.Relations)
	c.addViewKeys(columns)
	c.addRelationships(slices.Concat(contents.ForeignKeys, viewForeignKeys(contents.ForeignKeys, columns)))
	for _, f := range contents.Functions {
		if slices.Contains(exposed, f.Schema) {
			c.addComputed(f)
		}
		if f.Callable {
			c.addFunction(f)
		}
	}
	for _, h := range contents.Media {
		if slices.Contains(exposed, h.Schema) {
			c.addMediaHandler(h)
		}
	}
	return c
}
