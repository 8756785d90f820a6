package auth

import (
	"log/slog"
	"net/http"
	"sync"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/identity"
)

// Config configures the edge.
type Config struct {
	Identity identity.Config
	// TrustedHops is TRUSTED_PROXY_HOPS: the number of proxies in front of us that append to X-Forwarded-For.
	// Zero means that the header is ignored.
	TrustedHops int
}

// Deps are the dependencies of the handler. All are required.
type Deps struct {
	Identity      *identity.Service // with the Config's settings
	Keys          *token.Keys
	Authenticator *token.Authenticator
	Log           *slog.Logger
}

// A server serves /auth/v1.
type server struct {
	identity      *identity.Service
	keys          *token.Keys
	authenticator *token.Authenticator
	edge          problem.Edge
	cfg           Config
	sameOrigin    *http.CrossOriginProtection
	warnForwarded sync.Once
}

// errPersonalToken is the response to a request with a personal access token: whoever holds one cannot get at
// the account, nor make more of them.
var errPersonalToken = fail(http.StatusForbidden, problem.CodeScope,
	"A personal access token cannot be used for the account of its user: send the access token of a sign-in.")

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
	if token.IsPersonal(r) {
		return identity.CurrentUser{}, errPersonalToken
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
		if token.IsPersonal(r) {
			return errPersonalToken
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
