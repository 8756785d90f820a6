package plan

import (
	"fmt"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// A Call calls a function: GET, HEAD and POST of /rpc.
type Call struct {
	Function  *catalog.Function
	Arguments []Argument
	JSON      []byte   // holds the arguments where they have no values; nil where they have
	IsObject  bool     // the JSON is one object; otherwise the first of an array counts
	Returning []string // the columns of the result that the answer needs; nil means all
	Selection *Selection
	Window    Window
	Count     Count
	Format    Format

	readOnly bool
	limit    *int64 // how many rows may be affected; nil means any number
}

// An Argument is an argument of a call.
type Argument struct {
	Parameter catalog.Parameter
	Values    []string // as text. A variadic parameter takes all of them, any other the last
}

// ReadOnly implements Plan.
func (c *Call) ReadOnly() bool { return c.readOnly }

// Check implements Plan.
func (c *Call) Check(rows int64) error {
	if err := c.Format.checkSingular(rows); err != nil {
		return err
	}
	return checkAffected(rows, c.limit)
}

// call plans the call of a function.
func (p *planner) call() (Plan, error) {
	f, takesBody, err := p.function()
	if err != nil {
		return nil, err
	}
	source := Selection{Alias: f.Name, Derived: true, Filter: p.request.Root.Filter}
	if !f.Scalar {
		source.Table = p.catalog.Table(f.ReturnSchema, f.ReturnTable)
	}
	if source.Table != nil {
		source.Alias = source.Table.Name
	}
	s, err := p.selectFrom(source, p.rules.MaxRows)
	if err != nil {
		return nil, err
	}
	format, err := p.format(f.Schema, s.Alias, s.everything())
	if err != nil {
		return nil, err
	}
	limit := p.request.Preferences.Limit()
	if limit != nil && !f.Set {
		return nil, &query.Error{
			Code: query.CodeMaxAffectedNeedsSet,
			Message: "Function must return SETOF or TABLE when max-affected preference is used " +
				"with handling=strict",
		}
	}
	w, err := p.page(p.rules.MaxRows)
	if err != nil {
		return nil, err
	}
	if p.request.Method == query.MethodHead || f.Void {
		format = format.withoutBody()
	}
	c := &Call{
		Function:  f,
		Returning: s.needs(),
		Selection: s,
		Window:    w,
		Count:     p.count(w),
		Format:    format,
		readOnly:  p.request.Method != query.MethodPost || !f.Volatile,
		limit:     limit,
	}
	payload := p.request.Payload
	switch {
	case takesBody:
		c.Arguments = []Argument{{f.Parameters[0], []string{bodyValue(f.Parameters[0], payload)}}}
	case payload.Type == query.TypeJSON:
		c.Arguments, c.JSON, c.IsObject = p.namedArguments(f), payload.JSON, payload.IsObject()
	default:
		c.Arguments = p.valuedArguments(f)
	}
	return c, nil
}

// bodyValue is the text of a body as a value of the parameter's type.
func bodyValue(parameter catalog.Parameter, body query.Payload) string {
	switch {
	case body.Type == query.TypeForm: // the form's value has no name, and PostgREST drops it
		return ""
	case body.Type == query.TypeJSON:
		return string(body.JSON)
	case parameter.Type == "bytea":
		return fmt.Sprintf(`\x%x`, body.Raw)
	}
	return string(body.Raw)
}

// namedArguments are those that the JSON of the body gives values.
func (p *planner) namedArguments(f *catalog.Function) []Argument {
	var list []Argument
	for _, parameter := range f.Parameters {
		for _, name := range p.request.Payload.Columns {
			if name == parameter.Name {
				list = append(list, Argument{Parameter: parameter})
				break
			}
		}
	}
	return list
}

// valuedArguments are those of a query string or a form.
func (p *planner) valuedArguments(f *catalog.Function) []Argument {
	var list []Argument
	for _, parameter := range f.Parameters {
		var values []string
		for _, a := range p.request.Arguments {
			if a.Name == parameter.Name {
				values = append(values, a.Value)
			}
		}
		if len(values) > 0 {
			list = append(list, Argument{parameter, values})
		}
	}
	return list
}
