package token

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"research/db"
)

// Problems that the middleware finds. Each edge renders them in its own shape.
var (
	ErrNoAPIKey  = errors.New("the header apikey is missing: send the project's anonymous key")
	ErrBadAPIKey = errors.New("the header apikey is not a key of this project")
	ErrNoToken   = errors.New("the header Authorization is missing: sign in and send `Bearer <access token>`")
)

// A Gate checks what clients show: the API key and the bearer token.
type Gate struct {
	keys    *Keys
	apiKeys map[[sha256.Size]byte]string // hash → role
}

// GateConfig holds the API keys.
type GateConfig struct {
	AnonKey    string // ANON_KEY
	ServiceKey string // SERVICE_ROLE_KEY
}

// NewGate makes a gate. Both API keys are required, and must differ.
func NewGate(keys *Keys, cfg GateConfig) (*Gate, error) {
	if keys == nil || cfg.AnonKey == "" || cfg.ServiceKey == "" || cfg.AnonKey == cfg.ServiceKey {
		return nil, errors.New("token: two different API keys are needed")
	}
	return &Gate{keys: keys, apiKeys: map[[sha256.Size]byte]string{
		sha256.Sum256([]byte(cfg.AnonKey)):    db.RoleAnon,
		sha256.Sum256([]byte(cfg.ServiceKey)): db.RoleService,
	}}, nil
}

// roleOf compares hashes, each in constant time.
func (g *Gate) roleOf(key string) (string, bool) {
	sum := sha256.Sum256([]byte(key))
	role, found := "", false
	for known, r := range g.apiKeys {
		if subtle.ConstantTimeCompare(known[:], sum[:]) == 1 {
			role, found = r, true
		}
	}
	return role, found
}

// A Refuse writes an edge's answer to a request without a good key or token: status is 401.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// APIKey lets pass what carries a key of the project in the header apikey, or in the query, as supabase-js's realtime client sends it.
func (g *Gate) APIKey(refuse Refuse) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("apikey")
			if key == "" {
				refuse(w, r, ErrNoAPIKey)
				return
			}
			if _, known := g.roleOf(key); !known {
				refuse(w, r, ErrBadAPIKey)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Bearer verifies the bearer token and puts its subject into the context. A key of the project in its place, as supabase-js sends it before sign-in, gives that key's
// role; no header at all gives anon.
func (g *Gate) Bearer(refuse Refuse) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			subject := db.Subject{Role: db.RoleAnon}
			if header := r.Header.Get("Authorization"); header != "" {
				scheme, bearer, _ := strings.Cut(header, " ")
				bearer = strings.TrimSpace(bearer)
				if !strings.EqualFold(scheme, "Bearer") || bearer == "" {
					refuse(w, r, ErrInvalid)
					return
				}
				if role, known := g.roleOf(bearer); known {
					subject = db.Subject{Role: role, Claims: json.RawMessage(fmt.Sprintf(`{"role":%q}`, role))}
				} else {
					var err error
					if subject, err = g.keys.Verify(r.Context(), bearer); err != nil {
						refuse(w, r, err)
						return
					}
				}
			}
			next.ServeHTTP(w, r.WithContext(With(r.Context(), subject)))
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
