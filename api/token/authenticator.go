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
	personal *personalTokens
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
	// TrustedHops is TRUSTED_PROXY_HOPS, as in package address. It tells networks apart that try tokens.
	TrustedHops int
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
	personal := newPersonalTokens(keys.store, keys.now, cfg.TrustedHops)
	return &Authenticator{keys: keys, sessions: sessions, personal: personal, apiKeys: apiKeys}, nil
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

// Authenticate returns the principal of a request. It does not check whether the session still exists, nor
// the scopes; personal access tokens have no session and are looked up. An API key in place of the bearer
// token, as supabase-js sends it before sign-in, yields the role of that key. So does the header apikey if
// there is no bearer token.
//
// Errors: ErrInvalid, ErrExpired, ErrSecretInBrowser; db.ErrUnavailable as in Keys.Verify; *LimitError and
// those of package db if a personal access token cannot be looked up.
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
	case isPersonal(bearer):
		return a.personalPrincipal(r, bearer, hash)
	}
	p, err := a.keys.verifyFor(r.Context(), "", bearer, hash)
	if err == nil && p.Subject.Role == db.RoleService && fromBrowser(r) {
		return Principal{}, ErrSecretInBrowser
	}
	return p, err
}

// personalPrincipal returns the principal of a personal access token. If identity is off, there are none.
func (a *Authenticator) personalPrincipal(r *http.Request, bearer string, hash tokenHash) (Principal, error) {
	if a.keys.off {
		return Principal{}, errPersonalToken
	}
	return a.personal.principal(r, bearer, hash)
}

// Admit is like Authenticate, but also requires that the session still exists, and that the token has the
// scope of the request's method. Long-lived requests call it repeatedly.
//
// Errors: those of Authenticate, ErrSessionEnded, *ScopeError, and those of package db if sessions cannot be
// looked up.
func (a *Authenticator) Admit(r *http.Request) (Principal, error) {
	return a.admit(r, methodScope(r.Method))
}

// admit is Admit for a request that needs one of the scopes.
func (a *Authenticator) admit(r *http.Request, scopes ...string) (Principal, error) {
	p, err := a.Authenticate(r)
	if err == nil {
		err = a.sessions.check(r.Context(), p)
	}
	if err == nil {
		err = p.require(scopes...)
	}
	if err != nil {
		return Principal{}, err
	}
	return p, nil
}

// AdmitResource returns the principal of a request to a resource of apps, which takes its own tokens and, but
// for userinfo, personal access tokens: neither API keys, nor tokens of users and of external issuers. The
// session must still exist. The caller checks the scopes.
//
// Errors: ErrNoToken, ErrExpired, ErrInvalid, of which ErrAudience is for tokens that are meant for something
// else; *LimitError; those of package db if sessions or tokens cannot be looked up.
func (a *Authenticator) AdmitResource(r *http.Request, resource string) (Principal, error) {
	bearer, err := BearerOf(r)
	switch {
	case err != nil:
		return Principal{}, err
	case bearer == "":
		return Principal{}, ErrNoToken
	case resource == "":
		return Principal{}, ErrAudience
	}
	hash := tokenHash(sha256.Sum256([]byte(bearer)))
	if isPersonal(bearer) {
		if resource == Userinfo(a.keys.issuer) {
			return Principal{}, ErrAudience
		}
		return a.personalPrincipal(r, bearer, hash)
	}
	p, err := a.keys.verifyFor(r.Context(), resource, bearer, hash)
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

// TokensEnded makes this process reject personal access tokens at once. Other processes notice within a few
// seconds.
func (a *Authenticator) TokensEnded(tokens ...uuid.UUID) { a.personal.end(tokens) }

// RecheckSessions discards the caches of sessions and of personal access tokens of this process. Call it
// after changes that may end any session of a user, such as a ban or a deletion.
func (a *Authenticator) RecheckSessions() {
	a.sessions.cached.DeleteAll()
	a.personal.found.DeleteAll()
}

// An ErrorWriter writes an edge's response to a request that was not authenticated: status 401, 403 if err is
// ErrScope, or 503 if err is db.ErrUnavailable.
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
// tokens of sessions that have ended, and those without the scope of the request's method.
func (a *Authenticator) Bearer(writeError ErrorWriter) func(http.Handler) http.Handler {
	return a.BearerFor(writeError)
}

// BearerFor is Bearer for routes that need one of the given scopes instead of that of their method.
func (a *Authenticator) BearerFor(writeError ErrorWriter, scopes ...string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			needed := scopes
			if len(needed) == 0 {
				needed = []string{methodScope(r.Method)}
			}
			p, err := a.admit(r, needed...)
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
