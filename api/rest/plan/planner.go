package plan

import (
	"fmt"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// Rules are the limits and options of the service.
type Rules struct {
	Schemas          []string // those exposed
	MaxRows          int64    // of an answer and of each embedded list; 0 means no limit
	Estimates        bool     // counts may be PostgreSQL's estimates, which include rows of other tenants
	MaxAnswerBytes   int64    // of a body; 0 means no limit
	Aggregates       bool     // clients may aggregate
	Explain          bool     // clients may ask for PostgreSQL's plan
	UnfilteredWrites bool     // updates and deletions of every row are allowed
	NoDescription    bool     // the root answers 404
	AllPrivileges    bool     // the description shows what any role may use
}

// A planner plans one request.
type planner struct {
	catalog *catalog.Catalog
	rules   Rules
	request *query.Request
	joins   int // how many resources are embedded so far
}

// table finds a table of the request's schema.
func (p *planner) table(name string) (*catalog.Table, error) {
	schema := p.request.Schema
	if t := p.catalog.Table(schema, name); t != nil {
		return t, nil
	}
	e := &query.Error{
		Code:    query.CodeUnknownTable,
		Message: fmt.Sprintf("Could not find the table '%s.%s' in the schema cache", schema, name),
	}
	var names []string
	for _, t := range p.catalog.Tables(schema) {
		names = append(names, t.Name)
	}
	if near := catalog.Nearest(name, names, nearName); near != "" {
		e.Hint = fmt.Sprintf("Perhaps you meant the table '%s.%s'", schema, near)
	}
	return nil, e
}

// How alike a name must be to be proposed, after PostgREST's fuzzy set (Error.hs).
const (
	nearName  = 0.75 // of a table or function
	nearShape = 0.33 // of a relationship or a list of parameters
)

// A Plan is a *Read, *Write, *Call, *Description or *Methods.
type Plan interface {
	// ReadOnly reports whether the statement writes nothing.
	ReadOnly() bool
	// Check judges how many rows the statement returned, before it is committed. Its errors are *query.Error.
	Check(rows int64) error
}

// Methods are the methods of a resource, for OPTIONS.
type Methods struct{ Allow string }

// ReadOnly implements Plan: there is no statement.
func (*Methods) ReadOnly() bool { return true }

// Check implements Plan.
func (*Methods) Check(int64) error { return nil }

func (p *planner) methods() (Plan, error) {
	switch target := p.request.Target; target.Kind {
	case query.TargetTable:
		t, err := p.table(target.Name)
		if err != nil {
			return nil, err
		}
		return &Methods{tableMethods(t)}, nil
	case query.TargetFunction:
		return p.functionMethods()
	}
	return &Methods{"OPTIONS,GET,HEAD"}, nil
}

func tableMethods(t *catalog.Table) string {
	methods := "OPTIONS,GET,HEAD"
	if t.Insertable {
		methods += ",POST"
	}
	if t.Insertable && t.Updatable && len(t.Key) > 0 {
		methods += ",PUT"
	}
	if t.Updatable {
		methods += ",PATCH"
	}
	if t.Deletable {
		methods += ",DELETE"
	}
	return methods
}
