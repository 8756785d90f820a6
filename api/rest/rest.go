package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"research/api/problem"
	"research/api/rest/catalog"
	"research/api/rest/plan"
	"research/api/rest/query"
	"research/api/rest/sqlgen"
	"research/db"
)

// Config is what an operator can set. The names in parentheses are PostgREST's.
type Config struct {
	Schemas         []string // exposed; the first is the default (db-schemas)
	MaxRows         int64    // of one answer; 0 means no limit (db-max-rows)
	MaxBodyBytes    int64    // 0 means 10 MB
	Aggregates      bool     // clients may aggregate (db-aggregates-enabled)
	Plan            bool     // clients may ask for PostgreSQL's plan (db-plan-enabled)
	TerseErrors     bool     // errors have no details and hints (client-error-verbosity)
	AllowUnfiltered bool     // UPDATE and DELETE without a filter are allowed
	// StatementTimeout ends statements of roles without a statement_timeout of their own; 0 means no timeout.
	StatementTimeout time.Duration
	Prefix           string // of the mount, for Location headers
	PublicURL        string // of the mount, as clients reach it, for the description; may be empty
	HideDescription  bool   // the root answers 404 (openapi-mode)
}

// Deps are what the handler needs; all are required.
type Deps struct {
	Store *db.Store
	Log   *slog.Logger
}

// A Handler answers the data API. Paths are those below the mount. It is safe for concurrent use.
type Handler struct {
	cfg   Config
	fixed Conformance
	rules plan.Rules
	store *db.Store
	log   *slog.Logger
	edge  problem.Edge

	catalog atomic.Pointer[catalog.Catalog]
	failed  atomic.Pointer[error] // of the latest reload
	reload  sync.Mutex            // so that an older catalog never replaces a newer one
}

// defaultMaxBodyBytes is room for some ten thousand rows, and as much as an upload of a transcript may have.
const defaultMaxBodyBytes = 10 << 20

// New loads the schema and makes the handler.
func New(ctx context.Context, cfg Config, d Deps) (*Handler, error) {
	return NewForConformance(ctx, cfg, Conformance{AnonymousRole: db.RoleAnon}, d)
}

// NewForConformance is New with settings of PostgREST that the service fixes.
func NewForConformance(ctx context.Context, cfg Config, fixed Conformance, d Deps) (*Handler, error) {
	if d.Store == nil || d.Log == nil || len(cfg.Schemas) == 0 {
		return nil, errors.New("rest: a dependency is missing")
	}
	if cfg.MaxBodyBytes == 0 {
		cfg.MaxBodyBytes = defaultMaxBodyBytes
	}
	h := &Handler{
		cfg:   cfg,
		fixed: fixed,
		rules: plan.Rules{
			Schemas:          cfg.Schemas,
			MaxRows:          cfg.MaxRows,
			Aggregates:       cfg.Aggregates,
			Explain:          cfg.Plan,
			UnfilteredWrites: cfg.AllowUnfiltered,
			NoDescription:    cfg.HideDescription,
			AllPrivileges:    fixed.AllPrivileges,
			Swagger:          fixed.Swagger,
		},
		store: d.Store,
		log:   d.Log,
	}
	h.edge = problem.Edge{Log: d.Log, Format: h.format, Translate: translate}
	if err := h.Reload(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.edge.Handle(h.answer)(w, r) }

// WriteError answers with an error, for the middleware in front of the handler.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	h.edge.Write(w, r, err)
}

// answer takes a request through all steps.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request) error {
	in, err := h.input(w, r)
	if err != nil {
		return err
	}
	request, err := query.Parse(in, h.cfg.Schemas)
	if err != nil {
		return err
	}
	snapshot := h.catalog.Load()
	planned, err := plan.New(snapshot, h.rules, request)
	if err != nil {
		return err
	}
	statement := sqlgen.Compile(planned)
	res, err := h.run(r, snapshot, request, planned, statement)
	if err != nil {
		return err
	}
	return h.respond(w, snapshot, request, planned, res)
}
