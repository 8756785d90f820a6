package auth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
)

func TestWellKnown(t *testing.T) {
	t.Parallel()
	const secret = "the secret of a project that was imported"
	es := setup(t)
	hs := setup(t, func(_ *auth.Config, k *token.KeysConfig) { k.Secret = secret })

	t.Run("publishes cacheable public keys without an API key, and never a secret", func(t *testing.T) {
		t.Parallel()
		a := es.do(t, "GET", "/.well-known/jwks.json", "", "apikey: ")
		require.Equal(t, 200, a.status)
		require.Equal(t, "public, max-age=600", a.header.Get("Cache-Control"))
		key := a.body["keys"].([]any)[0].(map[string]any)
		require.Equal(t, "ES256", key["alg"])
		require.NotContains(t, key, "d")
		a = hs.do(t, "GET", "/.well-known/jwks.json", "")
		require.JSONEq(t, `{"keys":[]}`, a.raw)
	})

	t.Run("describes the tokens to verifiers", func(t *testing.T) {
		t.Parallel()
		for e, algorithm := range map[*edge]string{es: "ES256", hs: "HS256"} {
			a := e.do(t, "GET", "/.well-known/openid-configuration", "", "apikey: ")
			require.Equal(t, 200, a.status)
			require.Equal(t, "https://research.example/auth/v1", a.body["issuer"])
			require.Equal(t, []any{algorithm}, a.body["id_token_signing_alg_values_supported"])
		}
	})

	t.Run("signs by HS256 if there is a secret", func(t *testing.T) {
		t.Parallel()
		hs.User(t, "ada@example.com")
		s := hs.signIn(t, "ada@example.com", correct)
		require.Equal(t, 200, hs.getUser(t, s.access).status)
		require.Equal(t, 200, hs.refresh(t, s.refresh).status)
	})

	t.Run("has the settings that a form needs, and its health", func(t *testing.T) {
		t.Parallel()
		a := es.do(t, "GET", "/settings", "")
		require.Equal(t, false, a.body["disable_signup"])
		require.Equal(t, true, a.body["mailer_autoconfirm"])
		providers := map[string]any{
			"email": true, "phone": false, "anonymous_users": false, "google": false, "azure": false,
		}
		require.Equal(t, providers, a.body["external"])
		require.Equal(t, "research", es.do(t, "GET", "/health", "").body["name"])
	})

	t.Run("answers so if identity is off", func(t *testing.T) {
		t.Parallel()
		off := setup(t, func(_ *auth.Config, k *token.KeysConfig) { k.Off, k.Secret = true, secret })
		for _, path := range []string{passwordGrant, "/signup", "/.well-known/jwks.json", "/anything"} {
			requireError(t, off.do(t, "POST", path, `{}`), 404, "feature_disabled")
		}
	})
}
