package projects

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/internal/ratelimit"
)

// Deps are the dependencies of the handler. All are required but Statements.
type Deps struct {
	Store         *db.Store
	Statements    *admission.Queue // of the Store's connections; nil means that every statement is admitted
	Ask           http.Handler     // answers POST /{projectId}/ask
	Exchange      Exchange         // with other programs
	Themes        Themes
	Authenticator *token.Authenticator
	Log           *slog.Logger
}

// An Exchange has the handlers of exports and imports of projects, for requests that are authenticated.
type Exchange struct {
	Project  http.Handler // answers GET /{projectId}/refi.qdpx
	Codebook http.Handler // answers GET /{projectId}/codebook.qdc
	Import   http.Handler // answers POST /{projectId}/refi
}

// Themes are the handlers of POST /{projectId}/themes/propose, estimate and cancel. All are required.
type Themes struct {
	Propose, Estimate, Cancel http.Handler
}

// These limit the checks of a user. The page makes one whenever somebody stops typing.
const (
	maxChecks   = 60
	checkPeriod = 30 * time.Second
)

// A server serves /api/project.
type server struct {
	Deps
	edge   problem.Edge
	checks *ratelimit.Limiter // by user
	words  *admission.Queue   // by workspace
}

// New returns the handler for /api/project. Its paths are relative to that.
func New(d Deps) (http.Handler, error) {
	x := d.Exchange
	handlers := []http.Handler{
		d.Ask, x.Project, x.Codebook, x.Import, d.Themes.Propose, d.Themes.Estimate, d.Themes.Cancel,
	}
	if d.Store == nil || slices.Contains(handlers, nil) || d.Authenticator == nil || d.Log == nil {
		return nil, errors.New("projects: a dependency is missing")
	}
	s := &server{
		Deps:   d,
		edge:   problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations},
		checks: ratelimit.New(maxChecks, checkPeriod, time.Now),
		words:  admission.New(wordsBudget, ownWorkspace),
	}
	r := chi.NewRouter()
	s.edge.Fallbacks(r)
	r.Group(func(r chi.Router) {
		r.Use(d.Authenticator.APIKey(s.edge.Write))
		bearer := func(scopes ...string) chi.Router {
			return r.With(d.Authenticator.BearerFor(s.edge.Write, scopes...), token.SignedIn(s.edge.Write))
		}
		bearer().Get("/{projectId}/guide", s.edge.Handle(s.getGuide, "format"))
		bearer(token.ScopeAsk).Method(http.MethodPost, "/{projectId}/ask", d.Ask)
		bearer().Post("/{projectId}/guide/check", s.edge.Handle(s.check))
		bearer().Method(http.MethodGet, "/{projectId}/refi.qdpx", x.Project)
		bearer().Method(http.MethodGet, "/{projectId}/codebook.qdc", x.Codebook)
		bearer().Method(http.MethodPost, "/{projectId}/refi", x.Import)
		// Proposals cost what questions do.
		bearer(token.ScopeAsk).Method(http.MethodPost, "/{projectId}/themes/propose", d.Themes.Propose)
		either := bearer(token.ScopeAsk, token.ScopeWrite)
		either.Method(http.MethodPost, "/{projectId}/themes/estimate", d.Themes.Estimate)
		either.Method(http.MethodPost, "/{projectId}/themes/cancel", d.Themes.Cancel)
		bearer().Get("/{projectId}/words", s.edge.Handle(s.getWords))
	})
	return r, nil
}

// read runs a read as the caller when it is the caller's turn. It is given the project, which the caller
// sees: the error is db.ErrNotFound otherwise.
func (s *server) read(r *http.Request, work func(*db.Queries, uuid.UUID) error) error {
	id, err := uuid.Parse(chi.URLParam(r, "projectId"))
	if err != nil {
		return errNoProject // no project has such an id
	}
	ctx, subject := r.Context(), token.From(r.Context())
	caller := admission.Caller{User: subject.UserID, Trusted: subject.Role == db.RoleService}
	return s.Statements.Do(ctx, caller, func() error {
		return s.Store.AsUser(ctx, subject, func(q *db.Queries) error { return work(q, id) })
	})
}
