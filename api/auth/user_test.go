package auth_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestUser(t *testing.T) {
	t.Parallel()

	t.Run("requires the access token of an active session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		a := e.getUser(t, s.access)
		require.Equal(t, 200, a.status)
		require.Equal(t, id.String(), a.body["id"])
		require.NotContains(t, a.raw, "$2a$")
		for name, tt := range map[string]struct {
			header string
			status int
			code   string
		}{
			"no token":          {"X-None: x", 401, "no_authorization"},
			"garbage":           {bearer("a.b.c"), 403, "bad_jwt"},
			"the anonymous key": {bearer(anonKey), 403, "bad_jwt"},
			"the service key":   {bearer(serviceKey), 403, "bad_jwt"},
			"another scheme":    {"Authorization: Basic YTpi", 403, "bad_jwt"},
			"a refresh token":   {bearer(s.refresh), 403, "bad_jwt"},
		} {
			for _, endpoint := range []struct{ method, path string }{
				{"GET", "/user"}, {"PUT", "/user"}, {"POST", "/logout"}, {"GET", "/reauthenticate"},
				{"GET", "/sessions"}, {"DELETE", "/sessions/" + uuid.NewString()},
			} {
				a := e.do(t, endpoint.method, endpoint.path, "{}", tt.header)
				require.Equal(t, tt.status, a.status, "%s with %s", endpoint, name)
				requireError(t, a, tt.status, tt.code)
			}
		}
		e.clock.advance(2 * time.Hour)
		a = e.getUser(t, s.access)
		requireError(t, a, 403, "bad_jwt")
		require.Contains(t, a.body["msg"], "expired")
	})

	t.Run("changes metadata key by key", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		require.Equal(t, 200, e.putUser(t, s.access, `{"data":{"a":1,"b":{"c":2}}}`).status)
		a := e.putUser(t, s.access, `{"data":{"a":null,"d":"x","email_verified":false}}`)
		require.Equal(t, 200, a.status)
		const want = `{"b":{"c":2},"d":"x","email_verified":true}`
		require.JSONEq(t, want, jsonOf(a.body["user_metadata"]))
		access := e.refresh(t, s.refresh).body["access_token"].(string)
		require.JSONEq(t, want, jsonOf(claim(t, access, "user_metadata")), "the next token has them")
	})

	t.Run("cannot change what belongs to administrators", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		row := func() string {
			return dbtest.Value[string](t, e.DB, `
				select row(role, aud, raw_app_meta_data, banned_until, is_super_admin, phone, email)::text
				from auth.users where id = $1`, id)
		}
		before := row()
		requireError(t, e.putUser(t, s.access, `{"app_metadata":{"role":"admin"}}`), 403, "not_admin")
		requireError(t, e.putUser(t, s.access, `{"phone":"+49151"}`), 400, "phone_provider_disabled")
		a := e.putUser(t, s.access, jsonOf(map[string]any{
			"role": "service_role", "aud": "x", "is_super_admin": true, "banned_until": nil, "id": uuid.New(),
		}))
		require.Equal(t, 200, a.status)
		require.Equal(t, before, row())
	})

	t.Run("changes a password, which ends the other sessions and invalidates links", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s, other := e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)
		e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`)
		link := e.minted(t)
		requireError(t, e.putUser(t, s.access, `{"password":"correct horse"}`), 422, "same_password")
		requireError(t, e.putUser(t, s.access, `{"password":""}`), 422, "weak_password")
		require.Equal(t, 200, e.putUser(t, s.access, `{"password":"another passphrase"}`).status)
		requireError(t, e.getUser(t, other.access), 403, "session_not_found")
		requireError(t, e.refresh(t, other.refresh), 400, "refresh_token_not_found")
		require.Equal(t, 200, e.refresh(t, s.refresh).status, "the current session stays")
		requireError(t, e.verify(t, "recovery", link), 403, "otp_expired")
		e.signIn(t, "ada@example.com", "another passphrase")
	})

	t.Run("is rejected once banned", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, id)
		requireError(t, e.getUser(t, s.access), 400, "user_banned")
	})
}
