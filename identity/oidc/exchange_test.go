package oidc

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/identity/oidc/oidctest"
)

func TestExchange(t *testing.T) {
	t.Parallel()

	t.Run("returns who has signed in", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		p := newTestProvider(t, acme(fake), nil)
		account, err := exchange(t, p)
		require.NoError(t, err)
		require.Equal(t, Account{
			Issuer: fake.URL, Subject: "248289761001", Email: "ada@example.com", EmailProven: true,
			Name: "Ada Lovelace",
		}, account)
	})

	t.Run("accepts a code once", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		p := newTestProvider(t, acme(fake), nil)
		answer := signIn(t, p)
		_, err := p.Exchange(t.Context(), answer)
		require.NoError(t, err)
		_, err = p.Exchange(t.Context(), answer)
		requireReason(t, err, "did not accept the code: invalid_grant", false)
	})

	t.Run("sends the verifier and the nonce of the request", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		p := newTestProvider(t, acme(fake), nil)
		answer := signIn(t, p)
		answer.Verifier = strings.Repeat("another-", 8)
		_, err := p.Exchange(t.Context(), answer)
		requireReason(t, err, "did not accept the code: invalid_grant", false)
		answer = signIn(t, p)
		answer.Nonce = "another"
		_, err = p.Exchange(t.Context(), answer)
		requireReason(t, err, "gave no ID token that is accepted: it has another nonce", false)
		for _, without := range []Answer{{}, {Code: "c"}, {Code: "c", Nonce: "n"}, {Code: "c", Verifier: "v"}} {
			_, err = p.Exchange(t.Context(), without)
			require.Error(t, err)
		}
	})

	t.Run("works over TLS", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{TLS: true})
		options := Options{RedirectURI: testRedirectURI, AllowedHosts: []string{fake.Host()}, Roots: fake.Roots()}
		all, err := New([]Config{acme(fake)}, options)
		require.NoError(t, err)
		_, err = all.Get("custom:acme").VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
		require.NoError(t, err)
		options.Roots = nil
		all, err = New([]Config{acme(fake)}, options)
		require.NoError(t, err)
		_, err = all.Get("custom:acme").AuthorizationURL(t.Context(), Request{})
		requireReason(t, err, "cannot be used: its discovery document cannot be fetched: the certificate "+
			"authority of its host is unknown", false)
	})
}

func TestClientAuthentication(t *testing.T) {
	t.Parallel()
	const basic, post = "client_secret_basic", "client_secret_post"
	for name, tt := range map[string]struct {
		listed   []string
		accepted string
		public   bool
		requests int // to the token endpoint, of two exchanges
	}{
		"basic":                                     {[]string{basic}, basic, false, 2},
		"post":                                      {[]string{post}, post, false, 2},
		"both, where both are accepted":             {[]string{post, basic}, "", false, 2},
		"both, where post alone is accepted":        {[]string{basic, post}, post, false, 3},
		"both, where basic alone is accepted":       {[]string{basic, post}, basic, false, 2},
		"a client without a secret":                 {[]string{"none"}, "", true, 2},
		"a client without a secret, where one may":  {[]string{basic, post}, "", true, 2},
		"one that we do not have, where basic does": {[]string{"private_key_jwt", basic}, basic, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{PublicClient: tt.public})
			fake.Set(func(b *oidctest.Behavior) { b.AuthMethods, b.AcceptedAuth = tt.listed, tt.accepted })
			p := newTestProvider(t, acme(fake), nil)
			for range 2 {
				_, err := exchange(t, p)
				require.NoError(t, err)
			}
			require.Equal(t, tt.requests, fake.Requests(oidctest.Token))
		})
	}

	t.Run("discovery without methods means basic", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		fake.Set(func(b *oidctest.Behavior) {
			b.AcceptedAuth = basic
			b.Discovery = func(d map[string]any) { delete(d, "token_endpoint_auth_methods_supported") }
		})
		_, err := exchange(t, newTestProvider(t, acme(fake), nil))
		require.NoError(t, err)
	})

	t.Run("errors have no secret and no code", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		c := acme(fake)
		c.ClientSecret = "wrong-secret"
		p := newTestProvider(t, c, nil)
		answer := signIn(t, p)
		_, err := p.Exchange(t.Context(), answer)
		requireReason(t, err, "did not accept the code: invalid_client", false)
		require.NotContains(t, err.Error(), c.ClientSecret)
		require.NotContains(t, err.Error(), answer.Code)
		require.Equal(t, 2, fake.Requests(oidctest.Token))
	})
}

func TestTokenResponses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		handler   http.HandlerFunc
		reason    string
		temporary bool
	}{
		"a page": {
			oidctest.HTML(http.StatusOK),
			"cannot be used: its token response is not JSON with an access token", false,
		},
		"a page with status 400": {
			oidctest.HTML(http.StatusBadRequest),
			"did not accept the code: it was answered with status 400 and no error code", false,
		},
		"a page with status 503": {
			oidctest.HTML(http.StatusServiceUnavailable),
			"does not answer: its token endpoint responded with status 503", true,
		},
		"too many requests": {
			oidctest.JSON(http.StatusTooManyRequests, `{"error":"slow_down"}`),
			"does not answer: its token endpoint responded with status 429", true,
		},
		"an error code": {
			oidctest.JSON(http.StatusBadRequest, `{"error":"unsupported_grant_type","error_description":"<b>"}`),
			"did not accept the code: unsupported_grant_type", false,
		},
		"an error code with status 200": {
			oidctest.JSON(http.StatusOK, `{"error":"bad_verification_code"}`),
			"did not accept the code: bad_verification_code", false,
		},
		"words instead of an error code": {
			oidctest.JSON(http.StatusBadRequest, `{"error":"Your code s3cr3t is wrong"}`),
			"did not accept the code: it was answered with status 400 and no error code", false,
		},
		"a long error code": {
			oidctest.JSON(http.StatusBadRequest, `{"error":"`+strings.Repeat("a", 61)+`"}`),
			"did not accept the code: it was answered with status 400 and no error code", false,
		},
		"no ID token": {
			oidctest.JSON(http.StatusOK, `{"access_token":"a","token_type":"Bearer"}`),
			"cannot be used: its token response has no ID token", false,
		},
		"an ID token that is a number": {
			oidctest.JSON(http.StatusOK, `{"access_token":"a","id_token":1}`),
			"cannot be used: its token response has no ID token", false,
		},
		"no access token": {
			oidctest.JSON(http.StatusOK, `{"id_token":"a.b.c"}`),
			"cannot be used: its token response is not JSON with an access token", false,
		},
		"another type": {
			oidctest.JSON(http.StatusOK, `[]`),
			"cannot be used: its token response is not JSON with an access token", false,
		},
		"a redirect": {
			oidctest.RedirectTo("http://127.0.0.1/secret"),
			"did not accept the code: it was answered with status 302 and no error code", false,
		},
		"10 MB": {
			oidctest.Big(10 << 20),
			"cannot be used: its token response is larger than 1024 KB", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			p := newTestProvider(t, acme(fake), nil)
			fake.Handle(oidctest.Token, tt.handler)
			_, err := exchange(t, p)
			requireReason(t, err, tt.reason, tt.temporary)
			require.Equal(t, 1, fake.Requests(oidctest.Token), "the code is used once")
		})
	}

	t.Run("that never come", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		fake.Handle(oidctest.Token, fake.Hang())
		p := newSlowProvider(t, acme(fake), nil, 300*time.Millisecond)
		_, err := exchange(t, p)
		requireReason(t, err, "does not answer: its token response did not arrive in time", true)
	})

	t.Run("that nobody waits for", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		p := newTestProvider(t, acme(fake), nil)
		answer := signIn(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		hang := fake.Hang()
		fake.Handle(oidctest.Token, func(w http.ResponseWriter, r *http.Request) {
			cancel()
			hang(w, r)
		})
		_, err := p.Exchange(ctx, answer)
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, errors.As(err, new(*Error)))
	})
}

func TestIssuerOfTheRedirect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		announced bool
		redirect  func(*oidctest.Provider) func(url.Values)
		reason    string
	}{
		"is checked":                           {true, nil, ""},
		"may be missing where it is not named": {false, nil, ""},
		"is missing although it is announced": {true, func(*oidctest.Provider) func(url.Values) {
			return func(v url.Values) { v.Del("iss") }
		}, "did not say who it is, as it says that it does (iss)"},
		"is another one": {true, func(*oidctest.Provider) func(url.Values) {
			return func(v url.Values) { v.Set("iss", "https://evil.example") }
		}, "is not the one that has answered (iss)"},
		"is another one, and not announced": {false, func(*oidctest.Provider) func(url.Values) {
			return func(v url.Values) { v.Set("iss", "https://evil.example") }
		}, "is not the one that has answered (iss)"},
		"has a slash more": {true, func(p *oidctest.Provider) func(url.Values) {
			return func(v url.Values) { v.Set("iss", p.URL+"/") }
		}, "is not the one that has answered (iss)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			fake.Set(func(b *oidctest.Behavior) {
				b.SendsIssuer = tt.announced
				if tt.redirect != nil {
					b.Redirect = tt.redirect(fake)
				}
			})
			p := newTestProvider(t, acme(fake), nil)
			_, err := exchange(t, p)
			if tt.reason == "" {
				require.NoError(t, err)
				return
			}
			requireReason(t, err, tt.reason, false)
			require.Zero(t, fake.Requests(oidctest.Token), "the code is not sent")
		})
	}
}

func TestUserInfo(t *testing.T) {
	t.Parallel()
	withoutEmail := func(t *testing.T) (*oidctest.Provider, *Provider) {
		t.Helper()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		fake.Set(func(b *oidctest.Behavior) { b.EmailInUserInfo = true })
		return fake, newTestProvider(t, acme(fake), nil)
	}
	t.Run("is asked for if the ID token has no address", func(t *testing.T) {
		t.Parallel()
		fake, p := withoutEmail(t)
		account, err := exchange(t, p)
		require.NoError(t, err)
		require.Equal(t, "ada@example.com", account.Email)
		require.True(t, account.EmailProven)
		require.Equal(t, "Ada Lovelace", account.Name)
		require.Equal(t, 1, fake.Requests(oidctest.UserInfo))
	})
	t.Run("is not asked for otherwise", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		_, err := exchange(t, newTestProvider(t, acme(fake), nil))
		require.NoError(t, err)
		require.Zero(t, fake.Requests(oidctest.UserInfo))
	})
	t.Run("is asked with the access token of a client", func(t *testing.T) {
		t.Parallel()
		fake, p := withoutEmail(t)
		fake.Handle(oidctest.UserInfo, func(w http.ResponseWriter, r *http.Request) {
			require.Equal(t, "Bearer a", r.Header.Get("Authorization"))
			oidctest.JSON(200, `{"sub": "248289761001", "email": "ada@example.com", "email_verified": true}`)(w, r)
		})
		account, err := p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil), AccessToken: "a"})
		require.NoError(t, err)
		require.Equal(t, "ada@example.com", account.Email)
		require.True(t, account.EmailProven)
		fake.Handle(oidctest.UserInfo, oidctest.JSON(200, `{"sub": "somebody", "email": "ada@example.com"}`))
		_, err = p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil), AccessToken: "a"})
		requireReason(t, err, "cannot be used: its userinfo response is about somebody else", false)
		account, err = p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
		require.NoError(t, err)
		require.Empty(t, account.Email)
	})
	t.Run("is not asked for at Microsoft, where it proves nothing", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{Path: "/" + personalAccounts + "/v2.0"})
		fake.Set(func(b *oidctest.Behavior) { b.EmailInUserInfo = true })
		fake.Handle(oidctest.UserInfo, oidctest.HTML(502))
		c := acme(fake)
		c.Name, c.TrustsEmail = NameAzure, false
		account, err := exchange(t, newTestProvider(t, c, nil))
		require.NoError(t, err)
		require.Empty(t, account.Email)
		require.Zero(t, fake.Requests(oidctest.UserInfo))
	})
	t.Run("may be missing", func(t *testing.T) {
		t.Parallel()
		fake, p := withoutEmail(t)
		fake.Set(func(b *oidctest.Behavior) {
			b.Discovery = func(d map[string]any) { delete(d, "userinfo_endpoint") }
		})
		account, err := exchange(t, p)
		require.NoError(t, err)
		require.Empty(t, account.Email)
		require.False(t, account.EmailProven)
	})
	t.Run("does not prove an address by another one's claims", func(t *testing.T) {
		t.Parallel()
		fake, p := withoutEmail(t)
		fake.Set(func(b *oidctest.Behavior) {
			b.IDToken = func(c map[string]any) { c["email_verified"] = true }
			b.UserInfo = func(c map[string]any) { delete(c, "email_verified") }
		})
		account, err := exchange(t, p)
		require.NoError(t, err)
		require.Equal(t, "ada@example.com", account.Email)
		require.False(t, account.EmailProven)
	})
	for name, tt := range map[string]struct {
		behave    func(*oidctest.Behavior)
		reason    string
		temporary bool
	}{
		"about somebody else": {func(b *oidctest.Behavior) {
			b.UserInfo = func(c map[string]any) { c["sub"] = "248289761002" }
		}, "cannot be used: its userinfo response is about somebody else", false},
		"about nobody": {func(b *oidctest.Behavior) {
			b.UserInfo = func(c map[string]any) { delete(c, "sub") }
		}, "cannot be used: its userinfo response is about somebody else", false},
		"about two": {func(b *oidctest.Behavior) {
			b.UserInfo = func(c map[string]any) { c["Sub"] = "248289761002" }
		}, "cannot be used: its userinfo response is not a JSON object with one subject", false},
		"null": {func(b *oidctest.Behavior) {
			b.Handlers = map[string]http.HandlerFunc{oidctest.UserInfo: oidctest.JSON(200, "null")}
		}, "cannot be used: its userinfo response is not a JSON object with one subject", false},
		"a page": {func(b *oidctest.Behavior) {
			b.Handlers = map[string]http.HandlerFunc{oidctest.UserInfo: oidctest.HTML(200)}
		}, "cannot be used: its userinfo response does not have the content type application/json", false},
		"status 502": {func(b *oidctest.Behavior) {
			b.Handlers = map[string]http.HandlerFunc{oidctest.UserInfo: oidctest.HTML(502)}
		}, "does not answer: its userinfo response was answered with status 502", true},
		"10 MB": {func(b *oidctest.Behavior) {
			b.Handlers = map[string]http.HandlerFunc{oidctest.UserInfo: oidctest.Big(10 << 20)}
		}, "cannot be used: its userinfo response is larger than 1024 KB", false},
	} {
		t.Run("is rejected: "+name, func(t *testing.T) {
			t.Parallel()
			fake, p := withoutEmail(t)
			fake.Set(tt.behave)
			account, err := exchange(t, p)
			requireReason(t, err, tt.reason, tt.temporary)
			require.Zero(t, account)
		})
	}
}
