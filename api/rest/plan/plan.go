// Package plan turns a request of the data API into a plan for the database's schema: it looks names up in
// the catalog, resolves relationships, chooses functions and formats, and applies the service's rules.
//
// A plan says everything that package sqlgen needs to write the statement, and nothing changes it after New
// has returned it. The package knows neither HTTP nor SQL.
package plan

import (
	"research/api/rest/catalog"
	"research/api/rest/query"
)

// New plans a request. Its errors are *query.Error.
func New(c *catalog.Catalog, rules Rules, r *query.Request) (Plan, error) {
	p := &planner{catalog: c, rules: rules, request: r}
	if r.Method == query.MethodOptions {
		return p.methods()
	}
	switch r.Target.Kind {
	case query.TargetRoot:
		return p.description()
	case query.TargetFunction:
		return p.call()
	}
	t, err := p.table(r.Target.Name)
	if err != nil {
		return nil, err
	}
	switch r.Method {
	case query.MethodPost:
		return p.insert(t)
	case query.MethodPatch:
		return p.update(t)
	case query.MethodPut:
		return p.put(t)
	case query.MethodDelete:
		return p.delete(t)
	}
	return p.read(t)
}

// A Description is OpenAPI's description of a schema.
type Description struct {
	Schema        string
	Swagger       bool // OpenAPI 2.0; otherwise 3.1
	ContentType   string
	AllPrivileges bool // not only what the caller's role may use
}

// ReadOnly implements Plan: the statement reads the caller's privileges.
func (*Description) ReadOnly() bool { return true }

// Check implements Plan.
func (*Description) Check(int64) error { return nil }

func (p *planner) description() (Plan, error) {
	if !p.request.Reads() {
		return nil, query.UnsupportedMethod(p.request.Method)
	}
	if p.rules.NoDescription {
		return nil, &query.Error{Code: query.CodeNoDescription, Message: "Root endpoint metadata is disabled"}
	}
	contentType, swagger, err := p.descriptionFormat()
	if err != nil {
		return nil, err
	}
	return &Description{
		Schema: p.request.Schema, Swagger: swagger, ContentType: contentType, AllPrivileges: p.rules.AllPrivileges,
	}, nil
}

// Costly reports whether a plan can multiply rows: lists are nested in lists, or there are many of them. Only
// such plans are worth asking PostgreSQL for their cost before they run.
func Costly(p Plan) bool {
	const manyEmbeds = 10
	s := selectionOf(p)
	return s != nil && (s.nesting() >= 2 || s.embedded() > manyEmbeds)
}

func selectionOf(p Plan) *Selection {
	switch p := p.(type) {
	case *Read:
		return p.Selection
	case *Write:
		return p.Selection
	case *Call:
		return p.Selection
	}
	return nil
}
