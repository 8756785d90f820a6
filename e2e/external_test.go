package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"research/db/dbtest"
)

// zitadel is the name by which clients ask for the provider of tests.
const zitadel = "custom:zitadel"

// startWithProvider starts the service with a provider at which these people have accounts, and whose
// verified addresses prove an address. Settings are those beyond startAPI's.
func startWithProvider(t testing.TB, people []person, settings ...string) (*service, *provider) {
	t.Helper()
	address := unusedAddress(t)
	p := startProvider(t, people, "http://"+address+"/auth/v1/callback")
	settings = slices.Concat([]string{
		"HTTP_ADDR=" + address, "EXTERNAL_ALLOWED_HOSTS=localhost", externalProviders(t, p.setting("zitadel")),
	}, settings)
	return startAPI(t, settings...), p
}

// setting is the provider as an operator sets it.
func (p *provider) setting(name string) map[string]any {
	return map[string]any{
		"name": name, "label": "Zitadel", "issuer": p.issuer, "client_id": providerClient,
		"client_secret": providerSecret, "trusts_email": true,
	}
}

// externalProviders is the setting with these providers.
func externalProviders(t testing.TB, providers ...map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(providers)
	require.NoError(t, err)
	return "EXTERNAL_PROVIDERS=" + string(raw)
}

// A signIn is an attempt to sign in by a provider, of a client that runs in a browser.
type signIn struct {
	*service
	browser       *browser
	verifier      string
	authorization *url.URL // where the service has sent the browser
}

// beginSignIn sends a browser to the service, and to the provider. Parameters are names and values beyond
// those of every client.
func (s *service) beginSignIn(t testing.TB, b *browser, provider string, parameters ...string) *signIn {
	t.Helper()
	a := &signIn{service: s, browser: b, verifier: oauth2.GenerateVerifier()}
	query := url.Values{
		"provider": {provider}, "code_challenge": {oauth2.S256ChallengeFromVerifier(a.verifier)},
		"code_challenge_method": {"s256"},
	}
	for i := 0; i < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	a.authorization = b.open(t, s.url()+"/auth/v1/authorize?"+query.Encode())
	return a
}

// state is what the provider gives back unchanged.
func (a *signIn) state() string { return a.authorization.Query().Get("state") }

// callback is the address to which a provider leads with these parameters, names and values.
func (a *signIn) callback(parameters ...string) string {
	query := url.Values{"state": {a.state()}}
	for i := 0; i < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	return a.url() + "/auth/v1/callback?" + query.Encode()
}

// exchange exchanges a code for a session.
func (a *signIn) exchange(t testing.TB, code string) (status int, session map[string]any) {
	t.Helper()
	return a.post(t, "/auth/v1/token?grant_type=pkce", "",
		map[string]any{"auth_code": code, "code_verifier": a.verifier})
}

// try goes all the way as a person, and returns a session, or the error's code.
func (a *signIn) try(t testing.TB, who person) (session map[string]any, errorCode string) {
	t.Helper()
	back := a.browser.open(t, a.browser.logIn(t, a.authorization, who).String()).Query()
	if !back.Has("code") {
		require.NotEmpty(t, back.Get("error_code"), "%v", back)
		return nil, back.Get("error_code")
	}
	status, answer := a.exchange(t, back.Get("code"))
	if status != http.StatusOK {
		return nil, answer["error_code"].(string)
	}
	return answer, ""
}

// trySignInBy signs in a person by the provider in a new browser.
func (s *service) trySignInBy(t testing.TB, who person) (session map[string]any, errorCode string) {
	t.Helper()
	return s.beginSignIn(t, newBrowser(t), zitadel).try(t, who)
}

// signInBy is trySignInBy for those who are let in.
func (s *service) signInBy(t testing.TB, who person) *externalSession {
	t.Helper()
	session, errorCode := s.trySignInBy(t, who)
	require.Empty(t, errorCode)
	return newExternalSession(t, session)
}

// An externalSession is a session that began at a provider.
type externalSession struct {
	access, refresh, user string
	answer                map[string]any
}

func newExternalSession(t testing.TB, answer map[string]any) *externalSession {
	t.Helper()
	user, _ := answer["user"].(map[string]any)
	require.NotNil(t, user, "%v", answer)
	return &externalSession{
		answer["access_token"].(string), answer["refresh_token"].(string), user["id"].(string), answer,
	}
}

// identities returns the user's identities by their provider, as JSON has them.
func (s *service) identities(t testing.TB, token string) map[string]map[string]any {
	t.Helper()
	status, user := s.get(t, "/auth/v1/user", token)
	require.Equal(t, http.StatusOK, status, "%v", user)
	byProvider := map[string]map[string]any{}
	for _, listed := range user["identities"].([]any) {
		identity := listed.(map[string]any)
		byProvider[identity["provider"].(string)] = identity
	}
	return byProvider
}

// requireRefused requires that the service leads a browser back to a client with an error and without a code.
func requireRefused(t testing.TB, next *url.URL, client, kind, errorCode string) {
	t.Helper()
	query := next.Query()
	require.Equal(t, client, next.Scheme+"://"+next.Host+next.Path)
	require.Equal(t, kind, query.Get("error"), "%s", next)
	require.Equal(t, errorCode, query.Get("error_code"), "%s", next)
	require.NotEmpty(t, query.Get("error_description"))
	require.False(t, query.Has("code"))
}

func TestProviderSignIn(t *testing.T) {
	t.Parallel()
	ann, ben, cleo, dan := newPerson("ann"), newPerson("ben"), newPerson("cleo"), newPerson("dan")
	s, p := startWithProvider(t, []person{ann, ben, cleo, dan})

	t.Run("makes an account, and finds it again", func(t *testing.T) {
		t.Parallel()
		first := s.signInBy(t, ann)
		claims := claimsOf(t, first.access)
		require.Equal(t, "aal1", claims["aal"])
		require.Equal(t, "oauth", claims["amr"].([]any)[0].(map[string]any)["method"])
		status, user := s.get(t, "/auth/v1/user", first.access)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, ann.Email, user["email"])
		require.NotEmpty(t, user["email_confirmed_at"], "the provider has verified the address")
		require.Equal(t, zitadel, user["app_metadata"].(map[string]any)["provider"])
		identity := s.identities(t, first.access)[zitadel]
		data := identity["identity_data"].(map[string]any)
		require.Equal(t, ann.ID, data["sub"])
		require.Equal(t, ann.Email, data["email"], "which only userinfo has")
		require.Equal(t, "Ann Person", data["name"])
		require.Equal(t, p.issuer, data["iss"])
		require.Equal(t, "Ann Person",
			dbtest.Value[string](t, s.DB, `select display_name from profiles where id = $1`, first.user))
		require.Equal(t, first.user, s.signInBy(t, ann).user)
		require.Equal(t, 1,
			dbtest.Value[int](t, s.DB, `select count(*)::int from auth.users where email = $1`, ann.Email))
	})

	t.Run("makes one account where somebody is in a hurry", func(t *testing.T) {
		t.Parallel()
		attempts := make([]*signIn, 4)
		callbacks := make([]*url.URL, len(attempts))
		for i := range attempts {
			b := newBrowser(t)
			attempts[i] = s.beginSignIn(t, b, zitadel)
			callbacks[i] = b.logIn(t, attempts[i].authorization, ben)
		}
		backs := make([]*url.URL, len(attempts))
		var all sync.WaitGroup
		for i, a := range attempts {
			all.Go(func() { backs[i] = a.browser.open(t, callbacks[i].String()) })
		}
		all.Wait()
		users := map[string]bool{}
		for i, a := range attempts {
			status, session := a.exchange(t, backs[i].Query().Get("code"))
			require.Equal(t, http.StatusOK, status, "%s: %v", backs[i], session)
			users[newExternalSession(t, session).user] = true
		}
		require.Len(t, users, 1)
	})

	t.Run("asks the provider with PKCE, a nonce and a state", func(t *testing.T) {
		t.Parallel()
		a := s.beginSignIn(t, newBrowser(t), zitadel, "scopes", "phone", "login_hint", "ben",
			"redirect_uri", "https://elsewhere.example/", "Client_ID", "another")
		query := a.authorization.Query()
		require.Equal(t, p.issuer+"auth", "http://"+a.authorization.Host+a.authorization.Path)
		require.Equal(t, []string{providerClient}, query["client_id"])
		require.Equal(t, []string{s.url() + "/auth/v1/callback"}, query["redirect_uri"])
		require.Equal(t, []string{"code"}, query["response_type"])
		require.Equal(t, []string{"S256"}, query["code_challenge_method"])
		require.NotEqual(t, oauth2.S256ChallengeFromVerifier(a.verifier), query.Get("code_challenge"))
		require.NotEmpty(t, query.Get("nonce"))
		require.NotEmpty(t, a.state())
		require.ElementsMatch(t, []string{"openid", "email", "profile", "phone"},
			strings.Fields(query.Get("scope")))
		require.Equal(t, "ben", query.Get("login_hint"))
		require.False(t, query.Has("Client_ID"))
	})

	t.Run("keeps the browser's secret in a cookie", func(t *testing.T) {
		t.Parallel()
		b := newBrowser(t)
		s.beginSignIn(t, b, zitadel)
		cookie := b.received["research-browser"]
		require.NotNil(t, cookie)
		require.True(t, cookie.HttpOnly)
		require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
		require.Equal(t, "/", cookie.Path)
		require.Empty(t, cookie.Domain)
	})

	t.Run("leads back to where the client wants", func(t *testing.T) {
		t.Parallel()
		b, wanted := newBrowser(t), s.url()+"/somewhere?a=b"
		a := s.beginSignIn(t, b, zitadel, "redirect_to", wanted)
		back := b.open(t, b.logIn(t, a.authorization, cleo).String())
		require.Equal(t, "/somewhere", back.Path)
		require.Equal(t, "b", back.Query().Get("a"))
		status, session := a.exchange(t, back.Query().Get("code"))
		require.Equal(t, http.StatusOK, status, "%v", session)
	})

	t.Run("accepts an answer in a form, which comes without cookies", func(t *testing.T) {
		t.Parallel()
		b := newBrowser(t)
		a := s.beginSignIn(t, b, zitadel)
		callback := b.logIn(t, a.authorization, dan)
		form := callback.Query()
		callback.RawQuery = ""
		next := newBrowser(t).submit(t, callback.String(), form) // SameSite=Lax keeps the cookie from it
		require.Equal(t, "/auth/v1/callback", next.Path)
		back := b.open(t, next.String())
		status, session := a.exchange(t, back.Query().Get("code"))
		require.Equal(t, http.StatusOK, status, "%v", session)
	})

	t.Run("tells the client what the provider says", func(t *testing.T) {
		t.Parallel()
		for said, want := range map[string]string{
			"access_denied": "access_denied", "server_error": "server_error", "<script>": "server_error",
		} {
			b := newBrowser(t)
			a := s.beginSignIn(t, b, zitadel, "redirect_to", s.url()+"/page")
			next := b.open(t, a.callback("error", said, "error_description", "whatever a stranger writes"))
			requireRefused(t, next, s.url()+"/page", want, "bad_oauth_callback")
			require.NotContains(t, next.String(), "stranger")
		}
	})

	t.Run("requires PKCE of the client, and a provider that is set", func(t *testing.T) {
		t.Parallel()
		for name, parameters := range map[string]url.Values{
			"without a challenge": {"provider": {zitadel}},
			"another provider": {
				"provider": {"google"}, "code_challenge_method": {"s256"},
				"code_challenge": {oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())},
			},
		} {
			status, answer := s.get(t, "/auth/v1/authorize?"+parameters.Encode(), "")
			require.Equal(t, http.StatusBadRequest, status, name)
			require.Equal(t, "validation_failed", answer["error_code"], name)
		}
	})

	t.Run("is in the settings", func(t *testing.T) {
		t.Parallel()
		status, answer := s.get(t, "/auth/v1/settings", "")
		require.Equal(t, http.StatusOK, status)
		external := answer["external"].(map[string]any)
		require.Equal(t, true, external[zitadel])
		require.Equal(t, false, external["google"])
		require.Equal(t, []any{map[string]any{"identifier": zitadel, "name": "Zitadel"}},
			answer["custom_providers"])
	})
}
