package token

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"research/db"
)

// Problems that the middleware finds, beside ErrExpired and ErrInvalid. Each edge renders them in its own shape.
var (
	ErrNoAPIKey  = errors.New("the header apikey is missing: send the project's anonymous key")
	ErrBadAPIKey = errors.New("the header apikey is not a key of this project")
	ErrNoToken   = errors.New("the header Authorization is missing: sign in and send `Bearer <access token>`")
	// ErrSecretInBrowser is an ErrBadAPIKey, and ErrSessionEnded an ErrInvalid, for edges that do not tell them apart.
	ErrSecretInBrowser error = &refusal{"a secret key was sent by a browser: it belongs on servers only, and should be replaced now that it has been in one", ErrBadAPIKey}
	ErrSessionEnded    error = &refusal{"the session of this access token has ended: sign in again", ErrInvalid}
)

// IsUnauthenticated reports whether err says that a request has no valid API key or access token.
func IsUnauthenticated(err error) bool {
	for _, known := range []error{ErrNoAPIKey, ErrBadAPIKey, ErrNoToken, ErrExpired, ErrInvalid} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

type refusal struct {
	text string
	kind error
}

func (e *refusal) Error() string { return e.text }
func (e *refusal) Unwrap() error { return e.kind }

// A Gate checks what clients show: the API key and the bearer token. It is safe for concurrent use.
type Gate struct {
	keys    *Keys
	live    *liveness
	apiKeys []apiKey
}

type apiKey struct {
	hash [sha256.Size]byte
	role string
}

// GateConfig holds the API keys. Each may be any string that is hard to guess: sb_publishable_… and sb_secret_…, or a JWT with the claim role.
type GateConfig struct {
	AnonKey    string // ANON_KEY. Required
	ServiceKey string // SERVICE_ROLE_KEY. Required
	// PublishableKey and SecretKey are a second pair, so that keys can be replaced without a moment in which clients fail: PUBLISHABLE_KEY and SECRET_KEY.
	PublishableKey string
	SecretKey      string
}

// NewGate makes a gate. No key may be used for two roles, and one that is a JWT must say the role it is configured for: an anonymous key that is
// secretly the service's would open everything to everybody.
func NewGate(keys *Keys, cfg GateConfig) (*Gate, error) {
	if keys == nil {
		return nil, errors.New("token: keys are needed")
	}
	if cfg.AnonKey == "" || cfg.ServiceKey == "" {
		return nil, errors.New("token: ANON_KEY and SERVICE_ROLE_KEY are needed")
	}
	g := &Gate{keys: keys, live: newLiveness(keys.store, keys.now)}
	for _, one := range []struct{ setting, key, role string }{
		{"ANON_KEY", cfg.AnonKey, db.RoleAnon}, {"PUBLISHABLE_KEY", cfg.PublishableKey, db.RoleAnon},
		{"SERVICE_ROLE_KEY", cfg.ServiceKey, db.RoleService}, {"SECRET_KEY", cfg.SecretKey, db.RoleService},
	} {
		if one.key == "" {
			continue
		}
		if err := checkAPIKey(keys, one.key, one.role); err != nil {
			return nil, fmt.Errorf("%s %w", one.setting, err)
		}
		if role, known := g.roleOf(one.key); known && role != one.role {
			return nil, fmt.Errorf("%s is the same as a key of another role", one.setting)
		}
		g.apiKeys = append(g.apiKeys, apiKey{sha256.Sum256([]byte(one.key)), one.role})
	}
	return g, nil
}

// checkAPIKey refuses a key that contradicts its use.
func checkAPIKey(keys *Keys, key, role string) error {
	switch {
	case strings.HasPrefix(key, publishablePrefix) && role != db.RoleAnon, strings.HasPrefix(key, secretPrefix) && role != db.RoleService:
		return errors.New("is a key of another role")
	case strings.Count(key, ".") != 2 || !strings.HasPrefix(key, "eyJ"):
		return nil
	}
	var said struct {
		jwt.RegisteredClaims
		Role string `json:"role"`
	}
	if _, _, err := jwt.NewParser().ParseUnverified(key, &said); err != nil {
		return nil // looks like a JWT, and is a string like any other
	}
	if said.Role != role {
		return fmt.Errorf("is a JWT, and its role is not %s", role)
	}
	if said.ExpiresAt != nil && !keys.now().Before(said.ExpiresAt.Time) {
		return errors.New("has expired")
	}
	return nil
}

// roleOf compares hashes, each in constant time.
func (g *Gate) roleOf(key string) (string, bool) {
	sum := sha256.Sum256([]byte(key))
	role, found := "", false
	for _, known := range g.apiKeys {
		if subtle.ConstantTimeCompare(known.hash[:], sum[:]) == 1 {
			role, found = known.role, true
		}
	}
	return role, found
}

// fromBrowser tells requests of browsers by headers that scripts there cannot take away: Sec-Fetch-Site, or where a page came without TLS, Origin.
func fromBrowser(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != "" && strings.HasPrefix(r.UserAgent(), "Mozilla/")
}

// APIKeyRole returns the role of the request's API key. Its errors are ErrNoAPIKey, ErrBadAPIKey and ErrSecretInBrowser.
func (g *Gate) APIKeyRole(r *http.Request) (string, error) {
	key := r.Header.Get("apikey")
	if key == "" {
		return "", ErrNoAPIKey
	}
	role, known := g.roleOf(key)
	switch {
	case !known:
		return "", ErrBadAPIKey
	case role == db.RoleService && fromBrowser(r):
		return "", ErrSecretInBrowser
	}
	return role, nil
}

// BearerOf returns the bearer token of a request, or "" where it has no Authorization. Its error is ErrInvalid.
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
		return "", ErrEmpty
	}
	return bearer, nil
}

// Identify returns whom a request's bearer token stands for, without asking whether the session lives. A key of the project in its place, as supabase-js sends it before
// sign-in, gives that key's role, and so does no token at all.
//
// Errors: ErrInvalid, ErrExpired, ErrSecretInBrowser; db.ErrUnavailable as in Keys.Verify.
func (g *Gate) Identify(r *http.Request) (Verified, error) {
	bearer, err := BearerOf(r)
	if err != nil {
		return Verified{}, err
	}
	shown := bearer
	if shown == "" {
		shown = r.Header.Get("apikey")
	}
	role, known := g.roleOf(shown)
	switch {
	case known && role == db.RoleService && fromBrowser(r):
		return Verified{}, ErrSecretInBrowser
	case known:
		return Verified{Subject: db.Subject{Role: role, Claims: json.RawMessage(`{"role":"` + role + `"}`)}}, nil
	case bearer == "":
		return Verified{Subject: db.Subject{Role: db.RoleAnon}}, nil
	}
	v, err := g.keys.Verify(r.Context(), bearer)
	if err == nil && v.Subject.Role == db.RoleService && fromBrowser(r) {
		return Verified{}, ErrSecretInBrowser
	}
	return v, err
}

// Ended makes this process refuse the tokens of a session that has just ended at once; others notice within a few seconds.
func (g *Gate) Ended(user uuid.UUID, sessions ...uuid.UUID) {
	for _, session := range sessions {
		g.live.ended(user, session)
	}
}

// Recheck makes this process ask the database about every session again: after a user was banned or deleted.
func (g *Gate) Recheck() { g.live.kept.clear() }

// A Refuse writes an edge's answer to a request without a good key or token: status 401, or 503 where err is db.ErrUnavailable.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// APIKey lets pass what carries a key of the project in the header apikey.
func (g *Gate) APIKey(refuse Refuse) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := g.APIKeyRole(r); err != nil {
				refuse(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Bearer puts the subject of Identify into the context, unless its session has ended.
func (g *Gate) Bearer(refuse Refuse) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			v, err := g.Identify(r)
			if err == nil {
				err = g.live.check(r.Context(), v)
			}
			if err != nil {
				refuse(w, r, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(With(r.Context(), v.Subject)))
		})
	}
}

// SignedIn lets pass users and the service only.
func SignedIn(refuse Refuse) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if From(r.Context()).Role == db.RoleAnon {
				refuse(w, r, ErrNoToken)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
