package oidc

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/identity/oidc/oidctest"
)

const (
	testRedirectURI = "https://research.example/auth/v1/callback"
	testState       = "state-1"
	testNonce       = "nonce-1"
	testVerifier    = "verifier-verifier-verifier-verifier-verifier-1"
)

// A clock is a time that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Now()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// acme returns the Config of a custom provider.
func acme(fake *oidctest.Provider) Config {
	return Config{
		Name: "custom:acme", Label: "Acme", Issuer: fake.URL, ClientIDs: []string{fake.ClientID(), "app-2"},
		ClientSecret: fake.ClientSecret(), TrustsEmail: true,
	}
}

// newTestProvider returns a provider that may be on this machine.
func newTestProvider(t *testing.T, c Config, now func() time.Time) *Provider {
	t.Helper()
	return newSlowProvider(t, c, now, 10*time.Second)
}

// newSlowProvider has another timeout of requests.
func newSlowProvider(t *testing.T, c Config, now func() time.Time, timeout time.Duration) *Provider {
	t.Helper()
	issuer, err := url.Parse(c.Issuer)
	require.NoError(t, err)
	all, err := newProviders([]Config{c}, Options{
		RedirectURI: testRedirectURI, AllowedHosts: []string{issuer.Host}, Now: now,
	}, timeout)
	require.NoError(t, err)
	p := all.Get(c.Name)
	require.NotNil(t, p)
	return p
}

// signIn goes to the provider as a browser does, and returns its answer.
func signIn(t *testing.T, p *Provider) Answer {
	t.Helper()
	address, err := p.AuthorizationURL(t.Context(), Request{
		State: testState, Nonce: testNonce, Verifier: testVerifier,
	})
	require.NoError(t, err)
	back := follow(t, address)
	require.Equal(t, testState, back.Get("state"))
	return Answer{Code: back.Get("code"), Issuer: back.Get("iss"), Nonce: testNonce, Verifier: testVerifier}
}

// follow returns the parameters of the redirect of an address.
func follow(t *testing.T, address string) url.Values {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	resp, err := browser.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusFound, resp.StatusCode)
	location, err := resp.Location()
	require.NoError(t, err)
	require.Equal(t, testRedirectURI, "https://"+location.Host+location.Path)
	return location.Query()
}

// exchange signs in by code.
func exchange(t *testing.T, p *Provider) (Account, error) {
	t.Helper()
	return p.Exchange(t.Context(), signIn(t, p))
}

// requireReason requires an Error.
func requireReason(t *testing.T, err error, reason string, temporary bool) {
	t.Helper()
	var known *Error
	require.ErrorAs(t, err, &known)
	require.Equal(t, reason, known.Reason)
	require.Equal(t, temporary, known.Temporary)
	require.Contains(t, []string{NameGoogle, NameAzure, "custom:acme"}, known.Provider)
	require.Equal(t, "the provider "+reason, err.Error())
}

func TestProviders(t *testing.T) {
	t.Parallel()
	options := Options{RedirectURI: testRedirectURI, AllowedHosts: []string{"localhost:9000", "op.internal"}}
	google, azure := Google(" a, b ,", "s"), Azure("c", "s", " ")

	t.Run("are found by name, in the order of their configs", func(t *testing.T) {
		t.Parallel()
		all, err := New([]Config{azure, google}, options)
		require.NoError(t, err)
		require.Equal(t, "Google", all.Get("google").Config().Label)
		require.Equal(t, []string{"a", "b"}, all.Get("google").Config().ClientIDs)
		require.Equal(t, "https://login.microsoftonline.com/common/v2.0", all.Get("azure").Config().Issuer)
		require.Nil(t, all.Get("custom:acme"))
		require.Len(t, all.List(), 2)
		require.Equal(t, "azure", all.List()[0].Config().Name)
	})
	t.Run("may be none", func(t *testing.T) {
		t.Parallel()
		var none *Providers
		require.Nil(t, none.Get("google"))
		require.Empty(t, none.List())
	})
	t.Run("may have plain http only on this machine, at allowed hosts", func(t *testing.T) {
		t.Parallel()
		const needsHost = "(plain http needs its host in EXTERNAL_ALLOWED_HOSTS)"
		const elsewhere = "(plain http is accepted for hosts of this machine alone)"
		for issuer, wrong := range map[string]string{
			"https://op.example":      "",
			"https://op.example/":     "",
			"https://10.0.0.1":        "", // refused when it is connected to
			"http://localhost:9000/a": "",
			"http://localhost:9001":   needsHost,
			"http://op.internal":      elsewhere,
			"http://127.0.0.1":        needsHost,
			"https://op.internal":     "",
		} {
			c := Config{Name: "custom:acme", Label: "Acme", Issuer: issuer, ClientIDs: []string{"a"}}
			_, err := New([]Config{c}, options)
			if wrong == "" {
				require.NoError(t, err, issuer)
			} else {
				require.EqualError(t, err,
					"the provider custom:acme has an issuer that does not begin with https:// "+wrong, issuer)
			}
		}
	})
	t.Run("are rejected with a reason, without secrets", func(t *testing.T) {
		t.Parallel()
		for reason, c := range map[string]Config{
			"has no client id":     Google(" , ", "top-secret"),
			"has no issuer":        {Name: "custom:a", Label: "A", ClientSecret: "top-secret"},
			"has a tenant that is": Azure("a", "top-secret", "../common"),
			"client secret":        Google("a", "top-secret\n"),
		} {
			_, err := New([]Config{c}, options)
			require.ErrorContains(t, err, reason)
			require.NotContains(t, err.Error(), "top-secret")
		}
		_, err := New(nil, Options{RedirectURI: "/callback"})
		require.EqualError(t, err, "the redirect URI is not a URL")
	})
}

func TestErrorsNameTheProvider(t *testing.T) {
	t.Parallel()
	fake := oidctest.NewProvider(t, oidctest.Options{})
	fake.Handle(oidctest.Discovery, oidctest.HTML(http.StatusServiceUnavailable))
	c := acme(fake)
	for _, name := range []string{"custom:acme", "custom:other"} {
		c.Name = name
		p := newTestProvider(t, c, nil)
		_, ofRequest := p.AuthorizationURL(t.Context(), Request{})
		_, ofToken := p.VerifyIDToken(t.Context(), IDToken{Raw: "a"})
		_, ofCode := p.Exchange(t.Context(), Answer{Code: "c", Nonce: "n", Verifier: "v"})
		for _, err := range []error{ofRequest, ofToken, ofCode} {
			var known *Error
			require.ErrorAs(t, err, &known)
			require.Equal(t, name, known.Provider)
		}
	}
}

func TestReserved(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"state": true, "Redirect_URI": true, "code_verifier": true, "ID_TOKEN_HINT": true, "prompt": false,
		"login_hint": false, "redirect_to": false, "": false,
	} {
		require.Equal(t, want, Reserved(name), name)
	}
}

func TestAuthorizationURL(t *testing.T) {
	t.Parallel()
	fake := oidctest.NewProvider(t, oidctest.Options{})
	c := acme(fake)
	c.Scopes = []string{"groups", "email"}
	p := newTestProvider(t, c, nil)
	text, err := p.AuthorizationURL(t.Context(), Request{
		State: testState, Nonce: testNonce, Verifier: testVerifier,
		Scopes: []string{"calendar", "a b", "", `a"b`, "openid"},
		Params: url.Values{
			"prompt": {"select_account"}, "login_hint": {"ada@example.com"}, "State": {"evil"}, "nonce": {"evil"},
			"redirect_uri": {"https://evil.example"}, "response_mode": {"fragment"}, "scope": {"evil"},
			"code_challenge": {"evil"}, "CODE_CHALLENGE_METHOD": {"plain"}, "request": {"evil"}, "none": {},
			"client_id": {"evil"}, "response_type": {"token"},
		},
	})
	require.NoError(t, err)
	address, err := url.Parse(text)
	require.NoError(t, err)
	require.Equal(t, fake.URL+oidctest.Authorize, "http://"+address.Host+address.Path)
	require.Equal(t, url.Values{
		"response_type": {"code"}, "client_id": {oidctest.ClientID}, "redirect_uri": {testRedirectURI},
		"scope": {"openid email profile groups calendar"}, "state": {testState}, "nonce": {testNonce},
		"code_challenge":        {"EqEGs5pIMuljbpLTjRMiwvPGs2tOQNVxme9rjGjCFD0"},
		"code_challenge_method": {"S256"}, "prompt": {"select_account"}, "login_hint": {"ada@example.com"},
	}, address.Query())
}
