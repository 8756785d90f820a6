package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// What somebody can do who has an account at the provider, and can make other people open addresses. Each
// attack ends with the honest way from the same state, which succeeds.
func TestProviderAttacks(t *testing.T) {
	t.Parallel()
	names := []string{"ann", "ben", "cleo", "dan", "eve", "fay", "gus", "mallory"}
	people := map[string]person{}
	var all []person
	for _, name := range names {
		people[name] = newPerson(name)
		all = append(all, people[name])
	}
	mallory := people["mallory"]
	s, p := startWithProvider(t, all)
	client := s.url() // where the service leads without redirect_to

	t.Run("redirect_to another host", func(t *testing.T) {
		t.Parallel()
		for _, elsewhere := range []string{
			"https://elsewhere.example/", "//elsewhere.example/", s.url() + "@elsewhere.example/",
			s.url() + ".elsewhere.example/", "javascript:alert(1)",
		} {
			b := newBrowser(t)
			a := s.beginSignIn(t, b, zitadel, "redirect_to", elsewhere)
			next := b.open(t, a.callback("error", "access_denied"))
			requireRefused(t, next, client, "access_denied", "bad_oauth_callback")
		}
	})

	// Login CSRF: the victim is to work in the attacker's account.
	t.Run("an answer in another browser", func(t *testing.T) {
		t.Parallel()
		attacker, victim := newBrowser(t), newBrowser(t)
		a := s.beginSignIn(t, attacker, zitadel)
		callback := attacker.logIn(t, a.authorization, mallory).String()
		s.beginSignIn(t, victim, zitadel) // the victim has a cookie, too
		requireRefused(t, victim.open(t, callback), client, "invalid_request", "bad_oauth_state")
		requireRefused(t, newBrowser(t).open(t, callback), client, "invalid_request", "bad_oauth_state")
		require.True(t, attacker.open(t, callback).Query().Has("code"), "the browser that began it")
	})

	t.Run("a state that nobody has begun", func(t *testing.T) {
		t.Parallel()
		b := newBrowser(t)
		s.beginSignIn(t, b, zitadel)
		for _, state := range []string{"", "guessed"} {
			next := b.open(t, s.url()+"/auth/v1/callback?code=guessed&state="+state)
			requireRefused(t, next, client, "invalid_request", "bad_oauth_state")
		}
	})

	// The attacker has seen the provider's code of a victim, and puts it into a flow of the own browser.
	t.Run("the code of somebody else", func(t *testing.T) {
		t.Parallel()
		victim, attacker := newBrowser(t), newBrowser(t)
		a := s.beginSignIn(t, victim, zitadel)
		stolen := victim.logIn(t, a.authorization, people["ann"])
		own := s.beginSignIn(t, attacker, zitadel)
		next := attacker.open(t, own.callback("code", stolen.Query().Get("code")))
		requireRefused(t, next, client, "invalid_request", "bad_oauth_callback")
		require.Zero(t, dbtest.Value[int](t, s.DB,
			`select count(*)::int from auth.users where email = $1`, people["ann"].Email))
		require.NotContains(t, s.logs.String(), stolen.Query().Get("code"))
		require.NotContains(t, s.logs.String(), own.state())
	})

	t.Run("an answer that was used", func(t *testing.T) {
		t.Parallel()
		b := newBrowser(t)
		a := s.beginSignIn(t, b, zitadel)
		callback := b.logIn(t, a.authorization, people["ben"]).String()
		code := b.open(t, callback).Query().Get("code")
		requireRefused(t, b.open(t, callback), client, "invalid_request", "bad_oauth_state")
		status, session := a.exchange(t, code)
		require.Equal(t, http.StatusOK, status, "%v", session)
		status, answer := a.exchange(t, code)
		require.Equal(t, http.StatusNotFound, status)
		require.Equal(t, "flow_state_not_found", answer["error_code"])
	})

	// The attacker reads the address bar, a log or the referrer of the victim.
	t.Run("our code without its verifier", func(t *testing.T) {
		t.Parallel()
		victim := newBrowser(t)
		a := s.beginSignIn(t, victim, zitadel)
		code := victim.open(t, victim.logIn(t, a.authorization, people["cleo"]).String()).Query().Get("code")
		thief := s.beginSignIn(t, newBrowser(t), zitadel)
		status, answer := thief.exchange(t, code)
		require.Equal(t, http.StatusBadRequest, status)
		require.Equal(t, "bad_code_verifier", answer["error_code"])
		status, answer = a.exchange(t, code)
		require.Equal(t, http.StatusOK, status, "%v", answer)
	})

	idToken := func(t *testing.T, issued tokens, nonce string) (status int, answer map[string]any) {
		t.Helper()
		return s.post(t, "/auth/v1/token?grant_type=id_token", "", map[string]any{
			"provider": zitadel, "id_token": issued.id, "access_token": issued.access, "nonce": nonce,
		})
	}
	callback := s.url() + "/auth/v1/callback"
	hashed := func(nonce string) string {
		sum := sha256.Sum256([]byte(nonce))
		return hex.EncodeToString(sum[:])
	}

	// Another service, at which people sign in with the same provider, uses their tokens here.
	t.Run("a token for another client", func(t *testing.T) {
		t.Parallel()
		dan := people["dan"]
		status, answer := idToken(t, p.issue(t, otherClient, callback, "", dan), "")
		require.Equal(t, http.StatusBadRequest, status)
		require.NotContains(t, answer, "access_token")
		status, answer = idToken(t, p.issue(t, providerClient, callback, "", dan), "")
		require.Equal(t, http.StatusOK, status, "%v", answer)
		require.Equal(t, dan.Email, answer["user"].(map[string]any)["email"], "which only userinfo has")
	})

	t.Run("the access token of somebody else beside an ID token", func(t *testing.T) {
		t.Parallel()
		eve := p.issue(t, providerClient, callback, "", people["eve"])
		stolen := p.issue(t, providerClient, callback, "", mallory)
		status, answer := idToken(t, tokens{stolen.id, eve.access}, "")
		require.Equal(t, http.StatusBadRequest, status, "%v", answer)
		status, answer = idToken(t, eve, "")
		require.Equal(t, http.StatusOK, status, "%v", answer)
	})

	// Who finds a token in a log does not know the nonce.
	t.Run("a token without its nonce", func(t *testing.T) {
		t.Parallel()
		issued := p.issue(t, providerClient, callback, hashed("of the client"), people["fay"])
		for _, nonce := range []string{"", "another", hashed("of the client")} {
			status, answer := idToken(t, issued, nonce)
			require.Equal(t, http.StatusBadRequest, status, "%v", answer)
		}
		status, answer := idToken(t, p.issue(t, providerClient, callback, "", people["fay"]), "of the client")
		require.Equal(t, http.StatusBadRequest, status, "%v", answer)
		status, answer = idToken(t, issued, "of the client")
		require.Equal(t, http.StatusOK, status, "%v", answer)
	})

	// The attacker sends a victim the address that links an account to the attacker's user. The victim signs in
	// at the provider, or is signed in there already.
	t.Run("the link of another person", func(t *testing.T) {
		t.Parallel()
		gus, token := people["gus"], s.signIn(t, s.Viewer)
		victim := newBrowser(t)
		next := victim.open(t, victim.logIn(t, victim.open(t, s.beginLink(t, token).ticket), gus).String())
		require.NotContains(t, s.identities(t, token), zitadel, "until the attacker's client has the code")
		thief := s.beginLink(t, token)
		status, answer := thief.exchange(t, next.Query().Get("code"))
		require.Equal(t, http.StatusBadRequest, status, "%v", answer)
		guses := s.signInBy(t, gus)
		require.NotEqual(t, s.Viewer.String(), guses.user)

		next = victim.open(t, victim.logIn(t, victim.open(t, thief.ticket), gus).String())
		requireRefused(t, next, client, "invalid_request", "identity_already_exists")
		require.Equal(t, guses.user, s.signInBy(t, gus).user)
	})
}
