package oidc

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/identity/oidc/oidctest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const clientProblem = "does not accept the client id or the client secret: "
	now := time.Now().Truncate(time.Second) // as in Date
	at := func(ahead time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", now.Add(ahead).UTC().Format(http.TimeFormat))
			code := "invalid_grant"
			if _, secret, _ := r.BasicAuth(); secret == impossibleSecret {
				code = "invalid_client"
			}
			oidctest.JSON(http.StatusBadRequest, `{"error":"`+code+`"}`)(w, r)
		}
	}
	for name, tt := range map[string]struct {
		behave  func(*oidctest.Provider, *Config)
		problem string
		advice  string // a part of it; empty if there is none
	}{
		"finds no problem": {func(*oidctest.Provider, *Config) {}, "", ""},
		"finds no problem where post alone is accepted": {func(p *oidctest.Provider, _ *Config) {
			p.Set(func(b *oidctest.Behavior) { b.AcceptedAuth = "client_secret_post" })
		}, "", ""},
		"a wrong secret": {func(_ *oidctest.Provider, c *Config) {
			c.ClientSecret = "wrong-secret"
		}, clientProblem + "invalid_client", "a secret may have expired"},
		"a wrong client id": {func(_ *oidctest.Provider, c *Config) {
			c.ClientIDs = []string{"wrong", oidctest.ClientID}
		}, clientProblem + "invalid_client", "the first of the client ids"},
		"a client that is not allowed to": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, oidctest.JSON(400, `{"error":"unauthorized_client"}`))
		}, clientProblem + "unauthorized_client", "copy both"},
		"401 without a code": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, oidctest.HTML(http.StatusUnauthorized))
		}, clientProblem + "status 401", "copy both"},
		"another redirect URI": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, oidctest.JSON(400, `{"error":"redirect_uri_mismatch"}`))
		}, "does not know the redirect URI of this service", testRedirectURI},
		"a token endpoint that looks at the code before the secret": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, oidctest.JSON(400, `{"error":"invalid_grant"}`))
		}, "", "looks at the code first"},
		"another code": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, oidctest.JSON(400, `{"error":"invalid_request"}`))
		}, "", "the token endpoint responded with invalid_request"},
		"a page of the token endpoint": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, oidctest.HTML(404))
		}, "", "the token endpoint responded with status 404"},
		"a token endpoint that does not answer": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, oidctest.HTML(502))
		}, "does not answer: its token endpoint responded with status 502", "nobody can sign in"},
		"an issuer with a slash": {func(p *oidctest.Provider, _ *Config) {
			p.Set(func(b *oidctest.Behavior) { b.Discovery = set(map[string]any{"issuer": p.URL + "/"}) })
		}, "has an issuer that differs by the slash at the end", "/, with a slash at the end"},
		"an issuer without the slash": {func(_ *oidctest.Provider, c *Config) {
			c.Issuer += "/"
		}, "has an issuer that differs by the slash at the end", ", without a slash at the end"},
		"another issuer": {func(p *oidctest.Provider, _ *Config) {
			p.Set(func(b *oidctest.Behavior) { b.Discovery = set(map[string]any{"issuer": "https://b.example"}) })
		}, "says that it is another issuer", "if https://b.example is the right one"},
		"no issuer": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Discovery, oidctest.JSON(200, "{}"))
		}, "has a discovery document without a valid issuer", "/.well-known/openid-configuration must be"},
		"Azure's template": {func(p *oidctest.Provider, _ *Config) {
			p.Set(func(b *oidctest.Behavior) {
				b.Discovery = set(map[string]any{"issuer": "https://login.microsoftonline.com/{tenantid}/v2.0"})
			})
		}, "has an issuer for several tenants", "EXTERNAL_AZURE_CLIENT_ID"},
		"no discovery": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Discovery, http.NotFound)
		}, "cannot be used: its discovery document was answered with status 404", "check the issuer"},
		"a server that was stopped": {func(p *oidctest.Provider, _ *Config) {
			p.Stop()
		}, "does not answer: its discovery document cannot be fetched: its host refuses connections",
			"allow connections from this machine to 127.0.0.1:"},
		"keys at a private address": {func(p *oidctest.Provider, _ *Config) {
			p.Set(func(b *oidctest.Behavior) { b.Discovery = set(map[string]any{"jwks_uri": "https://[::1]/keys"}) })
		}, "cannot be used: its key set is at a private address", "add ::1 to EXTERNAL_ALLOWED_HOSTS"},
		"keys at an unknown host": {func(p *oidctest.Provider, _ *Config) {
			p.Set(func(b *oidctest.Behavior) { b.Discovery = set(map[string]any{"jwks_uri": "https://a.invalid"}) })
		}, "does not answer: its key set cannot be fetched: the name of its host is unknown",
			"check the name a.invalid"},
		"no keys": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Keys, oidctest.JSON(200, "{}"))
		}, "cannot be used: its key set has no key for signatures", "correct the key set"},
		"a clock that is ahead": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, at(90*time.Second))
		}, "has another time: this machine's clock is 1m30s behind its clock", "NTP"},
		"a clock that is behind": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, at(-2*time.Hour))
		}, "has another time: this machine's clock is 2h0m0s ahead of its clock", "NTP"},
		"a clock that is half a minute ahead": {func(p *oidctest.Provider, _ *Config) {
			p.Handle(oidctest.Token, at(30*time.Second))
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			c := acme(fake)
			tt.behave(fake, &c)
			report := newTestProvider(t, c, func() time.Time { return now }).Check(t.Context())
			require.Equal(t, tt.problem, report.Problem)
			require.Equal(t, tt.problem == "", report.OK())
			require.Contains(t, report.Advice, tt.advice)
			require.Equal(t, tt.advice == "", report.Advice == "", report.Advice)
			for _, secret := range []string{c.ClientSecret, impossibleCode} {
				require.NotContains(t, fmt.Sprint(report), secret)
			}
		})
	}

	t.Run("does not hang", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		fake.Handle(oidctest.Token, fake.Hang())
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		report := newTestProvider(t, acme(fake), nil).Check(ctx)
		require.Equal(t, "did not answer in time", report.Problem)
		require.Contains(t, report.Advice, "allow connections from this machine to "+fake.Host())
	})
	t.Run("says which authority is needed", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{TLS: true})
		report := newTestProvider(t, acme(fake), nil).Check(t.Context())
		require.Contains(t, report.Problem, "the certificate authority of its host is unknown")
		require.Contains(t, report.Advice, "SSL_CERT_FILE")
	})
	t.Run("works for a client without a secret", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{PublicClient: true})
		require.True(t, newTestProvider(t, acme(fake), nil).Check(t.Context()).OK())
	})
}
