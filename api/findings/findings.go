package findings

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/internal/ratelimit"
)

// Deps are the dependencies of the handler. All are required but Statements, TrustedHops and Now.
type Deps struct {
	Store         *db.Store
	Statements    *admission.Queue // of the Store's connections; nil means that every statement is admitted
	Authenticator *token.Authenticator
	Log           *slog.Logger
	PublicURL     string
	TrustedHops   int              // as in package address
	Now           func() time.Time // nil means time.Now
}

// A server serves /api/findings.
type server struct {
	Deps
	edge  problem.Edge
	limit *ratelimit.Limiter // by network
	links *admission.Queue   // by network, of requests with links
}

// New returns the handler for /api/findings. Its paths are relative to that.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Authenticator == nil || d.Log == nil || d.PublicURL == "" {
		return nil, errors.New("findings: a dependency is missing")
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	s := &server{
		Deps:  d,
		edge:  problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations},
		limit: ratelimit.New(maxRequests, requestPeriod, d.Now),
		links: admission.New(linkBudget, ownNetwork),
	}
	r := chi.NewRouter()
	s.edge.Fallbacks(r)
	r.With(
		d.Authenticator.APIKey(s.edge.Write), d.Authenticator.Bearer(s.edge.Write), token.SignedIn(s.edge.Write),
	).Post("/shares", s.edge.Handle(s.share))
	r.Get("/shared", s.edge.Handle(s.readShared))
	return r, nil
}
