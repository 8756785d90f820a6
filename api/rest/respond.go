package rest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"research/api/token"
	"research/db"
)

// A result is the one row that every statement returns.
type result struct {
	total  *int64
	page   int64
	cut    bool // there are more rows than one answer may hold
	body   []byte
	header http.Header
	status int
}

// readColumns are those of a read: bodySQL's, and whether it is cut.
const readColumns = 6

func readResult(rows db.Rows) (result, error) {
	var res result
	row := rows.Values[0]
	if row[0] != nil {
		n, err := strconv.ParseInt(string(row[0]), 10, 64)
		if err != nil {
			return res, err
		}
		res.total = &n
	}
	var err error
	if res.page, err = strconv.ParseInt(string(row[1]), 10, 64); err != nil {
		return res, err
	}
	res.body = row[2]
	if len(row) == readColumns {
		res.cut = string(row[5]) == "t"
	}
	res.header = http.Header{}
	if row[3] != nil {
		var list []map[string]string
		if json.Unmarshal(row[3], &list) != nil {
			return res, failure(http.StatusInternalServerError, "PGRST111", "response.headers guc must be a JSON array composed of objects with a single key and a string value")
		}
		for _, one := range list {
			if len(one) != 1 {
				return res, failure(http.StatusInternalServerError, "PGRST111", "response.headers guc must be a JSON array composed of objects with a single key and a string value")
			}
			for name, value := range one {
				res.header.Add(name, value)
			}
		}
	}
	if row[4] != nil {
		n, err := strconv.Atoi(string(row[4]))
		if err != nil || n < 100 || n > 599 {
			return res, failure(http.StatusInternalServerError, "PGRST112", "response.status guc must be a valid status code")
		}
		res.status = n
	}
	return res, nil
}

// A shape is the form of an answer.
type shape struct {
	contentType string
	kind        string // for bodySQL
	singular    bool
}

// negotiate picks the first accepted media type that we can answer with.
func negotiate(q *request) (shape, error) {
	for _, m := range q.accept {
		stripped := m.options["nulls"] == "stripped"
		switch m.name {
		case typeAny, typeJSON, "application/*":
			return shape{contentType: typeJSON + "; charset=utf-8", kind: typeJSON}, nil
		case typeArray, typeArrayOld:
			if stripped {
				return shape{contentType: typeArray + ";nulls=stripped; charset=utf-8", kind: "stripped"}, nil
			}
			return shape{contentType: typeJSON + "; charset=utf-8", kind: typeJSON}, nil
		case typeSingular, typeSingularOld:
			if stripped {
				return shape{contentType: typeSingular + ";nulls=stripped; charset=utf-8", kind: "strippedSingular", singular: true}, nil
			}
			return shape{contentType: typeSingular + "; charset=utf-8", kind: typeSingular, singular: true}, nil
		case typeGeoJSON:
			return shape{contentType: typeGeoJSON + "; charset=utf-8", kind: typeGeoJSON}, nil
		case typeCSV:
			return shape{contentType: typeCSV + "; charset=utf-8", kind: typeCSV}, nil
		}
	}
	var names []string
	for _, m := range q.accept {
		names = append(names, m.name)
	}
	return shape{}, failure(http.StatusNotAcceptable, "PGRST107", "None of these media types are available: "+strings.Join(names, ", "))
}

// get answers GET and HEAD of a table or view.
func (h *Handler) get(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	form, err := negotiate(q)
	if err != nil {
		return err
	}
	plan, err := p.read(&q.root, t, nil)
	if err != nil {
		return err
	}
	rows, err := q.rows.narrow(q.root.limit, q.root.offset, h.cfg.MaxRows)
	if err != nil {
		return err
	}
	b := &builder{maxRows: h.cfg.MaxRows}
	source, err := b.selectSQL(plan, t.sql()+" as "+quote(plan.alias), rows.fetch())
	if err != nil {
		return err
	}
	total := "null::bigint"
	counted := ""
	if q.prefer.count == "exact" || q.prefer.count == "estimated" || q.prefer.count == "planned" {
		if counted, err = b.selectSQL(countPlan(plan), t.sql()+" as "+quote(plan.alias), window{}); err != nil {
			return err
		}
		total = "(select count(*) from _all)"
		counted = ", _all as (" + counted + ")"
	}
	kind := form.kind
	if q.method == http.MethodHead {
		kind = "none"
	}
	page, cut := b.pageSQL(rows)
	sql := "with _source as (" + source + ")" + counted + " " + bodySQL(kind, total) + ", " + cut + " from " + page + " as _page"
	result, err := h.run(r, q, b, sql, true, nil)
	if err != nil {
		return err
	}
	if form.singular && result.page != 1 {
		return notSingular(result.page)
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

// countPlan is the plan without order, limit and columns: what is counted.
func countPlan(plan *readPlan) *readPlan {
	bare := *plan
	node := *plan.node
	node.order = nil
	bare.node = &node
	return &bare
}

// pageStatus is 200 for all rows, 206 for a part of a known total, 416 for an offset behind the end.
func pageStatus(rows window, page int64, total *int64) (status int, contentRange string, err error) {
	upper := rows.offset + page - 1
	span := fmt.Sprintf("%d-%d", rows.offset, upper)
	if page == 0 {
		span = "*"
	}
	if total == nil {
		return http.StatusOK, span + "/*", nil
	}
	contentRange = fmt.Sprintf("%s/%d", span, *total)
	switch {
	case rows.offset > *total:
		return 0, "", (&Error{Status: http.StatusRequestedRangeNotSatisfiable, Code: "PGRST103", Message: "Requested range not satisfiable",
			Header: http.Header{"Content-Range": {fmt.Sprintf("*/%d", *total)}}}).
			with(fmt.Sprintf("An offset of %d was requested, but there are only %d rows.", rows.offset, *total), nil)
	case page < *total:
		return http.StatusPartialContent, contentRange, nil
	}
	return http.StatusOK, contentRange, nil
}

// run is the last step's first half: it runs the statement as the caller. check judges a write before it is committed.
func (h *Handler) run(r *http.Request, q *request, b *builder, sql string, readOnly bool, check func(result) error) (result, error) {
	subject := token.From(r.Context())
	var res result
	decide := func(rows db.Rows) (bool, error) {
		var err error
		if res, err = readResult(rows); err != nil {
			return false, err
		}
		if check != nil {
			if err := check(res); err != nil {
				return false, err
			}
		}
		if h.cfg.TxOverride && q.prefer.transaction != "" {
			return q.prefer.transaction == "commit", nil
		}
		return !h.cfg.Rollback, nil
	}
	rows, err := h.store.Run(r.Context(), subject, h.statement(r, q, b, sql, readOnly), decide)
	if err != nil {
		return res, sqlError(err, subject.Role == "" || subject.Role == h.cfg.Anonymous)
	}
	if readOnly {
		return readResult(rows)
	}
	return res, nil
}

// write sends the answer.
func (h *Handler) write(w http.ResponseWriter, q *request, form shape, res result, status int) error {
	head := w.Header()
	if res.cut {
		head.Set(headerCut, strconv.FormatInt(h.cfg.MaxRows, 10))
	}
	if applied := q.applied(h.cfg.TxOverride); applied != "" {
		head.Set("Preference-Applied", applied)
	}
	if len(h.cfg.Schemas) > 1 {
		head.Set("Content-Profile", q.schema)
	}
	head.Set("Content-Type", form.contentType)
	for name, values := range res.header {
		if http.CanonicalHeaderKey(name) == "Set-Cookie" {
			for _, v := range values {
				head.Add(name, v)
			}
			continue
		}
		head[http.CanonicalHeaderKey(name)] = values
	}
	if res.status != 0 {
		status = res.status
	}
	if status == http.StatusNoContent || form.contentType == "" {
		head.Del("Content-Type")
	}
	if q.method == http.MethodHead {
		w.WriteHeader(status)
		return nil
	}
	if status != http.StatusNoContent {
		head.Set("Content-Length", strconv.Itoa(len(res.body)))
	}
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_, _ = w.Write(res.body) // the client may be gone
	}
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
	writes := q.method == http.MethodPost || q.method == http.MethodPatch || q.method == http.MethodPut || q.method == http.MethodDelete
	if q.method == http.MethodPost && q.function == "" {
		add("resolution", q.prefer.resolution)
	}
	if (q.method == http.MethodPost || q.method == http.MethodPatch) && q.function == "" {
		add("missing", q.prefer.missing)
	}
	if writes && q.function == "" {
		add("return", map[string]string{"full": "representation", "minimal": "minimal", "headers-only": "headers-only"}[q.prefer.representation])
	}
	add("count", q.prefer.count)
	if txOverride {
		add("tx", q.prefer.transaction)
	}
	add("handling", q.prefer.handling)
	add("timezone", q.prefer.timezone)
	if q.prefer.maxAffected != nil && q.prefer.handling == "strict" {
		add("max-affected", strconv.FormatInt(*q.prefer.maxAffected, 10))
	}
	return strings.Join(list, ", ")
}

// payload reads the body of a write into a JSON array and tells its columns.
func (q *request) payload() (body string, columns []string, empty bool, err error) {
	raw := q.body
	switch q.bodyType {
	case typeCSV:
		if raw, err = csvToJSON(q.body); err != nil {
			return "", nil, false, err
		}
	case typeForm:
		pairs, err := readPairs(string(q.body))
		if err != nil {
			return "", nil, false, err
		}
		object := map[string]string{}
		for _, p := range pairs {
			object[p.key] = p.value
		}
		raw, _ = json.Marshal(object)
	case typeJSON, "application/vnd.pgrst.object+json", "application/vnd.pgrst.array+json":
	default:
		return "", nil, false, badBody("Content-Type not acceptable: " + q.bodyType)
	}
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 {
		if q.bodyType == typeJSON && q.columns == nil {
			return "", nil, false, badBody("Empty or invalid json")
		}
		trimmed = []byte("[]")
	}
	var rows []map[string]json.RawMessage
	switch trimmed[0] {
	case '[':
		if json.Unmarshal(trimmed, &rows) != nil {
			if json.Valid(trimmed) {
				return "", nil, false, badBody("All elements of the array must be objects")
			}
			return "", nil, false, badBody("Empty or invalid json")
		}
	default:
		var one map[string]json.RawMessage
		if json.Unmarshal(trimmed, &one) != nil {
			return "", nil, false, badBody("Empty or invalid json")
		}
		rows = append(rows, one)
		trimmed = append(append([]byte("["), trimmed...), ']')
	}
	if bytes.Contains(trimmed, []byte(`\u0000`)) && bytes.IndexByte(trimmed, 0) >= 0 {
		return "", nil, false, badBody("A zero byte is not allowed")
	}
	if q.columns != nil {
		return string(trimmed), q.columns, len(rows) == 0, nil
	}
	for i, row := range rows {
		if i == 0 {
			for name := range row {
				columns = append(columns, name)
			}
			slices.Sort(columns)
			continue
		}
		if len(row) != len(columns) {
			return "", nil, false, badBody("All object keys must match")
		}
		for _, name := range columns {
			if _, same := row[name]; !same {
				return "", nil, false, badBody("All object keys must match")
			}
		}
	}
	return string(trimmed), columns, len(rows) == 0, nil
}

// csvToJSON makes rows of texts; NULL is null.
func csvToJSON(data []byte) ([]byte, error) {
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, badBody("All lines must have same number of fields")
	}
	rows := []map[string]*string{}
	for i, record := range records {
		if i == 0 {
			continue
		}
		row := map[string]*string{}
		for j, value := range record {
			if value == "NULL" {
				row[records[0][j]] = nil
			} else {
				row[records[0][j]] = &value
			}
		}
		rows = append(rows, row)
	}
	return json.Marshal(rows)
}

// returned plans what a write answers with: the rows as its select asks, or nothing.
func (h *Handler) returned(q *request, p *planner, t *table) (form shape, plan *readPlan, err error) {
	if form, err = negotiate(q); err != nil {
		return form, nil, err
	}
	plan, err = p.read(&q.root, t, nil)
	return form, plan, err
}

// insert answers POST of a table.
func (h *Handler) insert(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	body, columns, empty, err := q.payload()
	if err != nil {
		return err
	}
	b := &builder{maxRows: h.cfg.MaxRows}
	sql, err := b.insertSQL(t, columns, body, q.prefer.missing == "default", empty)
	if err != nil {
		return err
	}
	if q.prefer.resolution != "" {
		keys := q.onConfict
		if keys == nil {
			keys = t.Key
		}
		for _, k := range keys {
			if t.byName[k] == nil {
				return columnNotFound(t, k)
			}
		}
		if len(keys) > 0 && len(columns) > 0 {
			sql = upsertSQL(sql, keys, q.prefer.resolution, columns)
		}
	}
	return h.mutate(w, r, q, p, t, b, sql, http.StatusCreated)
}

// How many rows were inserted, not updated, is counted in a setting of the transaction: PostgreSQL does not tell. Each row counts up; a row that updates counts back.
const (
	countInsert = "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), ''), '0')::int + 1)::text, true) <> '0'"
	countUpdate = "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), ''), '0')::int - 1)::text, true) <> '-1'"
)

func resolution(kind string, columns []string) string {
	if kind == "ignore-duplicates" || len(columns) == 0 {
		return " do nothing"
	}
	var sets []string
	for _, c := range columns {
		sets = append(sets, quote(c)+" = excluded."+quote(c))
	}
	return " do update set " + strings.Join(sets, ", ") + " where " + countUpdate
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	return strings.Join(quoted, ", ")
}

// insertSQL inserts the payload's rows.
func (b *builder) insertSQL(t *table, columns []string, body string, defaults, empty bool) (string, error) {
	for _, c := range columns {
		if t.byName[c] == nil {
			return "", columnNotFound(t, c)
		}
	}
	into := "insert into " + t.sql()
	if len(columns) == 0 {
		if empty {
			return into + " select * from " + t.sql() + " where false", nil
		}
		return into + " default values", nil
	}
	from, err := b.payloadWithDefaults(columns, t, body, defaults)
	if err != nil {
		return "", err
	}
	return into + "(" + quoteAll(columns) + ") select " + quoteAll(columns) + " from " + from, nil
}

// upsertSQL adds what happens to rows that are there.
func upsertSQL(sql string, keys []string, kind string, columns []string) string {
	if kind == "merge-duplicates" && len(columns) > 0 {
		sql += " where " + countInsert
	}
	return sql + " on conflict (" + quoteAll(keys) + ")" + resolution(kind, columns)
}

// payloadWithDefaults is payloadSQL, where a row that leaves a column out gets its default if the client asks for it.
func (b *builder) payloadWithDefaults(columns []string, t *table, body string, defaults bool) (string, error) {
	if !defaults {
		return b.payloadSQL(columns, t, body)
	}
	var types, fallback []string
	for _, name := range columns {
		c := t.byName[name]
		types = append(types, quote(name)+" "+c.Type)
		if c.Default != "" && !c.Generated {
			fallback = append(fallback, b.param(name)+"::text, "+c.Default)
		}
	}
	source := "jsonb_array_elements(" + b.param(body) + "::jsonb) as _element"
	merged := "_element"
	if len(fallback) > 0 {
		merged = "jsonb_build_object(" + strings.Join(fallback, ", ") + ") || _element"
	}
	return "(select _row.* from " + source + ", lateral jsonb_to_record(" + merged + ") as _row(" + strings.Join(types, ", ") + ")) as _body", nil
}

// unfiltered refuses a write to every row, which is hardly ever meant.
func (h *Handler) unfiltered(q *request) error {
	if h.cfg.AllowUnfiltered || !q.root.filter.empty() || q.root.limit != nil {
		return nil
	}
	return failure(http.StatusBadRequest, "21000", strings.ToUpper(map[string]string{http.MethodPatch: "update", http.MethodDelete: "delete"}[q.method])+" requires a WHERE clause").
		with("Without a filter the request would change every row of the table.", "Add a filter, as id=eq.<id>; to mean every row, use one that all rows pass, as id=not.is.null.")
}

// update answers PATCH.
func (h *Handler) update(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	body, columns, empty, err := q.payload()
	if err != nil {
		return err
	}
	if err := h.unfiltered(q); err != nil {
		return err
	}
	b := &builder{maxRows: h.cfg.MaxRows}
	if empty || len(columns) == 0 {
		return h.mutate(w, r, q, p, t, b, "update "+t.sql()+" set "+nothingOf(t)+" where false", http.StatusOK)
	}
	plan, err := p.read(&node{filter: q.root.filter}, t, nil)
	if err != nil {
		return err
	}
	p.aliases = 0
	plan.alias = t.Name
	where, err := b.conditionSQL(plan, q.root.filter, false)
	if err != nil {
		return err
	}
	if where == "" {
		where = "true"
	}
	for _, c := range columns {
		if t.byName[c] == nil {
			return columnNotFound(t, c)
		}
	}
	from, err := b.payloadWithDefaults(columns, t, body, q.prefer.missing == "default")
	if err != nil {
		return err
	}
	var sets []string
	for _, c := range columns {
		sets = append(sets, quote(c)+" = _body."+quote(c))
	}
	return h.mutate(w, r, q, p, t, b, "update "+t.sql()+" set "+strings.Join(sets, ", ")+" from (select * from "+from+" limit 1) as _body where "+where, http.StatusOK)
}

// nothingOf sets a column to itself, for an update that changes no row.
func nothingOf(t *table) string {
	if len(t.Columns) == 0 {
		return ""
	}
	return quote(t.Columns[0].Name) + " = " + quote(t.Columns[0].Name)
}

// remove answers DELETE.
func (h *Handler) remove(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	if err := h.unfiltered(q); err != nil {
		return err
	}
	b := &builder{maxRows: h.cfg.MaxRows}
	plan := &readPlan{node: &q.root, from: t, alias: t.Name}
	where, err := b.conditionSQL(plan, q.root.filter, false)
	if err != nil {
		return err
	}
	if where == "" {
		where = "true"
	}
	return h.mutate(w, r, q, p, t, b, "delete from "+t.sql()+" where "+where, http.StatusOK)
}

// put answers PUT: one row, named by its whole key.
func (h *Handler) put(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table) error {
	body, columns, _, err := q.payload()
	if err != nil {
		return err
	}
	if q.root.limit != nil || q.root.offset != 0 {
		return failure(http.StatusBadRequest, "PGRST114", "limit/offset querystring parameters are not allowed for PUT")
	}
	values := map[string]string{}
	for _, part := range q.root.filter.parts {
		if part.filter == nil || part.filter.operator != "eq" || part.filter.negated || part.filter.quantity != "" || len(part.filter.column.path) > 0 {
			values = nil
			break
		}
		values[part.filter.column.name] = part.filter.value
	}
	for _, k := range t.Key {
		if _, given := values[k]; !given {
			values = nil
			break
		}
	}
	if values == nil || len(values) != len(t.Key) || len(t.Key) == 0 {
		return failure(http.StatusMethodNotAllowed, "PGRST105", "Filters must include all and only primary key columns with 'eq' operators")
	}
	b := &builder{maxRows: h.cfg.MaxRows}
	sql, err := b.insertSQL(t, columns, body, q.prefer.missing == "default", false)
	if err != nil {
		return err
	}
	var same []string
	for _, k := range t.Key {
		same = append(same, quote(k)+" = "+b.param(values[k]))
	}
	sql += " where " + strings.Join(same, " and ") + " and " + countInsert + " on conflict (" + quoteAll(t.Key) + ")" + resolution("merge-duplicates", columns)
	q.root.filter = condition{}
	return h.mutate(w, r, q, p, t, b, sql, http.StatusOK)
}

// mutate runs a write and answers with what its preferences ask.
func (h *Handler) mutate(w http.ResponseWriter, r *http.Request, q *request, p *planner, t *table, b *builder, sql string, status int) error {
	q.root.filter = condition{} // it chose the rows already
	form, plan, err := h.returned(q, p, t)
	if err != nil {
		return err
	}
	full := q.prefer.representation == "full"
	returning := "1 as _one"
	if q.method == http.MethodPost && q.prefer.representation == "headers-only" && len(t.Key) > 0 {
		returning = quoteAll(t.Key)
	}
	if full {
		returning = returningSQL(plan, t)
	}
	kind := form.kind
	location := "null::text"
	page := "select * from _written"
	if full {
		if page, err = b.selectSQL(plan, "_written as "+quote(plan.alias), window{}); err != nil {
			return err
		}
	} else {
		kind = "none"
		if returning != "1 as _one" {
			location = "(select json_agg(w)->0 from _written w)::text"
		}
	}
	total := "null::bigint"
	if q.prefer.count != "" {
		total = "(select count(*) from _written)"
	}
	statement := "with _written as (" + sql + " returning " + returning + "), _source as (" + page + ") " + bodySQL(kind, total) + ", " + location + ", nullif(current_setting('pgrst.inserted', true), '')" + " from (select * from _source) as _page"
	var key []byte
	created := q.method == http.MethodPost
	check := func(res result) error {
		if form.singular && res.page != 1 {
			return notSingular(res.page)
		}
		if q.prefer.maxAffected != nil && q.prefer.handling == "strict" && (q.method == http.MethodPatch || q.method == http.MethodDelete) && res.page > *q.prefer.maxAffected {
			return failure(http.StatusBadRequest, "PGRST124", "Query result exceeds max-affected preference constraint").with(fmt.Sprintf("The query affects %d rows", res.page), nil)
		}
		if q.method == http.MethodPut && res.page != 1 {
			return failure(http.StatusBadRequest, "PGRST115", "Payload values do not match URL in primary key column(s)")
		}
		return nil
	}
	subject := token.From(r.Context())
	res := result{}
	decide := func(rows db.Rows) (bool, error) {
		var err error
		if res, err = readResult(rows); err != nil {
			return false, err
		}
		key = rows.Values[0][5]
		if n := rows.Values[0][6]; n != nil {
			created = string(n) != "0"
		}
		if err := check(res); err != nil {
			return false, err
		}
		if h.cfg.TxOverride && q.prefer.transaction != "" {
			return q.prefer.transaction == "commit", nil
		}
		return !h.cfg.Rollback, nil
	}
	if _, err := h.store.Run(r.Context(), subject, h.statement(r, q, b, statement, false), decide); err != nil {
		return sqlError(err, subject.Role == "" || subject.Role == h.cfg.Anonymous)
	}
	if key != nil {
		if link := h.location(t, key); link != "" {
			w.Header().Set("Location", link)
		}
	}
	count := "*"
	if res.total != nil {
		count = strconv.FormatInt(*res.total, 10)
	}
	span := "*"
	if q.method == http.MethodPatch && res.page > 0 {
		span = fmt.Sprintf("0-%d", res.page-1)
	}
	if q.method != http.MethodPut {
		w.Header().Set("Content-Range", span+"/"+count)
	}
	switch {
	case q.method == http.MethodPut && created:
		status = http.StatusCreated
	case q.method == http.MethodPost && !created && q.prefer.resolution == "merge-duplicates":
		status = http.StatusOK
	}
	if !full {
		if status == http.StatusOK && q.method != http.MethodPost {
			status = http.StatusNoContent
		}
		res.body = nil
		form.contentType = ""
	}
	return h.write(w, q, form, res, status)
}

// returningSQL lists the columns that the answer needs, and no other: a role may not be allowed to see them all.
func returningSQL(plan *readPlan, t *table) string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, item := range plan.items {
		switch {
		case item.child == nil && item.field.name == "*":
			for _, c := range t.Columns {
				add(c.Name)
			}
		case item.child == nil:
			add(item.field.name)
		case item.child.relation.function != nil: // it takes the row whole
			for _, c := range t.Columns {
				add(c.Name)
			}
		case item.child.relation.many != nil:
			for _, pair := range item.child.relation.many.sourceSide {
				add(pair[0])
			}
		default:
			for _, pair := range item.child.relation.columns {
				add(pair[0])
			}
		}
	}
	for _, o := range plan.node.order {
		if o.relation == "" {
			add(o.column.name)
		} else if c := plan.child(o.relation); c != nil {
			for _, pair := range c.relation.columns {
				add(pair[0])
			}
		}
	}
	if len(names) == 0 {
		return "1 as _one"
	}
	for i, name := range names {
		names[i] = quote(t.Name) + "." + quote(name) + " as " + quote(name) // a name that is no column is a function of the row
	}
	return strings.Join(names, ", ")
}

// location is where an inserted row can be read.
func (h *Handler) location(t *table, key []byte) string {
	var values map[string]any
	decoder := json.NewDecoder(bytes.NewReader(key))
	decoder.UseNumber()
	if decoder.Decode(&values) != nil {
		return ""
	}
	var parts []string
	for _, k := range t.Key {
		if values[k] == nil {
			parts = append(parts, encodeQuery(k)+"=is.null")
		} else {
			parts = append(parts, encodeQuery(k)+"=eq."+encodeQuery(fmt.Sprint(values[k])))
		}
	}
	return h.cfg.Prefix + "/" + t.Name + "?" + strings.Join(parts, "&")
}

// options tells the methods of a table.
func (h *Handler) options(w http.ResponseWriter, t *table) error {
	methods := []string{"OPTIONS", "GET", "HEAD"}
	if t.Insertable {
		methods = append(methods, "POST")
	}
	if t.Insertable && t.Updatable && len(t.Key) > 0 {
		methods = append(methods, "PUT")
	}
	if t.Updatable {
		methods = append(methods, "PATCH")
	}
	if t.Deletable {
		methods = append(methods, "DELETE")
	}
	w.Header().Set("Allow", strings.Join(methods, ","))
	w.WriteHeader(http.StatusOK)
	return nil
}
