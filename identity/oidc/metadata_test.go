package oidc

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/identity/oidc/oidctest"
)

// authorize asks for the address of the sign-in page, which needs discovery alone.
func authorize(t *testing.T, p *Provider) error {
	t.Helper()
	_, err := p.AuthorizationURL(t.Context(), Request{
		State: testState, Nonce: testNonce, Verifier: testVerifier,
	})
	return err
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	change := func(changes map[string]any) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) {
			p.Set(func(b *oidctest.Behavior) { b.Discovery = set(changes) })
		}
	}
	handle := func(h http.HandlerFunc) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) { p.Handle(oidctest.Discovery, h) }
	}
	const unusable, document = "cannot be used: ", "cannot be used: its discovery document "
	for name, tt := range map[string]struct {
		behave    func(*oidctest.Provider)
		reason    string
		temporary bool
	}{
		"as it usually is":          {change(nil), "", false},
		"without userinfo endpoint": {change(map[string]any{"userinfo_endpoint": nil}), "", false},
		"of another issuer": {
			change(map[string]any{"issuer": "https://evil.example"}), document + "is that of another issuer", false,
		},
		"without an issuer": {
			change(map[string]any{"issuer": nil}), document + "is that of another issuer", false,
		},
		"with a token endpoint without TLS": {
			change(map[string]any{"token_endpoint": "http://op.example/token"}),
			unusable + "its address of the token endpoint does not begin with https:// (plain http is " +
				"accepted for hosts of this machine alone)", false,
		},
		"with a key set in a file": {
			change(map[string]any{"jwks_uri": "file:///etc/passwd"}),
			unusable + "its address of the key set is not a URL", false,
		},
		"with a script as sign-in page": {
			change(map[string]any{"authorization_endpoint": "javascript:alert(1)"}),
			unusable + "its address of the authorization endpoint is not a URL", false,
		},
		"without a sign-in page": {
			change(map[string]any{"authorization_endpoint": nil}),
			unusable + "its address of the authorization endpoint is not a URL", false,
		},
		"with a password in an address": {
			change(map[string]any{"userinfo_endpoint": "https://a:b@op.example/"}),
			unusable + "its address of the userinfo endpoint has a user name or a fragment", false,
		},
		"with numbers for texts": {
			change(map[string]any{"token_endpoint": 1}), document + "is not JSON, or has other types", false,
		},
		"that is a page": {
			handle(oidctest.HTML(200)), document + "does not have the content type application/json", false,
		},
		"that is a list": {
			handle(oidctest.JSON(200, "[]")), document + "is not JSON, or has other types", false,
		},
		"that is cut off": {
			handle(oidctest.JSON(200, `{"issuer":`)), document + "is not JSON, or has other types", false,
		},
		"that is not there": {handle(http.NotFound), document + "was answered with status 404", false},
		"that is not there now": {
			handle(oidctest.HTML(503)), "does not answer: its discovery document was answered with status 503", true,
		},
		"that redirects to a private address": {
			handle(oidctest.RedirectTo("http://169.254.169.254/latest/meta-data")),
			document + "is a redirect, and redirects are not followed", false,
		},
		"of 10 MB": {handle(oidctest.Big(10 << 20)), document + "is larger than 1024 KB", false},
		"of a server that was stopped": {
			func(p *oidctest.Provider) { p.Stop() },
			"does not answer: its discovery document cannot be fetched: its host refuses connections",
			true,
		},
		"that never comes": {
			func(p *oidctest.Provider) { p.Handle(oidctest.Discovery, p.Hang()) },
			"does not answer: its discovery document did not arrive in time", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			tt.behave(fake)
			err := authorize(t, newSlowProvider(t, acme(fake), nil, time.Second))
			if tt.reason == "" {
				require.NoError(t, err)
				return
			}
			requireReason(t, err, tt.reason, tt.temporary)
		})
	}

	t.Run("is at the issuer, with and without a slash", func(t *testing.T) {
		t.Parallel()
		for path, other := range map[string]string{"": "/", "/": "", "/realms/acme": "/realms/acme/"} {
			fake := oidctest.NewProvider(t, oidctest.Options{Path: path})
			c := acme(fake)
			_, err := exchange(t, newTestProvider(t, c, nil))
			require.NoError(t, err)
			c.Issuer = strings.TrimSuffix(fake.URL, path) + other
			requireReason(t, authorize(t, newTestProvider(t, c, nil)), document+"is that of another issuer", false)
		}
	})
}

func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	elsewhere := oidctest.NewProvider(t, oidctest.Options{TLS: true})
	for endpoint, what := range map[string]string{
		"jwks_uri": "key set", "token_endpoint": "token response", "userinfo_endpoint": "userinfo response",
	} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			fake.Set(func(b *oidctest.Behavior) {
				b.Discovery = set(map[string]any{endpoint: elsewhere.URL + oidctest.Keys})
				b.EmailInUserInfo = true
			})
			_, err := exchange(t, newTestProvider(t, acme(fake), nil))
			requireReason(t, err, "cannot be used: its "+what+" is at a private address", false)
		})
	}
	t.Run("issuer", func(t *testing.T) {
		t.Parallel()
		all, err := New([]Config{acme(elsewhere)}, Options{RedirectURI: testRedirectURI})
		require.NoError(t, err)
		requireReason(t, authorize(t, all.Get("custom:acme")),
			"cannot be used: its discovery document is at a private address", false)
	})
	t.Cleanup(func() { require.Zero(t, elsewhere.Requests(oidctest.Keys)) })
}

func TestDiscoveryIsKept(t *testing.T) {
	t.Parallel()
	now := newClock()
	fake := oidctest.NewProvider(t, oidctest.Options{})
	p := newTestProvider(t, acme(fake), now.Now)
	fetches := func() int { return fake.Requests(oidctest.Discovery) }

	require.NoError(t, authorize(t, p))
	now.advance(59 * time.Minute)
	require.NoError(t, authorize(t, p))
	require.Equal(t, 1, fetches(), "for an hour")

	now.advance(2 * time.Minute)
	require.NoError(t, authorize(t, p))
	require.Equal(t, 2, fetches())

	fake.Handle(oidctest.Discovery, oidctest.HTML(http.StatusBadGateway))
	now.advance(23 * time.Hour)
	require.NoError(t, authorize(t, p), "the old one is used")
	require.NoError(t, authorize(t, p))
	require.Equal(t, 3, fetches(), "and not fetched for each request")
	now.advance(61 * time.Second)
	require.NoError(t, authorize(t, p))
	require.Equal(t, 4, fetches())

	now.advance(time.Hour)
	require.Error(t, authorize(t, p), "for a day")
	require.Error(t, authorize(t, p))
	require.Equal(t, 5, fetches())

	fake.Handle(oidctest.Discovery, nil)
	require.Error(t, authorize(t, p), "not for ten seconds")
	now.advance(11 * time.Second)
	require.NoError(t, authorize(t, p))
	require.Equal(t, 6, fetches())
}
