package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/identity"
)

// Config says how the edge behaves.
type Config struct {
	Identity identity.Config
	// TrustedHops is TRUSTED_PROXY_HOPS: the number of proxies in front of us that append to X-Forwarded-For.
	// Zero means that the header is ignored.
	TrustedHops int
}

// Deps are the dependencies of the handler. All are required.
type Deps struct {
	Store         *db.Store
	Keys          *token.Keys
	Authenticator *token.Authenticator
	Mail          identity.Mailer
	Log           *slog.Logger
}

// A server answers /auth/v1.
type server struct {
	identity      *identity.Service
	keys          *token.Keys
	authenticator *token.Authenticator
	edge          problem.Edge
	cfg           Config
}

// New returns the handler of /auth/v1. Paths are those after it. If identity is switched off, every path
// answers so.
func New(ctx context.Context, cfg Config, d Deps) (http.Handler, error) {
	if d.Store == nil || d.Keys == nil || d.Authenticator == nil || d.Mail == nil || d.Log == nil {
		return nil, errors.New("auth: a dependency is missing")
	}
	s := &server{
		keys:          d.Keys,
		authenticator: d.Authenticator,
		edge:          problem.Edge{Log: d.Log, Format: format, Translate: translate},
		cfg:           cfg,
	}
	r := chi.NewRouter()
	r.NotFound(s.edge.NotFound)
	r.MethodNotAllowed(s.edge.MethodNotAllowed)
	if d.Keys.Off() {
		r.Handle("/*", s.edge.Handle(switchedOff))
		return r, nil
	}
	var err error
	s.identity, err = identity.New(ctx, cfg.Identity, identity.Deps{
		Store: d.Store, Mail: d.Mail, Sessions: d.Authenticator,
	})
	if err != nil {
		return nil, err
	}
	s.routes(r)
	return r, nil
}

func switchedOff(http.ResponseWriter, *http.Request) error {
	return fail(http.StatusNotFound, "feature_disabled",
		"Identity is switched off here: sign in with the identity provider of this installation.")
}

func (s *server) routes(r chi.Router) {
	// Without an API key: verifiers of tokens, and browsers that follow a link.
	r.Get("/.well-known/jwks.json", s.edge.Handle(s.showKeySet))
	r.Get("/.well-known/openid-configuration", s.edge.Handle(s.showDiscovery))
	r.Get("/verify", s.edge.Handle(s.showVerifyPage))
	r.Post("/verify", s.edge.Handle(s.verify))

	r.Group(func(r chi.Router) {
		r.Use(s.authenticator.APIKey(s.edge.Write))
		r.Post("/token", s.edge.Handle(s.grantToken))
		r.Post("/signup", s.edge.Handle(s.signUp))
		r.Post("/recover", s.edge.Handle(s.recoverPassword))
		r.Post("/resend", s.edge.Handle(s.resend))
		r.Get("/health", s.edge.Handle(s.showHealth))
		r.Get("/settings", s.edge.Handle(s.showSettings))

		r.Get("/user", s.signedIn(s.showUser))
		r.Put("/user", s.signedIn(s.updateUser))
		r.Post("/logout", s.signedIn(s.signOut))
		r.Get("/sessions", s.signedIn(s.listSessions))
		r.Delete("/sessions/{id}", s.signedIn(s.revokeSession))

		r.Group(func(r chi.Router) {
			r.Use(s.requireAdmin)
			r.Post("/invite", s.edge.Handle(s.inviteUser))
			r.Get("/admin/users", s.edge.Handle(s.listUsers))
			r.Post("/admin/users", s.edge.Handle(s.createUser))
			r.Get("/admin/users/{id}", s.edge.Handle(s.getUser))
			r.Put("/admin/users/{id}", s.edge.Handle(s.changeUser))
			r.Delete("/admin/users/{id}", s.edge.Handle(s.deleteUser))
		})
	})
}

// signedIn adapts a handler for the user of an active session. The database is queried for each request.
func (s *server) signedIn(
	h func(http.ResponseWriter, *http.Request, identity.CurrentUser) error,
) http.HandlerFunc {
	return s.edge.Handle(func(w http.ResponseWriter, r *http.Request) error {
		current, err := s.currentUser(r)
		if err != nil {
			return err
		}
		return h(w, r, current)
	})
}

func (s *server) currentUser(r *http.Request) (identity.CurrentUser, error) {
	if r.Header.Get("Authorization") == "" {
		return identity.CurrentUser{}, token.ErrNoToken
	}
	p, err := s.authenticator.Authenticate(r)
	if err != nil {
		return identity.CurrentUser{}, err
	}
	if p.Subject.Role != db.RoleAuthenticated || p.External {
		return identity.CurrentUser{}, fail(http.StatusForbidden, "bad_jwt",
			"This token was not issued to a user of this service: send the access token of a sign-in.")
	}
	return s.identity.CurrentUser(r.Context(), identity.SessionRef{
		UserID: p.Subject.UserID, SessionID: p.SessionID,
	})
}

// requireAdmin is middleware that requires a service-role token.
func (s *server) requireAdmin(next http.Handler) http.Handler {
	return s.edge.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if r.Header.Get("Authorization") == "" && r.Header.Get("apikey") == "" {
			return token.ErrNoToken
		}
		p, err := s.authenticator.Authenticate(r)
		if err != nil {
			return err
		}
		if p.Subject.Role != db.RoleService {
			return fail(http.StatusForbidden, "not_admin", "User not allowed")
		}
		next.ServeHTTP(w, r)
		return nil
	})
}
