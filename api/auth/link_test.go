package auth_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db/dbtest"
)

func verifyBody(kind, secret string) string {
	return jsonOf(map[string]any{"type": kind, "token_hash": secret})
}

func TestRecover(t *testing.T) {
	t.Parallel()

	t.Run("answers known and unknown addresses alike, and stores only a hash", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		id := e.User(t, "banned@example.com")
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, id)
		var first answer
		for i, email := range []string{"ada@example.com", "nobody@example.com", "banned@example.com", "ADA@example.com"} {
			a := e.do(t, "POST", "/recover", jsonOf(map[string]any{"email": email}))
			require.Equal(t, 200, a.status)
			if i == 0 {
				first = a
			}
			require.Equal(t, first.raw, a.raw)
			require.Equal(t, first.header, a.header)
		}
		require.Len(t, e.mail.requests, 4, "a workflow is started for each")
		require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.one_time_tokens`), "the second replaces the first")
		secret := e.minted(t)
		require.NotContains(t, dbtest.Value[string](t, e.DB, `select t::text from auth.one_time_tokens t`), secret)
		requireError(t, e.do(t, "POST", "/recover", `{"email":"no address"}`), 400, "validation_failed")
	})

	t.Run("leads to a new password", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`)
		a := e.do(t, "POST", "/verify", verifyBody("recovery", e.minted(t)))
		require.Equal(t, 200, a.status, a.raw)
		access := a.body["access_token"].(string)
		require.Equal(t, "recovery", claim(t, access, "amr").([]any)[0].(map[string]any)["method"])
		require.Equal(t, 200, e.do(t, "PUT", "/user", `{"password":"another passphrase"}`, bearer(access)).status)
		e.signIn(t, "ada@example.com", "another passphrase")
	})
}

func TestLink(t *testing.T) {
	t.Parallel()
	// asked has a link that was mailed.
	asked := func(t *testing.T, change ...func(*auth.Config, *token.KeysConfig)) (*edge, string) {
		t.Helper()
		e := setup(t, change...)
		e.User(t, "ada@example.com")
		require.Equal(t, 200, e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`).status)
		return e, e.minted(t)
	}

	t.Run("is not used up by who only looks", func(t *testing.T) {
		t.Parallel()
		e, secret := asked(t)
		path := "/verify?" + url.Values{"token": {secret}, "type": {"recovery"}}.Encode()
		for range 5 {
			a := e.do(t, "GET", path, "", "apikey: ")
			require.Equal(t, 200, a.status)
			require.Contains(t, a.raw, `value="`+secret+`"`)
			require.Contains(t, a.header.Get("Content-Security-Policy"), "default-src 'none'")
			require.Equal(t, "no-referrer", a.header.Get("Referrer-Policy"))
			require.Equal(t, "no-store", a.header.Get("Cache-Control"))
			require.NotContains(t, a.raw, "<script")
		}
		for _, method := range []string{"HEAD", "OPTIONS", "PUT", "DELETE"} {
			e.do(t, method, path, "", "apikey: ")
		}
		require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.sessions`))
		require.Equal(t, 200, e.do(t, "POST", "/verify", verifyBody("recovery", secret)).status)
	})

	t.Run("is used once, by one of many at once", func(t *testing.T) {
		t.Parallel()
		e, secret := asked(t)
		answers := make([]answer, 10)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = e.do(t, "POST", "/verify", verifyBody("recovery", secret)) })
		}
		all.Wait()
		good := 0
		for _, a := range answers {
			if a.status == 200 {
				good++
			} else {
				requireError(t, a, 403, "otp_expired")
			}
		}
		require.Equal(t, 1, good)
		a := e.do(t, "GET", "/verify?"+url.Values{"token": {secret}, "type": {"recovery"}}.Encode(), "")
		require.Equal(t, 403, a.status)
		require.NotContains(t, a.raw, "<button")
	})

	t.Run("ends after an hour", func(t *testing.T) {
		t.Parallel()
		e, secret := asked(t)
		e.Exec(t, `update auth.one_time_tokens set expires_at = expires_at - interval '1 hour'`)
		requireError(t, e.do(t, "POST", "/verify", verifyBody("recovery", secret)), 403, "otp_expired")
	})

	t.Run("is of one kind, and of who may still sign in", func(t *testing.T) {
		t.Parallel()
		e, secret := asked(t)
		for _, kind := range []string{"signup", "invite", "email", "email_change"} {
			requireError(t, e.do(t, "POST", "/verify", verifyBody(kind, secret)), 403, "otp_expired")
		}
		requireError(t, e.do(t, "POST", "/verify", verifyBody("magiclink", secret)), 400, "validation_failed")
		requireError(t, e.do(t, "POST", "/verify", verifyBody("", secret)), 400, "validation_failed")
		requireError(t, e.do(t, "POST", "/verify", verifyBody("recovery", "")), 400, "validation_failed")
		requireError(t, e.do(t, "POST", "/verify", verifyBody("recovery", "nonsense")), 403, "otp_expired")
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour'`)
		requireError(t, e.do(t, "POST", "/verify", verifyBody("recovery", secret)), 400, "user_banned")
	})

	t.Run("leads where it is allowed, and nowhere else", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) {
			c.RedirectURLs = []string{"https://app.example/auth/", "http://localhost:3000"}
		}))
		e.User(t, "ada@example.com")
		const home = "https://research.example"
		for wanted, leads := range map[string]string{
			"":                                              home,
			"https://app.example/auth":                      "https://app.example/auth",
			"https://app.example/auth/new?next=1":           "https://app.example/auth/new?next=1",
			"https://APP.example/auth/new":                  "https://APP.example/auth/new",
			"http://localhost:3000/anything":                "http://localhost:3000/anything",
			"https://research.example/deep":                 "https://research.example/deep",
			"https://app.example/":                          home,
			"https://app.example/authority":                 home,
			"https://app.example/auth/../admin":             home,
			"https://app.example/auth/%2e%2e/admin":         home,
			"https://app.example/auth/..%2fadmin":           home,
			"https://app.example/auth/..%5cadmin":           home,
			"http://app.example/auth":                       home,
			"https://app.example:8443/auth":                 home,
			"https://app.example.evil.example/auth":         home,
			"https://evil.example/https://app.example/auth": home,
			"https://app.example@evil.example/auth":         home,
			"https://user:pw@app.example/auth":              home,
			"https://evil.example\\@app.example/auth":       home,
			"https:evil.example/auth":                       home,
			"//app.example/auth":                            home,
			"/auth":                                         home,
			"javascript:alert(1)//app.example/auth":         home,
			"https://app.example/auth\r\nX: y":              home,
			"http://localhost:3000.evil.example/":           home,
			"http://localhost:30001/":                       home,
		} {
			a := e.do(t, "POST", "/recover?"+url.Values{"redirect_to": {wanted}}.Encode(), `{"email":"ada@example.com"}`,
				"X-Forwarded-Host: evil.example", "Referer: https://evil.example", "Origin: https://evil.example", "Host: evil.example")
			require.Equal(t, 200, a.status)
			require.Equal(t, leads, dbtest.Value[string](t, e.DB, `select redirect_to from auth.one_time_tokens`), wanted)
		}
	})

	t.Run("by the button leads on with the session behind the #", func(t *testing.T) {
		t.Parallel()
		e, secret := asked(t)
		a := e.do(t, "POST", "/verify", url.Values{"token": {secret}, "type": {"recovery"}}.Encode(), "apikey: ", "Content-Type: application/x-www-form-urlencoded")
		require.Equal(t, http.StatusSeeOther, a.status, a.raw)
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
		to, err := url.Parse(a.header.Get("Location"))
		require.NoError(t, err)
		require.Equal(t, "https://research.example", strings.SplitN(a.header.Get("Location"), "#", 2)[0])
		session, err := url.ParseQuery(to.Fragment)
		require.NoError(t, err)
		require.Equal(t, "recovery", session.Get("type"))
		require.Equal(t, "3600", session.Get("expires_in"))
		require.Equal(t, 200, e.do(t, "GET", "/user", "", bearer(session.Get("access_token"))).status)
		requireError(t, e.do(t, "POST", "/verify", "%zz", "Content-Type: application/x-www-form-urlencoded"), 400, "validation_failed")
	})

	t.Run("leads nowhere that is not allowed any more", func(t *testing.T) {
		t.Parallel()
		e, secret := asked(t)
		e.Exec(t, `update auth.one_time_tokens set redirect_to = 'https://formerly.example'`)
		a := e.do(t, "POST", "/verify", url.Values{"token": {secret}, "type": {"recovery"}}.Encode(), "apikey: ", "Content-Type: application/x-www-form-urlencoded")
		require.Equal(t, http.StatusSeeOther, a.status, a.raw)
		require.Equal(t, "https://research.example", strings.SplitN(a.header.Get("Location"), "#", 2)[0])
	})

	t.Run("shows what somebody put into the address as text", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		a := e.do(t, "GET", "/verify?"+url.Values{"token": {`"><script>alert(1)</script>`}, "type": {`"><img src=x>`}}.Encode(), "")
		require.Equal(t, 403, a.status)
		require.NotContains(t, a.raw, "<script>")
		require.NotContains(t, a.raw, "<img")
	})
}

func TestEmailChange(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	e.User(t, "taken@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	requireError(t, e.do(t, "PUT", "/user", `{"email":"Taken@example.com"}`, bearer(s.access)), 422, "email_exists")
	requireError(t, e.do(t, "PUT", "/user", `{"email":"nonsense"}`, bearer(s.access)), 400, "validation_failed")
	a := e.do(t, "PUT", "/user", `{"email":"Lovelace@example.com"}`, bearer(s.access))
	require.Equal(t, 200, a.status, a.raw)
	require.Equal(t, "ada@example.com", a.body["email"], "until the link is followed")
	require.Equal(t, "lovelace@example.com", a.body["new_email"])
	secret := e.minted(t)
	// Somebody else takes the address meanwhile.
	other := e.User(t, "lovelace@example.com")
	requireError(t, e.do(t, "POST", "/verify", verifyBody("email_change", secret)), 422, "email_exists")
	e.Exec(t, `delete from auth.users where id = $1`, other)
	a = e.do(t, "POST", "/verify", verifyBody("email_change", secret))
	require.Equal(t, 200, a.status, "what was refused did not use the link up")
	require.Equal(t, "lovelace@example.com", a.body["user"].(map[string]any)["email"])
	e.signIn(t, "lovelace@example.com", correct)
	requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"correct horse"}`), 400, "invalid_credentials")
	require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*)::int from profiles where email = 'lovelace@example.com'`))
}

func TestInvite(t *testing.T) {
	t.Parallel()
	e := setup(t)
	admin := bearer(serviceKey)
	requireError(t, e.do(t, "POST", "/invite", `{"email":"guest@example.com"}`), 403, "not_admin")
	a := e.do(t, "POST", "/invite", `{"email":"Guest@example.com","data":{"display_name":"Guest"}}`, admin)
	require.Equal(t, 200, a.status, a.raw)
	require.NotEmpty(t, a.body["invited_at"])
	requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"guest@example.com","password":""}`), 400, "invalid_credentials")
	requireError(t, e.do(t, "POST", "/invite", `{"email":"guest@example.com"}`, admin), 422, "email_exists")
	a = e.do(t, "POST", "/verify", verifyBody("invite", e.minted(t)))
	require.Equal(t, 200, a.status, a.raw)
	require.Equal(t, 200, e.do(t, "PUT", "/user", `{"password":"a fine passphrase"}`, bearer(a.body["access_token"].(string))).status)
	e.signIn(t, "guest@example.com", "a fine passphrase")
}
