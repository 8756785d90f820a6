package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// call answers /rpc/{function}.
func (h *Handler) call(w http.ResponseWriter, r *http.Request, q *request, p *planner) error {
	if !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions}, q.method) {
		return failure(http.StatusMethodNotAllowed, "PGRST101", "Cannot use the "+q.method+" method on RPC")
	}
	keys, body, err := q.callArguments()
	if err != nil {
		return err
	}
	if q.method == http.MethodOptions {
		return p.describe(w, q)
	}
	f, unnamed, err := p.routine(q, keys)
	if err != nil {
		return err
	}
	target, name := p.schema.tables[f.ReturnSchema][f.ReturnTable], f.Name
	if f.Scalar {
		target = nil
	}
	if target != nil {
		name = target.Name
	}
	plan, err := p.read(&q.root, target, name)
	if err != nil {
		return err
	}
	form, err := negotiate(q.accept, p.schema, f.Schema, name, plan.everything(), h.cfg.Plan)
	if err != nil {
		return err
	}
	if q.prefer.maxAffected != nil && q.prefer.handling == "strict" && !f.Set {
		return failure(http.StatusBadRequest, "PGRST128", "Function must return SETOF or TABLE when max-affected preference is used with handling=strict")
	}
	rows, err := q.rows.narrow(q.root.limit, q.root.offset, h.cfg.MaxRows)
	if err != nil {
		return err
	}
	b := &builder{schema: p.schema, maxRows: h.cfg.MaxRows}
	call, err := b.callSQL(q, f, unnamed, body, plan.needs())
	if err != nil {
		return err
	}
	plan.derived = true
	from := "pgrst_source as " + quote(plan.alias)
	read, err := b.selectSQL(plan, from, rows.fetch())
	if err != nil {
		return err
	}
	many := "1"
	if f.Set {
		many = "count(_page)"
	}
	counted, total, err := b.totalSQL(q, plan, from, rows, many)
	if err != nil {
		return err
	}
	if q.method == http.MethodHead || f.Void {
		form.handler, form.media = nil, mediaType{}
	}
	page, cut := b.pageSQL("pgrst_page", rows)
	sql := "with pgrst_source as (" + call + "), pgrst_page as (" + read + ")" + counted + " select " + total + ", " + many + ", " + bodySQL(form, f) + gucsSQL + ", " + cut + " from (" + page + ") _page"
	st := h.statement(r, q, b, sql, q.method != http.MethodPost || !f.Volatile)
	for _, s := range f.Settings {
		if s.Name == "statement_timeout" { // it counts from the start of the statement, so that the function's own would be too late
			st.Settings = append(st.Settings, s)
		}
	}
	res, err := h.run(r, q, st, form, func(res result) error {
		if form.answered.name == typeSingular && res.page != 1 {
			return notSingular(res.page)
		}
		return q.checkAffected(res)
	})
	if err != nil || form.answered.plan != nil {
		return h.explain(w, form, res, err)
	}
	status, contentRange, err := pageStatus(rows, res.page, res.total)
	if err != nil {
		return err
	}
	if f.Void {
		status = http.StatusNoContent
	}
	w.Header().Set("Content-Range", contentRange)
	return h.write(w, q, form, res, status)
}

// callArguments are the names of the arguments given, and the body of a POST.
func (q *request) callArguments() (keys []string, body []byte, err error) {
	if q.method != http.MethodPost {
		return names(q.arguments), nil, nil
	}
	switch q.bodyType {
	case typeForm:
		pairs, err := readPairs(string(q.body))
		if err != nil {
			return nil, nil, err
		}
		for _, p := range pairs {
			q.arguments = append(q.arguments, argument{p.key, p.value})
		}
		return names(q.arguments), nil, nil
	case typeText, typeXML, typeBinary:
		return nil, q.body, nil
	case typeJSON:
	default:
		return nil, nil, badBody("Content-Type not acceptable: " + q.bodyType)
	}
	body = q.body
	if len(body) == 0 {
		body = []byte("{}")
	}
	if q.columns != nil {
		return q.columns, body, nil
	}
	keys, _, err = keysOf(body)
	return keys, body, err
}

func names(arguments []argument) []string {
	var list []string
	for _, a := range arguments {
		if !slices.Contains(list, a.name) {
			list = append(list, a.name)
		}
	}
	return list
}

// callSQL is the function's call as a source of rows with the columns that are needed (nil: all); a scalar is the column pgrst_scalar.
func (b *builder) callSQL(q *request, f *routine, unnamed bool, body []byte, needed []string) (string, error) {
	var arguments []string
	from := ""
	switch {
	case unnamed:
		value := string(body)
		if f.Parameters[0].Type == "bytea" {
			value = fmt.Sprintf(`\x%x`, body)
		}
		arguments = append(arguments, b.param(value)+"::"+f.Parameters[0].Type)
	case q.method == http.MethodPost && q.bodyType == typeJSON:
		keys := q.columns
		if keys == nil {
			keys, _, _ = keysOf(body) // checked by callArguments
		}
		var types []string
		for _, one := range f.Parameters {
			if slices.Contains(keys, one.Name) {
				types = append(types, quote(one.Name)+" "+one.Longest)
				arguments = append(arguments, argumentSQL(one, "pgrst_body."+quote(one.Name)))
			}
		}
		if len(types) > 0 {
			record := "json_to_recordset"
			if (payload{json: string(body)}).object() {
				record = "json_to_record"
			}
			from = "(select * from " + record + "(" + b.param(string(body)) + "::json) as _(" + strings.Join(types, ", ") + ") limit 1) pgrst_body, lateral "
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
			arguments = append(arguments, argumentSQL(one, b.param(value)+"::"+one.Longest))
		}
	}
	call := f.sql() + "(" + strings.Join(arguments, ", ") + ")"
	if f.Scalar {
		return "select pgrst_call.pgrst_scalar from " + from + "(select " + call + " pgrst_scalar) pgrst_call", nil
	}
	columns := []string{"pgrst_call.*"}
	for i, name := range needed {
		column := "pgrst_call." + quote(name)
		if i == 0 {
			columns[0] = column
		} else {
			columns = append(columns, column)
		}
	}
	return "select " + strings.Join(columns, ", ") + " from " + from + call + " pgrst_call", nil
}

func argumentSQL(p parameter, value string) string {
	if p.Variadic {
		return "variadic " + quote(p.Name) + " := " + value
	}
	if p.Name == "" { // it is the only one
		return value
	}
	return quote(p.Name) + " := " + value
}
