package token_test

import (
	"crypto/x509"
	"encoding/pem"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

// Who is let in where. The edges are middleware and AdmitResource, as the service mounts them; /auth/v1
// refuses more than Admit does.
func TestEveryTokenAtEveryEdge(t *testing.T) {
	t.Parallel()
	p := newRSAProvider(t)
	h := setup(t, withResources, trusting(p.rsa()))
	a := newAuthenticator(t, h.keys)
	user := h.User(t, "ada@example.com")
	session := dbtest.Value[uuid.UUID](t, h.DB,
		`insert into auth.sessions (user_id) values ($1) returning id`, user)
	claims := func(pairs ...any) jwt.MapClaims {
		return with(map[string]any{
			"sub": user.String(), "role": "authenticated", "session_id": session.String(), "aal": "aal1",
		}, pairs...)
	}
	own := sign(t, h.keys, claims())
	app := []any{"client_id", "app", "scope", "research:read research:write research:ask email"}
	header, ours := parts(t, own)

	// Another service of ours, with keys and an issuer of its own, signs for the same resources.
	other := setup(t, func(c *token.KeysConfig) {
		c.Issuer, c.Resources = "https://other.example/auth/v1", []string{resource, userinfo}
	})
	foreignKey := newECKey(t)
	der, err := x509.MarshalECPrivateKey(foreignKey)
	require.NoError(t, err)
	impostor := setup(t, withResources, func(c *token.KeysConfig) {
		c.PrivateKey = string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
	})

	tokens := map[string]string{
		"none":                          "",
		"the anonymous key":             anonKey,
		"the service key":               serviceKey,
		"a user's":                      own,
		"an app's, for the resource":    sign(t, h.keys, claims(append(app, "aud", resource)...)),
		"an app's, for userinfo":        sign(t, h.keys, claims(append(app, "aud", userinfo)...)),
		"a personal access token":       tokentest.PersonalToken(t, h.Store, user, token.PersonalScopes()...),
		"an unknown one":                "rsp_" + strings.Repeat("A", 43),
		"an external issuer's":          p.issueRS(t),
		"an external one for resources": p.issueRS(t, "aud", resource),
		"ours with a foreign audience":  resign(t, h, header, with(ours, "aud", "https://elsewhere.example/mcp")),
		"ours with all audiences":       resign(t, h, header, with(ours, "aud", []string{resource, userinfo})),
		"ours without an audience":      resign(t, h, header, with(ours, "aud", nil)),
		"another issuer's":              sign(t, other.keys, claims()),
		"another issuer's, of an app":   sign(t, other.keys, claims(append(app, "aud", resource)...)),
		"one of ours by other keys":     sign(t, impostor.keys, claims()),
		"an app's by other keys":        sign(t, impostor.keys, claims(append(app, "aud", resource)...)),
		"an expired one": resign(t, h, header,
			with(ours, "exp", h.clock.Now().Add(-time.Minute).Unix())),
	}
	letIn := map[string][]string{
		"data": {
			"none", "the anonymous key", "the service key", "a user's", "a personal access token",
			"an external issuer's",
		},
		"signedIn": {"the service key", "a user's", "a personal access token", "an external issuer's"},
		"mcp":      {"an app's, for the resource", "a personal access token"},
		"userinfo": {"an app's, for userinfo"},
	}
	enter := map[string]func(r *http.Request) error{
		"data": func(r *http.Request) error {
			_, err := a.Admit(r)
			return err
		},
		"signedIn": func(r *http.Request) error {
			p, err := a.Admit(r)
			if err == nil && p.Subject.Role == "anon" {
				return token.ErrNoToken
			}
			return err
		},
		"mcp": func(r *http.Request) error {
			_, err := a.AdmitResource(r, resource)
			return err
		},
		"userinfo": func(r *http.Request) error {
			_, err := a.AdmitResource(r, userinfo)
			return err
		},
	}
	for name, bearer := range tokens {
		for edge, admit := range enter {
			err := admit(request(t, http.MethodGet, "/", bearer))
			if slices.Contains(letIn[edge], name) {
				require.NoError(t, err, "%s at %s", name, edge)
				continue
			}
			require.Error(t, err, "%s at %s", name, edge)
			require.True(t, token.IsUnauthenticated(err), "%s at %s: %v", name, edge, err)
		}
	}
	for edge, names := range letIn {
		for _, name := range names {
			require.Contains(t, slices.Collect(maps.Keys(tokens)), name, edge)
		}
	}
}
