package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"research/api/rest/catalog"
	"research/api/rest/plan"
	"research/api/rest/query"
	"research/api/rest/sqlgen"
	"research/api/token"
	"research/db"
)

// deadlockRetries is how often a statement is retried after PostgreSQL cancelled it to resolve a deadlock.
// Writes of many rows, with their triggers, take locks in any order.
const deadlockRetries = 2

// run runs the statement as the caller. The plan checks the result before it is committed.
func (h *Handler) run(r *http.Request, c *catalog.Catalog, request compiled) (result, error) {
	q, p, st := request.request, request.plan, request.statement
	if st.SQL == "" {
		return result{}, nil
	}
	batch := db.Batch{Settings: h.settings(r, c, request), ReadOnly: p.ReadOnly(), Queries: h.queries(st)}
	subject := token.From(r.Context())
	anonymous := subject.Role == "" || subject.Role == h.cfg.Conformance.AnonymousRole
	if err := h.checkCost(r.Context(), subject, p, batch, st); err != nil {
		return result{}, sqlError(err, subject.Role, anonymous)
	}
	var res result
	judge := func(results []db.Rows) (commit bool, err error) {
		if res, err = decode(p, h.ofStatement(results)); err != nil {
			return false, err
		}
		switch {
		case res.explained:
		case res.TooLarge:
			err = h.answerTooLarge()
		default:
			err = p.Check(res.Rows)
		}
		return h.commits(q), err
	}
	results, err := h.store.Run(r.Context(), subject, batch, judge)
	for range deadlockRetries {
		if !db.IsDeadlock(err) {
			break
		}
		results, err = h.store.Run(r.Context(), subject, batch, judge)
	}
	if err == nil && p.ReadOnly() {
		_, err = judge(results)
	}
	if formatOf(p).MaxBytes > 0 && isTooLarge(err) {
		return result{}, h.answerTooLarge()
	}
	if err != nil {
		return result{}, sqlError(err, subject.Role, anonymous)
	}
	return res, nil
}

// isTooLarge reports whether PostgreSQL stopped because the rows are larger than an answer may be.
func isTooLarge(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Routine == sqlgen.OverflowRoutine
}

// queries returns the queries of a statement: itself and its estimate, after the function before each
// request.
func (h *Handler) queries(st sqlgen.Statement) []db.Query {
	var queries []db.Query
	if first := h.cfg.Conformance.PreRequest; first != "" {
		queries = append(queries, db.Query{SQL: sqlgen.CallFunction(first)})
	}
	queries = append(queries, db.Query{SQL: st.SQL, Args: st.Args})
	if st.Estimate != nil {
		queries = append(queries, db.Query{SQL: st.Estimate.SQL, Args: st.Estimate.Args})
	}
	return queries
}

// ofStatement returns the results of queries without that of the function before each request.
func (h *Handler) ofStatement(results []db.Rows) []db.Rows {
	if h.cfg.Conformance.PreRequest != "" {
		return results[1:]
	}
	return results
}

// checkCost asks PostgreSQL what a costly plan's statement would cost, and rejects it above the limit. Such a
// statement would occupy a core of the database until its timeout.
func (h *Handler) checkCost(
	ctx context.Context, subject db.Subject, p plan.Plan, batch db.Batch, st sqlgen.Statement,
) error {
	if h.cfg.MaxCost == 0 || formatOf(p).Explain != nil || !plan.Costly(p) {
		return nil
	}
	batch.ReadOnly = true
	batch.Queries = h.queries(sqlgen.Statement{SQL: "explain (format json) " + st.SQL, Args: st.Args})
	results, err := h.store.Run(ctx, subject, batch, nil)
	if err != nil {
		return err
	}
	explained := explainedPlan(h.ofStatement(results)[0].Values)
	if explained != nil && explained.Cost > h.cfg.MaxCost {
		return errTooCostly
	}
	return nil
}

// commits reports whether a write is committed.
func (h *Handler) commits(q *query.Request) bool {
	if asked := q.Preferences.Transaction; h.cfg.TxOverride && asked != "" {
		return asked == query.Commit
	}
	return !h.cfg.Rollback
}

// settings returns the settings through which functions and policies see the request
// (https://docs.postgrest.org/en/stable/references/transactions.html), and those of the caller's role.
func (h *Handler) settings(r *http.Request, c *catalog.Catalog, request compiled) []db.Setting {
	settings := append(make([]db.Setting, 0, 10), // rarely more
		db.Setting{Name: "search_path", Value: request.searchPath},
		db.Setting{Name: "request.method", Value: request.request.Method},
		db.Setting{Name: "request.path", Value: "/" + strings.TrimPrefix(r.URL.Path, "/")},
		db.Setting{Name: "request.headers", Value: headersJSON(r.Header)},
		db.Setting{Name: "request.cookies", Value: cookiesJSON(r)},
	)
	if timezone := request.request.Preferences.Timezone; timezone != "" {
		settings = append(settings, db.Setting{Name: "timezone", Value: timezone})
	}
	return h.addRoleSettings(settings, r, c, request.plan)
}

const statementTimeout = "statement_timeout"

// addRoleSettings adds the settings of the role, which SET ROLE does not apply, and the statement timeout:
// the function's, else the role's, else ours. PostgreSQL reads the timeout when a statement begins, so a
// function's own setting would take effect too late.
func (h *Handler) addRoleSettings(
	settings []db.Setting, r *http.Request, c *catalog.Catalog, p plan.Plan,
) []db.Setting {
	isTimeout := func(s catalog.Setting) bool { return s.Name == statementTimeout }
	own := c.RoleSettings(cmp.Or(token.From(r.Context()).Role, h.cfg.Conformance.AnonymousRole))
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
