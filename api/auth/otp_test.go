package auth_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db/dbtest"
	"research/identity"
)

// askMagicLink sends POST /otp.
func (e *edge) askMagicLink(t testing.TB, body map[string]any) {
	t.Helper()
	a := e.do(t, "POST", "/otp", jsonOf(body))
	require.Equal(t, 200, a.status, a.raw)
	require.Empty(t, a.body)
}

// enterCode uses a code as supabase-js does.
func (e *edge) enterCode(t testing.TB, email, code, linkType string) answer {
	t.Helper()
	return e.do(t, "POST", "/verify", jsonOf(map[string]any{"type": linkType, "email": email, "token": code}))
}

func (e *edge) users(t testing.TB) int {
	t.Helper()
	return dbtest.Value[int](t, e.DB, `select count(*)::int from auth.users`)
}

func TestMagicLink(t *testing.T) {
	t.Parallel()

	t.Run("signs a user in by the code or by the link, once", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		for _, use := range []func(secret string) answer{
			func(code string) answer { return e.enterCode(t, "Ada@Example.com", code, "email") },
			func(code string) answer { return e.enterCode(t, "ada@example.com", code, "magiclink") },
			func(secret string) answer { return e.verify(t, "magiclink", secret) },
			func(secret string) answer { return e.verify(t, "email", secret) },
		} {
			e.askMagicLink(t, map[string]any{"email": "ada@example.com", "create_user": false})
			secret := e.minted(t)
			a := use(secret)
			require.Equal(t, 200, a.status, a.raw)
			require.Contains(t, jsonOf(claim(t, a.body["access_token"].(string), "amr")), `"otp"`)
			requireError(t, e.verify(t, "magiclink", secret), 403, "otp_expired")
			requireError(t, e.enterCode(t, "ada@example.com", secret, "email"), 403, "otp_expired")
		}
		e.signIn(t, "ada@example.com", correct)
	})

	t.Run("creates a user, whose address the code proves", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) { c.Identity.ConfirmEmail = true }))
		e.askMagicLink(t, map[string]any{"email": "new@example.com", "data": map[string]any{"display_name": "New"}})
		require.Equal(t, 1, e.users(t))
		a := e.enterCode(t, "new@example.com", e.minted(t), "signup")
		require.Equal(t, 200, a.status, a.raw)
		user := a.body["user"].(map[string]any)
		require.NotEmpty(t, user["email_confirmed_at"])
		require.Equal(t, map[string]any{"display_name": "New", "email_verified": true}, user["user_metadata"])
		require.Equal(t, "New", dbtest.Value[string](t, e.DB, `select display_name from profiles`))

		e.askMagicLink(t, map[string]any{"email": "new@example.com", "data": map[string]any{"display_name": "X"}})
		a = e.enterCode(t, "new@example.com", e.minted(t), "email")
		require.Contains(t, a.raw, `"display_name":"New"`, "the metadata is of a new account only")
	})

	t.Run("creates no user where none may sign up, with the same answer", func(t *testing.T) {
		t.Parallel()
		for _, signUp := range []string{"on", "off", "corp.example"} {
			e := setup(t, configured(func(c *auth.Config) { c.Identity.SignUp = signUp }))
			e.User(t, "ada@example.com")
			for _, email := range []string{"new@example.com", "ada@example.com"} {
				e.askMagicLink(t, map[string]any{"email": email, "create_user": signUp != "on"})
			}
			require.Equal(t, 1, e.users(t), signUp)
			require.Equal(t, 200, e.enterCode(t, "ada@example.com", e.minted(t), "email").status)
		}
	})

	t.Run("deletes the password and the sessions of a sign-up by somebody else", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		attacker := e.signUp(t, victim, attackersChoice).body["access_token"].(string)
		e.askMagicLink(t, map[string]any{"email": victim})
		a := e.enterCode(t, victim, e.minted(t), "email")
		require.Equal(t, 200, a.status, a.raw)
		requireError(t, e.grant(t, victim, attackersChoice), 400, "invalid_credentials")
		requireError(t, e.getUser(t, attacker), 403, "session_not_found")
	})

	t.Run("leads to a code of the client that asked, with PKCE", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		a := e.do(t, "POST", "/otp", withChallenge(map[string]any{"email": "new@example.com"}))
		require.Equal(t, 200, a.status, a.raw)
		a = e.exchange(t, e.followed(t, "magiclink"), verifier)
		require.Equal(t, 200, a.status, a.raw)
	})

	t.Run("rejects what it cannot mail", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		for body, code := range map[string]string{
			`{}`:                                "validation_failed",
			`{"email":"x"}`:                     "validation_failed",
			`{"phone":"+4915112345678"}`:        "phone_provider_disabled",
			`{"email":"a@b.example","data":[]}`: "bad_json",
			`{"email":"a@b.example","code_challenge":"x"}`: "validation_failed",
		} {
			for _, path := range []string{"/otp", "/magiclink"} {
				requireError(t, e.do(t, "POST", path, body), 400, code)
			}
		}
		require.Zero(t, e.users(t))
	})
}

func TestMailedCodes(t *testing.T) {
	t.Parallel()
	admin := []string{"apikey: " + serviceKey, bearer(serviceKey)}

	t.Run("replace the links of all mails", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) { c.Identity.ConfirmEmail = true }))
		e.signUp(t, "a@example.com", passphrase)
		require.Equal(t, 200, e.enterCode(t, "a@example.com", e.minted(t), "signup").status)
		access := e.signIn(t, "a@example.com", passphrase).access

		e.do(t, "POST", "/recover", `{"email":"a@example.com"}`)
		require.Equal(t, 200, e.enterCode(t, "a@example.com", e.minted(t), "recovery").status)

		e.do(t, "POST", "/invite", `{"email":"b@example.com"}`, admin...)
		require.Equal(t, 200, e.enterCode(t, "b@example.com", e.minted(t), "invite").status)

		require.Equal(t, 200, e.putUser(t, access, `{"email":"c@example.com"}`).status)
		e.mail.mu.Lock()
		current, changed := e.mail.requests[len(e.mail.requests)-2], e.mail.requests[len(e.mail.requests)-1]
		e.mail.mu.Unlock()
		currentCode, changedCode := e.mint(t, current), e.mint(t, changed)
		requireError(t, e.enterCode(t, "a@example.com", changedCode, "email_change"), 403, "otp_expired")
		requireError(t, e.enterCode(t, "c@example.com", currentCode, "email_change"), 403, "otp_expired")
		a := e.enterCode(t, "a@example.com", currentCode, "email_change")
		require.Contains(t, a.body["msg"], "Confirmation link accepted")
		a = e.enterCode(t, "c@example.com", changedCode, "email_change")
		require.Equal(t, 200, a.status, a.raw)
		require.Contains(t, a.raw, `"email":"c@example.com"`)
	})

	t.Run("stop working after five guesses, while the link still works", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		e.askMagicLink(t, map[string]any{"email": "ada@example.com"})
		secret := e.minted(t)
		var guesses sync.WaitGroup
		for i := range 8 {
			guesses.Go(func() {
				guess := fmt.Sprintf("%06d", i)
				requireError(t, e.enterCode(t, "ada@example.com", guess, "email"), 403, "otp_expired")
			})
		}
		guesses.Wait()
		for i := range 5 { // concurrent guesses may be skipped, uncompared
			requireError(t, e.enterCode(t, "ada@example.com", fmt.Sprint(i), "email"), 403, "otp_expired")
		}
		requireError(t, e.enterCode(t, "ada@example.com", secret, "email"), 403, "otp_expired")
		require.Equal(t, 200, e.verify(t, "magiclink", secret).status)
	})

	t.Run("count as failed sign-ins if they are wrong, for known and unknown addresses", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) { c.Identity.Limits = identity.Limits{AccountFailures: 3} }))
		e.User(t, "ada@example.com")
		for _, email := range []string{"ada@example.com", "nobody@example.com"} {
			for range 3 {
				requireError(t, e.enterCode(t, email, "000000", "email"), 403, "otp_expired")
			}
			requireError(t, e.enterCode(t, email, "000000", "email"), 429, "over_request_rate_limit")
		}
	})

	t.Run("are for one address, one type and an hour", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		e.User(t, "eve@example.com")
		e.askMagicLink(t, map[string]any{"email": "ada@example.com"})
		code := e.minted(t)
		requireError(t, e.enterCode(t, "eve@example.com", code, "email"), 403, "otp_expired")
		requireError(t, e.enterCode(t, "ada@example.com", code, "recovery"), 403, "otp_expired")
		requireError(t, e.verify(t, "recovery", code), 403, "otp_expired")
		e.Exec(t, `update auth.one_time_tokens set expires_at = now()`)
		requireError(t, e.enterCode(t, "ada@example.com", code, "email"), 403, "otp_expired")
	})

	t.Run("of a phone are unknown", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		a := e.do(t, "POST", "/verify", `{"type":"sms","phone":"+4915112345678","token":"123456"}`)
		requireError(t, a, http.StatusForbidden, "otp_expired")
		require.Equal(t, "Token has expired or is invalid", a.body["msg"])
		a = e.do(t, "POST", "/verify", `{"type":"sms","phone":"x","token":"123456"}`)
		requireError(t, a, http.StatusBadRequest, "validation_failed")
	})
}
