package rest

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/api/rest/plan"
	"research/db"
)

// Config holds the settings of operators. The names in parentheses are PostgREST's.
type Config struct {
	Schemas         []string // exposed; the first is the default (db-schemas)
	MaxRows         int64    // of one response; 0 means no limit (db-max-rows)
	MaxBodyBytes    int64    // 0 means 10 MB
	MaxAnswerBytes  int64    // of a response body; 0 means no limit
	MaxCost         float64  // of a select with lists in lists, in PostgreSQL's units; 0 means no limit
	Aggregates      bool     // clients may aggregate (db-aggregates-enabled)
	Plan            bool     // clients may ask for PostgreSQL's plan (db-plan-enabled)
	TerseErrors     bool     // errors have no details and hints (client-error-verbosity)
	AllowUnfiltered bool     // UPDATE and DELETE without a filter are allowed
	Rollback        bool     // writes are rolled back (db-tx-end)
	TxOverride      bool     // clients may ask for tx=commit and tx=rollback (db-tx-end)
	// StatementTimeout ends statements of roles without a statement_timeout of their own; 0 means no timeout.
	StatementTimeout time.Duration
	Prefix           string // of the mount, for Location headers
	PublicURL        string // of the mount, as clients reach it, for the description; may be empty
	HideDescription  bool   // the root responds with 404 (openapi-mode)
	Conformance      Conformance
}

// Deps are the dependencies of the handler.
type Deps struct {
	Store     *db.Store
	Admission *admission.Queue // of the Store's connections; nil means that every request is admitted
	Log       *slog.Logger
}

// A Handler serves the data API. Its paths are relative to the mount. It is safe for concurrent use.
type Handler struct {
	cfg   Config
	rules plan.Rules
	store *db.Store
	queue *admission.Queue
	log   *slog.Logger
	edge  problem.Edge

	schema atomic.Pointer[schema]
	failed atomic.Pointer[error] // of the latest reload
	reload sync.Mutex            // so that an older schema never replaces a newer one
}
