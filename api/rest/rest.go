package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"research/api/admission"
	"research/api/problem"
	"research/api/rest/plan"
	"research/api/token"
	"research/db"
)

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
		},
		store: d.Store,
		queue: d.Admission,
		log:   d.Log,
	}
	h.edge = problem.Edge{Log: d.Log, Format: h.format, Translations: translations, Lenient: true}
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
	if _, describes := c.plan.(*plan.Description); describes && subject.Role == db.RoleAnon {
		// A description has no rows, and tools read it before anybody signs in: theirs is that of signed-in users.
		r = r.WithContext(token.With(r.Context(), db.Subject{Role: db.RoleAuthenticated}))
	}
	res, err := h.run(r, current.catalog, c)
	ticket.Done()
	if err != nil {
		return err
	}
	return h.respond(w, current.catalog, c.request, c.plan, res)
}
