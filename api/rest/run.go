package rest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"research/api/rest/catalog"
	"research/api/rest/plan"
	"research/api/rest/query"
	"research/api/rest/sqlgen"
	"research/api/token"
	"research/db"
)

// run runs the statement as the caller. The plan judges the result before it is committed.
func (h *Handler) run(
	r *http.Request, c *catalog.Catalog, q *query.Request, p plan.Plan, st sqlgen.Statement,
) (result, error) {
	if st.SQL == "" {
		return result{}, nil
	}
	statement := db.Statement{
		Settings: slices.Concat(h.requestSettings(r, q), h.roleSettings(r, c, p)),
		ReadOnly: p.ReadOnly(),
		SQL:      st.SQL,
		Args:     st.Args,
	}
	if h.fixed.PreRequest != "" {
		statement.Before = sqlgen.CallFunction(h.fixed.PreRequest)
	}
	if st.Estimate != nil {
		statement.Then, statement.ThenArgs = st.Estimate.SQL, st.Estimate.Args
	}
	var res result
	judge := func(rows db.Rows) (commit bool, err error) {
		if res, err = decode(p, rows); err != nil {
			return false, err
		}
		if !res.explained {
			err = p.Check(res.Rows)
		}
		return h.commits(q), err
	}
	subject := token.From(r.Context())
	rows, err := h.store.Run(r.Context(), subject, statement, judge)
	if err == nil && p.ReadOnly() {
		_, err = judge(rows)
	}
	if err != nil {
		return result{}, sqlError(err, subject.Role, subject.Role == "" || subject.Role == h.fixed.AnonymousRole)
	}
	return res, nil
}

// commits reports whether a write is committed.
func (h *Handler) commits(q *query.Request) bool {
	if asked := q.Preferences.Transaction; h.fixed.TxOverride && asked != "" {
		return asked == query.Commit
	}
	return !h.fixed.Rollback
}

// requestSettings are the settings by which functions and policies know the request
// (https://docs.postgrest.org/en/stable/references/transactions.html).
func (h *Handler) requestSettings(r *http.Request, q *query.Request) []db.Setting {
	headers := map[string]string{}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	cookies := map[string]string{}
	for _, c := range r.Cookies() {
		cookies[c.Name] = c.Value
	}
	settings := []db.Setting{
		{Name: "search_path", Value: sqlgen.SearchPath(slices.Concat([]string{q.Schema}, h.fixed.SearchPath))},
		{Name: "request.method", Value: q.Method},
		{Name: "request.path", Value: "/" + strings.TrimPrefix(r.URL.Path, "/")},
		{Name: "request.headers", Value: jsonText(headers)},
		{Name: "request.cookies", Value: jsonText(cookies)},
	}
	if q.Preferences.Timezone != "" {
		settings = append(settings, db.Setting{Name: "timezone", Value: q.Preferences.Timezone})
	}
	return settings
}

func jsonText(texts map[string]string) string {
	raw, _ := json.Marshal(texts) // texts cannot fail
	return string(raw)
}

const statementTimeout = "statement_timeout"

// roleSettings are those of the role, which SET ROLE does not apply, and the time limit: the function's, else
// the role's, else ours. PostgreSQL reads it as a statement begins, so that a function's own setting would
// come too late.
func (h *Handler) roleSettings(r *http.Request, c *catalog.Catalog, p plan.Plan) []db.Setting {
	var settings []db.Setting
	isTimeout := func(s catalog.Setting) bool { return s.Name == statementTimeout }
	own := c.RoleSettings(cmp.Or(token.From(r.Context()).Role, h.fixed.AnonymousRole))
	if limit := h.cfg.StatementTimeout; limit > 0 && !slices.ContainsFunc(own, isTimeout) {
		milliseconds := strconv.FormatInt(limit.Milliseconds(), 10)
		settings = append(settings, db.Setting{Name: statementTimeout, Value: milliseconds})
	}
	for _, s := range own {
		settings = append(settings, db.Setting(s))
	}
	if call, ok := p.(*plan.Call); ok {
		for _, s := range call.Function.Settings {
			if isTimeout(s) {
				settings = append(settings, db.Setting(s))
			}
		}
	}
	return settings
}
