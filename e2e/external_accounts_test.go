package e2e

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"research/db/dbtest"
)

const usersPassphrase = "the passphrase of a user"

// signUp signs up with an address that nobody has to prove.
func (s *service) signUp(t testing.TB, email string) *externalSession {
	t.Helper()
	body := map[string]any{"email": email, "password": usersPassphrase}
	status, session := s.post(t, "/auth/v1/signup", "", body)
	require.Equal(t, http.StatusOK, status, "%v", session)
	return newExternalSession(t, session)
}

// signsIn reports whether the password of signUp opens an account.
func (s *service) signsIn(t testing.TB, email string) bool {
	t.Helper()
	status, _ := s.post(t, "/auth/v1/token?grant_type=password", "",
		map[string]any{"email": email, "password": usersPassphrase})
	return status == http.StatusOK
}

// works reports whether a session has not ended.
func (s *service) works(t testing.TB, session *externalSession) bool {
	t.Helper()
	status, _ := s.get(t, "/auth/v1/user", session.access)
	refreshed, _ := s.post(t, "/auth/v1/token?grant_type=refresh_token", "",
		map[string]any{"refresh_token": session.refresh})
	require.Equal(t, status == http.StatusOK, refreshed == http.StatusOK)
	return status == http.StatusOK
}

// A linking is a signIn of a user who links an account at the provider.
type linking struct {
	signIn
	ticket string // the address that the client opens in the browser
}

// beginLink asks for an address that links an account to the user of an access token.
func (s *service) beginLink(t testing.TB, token string) *linking {
	t.Helper()
	l := &linking{signIn: signIn{service: s, browser: newBrowser(t), verifier: oauth2.GenerateVerifier()}}
	query := url.Values{
		"provider": {zitadel}, "skip_http_redirect": {"true"}, "code_challenge_method": {"s256"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(l.verifier)},
	}
	status, answer := s.get(t, "/auth/v1/user/identities/authorize?"+query.Encode(), token)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	l.ticket = answer["url"].(string)
	require.Equal(t, s.url(), parseURL(t, l.ticket).Scheme+"://"+parseURL(t, l.ticket).Host)
	return l
}

// link links an account of a person to the user of an access token.
func (s *service) link(t testing.TB, token string, who person) *externalSession {
	t.Helper()
	l := s.beginLink(t, token)
	l.authorization = l.browser.open(t, l.ticket)
	session, errorCode := l.try(t, who)
	require.Empty(t, errorCode)
	return newExternalSession(t, session)
}

// What a provider says of an address, and the accounts that have it already.
func TestProviderAddresses(t *testing.T) {
	t.Parallel()
	names := []string{"ann", "ben", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "mallory"}
	people := map[string]person{}
	var all []person
	for _, name := range names {
		people[name] = newPerson(name)
		all = append(all, people[name])
	}
	liar, squatter := newPerson("liar"), newPerson("squatter")
	liar.EmailVerified, squatter.EmailVerified = false, false
	capital := newPerson("capital")
	capital.Email = "Capital@EXAMPLE.com"
	s, p := startWithProvider(t,
		append(all, liar, proverOf(liar), squatter, proverOf(squatter), capital))
	invite := func(t *testing.T, email string) {
		t.Helper()
		status, failure := s.post(t, "/rest/v1/workspace_invitations", s.signIn(t, s.Owner),
			map[string]any{"workspace_id": s.Workspace, "email": email, "role": "editor"})
		require.Equal(t, http.StatusCreated, status, "%v", failure)
	}
	invitations := func(t *testing.T, session *externalSession) (open []map[string]any) {
		t.Helper()
		s.callFunction(t, session.access, "my_invitations", map[string]any{}, &open)
		return open
	}

	// Anybody can write the address of a member into an account at some provider.
	t.Run("an unverified address opens no account", func(t *testing.T) {
		t.Parallel()
		member := s.User(t, liar.Email)
		session := s.signInBy(t, liar)
		require.NotEqual(t, member.String(), session.user)
		_, user := s.get(t, "/auth/v1/user", session.access)
		require.Empty(t, user["email"])
		data := s.identities(t, session.access)[zitadel]["identity_data"].(map[string]any)
		require.NotEqual(t, true, data["email_verified"])
		require.Equal(t, session.user, s.signInBy(t, liar).user, "also the next time")
		require.Equal(t, member.String(), s.signInBy(t, proverOf(liar)).user, "a verified one does")
	})

	// Nobody has the address here yet, and its owner comes later.
	t.Run("an unverified address is not kept from its owner", func(t *testing.T) {
		t.Parallel()
		invite(t, squatter.Email)
		squatters := s.signInBy(t, squatter)
		require.Empty(t, invitations(t, squatters))
		owners := s.signInBy(t, proverOf(squatter))
		require.Len(t, invitations(t, owners), 1)
		require.False(t, s.works(t, squatters))
		again := s.signInBy(t, squatter)
		require.NotEqual(t, owners.user, again.user)
		require.Empty(t, invitations(t, again))
	})

	t.Run("an address is the same in capitals", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, s.User(t, "capital@example.com").String(), s.signInBy(t, capital).user)
	})

	t.Run("a verified address opens the account that has proven it", func(t *testing.T) {
		t.Parallel()
		ann := people["ann"]
		member := s.User(t, ann.Email)
		before := s.signIn(t, member)
		session := s.signInBy(t, ann)
		require.Equal(t, member.String(), session.user)
		require.Contains(t, s.identities(t, before), "email", "the earlier session stays, and the password")
		require.Contains(t, s.identities(t, before), zitadel)
		s.signIn(t, member)
	})

	// Somebody signs up with an address that is not theirs, and waits for its owner (pre-hijacking).
	t.Run("a verified address ends what others have made of an unproven account", func(t *testing.T) {
		t.Parallel()
		ben := people["ben"]
		attacker := s.signUp(t, ben.Email)
		require.True(t, s.works(t, attacker))
		owner := s.signInBy(t, ben)
		require.False(t, s.works(t, attacker))
		require.False(t, s.signsIn(t, ben.Email))
		_, user := s.get(t, "/auth/v1/user", owner.access)
		require.NotEmpty(t, user["email_confirmed_at"])
	})

	t.Run("and the account that the attacker has linked to it", func(t *testing.T) {
		t.Parallel()
		cleo, mallory := people["cleo"], people["mallory"]
		attacker := s.signUp(t, cleo.Email)
		linked := s.link(t, attacker.access, mallory)
		require.Equal(t, attacker.user, linked.user)
		owner := s.signInBy(t, cleo)
		require.False(t, s.works(t, attacker))
		require.False(t, s.works(t, linked))
		require.NotEqual(t, owner.user, s.signInBy(t, mallory).user)
		require.Len(t, s.identities(t, owner.access), 1)
	})

	t.Run("and the second factor", func(t *testing.T) {
		t.Parallel()
		dan := people["dan"]
		attacker := s.signUp(t, dan.Email)
		s.enrollFactor(t, attacker.access)
		owner := s.signInBy(t, dan)
		_, user := s.get(t, "/auth/v1/user", owner.access)
		require.Empty(t, user["factors"], "the owner does not have the attacker's app")
	})

	t.Run("and the tokens of scripts", func(t *testing.T) {
		t.Parallel()
		eve := people["eve"]
		attacker := s.signUp(t, eve.Email)
		token := s.makeToken(t, attacker.access, "research:read")
		reads := func() int {
			status, _ := exchangeJSON(t, http.MethodGet, s.url()+"/rest/v1/projects", token, nil)
			return status
		}
		require.Equal(t, http.StatusOK, reads())
		s.signInBy(t, eve)
		require.Equal(t, http.StatusUnauthorized, reads())
	})

	// An invitation is for the owner of its address.
	t.Run("a verified address accepts an invitation", func(t *testing.T) {
		t.Parallel()
		fay := people["fay"]
		invite(t, fay.Email)
		session := s.signInBy(t, fay)
		open := invitations(t, session)
		require.Len(t, open, 1)
		var accepted bool
		status, answer := s.callFunction(t, session.access, "accept_invitation",
			map[string]any{"invitation": open[0]["id"]}, &accepted)
		require.Equal(t, http.StatusOK, status, answer)
		require.True(t, accepted)
	})

	t.Run("a second factor stays needed", func(t *testing.T) {
		t.Parallel()
		gus := people["gus"]
		first := s.signInBy(t, gus)
		withFactor := s.enrollFactor(t, first.access)
		again := s.signInBy(t, gus)
		require.Equal(t, first.user, again.user)
		require.Equal(t, "aal1", claimsOf(t, again.access)["aal"])
		change := map[string]any{"password": usersPassphrase}
		status, answer := exchangeJSON(t, http.MethodPut, s.url()+"/auth/v1/user", again.access, change)
		require.Equal(t, http.StatusUnauthorized, status)
		require.Contains(t, string(answer), "insufficient_aal")
		status, answer = exchangeJSON(t, http.MethodPut, s.url()+"/auth/v1/user", withFactor, change)
		require.Equal(t, http.StatusOK, status, "%s", answer)
	})

	t.Run("a banned user is not signed in", func(t *testing.T) {
		t.Parallel()
		hal := people["hal"]
		first := s.signInBy(t, hal)
		ban := func(duration string) {
			status, answer := exchangeJSON(t, http.MethodPut, s.url()+"/auth/v1/admin/users/"+first.user, serviceKey,
				map[string]any{"ban_duration": duration})
			require.Equal(t, http.StatusOK, status, "%s", answer)
		}
		a := s.beginSignIn(t, newBrowser(t), zitadel)
		back := a.browser.open(t, a.browser.logIn(t, a.authorization, hal).String())
		ban("24h")
		status, late := a.exchange(t, back.Query().Get("code"))
		require.Equal(t, http.StatusNotFound, status)
		require.Equal(t, "flow_state_not_found", late["error_code"], "a ban ends codes")
		_, errorCode := s.trySignInBy(t, hal)
		require.Equal(t, "user_banned", errorCode)
		issued := p.issue(t, providerClient, s.url()+"/auth/v1/callback", "", hal)
		status, answer := s.post(t, "/auth/v1/token?grant_type=id_token", "",
			map[string]any{"provider": zitadel, "id_token": issued.id})
		require.Equal(t, http.StatusBadRequest, status)
		require.Equal(t, "user_banned", answer["error_code"])
		ban("none")
		require.Equal(t, first.user, s.signInBy(t, hal).user)
	})

	t.Run("a deleted user gets a new account", func(t *testing.T) {
		t.Parallel()
		ida := people["ida"]
		first := s.signInBy(t, ida)
		address := s.url() + "/auth/v1/admin/users/" + first.user
		status, answer := exchangeJSON(t, http.MethodDelete, address, serviceKey, nil)
		require.Equal(t, http.StatusOK, status, "%s", answer)
		require.NotEqual(t, first.user, s.signInBy(t, ida).user)
	})
}

// proverOf is another person at the provider, who has proven the address of a liar.
func proverOf(liar person) person {
	who := newPerson("prover-of-" + liar.Username)
	who.Email = liar.Email
	return who
}

func TestProviderSignUps(t *testing.T) {
	t.Parallel()
	ann, ben, liar := newPerson("ann"), newPerson("ben"), newPerson("liar")
	ben.Email = "ben@corp.example"
	liar.Email, liar.EmailVerified = "liar@corp.example", false

	t.Run("SIGNUP=off", func(t *testing.T) {
		t.Parallel()
		s, _ := startWithProvider(t, []person{ann, ben}, "SIGNUP=off")
		_, errorCode := s.trySignInBy(t, ann)
		require.Equal(t, "signup_disabled", errorCode)
		member := s.User(t, ben.Email)
		require.Equal(t, member.String(), s.signInBy(t, ben).user, "who has an account")
	})

	t.Run("SIGNUP=corp.example", func(t *testing.T) {
		t.Parallel()
		s, _ := startWithProvider(t, []person{ann, ben, liar}, "SIGNUP=corp.example")
		_, errorCode := s.trySignInBy(t, ann)
		require.Equal(t, "email_address_not_authorized", errorCode)
		s.signInBy(t, ben)
		for range 2 {
			_, errorCode = s.trySignInBy(t, liar)
			require.Equal(t, "provider_email_needs_verification", errorCode)
		}
		require.Zero(t, dbtest.Value[int](t, s.DB, `
			select count(*)::int from auth.users where email = $1 and email_confirmed_at is not null`, liar.Email))
	})
}

func TestIdentityLinks(t *testing.T) {
	t.Parallel()
	ann, ben, cleo, dan := newPerson("ann"), newPerson("ben"), newPerson("cleo"), newPerson("dan")
	s, _ := startWithProvider(t, []person{ann, ben, cleo, dan})

	t.Run("of a user with a password", func(t *testing.T) {
		t.Parallel()
		token := s.signIn(t, s.Editor)
		linked := s.link(t, token, ann)
		require.Equal(t, s.Editor.String(), linked.user)
		identities := s.identities(t, linked.access)
		require.Len(t, identities, 2)
		require.Equal(t, s.Editor.String(), identities["email"]["identity_id"])
		require.Equal(t, ann.Email, identities[zitadel]["identity_data"].(map[string]any)["email"])
		require.Equal(t, s.Editor.String(), s.signInBy(t, ann).user)

		status, answer := s.unlink(t, linked.access, identities[zitadel]["identity_id"])
		require.Equal(t, http.StatusOK, status, "%v", answer)
		require.NotEqual(t, s.Editor.String(), s.signInBy(t, ann).user)
		s.signIn(t, s.Editor)
		status, answer = s.unlink(t, linked.access, identities[zitadel]["identity_id"])
		require.Equal(t, http.StatusNotFound, status)
		require.Equal(t, "identity_not_found", answer["error_code"])
	})

	t.Run("the last one stays", func(t *testing.T) {
		t.Parallel()
		session := s.signInBy(t, ben)
		identities := s.identities(t, session.access)
		require.Len(t, identities, 1)
		status, answer := s.unlink(t, session.access, identities[zitadel]["identity_id"])
		require.Equal(t, http.StatusUnprocessableEntity, status)
		require.Equal(t, "single_identity_not_deletable", answer["error_code"])
		require.Equal(t, session.user, s.signInBy(t, ben).user)
	})

	t.Run("another's is not unlinked", func(t *testing.T) {
		t.Parallel()
		session := s.signInBy(t, cleo)
		id := s.identities(t, session.access)[zitadel]["identity_id"]
		for _, token := range []string{s.signIn(t, s.Viewer), ""} {
			status, _ := s.unlink(t, token, id)
			require.Contains(t, []int{http.StatusNotFound, http.StatusUnauthorized}, status)
		}
		require.Contains(t, s.identities(t, session.access), zitadel)
	})

	t.Run("end with the session that began them", func(t *testing.T) {
		t.Parallel()
		signOut := func(token string) {
			status, _ := exchangeJSON(t, http.MethodPost, s.url()+"/auth/v1/logout?scope=local", token, nil)
			require.Equal(t, http.StatusNoContent, status)
		}
		token := s.signIn(t, s.Owner)
		l := s.beginLink(t, token)
		callback := l.browser.logIn(t, l.browser.open(t, l.ticket), dan)
		signOut(token)
		requireRefused(t, l.browser.open(t, callback.String()), s.url(), "invalid_request", "bad_oauth_state")

		token = s.signIn(t, s.Owner)
		l = s.beginLink(t, token)
		callback = l.browser.logIn(t, l.browser.open(t, l.ticket), dan)
		code := l.browser.open(t, callback.String()).Query().Get("code")
		signOut(token)
		status, answer := l.exchange(t, code)
		require.Equal(t, http.StatusNotFound, status, "%v", answer)
		require.NotEqual(t, s.Owner.String(), s.signInBy(t, dan).user)
	})

	t.Run("need a recent sign-in", func(t *testing.T) {
		t.Parallel()
		token := s.signIn(t, s.Admin)
		s.Exec(t, `update auth.sessions set created_at = now() - interval '25 hours' where user_id = $1`, s.Admin)
		query := url.Values{
			"provider": {zitadel}, "skip_http_redirect": {"true"}, "code_challenge_method": {"s256"},
			"code_challenge": {oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())},
		}
		status, answer := s.get(t, "/auth/v1/user/identities/authorize?"+query.Encode(), token)
		require.Equal(t, http.StatusBadRequest, status)
		require.Equal(t, "reauthentication_needed", answer["error_code"])
	})
}

// unlink removes an identity from the user of an access token.
func (s *service) unlink(t testing.TB, token string, identity any) (status int, answer map[string]any) {
	t.Helper()
	return s.request(t, http.MethodDelete, "/auth/v1/user/identities/"+identity.(string), token, "", nil)
}
