package e2e

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/identity/oidc/oidctest"
)

// fakeProvider is the name by which clients ask for a provider that lies.
const fakeProvider = "custom:fake"

// startWithTwoProviders starts the service with the provider of tests and with one that can be made to lie.
func startWithTwoProviders(t testing.TB, people []person) (*service, *provider, *oidctest.Provider) {
	t.Helper()
	fake := oidctest.NewProvider(t, oidctest.Options{})
	address := unusedAddress(t)
	p := startProvider(t, people, "http://"+address+"/auth/v1/callback")
	other := map[string]any{
		"name": "fake", "label": "Fake", "issuer": fake.URL, "client_id": fake.ClientID(),
		"client_secret": fake.ClientSecret(), "trusts_email": false, "trusts_mfa": true,
	}
	s := startAPI(t, "HTTP_ADDR="+address, externalProviders(t, p.setting("zitadel"), other),
		"EXTERNAL_ALLOWED_HOSTS=localhost,"+fake.Host())
	return s, p, fake
}

// One of two providers attacks people of the other one.
func TestProvidersAreNotMixedUp(t *testing.T) {
	t.Parallel()
	ann, ben := newPerson("ann"), newPerson("ben")
	s, p, fake := startWithTwoProviders(t, []person{ann, ben})

	// The attacker's provider has led the browser on to the honest one, whose code it is to get (RFC 9207).
	t.Run("the answer of another provider", func(t *testing.T) {
		b := newBrowser(t)
		fake.Set(func(behavior *oidctest.Behavior) { behavior.SendsIssuer = true })
		honest := s.beginSignIn(t, b, fakeProvider)
		code := b.open(t, honest.authorization.String()).Query()
		a := s.beginSignIn(t, b, zitadel)
		next := b.open(t, a.callback("code", code.Get("code"), "iss", code.Get("iss")))
		requireRefused(t, next, s.url(), "invalid_request", "bad_oauth_callback")
		require.Contains(t, next.Query().Get("error_description"), "iss")

		a = s.beginSignIn(t, b, fakeProvider)
		answered := b.open(t, a.authorization.String())
		query := answered.Query()
		query.Del("iss")
		before := fake.Requests(oidctest.Token)
		next = b.open(t, a.callback("code", query.Get("code")))
		requireRefused(t, next, s.url(), "invalid_request", "bad_oauth_callback")
		require.Equal(t, before, fake.Requests(oidctest.Token), "the code was not sent")

		a = s.beginSignIn(t, b, fakeProvider)
		back := b.open(t, b.open(t, a.authorization.String()).String())
		require.True(t, back.Query().Has("code"), "%s", back)
	})

	// The attacker's provider signs tokens that claim to be of the honest one, or about its people.
	t.Run("the people of another provider", func(t *testing.T) {
		anns := s.signInBy(t, ann)
		fake.SetUser(oidctest.User{Subject: ann.ID, Email: ann.Email, EmailVerified: true})
		b := newBrowser(t)
		a := s.beginSignIn(t, b, fakeProvider)
		back := b.open(t, b.open(t, a.authorization.String()).String())
		status, session := a.exchange(t, back.Query().Get("code"))
		require.Equal(t, http.StatusOK, status, "%v", session)
		fakes := newExternalSession(t, session)
		require.NotEqual(t, anns.user, fakes.user)
		require.Empty(t, dbtest.Value[string](t, s.DB,
			`select coalesce(email, '') from auth.users where id = $1`, fakes.user))

		for name, audience := range map[string]string{zitadel: providerClient, fakeProvider: fake.ClientID()} {
			forged := fake.IDToken(func(claims map[string]any) {
				claims["iss"], claims["aud"], claims["sub"] = p.issuer, audience, "new here"
			})
			status, answer := s.post(t, "/auth/v1/token?grant_type=id_token", "",
				map[string]any{"provider": name, "id_token": forged})
			require.Equal(t, http.StatusBadRequest, status, name)
			require.Equal(t, "bad_oauth_callback", answer["error_code"], name)
		}
	})

	// A provider, or who has broken into it, repeats a token that it made for another request.
	t.Run("a token of another request", func(t *testing.T) {
		var nonce any
		fake.Set(func(behavior *oidctest.Behavior) {
			behavior.IDToken = func(claims map[string]any) {
				if nonce == nil {
					nonce = claims["nonce"]
				}
				claims["nonce"] = nonce
			}
		})
		defer fake.Set(func(behavior *oidctest.Behavior) { behavior.IDToken = nil })
		b := newBrowser(t)
		answers := func() *url.URL {
			a := s.beginSignIn(t, b, fakeProvider)
			return b.open(t, b.open(t, a.authorization.String()).String())
		}
		require.True(t, answers().Query().Has("code"))
		requireRefused(t, answers(), s.url(), "invalid_request", "bad_oauth_callback")
	})
}

// A second factor at a provider counts where an operator says so.
func TestProviderHasAskedForASecondFactor(t *testing.T) {
	t.Parallel()
	s, _, fake := startWithTwoProviders(t, nil)
	levels := map[string]string{}
	for _, method := range []string{"pwd", "mfa"} {
		fake.SetUser(oidctest.User{Subject: method, Claims: map[string]any{"amr": []string{method}}})
		b := newBrowser(t)
		a := s.beginSignIn(t, b, fakeProvider)
		back := b.open(t, b.open(t, a.authorization.String()).String())
		status, session := a.exchange(t, back.Query().Get("code"))
		require.Equal(t, http.StatusOK, status, "%v", session)
		levels[method] = claimsOf(t, session["access_token"].(string))["aal"].(string)
	}
	require.Equal(t, map[string]string{"pwd": "aal1", "mfa": "aal2"}, levels)
}

// The other provider works, and what was begun can be begun again.
func TestProviderDoesNotAnswerInTime(t *testing.T) {
	t.Parallel()
	ann := newPerson("ann")
	s, _, fake := startWithTwoProviders(t, []person{ann})
	fake.Handle(oidctest.Token, oidctest.HTML(http.StatusBadGateway))
	b := newBrowser(t)
	a := s.beginSignIn(t, b, fakeProvider)
	next := b.open(t, b.open(t, a.authorization.String()).String())
	requireRefused(t, next, s.url(), "server_error", "bad_oauth_callback")
	fake.Handle(oidctest.Token, nil)

	a = s.beginSignIn(t, b, fakeProvider, "redirect_to", s.url()+"/late")
	s.Exec(t, `update auth.provider_flows set expires_at = now()`)
	next = b.open(t, b.open(t, a.authorization.String()).String())
	requireRefused(t, next, s.url()+"/late", "invalid_request", "flow_state_expired")
	a = s.beginSignIn(t, b, fakeProvider)
	require.True(t, b.open(t, b.open(t, a.authorization.String()).String()).Query().Has("code"))
	s.signInBy(t, ann)
}
