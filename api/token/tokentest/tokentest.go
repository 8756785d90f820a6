// Package tokentest authenticates users in tests: it signs access tokens, as /auth/v1 does, and provides the
// authenticator that accepts them.
package tokentest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db"
)

// The API keys that an Issuer's authenticator accepts.
const (
	AnonKey    = "sb_publishable_test"
	ServiceKey = "sb_secret_test"
)

// publicURL is the address of the service, unless the configuration names another issuer.
const publicURL = "https://research.example"

// An Issuer signs access tokens with the keys of a database.
type Issuer struct {
	Keys          *token.Keys
	Authenticator *token.Authenticator
}

// New returns an Issuer with the keys of store. Every field of cfg is optional, Issuer included.
func New(t testing.TB, store *db.Store, cfg token.KeysConfig) *Issuer {
	t.Helper()
	if cfg.Issuer == "" {
		cfg.Issuer = publicURL + "/auth/v1"
	}
	if cfg.Resources == nil {
		public, _ := strings.CutSuffix(cfg.Issuer, "/auth/v1")
		cfg.Resources = []string{token.Resource(public), token.Userinfo(cfg.Issuer)}
	}
	keys, err := token.NewKeys(t.Context(), store, cfg)
	require.NoError(t, err)
	authenticator, err := token.NewAuthenticator(keys, token.AuthenticatorConfig{
		AnonKey: AnonKey, ServiceKey: ServiceKey,
	})
	require.NoError(t, err)
	return &Issuer{keys, authenticator}
}

// Sign returns an access token with the given claims.
func (i *Issuer) Sign(t testing.TB, claims jwt.MapClaims) string {
	t.Helper()
	signed, _, err := i.Keys.Sign(t.Context(), claims)
	require.NoError(t, err)
	return signed
}

// AccessToken returns an access token of a user. It belongs to no session.
func (i *Issuer) AccessToken(t testing.TB, user uuid.UUID) string {
	t.Helper()
	return i.Sign(t, jwt.MapClaims{"sub": user.String(), "role": db.RoleAuthenticated})
}

// PersonalToken returns a personal access token of a user. It lives for an hour and has only the first
// factor.
func PersonalToken(t testing.TB, store *db.Store, user uuid.UUID, scopes ...string) string {
	t.Helper()
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	text := "rsp_" + base64.RawURLEncoding.EncodeToString(secret)
	hash := sha256.Sum256([]byte(text))
	require.NoError(t, store.AsService(t.Context(), func(q *db.Queries) error {
		_, err := q.CreatePersonalToken(t.Context(), db.CreatePersonalTokenParams{
			UserID: user, Name: "Test", TokenHash: hash[:], Scopes: scopes, Amr: []byte(`[]`),
			LifetimeSeconds: time.Hour.Seconds(), Maximum: 50,
		})
		return err
	}))
	return text
}
