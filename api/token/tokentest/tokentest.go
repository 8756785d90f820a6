// Package tokentest authenticates users in tests: it signs access tokens, as /auth/v1 does, and provides the
// authenticator that accepts them.
package tokentest

import (
	"testing"

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

// issuerURL is the iss of tokens, unless the configuration names another one.
const issuerURL = "https://research.example/auth/v1"

// An Issuer signs access tokens with the keys of a database.
type Issuer struct {
	Keys          *token.Keys
	Authenticator *token.Authenticator
}

// New returns an Issuer with the keys of store. Every field of cfg is optional, Issuer included.
func New(t testing.TB, store *db.Store, cfg token.KeysConfig) *Issuer {
	t.Helper()
	if cfg.Issuer == "" {
		cfg.Issuer = issuerURL
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
