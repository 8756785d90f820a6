package rest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/api/rest/plan"
	"research/api/token"
	"research/db"
)

// Config holds the settings of operators. The names in parentheses are PostgREST's.
type Config struct {
	Schemas         []string // exposed; the first is the default (db-schemas)
	MaxRows         int64    // of one response; 0 means no limit (db-max-rows)
	MaxBodyBytes    int64    // 0 means 10 MB
	MaxAnswerBytes  int64    // of a response body; 0 means no limit
	MaxCost         float64  // of a select that embeds lists in lists, as PostgreSQL estimates it; 0 means no limit
	Aggregates      bool     // clients may aggregate (db-aggregates-enabled)
	Plan            bool     // clients may ask for PostgreSQL's plan (db-plan-enabled)
	TerseErrors     bool     // errors have no details and hints (client-error-verbosity)
	AllowUnfiltered bool     // UPDATE and DELETE without a filter are allowed
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

// defaultMaxBodyBytes suffices for some ten thousand rows. It equals the limit of uploads.
const defaultMaxBodyBytes = 10 << 20

// New loads the schema and returns the handler.
func New(ctx context.Context, cfg Config, d Deps) (*Handler, error) {
	if d.Store == nil || d.Log == nil || len(cfg.Schemas) == 0 {
		return nil, errors.New("rest: a dependency is missing")
	}
	if cfg.MaxBodyBytes == 0 {
		cfg.MaxBodyBytes = defaultMaxBodyBytes
	}
	cfg.Conformance.AnonymousRole = cmp.Or(cfg.Conformance.AnonymousRole, db.RoleAnon)
	h := &Handler{
		cfg: cfg,
		rules: plan.Rules{
			Schemas:          cfg.Schemas,
			MaxRows:          cfg.MaxRows,
			MaxAnswerBytes:   cfg.MaxAnswerBytes,
			Aggregates:       cfg.Aggregates,
			Explain:          cfg.Plan,
			UnfilteredWrites: cfg.AllowUnfiltered,
			NoDescription:    cfg.HideDescription,
			AllPrivileges:    cfg.Conformance.AllPrivileges,
			Swagger:          cfg.Conformance.Swagger,
		},
		store: d.Store,
		queue: d.Admission,
		log:   d.Log,
	}
	h.edge = problem.Edge{Log: d.Log, Format: h.format, Translate: translate}
	if err := h.Reload(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.edge.Handle(h.answer)(w, r) }

// WriteError writes an error, for the middleware in front of the handler.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	h.edge.Write(w, r, err)
}

// answer takes a request through all steps. It enters the queue before its body is read, so that no user can
// fill the memory with bodies or responses.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request) error {
	subject := token.From(r.Context())
	isService := subject.Role == db.RoleService
	ticket, err := h.queue.Enter(r.Context(), admission.Caller{User: subject.UserID, Trusted: isService})
	if err != nil {
		return err
	}
	defer ticket.Leave()
	in, err := h.input(w, r)
	if err != nil {
		return err
	}
	current := h.schema.Load()
	c, err := h.compile(current, in, h.cfg.Conformance.Estimates || isService)
	if err != nil {
		return err
	}
	if c.statement.SQL != "" {
		if err := ticket.Work(r.Context()); err != nil {
			return err
		}
	}
	res, err := h.run(r, current.catalog, c)
	ticket.Done()
	if err != nil {
		return err
	}
	return h.respond(w, current.catalog, c.request, c.plan, res)
}
