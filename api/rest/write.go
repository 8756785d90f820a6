package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// insert answers POST of a table.
func (h *Handler) insert(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	body, err := q.payload()
	if err != nil {
		return err
	}
	keys := t.Key
	if q.onConflict != nil {
		keys = q.onConflict
	}
	q.resolves = len(keys) > 0
	for _, k := range keys {
		if t.byName[k] == nil {
			return columnNotFound(t, k)
		}
	}
	return h.mutate(w, r, q, p, t, func(b *builder, returning []string) (string, error) {
		sql, err := b.insertSQL(t, body, q.prefer.missing == "default", q.prefer.resolution, keys, "")
		return sql + " returning " + returningSQL(t, returning), err
	})
}

// update answers PATCH.
func (h *Handler) update(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	body, err := q.payload()
	if err != nil {
		return err
	}
	if err := h.unfiltered(q); err != nil {
		return err
	}
	filter := q.root.filter
	return h.mutate(w, r, q, p, t, func(b *builder, returning []string) (string, error) {
		return b.updateSQL(t, body, q.prefer.missing == "default", filter, returning)
	})
}

// remove answers DELETE.
func (h *Handler) remove(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	if err := h.unfiltered(q); err != nil {
		return err
	}
	filter := q.root.filter
	return h.mutate(w, r, q, p, t, func(b *builder, returning []string) (string, error) {
		where, err := b.whereSQL(t, filter)
		return "delete from " + t.sql() + where + " returning " + returningSQL(t, returning), err
	})
}

// unfiltered refuses a write to every row, which is hardly ever meant.
func (h *Handler) unfiltered(q *request) error {
	if h.cfg.AllowUnfiltered || !q.root.filter.empty() {
		return nil
	}
	verb := map[string]string{http.MethodPatch: "UPDATE", http.MethodDelete: "DELETE"}[q.method]
	return failure(http.StatusBadRequest, "21000", verb+" requires a WHERE clause")
}

// put answers PUT: one row, named by its whole key.
func (h *Handler) put(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	q.columns = nil
	body, err := q.payload()
	if err != nil {
		return err
	}
	if q.root.limit != nil || q.root.offset != 0 {
		return failure(http.StatusBadRequest, "PGRST114", "limit/offset querystring parameters are not allowed for PUT")
	}
	var named []string
	for _, part := range q.root.filter.parts {
		if f := part.filter; f == nil || f.operator != "eq" || f.negated || f.quantity != "" || len(f.column.path) > 0 || !slices.Contains(t.Key, f.column.name) {
			named = nil
			break
		}
		named = append(named, part.filter.column.name)
	}
	for _, k := range t.Key {
		if !slices.Contains(named, k) {
			named = nil
		}
	}
	if named == nil {
		return failure(http.StatusMethodNotAllowed, "PGRST105", "Filters must include all and only primary key columns with 'eq' operators")
	}
	if slices.ContainsFunc(t.Key, func(k string) bool { return !slices.Contains(body.columns, k) }) {
		return keyMismatch()
	}
	filter := q.root.filter
	return h.mutate(w, r, q, p, t, func(b *builder, returning []string) (string, error) {
		same, err := b.conditionSQL(&readPlan{from: t, alias: "pgrst_body"}, filter, presentSQL)
		if err != nil {
			return "", err
		}
		sql, err := b.insertSQL(t, body, false, merge, t.Key, same)
		return sql + " returning " + returningSQL(t, returning), err
	})
}

// mutate runs a write, which the given function makes for the columns that the answer needs, and answers with what its preferences ask.
func (h *Handler) mutate(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table, write func(*builder, []string) (string, error)) error {
	q.root.filter = condition{} // it chooses the rows that are written; of what is returned all is shown
	plan, err := p.read(&q.root, t, t.Name)
	if err != nil {
		return err
	}
	form, err := negotiate(q.accept, p.schema, t.Schema, t.Name, plan.everything(), h.cfg.Plan)
	if err != nil {
		return err
	}
	b := &builder{schema: p.schema}
	full := q.prefer.representation == "full"
	shown := form
	page, key := "select * from pgrst_source", "null"
	var returning []string
	switch {
	case full:
		returning = plan.needs()
	case q.method == http.MethodPost && q.prefer.representation == "headers-only" && len(t.Key) > 0:
		returning = t.Key
		key = "case when count(_page) = 1 then (select row_to_json(_key) from pgrst_source _key limit 1) end"
	}
	written, err := write(b, returning)
	if err != nil {
		return err
	}
	if full {
		plan.derived = true
		if page, err = b.selectSQL(plan, "pgrst_source as "+quote(plan.alias), window{}); err != nil {
			return err
		}
	} else {
		shown = shape{}
	}
	inserted := "null"
	if q.method == http.MethodPut || q.method == http.MethodPost && q.prefer.resolution == merge {
		inserted = "nullif(current_setting('pgrst.inserted', true), '')"
	}
	sql := "with pgrst_source as (" + written + ") select null, count(_page), " + key + ", " + bodySQL(shown, nil) + gucsSQL + ", " + inserted + " from (" + page + ") _page"
	res, err := h.run(r, q, h.statement(r, q, b, sql, false), form, func(res result) error { return q.checkWritten(form, res) })
	if err != nil || form.answered.plan != nil {
		return h.explain(w, form, res, err)
	}
	if q.prefer.count == "exact" || q.prefer.count == "estimated" {
		res.total = &res.page
	}
	span := int64(0)
	if q.method == http.MethodPatch {
		span = res.page
	}
	if q.method != http.MethodPut {
		w.Header().Set("Content-Range", rangeText(0, span, res.total))
	}
	if res.key != nil {
		w.Header().Set("Location", h.location(t, res.key))
	}
	if !full {
		res.body, form = nil, shape{}
	}
	return h.write(w, q, form, res, q.writtenStatus(res, full))
}

// checkWritten judges a write before it is committed.
func (q *request) checkWritten(form shape, res result) error {
	switch {
	case q.method == http.MethodPut && res.page != 1:
		return keyMismatch()
	case q.method != http.MethodPut && form.answered.name == typeSingular && res.page != 1:
		return notSingular(res.page)
	case q.method == http.MethodPatch || q.method == http.MethodDelete:
		return q.checkAffected(res)
	}
	return nil
}

func keyMismatch() error {
	return failure(http.StatusBadRequest, "PGRST115", "Payload values do not match URL in primary key column(s)")
}

// checkAffected judges by Prefer: max-affected.
func (q *request) checkAffected(res result) error {
	if q.prefer.maxAffected != nil && q.prefer.handling == "strict" && res.page > *q.prefer.maxAffected {
		return failure(http.StatusBadRequest, "PGRST124", "Query result exceeds max-affected preference constraint").with(fmt.Sprintf("The query affects %d rows", res.page), nil)
	}
	return nil
}

// writtenStatus is 201 where a row is new.
func (q *request) writtenStatus(res result, full bool) int {
	anyNew := res.inserted != nil && *res.inserted > 0
	switch {
	case q.method == http.MethodPost && (q.prefer.resolution != merge || anyNew):
		return http.StatusCreated
	case q.method == http.MethodPost:
		return http.StatusOK
	case !full:
		return http.StatusNoContent
	case q.method == http.MethodPut && anyNew:
		return http.StatusCreated
	}
	return http.StatusOK
}

// location is where an inserted row can be read.
func (h *Handler) location(t *table, key []byte) string {
	var values map[string]any
	decoder := json.NewDecoder(bytes.NewReader(key))
	decoder.UseNumber()
	_ = decoder.Decode(&values) // PostgreSQL wrote it
	var parts []string
	for _, c := range t.Columns {
		value, isKey := values[c.Name]
		switch {
		case !isKey:
		case value == nil:
			parts = append(parts, encodeQuery(c.Name)+"=is.null")
		default:
			parts = append(parts, encodeQuery(c.Name)+"=eq."+encodeQuery(fmt.Sprint(value)))
		}
	}
	return h.cfg.Prefix + "/" + t.Name + "?" + strings.Join(parts, "&")
}

// options tells the methods of a table.
func (h *Handler) options(w http.ResponseWriter, t *table) error {
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
	return allow(w, methods)
}

func allow(w http.ResponseWriter, methods string) error {
	w.Header().Set("Allow", methods)
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.WriteHeader(http.StatusOK)
	return nil
}
