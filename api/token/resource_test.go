package token_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db"
)

// The audiences of apps' tokens.
var (
	resource = token.Resource("https://research.example")
	userinfo = token.Userinfo(issuer)
)

func withResources(c *token.KeysConfig) { c.Resources = []string{resource, userinfo} }

// request returns a request with a bearer token.
func request(t testing.TB, method, path, bearer string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Header.Set("Apikey", anonKey)
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	return r
}

func TestResources(t *testing.T) {
	t.Parallel()
	h := setup(t, withResources)
	a := newAuthenticator(t, h.keys)
	user, session := h.User(t, "ada@example.com"), uuid.New()
	h.Exec(t, `insert into auth.sessions (id, user_id) values ($1, $2)`, session, user)
	claims := func(pairs ...any) jwt.MapClaims {
		return with(map[string]any{
			"sub": user.String(), "session_id": session.String(), "aud": resource, "client_id": "app",
			"scope": "research:read research:ask",
		}, pairs...)
	}
	access := sign(t, h.keys, claims())

	t.Run("take the tokens of their audience", func(t *testing.T) {
		t.Parallel()
		p, err := a.AdmitResource(request(t, http.MethodPost, "/mcp", access), resource)
		require.NoError(t, err)
		require.Equal(t, user, p.Subject.UserID)
		require.Equal(t, session, p.SessionID)
		require.Equal(t, resource, p.Resource)
		require.Equal(t, "app", p.ClientID)
		require.Equal(t, []string{token.ScopeRead, token.ScopeAsk}, p.Scopes)
		require.True(t, p.Allows(token.ScopeAsk))
		require.False(t, p.Allows(token.ScopeWrite))
	})

	t.Run("take them for nothing else", func(t *testing.T) {
		t.Parallel()
		_, err := a.AdmitResource(request(t, http.MethodGet, "/", access), userinfo)
		require.ErrorIs(t, err, token.ErrAudience)
		_, err = a.Authenticate(request(t, http.MethodGet, "/", access))
		require.ErrorIs(t, err, token.ErrAudience)
		_, err = a.Admit(request(t, http.MethodGet, "/", access))
		require.ErrorIs(t, err, token.ErrAudience)
		_, err = h.keys.Verify(t.Context(), access)
		require.ErrorIs(t, err, token.ErrAudience)
		_, rejected := visit(t, a, "apikey: "+anonKey, "Authorization: Bearer "+access)
		require.ErrorIs(t, rejected, token.ErrAudience)
	})

	t.Run("take no tokens of users, no API keys, and none at all", func(t *testing.T) {
		t.Parallel()
		own := sign(t, h.keys, jwt.MapClaims{"sub": user.String(), "session_id": session.String()})
		for bearer, want := range map[string]error{
			own: token.ErrAudience, anonKey: token.ErrInvalid, serviceKey: token.ErrInvalid, "": token.ErrNoToken,
		} {
			_, err := a.AdmitResource(request(t, http.MethodGet, "/", bearer), resource)
			require.ErrorIs(t, err, want)
		}
		_, err := a.AdmitResource(request(t, http.MethodGet, "/", own), "")
		require.ErrorIs(t, err, token.ErrAudience, "no resource is not the audience of users")
	})

	t.Run("reject tokens of ended sessions", func(t *testing.T) {
		t.Parallel()
		ended := sign(t, h.keys, claims("session_id", uuid.NewString()))
		_, err := a.AdmitResource(request(t, http.MethodGet, "/", ended), resource)
		require.ErrorIs(t, err, token.ErrSessionEnded)
	})

	t.Run("reject tokens that lack what ours have", func(t *testing.T) {
		t.Parallel()
		for name, bearer := range map[string]string{
			"no session":    sign(t, h.keys, claims("session_id", nil)),
			"no app":        sign(t, h.keys, claims("client_id", nil)),
			"the service":   sign(t, h.keys, claims("role", db.RoleService)),
			"two audiences": twoAudiences(t, h, access),
		} {
			_, err := a.AdmitResource(request(t, http.MethodGet, "/", bearer), resource)
			require.ErrorIs(t, err, token.ErrInvalid, name)
			_, err = a.Authenticate(request(t, http.MethodGet, "/", bearer))
			require.ErrorIs(t, err, token.ErrInvalid, name)
		}
	})

	t.Run("give a token without scopes none, instead of all", func(t *testing.T) {
		t.Parallel()
		p, err := a.AdmitResource(
			request(t, http.MethodGet, "/", sign(t, h.keys, claims("scope", nil))), resource)
		require.NoError(t, err)
		require.False(t, p.Allows(token.ScopeRead))
	})

	t.Run("have no other audiences", func(t *testing.T) {
		t.Parallel()
		for _, aud := range []any{"https://other.example/mcp", []string{resource}, ""} {
			_, _, err := h.keys.Sign(t.Context(), claims("aud", aud))
			require.ErrorContains(t, err, "audience")
		}
	})
}

// twoAudiences returns an app's token whose aud has both resources.
func twoAudiences(t testing.TB, h *fixture, access string) string {
	t.Helper()
	header, claims := parts(t, access)
	return resign(t, h, header, with(claims, "aud", []string{resource, userinfo}))
}

func TestResourcesWithSecret(t *testing.T) {
	t.Parallel()
	secret := []byte("a secret of at least thirty-two bytes")
	h := setup(t, withResources, func(c *token.KeysConfig) { c.Secret = string(secret) })
	a := newAuthenticator(t, h.keys)
	user, session := h.User(t, "ada@example.com"), uuid.New()
	h.Exec(t, `insert into auth.sessions (id, user_id) values ($1, $2)`, session, user)
	claims := jwt.MapClaims{
		"iss": issuer, "sub": user.String(), "session_id": session.String(), "aud": resource, "client_id": "app",
		"role": "authenticated", "exp": h.clock.Now().Add(time.Hour).Unix(),
	}
	header := map[string]any{"alg": "HS256", "typ": "JWT"}
	_, err := a.AdmitResource(request(t, http.MethodGet, "/", forge(t, header, claims, secret)), resource)
	require.NoError(t, err)
	foreign := forge(t, header, with(claims, "iss", "https://other.example"), secret)
	_, err = a.AdmitResource(request(t, http.MethodGet, "/", foreign), resource)
	require.ErrorIs(t, err, token.ErrInvalid, "a program with the secret does not act as an app")
}
