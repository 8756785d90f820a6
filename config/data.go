package config

import (
	"strings"
	"time"
)

// Data configures the data API.
type Data struct {
	Schemas          []string      // the first one is the default
	MaxRows          int           // of one answer; 0 means no limit
	MaxBodyBytes     int           // of one request
	MaxAnswerBytes   int           // 0 means no limit
	MaxCost          int           // of a select with nested lists, in PostgreSQL's units; 0 means no limit
	UserRequests     int           // of one user at the same time
	MaxWait          time.Duration // of a request, for its turn
	StatementTimeout time.Duration // for roles that have none of their own; 0 means none
	AllowUnfiltered  bool          // UPDATE and DELETE without a filter
	Rollback         bool          // writes are rolled back unless the client asks otherwise
	TxOverride       bool          // clients may ask for tx=commit and tx=rollback
	Aggregates       bool
	Plan             bool
	TerseErrors      bool
	OpenAPI          bool
}

func readData(r *reader) Data {
	r.group = "Data API"
	d := Data{
		Schemas: split(r.text("REST_SCHEMAS", "public",
			"The schemas that are served, separated by commas; the first one is the default.")),
		// The default is Supabase's.
		MaxRows: r.number("REST_MAX_ROWS", 1000, 0, 1_000_000,
			"Rows of one answer; `X-Rows-Cut` reports a cut. `0`: no limit."),
		MaxBodyBytes: r.number("REST_MAX_BODY_BYTES", 10<<20, 1<<10, 1<<30, "The largest request body, in bytes."),
		MaxAnswerBytes: r.number("REST_MAX_ANSWER_BYTES", 10<<20, 0, 1<<30,
			"The largest body of an answer, in bytes; a larger one is 400 `PGRSTX03`. `0`: no limit."),
		MaxCost: r.number("REST_MAX_COST", 1_000_000, 0, 1<<40,
			"The estimated cost, in PostgreSQL's units, of a select that embeds lists in lists; above it the "+
				"answer is 400 `PGRSTX04`. `0`: no limit."),
		UserRequests: r.number("REST_USER_REQUESTS", 8, 1, 1000,
			"Requests of one user that are answered at the same time. Others wait."),
		MaxWait: r.duration("REST_MAX_WAIT", 10*time.Second, 0, time.Minute,
			"How long a request waits for its turn before it is answered with 429."),
		// The default is Supabase's for signed-in users.
		StatementTimeout: r.duration("REST_STATEMENT_TIMEOUT", 8*time.Second, 0, time.Hour,
			"The timeout of a statement, for database roles without a `statement_timeout` of their own. `0s`: none."),
		AllowUnfiltered: r.onOff("REST_UNFILTERED_WRITES", false,
			"`on` permits UPDATE and DELETE without a filter."),
		Aggregates: r.onOff("REST_AGGREGATES", false,
			"`on` permits `sum()`, `avg()`, `count()`, `max()` and `min()` in selects."),
		Plan: r.onOff("REST_PLAN", false, "`on` answers `Accept: application/vnd.pgrst.plan` with the query plan. "+
			"A plan contains estimates about the rows of all tenants."),
		TerseErrors: r.choice("REST_ERRORS", "verbose", []string{"verbose", "minimal"},
			"`minimal` leaves details and hints out of errors.") == "minimal",
		OpenAPI: r.onOff("REST_OPENAPI", true, "`off` disables the OpenAPI description at `/rest/v1/`."),
	}
	end := r.choice("REST_TX_END", "commit",
		[]string{"commit", "commit-allow-override", "rollback", "rollback-allow-override"},
		"How the transaction of a write ends, as PostgREST's `db-tx-end`. With `…-allow-override` clients choose "+
			"by `Prefer: tx=commit` and `tx=rollback`; the other values ignore that.")
	d.Rollback = strings.HasPrefix(end, "rollback")
	d.TxOverride = strings.HasSuffix(end, "-allow-override")
	if len(d.Schemas) == 0 {
		r.problem("REST_SCHEMAS", "must name a schema, or several separated by commas")
	}
	for _, name := range d.Schemas {
		if name == "auth" || name == "private" || name == "information_schema" || strings.HasPrefix(name, "pg_") {
			r.problem("REST_SCHEMAS", "must not contain %s, which is never served", name)
		}
	}
	return d
}
