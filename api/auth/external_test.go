package auth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db/dbtest"
	"research/identity/oidc"
	"research/identity/oidc/oidctest"
)

// acme is the provider of these tests. It vouches for addresses.
const acme = "custom:acme"

// home is PUBLIC_URL, where a browser goes if the client named no other address.
const home = "https://research.example"

// withProvider returns an edge that offers a provider. Each change alters its configuration.
func withProvider(
	t testing.TB, changes ...func(*auth.Config, *token.KeysConfig),
) (*edge, *oidctest.Provider) {
	t.Helper()
	p := oidctest.NewProvider(t, oidctest.Options{RedirectURIs: []string{home + "/auth/v1/callback"}})
	p.SetUser(oidctest.User{
		Subject: "1815", Email: "Ada@Example.com", EmailVerified: true, Name: "Ada Lovelace",
	})
	return setup(t, append([]func(*auth.Config, *token.KeysConfig){offering(t, p, nil)}, changes...)...), p
}

// offering configures a provider.
func offering(
	t testing.TB, p *oidctest.Provider, change func(*oidc.Config),
) func(*auth.Config, *token.KeysConfig) {
	t.Helper()
	c := oidc.Config{
		Name: acme, Label: "Acme", Issuer: p.URL, ClientIDs: []string{p.ClientID()},
		ClientSecret: p.ClientSecret(), TrustsEmail: true,
	}
	if change != nil {
		change(&c)
	}
	return func(cfg *auth.Config, _ *token.KeysConfig) {
		providers, err := oidc.New([]oidc.Config{c}, oidc.Options{
			RedirectURI: home + "/auth/v1/callback", AllowedHosts: []string{p.Host()}, Now: cfg.Identity.Now,
		})
		require.NoError(t, err)
		cfg.Identity.Providers = providers
	}
}

// A visitor is a browser with its cookie.
type visitor struct {
	*edge
	cookie string
}

// get opens an address of the service, relative to /auth/v1.
func (v *visitor) get(t testing.TB, path string, headers ...string) answer {
	t.Helper()
	headers = append(headers, "apikey:")
	if v.cookie != "" {
		headers = append(headers, "Cookie: "+v.cookie)
	}
	a := v.do(t, "GET", path, "", headers...)
	if set := a.header.Get("Set-Cookie"); set != "" {
		v.cookie, _, _ = strings.Cut(set, ";")
	}
	return a
}

// begin opens /authorize as signInWithOAuth does, and returns the address of the provider.
func (v *visitor) begin(t testing.TB, changes ...string) string {
	t.Helper()
	query := url.Values{
		"provider": {acme}, "redirect_to": {home + "/projects?tab=1"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"s256"},
	}
	for _, c := range changes {
		name, value, _ := strings.Cut(c, "=")
		query.Set(name, value)
	}
	a := v.get(t, "/authorize?"+query.Encode())
	require.Equal(t, http.StatusFound, a.status, a.raw)
	return a.header.Get("Location")
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// atProvider opens an address of the provider, which signs its user in, and returns the path and query of the
// callback to which it sends the browser.
func (v *visitor) atProvider(t testing.TB, address string) string {
	t.Helper()
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	resp, err := client.Do(r)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	back := resp.Header.Get("Location")
	require.True(t, strings.HasPrefix(back, home+"/auth/v1/callback?"), "%d %s %s", resp.StatusCode, back, body)
	return strings.TrimPrefix(back, home+"/auth/v1")
}

// arrive opens the callback, and returns the query with which the browser arrives at the client.
func (v *visitor) arrive(t testing.TB, callback string) url.Values {
	t.Helper()
	a := v.get(t, callback)
	require.Equal(t, http.StatusFound, a.status, a.raw)
	require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	address, err := url.Parse(a.header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, "research.example", address.Host)
	return address.Query()
}

// signInAt signs in at the provider, and returns the query with which the browser arrives at the client.
func (v *visitor) signInAt(t testing.TB) url.Values {
	t.Helper()
	return v.arrive(t, v.atProvider(t, v.begin(t)))
}

// admitted signs in at the provider, and requires a session.
func (e *edge) admitted(t testing.TB) session {
	t.Helper()
	v := &visitor{edge: e}
	query := v.signInAt(t)
	require.NotEmpty(t, query.Get("code"), query)
	return begun(t, e.exchange(t, query.Get("code"), verifier))
}

func requireReturned(t testing.TB, query url.Values, code, errorCode string) {
	t.Helper()
	require.Empty(t, query.Get("code"))
	require.Equal(t, code, query.Get("error"), query)
	require.Equal(t, errorCode, query.Get("error_code"), query)
	require.NotEmpty(t, query.Get("error_description"))
}

// begun requires a session.
func begun(t testing.TB, a answer) session {
	t.Helper()
	require.Equal(t, 200, a.status, a.raw)
	return session{a.body["access_token"].(string), a.body["refresh_token"].(string)}
}

func userOf(t testing.TB, e *edge, s session) map[string]any {
	t.Helper()
	a := e.getUser(t, s.access)
	require.Equal(t, 200, a.status, a.raw)
	return a.body
}

func TestProviderSignIn(t *testing.T) {
	t.Parallel()

	t.Run("adds a user, and finds the user again by the account", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		first := e.admitted(t)
		user := userOf(t, e, first)
		require.Equal(t, "ada@example.com", user["email"])
		require.NotEmpty(t, user["email_confirmed_at"])
		require.Equal(t, map[string]any{"provider": acme, "providers": []any{acme}}, user["app_metadata"])
		metadata := user["user_metadata"].(map[string]any)
		require.Equal(t, "Ada Lovelace", metadata["full_name"])
		identities := user["identities"].([]any)
		require.Len(t, identities, 1)
		data := identities[0].(map[string]any)["identity_data"].(map[string]any)
		require.Equal(t, "1815", data["sub"])
		require.Equal(t, true, data["email_verified"])
		require.Equal(t, "oauth", claim(t, first.access, "amr").([]any)[0].(map[string]any)["method"])
		require.Equal(t, "aal1", claim(t, first.access, "aal"))
		require.Equal(t, "Ada Lovelace", dbtest.Value[string](t, e.DB, `select display_name from profiles`))

		p.SetUser(oidctest.User{Subject: "1815", Email: "countess@example.com", EmailVerified: true})
		again := userOf(t, e, e.admitted(t))
		require.Equal(t, user["id"], again["id"])
		require.Equal(t, "ada@example.com", again["email"], "the account keeps its address")
		require.Equal(t, 1, e.users(t))
		require.Equal(t, 1, e.audited(t, "user_signedup"))
	})

	t.Run("keeps the path and the query of the client's address", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		query := (&visitor{edge: e}).signInAt(t)
		require.Equal(t, "1", query.Get("tab"))
		v := &visitor{edge: e}
		a := v.get(t, v.atProvider(t, v.begin(t, "redirect_to=https://evil.example/")))
		require.True(t, strings.HasPrefix(a.header.Get("Location"), home+"?code="), a.header)
	})

	t.Run("links the account of a user who has proven the address, and tells the user", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		id := e.User(t, "ada@example.com")
		own := e.signIn(t, "ada@example.com", correct)
		user := userOf(t, e, e.admitted(t))
		require.Equal(t, id.String(), user["id"])
		require.Equal(t, []any{"email", acme}, user["app_metadata"].(map[string]any)["providers"])
		require.Len(t, user["identities"], 2)
		require.Equal(t, 200, e.getUser(t, own.access).status, "other sessions stay")
		require.Equal(t, []string{"identity_linked ada@example.com"}, e.notices(t))
	})

	t.Run("ends what a stranger began with the address", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		stranger := begun(t, e.signUp(t, "ada@example.com", correct))
		owner := userOf(t, e, e.admitted(t))
		require.NotEqual(t, 200, e.getUser(t, stranger.access).status)
		require.Equal(t, 400, e.grant(t, "ada@example.com", correct).status)
		require.Equal(t, []any{acme}, owner["app_metadata"].(map[string]any)["providers"])
		require.Equal(t, 1, e.users(t))
		requireNothingToMail(t, e)
	})

	t.Run("ends the identity of a stranger once the owner proves the address", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		p.SetUser(oidctest.User{Subject: "666", Email: "ada@example.com"}) // not verified
		stranger := e.admitted(t)
		e.askMagicLink(t, map[string]any{"email": "ada@example.com"})
		e.mail.requests = e.mail.requests[len(e.mail.requests)-1:]
		owner := begun(t, e.verify(t, "magiclink", e.minted(t)))
		require.NotEqual(t, 200, e.getUser(t, stranger.access).status)
		require.Len(t, userOf(t, e, owner)["identities"], 1)
		again := userOf(t, e, e.admitted(t))
		require.NotEqual(t, userOf(t, e, owner)["id"], again["id"], "the stranger has another account now")
		require.Empty(t, again["email"])
	})

	t.Run("does not let anybody in by an address that is not vouched for", func(t *testing.T) {
		t.Parallel()
		for name, change := range map[string]struct {
			user   oidctest.User
			config func(*oidc.Config)
		}{
			"not verified": {oidctest.User{Subject: "666", Email: "ada@example.com"}, nil},
			"of a provider whose word does not count": {
				oidctest.User{Subject: "666", Email: "ada@example.com", EmailVerified: true},
				func(c *oidc.Config) { c.TrustsEmail = false },
			},
		} {
			e, p := withProvider(t)
			if change.config != nil {
				e = setup(t, offering(t, p, change.config))
			}
			p.SetUser(change.user)
			id := e.User(t, "ada@example.com")
			user := userOf(t, e, e.admitted(t))
			require.NotEqual(t, id.String(), user["id"], name)
			require.Empty(t, user["email"], name)
			require.Equal(t, 200, e.grant(t, "ada@example.com", correct).status, name)
		}
	})

	t.Run("requires a link where addresses must be confirmed", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t, configured(func(c *auth.Config) { c.Identity.ConfirmEmail = true }))
		p.SetUser(oidctest.User{Subject: "1815", Email: "ada@example.com"})
		requireReturned(t, (&visitor{edge: e}).signInAt(t), "access_denied", "provider_email_needs_verification")
		requireReturned(t, (&visitor{edge: e}).signInAt(t), "access_denied", "provider_email_needs_verification")
		require.Equal(t, 1, e.users(t))
		e.mail.requests = e.mail.requests[len(e.mail.requests)-1:]
		require.Equal(t, 200, e.verify(t, "signup", e.minted(t)).status)
		require.Equal(t, "ada@example.com", userOf(t, e, e.admitted(t))["email"])
	})

	t.Run("follows the rules of sign-up", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t, configured(func(c *auth.Config) { c.Identity.SignUp = "off" }))
		requireReturned(t, (&visitor{edge: e}).signInAt(t), "access_denied", "signup_disabled")
		e.User(t, "ada@example.com")
		e.Exec(t, `update auth.users set email = 'ADA@example.com'`) // as some are imported
		e.admitted(t)

		e, p := withProvider(t, configured(func(c *auth.Config) { c.Identity.SignUp = "example.com" }))
		e.admitted(t)
		p.SetUser(oidctest.User{Subject: "2", Email: "eve@evil.example", EmailVerified: true})
		requireReturned(t, (&visitor{edge: e}).signInAt(t), "access_denied", "email_address_not_authorized")
		p.SetUser(oidctest.User{Subject: "3"})
		requireReturned(t, (&visitor{edge: e}).signInAt(t), "access_denied", "email_address_not_authorized")
		require.Equal(t, 1, e.users(t))
	})

	t.Run("refuses banned users, and forgets deleted ones", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		id := userOf(t, e, e.admitted(t))["id"]
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour'`)
		requireReturned(t, (&visitor{edge: e}).signInAt(t), "access_denied", "user_banned")
		a := e.do(t, "DELETE", "/admin/users/"+id.(string), `{"should_soft_delete":true}`, bearer(serviceKey))
		require.Equal(t, 200, a.status, a.raw)
		require.NotEqual(t, id, userOf(t, e, e.admitted(t))["id"])
	})

	t.Run("does not take the account at another provider of the same name for the same", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		e.admitted(t)
		e.Exec(t, `update auth.identities set identity_data = identity_data || '{"iss": "https://other.example"}'`)
		requireReturned(t, (&visitor{edge: e}).signInAt(t), "invalid_request", "bad_oauth_callback")
	})

	t.Run("asks for the second factor", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		e.protected(t, "ada@example.com")
		require.Equal(t, "aal1", claim(t, e.admitted(t).access, "aal"))
	})

	t.Run("counts the second factor of a provider that is trusted with it", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		user := oidctest.User{
			Subject: "1815", Email: "ada@example.com", EmailVerified: true,
			Claims: map[string]any{"amr": []string{"pwd", "mfa"}},
		}
		p.SetUser(user)
		require.Equal(t, "aal1", claim(t, e.admitted(t).access, "aal"))
		e = setup(t, offering(t, p, func(c *oidc.Config) { c.TrustsMFA = true }))
		s := e.admitted(t)
		require.Equal(t, "aal2", claim(t, s.access, "aal"))
		require.Equal(t, "aal2", claim(t, begun(t, e.refresh(t, s.refresh)).access, "aal"))
	})

	t.Run("handles sign-ins of one account at the same time", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		visitors := make([]*visitor, 8)
		callbacks := make([]string, len(visitors))
		for i := range visitors {
			visitors[i] = &visitor{edge: e}
			callbacks[i] = visitors[i].atProvider(t, visitors[i].begin(t))
		}
		answers := make(chan answer, len(visitors))
		for i, v := range visitors {
			go func() { answers <- v.get(t, callbacks[i]) }()
		}
		for range visitors {
			a := <-answers
			require.Contains(t, a.header.Get("Location"), "code=", a.raw)
		}
		require.Equal(t, 1, e.users(t))
	})
}

func TestProviderFlow(t *testing.T) {
	t.Parallel()

	t.Run("is bound to the browser that began it", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		attacker := &visitor{edge: e}
		callback := attacker.atProvider(t, attacker.begin(t))
		victim := &visitor{edge: e}
		requireReturned(t, victim.arrive(t, callback), "invalid_request", "bad_oauth_state")
		victim.begin(t)
		requireReturned(t, victim.arrive(t, callback), "invalid_request", "bad_oauth_state")
		require.NotEmpty(t, attacker.arrive(t, callback).Get("code"), "it is not used up")
	})

	t.Run("sets a cookie that no other host can set or read", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		a := (&visitor{edge: e}).get(t, "/authorize?provider="+acme+"&code_challenge_method=s256&code_challenge="+
			challengeOf(verifier))
		require.Regexp(t, `^__Host-research-browser=[A-Z2-7]{26}; Path=/; Max-Age=3600; HttpOnly; Secure; `+
			`SameSite=Lax$`, a.header.Get("Set-Cookie"))
	})

	t.Run("happens once", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		v := &visitor{edge: e}
		callback := v.atProvider(t, v.begin(t))
		require.NotEmpty(t, v.arrive(t, callback).Get("code"))
		requireReturned(t, v.arrive(t, callback), "invalid_request", "bad_oauth_state")
	})

	t.Run("does not accept the code of another flow", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		attacker, victim := &visitor{edge: e}, &visitor{edge: e}
		stolen, err := url.Parse(victim.atProvider(t, victim.begin(t)))
		require.NoError(t, err)
		p.SetUser(oidctest.User{Subject: "666"})
		own, err := url.Parse(attacker.atProvider(t, attacker.begin(t)))
		require.NoError(t, err)
		query := own.Query()
		query.Set("code", stolen.Query().Get("code"))
		requireReturned(t, attacker.arrive(t, "/callback?"+query.Encode()), "invalid_request", "bad_oauth_callback")
		require.Zero(t, e.users(t))
	})

	t.Run("ends after ten minutes, and its code after five", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		v := &visitor{edge: e}
		late := v.atProvider(t, v.begin(t))
		e.clock.advance(10 * time.Minute)
		requireReturned(t, v.arrive(t, late), "invalid_request", "flow_state_expired")
		code := v.signInAt(t).Get("code")
		e.clock.advance(5 * time.Minute)
		requireError(t, e.exchange(t, code, verifier), 422, "flow_state_expired")
	})

	t.Run("tells the client what the provider said, in known words", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		for said, told := range map[string]string{
			"access_denied": "access_denied", "consent_required": "consent_required",
			"<script>": "server_error", "": "server_error",
		} {
			v := &visitor{edge: e}
			address, err := url.Parse(v.begin(t))
			require.NoError(t, err)
			query := v.arrive(t, "/callback?"+url.Values{
				"state": {address.Query().Get("state")}, "error": {said}, "error_description": {"Look here"},
			}.Encode())
			requireReturned(t, query, told, "bad_oauth_callback")
			require.NotContains(t, query.Encode(), "Look")
		}
	})

	t.Run("accepts answers by form", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		v := &visitor{edge: e}
		form := strings.TrimPrefix(v.atProvider(t, v.begin(t)), "/callback?")
		a := e.do(t, "POST", "/callback", form, "apikey:", "Content-Type: application/x-www-form-urlencoded",
			"Origin: https://provider.example", "Sec-Fetch-Site: cross-site")
		require.Equal(t, http.StatusSeeOther, a.status, a.raw)
		back := strings.TrimPrefix(a.header.Get("Location"), home+"/auth/v1")
		require.NotEmpty(t, v.arrive(t, back).Get("code"))
	})

	t.Run("passes parameters on, but none of OAuth's", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		address, err := url.Parse((&visitor{edge: e}).begin(t, "login_hint=ada@example.com", "prompt=login",
			"scopes=calendar openid", "STATE=x", "Client_ID=x", "redirect_uri=https://evil.example", "nonce=x",
			"apikey=secret", "response_mode=fragment"))
		require.NoError(t, err)
		query := address.Query()
		require.Equal(t, "ada@example.com", query.Get("login_hint"))
		require.Equal(t, "login", query.Get("prompt"))
		require.Contains(t, query.Get("scope"), "calendar")
		require.Equal(t, p.ClientID(), query.Get("client_id"))
		require.Equal(t, home+"/auth/v1/callback", query.Get("redirect_uri"))
		require.Equal(t, "S256", query.Get("code_challenge_method"))
		for name := range query {
			require.NotContains(t, []string{"STATE", "Client_ID", "apikey", "response_mode"}, name)
		}
		require.NotEqual(t, "x", query.Get("nonce"))
	})

	t.Run("rejects what it cannot begin", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		v := &visitor{edge: e}
		const pkce = "&code_challenge_method=s256&code_challenge="
		for path, code := range map[string]string{
			"/authorize?provider=github" + pkce + challengeOf(verifier): "validation_failed",
			"/authorize?provider=" + acme:                               "validation_failed",
			"/authorize?provider=" + acme + pkce + "short":              "validation_failed",
			"/authorize?flow=unknown":                                   "bad_oauth_state",
			"/authorize?provider=" + acme + pkce + challengeOf(verifier) + "&login_hint=" +
				strings.Repeat("x", 2001): "validation_failed",
		} {
			requireError(t, v.get(t, path), 400, code)
		}
		page := v.get(t, "/authorize?provider="+acme, "Accept: text/html")
		require.Equal(t, 400, page.status)
		require.Contains(t, page.raw, "PKCE")
		p.Stop()
		requireError(t, v.get(t, "/authorize?provider="+acme+pkce+challengeOf(verifier)), 503,
			"bad_oauth_callback")
	})

	t.Run("is limited by the address", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		v := &visitor{edge: e}
		for range 600 {
			v.begin(t)
		}
		requireError(t, v.get(t, "/authorize?provider="+acme+"&code_challenge_method=s256&code_challenge="+
			challengeOf(verifier)), 429, "over_request_rate_limit")
	})

	t.Run("keeps no secret of the client in the database", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		v := &visitor{edge: e}
		address, err := url.Parse(v.begin(t))
		require.NoError(t, err)
		_, cookie, _ := strings.Cut(v.cookie, "=")
		stored := dbtest.Value[string](t, e.DB, `select f::text from auth.provider_flows f`)
		require.NotContains(t, stored, address.Query().Get("state"))
		require.NotContains(t, stored, cookie)
	})
}

// idToken signs in with an ID token.
func (e *edge) idToken(t testing.TB, body map[string]any, headers ...string) answer {
	t.Helper()
	return e.do(t, "POST", "/token?grant_type=id_token", jsonOf(body), headers...)
}

func TestIDTokenGrant(t *testing.T) {
	t.Parallel()

	t.Run("begins a session, with a nonce or without one", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		first := begun(t, e.idToken(t, map[string]any{"provider": acme, "id_token": p.IDToken(nil)}))
		require.Equal(t, "ada@example.com", userOf(t, e, first)["email"])
		hash := sha256.Sum256([]byte("once"))
		withNonce := p.IDToken(func(claims map[string]any) { claims["nonce"] = hex.EncodeToString(hash[:]) })
		body := map[string]any{"provider": acme, "id_token": withNonce, "nonce": "once"}
		begun(t, e.idToken(t, body))
		body["nonce"] = "twice"
		requireError(t, e.idToken(t, body), 400, "bad_oauth_callback")
		delete(body, "nonce")
		requireError(t, e.idToken(t, body), 400, "bad_oauth_callback")
		require.Equal(t, 1, e.users(t))
	})

	t.Run("rejects tokens that are not for it, and counts them", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t, configured(func(c *auth.Config) { c.Identity.Limits.AddressFailures = 3 }))
		other := p.IDToken(func(claims map[string]any) { claims["aud"] = "another-client" })
		for range 3 {
			requireError(t, e.idToken(t, map[string]any{"provider": acme, "id_token": other}), 400,
				"bad_oauth_callback")
		}
		a := e.idToken(t, map[string]any{"provider": acme, "id_token": p.IDToken(nil)})
		requireError(t, a, 429, "over_request_rate_limit")
		require.Zero(t, e.users(t))
	})

	t.Run("needs a provider and a token", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		requireError(t, e.idToken(t, map[string]any{"provider": acme}), 400, "validation_failed")
		requireError(t, e.idToken(t, map[string]any{"id_token": p.IDToken(nil)}), 400, "validation_failed")
		requireError(t, e.idToken(t, map[string]any{"provider": "apple", "id_token": p.IDToken(nil)}), 400,
			"provider_disabled")
	})
}

// link begins to link an account, and returns the address that the browser opens.
func (e *edge) link(t testing.TB, access string) answer {
	t.Helper()
	return e.do(t, "GET", "/user/identities/authorize?"+url.Values{
		"provider": {acme}, "redirect_to": {home + "/settings"}, "skip_http_redirect": {"true"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"s256"},
	}.Encode(), "", bearer(access))
}

// linked links the account at the provider to the user of a session.
func (e *edge) linked(t testing.TB, s session) answer {
	t.Helper()
	a := e.link(t, s.access)
	require.Equal(t, 200, a.status, a.raw)
	return e.finishLink(t, a.body["url"].(string))
}

func (e *edge) finishLink(t testing.TB, address string) answer {
	t.Helper()
	v := &visitor{edge: e}
	a := v.get(t, strings.TrimPrefix(address, home+"/auth/v1"))
	require.Equal(t, http.StatusFound, a.status, a.raw)
	query := v.arrive(t, v.atProvider(t, a.header.Get("Location")))
	require.NotEmpty(t, query.Get("code"), query)
	return e.exchange(t, query.Get("code"), verifier)
}

func (e *edge) unlink(t testing.TB, s session, id any) answer {
	t.Helper()
	return e.do(t, "DELETE", "/user/identities/"+id.(string), "", bearer(s.access))
}

// identityIDs maps the providers of a user's identities to their ids.
func (e *edge) identityIDs(t testing.TB, s session) map[string]any {
	t.Helper()
	ids := map[string]any{}
	for _, one := range userOf(t, e, s)["identities"].([]any) {
		identity := one.(map[string]any)
		ids[identity["provider"].(string)] = identity["identity_id"]
	}
	return ids
}

func TestLinkedIdentities(t *testing.T) {
	t.Parallel()

	// member returns an edge with a user and a session. The account at the provider has another address.
	member := func(t *testing.T) (*edge, *oidctest.Provider, session) {
		t.Helper()
		e, p := withProvider(t)
		p.SetUser(oidctest.User{Subject: "1815", Email: "countess@example.com", EmailVerified: true})
		e.User(t, "ada@example.com")
		return e, p, e.signIn(t, "ada@example.com", correct)
	}

	t.Run("are linked and unlinked by the user", func(t *testing.T) {
		t.Parallel()
		e, _, s := member(t)
		s = begun(t, e.linked(t, s))
		user := userOf(t, e, s)
		require.Equal(t, "ada@example.com", user["email"], "the account keeps its address")
		require.Equal(t, []any{"email", acme}, user["app_metadata"].(map[string]any)["providers"])
		require.Equal(t, user["id"], userOf(t, e, e.admitted(t))["id"])

		ids := e.identityIDs(t, s)
		require.Equal(t, 200, e.unlink(t, s, ids["email"]).status)
		require.Equal(t, 400, e.grant(t, "ada@example.com", correct).status, "the password is gone")
		requireError(t, e.unlink(t, s, ids[acme]), 422, "single_identity_not_deletable")
		requireError(t, e.unlink(t, s, ids["email"]), 404, "identity_not_found")
		requireError(t, e.unlink(t, s, "x"), 404, "validation_failed")
		require.Equal(t, []string{
			"identity_linked ada@example.com", "identity_unlinked ada@example.com",
		}, e.notices(t))
	})

	t.Run("end with the account at the provider", func(t *testing.T) {
		t.Parallel()
		e, _, s := member(t)
		s = begun(t, e.linked(t, s))
		there := e.admitted(t)
		require.Equal(t, 200, e.unlink(t, s, e.identityIDs(t, s)[acme]).status)
		require.NotEqual(t, 200, e.getUser(t, there.access).status, "sessions elsewhere end")
		user := userOf(t, e, s)
		require.Equal(t, []any{"email"}, user["app_metadata"].(map[string]any)["providers"])
		require.NotEqual(t, user["id"], userOf(t, e, e.admitted(t))["id"])
	})

	t.Run("belong to one user", func(t *testing.T) {
		t.Parallel()
		e, _, s := member(t)
		e.admitted(t) // the account at the provider has a user of its own
		a := e.link(t, s.access)
		v := &visitor{edge: e}
		at := v.get(t, strings.TrimPrefix(a.body["url"].(string), home+"/auth/v1")).header.Get("Location")
		requireReturned(t, v.arrive(t, v.atProvider(t, at)), "invalid_request", "identity_already_exists")
	})

	t.Run("are linked by the client that began it alone, and once", func(t *testing.T) {
		t.Parallel()
		e, _, s := member(t)
		a := e.link(t, s.access)
		v := &visitor{edge: e}
		path := strings.TrimPrefix(a.body["url"].(string), home+"/auth/v1")
		at := v.get(t, path).header.Get("Location")
		requireError(t, (&visitor{edge: e}).get(t, path), 400, "bad_oauth_state")
		code := v.arrive(t, v.atProvider(t, at)).Get("code")
		require.Len(t, e.identityIDs(t, s), 1, "nothing is linked before the exchange")
		requireError(t, e.exchange(t, code, verifier+"x"), 400, "bad_code_verifier")
		begun(t, e.exchange(t, code, verifier))
		requireError(t, e.exchange(t, code, verifier), 404, "flow_state_not_found")
		require.Len(t, e.identityIDs(t, s), 2)
	})

	t.Run("are not linked after the session has ended", func(t *testing.T) {
		t.Parallel()
		e, _, s := member(t)
		a := e.link(t, s.access)
		v := &visitor{edge: e}
		at := v.get(t, strings.TrimPrefix(a.body["url"].(string), home+"/auth/v1")).header.Get("Location")
		code := v.arrive(t, v.atProvider(t, at)).Get("code")
		require.Equal(t, 204, e.do(t, "POST", "/logout?scope=global", "", bearer(s.access)).status)
		requireError(t, e.exchange(t, code, verifier), 404, "flow_state_not_found")
	})

	t.Run("need a recent sign-in, and the second factor", func(t *testing.T) {
		t.Parallel()
		e, p, s := member(t)
		id := e.identityIDs(t, s)["email"]
		old := session{access: e.aged(t, s)}
		requireError(t, e.link(t, old.access), 400, "reauthentication_needed")
		requireError(t, e.unlink(t, old, id), 400, "reauthentication_needed")
		requireError(t, e.idToken(t, map[string]any{
			"provider": acme, "id_token": p.IDToken(nil), "link_identity": true,
		}, bearer(old.access)), 400, "reauthentication_needed")

		e, _ = withProvider(t)
		_, strong := e.protected(t, "grace@example.com")
		require.Equal(t, 200, e.link(t, strong.access).status)
		weak := e.signIn(t, "grace@example.com", correct)
		requireError(t, e.link(t, weak.access), 401, "insufficient_aal")
	})

	t.Run("are linked by an ID token", func(t *testing.T) {
		t.Parallel()
		e, p, s := member(t)
		body := map[string]any{"provider": acme, "id_token": p.IDToken(nil), "link_identity": true}
		require.Equal(t, 401, e.idToken(t, body).status)
		s = begun(t, e.idToken(t, body, bearer(s.access)))
		require.Len(t, e.identityIDs(t, s), 2)
		requireError(t, e.idToken(t, body, bearer(s.access)), 422, "identity_already_exists")
	})

	t.Run("make an account of an anonymous user", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t, configured(func(c *auth.Config) { c.Identity.Anonymous = true }))
		s := begun(t, e.do(t, "POST", "/signup", `{}`))
		id := userOf(t, e, s)["id"]
		user := userOf(t, e, begun(t, e.linked(t, s)))
		require.Equal(t, id, user["id"])
		require.Equal(t, "ada@example.com", user["email"])
		require.Equal(t, false, user["is_anonymous"])

		p.SetUser(oidctest.User{Subject: "2", Email: "ada@example.com", EmailVerified: true})
		other := begun(t, e.do(t, "POST", "/signup", `{}`))
		requireError(t, e.linked(t, other), 422, "email_exists")
	})

	t.Run("are what they were after the link of a notice", func(t *testing.T) {
		t.Parallel()
		e, _, s := member(t)
		begun(t, e.linked(t, s))
		require.Equal(t, 200, e.undo(t, e.undoLink(t, "identity_linked")).status)
		s = e.signIn(t, "ada@example.com", correct)
		require.Len(t, e.identityIDs(t, s), 1)

		s = begun(t, e.linked(t, s))
		e.Exec(t, `delete from auth.undo_links`) // a week later
		ids := e.identityIDs(t, s)
		require.Equal(t, 200, e.unlink(t, s, ids[acme]).status)
		require.Equal(t, 200, e.undo(t, e.undoLink(t, "identity_unlinked")).status)
		s = e.signIn(t, "ada@example.com", correct)
		require.Equal(t, ids, e.identityIDs(t, s))

		require.Equal(t, 200, e.unlink(t, s, ids["email"]).status)
		require.Equal(t, 200, e.undo(t, e.undoLink(t, "identity_unlinked")).status)
		require.Equal(t, ids, e.identityIDs(t, e.admitted(t)))
	})

	t.Run("cannot be linked where no provider is set up", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		requireError(t, e.link(t, e.signIn(t, "ada@example.com", correct).access), 404,
			"manual_linking_disabled")
	})
}
