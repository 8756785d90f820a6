package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"research/api/problem"
	"research/api/rest/catalog"
	"research/api/rest/openapi"
	"research/api/rest/plan"
	"research/api/rest/query"
)

// headerRowsCut holds the maximum number of rows of a response, if more rows match. PostgREST truncates
// without notice.
const headerRowsCut = "X-Rows-Cut"

// respond writes the result of a plan.
func (h *Handler) respond(
	w http.ResponseWriter, c *catalog.Catalog, q *query.Request, p plan.Plan, res result,
) error {
	switch p := p.(type) {
	case *plan.Methods:
		w.Header().Set("Allow", p.Allow)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.WriteHeader(http.StatusOK)
		return nil
	case *plan.Description:
		return h.respondDescription(w, c, q, p, res)
	case *plan.Read:
		return h.respondRead(w, q, p, res)
	case *plan.Write:
		return h.respondWrite(w, q, p, res)
	case *plan.Call:
		return h.respondCall(w, q, p, res)
	}
	return fmt.Errorf("no answer to a %T", p)
}

func (h *Handler) respondDescription(
	w http.ResponseWriter, c *catalog.Catalog, q *query.Request, p *plan.Description, res result,
) error {
	describe := openapi.V3
	if p.Swagger {
		describe = openapi.V2
	}
	cfg := openapi.Config{
		PublicURL: h.cfg.PublicURL, Prefix: h.cfg.Prefix, Security: h.cfg.Conformance.SwaggerToken,
	}
	body, err := describe(cfg, c, p.Schema, res.privileges)
	if err != nil {
		return fmt.Errorf("write the description of the API: %w", err)
	}
	header := w.Header()
	header.Set("Content-Type", p.ContentType)
	header.Set("Vary", "Accept, Authorization")
	if q.Profiled {
		header.Set("Content-Profile", q.Schema)
	}
	if q.Method == query.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	writeBody(w, http.StatusOK, body)
	return nil
}

// maxContentLocation bounds Content-Location, which repeats the query: Node's fetch rejects responses with
// more than 16 KB of headers, such as those to a filter by a few hundred ids.
const maxContentLocation = 4 << 10

func (h *Handler) respondRead(w http.ResponseWriter, q *query.Request, p *plan.Read, res result) error {
	if res.explained {
		return respondPlan(w, p.Format, res)
	}
	total := p.Count.Total(res.Total, res.estimated, p.Window.Offset+res.Rows)
	status, span, err := pageStatus(p.Window, res.Rows, total)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Range", span)
	location := h.cfg.Prefix + "/" + q.Target.Name
	if q.Canonical != "" {
		location += "?" + q.Canonical
	}
	if len(location) <= maxContentLocation {
		w.Header().Set("Content-Location", location)
	}
	setCut(w, p.Window, res)
	h.write(w, q, p, res, status)
	return nil
}

func (h *Handler) respondWrite(w http.ResponseWriter, q *query.Request, p *plan.Write, res result) error {
	if res.explained {
		return respondPlan(w, p.Format, res)
	}
	var total *int64
	if count := q.Preferences.Count; count == query.CountExact || count == query.CountEstimated {
		total = &res.Rows
	}
	switch p.Kind {
	case plan.Update:
		w.Header().Set("Content-Range", contentRange(0, res.Rows, total))
	case plan.Insert, plan.Delete:
		w.Header().Set("Content-Range", contentRange(0, 0, total))
	}
	if res.Key != nil {
		w.Header().Set("Location", h.location(p.Table, res.Key))
	}
	h.write(w, q, p, res, writeStatus(p, res))
	return nil
}

// writeStatus returns 201 if a row is new, and 204 if there is no body.
func writeStatus(p *plan.Write, res result) int {
	isNew := res.Inserted != nil && *res.Inserted > 0
	switch {
	case p.Kind == plan.Insert && (!p.CountsInserts || isNew):
		return http.StatusCreated
	case p.Kind == plan.Insert:
		return http.StatusOK
	case p.Selection == nil:
		return http.StatusNoContent
	case p.Kind == plan.Put && isNew:
		return http.StatusCreated
	}
	return http.StatusOK
}

// location is where an inserted row can be read.
func (h *Handler) location(t *catalog.Table, key []byte) string {
	var values map[string]any
	decoder := json.NewDecoder(bytes.NewReader(key))
	decoder.UseNumber()
	_ = decoder.Decode(&values) // PostgreSQL wrote it
	var filters []string
	for _, c := range t.Columns {
		value, isKey := values[c.Name]
		switch {
		case !isKey:
		case value == nil:
			filters = append(filters, query.Escape(c.Name)+"=is.null")
		default:
			filters = append(filters, query.Escape(c.Name)+"=eq."+query.Escape(fmt.Sprint(value)))
		}
	}
	return h.cfg.Prefix + "/" + t.Name + "?" + strings.Join(filters, "&")
}

func (h *Handler) respondCall(w http.ResponseWriter, q *query.Request, p *plan.Call, res result) error {
	if res.explained {
		return respondPlan(w, p.Format, res)
	}
	status, span, err := pageStatus(p.Window, res.Rows, res.Total)
	if err != nil {
		return err
	}
	if p.Function.Void {
		status = http.StatusNoContent
	}
	w.Header().Set("Content-Range", span)
	setCut(w, p.Window, res)
	h.write(w, q, p, res, status)
	return nil
}

// respondPlan writes PostgreSQL's plan.
func respondPlan(w http.ResponseWriter, f plan.Format, res result) error {
	w.Header().Set("Content-Type", f.ContentType)
	writeBody(w, http.StatusOK, res.Body)
	return nil
}

func setCut(w http.ResponseWriter, page plan.Window, res result) {
	if res.Cut {
		w.Header().Set(headerRowsCut, strconv.FormatInt(*page.Limit, 10))
	}
}

// pageStatus is 200 for all rows, 206 for a part of a known total, and 416 for an offset after the end.
func pageStatus(page plan.Window, rows int64, total *int64) (status int, span string, err error) {
	span = contentRange(page.Offset, rows, total)
	switch {
	case total == nil:
	case page.Offset > *total:
		return 0, "", &problem.Error{
			Status:  http.StatusRequestedRangeNotSatisfiable,
			Code:    query.CodeInvalidRange,
			Message: "Requested range not satisfiable",
			Details: extra{Details: fmt.Sprintf("An offset of %d was requested, but there are only %d rows.",
				page.Offset, *total)},
			Header: http.Header{"Content-Range": {span}},
		}
	case rows < *total:
		return http.StatusPartialContent, span, nil
	}
	return http.StatusOK, span, nil
}

// contentRange is the value of Content-Range: first-last/total.
func contentRange(offset, rows int64, total *int64) string {
	span, of := "*", "*"
	if total != nil {
		of = strconv.FormatInt(*total, 10)
	}
	if rows > 0 && of != "0" {
		span = fmt.Sprintf("%d-%d", offset, offset+rows-1)
	}
	return span + "/" + of
}

// write sends the response. Headers and a status that the transaction set replace ours.
func (h *Handler) write(w http.ResponseWriter, q *query.Request, p plan.Plan, res result, status int) {
	header := w.Header()
	if applied := h.applied(q, p); applied != "" {
		header.Set("Preference-Applied", applied)
	}
	if res.header.Get("Vary") == "" {
		header.Add("Vary", "Accept, Prefer, Range")
	}
	if contentType := formatOf(p).ContentType; contentType != "" && status != http.StatusNoContent {
		header.Set("Content-Type", contentType)
		if q.Profiled {
			header.Set("Content-Profile", q.Schema)
		}
	}
	for name, values := range res.header {
		if name = http.CanonicalHeaderKey(name); name == "Set-Cookie" || name == "Vary" {
			values = append(header.Values(name), values...)
		}
		header[name] = values
	}
	if res.status != 0 {
		status = res.status
	}
	if q.Method == query.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified {
		w.WriteHeader(status)
		return
	}
	writeBody(w, status, res.Body)
}

func writeBody(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have disconnected
}

// applied lists the preferences that had an effect, for Preference-Applied.
func (h *Handler) applied(q *query.Request, p plan.Plan) string {
	var list []string
	add := func(name, value string, applies bool) {
		if value != "" && applies {
			list = append(list, name+"="+value)
		}
	}
	asked := q.Preferences
	write, writes := p.(*plan.Write)
	inserts := writes && write.Kind == plan.Insert
	updates := writes && write.Kind == plan.Update
	deletes := writes && write.Kind == plan.Delete
	_, calls := p.(*plan.Call)
	add("resolution", asked.Resolution, inserts && len(write.Conflict.Columns) > 0)
	add("missing", asked.Missing, inserts || updates)
	add("return", asked.Return, writes)
	add("count", asked.Count, true)
	add("tx", asked.Transaction, h.cfg.TxOverride)
	add("handling", asked.Handling, true)
	add("timezone", asked.Timezone, true)
	if limit := asked.Limit(); limit != nil {
		add("max-affected", strconv.FormatInt(*limit, 10), calls || updates || deletes)
	}
	return strings.Join(list, ", ")
}
