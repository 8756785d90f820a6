package rest

import (
	"net/http"
	"strconv"
)

// get answers GET and HEAD of a table or view.
func (h *Handler) get(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	plan, err := p.read(&q.root, t, t.Name)
	if err != nil {
		return err
	}
	form, err := negotiate(q.accept, p.schema, t.Schema, t.Name, plan.everything(), h.cfg.Plan)
	if err != nil {
		return err
	}
	if q.method == http.MethodHead {
		form.handler, form.media = nil, mediaType{}
	}
	most := h.cfg.MaxRows
	if plan.single() {
		most = 0
	}
	rows, err := q.rows.narrow(q.root.limit, q.root.offset, most)
	if err != nil {
		return err
	}
	b := &builder{schema: p.schema, maxRows: h.cfg.MaxRows}
	from := t.sql() + " as " + quote(plan.alias)
	source, err := b.selectSQL(plan, from, rows.fetch())
	if err != nil {
		return err
	}
	counted, total, err := b.totalSQL(q, plan, from, rows, "count(_page)")
	if err != nil {
		return err
	}
	page, cut := b.pageSQL("pgrst_source", rows)
	sql := "with pgrst_source as (" + source + ")" + counted + " select " + total + ", count(_page), " + bodySQL(form, nil) + gucsSQL + ", " + cut + " from (" + page + ") _page"
	st := h.statement(r, q, b, sql, true)
	if q.prefer.count == "planned" || q.prefer.count == "estimated" {
		eb := &builder{schema: p.schema}
		if st.Then, err = eb.countSQL(plan, from); err != nil {
			return err
		}
		st.Then, st.ThenArgs = "explain (format json) "+st.Then, eb.args
	}
	result, err := h.run(r, q, st, form, nil)
	if err != nil || form.answered.plan != nil {
		return h.explain(w, form, result, err)
	}
	if form.answered.name == typeSingular && result.page != 1 {
		return notSingular(result.page)
	}
	if e := result.estimated; e != nil {
		switch {
		case q.prefer.count == "planned":
			result.total = e
		case h.cfg.MaxRows > 0 && *result.total > h.cfg.MaxRows && *e > *result.total:
			result.total = e
		}
	}
	status, contentRange, err := pageStatus(rows, result.page, result.total)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Range", contentRange)
	location := h.cfg.Prefix + "/" + q.table
	if q.query != "" {
		location += "?" + q.query
	}
	if len(location) <= maxLocation {
		w.Header().Set("Content-Location", location)
	}
	return h.write(w, q, form, result, status)
}

// maxLocation bounds Content-Location, which repeats the query: Node's fetch refuses answers whose headers are longer than 16 KB, so that `in.(…)` of a few hundred ids could not be read.
const maxLocation = 4 << 10

// totalSQL counts all rows if the client wants to know: a common table expression for it where the page may be less than all, and the expression of the total.
func (b *builder) totalSQL(q *request, plan *readPlan, from string, rows window, page string) (with, total string, err error) {
	if q.prefer.count != "exact" && q.prefer.count != "estimated" {
		return "", "null::bigint", nil
	}
	if rows.limit == nil && rows.offset == 0 {
		return "", page, nil
	}
	sql, err := b.countSQL(plan, from)
	if err != nil {
		return "", "", err
	}
	if q.prefer.count == "estimated" && q.function == "" && b.maxRows > 0 { // one more than an answer has, to see whether there are more
		sql += " limit " + b.param(strconv.FormatInt(b.maxRows+1, 10))
	}
	return ", pgrst_source_count as (" + sql + ")", "(select count(*) from pgrst_source_count)", nil
}
