package auth_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/identity"
)

// notices returns the mails that tell users of changes: their kinds and recipients.
func (e *edge) notices(t *testing.T) []string {
	t.Helper()
	return dbtest.Value[[]string](t, e.DB, `
		select coalesce(array_agg(kind || ' ' || recipient order by created_at, kind), '{}') from auth.notices`)
}

// aged lets a day pass, and returns the access token of the session then.
func (e *edge) aged(t testing.TB, s session) (access string) {
	t.Helper()
	e.clock.advance(25 * time.Hour)
	a := e.refresh(t, s.refresh)
	require.Equal(t, 200, a.status, a.raw)
	return a.body["access_token"].(string)
}

// requestCode returns the nonce that is mailed to the user.
func (e *edge) requestCode(t testing.TB, access string) string {
	t.Helper()
	a := e.do(t, "GET", "/reauthenticate", "", bearer(access))
	require.Equal(t, 200, a.status, a.raw)
	require.Equal(t, "{}", strings.TrimSpace(a.raw))
	return e.minted(t)
}

// reauthenticate sends POST /reauthenticate.
func (e *edge) reauthenticate(t testing.TB, access string, body map[string]any) answer {
	t.Helper()
	return e.do(t, "POST", "/reauthenticate", jsonOf(body), bearer(access))
}

// An attacker has an access token, or the refresh token, of somebody who signed in long ago.
func TestAnOldSessionNeedsACodeForSensitiveChanges(t *testing.T) {
	t.Parallel()
	const newPassword = `{"password":"another passphrase"}`
	old := func(t *testing.T) (*edge, string) {
		e := setup(t)
		e.User(t, "ada@example.com")
		return e, e.aged(t, e.signIn(t, "ada@example.com", correct))
	}
	withNonce := func(nonce string) string {
		return jsonOf(map[string]any{"password": "another passphrase", "nonce": nonce})
	}

	t.Run("which the owner of the mailbox gets", func(t *testing.T) {
		t.Parallel()
		e, access := old(t)
		requireError(t, e.putUser(t, access, newPassword), 400, "reauthentication_needed")
		requireError(t, e.putUser(t, access, `{"email":"attacker@example.com"}`), 400, "reauthentication_needed")
		requireError(t, e.putUser(t, access, withNonce("123456")), 422, "reauthentication_not_valid")
		require.Equal(t, 200, e.putUser(t, access, `{"data":{"theme":"dark"}}`).status, "nothing sensitive")
		code := e.requestCode(t, access)
		require.Equal(t, 200, e.putUser(t, access, withNonce(code)).status)
		e.signIn(t, "ada@example.com", "another passphrase")
		a := e.putUser(t, access, jsonOf(map[string]any{"password": "a third passphrase", "nonce": code}))
		requireError(t, a, 422, "reauthentication_not_valid")
	})

	t.Run("for a new address, too", func(t *testing.T) {
		t.Parallel()
		e, access := old(t)
		body := jsonOf(map[string]any{"email": "new@example.com", "nonce": e.requestCode(t, access)})
		require.Equal(t, 200, e.putUser(t, access, body).status)
		requireError(t, e.putUser(t, access, body), 422, "reauthentication_not_valid")
	})

	t.Run("which cannot be guessed", func(t *testing.T) {
		t.Parallel()
		e, access := old(t)
		code := e.requestCode(t, access)
		for range 5 {
			requireError(t, e.putUser(t, access, withNonce("wrong")), 422, "reauthentication_not_valid")
		}
		requireError(t, e.putUser(t, access, withNonce(code)), 422, "reauthentication_not_valid")
		require.Equal(t, 200, e.putUser(t, access, withNonce(e.requestCode(t, access))).status)
	})

	t.Run("which is the user's own, and expires", func(t *testing.T) {
		t.Parallel()
		e, access := old(t)
		e.User(t, "eve@example.com")
		code := e.requestCode(t, e.signIn(t, "eve@example.com", correct).access)
		requireError(t, e.putUser(t, access, withNonce(code)), 422, "reauthentication_not_valid")
		code = e.requestCode(t, access)
		e.Exec(t, `update auth.one_time_tokens set expires_at = now()`)
		requireError(t, e.putUser(t, access, withNonce(code)), 422, "reauthentication_not_valid")
		requireError(t, e.verify(t, "reauthentication", code), 400, "validation_failed") // it is no link
	})

	t.Run("which goes only to addresses that need no confirmation", func(t *testing.T) {
		t.Parallel()
		e, access := old(t)
		e.Exec(t, `update auth.users set email_confirmed_at = null`)
		requireError(t, e.do(t, "GET", "/reauthenticate", "", bearer(access)), 422, "email_not_confirmed")
	})
}

// An authenticator app that an attacker adds would keep the owner out for good.
func TestAnOldSessionCannotChangeSecondFactors(t *testing.T) {
	t.Parallel()

	t.Run("nor begin to add one", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		access := e.aged(t, e.signIn(t, "ada@example.com", correct))
		a := e.do(t, "POST", "/factors", totpFactor, bearer(access))
		requireError(t, a, 400, "reauthentication_needed")
		require.Contains(t, a.body["msg"], "sign in again")
		require.Equal(t, 200, e.reauthenticate(t, access, map[string]any{"password": correct}).status)
		p := e.enroll(t, access, totpFactor)
		e.raise(t, access, p.factor, p.code(t, e, 0))
		require.Equal(t, 1, e.audited(t, "user_reauthenticated"))
	})

	t.Run("nor complete what was begun", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		p := e.enroll(t, s.access, totpFactor)
		access := e.aged(t, s)
		requireError(t, e.enter(t, access, p.factor, p.code(t, e, 0)), 400, "reauthentication_needed")
		require.Empty(t, e.notices(t))
		require.Equal(t, 200, e.reauthenticate(t, access, map[string]any{"nonce": e.requestCode(t, access)}).status)
		e.raise(t, access, p.factor, p.code(t, e, 0))
	})

	t.Run("nor remove one, nor make recovery codes", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		access := e.aged(t, s)
		remove := func() answer { return e.do(t, "DELETE", "/factors/"+p.factor, "", bearer(access)) }
		requireError(t, remove(), 400, "reauthentication_needed")
		a := e.do(t, "POST", "/factors/recovery-codes", "", bearer(access))
		requireError(t, a, 400, "reauthentication_needed")
		require.Equal(t, 200, e.reauthenticate(t, access, map[string]any{"password": correct}).status)
		e.recoveryCodes(t, access)
		require.Equal(t, 200, remove().status)
	})

	t.Run("but enters the code of one", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, _ := e.protected(t, "ada@example.com")
		access := e.aged(t, e.signIn(t, "ada@example.com", correct))
		e.raise(t, access, p.factor, p.code(t, e, 0))
	})
}

func TestReauthenticate(t *testing.T) {
	t.Parallel()
	const newPassword = `{"password":"another passphrase"}`

	t.Run("requires a password or a nonce", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		access := e.aged(t, e.signIn(t, "ada@example.com", correct))
		requireError(t, e.reauthenticate(t, access, nil), 400, "validation_failed")
		both := map[string]any{"password": correct, "nonce": "123456"}
		requireError(t, e.reauthenticate(t, access, both), 400, "validation_failed")
		requireError(t, e.reauthenticate(t, access, map[string]any{"nonce": "123456"}),
			422, "reauthentication_not_valid")
		requireError(t, e.reauthenticate(t, access, map[string]any{"password": "wrong"}),
			400, "invalid_credentials")
		requireError(t, e.putUser(t, access, newPassword), 400, "reauthentication_needed")
		requireError(t, e.do(t, "POST", "/reauthenticate", "{}"), 401, "no_authorization")
	})

	t.Run("accepts a nonce once", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		access := e.aged(t, e.signIn(t, "ada@example.com", correct))
		nonce := map[string]any{"nonce": e.requestCode(t, access)}
		require.Equal(t, 200, e.reauthenticate(t, access, nonce).status)
		requireError(t, e.reauthenticate(t, access, nonce), 422, "reauthentication_not_valid")
		require.Equal(t, 200, e.putUser(t, access, newPassword).status)
	})

	t.Run("lasts a day, for one session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s, other := e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)
		access := e.aged(t, s)
		require.Equal(t, 200, e.reauthenticate(t, access, map[string]any{"password": correct}).status)
		refreshed := e.refresh(t, other.refresh).body["access_token"].(string)
		requireError(t, e.do(t, "POST", "/factors", totpFactor, bearer(refreshed)), 400, "reauthentication_needed")
		e.enroll(t, access, totpFactor)
		e.clock.advance(25 * time.Hour)
		a := e.grant(t, "ada@example.com", correct)
		require.Equal(t, 200, a.status)
		renewed := e.refresh(t, s.refresh)
		require.Equal(t, 200, renewed.status, renewed.raw)
		requireError(t, e.do(t, "POST", "/factors", totpFactor, bearer(renewed.body["access_token"].(string))),
			400, "reauthentication_needed")
	})

	t.Run("requires the second factor of the user", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.protected(t, "ada@example.com")
		thief := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.reauthenticate(t, thief.access, map[string]any{"password": correct}),
			401, "insufficient_aal")
	})

	t.Run("limits guesses as the sign-in does", func(t *testing.T) {
		t.Parallel()
		e := limited(t, identity.Limits{AccountFailures: 3}, 0)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		wrong := map[string]any{"password": "wrong"}
		for range 3 {
			requireError(t, e.reauthenticate(t, s.access, wrong), 400, "invalid_credentials")
		}
		requireWait(t, e.reauthenticate(t, s.access, wrong), "over_request_rate_limit")
		requireWait(t, e.grant(t, "ada@example.com", "wrong"), "over_request_rate_limit")
	})
}

func TestTheFormerAddressIsToldOfANewPassword(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	require.Equal(t, 200, e.putUser(t, s.access, `{"data":{"theme":"dark"}}`).status)
	require.Empty(t, e.notices(t))
	require.Equal(t, 200, e.putUser(t, s.access, `{"password":"another passphrase"}`).status)
	require.Equal(t, []string{"password_changed ada@example.com"}, e.notices(t))

	unproven := e.signUp(t, "somebody@example.com", passphrase).body["access_token"].(string)
	require.Equal(t, 200, e.putUser(t, unproven, `{"password":"another passphrase"}`).status)
	require.Len(t, e.notices(t), 1, "strangers are not mailed")
}

func TestEmailChange(t *testing.T) {
	t.Parallel()
	// requested returns an edge with a requested change, its session and another one, and the two links.
	requested := func(t *testing.T) (e *edge, s, other session, current, next string) {
		t.Helper()
		e = setup(t)
		e.User(t, "ada@example.com")
		s, other = e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)
		a := e.putUser(t, s.access, `{"email":"Lovelace@example.com"}`)
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, "ada@example.com", a.body["email"], "until both links were followed")
		require.Equal(t, "lovelace@example.com", a.body["new_email"])
		require.Len(t, e.mail.requests, 2)
		return e, s, other, e.mint(t, e.mail.requests[0]), e.mint(t, e.mail.requests[1])
	}
	requireWaiting := func(t *testing.T, a answer) {
		t.Helper()
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, "Confirmation link accepted. Please proceed to confirm link sent to the other email",
			a.body["msg"])
		require.Nil(t, a.body["access_token"])
	}
	requireChanged := func(t *testing.T, e *edge) {
		t.Helper()
		e.signIn(t, "lovelace@example.com", correct)
		requireError(t, e.grant(t, "ada@example.com", correct), 400, "invalid_credentials")
		require.Equal(t, 1, dbtest.Value[int](t, e.DB,
			`select count(*)::int from profiles where email = 'lovelace@example.com'`))
		require.Equal(t, []string{"email_changed ada@example.com"}, e.notices(t))
	}

	t.Run("requires a free and valid address", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		e.User(t, "taken@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.putUser(t, s.access, `{"email":"Taken@example.com"}`), 422, "email_exists")
		requireError(t, e.putUser(t, s.access, `{"email":"nonsense"}`), 400, "validation_failed")
	})

	t.Run("to one that reads alike is to that one", func(t *testing.T) {
		t.Parallel()
		// Small forms that have one capital in common, and an i with a dot of its own: other mailboxes.
		for _, wanted := range []string{"vi\u0307ctim@info.example", "\u03bd\u03b9\u03ba\u03bf\u03c2@example.com"} {
			e := setup(t)
			e.User(t, "ada@example.com")
			s := e.signIn(t, "ada@example.com", correct)
			require.Equal(t, 200, e.putUser(t, s.access, `{"email":"`+wanted+`"}`).status)
			require.Len(t, e.mail.requests, 2)
			current, next := e.mint(t, e.mail.requests[0]), e.mint(t, e.mail.requests[1])
			requireWaiting(t, e.verify(t, "email_change", current))
			a := e.verify(t, "email_change", next)
			require.Equal(t, 200, a.status, a.raw)
			require.Equal(t, wanted, dbtest.Value[string](t, e.DB, `select email from auth.users`))
			require.Equal(t, wanted, dbtest.Value[string](t, e.DB, `select email from profiles`))
		}
	})

	t.Run("takes the owners of both addresses", func(t *testing.T) {
		t.Parallel()
		e, s, other, current, next := requested(t)
		requireWaiting(t, e.verify(t, "email_change", next))
		require.Empty(t, e.notices(t))
		e.signIn(t, "ada@example.com", correct)
		requireError(t, e.verify(t, "email_change", next), 403, "otp_expired")
		a := e.verify(t, "email_change", current)
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, "lovelace@example.com", a.body["user"].(map[string]any)["email"])
		requireChanged(t, e)
		require.Equal(t, 200, e.getUser(t, s.access).status, "the session that asked stays")
		requireError(t, e.getUser(t, other.access), 403, "session_not_found")
	})

	t.Run("may be confirmed by the current address first", func(t *testing.T) {
		t.Parallel()
		e, _, _, current, next := requested(t)
		a := e.pressButton(t, "email_change", current)
		require.Equal(t, http.StatusSeeOther, a.status, a.raw)
		_, fragment, _ := strings.Cut(a.header.Get("Location"), "#")
		values, err := url.ParseQuery(fragment)
		require.NoError(t, err)
		require.Contains(t, values.Get("message"), "other email")
		require.Len(t, values, 1, "no session")
		// Another user takes the address meanwhile.
		rival := e.User(t, "lovelace@example.com")
		requireError(t, e.verify(t, "email_change", next), 422, "email_exists")
		e.Exec(t, `delete from auth.users where id = $1`, rival)
		require.Equal(t, 200, e.verify(t, "email_change", next).status, "the rejected attempt did not use the link")
		requireChanged(t, e)
	})

	t.Run("is made when both links are followed at the same time", func(t *testing.T) {
		t.Parallel()
		e, _, _, current, next := requested(t)
		var both sync.WaitGroup
		for _, link := range []string{current, next} {
			both.Go(func() { require.Equal(t, 200, e.verify(t, "email_change", link).status) })
		}
		both.Wait()
		requireChanged(t, e)
	})

	t.Run("is not made by links of two requests", func(t *testing.T) {
		t.Parallel()
		e, s, _, current, _ := requested(t)
		requireWaiting(t, e.verify(t, "email_change", current))
		require.Equal(t, 200, e.putUser(t, s.access, `{"email":"attacker@example.com"}`).status)
		requireWaiting(t, e.verify(t, "email_change", e.minted(t)))
		e.signIn(t, "ada@example.com", correct)
	})

	t.Run("does not ask an address that nobody has proven", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		a := e.signUp(t, "typo@example.con", passphrase)
		access := a.body["access_token"].(string)
		require.Equal(t, 200, e.putUser(t, access, `{"email":"typo@example.com"}`).status)
		require.Len(t, e.mail.requests, 1)
		require.Equal(t, 200, e.verify(t, "email_change", e.minted(t)).status)
		e.signIn(t, "typo@example.com", passphrase)
		require.Empty(t, e.notices(t))
	})
}

func TestEmailChangeIsInvalidatedByANewPassword(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	require.Equal(t, 200, e.putUser(t, s.access, `{"email":"attacker@example.com"}`).status)
	links := []string{e.mint(t, e.mail.requests[0]), e.mint(t, e.mail.requests[1])}
	require.Equal(t, 200, e.verify(t, "email_change", links[1]).status)
	require.Equal(t, 200, e.putUser(t, s.access, `{"password":"another passphrase"}`).status)
	requireError(t, e.verify(t, "email_change", links[0]), 403, "otp_expired")
	e.signIn(t, "ada@example.com", "another passphrase")
}
