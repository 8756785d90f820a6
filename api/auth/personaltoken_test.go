package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db/dbtest"
	"research/identity"
)

const aToken = `{"name":"Nightly export","scopes":["research:read"]}`

func (e *edge) createToken(t testing.TB, access, body string) answer {
	t.Helper()
	return e.do(t, "POST", "/tokens", body, bearer(access))
}

// makeToken requires that a token is made, and returns it with its id.
func (e *edge) makeToken(t testing.TB, access string) (secret, id string) {
	t.Helper()
	a := e.createToken(t, access, aToken)
	require.Equal(t, http.StatusCreated, a.status, a.raw)
	return a.body["token"].(string), a.body["id"].(string)
}

// acts reports whether a personal access token is accepted.
func (e *edge) acts(t testing.TB, secret string) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+secret)
	_, err = e.tokens.Authenticator.Admit(r)
	return err == nil
}

func (e *edge) listTokens(t testing.TB, access string) []any {
	t.Helper()
	a := e.do(t, "GET", "/tokens", "", bearer(access))
	require.Equal(t, 200, a.status, a.raw)
	return a.body["tokens"].([]any)
}

func TestPersonalTokens(t *testing.T) {
	t.Parallel()

	t.Run("are shown once, used, listed and revoked", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		a := e.createToken(t, s.access, `{"name":" Nightly export ","scopes":["research:write","research:read"]}`)
		require.Equal(t, http.StatusCreated, a.status, a.raw)
		require.Equal(t, "Nightly export", a.body["name"])
		require.Equal(t, []any{"research:read", "research:write"}, a.body["scopes"])
		require.Nil(t, a.body["last_used_at"])
		expires, err := time.Parse(time.RFC3339, a.body["expires_at"].(string))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now().Add(90*24*time.Hour), expires, time.Minute)
		secret := a.body["token"].(string)
		require.Regexp(t, `^rsp_[A-Za-z0-9_-]{43}$`, secret)
		require.Zero(t, dbtest.Value[int](t, e.DB, `
			select count(*)::int from auth.personal_access_tokens where strpos(token_hash::text, $1) > 0`, secret))

		require.True(t, e.acts(t, secret))
		require.Eventually(t, func() bool {
			return e.listTokens(t, s.access)[0].(map[string]any)["last_used_at"] != nil
		}, time.Minute, 10*time.Millisecond)
		require.NotContains(t, e.listTokens(t, s.access)[0], "token")

		id := a.body["id"].(string)
		require.Equal(t, 204, e.do(t, "DELETE", "/tokens/"+id, "", bearer(s.access)).status)
		require.False(t, e.acts(t, secret), "at once in this process")
		require.Empty(t, e.listTokens(t, s.access))
		requireError(t, e.do(t, "DELETE", "/tokens/"+id, "", bearer(s.access)), 404, "personal_token_not_found")
		require.Equal(t, 1, e.audited(t, "personal_token_created"))
		require.Equal(t, 1, e.audited(t, "personal_token_revoked"))
		require.NotContains(t, e.log.String(), "rsp_")
	})

	t.Run("are their user's own", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		e.User(t, "eve@example.com")
		secret, id := e.makeToken(t, e.signIn(t, "ada@example.com", correct).access)
		eve := e.signIn(t, "eve@example.com", correct)
		require.Empty(t, e.listTokens(t, eve.access))
		for _, wrong := range []string{id, uuid.NewString(), "x"} {
			a := e.do(t, "DELETE", "/tokens/"+wrong, "", bearer(eve.access))
			requireError(t, a, 404, "personal_token_not_found")
		}
		require.True(t, e.acts(t, secret))
	})

	t.Run("must have a name, known scopes and an end", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		for _, body := range []map[string]any{
			{"scopes": []string{"research:read"}},
			{"name": "  ", "scopes": []string{"research:read"}},
			{"name": strings.Repeat("ä", 101), "scopes": []string{"research:read"}},
			{"name": "a\u202eb", "scopes": []string{"research:read"}},
			{"name": "a\u0085b", "scopes": []string{"research:read"}},
			{"name": "a\nb", "scopes": []string{"research:read"}},
			{"name": "x"},
			{"name": "x", "scopes": []string{}},
			{"name": "x", "scopes": []string{"email"}},
			{"name": "x", "scopes": []string{"research:read", "research:all"}},
			{"name": "x", "scopes": []string{"research:read"}, "expires_in": 0},
			{"name": "x", "scopes": []string{"research:read"}, "expires_in": -1},
			{"name": "x", "scopes": []string{"research:read"}, "expires_in": 366*24*3600 + 1},
			{"name": "x", "scopes": []string{"research:read"}, "expires_in": int64(1) << 62},
		} {
			requireError(t, e.createToken(t, s.access, jsonOf(body)), 400, "validation_failed")
		}
		for _, body := range []string{`{"name":1}`, `{"name":"x","scopes":"research:read"}`, `x`} {
			requireError(t, e.createToken(t, s.access, body), 400, "bad_json")
		}
		for _, body := range []map[string]any{
			{"name": strings.Repeat("ä", 100), "scopes": []string{"research:ask"}, "expires_in": 366 * 24 * 3600},
			{"name": "x", "scopes": []string{"research:read", "research:read"}, "expires_in": nil},
		} {
			a := e.createToken(t, s.access, jsonOf(body))
			require.Equal(t, http.StatusCreated, a.status, a.raw)
			require.Len(t, a.body["scopes"], 1)
		}
	})

	t.Run("are fifty at most, without those that have expired", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		for range 50 {
			e.makeToken(t, s.access)
		}
		requireError(t, e.createToken(t, s.access, aToken), 422, "too_many_personal_tokens")
		e.Exec(t, `update auth.personal_access_tokens set expires_at = now()
			where id = (select id from auth.personal_access_tokens limit 1)`)
		e.makeToken(t, s.access)
		requireError(t, e.createToken(t, s.access, aToken), 422, "too_many_personal_tokens")
	})

	t.Run("are not for anonymous users", func(t *testing.T) {
		t.Parallel()
		e := setup(t, func(c *auth.Config, _ *token.KeysConfig) { c.Identity.Anonymous = true })
		a := e.do(t, "POST", "/signup", `{}`)
		require.Equal(t, 200, a.status, a.raw)
		requireError(t, e.createToken(t, a.body["access_token"].(string), aToken), 403, "anonymous_user")
	})
}

// Whoever has an access token for an hour must not get one for a year.
func TestPersonalTokensRequireTheStepUp(t *testing.T) {
	t.Parallel()

	t.Run("a recent sign-in, or a mailed code", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		access := e.aged(t, e.signIn(t, "ada@example.com", correct))
		requireError(t, e.createToken(t, access, aToken), 400, "reauthentication_needed")
		withNonce := func(nonce string) string {
			return jsonOf(map[string]any{"name": "x", "scopes": []string{"research:read"}, "nonce": nonce})
		}
		requireError(t, e.createToken(t, access, withNonce("123456")), 422, "reauthentication_not_valid")
		code := e.requestCode(t, access)
		require.Equal(t, http.StatusCreated, e.createToken(t, access, withNonce(code)).status)
		requireError(t, e.createToken(t, access, withNonce(code)), 422, "reauthentication_not_valid")
		requireError(t, e.createToken(t, access, aToken), 400, "reauthentication_needed")
	})

	t.Run("the second factor, which the token then has", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		first := e.signIn(t, "ada@example.com", correct)
		secret, _ := e.makeToken(t, first.access)
		phone, s := e.protect(t, first)
		lower := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.createToken(t, lower.access, aToken), 403, "insufficient_aal")
		raised, _ := e.makeToken(t, s.access)
		require.Equal(t, []string{"aal1", "aal2"}, []string{e.aal(t, secret), e.aal(t, raised)})
		require.Equal(t, 200, e.do(t, "DELETE", "/factors/"+phone.factor, "", bearer(s.access)).status)
		e.tokens.Authenticator.RecheckSessions()
		require.Equal(t, "aal1", e.aal(t, raised))
	})
}

// aal returns the claim aal of a personal access token.
func (e *edge) aal(t testing.TB, secret string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+secret)
	p, err := e.tokens.Authenticator.Authenticate(r)
	require.NoError(t, err)
	return dbtest.Value[string](t, e.DB, `select $1::jsonb ->> 'aal'`, string(p.Subject.Claims))
}

// protect adds a second factor to the account of a session.
func (e *edge) protect(t testing.TB, s session) (phone, session) {
	t.Helper()
	p := e.enroll(t, s.access, totpFactor)
	return p, e.raise(t, s.access, p.factor, p.code(t, e, 0))
}

func TestPersonalTokensOpenNoAccount(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	secret, id := e.makeToken(t, s.access)
	for _, route := range []string{
		"GET /user", "PUT /user", "GET /reauthenticate", "POST /reauthenticate", "POST /logout", "GET /sessions",
		"DELETE /sessions/" + id, "GET /tokens", "POST /tokens", "DELETE /tokens/" + id, "POST /factors",
		"GET /admin/users", "POST /invite",
	} {
		method, path, _ := strings.Cut(route, " ")
		requireError(t, e.do(t, method, path, aToken, bearer(secret)), 403, "insufficient_scope")
		requireError(t, e.do(t, method, path, aToken, bearer("rsp_x")), 403, "insufficient_scope")
	}
	require.True(t, e.acts(t, secret))
}

// What ends all sessions since somebody else may have the account ends its tokens, too.
func TestPersonalTokensEndWithTheAccount(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(t *testing.T, e *edge, user uuid.UUID, s session)
		kept   bool
	}{
		"a new password": {change: func(t *testing.T, e *edge, _ uuid.UUID, s session) {
			require.Equal(t, 200, e.putUser(t, s.access, `{"password":"another passphrase"}`).status)
		}},
		"a ban": {change: func(t *testing.T, e *edge, user uuid.UUID, _ session) {
			require.Equal(t, 200, e.admin(t, "PUT", "/admin/users/"+user.String(), `{"ban_duration":"1h"}`).status)
			require.Equal(t, 200, e.admin(t, "PUT", "/admin/users/"+user.String(), `{"ban_duration":"none"}`).status)
		}},
		"a password of an administrator": {change: func(t *testing.T, e *edge, user uuid.UUID, _ session) {
			a := e.admin(t, "PUT", "/admin/users/"+user.String(), `{"password":"another passphrase"}`)
			require.Equal(t, 200, a.status, a.raw)
		}},
		"a deletion": {change: func(t *testing.T, e *edge, user uuid.UUID, _ session) {
			require.Equal(t, 200, e.admin(t, "DELETE", "/admin/users/"+user.String(), `{}`).status)
		}},
		"a soft deletion": {change: func(t *testing.T, e *edge, user uuid.UUID, _ session) {
			a := e.admin(t, "DELETE", "/admin/users/"+user.String(), `{"should_soft_delete":true}`)
			require.Equal(t, 200, a.status)
		}},
		"a link that proves the address of somebody else": {
			change: func(t *testing.T, e *edge, _ uuid.UUID, _ session) {
				e.Exec(t, `update auth.users set email_confirmed_at = null, confirmation_sent_at = now()`)
				require.Equal(t, 200, e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`).status)
				require.Equal(t, 200, e.verify(t, "recovery", e.minted(t)).status)
			},
		},
		"an undone change": {change: func(t *testing.T, e *edge, _ uuid.UUID, s session) {
			e.changeEmail(t, s, "eve@example.com")
			a := e.do(t, "POST", "/token?grant_type=password", credentials("eve@example.com", correct))
			e.makeToken(t, a.body["access_token"].(string))
			e.requireUndone(t, e.undoLink(t, "email_changed"))
		}},
		"a new address": {change: func(t *testing.T, e *edge, _ uuid.UUID, s session) {
			e.changeEmail(t, s, "ada@example.org")
		}},
		"a sign-out of all sessions": {kept: true, change: func(t *testing.T, e *edge, _ uuid.UUID, s session) {
			require.Equal(t, 204, e.do(t, "POST", "/logout", "", bearer(s.access)).status)
		}},
		"a change of the metadata": {kept: true, change: func(t *testing.T, e *edge, _ uuid.UUID, s session) {
			require.Equal(t, 200, e.putUser(t, s.access, `{"data":{"theme":"dark"}}`).status)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			user := e.User(t, "ada@example.com")
			s := e.signIn(t, "ada@example.com", correct)
			secret, _ := e.makeToken(t, s.access)
			require.True(t, e.acts(t, secret))
			tt.change(t, e, user, s)
			require.Equal(t, tt.kept, e.acts(t, secret))
			require.Equal(t, tt.kept, dbtest.Value[bool](t, e.DB,
				`select exists (select from auth.personal_access_tokens)`), "nor another one")
		})
	}
}

func TestOperatorsEndPersonalTokens(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	e.makeToken(t, e.signIn(t, "ada@example.com", correct).access)
	operator, err := identity.NewOperator(identity.Config{
		PublicURL: "https://research.example", BcryptCost: 4, Now: e.clock.Now,
	}, e.Store)
	require.NoError(t, err)
	require.NoError(t, operator.SetPassword(t.Context(), "ada@example.com", "another passphrase"))
	require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.personal_access_tokens`))
}

// admin sends a request of an administrator.
func (e *edge) admin(t testing.TB, method, path, body string) answer {
	t.Helper()
	return e.do(t, method, path, body, "apikey: "+serviceKey, bearer(serviceKey))
}
