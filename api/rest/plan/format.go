package plan

import (
	"strings"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// A Format is the form of an answer.
type Format struct {
	Body        query.MediaType       // what PostgreSQL makes; the zero value means no body
	Handler     *catalog.MediaHandler // makes the body instead; may be nil
	ContentType string                // empty means none
	Singular    bool                  // the answer is one object
	Explain     *query.Explain        // PostgreSQL's plan is the answer; may be nil
	MaxBytes    int64                 // of the body; 0 means no limit
}

// withoutBody is the format of an answer that has the same headers and no body.
func (f Format) withoutBody() Format {
	f.Body, f.Handler = query.MediaType{}, nil
	return f
}

// format chooses the first media type that the client accepts and that can be made of a table's or function's
// rows. Handlers of the table or function itself make whole rows only: whole says whether all columns are
// selected.
func (p *planner) format(schema, name string, whole bool) (Format, error) {
	var names []string
	for _, accepted := range p.request.Accept {
		names = append(names, accepted.String())
		if accepted.Explain == nil {
			if f, found := p.formatOf(accepted, schema, name, whole); found {
				return f, nil
			}
		} else if p.rules.Explain {
			if f, found := p.formatOf(accepted.Explain.For, schema, name, whole); found {
				f.Explain, f.Singular, f.ContentType = accepted.Explain, false, accepted.ContentType()
				return f, nil
			}
		}
	}
	return Format{}, notAcceptable(names)
}

func notAcceptable(names []string) error {
	return &query.Error{
		Code:    query.CodeNotAcceptable,
		Message: "None of these media types are available: " + strings.Join(names, ", "),
	}
}

func (p *planner) formatOf(m query.MediaType, schema, name string, whole bool) (Format, bool) {
	f, found := p.unboundedFormat(m, schema, name, whole)
	f.MaxBytes = p.rules.MaxAnswerBytes
	return f, found
}

func (p *planner) unboundedFormat(m query.MediaType, schema, name string, whole bool) (Format, bool) {
	builtin := Format{Body: m, ContentType: m.ContentType(), Singular: m.Name == query.TypeSingular}
	if m.Name == query.TypeSingular || m.Name == query.TypeArray {
		return builtin, true
	}
	if h := p.handler(m.Name, schema, name, whole); h != nil {
		return Format{Handler: h, ContentType: query.ParseMediaType(h.Media).ContentType()}, true
	}
	switch m.Name {
	case query.TypeAny, "application/*":
		m = query.MediaType{Name: query.TypeJSON}
		return Format{Body: m, ContentType: m.ContentType()}, true
	case query.TypeJSON, query.TypeCSV, query.TypeGeoJSON:
		return builtin, true
	}
	return Format{}, false
}

// handler returns the function of the database that produces a media type, or nil.
func (p *planner) handler(media, schema, name string, whole bool) *catalog.MediaHandler {
	if whole {
		for _, m := range []string{query.TypeAny, media} {
			if h := p.catalog.MediaHandler(schema, name, m); h != nil {
				return h
			}
		}
	}
	return p.catalog.CommonMediaHandler(media)
}

// descriptionFormat chooses OpenAPI's version: 2.0, as PostgREST answers and as its clients read, unless the
// client names version 3.
func (p *planner) descriptionFormat() (contentType string, swagger bool, err error) {
	const (
		version2 = query.TypeOpenAPI + "; charset=utf-8"
		version3 = query.TypeOpenAPI + "; version=3.1; charset=utf-8"
	)
	var names []string
	for _, m := range p.request.Accept {
		names = append(names, m.Name)
		switch m.Name {
		case query.TypeOpenAPI:
			if strings.HasPrefix(m.Options["version"], "3") {
				return version3, false, nil
			}
			return version2, true, nil
		case "application/vnd.oai.openapi+json":
			return version3, false, nil
		case query.TypeJSON, query.TypeAny, "application/*":
			return version2, true, nil
		}
	}
	return "", false, notAcceptable(names)
}
