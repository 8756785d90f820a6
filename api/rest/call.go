package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// call answers /rpc/{function}.
func (h *Handler) call(w http.ResponseWriter, r *http.Request, q *request, p *planner) error {
	switch q.method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	case http.MethodOptions:
		w.Header().Set("Allow", "OPTIONS,GET,HEAD,POST")
		w.WriteHeader(http.StatusOK)
		return nil
	default:
		return failure(http.StatusMethodNotAllowed, "PGRST101", "Cannot use the "+q.method+" method on RPC")
	}
	keys, body, err := q.callArguments()
	if err != nil {
		return err
	}
	f, unnamed, err := p.routine(q, keys)
	if err != nil {
		return err
	}
	form, err := negotiateCall(q, f)
	if err != nil {
		return err
	}
	b := &builder{maxRows: h.cfg.MaxRows}
	source, err := b.callSQL(q, f, unnamed, body)
	if err != nil {
		return err
	}
	var target *table
	if f.ReturnTable != "" && !f.Scalar {
		target = p.schema.tables[f.ReturnSchema][f.ReturnTable]
	}
	rows, err := q.rows.narrow(q.root.limit, q.root.offset, h.cfg.MaxRows)
	if err != nil {
		return err
	}
	page, total := "select * from _call", "null::bigint"
	if f.Scalar {
		page = "select _call.pgrst_scalar from _call"
		if rows.limit != nil && f.Set {
			page += " limit " + b.param(fmt.Sprint(*rows.fetch().limit))
		}
		if rows.offset > 0 {
			page += " offset " + b.param(fmt.Sprint(rows.offset))
		}
	} else {
		plan, err := p.read(&q.root, target, nil)
		if err != nil {
			return err
		}
		plan.alias = "_call"
		if page, err = b.selectSQL(plan, "_call", rows.fetch()); err != nil {
			return err
		}
	}
	counted := ""
	if q.prefer.count != "" {
		total = "(select count(*) from _all)"
		all := "select * from _call"
		if !f.Scalar {
			p.aliases = 0
			plan, err := p.read(&q.root, target, nil)
			if err != nil {
				return err
			}
			plan.alias = "_call"
			if all, err = b.selectSQL(countPlan(plan), "_call", window{}); err != nil {
				return err
			}
		}
		counted = ", _all as (" + all + ")"
	}
	kind := form.kind
	switch {
	case f.Void:
		kind = "none"
	case f.Scalar && kind == typeJSON && !f.Set:
		kind = "scalarOne"
	case f.Scalar && kind == typeJSON:
		kind = "scalars"
	case kind == typeJSON && !f.Set:
		kind = typeSingular
	}
	limited, cut := b.pageSQL(rows)
	answer := bodySQL(kind, total)
	if kind == "scalarOne" {
		answer = strings.Replace(bodySQL(typeJSON, total), "coalesce(json_agg(_page), '[]')::text", "coalesce((json_agg(_page.pgrst_scalar)->0)::text, 'null')", 1)
	}
	statement := "with _call as (" + source + "), _source as (" + page + ")" + counted + " " + answer + ", " + cut + " from " + limited + " as _page"
	readOnly := q.method != http.MethodPost || !f.Volatile
	check := func(res result) error {
		if form.singular && res.page != 1 {
			return notSingular(res.page)
		}
		if q.prefer.maxAffected != nil && q.prefer.handling == "strict" {
			if !f.Set {
				return failure(http.StatusBadRequest, "PGRST128", "Function must return SETOF or TABLE when max-affected preference is used with handling=strict")
			}
			if res.page > *q.prefer.maxAffected {
				return failure(http.StatusBadRequest, "PGRST124", "Query result exceeds max-affected preference constraint").with(fmt.Sprintf("The query affects %d rows", res.page), nil)
			}
		}
		return nil
	}
	res, err := h.runCall(r, q, b, statement, readOnly, check)
	if err != nil {
		return err
	}
	status, contentRange, err := pageStatus(rows, res.page, res.total)
	if err != nil {
		return err
	}
	if f.Void {
		status, res.body = http.StatusNoContent, nil
	}
	w.Header().Set("Content-Range", contentRange)
	if q.method == http.MethodHead {
		res.body = nil
	}
	return h.write(w, q, form, res, status)
}

// runCall is run with the function's own settings, and with the check for reads as well.
func (h *Handler) runCall(r *http.Request, q *request, b *builder, sql string, readOnly bool, check func(result) error) (result, error) {
	res, err := h.run(r, q, b, sql, readOnly, check)
	if err != nil {
		return res, err
	}
	if readOnly {
		if err := check(res); err != nil {
			return res, err
		}
	}
	return res, nil
}

// callArguments are the names given, and the body of a POST.
func (q *request) callArguments() (keys []string, body []byte, err error) {
	if q.method != http.MethodPost {
		for _, a := range q.arguments {
			if !slices.Contains(keys, a.name) {
				keys = append(keys, a.name)
			}
		}
		return keys, nil, nil
	}
	if q.columns != nil {
		return q.columns, q.body, nil
	}
	switch q.bodyType {
	case typeForm:
		pairs, err := readPairs(string(q.body))
		if err != nil {
			return nil, nil, err
		}
		object := map[string]string{}
		for _, p := range pairs {
			object[p.key] = p.value
			keys = append(keys, p.key)
		}
		body, _ = json.Marshal(object)
		return keys, body, nil
	case typeText, typeXML, typeBinary:
		return nil, q.body, nil
	case typeJSON:
	default:
		return nil, nil, badBody("Content-Type not acceptable: " + q.bodyType)
	}
	trimmed := bytes.TrimSpace(q.body)
	if len(trimmed) == 0 {
		return nil, []byte("{}"), nil
	}
	if !json.Valid(trimmed) {
		return nil, nil, badBody("Empty or invalid json")
	}
	var object map[string]json.RawMessage
	var list []json.RawMessage
	first := trimmed
	if trimmed[0] == '[' && json.Unmarshal(trimmed, &list) == nil && len(list) > 0 { // of several objects the first counts
		first = list[0]
	}
	if json.Unmarshal(first, &object) == nil {
		for name := range object {
			keys = append(keys, name)
		}
		slices.Sort(keys)
	}
	return keys, trimmed, nil
}

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
		return found[0], unnamed, nil
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

// callSQL is the function's call as a source of rows; a scalar is the column pgrst_scalar.
func (b *builder) callSQL(q *request, f *routine, unnamed bool, body []byte) (string, error) {
	var arguments []string
	from := ""
	switch {
	case unnamed:
		value := string(body)
		if f.Parameters[0].Type == "bytea" {
			value = `\x` + fmt.Sprintf("%x", body)
		}
		arguments = append(arguments, b.param(value)+"::"+f.Parameters[0].Type)
	case q.method == http.MethodPost && len(f.Parameters) > 0:
		var types []string
		var given map[string]json.RawMessage
		var list []map[string]json.RawMessage
		if json.Unmarshal(body, &given) != nil && json.Unmarshal(body, &list) == nil && len(list) > 0 { // checked by callArguments
			given = list[0]
		}
		for _, one := range f.Parameters {
			if _, is := given[one.Name]; !is && !slices.Contains(q.columns, one.Name) {
				continue
			}
			types = append(types, quote(one.Name)+" "+one.Type)
			arguments = append(arguments, argumentSQL(one, "_arguments."+quote(one.Name)))
		}
		if len(types) > 0 {
			record := b.param(string(body)) + "::json"
			if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
				record += "->0"
			}
			from = " from json_to_record(" + record + ") as _arguments(" + strings.Join(types, ", ") + ")"
		}
	default:
		for _, one := range f.Parameters {
			var values []string
			for _, a := range q.arguments {
				if a.name == one.Name {
					values = append(values, a.value)
				}
			}
			if len(values) == 0 {
				continue
			}
			value := values[len(values)-1] // of repeated ones the last counts
			if one.Variadic {
				value = arrayLiteral(values)
			}
			arguments = append(arguments, argumentSQL(one, b.param(value)+"::"+one.Type))
		}
	}
	call := f.sql() + "(" + strings.Join(arguments, ", ") + ")"
	if f.Scalar {
		if from != "" {
			return "select _result as pgrst_scalar" + from + ", lateral " + call + " as _result", nil
		}
		return "select " + call + " as pgrst_scalar", nil
	}
	if from != "" {
		return "select _result.*" + from + ", lateral " + call + " as _result", nil
	}
	return "select * from " + call, nil
}

func argumentSQL(p parameter, value string) string {
	if p.Variadic {
		return "variadic " + quote(p.Name) + " := " + value
	}
	return cmp.Or(quote(p.Name), `""`) + " := " + value
}

// negotiateCall adds what functions alone answer with: raw text and bytes.
func negotiateCall(q *request, f *routine) (shape, error) {
	if f.Scalar && !f.Set {
		for _, m := range q.accept {
			switch m.name {
			case typeOpenAPI:
				if strings.Trim(q.path, "/") == "" { // OpenAPI.Root
					return shape{contentType: typeOpenAPI + "; charset=utf-8", kind: typeJSON}, nil
				}
			case typeText:
				return shape{contentType: typeText + "; charset=utf-8", kind: "raw"}, nil
			case typeXML:
				if f.ReturnType == "xml" {
					return shape{contentType: typeXML + "; charset=utf-8", kind: "raw"}, nil
				}
			}
		}
	}
	return negotiate(q)
}
