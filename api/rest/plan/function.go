package plan

import (
	"fmt"
	"slices"
	"strings"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

// function chooses the overload whose parameters the arguments name; if there is none, one whose only
// parameter takes the whole body.
func (p *planner) function() (f *catalog.Function, takesBody bool, err error) {
	overloads := p.catalog.Functions(p.request.Schema, p.request.Target.Name)
	names := p.request.ArgumentNames()
	var named, whole []*catalog.Function
	for _, candidate := range overloads {
		switch {
		case p.accepts(candidate, names):
			named = append(named, candidate)
		case p.acceptsBody(candidate):
			whole = append(whole, candidate)
		}
	}
	found := named
	if len(named) == 0 {
		found = whole
	}
	switch len(found) {
	case 1:
		// A client can also name the parameter without a name by an empty key.
		takesBody := p.isPost() && len(found[0].Parameters) == 1 && found[0].Parameters[0].Name == ""
		return found[0], takesBody, nil
	case 0:
		return nil, false, p.unknownFunction(names, overloads)
	}
	return nil, false, ambiguousFunction(found)
}

func (p *planner) isPost() bool { return p.request.Method == query.MethodPost }

// isOpaque reports whether the request is a POST whose body is one value, not arguments by name.
func (p *planner) isOpaque() bool {
	opaque := []string{query.TypeText, query.TypeXML, query.TypeBinary}
	return p.isPost() && slices.Contains(opaque, p.request.Payload.Type)
}

// accepts reports whether a function has the parameters that are named, and no others that it requires.
func (p *planner) accepts(f *catalog.Function, names []string) bool {
	if len(f.Parameters) == 0 {
		return len(names) == 0 && !p.isOpaque()
	}
	var known []string
	for _, parameter := range f.Parameters {
		if parameter.Required && !slices.Contains(names, parameter.Name) {
			return false
		}
		known = append(known, parameter.Name)
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(known, name) })
}

// acceptsBody reports whether a function's only parameter takes a body of the request's media type.
func (p *planner) acceptsBody(f *catalog.Function) bool {
	if !p.isPost() || !f.TakesBody() {
		return false
	}
	types := map[string]string{
		"json": query.TypeJSON, "jsonb": query.TypeJSON,
		"text": query.TypeText, "xml": query.TypeXML, "bytea": query.TypeBinary,
	}
	return types[f.Parameters[0].Type] == p.request.Payload.Type
}

func ambiguousFunction(found []*catalog.Function) error {
	var list []string
	for _, f := range found {
		var parameters []string
		for _, parameter := range f.Parameters {
			parameters = append(parameters, parameter.Name+" => "+parameter.Type)
		}
		list = append(list, fmt.Sprintf("%s.%s(%s)", f.Schema, f.Name, strings.Join(parameters, ", ")))
	}
	return &query.Error{
		Code:    query.CodeAmbiguousFunction,
		Message: "Could not choose the best candidate function between: " + strings.Join(list, ", "),
		Hint: "Try renaming the parameters or the function itself in the database so function overloading " +
			"can be resolved",
	}
}

// unknownFunction is the error of a call that no overload accepts.
func (p *planner) unknownFunction(names []string, overloads []*catalog.Function) error {
	schema, target := p.request.Schema, p.request.Target.Name
	name := schema + "." + target
	list := strings.Join(slices.Sorted(slices.Values(names)), ", ")
	var called, searched string
	switch {
	case p.isOpaque():
		called, searched = name, " with a single unnamed "+bodyParameter[p.request.Payload.Type]+" parameter"
	case len(names) == 0:
		called, searched = name+" without parameters", " without parameters"
	case len(names) == 1:
		called, searched = name+"("+list+")", " with parameter "+list
	default:
		called, searched = name+"("+list+")", " with parameters "+list
	}
	if p.isPost() && p.request.Payload.Type == query.TypeJSON {
		searched += " or with a single unnamed json/jsonb parameter"
	}
	e := &query.Error{
		Code:    query.CodeUnknownFunction,
		Message: "Could not find the function " + called + " in the schema cache",
		Details: "Searched for the function " + name + searched +
			", but no matches were found in the schema cache.",
	}
	switch {
	case p.isOpaque():
	case len(overloads) == 0:
		if near := catalog.Nearest(target, p.catalog.FunctionNames(schema), nearName); near != "" {
			e.Hint = "Perhaps you meant to call the function " + schema + "." + near
		}
	default:
		if near := catalog.Nearest("("+list+")", parameterLists(overloads), nearShape); near != "" {
			e.Hint = "Perhaps you meant to call the function " + name + near
		}
	}
	return e
}

// bodyParameter is the type of the parameter that takes a body of a media type.
var bodyParameter = map[string]string{query.TypeText: "text", query.TypeXML: "xml", query.TypeBinary: "bytea"}

func parameterLists(overloads []*catalog.Function) []string {
	var lists []string
	for _, f := range overloads {
		var names []string
		for _, parameter := range f.Parameters {
			names = append(names, parameter.Name)
		}
		slices.Sort(names)
		lists = append(lists, "("+strings.Join(names, ", ")+")")
	}
	return lists
}

// functionMethods are the methods of a function, whatever its arguments.
func (p *planner) functionMethods() (Plan, error) {
	overloads := p.catalog.Functions(p.request.Schema, p.request.Target.Name)
	switch {
	case len(overloads) == 0:
		return nil, p.unknownFunction(nil, nil)
	case slices.ContainsFunc(overloads, func(f *catalog.Function) bool { return !f.Volatile }):
		return &Methods{"OPTIONS,GET,HEAD,POST"}, nil
	}
	return &Methods{"OPTIONS,POST"}, nil
}
