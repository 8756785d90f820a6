package auth_test

import (
	"crypto/sha256"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db/dbtest"
)

// The verifier and its challenge are those of RFC 7636, appendix B.
const (
	appVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	appChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

	publicURL = "https://research.example"
	issuer    = publicURL + "/auth/v1"
	mcp       = publicURL + "/mcp"

	formType = "Content-Type: application/x-www-form-urlencoded"
)

// An app is an OAuth client.
type app struct{ id, secret, redirect string }

// newApp stores a public client with a redirect URI. The kind is its registration_type.
func (e *edge) newApp(t testing.TB, kind, redirect string) app {
	t.Helper()
	a := app{id: uuid.NewString(), redirect: redirect}
	e.Exec(t, `
		insert into auth.oauth_clients (id, registration_type, client_type, token_endpoint_auth_method,
			client_name, redirect_uris, grant_types)
		values ($1, $2, 'public', 'none', 'Assistant', array[$3], '{authorization_code,refresh_token}')`,
		a.id, kind, redirect)
	return a
}

const callback = "https://assistant.example/callback?from=research"

// keepSecret makes an app a confidential client.
func (e *edge) keepSecret(t testing.TB, a app, method string) app {
	t.Helper()
	a.secret = "a secret + more"
	sum := sha256.Sum256([]byte(a.secret))
	e.Exec(t, `
		update auth.oauth_clients
		set client_type = 'confidential', token_endpoint_auth_method = $2, client_secret_hash = $3
		where id = $1`, a.id, method, sum[:])
	return a
}

// A change alters the parameters of a request.
type change func(url.Values)

func with(name string, values ...string) change {
	return func(v url.Values) { v[name] = values }
}

func without(name string) change { return func(v url.Values) { v.Del(name) } }

// authorize sends the browser to GET /oauth/authorize.
func (e *edge) authorize(t testing.TB, a app, changes ...change) answer {
	t.Helper()
	query := url.Values{
		"client_id": {a.id}, "redirect_uri": {a.redirect}, "response_type": {"code"},
		"code_challenge": {appChallenge}, "code_challenge_method": {"S256"},
		"scope": {"research:read research:write"}, "resource": {mcp}, "state": {"s=1&t"},
	}
	for _, c := range changes {
		c(query)
	}
	return e.do(t, "GET", "/oauth/authorize?"+query.Encode(), "", "apikey:")
}

// ask requires that a request begins, and returns its id.
func (e *edge) ask(t testing.TB, a app, changes ...change) string {
	t.Helper()
	page := e.authorize(t, a, changes...)
	require.Equal(t, 302, page.status, page.raw)
	id, found := strings.CutPrefix(page.header.Get("Location"), publicURL+"/oauth/consent?authorization_id=")
	require.True(t, found, page.header.Get("Location"))
	require.NoError(t, uuid.Validate(id))
	return id
}

// open reads a request as its page does.
func (e *edge) open(t testing.TB, access, id string, headers ...string) answer {
	t.Helper()
	return e.do(t, "GET", "/oauth/authorizations/"+id, "", append(headers, bearer(access))...)
}

// consent answers a request as its page does.
func (e *edge) consent(t testing.TB, access, id string, body map[string]any, headers ...string) answer {
	t.Helper()
	path := "/oauth/authorizations/" + id + "/consent"
	return e.do(t, "POST", path, jsonOf(body), append(headers, bearer(access))...)
}

var approve, deny = map[string]any{"action": "approve"}, map[string]any{"action": "deny"}

// redirected requires that an answer sends the browser back to the app, and returns what the app gets.
func (a app) redirected(t testing.TB, address any) url.Values {
	t.Helper()
	require.IsType(t, "", address)
	to, err := url.Parse(address.(string))
	require.NoError(t, err)
	query := to.Query()
	wanted, err := url.Parse(a.redirect)
	require.NoError(t, err)
	for name := range wanted.Query() {
		require.Equal(t, wanted.Query().Get(name), query.Get(name), address)
	}
	to.RawQuery, wanted.RawQuery = "", ""
	require.Equal(t, wanted.String(), to.String())
	require.Equal(t, issuer, query.Get("iss"))
	return query
}

// code requires that the user allows what an app asks for, and returns the code.
func (e *edge) code(t testing.TB, a app, access string, changes ...change) string {
	t.Helper()
	id := e.ask(t, a, changes...)
	approved := e.open(t, access, id)
	require.Equal(t, 200, approved.status, approved.raw)
	if approved.body["redirect_url"] == nil { // otherwise the user has allowed the same before
		approved = e.consent(t, access, id, approve)
		require.Equal(t, 200, approved.status, approved.raw)
	}
	query := a.redirected(t, approved.body["redirect_url"])
	require.NotEmpty(t, query.Get("code"), approved.raw)
	return query.Get("code")
}

// token sends a form to POST /oauth/token.
func (e *edge) token(t testing.TB, form url.Values, headers ...string) answer {
	t.Helper()
	return e.do(t, "POST", "/oauth/token", form.Encode(), append([]string{"apikey:", formType}, headers...)...)
}

func (e *edge) exchangeApp(t testing.TB, a app, code string, changes ...change) answer {
	t.Helper()
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {a.id}, "code": {code}, "redirect_uri": {a.redirect},
		"code_verifier": {appVerifier},
	}
	for _, c := range changes {
		c(form)
	}
	return e.token(t, form)
}

func (e *edge) refreshApp(t testing.TB, a app, refresh string, changes ...change) answer {
	t.Helper()
	form := url.Values{"grant_type": {"refresh_token"}, "client_id": {a.id}, "refresh_token": {refresh}}
	for _, c := range changes {
		c(form)
	}
	return e.token(t, form)
}

// granted requires that an app got tokens.
func granted(t testing.TB, a answer) session {
	t.Helper()
	require.Equal(t, 200, a.status, a.raw)
	return session{a.body["access_token"].(string), a.body["refresh_token"].(string)}
}

// connect requires that a user allows what an app asks for, and returns the session of the app.
func (e *edge) connect(t testing.TB, a app, access string, changes ...change) session {
	t.Helper()
	return granted(t, e.exchangeApp(t, a, e.code(t, a, access, changes...)))
}

// admits reports whether the resource takes an access token.
func (e *edge) admits(t testing.TB, access string) bool {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+access)
	_, err := e.tokens.Authenticator.AdmitResource(r, mcp)
	if err != nil {
		require.ErrorIs(t, err, token.ErrInvalid)
	}
	return err == nil
}

// requireRefused requires an error of RFC 6749, section 5.2.
func requireRefused(t testing.TB, a answer, status int, code string) {
	t.Helper()
	require.Equal(t, status, a.status, a.raw)
	require.Equal(t, code, a.body["error"], a.raw)
	require.NotEmpty(t, a.body["error_description"])
	require.Equal(t, "no-store", a.header.Get("Cache-Control"))
}

// adasEdge returns an edge with a user, and her session.
func adasEdge(t testing.TB) (*edge, session) {
	t.Helper()
	e := setup(t)
	e.User(t, "ada@example.com")
	return e, e.signIn(t, "ada@example.com", correct)
}

func TestAppGetsAccess(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	const lastSignIn = `select last_sign_in_at from auth.users`
	signedIn := dbtest.Value[time.Time](t, e.DB, lastSignIn)
	a := e.newApp(t, "dynamic", callback)
	page := e.authorize(t, a)
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	id := strings.TrimPrefix(page.header.Get("Location"), publicURL+"/oauth/consent?authorization_id=")

	details := e.open(t, s.access, id, "Origin: "+publicURL)
	require.Equal(t, 200, details.status, details.raw)
	user := claim(t, s.access, "sub")
	require.Equal(t, map[string]any{
		"authorization_id": id, "redirect_uri": callback,
		"client": map[string]any{
			"id": a.id, "name": "Assistant", "uri": "", "logo_uri": "", "registration_type": "dynamic",
			"host": "assistant.example",
		},
		"user": map[string]any{"id": user, "email": "ada@example.com"}, "scope": "research:read research:write",
		"resource": mcp, "redirect_host": "assistant.example",
	}, details.body)
	require.Equal(t, 200, e.open(t, s.access, id).status, "the page may be loaded again")

	approved := e.consent(t, s.access, id, approve, "Origin: "+publicURL)
	require.Equal(t, 200, approved.status, approved.raw)
	require.Equal(t, "no-store", approved.header.Get("Cache-Control"))
	query := a.redirected(t, approved.body["redirect_url"])
	require.Equal(t, "s=1&t", query.Get("state"))
	requireError(t, e.consent(t, s.access, id, approve), 400, "validation_failed")
	requireError(t, e.open(t, s.access, id), 400, "validation_failed")

	tokens := e.exchangeApp(t, a, query.Get("code"))
	require.Equal(t, 200, tokens.status, tokens.raw)
	require.Equal(t, "no-store", tokens.header.Get("Cache-Control"))
	require.Equal(t, "bearer", tokens.body["token_type"])
	require.Equal(t, "research:read research:write", tokens.body["scope"])
	require.Len(t, tokens.body, 5, "nothing about the user")
	connected := granted(t, tokens)
	for name, want := range map[string]any{
		"aud": mcp, "iss": issuer, "sub": user, "client_id": a.id, "scope": "research:read research:write",
		"role": "authenticated", "aal": "aal1", "is_anonymous": false,
		"email": nil, "app_metadata": nil, "user_metadata": nil,
	} {
		require.Equal(t, want, claim(t, connected.access, name), name)
	}
	require.NotEqual(t, claim(t, s.access, "session_id"), claim(t, connected.access, "session_id"))
	require.True(t, e.admits(t, connected.access))
	require.Equal(t, 1, e.audited(t, "oauth_authorization_approved"))

	refreshed := granted(t, e.refreshApp(t, a, connected.refresh, with("resource", mcp+"/")))
	require.Equal(t, mcp, claim(t, refreshed.access, "aud"))
	require.Equal(t, a.id, claim(t, refreshed.access, "client_id"))
	require.Equal(t, "research:read research:write", claim(t, refreshed.access, "scope"))
	require.Equal(t, claim(t, connected.access, "amr"), claim(t, refreshed.access, "amr"))
	require.True(t, e.admits(t, refreshed.access))

	list := e.do(t, "GET", "/sessions", "", bearer(s.access))
	require.Len(t, list.body["sessions"], 1, "only the user's own")
	require.Equal(t, signedIn, dbtest.Value[time.Time](t, e.DB, lastSignIn), "an app does not sign in")
}

// The token endpoint also takes JSON, and secrets in three ways.
func TestAppAuthenticatesItself(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	a := e.newApp(t, "manual", callback)
	body := jsonOf(map[string]any{
		"grant_type": "authorization_code", "client_id": a.id, "code": e.code(t, a, s.access),
		"redirect_uri": a.redirect, "code_verifier": appVerifier, "resource": mcp,
	})
	granted(t, e.do(t, "POST", "/oauth/token", body, "apikey:"))
	requireRefused(t, e.exchangeApp(t, a, "x", with("client_secret", "guess")), 401, "invalid_client")

	a = e.keepSecret(t, a, "client_secret_basic")
	form := url.Values{"grant_type": {"authorization_code"}, "redirect_uri": {a.redirect},
		"code_verifier": {appVerifier}}
	basic := func(id, secret string) string {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
		r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
		return "Authorization: " + r.Header.Get("Authorization")
	}
	form.Set("code", e.code(t, a, s.access))
	refused := e.token(t, form, basic(a.id, "guess"))
	requireRefused(t, refused, 401, "invalid_client")
	require.Contains(t, refused.header.Get("WWW-Authenticate"), "Basic")
	refused = e.exchangeApp(t, a, form.Get("code"))
	requireRefused(t, refused, 401, "invalid_client")
	require.Empty(t, refused.header.Get("WWW-Authenticate"))
	guess := with("client_secret", "guess")
	requireRefused(t, e.exchangeApp(t, a, form.Get("code"), guess), 401, "invalid_client")
	granted(t, e.token(t, form, basic(a.id, a.secret)))

	form.Set("code", e.code(t, a, s.access))
	form.Set("client_id", uuid.NewString())
	requireRefused(t, e.token(t, form, basic(a.id, a.secret)), 400, "invalid_request")
	granted(t, e.exchangeApp(t, a, form.Get("code"), with("client_secret", a.secret)))
}

func TestMalformedTokenRequests(t *testing.T) {
	t.Parallel()
	e := setup(t)
	a := e.newApp(t, "dynamic", callback)
	for name, want := range map[string]struct {
		changes []change
		status  int
		code    string
	}{
		"no grant":       {[]change{without("grant_type")}, 400, "invalid_request"},
		"another grant":  {[]change{with("grant_type", "password")}, 400, "unsupported_grant_type"},
		"no client":      {[]change{without("client_id")}, 400, "invalid_request"},
		"unknown client": {[]change{with("client_id", uuid.NewString())}, 401, "invalid_client"},
		"no UUID":        {[]change{with("client_id", "x")}, 401, "invalid_client"},
		"no code":        {[]change{without("code")}, 400, "invalid_request"},
		"no redirect":    {[]change{without("redirect_uri")}, 400, "invalid_grant"},
		"no verifier":    {[]change{without("code_verifier")}, 400, "invalid_request"},
		"two codes":      {[]change{with("code", "x", "y")}, 400, "invalid_request"},
		"unknown code":   {nil, 400, "invalid_grant"},
		"other resource": {[]change{with("resource", "https://elsewhere.example/mcp")}, 400, "invalid_target"},
		"no token":       {[]change{with("grant_type", "refresh_token")}, 400, "invalid_request"},
		"unknown token": {[]change{with("grant_type", "refresh_token"), with("refresh_token", "x")},
			400, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRefused(t, e.exchangeApp(t, a, "x", want.changes...), want.status, want.code)
		})
	}
	requireRefused(t, e.do(t, "POST", "/oauth/token", "{", "apikey:"), 400, "invalid_request")
	requireRefused(t, e.do(t, "POST", "/oauth/token", "code=%zz", "apikey:", formType), 400, "invalid_request")
	query := "?grant_type=authorization_code&client_id=" + a.id
	requireRefused(t, e.do(t, "POST", "/oauth/token"+query, "", "apikey:", formType), 400, "invalid_request")
}

func TestUserinfo(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	a := e.newApp(t, "dynamic", "http://127.0.0.1/callback")
	userinfo := func(method, access string) answer {
		return e.do(t, method, "/oauth/userinfo", "", "apikey:", bearer(access))
	}
	noResource := []change{without("resource"), without("scope")}
	a.redirect = "http://127.0.0.1:4711/callback"
	connected := e.connect(t, a, s.access, noResource...)
	require.Equal(t, issuer+"/oauth/userinfo", claim(t, connected.access, "aud"))
	require.Equal(t, "email", claim(t, connected.access, "scope"))
	for _, method := range []string{"GET", "POST"} {
		info := userinfo(method, connected.access)
		require.Equal(t, map[string]any{
			"sub": claim(t, s.access, "sub"), "email": "ada@example.com", "email_verified": true,
		}, info.body)
	}
	reader := e.connect(t, a, s.access, without("resource"))
	require.Equal(t, map[string]any{"sub": claim(t, s.access, "sub")}, userinfo("GET", reader.access).body)

	require.False(t, e.admits(t, connected.access), "nothing else takes it")
	requireError(t, e.getUser(t, connected.access), 403, "bad_jwt")
	for _, other := range []string{s.access, anonKey, "x", e.connect(t, a, s.access).access} {
		refused := userinfo("GET", other)
		requireError(t, refused, 401, "invalid_token")
		require.Equal(t, `Bearer error="invalid_token"`, refused.header.Get("WWW-Authenticate"))
	}
	refused := e.do(t, "GET", "/oauth/userinfo", "", "apikey:")
	require.Equal(t, "Bearer", refused.header.Get("WWW-Authenticate"))
	require.Equal(t, 204, e.do(t, "DELETE", "/user/oauth/grants?client_id="+a.id, "", bearer(s.access)).status)
	requireError(t, userinfo("GET", connected.access), 401, "invalid_token")
}

func TestGrants(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	e.User(t, "eve@example.com")
	eve := e.signIn(t, "eve@example.com", correct)
	list := func(s session) string { return e.do(t, "GET", "/user/oauth/grants", "", bearer(s.access)).raw }
	revoke := func(query string) answer {
		return e.do(t, "DELETE", "/user/oauth/grants"+query, "", bearer(s.access))
	}
	require.JSONEq(t, `[]`, list(s))
	first, second := e.newApp(t, "dynamic", callback), e.newApp(t, "manual", "https://other.example/")
	one, again := e.connect(t, first, s.access, with("scope", "research:read")), e.connect(t, first, s.access)
	other, theirs := e.connect(t, second, s.access), e.connect(t, first, eve.access)

	grants := list(s)
	require.Less(t, strings.Index(grants, second.id), strings.Index(grants, first.id), "the latest first")
	require.Contains(t, grants, `"scopes":["research:read","research:write"]`)
	require.Contains(t, grants, `"host":"assistant.example"`)
	e.Exec(t, `update auth.oauth_clients set redirect_uris = '{https://claude.ai/callback}' || redirect_uris`)
	require.NotContains(t, list(s), "claude.ai", "where no answer went")
	require.Contains(t, grants, `"last_used_at":"2`)

	requireError(t, revoke(""), 400, "validation_failed")
	for _, unknown := range []string{uuid.NewString(), "x", url.QueryEscape("https://app.example/client.json")} {
		requireError(t, revoke("?client_id="+unknown), 404, "oauth_consent_not_found")
	}
	waiting := e.code(t, first, s.access)
	require.Equal(t, 204, revoke("?client_id="+first.id).status)
	requireError(t, revoke("?client_id="+first.id), 404, "oauth_consent_not_found")
	for _, ended := range []session{one, again} {
		require.False(t, e.admits(t, ended.access), "at once")
		requireRefused(t, e.refreshApp(t, first, ended.refresh), 400, "invalid_grant")
	}
	requireRefused(t, e.exchangeApp(t, first, waiting), 400, "invalid_grant")
	require.True(t, e.admits(t, other.access))
	require.True(t, e.admits(t, theirs.access))
	require.NotContains(t, list(s), first.id)
	require.Contains(t, list(eve), first.id)
	require.Equal(t, 1, e.audited(t, "oauth_grant_revoked"))

	e.Exec(t, `update auth.oauth_clients set registration_type = 'metadata_document',
		metadata_url = 'https://app.example/client.json' where id = $1`, second.id)
	require.Contains(t, list(s), `"id":"https://app.example/client.json"`)
	require.Contains(t, list(s), `"host":"app.example"`)
	require.Equal(t, 204, revoke("?client_id="+url.QueryEscape("https://app.example/client.json")).status)
	require.JSONEq(t, `[]`, list(s))
}

// Whoever takes over a session must not be able to keep the access unnoticed.
func TestNewAccessIsToldOnce(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	told := func(kind string) int {
		return dbtest.Value[int](t, e.DB, `select count(*)::int from auth.notices where kind = $1`, kind)
	}
	a := e.newApp(t, "dynamic", callback)
	e.connect(t, a, s.access, with("scope", "research:read"))
	require.Equal(t, 1, told("app_connected"))
	e.connect(t, a, s.access, with("scope", "research:read"))
	require.Equal(t, 1, told("app_connected"), "the same again")
	connected := e.connect(t, a, s.access)
	require.Equal(t, 2, told("app_connected"), "more scopes")
	secret, _ := e.makeToken(t, s.access)
	require.Equal(t, 1, told("personal_token_created"))
	e.requireUndone(t, e.undoLink(t, "personal_token_created"))
	require.False(t, e.acts(t, secret))
	require.False(t, e.admits(t, connected.access))
}

func TestAppsWithoutRefreshTokens(t *testing.T) {
	t.Parallel()
	e, s := adasEdge(t)
	a := e.newApp(t, "dynamic", callback)
	connected := e.connect(t, a, s.access)
	e.Exec(t, `update auth.oauth_clients set grant_types = '{authorization_code}'`)
	requireRefused(t, e.refreshApp(t, a, connected.refresh), 400, "unauthorized_client")
	tokens := e.exchangeApp(t, a, e.code(t, a, s.access), without("redirect_uri")) // which OAuth 2.1 leaves out
	require.Equal(t, 200, tokens.status, tokens.raw)
	require.NotContains(t, tokens.body, "refresh_token")
}

// What asks for nothing new is not asked again, if nobody else can have sent it.
func TestAllowedBefore(t *testing.T) {
	t.Parallel()
	const old = 25 * time.Hour
	for name, c := range map[string]struct {
		kind, redirect string
		changes        []change
		age            time.Duration
		again          bool // without a question
	}{
		"the same": {kind: "manual", redirect: callback, again: true},
		"less": {kind: "manual", redirect: callback, again: true,
			changes: []change{with("scope", "research:read")}},
		"more": {kind: "manual", redirect: callback,
			changes: []change{with("scope", "research:ask")}},
		"a dynamic app":      {kind: "dynamic", redirect: callback},
		"an app on the host": {kind: "manual", redirect: "http://localhost/callback"},
		"a native app":       {kind: "manual", redirect: "com.example.app:/callback"},
		"an old session":     {kind: "manual", redirect: callback, age: old},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := adasEdge(t)
			a := e.newApp(t, c.kind, c.redirect)
			e.connect(t, a, s.access)
			if c.age > 0 {
				s.access = e.aged(t, s)
			}
			answered := e.open(t, s.access, e.ask(t, a, c.changes...))
			require.Equal(t, 200, answered.status, answered.raw)
			if !c.again {
				require.NotContains(t, answered.body, "redirect_url")
				return
			}
			query := a.redirected(t, answered.body["redirect_url"])
			require.Equal(t, "s=1&t", query.Get("state"))
			granted(t, e.exchangeApp(t, a, query.Get("code")))
		})
	}

	t.Run("a new resource", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		a := e.newApp(t, "manual", callback)
		e.connect(t, a, s.access, without("resource"))
		require.NotContains(t, e.open(t, s.access, e.ask(t, a)).body, "redirect_url")
		e.connect(t, a, s.access)
		require.Contains(t, e.open(t, s.access, e.ask(t, a)).body, "redirect_url")
		require.Contains(t, e.open(t, s.access, e.ask(t, a, without("resource"))).body, "redirect_url")
	})

	t.Run("another host", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		a := e.newApp(t, "manual", callback)
		e.connect(t, a, s.access)
		e.Exec(t, `update auth.oauth_clients set redirect_uris = redirect_uris || '{https://moved.example/}'`)
		a.redirect = "https://moved.example/"
		require.NotContains(t, e.open(t, s.access, e.ask(t, a)).body, "redirect_url")
	})

	t.Run("a new factor", func(t *testing.T) {
		t.Parallel()
		e, s := adasEdge(t)
		a := e.newApp(t, "manual", callback)
		e.connect(t, a, s.access)
		other := e.signIn(t, "ada@example.com", correct)
		p := e.enroll(t, other.access, totpFactor)
		raised := e.raise(t, other.access, p.factor, p.code(t, e, 0))
		low := e.signIn(t, "ada@example.com", correct)
		require.NotContains(t, e.open(t, low.access, e.ask(t, a)).body, "redirect_url")
		require.Contains(t, e.open(t, raised.access, e.ask(t, a)).body, "redirect_url")
	})
}
