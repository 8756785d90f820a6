package rest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"research/api/token"
	"research/db"
)

// Every statement returns one row: the total, the rows of the page, for writes the key of the row, the body, what the transaction wants as headers and status, and
// for reads whether the page is cut, for writes how many rows are new.
const gucsSQL = ", nullif(current_setting('response.headers', true), ''), nullif(current_setting('response.status', true), '')"

// A result is that row.
type result struct {
	total     *int64
	page      int64
	cut       bool // there are more rows than one answer may hold
	body      []byte
	header    http.Header
	status    int
	estimated *int64 // by the planner
	key       []byte // of an inserted row, as JSON
	inserted  *int64
}

const (
	readColumns  = 6
	writeColumns = 7
)

func readResult(rows db.Rows, form shape) (result, error) {
	var res result
	if form.answered.plan != nil { // a row a line
		for _, row := range rows.Values {
			res.body = append(append(res.body, row[0]...), '\n')
		}
		return res, nil
	}
	if len(rows.Values) == 0 { // of a function that returned nothing
		zero := int64(0)
		res.total = &zero
		return res, nil
	}
	row := rows.Values[0]
	var err error
	if res.total, err = integer(row[0]); err != nil {
		return res, err
	}
	page, err := integer(row[1])
	if err != nil {
		return res, err
	}
	res.page = *page
	switch len(row) {
	case readColumns:
		res.cut = string(row[5]) == "t"
	case writeColumns:
		res.key = row[2]
		if res.inserted, err = integer(row[6]); err != nil {
			return res, err
		}
		row = row[1:]
	}
	res.body = row[2]
	if form.handler != nil && form.handler.bytes {
		if text, is := strings.CutPrefix(string(res.body), `\x`); is {
			if res.body, err = hex.DecodeString(text); err != nil {
				return res, fmt.Errorf("decode the answer: %w", err)
			}
		}
	}
	if res.header, err = headersOf(row[3]); err != nil {
		return res, err
	}
	if row[4] != nil {
		n, err := strconv.Atoi(string(row[4]))
		if err != nil || n < 100 || n > 599 {
			return res, failure(http.StatusInternalServerError, "PGRST112", "response.status guc must be a valid status code")
		}
		res.status = n
	}
	res.estimated = estimate(rows.Then)
	return res, nil
}

func integer(text []byte) (*int64, error) {
	if text == nil {
		return nil, nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return &n, err
}

// headersOf reads response.headers.
func headersOf(text []byte) (http.Header, error) {
	header := http.Header{}
	if text == nil {
		return header, nil
	}
	var list []map[string]string
	if json.Unmarshal(text, &list) != nil || slices.ContainsFunc(list, func(one map[string]string) bool { return len(one) != 1 }) {
		return nil, failure(http.StatusInternalServerError, "PGRST111", "response.headers guc must be a JSON array composed of objects with a single key and a string value")
	}
	for _, one := range list {
		for name, value := range one {
			header.Add(name, value)
		}
	}
	return header, nil
}

// estimate is how many rows the planner expects.
func estimate(explained [][][]byte) *int64 {
	if len(explained) == 0 {
		return nil
	}
	var plans []struct {
		Plan struct {
			Rows int64 `json:"Plan Rows"`
		}
	}
	if json.Unmarshal(explained[0][0], &plans) != nil || len(plans) == 0 {
		return nil
	}
	return &plans[0].Plan.Rows
}

// explainSQL makes a statement explain itself where the client asks for the plan.
func explainSQL(form shape, sql string) string {
	p := form.answered.plan
	if p == nil {
		return sql
	}
	format := "text"
	if p.json {
		format = "json"
	}
	return "explain (" + strings.Join(append([]string{"format " + format}, p.options...), ", ") + ") " + sql
}

// explain answers with the plan of a statement, or the error that came instead.
func (h *Handler) explain(w http.ResponseWriter, form shape, res result, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", form.answered.contentType())
	w.Header().Set("Content-Length", strconv.Itoa(len(res.body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(res.body) // the client may be gone
	return nil
}

// run runs a statement as the caller. check judges the result before it is committed.
func (h *Handler) run(r *http.Request, q *request, st db.Statement, form shape, check func(result) error) (result, error) {
	subject := token.From(r.Context())
	st.SQL = explainSQL(form, st.SQL)
	var res result
	judge := func(rows db.Rows) (err error) {
		if res, err = readResult(rows, form); err != nil || check == nil || form.answered.plan != nil {
			return err
		}
		return check(res)
	}
	rows, err := h.store.Run(r.Context(), subject, st, func(rows db.Rows) (bool, error) {
		if err := judge(rows); err != nil {
			return false, err
		}
		if h.cfg.TxOverride && q.prefer.transaction != "" {
			return q.prefer.transaction == "commit", nil
		}
		return !h.cfg.Rollback, nil
	})
	if err != nil {
		return res, h.sqlError(err, subject)
	}
	if st.ReadOnly {
		err = judge(rows)
	}
	return res, err
}

// write sends the answer. Without a body the content has no type.
func (h *Handler) write(w http.ResponseWriter, q *request, form shape, res result, status int) error {
	head := w.Header()
	if res.cut {
		head.Set(headerCut, strconv.FormatInt(h.cfg.MaxRows, 10))
	}
	if applied := q.applied(h.cfg.TxOverride); applied != "" {
		head.Set("Preference-Applied", applied)
	}
	if res.header.Get("Vary") == "" {
		head.Add("Vary", "Accept, Prefer, Range")
	}
	if form.answered.name != "" && status != http.StatusNoContent {
		head.Set("Content-Type", form.answered.contentType())
		if q.profiled {
			head.Set("Content-Profile", q.schema)
		}
	}
	for name, values := range res.header {
		if name = http.CanonicalHeaderKey(name); name == "Set-Cookie" || name == "Vary" {
			values = append(head.Values(name), values...)
		}
		head[name] = values
	}
	if res.status != 0 {
		status = res.status
	}
	if q.method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified {
		w.WriteHeader(status)
		return nil
	}
	head.Set("Content-Length", strconv.Itoa(len(res.body)))
	w.WriteHeader(status)
	_, _ = w.Write(res.body) // the client may be gone
	return nil
}

// applied lists the preferences that were honoured.
func (q *request) applied(txOverride bool) string {
	var list []string
	add := func(name, value string) {
		if value != "" {
			list = append(list, name+"="+value)
		}
	}
	table := q.function == ""
	if table && q.method == http.MethodPost && q.resolves {
		add("resolution", q.prefer.resolution)
	}
	if table && (q.method == http.MethodPost || q.method == http.MethodPatch) {
		add("missing", q.prefer.missing)
	}
	if table && q.method != http.MethodGet && q.method != http.MethodHead {
		add("return", map[string]string{"full": "representation", "minimal": "minimal", "headers-only": "headers-only"}[q.prefer.representation])
	}
	add("count", q.prefer.count)
	if txOverride {
		add("tx", q.prefer.transaction)
	}
	add("handling", q.prefer.handling)
	add("timezone", q.prefer.timezone)
	if q.prefer.maxAffected != nil && q.prefer.handling == "strict" && (!table || q.method == http.MethodPatch || q.method == http.MethodDelete) {
		add("max-affected", strconv.FormatInt(*q.prefer.maxAffected, 10))
	}
	return strings.Join(list, ", ")
}

// pageStatus is 200 for all rows, 206 for a part of a known total, 416 for an offset behind the end.
func pageStatus(rows window, page int64, total *int64) (status int, contentRange string, err error) {
	contentRange = rangeText(rows.offset, page, total)
	switch {
	case total == nil:
	case rows.offset > *total:
		return 0, "", (&Error{Status: http.StatusRequestedRangeNotSatisfiable, Code: "PGRST103", Message: "Requested range not satisfiable",
			Header: http.Header{"Content-Range": {contentRange}}}).
			with(fmt.Sprintf("An offset of %d was requested, but there are only %d rows.", rows.offset, *total), nil)
	case page < *total:
		return http.StatusPartialContent, contentRange, nil
	}
	return http.StatusOK, contentRange, nil
}

// rangeText is the value of Content-Range.
func rangeText(offset, page int64, total *int64) string {
	span, of := "*", "*"
	if total != nil {
		of = strconv.FormatInt(*total, 10)
	}
	if page > 0 && of != "0" {
		span = fmt.Sprintf("%d-%d", offset, offset+page-1)
	}
	return span + "/" + of
}
