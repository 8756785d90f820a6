package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// routine chooses the function by the names of its arguments, else one with a single unnamed parameter that takes the body whole.
func (p *planner) routine(q *request, keys []string) (f *routine, unnamed bool, err error) {
	all := p.schema.routines[p.exposed][q.function]
	post := q.method == http.MethodPost
	var named, whole []*routine
	for _, candidate := range all {
		switch {
		case matchesArguments(candidate, keys, post, q.bodyType):
			named = append(named, candidate)
		case post && takesBody(candidate, q.bodyType):
			whole = append(whole, candidate)
		}
	}
	found := named
	if len(named) == 0 {
		found, unnamed = whole, true
	}
	switch len(found) {
	case 1:
		only := found[0].Parameters
		return found[0], unnamed || post && len(only) == 1 && only[0].Name == "", nil // also where the client names it by an empty key
	case 0:
		return nil, false, p.noRoutine(q, keys, all)
	}
	var list []string
	for _, candidate := range found {
		var parameters []string
		for _, one := range candidate.Parameters {
			parameters = append(parameters, one.Name+" => "+one.Type)
		}
		list = append(list, fmt.Sprintf("%s.%s(%s)", candidate.Schema, candidate.Name, strings.Join(parameters, ", ")))
	}
	return nil, false, failure(http.StatusMultipleChoices, "PGRST203", "Could not choose the best candidate function between: "+strings.Join(list, ", ")).
		with(nil, "Try renaming the parameters or the function itself in the database so function overloading can be resolved")
}

// describe tells the methods of a function, whatever its arguments.
func (p *planner) describe(w http.ResponseWriter, q *request) error {
	all := p.schema.routines[p.exposed][q.function]
	switch {
	case len(all) == 0:
		return p.noRoutine(q, nil, nil)
	case slices.ContainsFunc(all, func(f *routine) bool { return !f.Volatile }):
		return allow(w, "OPTIONS,GET,HEAD,POST")
	}
	return allow(w, "OPTIONS,POST")
}

func matchesArguments(f *routine, keys []string, post bool, bodyType string) bool {
	if len(f.Parameters) == 0 {
		return len(keys) == 0 && !(post && slices.Contains([]string{typeText, typeXML, typeBinary}, bodyType))
	}
	names := map[string]bool{}
	for _, one := range f.Parameters {
		names[one.Name] = true
		if one.Required && !slices.Contains(keys, one.Name) {
			return false
		}
	}
	for _, k := range keys {
		if !names[k] {
			return false
		}
	}
	return true
}

func takesBody(f *routine, bodyType string) bool {
	if len(f.Parameters) != 1 || f.Parameters[0].Name != "" {
		return false
	}
	switch f.Parameters[0].Type {
	case "json", "jsonb":
		return bodyType == typeJSON
	case "text":
		return bodyType == typeText
	case "xml":
		return bodyType == typeXML
	case "bytea":
		return bodyType == typeBinary
	}
	return false
}

func (p *planner) noRoutine(q *request, keys []string, overloaded []*routine) error {
	name := p.exposed + "." + q.function
	sorted := slices.Sorted(slices.Values(keys))
	list := strings.Join(sorted, ", ")
	post := q.method == http.MethodPost
	single := post && slices.Contains([]string{typeText, typeXML, typeBinary}, q.bodyType)
	message, details := name+"("+list+")", " with parameter"+map[bool]string{true: "s ", false: " "}[len(keys) > 1]+list
	if len(keys) == 0 {
		message, details = name+" without parameters", " without parameters"
	}
	switch {
	case single:
		message = name
		details = " with a single unnamed " + map[string]string{typeText: "text", typeXML: "xml", typeBinary: "bytea"}[q.bodyType] + " parameter"
	case post && q.bodyType == typeJSON:
		details += " or with a single unnamed json/jsonb parameter"
	}
	e := failure(http.StatusNotFound, "PGRST202", "Could not find the function "+message+" in the schema cache").
		with("Searched for the function "+name+details+", but no matches were found in the schema cache.", nil)
	if single {
		return e
	}
	if len(overloaded) == 0 {
		var names []string
		for candidate := range p.schema.routines[p.exposed] {
			names = append(names, candidate)
		}
		if near := nearest(q.function, names, 0.75); near != "" {
			e.Hint = "Perhaps you meant to call the function " + p.exposed + "." + near
		}
		return e
	}
	var forms []string
	for _, candidate := range overloaded {
		var parameters []string
		for _, one := range candidate.Parameters {
			parameters = append(parameters, one.Name)
		}
		slices.Sort(parameters)
		forms = append(forms, "("+strings.Join(parameters, ", ")+")")
	}
	if near := nearest("("+list+")", forms, 0.33); near != "" {
		e.Hint = "Perhaps you meant to call the function " + name + near
	}
	return e
}
