package auth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db/dbtest"
)

func TestUser(t *testing.T) {
	t.Parallel()

	t.Run("wants a living user's token", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		a := e.do(t, "GET", "/user", "", bearer(s.access))
		require.Equal(t, 200, a.status)
		require.Equal(t, id.String(), a.body["id"])
		require.NotContains(t, a.raw, "$2a$")
		for _, one := range map[string]struct {
			header string
			status int
			code   string
		}{
			"no token":          {"X-None: x", 401, "no_authorization"},
			"garbage":           {bearer("a.b.c"), 403, "bad_jwt"},
			"the anonymous key": {bearer(anonKey), 403, "bad_jwt"},
			"the service's key": {bearer(serviceKey), 403, "bad_jwt"},
			"no bearer":         {"Authorization: Basic YTpi", 403, "bad_jwt"},
			"a refresh token":   {bearer(s.refresh), 403, "bad_jwt"},
		} {
			for _, method := range []string{"GET", "PUT"} {
				requireError(t, e.do(t, method, "/user", "{}", one.header), one.status, one.code)
			}
			requireError(t, e.do(t, "POST", "/logout", "", one.header), one.status, one.code)
			requireError(t, e.do(t, "GET", "/sessions", "", one.header), one.status, one.code)
			requireError(t, e.do(t, "DELETE", "/sessions/"+uuid.NewString(), "", one.header), one.status, one.code)
		}
		e.clock.turn(2 * time.Hour)
		a = e.do(t, "GET", "/user", "", bearer(s.access))
		requireError(t, a, 403, "bad_jwt")
		require.Contains(t, a.body["msg"], "expired")
	})

	t.Run("changes metadata key by key", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		require.Equal(t, 200, e.do(t, "PUT", "/user", `{"data":{"a":1,"b":{"c":2}}}`, bearer(s.access)).status)
		a := e.do(t, "PUT", "/user", `{"data":{"a":null,"d":"x"}}`, bearer(s.access))
		require.Equal(t, 200, a.status)
		require.JSONEq(t, `{"b":{"c":2},"d":"x"}`, jsonOf(a.body["user_metadata"]))
		require.JSONEq(t, `{"b":{"c":2},"d":"x"}`, jsonOf(claim(t, e.refresh(t, s.refresh).body["access_token"].(string), "user_metadata")), "the next token says so")
	})

	t.Run("changes nothing that is not the user's", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.do(t, "PUT", "/user", `{"app_metadata":{"role":"admin"}}`, bearer(s.access)), 403, "not_admin")
		requireError(t, e.do(t, "PUT", "/user", `{"phone":"+49151"}`, bearer(s.access)), 400, "phone_provider_disabled")
		before := dbtest.Value[string](t, e.DB, `select row(role, aud, raw_app_meta_data, banned_until, is_super_admin, phone, email)::text from auth.users where id = $1`, id)
		require.Equal(t, 200, e.do(t, "PUT", "/user", `{"role":"service_role","aud":"x","is_super_admin":true,"banned_until":null,"id":"`+uuid.NewString()+`"}`, bearer(s.access)).status)
		require.Equal(t, before, dbtest.Value[string](t, e.DB, `select row(role, aud, raw_app_meta_data, banned_until, is_super_admin, phone, email)::text from auth.users where id = $1`, id))
	})

	t.Run("changes a password, ends the other sessions and the links that are under way", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s, other := e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)
		e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`)
		link := e.minted(t)
		requireError(t, e.do(t, "PUT", "/user", `{"password":"correct horse"}`, bearer(s.access)), 422, "same_password")
		requireError(t, e.do(t, "PUT", "/user", `{"password":""}`, bearer(s.access)), 422, "weak_password")
		require.Equal(t, 200, e.do(t, "PUT", "/user", `{"password":"another passphrase"}`, bearer(s.access)).status)
		requireError(t, e.do(t, "GET", "/user", "", bearer(other.access)), 403, "session_not_found")
		requireError(t, e.refresh(t, other.refresh), 400, "refresh_token_not_found")
		require.Equal(t, 200, e.refresh(t, s.refresh).status, "who changed it stays")
		requireError(t, e.do(t, "POST", "/verify", jsonOf(map[string]any{"type": "recovery", "token_hash": link})), 403, "otp_expired")
		e.signIn(t, "ada@example.com", "another passphrase")
	})

	t.Run("is told a ban only with a good password, and loses what a ban takes", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, id)
		requireError(t, e.do(t, "GET", "/user", "", bearer(s.access)), 400, "user_banned")
	})
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	for scope, alive := range map[string][]bool{"": {false, false}, "?scope=global": {false, false}, "?scope=local": {false, true}, "?scope=others": {true, false}} {
		t.Run("by scope "+scope, func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			e.User(t, "ada@example.com")
			e.User(t, "eve@example.com")
			sessions := []session{e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)}
			eves := e.signIn(t, "eve@example.com", correct)
			a := e.do(t, "POST", "/logout"+scope, "", bearer(sessions[0].access))
			require.Equal(t, http.StatusNoContent, a.status)
			require.Empty(t, a.raw)
			for i, s := range sessions {
				if alive[i] {
					require.Equal(t, 200, e.do(t, "GET", "/user", "", bearer(s.access)).status)
					require.Equal(t, 200, e.refresh(t, s.refresh).status)
				} else {
					requireError(t, e.do(t, "GET", "/user", "", bearer(s.access)), 403, "session_not_found")
					requireError(t, e.refresh(t, s.refresh), 400, "refresh_token_not_found")
				}
			}
			require.Equal(t, 200, e.do(t, "GET", "/user", "", bearer(eves.access)).status)
		})
	}

	t.Run("refuses another scope, and keeps the session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.do(t, "POST", "/logout?scope=everybody", "", bearer(s.access)), 400, "validation_failed")
		require.Equal(t, 200, e.do(t, "GET", "/user", "", bearer(s.access)).status)
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	e.User(t, "eve@example.com")
	first, second, eves := e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct), e.signIn(t, "eve@example.com", correct)
	a := e.do(t, "GET", "/sessions", "", bearer(first.access))
	require.Equal(t, 200, a.status)
	list := a.body["sessions"].([]any)
	require.Len(t, list, 2)
	current := 0
	for _, one := range list {
		s := one.(map[string]any)
		require.Equal(t, "192.0.2.7", s["ip"])
		require.NotEmpty(t, s["created_at"])
		require.NotEmpty(t, s["last_used_at"])
		if s["current"] == true {
			current++
			require.Equal(t, claim(t, first.access, "session_id"), s["id"])
		}
	}
	require.Equal(t, 1, current)
	idOf := func(s session) string { return claim(t, s.access, "session_id").(string) }
	for _, other := range []string{idOf(eves), uuid.NewString(), "7"} {
		requireError(t, e.do(t, "DELETE", "/sessions/"+other, "", bearer(first.access)), 404, "session_not_found")
	}
	require.Equal(t, 200, e.do(t, "GET", "/user", "", bearer(eves.access)).status)
	require.Equal(t, http.StatusNoContent, e.do(t, "DELETE", "/sessions/"+idOf(second), "", bearer(first.access)).status)
	requireError(t, e.do(t, "GET", "/user", "", bearer(second.access)), 403, "session_not_found")
	require.Equal(t, 200, e.do(t, "GET", "/user", "", bearer(first.access)).status)
	require.Equal(t, 1, e.audited(t, "session_revoked"))
}

func TestWellKnown(t *testing.T) {
	t.Parallel()
	es := setup(t)
	const secret = "the secret of a project that was brought over"
	hs := setup(t, func(_ *auth.Config, k *token.KeysConfig) { k.Secret = secret })

	t.Run("publishes public keys, cacheable, without an API key, and never a secret", func(t *testing.T) {
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

	t.Run("says where and how tokens are made", func(t *testing.T) {
		t.Parallel()
		for e, algorithm := range map[*edge]string{es: "ES256", hs: "HS256"} {
			a := e.do(t, "GET", "/.well-known/openid-configuration", "", "apikey: ")
			require.Equal(t, 200, a.status)
			require.Equal(t, "https://research.example/auth/v1", a.body["issuer"])
			require.Equal(t, []any{algorithm}, a.body["id_token_signing_alg_values_supported"])
		}
	})

	t.Run("with a secret, signs by HS256", func(t *testing.T) {
		t.Parallel()
		hs.User(t, "ada@example.com")
		s := hs.signIn(t, "ada@example.com", correct)
		require.Equal(t, 200, hs.do(t, "GET", "/user", "", bearer(s.access)).status)
		require.Equal(t, 200, hs.refresh(t, s.refresh).status)
	})

	t.Run("tells a form what it needs, and that it is well", func(t *testing.T) {
		t.Parallel()
		a := es.do(t, "GET", "/settings", "")
		require.Equal(t, false, a.body["disable_signup"])
		require.Equal(t, true, a.body["mailer_autoconfirm"])
		require.Equal(t, map[string]any{"email": true, "phone": false, "anonymous_users": false}, a.body["external"])
		require.Equal(t, "research", es.do(t, "GET", "/health", "").body["name"])
	})

	t.Run("says so where identity is off", func(t *testing.T) {
		t.Parallel()
		off := setup(t, func(_ *auth.Config, k *token.KeysConfig) { k.Off, k.Secret = true, secret })
		for _, path := range []string{"/token?grant_type=password", "/signup", "/.well-known/jwks.json", "/anything"} {
			requireError(t, off.do(t, "POST", path, `{}`), 404, "feature_disabled")
		}
	})
}
