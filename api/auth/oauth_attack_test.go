package auth_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db/dbtest"
)

func TestRequestsOfAnUnknownAppAreNotRedirected(t *testing.T) {
	t.Parallel()
	e := setup(t)
	a := e.newApp(t, "manual", "https://assistant.example/callback")
	for name, c := range map[string]struct {
		change change
		code   string
	}{
		"unknown client":   {with("client_id", uuid.NewString()), "oauth_client_not_found"},
		"no id":            {with("client_id", "x"), "oauth_client_not_found"},
		"no client":        {without("client_id"), "validation_failed"},
		"two clients":      {with("client_id", a.id, a.id), "validation_failed"},
		"no redirect":      {without("redirect_uri"), "validation_failed"},
		"another redirect": {with("redirect_uri", "https://attacker.example/"), "validation_failed"},
		"a longer one":     {with("redirect_uri", a.redirect+"/.."), "validation_failed"},
		"a longer host":    {with("redirect_uri", "https://assistant.example.attacker/"), "validation_failed"},
		"another query":    {with("redirect_uri", a.redirect+"?x=1"), "validation_failed"},
		"another case":     {with("redirect_uri", "https://assistant.example/Callback"), "validation_failed"},
		"two redirects":    {with("redirect_uri", a.redirect, "https://attacker.example/"), "validation_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := e.authorize(t, a, c.change)
			requireError(t, refused, 400, c.code)
			require.Empty(t, refused.header.Get("Location"))
		})
	}

	require.Equal(t, 0, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.oauth_authorizations`))
}

func TestPeopleReadWhatToDoAboutAnApp(t *testing.T) {
	t.Parallel()
	e := setup(t, configured(func(c *auth.Config) { c.Identity.Limits.AddressClients = 1 }))
	a := e.newApp(t, "manual", callback)
	page := func(client, redirect string) answer {
		query := url.Values{"client_id": {client}, "redirect_uri": {redirect}}
		return e.do(t, "GET", "/oauth/authorize?"+query.Encode(), "", "apikey:", "Accept: text/html,*/*")
	}
	again := "Remove the connector in the app, and add it again."
	ask := "If that does not help, ask whoever runs this server."
	for _, c := range []struct {
		client, redirect string
		status           int
		says             []string
	}{
		{"x", callback, 400, []string{"This server does not know the app.", again}},
		{a.id, "https://attacker.example/", 400, []string{"at another address", again}},
		{"", callback, 400, []string{"does not say which app it is", ask}},
		{a.id, "", 400, []string{"does not say which app it is", ask}},
		{"https://app.example/", callback, 400, []string{"must have a path", ask}},
		{"https://127.0.0.1/a", callback, 400, []string{"The metadata document of the app", ask}},
		{"https://127.0.0.1/b", callback, 429, []string{"Too many apps were registered", "Try again later."}},
	} {
		shown := page(c.client, c.redirect)
		require.Equal(t, c.status, shown.status, c.client)
		for _, text := range append(c.says, "This app cannot be connected", "color-scheme: light dark") {
			require.Contains(t, shown.raw, text)
		}
		for _, wire := range []string{"client_id", "redirect_uri"} {
			if c.client != "https://app.example/" {
				require.NotContains(t, shown.raw, wire)
			}
		}
		require.Contains(t, shown.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	}
}

func TestAppsLearnWhatIsWrongWithARequest(t *testing.T) {
	t.Parallel()
	e := setup(t)
	a := e.newApp(t, "manual", callback)
	for name, c := range map[string]struct {
		change change
		code   string
	}{
		"no PKCE":            {without("code_challenge"), "invalid_request"},
		"no method":          {without("code_challenge_method"), "invalid_request"},
		"plain":              {with("code_challenge_method", "plain"), "invalid_request"},
		"a short challenge":  {with("code_challenge", "abc"), "invalid_request"},
		"a long challenge":   {with("code_challenge", strings.Repeat("a", 44)), "invalid_request"},
		"two challenges":     {with("code_challenge", appChallenge, appChallenge), "invalid_request"},
		"implicit":           {with("response_type", "token"), "unsupported_response_type"},
		"no type":            {without("response_type"), "invalid_request"},
		"a fragment":         {with("response_mode", "fragment"), "invalid_request"},
		"unknown scopes":     {with("scope", "admin openid"), "invalid_scope"},
		"another resource":   {with("resource", "https://attacker.example/mcp"), "invalid_target"},
		"two resources":      {with("resource", mcp, "https://attacker.example/mcp"), "invalid_target"},
		"a longer resource":  {with("resource", mcp+"x"), "invalid_target"},
		"a part of resource": {with("resource", publicURL+"/rest/v1"), "invalid_target"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := e.authorize(t, a, c.change)
			require.Equal(t, 302, refused.status, refused.raw)
			query := a.redirected(t, refused.header.Get("Location"))
			require.Equal(t, c.code, query.Get("error"))
			require.NotEmpty(t, query.Get("error_description"))
			require.Equal(t, "s=1&t", query.Get("state"))
			require.Empty(t, query.Get("code"))
		})
	}

	withQuery := e.newApp(t, "manual", callback+"?b=1;c=2&a=%20")
	refused := e.authorize(t, withQuery, without("response_type"))
	require.Contains(t, refused.header.Get("Location"), callback+"?b=1;c=2&a=%20&error=invalid_request")

	long := e.authorize(t, a, with("state", strings.Repeat("s", 2001)))
	query := a.redirected(t, long.header.Get("Location"))
	require.Equal(t, "invalid_request", query.Get("error"))
	require.False(t, query.Has("state"))
	for _, name := range []string{publicURL, publicURL + "/", mcp, mcp + "/"} {
		id := e.ask(t, a, with("resource", name), without("state"))
		require.Equal(t, mcp, dbtest.Value[string](t, e.DB,
			`select resource from auth.oauth_authorizations where id = $1`, id))
	}
	for asked, want := range map[string]string{
		"":                                   "{research:read}",
		"offline_access":                     "{research:read}",
		"research:ask openid research:write": "{research:write,research:ask}",
		"email  email\tresearch:read":        "{research:read,email}",
	} {
		id := e.ask(t, a, with("scope", asked))
		require.Equal(t, want, dbtest.Value[string](t, e.DB,
			`select scopes::text from auth.oauth_authorizations where id = $1`, id))
	}
}

func TestRequestsOfAppsAreLimited(t *testing.T) {
	t.Parallel()
	e := setup(t, configured(func(c *auth.Config) { c.TrustedHops = 1 }))
	a := e.newApp(t, "manual", callback)
	asked := func(address string) answer {
		query := url.Values{
			"client_id": {a.id}, "redirect_uri": {a.redirect}, "response_type": {"code"},
			"code_challenge": {appChallenge}, "code_challenge_method": {"S256"},
		}
		return e.do(t, "GET", "/oauth/authorize?"+query.Encode(), "", "apikey:", from(address))
	}
	for range 600 {
		require.Contains(t, asked("198.51.100.1").header.Get("Location"), publicURL)
	}
	query := a.redirected(t, asked("198.51.100.1").header.Get("Location"))
	require.Equal(t, "temporarily_unavailable", query.Get("error"))
	require.Contains(t, asked("198.51.100.2").header.Get("Location"), publicURL)
}

func TestCodesOfApps(t *testing.T) {
	t.Parallel()
	setupCode := func(t *testing.T) (e *edge, s session, a app, code string) {
		t.Helper()
		e, s = adasEdge(t)
		a = e.newApp(t, "dynamic", callback)
		return e, s, a, e.code(t, a, s.access)
	}

	t.Run("need the verifier, the redirect URI, the app and the resource", func(t *testing.T) {
		t.Parallel()
		e, _, a, code := setupCode(t)
		other := e.newApp(t, "dynamic", callback)
		for _, wrong := range []change{
			with("code_verifier", strings.Repeat("x", 43)), with("code_verifier", appChallenge),
			with("redirect_uri", "https://assistant.example/callback"), with("client_id", other.id),
			with("code", code+"x"), with("code", strings.ToLower(code)),
		} {
			requireRefused(t, e.exchangeApp(t, a, code, wrong), 400, "invalid_grant")
		}
		bare := e.code(t, a, e.signIn(t, "ada@example.com", correct).access, without("resource"))
		requireRefused(t, e.exchangeApp(t, a, bare, with("resource", mcp)), 400, "invalid_target")
		granted(t, e.exchangeApp(t, a, code, with("resource", publicURL)))
	})

	t.Run("are valid for a minute", func(t *testing.T) {
		t.Parallel()
		e, s, a, code := setupCode(t)
		e.clock.advance(59 * time.Second)
		granted(t, e.exchangeApp(t, a, code))
		code = e.code(t, a, s.access)
		e.clock.advance(time.Minute)
		requireRefused(t, e.exchangeApp(t, a, code), 400, "invalid_grant")
	})

	t.Run("end the session that they began if they are used again", func(t *testing.T) {
		t.Parallel()
		e, s, a, code := setupCode(t)
		other := e.newApp(t, "dynamic", callback)
		first := granted(t, e.exchangeApp(t, a, code))
		requireRefused(t, e.exchangeApp(t, a, code, with("client_id", other.id)), 400, "invalid_grant")
		require.True(t, e.admits(t, first.access), "another app has not used it")
		e.clock.advance(2 * time.Minute)
		requireRefused(t, e.exchangeApp(t, a, code, with("code_verifier", "stolen")), 400, "invalid_grant")
		require.False(t, e.admits(t, first.access))
		requireRefused(t, e.refreshApp(t, a, first.refresh), 400, "invalid_grant")
		requireRefused(t, e.exchangeApp(t, a, code), 400, "invalid_grant")
		require.Equal(t, 1, e.audited(t, "oauth_code_reused"))
		require.Equal(t, 200, e.getUser(t, s.access).status, "the user's own session goes on")
	})

	t.Run("are exchanged once", func(t *testing.T) {
		t.Parallel()
		e, _, a, code := setupCode(t)
		var wg sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			wg.Go(func() { statuses[i] = e.exchangeApp(t, a, code).status })
		}
		wg.Wait()
		won := 0
		for _, status := range statuses {
			if status == 200 {
				won++
			} else {
				require.Equal(t, 400, status)
			}
		}
		require.Equal(t, 1, won)
		require.LessOrEqual(t, dbtest.Value[int](t, e.DB,
			`select count(*)::int from auth.sessions where oauth_client_id is not null`), 1)
	})

	t.Run("are not those of users", func(t *testing.T) {
		t.Parallel()
		e, _, _, code := setupCode(t)
		body := jsonOf(map[string]any{"auth_code": code, "code_verifier": appVerifier})
		requireError(t, e.do(t, "POST", codeGrant, body), 404, "flow_state_not_found")
	})

	t.Run("do not survive a ban", func(t *testing.T) {
		t.Parallel()
		e, _, a, code := setupCode(t)
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 day'`)
		requireRefused(t, e.exchangeApp(t, a, code), 400, "invalid_grant")
	})

	t.Run("do not survive a new second factor", func(t *testing.T) {
		t.Parallel()
		e, s, a, code := setupCode(t)
		p := e.enroll(t, s.access, totpFactor)
		e.raise(t, s.access, p.factor, p.code(t, e, 0))
		requireRefused(t, e.exchangeApp(t, a, code), 400, "invalid_grant")
	})

	t.Run("do not survive the second factor that they had", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		a := e.newApp(t, "dynamic", callback)
		connected := e.connect(t, a, s.access)
		require.Equal(t, "aal2", claim(t, connected.access, "aal"))
		code := e.code(t, a, s.access)
		require.Equal(t, 200, e.do(t, "DELETE", "/factors/"+p.factor, "", bearer(s.access)).status)
		requireRefused(t, e.exchangeApp(t, a, code), 400, "invalid_grant")
		require.False(t, e.admits(t, connected.access), "its session had the factor as well")
	})
}

func TestRefreshTokensOfApps(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	a, other := e.newApp(t, "dynamic", callback), e.newApp(t, "dynamic", callback)
	connected := e.connect(t, a, s.access)
	requireRefused(t, e.refreshApp(t, other, connected.refresh), 400, "invalid_grant")
	requireError(t, e.refresh(t, connected.refresh), 400, "refresh_token_not_found")
	requireRefused(t, e.refreshApp(t, a, s.refresh), 400, "invalid_grant")
	elsewhere := e.refreshApp(t, a, connected.refresh, with("resource", publicURL+"/x"))
	requireRefused(t, elsewhere, 400, "invalid_target")
	bare := e.connect(t, a, s.access, without("resource"))
	requireRefused(t, e.refreshApp(t, a, bare.refresh, with("resource", mcp)), 400, "invalid_target")
	granted(t, e.refreshApp(t, a, bare.refresh))

	second := granted(t, e.refreshApp(t, a, connected.refresh))
	again := granted(t, e.refreshApp(t, a, connected.refresh))
	require.Equal(t, second.refresh, again.refresh, "the answer was lost")
	third := granted(t, e.refreshApp(t, a, second.refresh))
	e.clock.advance(11 * time.Second)
	requireRefused(t, e.refreshApp(t, other, connected.refresh), 400, "invalid_grant")
	require.True(t, e.admits(t, third.access), "other apps cannot end it")
	requireRefused(t, e.refreshApp(t, a, connected.refresh), 400, "invalid_grant")
	require.False(t, e.admits(t, third.access), "somebody has a copy")
	require.Equal(t, 200, e.refresh(t, s.refresh).status)
}

func TestTokensOfAppsAreForTheirResource(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	a := e.newApp(t, "dynamic", callback)
	connected := e.connect(t, a, s.access)
	require.False(t, e.admits(t, s.access))
	id := e.ask(t, a)
	for _, request := range []string{
		"GET /user", "PUT /user", "GET /sessions", "POST /logout", "GET /user/oauth/grants",
		"GET /oauth/authorizations/" + id, "POST /oauth/authorizations/" + id + "/consent", "GET /reauthenticate",
	} {
		method, path, _ := strings.Cut(request, " ")
		requireError(t, e.do(t, method, path, jsonOf(approve), bearer(connected.access)), 403, "bad_jwt")
	}
}

func TestConsent(t *testing.T) {
	t.Parallel()

	t.Run("is denied", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		a := e.newApp(t, "dynamic", callback)
		id := e.ask(t, a)
		require.Equal(t, 200, e.open(t, s.access, id).status)
		denied := e.consent(t, s.access, id, deny)
		require.Equal(t, 200, denied.status, denied.raw)
		query := a.redirected(t, denied.body["redirect_url"])
		require.Equal(t, "access_denied", query.Get("error"))
		require.Equal(t, "s=1&t", query.Get("state"))
		require.Empty(t, query.Get("code"))
		requireError(t, e.consent(t, s.access, id, approve), 400, "validation_failed")
		require.Equal(t, 1, e.audited(t, "oauth_authorization_denied"))
		require.JSONEq(t, `[]`, e.do(t, "GET", "/user/oauth/grants", "", bearer(s.access)).raw)
	})

	t.Run("is that of the user who opened the request", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		e.User(t, "eve@example.com")
		eve := e.signIn(t, "eve@example.com", correct)
		id := e.ask(t, e.newApp(t, "dynamic", callback))
		require.Equal(t, 200, e.open(t, s.access, id).status)
		for _, refused := range []answer{
			e.open(t, eve.access, id), e.consent(t, eve.access, id, approve), e.consent(t, eve.access, id, deny),
			e.open(t, s.access, uuid.NewString()), e.open(t, s.access, "x"),
			e.consent(t, s.access, uuid.NewString(), approve),
		} {
			requireError(t, refused, 404, "oauth_authorization_not_found")
		}
		requireError(t, e.do(t, "GET", "/oauth/authorizations/"+id, ""), 401, "no_authorization")
		requireError(t, e.do(t, "GET", "/oauth/authorizations/"+id, "", "apikey:"), 401, "no_authorization")
		requireError(t, e.consent(t, s.access, id, map[string]any{"action": "maybe"}), 400, "validation_failed")
		require.Equal(t, 200, e.consent(t, s.access, id, approve).status)
	})

	t.Run("comes in time", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		a := e.newApp(t, "dynamic", callback)
		id := e.ask(t, a)
		e.clock.advance(9 * time.Minute)
		require.Equal(t, 200, e.open(t, s.access, id).status)
		e.clock.advance(time.Minute)
		requireError(t, e.open(t, s.access, id), 404, "oauth_authorization_not_found")
		requireError(t, e.consent(t, s.access, id, approve), 404, "oauth_authorization_not_found")
	})

	t.Run("does not come from another site", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		id := e.ask(t, e.newApp(t, "dynamic", callback))
		for _, origin := range []string{
			"https://attacker.example", "null", "http://research.example", "https://research.example.attacker.example",
			"https://research.example:444",
		} {
			requireError(t, e.open(t, s.access, id, "Origin: "+origin), 403, "cross_origin_request")
			requireError(t, e.consent(t, s.access, id, approve, "Origin: "+origin), 403, "cross_origin_request")
		}
		require.Equal(t, 200, e.open(t, s.access, id, "Origin: "+publicURL).status)
		own := "Origin: http://example.com" // the host of a request of httptest
		require.Equal(t, 200, e.consent(t, s.access, id, approve, own).status)
	})

	t.Run("needs a recent sign-in or a mailed code", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		access := e.aged(t, s)
		a := e.newApp(t, "dynamic", callback)
		id := e.ask(t, a)
		require.Equal(t, 200, e.open(t, access, id).status)
		requireError(t, e.consent(t, access, id, approve), 400, "reauthentication_needed")
		withNonce := map[string]any{"action": "approve", "nonce": "000000"}
		requireError(t, e.consent(t, access, id, withNonce), 422, "reauthentication_not_valid")
		withNonce["nonce"] = e.requestCode(t, access)
		requireError(t, e.consent(t, access, id, withNonce, "Origin: null"), 403, "cross_origin_request")
		approved := e.consent(t, access, id, withNonce)
		require.Equal(t, 200, approved.status, approved.raw)
		granted(t, e.exchangeApp(t, a, a.redirected(t, approved.body["redirect_url"]).Get("code")))
		requireError(t, e.consent(t, access, e.ask(t, a), withNonce), 422, "reauthentication_not_valid")
		require.Equal(t, 200, e.consent(t, access, e.ask(t, a), deny).status)
	})

	t.Run("needs the second factor", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, _ := e.protected(t, "ada@example.com")
		low := e.signIn(t, "ada@example.com", correct)
		a := e.newApp(t, "dynamic", callback)
		id := e.ask(t, a)
		require.Equal(t, 200, e.open(t, low.access, id).status)
		requireError(t, e.consent(t, low.access, id, approve), 403, "insufficient_aal")
		raised := e.raise(t, low.access, p.factor, p.code(t, e, 0))
		approved := e.consent(t, raised.access, id, approve)
		require.Equal(t, 200, approved.status, approved.raw)
		connected := granted(t, e.exchangeApp(t, a, a.redirected(t, approved.body["redirect_url"]).Get("code")))
		require.Equal(t, "aal2", claim(t, connected.access, "aal"))
		connected = granted(t, e.refreshApp(t, a, connected.refresh))
		require.Equal(t, "aal2", claim(t, connected.access, "aal"))
	})

	t.Run("is not given by anonymous users", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) { c.Identity.Anonymous = true }))
		e.User(t, "ada@example.com")
		anonymous := e.do(t, "POST", "/signup", `{}`)
		require.Equal(t, 200, anonymous.status, anonymous.raw)
		access := anonymous.body["access_token"].(string)
		id := e.ask(t, e.newApp(t, "dynamic", callback))
		require.Equal(t, 200, e.open(t, access, id).status)
		requireError(t, e.consent(t, access, id, approve), 403, "anonymous_user")
		s := e.signIn(t, "ada@example.com", correct)
		require.Equal(t, 200, e.open(t, s.access, id).status, "the user has signed in meanwhile")
		require.Equal(t, 200, e.consent(t, s.access, id, approve).status)
	})

	t.Run("is given once", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		a := e.newApp(t, "dynamic", callback)
		id := e.ask(t, a)
		var wg sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			wg.Go(func() { statuses[i] = e.consent(t, s.access, id, approve).status })
		}
		wg.Wait()
		require.ElementsMatch(t, []int{200, 400, 400, 400, 400, 400, 400, 400}, statuses)
	})
}

// Text that PostgreSQL cannot store is no error of the server.
func TestRequestsOfAppsThatAreNoText(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	a := e.newApp(t, "dynamic", callback)
	for _, bad := range []string{"https://app.example/\x00", "https://app.example/\xff", "\x00", "\xff"} {
		for _, name := range []string{"client_id", "redirect_uri"} {
			require.Equal(t, 400, e.authorize(t, a, with(name, bad)).status)
		}
		query := a.redirected(t, e.authorize(t, a, with("state", bad)).header.Get("Location"))
		require.Equal(t, "invalid_request", query.Get("error"))
		for _, name := range []string{"scope", "resource", "code_challenge"} {
			query := a.redirected(t, e.authorize(t, a, with(name, bad)).header.Get("Location"))
			require.True(t, query.Has("error"))
		}
		requireRefused(t, e.exchangeApp(t, a, "x", with("client_id", bad)), 401, "invalid_client")
		for _, name := range []string{"code", "redirect_uri", "code_verifier"} {
			requireRefused(t, e.exchangeApp(t, a, "x", with(name, bad)), 400, "invalid_grant")
		}
		requireRefused(t, e.refreshApp(t, a, bad), 400, "invalid_grant")
		revoked := e.do(t, "DELETE", "/user/oauth/grants?client_id="+url.QueryEscape(bad), "", bearer(s.access))
		requireError(t, revoked, 404, "oauth_consent_not_found")
		requireError(t, e.open(t, s.access, url.PathEscape(bad)), 404, "oauth_authorization_not_found")
	}
}
