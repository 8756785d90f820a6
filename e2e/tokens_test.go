package e2e

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// Who is let in where, by every edge of the service.
func TestEveryTokenAtEveryEdge(t *testing.T) {
	t.Parallel()
	secret, others := strings.Repeat("s", 32), strings.Repeat("o", 32)
	s := startAPI(t, "JWT_SECRET="+secret,
		`EXTERNAL_ISSUERS=[{"issuer":"https://idp.example","secret":"`+others+`","algorithms":["HS256"]}]`)
	user := s.signIn(t, s.Viewer)
	session := dbtest.Value[uuid.UUID](t, s.DB, `select id from auth.sessions where user_id = $1`, s.Viewer)
	issuer, resource := s.url()+"/auth/v1", s.url()+"/mcp"
	signed := func(secret string, changes jwt.MapClaims) string {
		claims := jwt.MapClaims{
			"iss": issuer, "aud": "authenticated", "sub": s.Viewer.String(), "role": "authenticated",
			"session_id": session.String(), "exp": time.Now().Add(time.Hour).Unix(),
		}
		maps.Copy(claims, changes)
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(secret))
		require.NoError(t, err)
		return token
	}
	ofApp := jwt.MapClaims{"aud": resource, "client_id": "app", "scope": allScopes}
	foreign := maps.Clone(ofApp)
	foreign["iss"] = "https://elsewhere.example/auth/v1"

	tokens := map[string]string{
		"the anonymous key":          anonKey,
		"the service key":            serviceKey,
		"a user's":                   user,
		"an app's, for the resource": connectApp(t, s.url(), user, allScopes).access,
		"an app's, for userinfo":     connectAppTo(t, "", s.url(), user, "email").access,
		"a personal access token":    s.makeToken(t, user, strings.Fields(allScopes)...),
		"an unknown one":             "rsp_" + strings.Repeat("A", 43),
		"an external issuer's":       signed(others, jwt.MapClaims{"iss": "https://idp.example", "sub": "ada"}),
		"an external one for resources": signed(others,
			jwt.MapClaims{"iss": "https://idp.example", "aud": resource}),
		"one with a foreign audience": signed(secret, jwt.MapClaims{"aud": "https://elsewhere.example/mcp"}),
		"another issuer's, of an app": signed(secret, foreign),
		"an app's by another secret":  signed(others, ofApp),
		"a user's by another secret":  signed(others, nil),
	}
	for edge, letIn := range map[string][]string{
		"/rest/v1/": {
			"the anonymous key", "the service key", "a user's", "a personal access token", "an external issuer's",
		},
		"/api/import/" + uuid.NewString(): {
			"the service key", "a user's", "a personal access token", "an external issuer's",
		},
		"/api/account/export":        {"a user's", "an external issuer's"},
		"/auth/v1/user":              {"a user's"},
		"/auth/v1/tokens":            {"a user's"},
		"/auth/v1/oauth/userinfo":    {"an app's, for userinfo"},
		"/mcp":                       {"an app's, for the resource", "a personal access token"},
		"/auth/v1/user/oauth/grants": {"a user's"},
	} {
		for name, token := range tokens {
			status := 0
			if edge == "/mcp" {
				status = toolStatus(t, s.url(), token)
			} else {
				status, _ = exchangeJSON(t, http.MethodGet, s.url()+edge, token, nil)
			}
			refused := status == http.StatusUnauthorized || status == http.StatusForbidden
			require.Equal(t, !slices.Contains(letIn, name), refused, "%s at %s: %d", name, edge, status)
			require.Less(t, status, 500, "%s at %s", name, edge)
		}
		for _, name := range letIn {
			require.Contains(t, tokens, name)
		}
	}
}
