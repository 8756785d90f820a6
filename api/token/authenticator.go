package token

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"research/db"
)

// An Authenticator checks the API keys and access tokens of requests. It is safe for concurrent use.
type Authenticator struct {
	keys     *Keys
	sessions *sessionChecker
	apiKeys  apiKeys
}

// AuthenticatorConfig holds the API keys. Each may be any string that is hard to guess: sb_publishable_… and
// sb_secret_…, or a JWT with the claim role.
type AuthenticatorConfig struct {
	AnonKey    string // ANON_KEY. Required
	ServiceKey string // SERVICE_ROLE_KEY. Required
	// PUBLISHABLE_KEY and SECRET_KEY are a second pair, for replacing keys while clients still use the first.
	PublishableKey string
	SecretKey      string
}

// NewAuthenticator returns an Authenticator. Its error names the setting of a key that cannot be used.
func NewAuthenticator(keys *Keys, cfg AuthenticatorConfig) (*Authenticator, error) {
	if keys == nil {
		return nil, errors.New("token: keys are required")
	}
	apiKeys, err := newAPIKeys(cfg, keys.now())
	if err != nil {
		return nil, err
	}
	sessions := newSessionChecker(keys.store, keys.now)
	return &Authenticator{keys: keys, sessions: sessions, apiKeys: apiKeys}, nil
}

// fromBrowser recognizes browsers by headers that scripts cannot remove: Sec-Fetch-Site, or Origin for pages
// that were loaded without TLS.
func fromBrowser(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") != "" ||
		r.Header.Get("Origin") != "" && strings.HasPrefix(r.UserAgent(), "Mozilla/")
}

// APIKeyRole returns the role of the request's API key. Errors: ErrNoAPIKey, ErrBadAPIKey,
// ErrSecretInBrowser.
func (a *Authenticator) APIKeyRole(r *http.Request) (string, error) {
	key := r.Header.Get("apikey")
	if key == "" {
		return "", ErrNoAPIKey
	}
	role, known := a.apiKeys.role(sha256.Sum256([]byte(key)))
	switch {
	case !known:
		return "", ErrBadAPIKey
	case role == db.RoleService && fromBrowser(r):
		return "", ErrSecretInBrowser
	}
	return role, nil
}

// BearerOf returns the bearer token of a request, or "" if it has no Authorization header. Its error is
// ErrInvalid.
func BearerOf(r *http.Request) (string, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return "", nil
	}
	scheme, bearer, _ := strings.Cut(header, " ")
	bearer = strings.TrimSpace(bearer)
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return "", ErrInvalid
	case bearer == "":
		return "", errEmpty
	}
	return bearer, nil
}

// Authenticate returns the principal of a request. It does not check whether the session still exists. An API
// key in place of the bearer token, as supabase-js sends it before sign-in, yields the role of that key. So
// does the header apikey if there is no bearer token.
//
// Errors: ErrInvalid, ErrExpired, ErrSecretInBrowser; db.ErrUnavailable as in Keys.Verify.
func (a *Authenticator) Authenticate(r *http.Request) (Principal, error) {
	bearer, err := BearerOf(r)
	if err != nil {
		return Principal{}, err
	}
	key := bearer
	if key == "" {
		key = r.Header.Get("apikey")
	}
	hash := tokenHash(sha256.Sum256([]byte(key)))
	role, known := a.apiKeys.role(hash)
	switch {
	case known && role == db.RoleService && fromBrowser(r):
		return Principal{}, ErrSecretInBrowser
	case known:
		claims := json.RawMessage(`{"role":"` + role + `"}`)
		return Principal{Subject: db.Subject{Role: role, Claims: claims}}, nil
	case bearer == "":
		return Principal{Subject: db.Subject{Role: db.RoleAnon}}, nil
	}
	p, err := a.keys.verifyCached(r.Context(), bearer, hash)
	if err == nil && p.Subject.Role == db.RoleService && fromBrowser(r) {
		return Principal{}, ErrSecretInBrowser
	}
	return p, err
}

// Admit is like Authenticate, but also requires that the session still exists. Long-lived requests call it
// repeatedly.
//
// Errors: those of Authenticate, ErrSessionEnded, and those of package db if sessions cannot be looked up.
func (a *Authenticator) Admit(r *http.Request) (Principal, error) {
	p, err := a.Authenticate(r)
	if err == nil {
		err = a.sessions.check(r.Context(), p)
	}
	if err != nil {
		return Principal{}, err
	}
	return p, nil
}

// SessionsEnded makes this process reject the tokens of sessions at once. Other processes notice within a few
// seconds.
func (a *Authenticator) SessionsEnded(user uuid.UUID, sessions ...uuid.UUID) {
	for _, session := range sessions {
		a.sessions.ended(sessionKey{user, session})
	}
}

// RecheckSessions discards the session cache of this process. Call it after changes that may end any session
// of a user, such as a ban or a deletion.
func (a *Authenticator) RecheckSessions() { a.sessions.cached.DeleteAll() }

// An ErrorWriter writes an edge's response to a request that was not authenticated: status 401, or 503 if err
// is db.ErrUnavailable.
type ErrorWriter func(w http.ResponseWriter, r *http.Request, err error)

// APIKey is middleware that requires a key of the project in the header apikey.
func (a *Authenticator) APIKey(writeError ErrorWriter) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := a.APIKeyRole(r); err != nil {
				writeError(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// KeyInAddress is middleware that moves the parameter apikey of the address to the header, as Supabase's
// gateway does for clients that cannot set headers, such as a browser's address bar. The public key alone may
// be there; the secret key is rejected with ErrSecretInAddress.
func (a *Authenticator) KeyInAddress(writeError ErrorWriter) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key, rest := cutKey(r.URL.RawQuery)
			if key == "" {
				next.ServeHTTP(w, r)
				return
			}
			if role, _ := a.apiKeys.role(sha256.Sum256([]byte(key))); role == db.RoleService {
				writeError(w, r, ErrSecretInAddress)
				return
			}
			r = r.Clone(r.Context())
			r.URL.RawQuery = rest
			if r.Header.Get("apikey") == "" {
				r.Header.Set("apikey", key)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// cutKey returns the parameter apikey of a query, and the query without it. The rest keeps its form, which
// the data API reads by rules of its own.
func cutKey(query string) (key, rest string) {
	var others []string
	for part := range strings.SplitSeq(query, "&") {
		value, found := strings.CutPrefix(part, "apikey=")
		if !found {
			others = append(others, part)
			continue
		}
		if unescaped, err := url.QueryUnescape(value); err == nil {
			key = unescaped
		}
	}
	return key, strings.Join(others, "&")
}

// Bearer is middleware that authenticates the request and puts its subject into the context. It rejects
// tokens of sessions that have ended.
func (a *Authenticator) Bearer(writeError ErrorWriter) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p, err := a.Admit(r)
			if err != nil {
				writeError(w, r, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(With(r.Context(), p.Subject)))
		})
	}
}

// SignedIn is middleware that requires a signed-in user or a service-role token.
func SignedIn(writeError ErrorWriter) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if From(r.Context()).Role == db.RoleAnon {
				writeError(w, r, ErrNoToken)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
