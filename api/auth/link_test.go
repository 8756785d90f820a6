package auth_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db/dbtest"
)

// verifyPath is the address of a link in a mail.
func verifyPath(linkType, secret string) string {
	return "/verify?" + url.Values{"token": {secret}, "type": {linkType}}.Encode()
}

// pressButton sends the form of the page behind a link.
func (e *edge) pressButton(t testing.TB, linkType, secret string) answer {
	t.Helper()
	form := url.Values{"token": {secret}, "type": {linkType}}.Encode()
	return e.do(t, "POST", "/verify", form, "apikey: ", "Content-Type: application/x-www-form-urlencoded")
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
		for i, email := range []string{
			"ada@example.com", "nobody@example.com", "banned@example.com", "ADA@example.com",
		} {
			a := e.do(t, "POST", "/recover", jsonOf(map[string]any{"email": email}))
			require.Equal(t, 200, a.status)
			if i == 0 {
				first = a
			}
			require.Equal(t, first.raw, a.raw)
			require.Equal(t, first.header, a.header)
		}
		require.Len(t, e.mail.requests, 4, "a workflow is started for each")
		require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.one_time_tokens`),
			"the second replaces the first")
		secret := e.minted(t)
		row := dbtest.Value[string](t, e.DB, `select t::text from auth.one_time_tokens t`)
		require.NotContains(t, row, secret)
		requireError(t, e.do(t, "POST", "/recover", `{"email":"no address"}`), 400, "validation_failed")
	})

	t.Run("lets the user set a new password", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`)
		a := e.verify(t, "recovery", e.minted(t))
		require.Equal(t, 200, a.status, a.raw)
		access := a.body["access_token"].(string)
		require.Equal(t, "recovery", claim(t, access, "amr").([]any)[0].(map[string]any)["method"])
		require.Equal(t, 200, e.putUser(t, access, `{"password":"another passphrase"}`).status)
		e.signIn(t, "ada@example.com", "another passphrase")
	})
}

func TestLink(t *testing.T) {
	t.Parallel()
	// requested returns an edge that mailed a link.
	requested := func(t *testing.T) (*edge, string) {
		t.Helper()
		e := setup(t)
		e.User(t, "ada@example.com")
		require.Equal(t, 200, e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`).status)
		return e, e.minted(t)
	}

	t.Run("is not used by opening the page", func(t *testing.T) {
		t.Parallel()
		e, secret := requested(t)
		path := verifyPath("recovery", secret)
		for range 5 {
			a := e.do(t, "GET", path, "", "apikey: ")
			require.Equal(t, 200, a.status)
			require.Contains(t, a.raw, `value="`+secret+`"`)
			require.Contains(t, a.header.Get("Content-Security-Policy"), "default-src 'none'")
			require.Equal(t, "strict-origin", a.header.Get("Referrer-Policy"))
			require.Equal(t, "no-store", a.header.Get("Cache-Control"))
			require.NotContains(t, a.raw, "<script")
		}
		for _, method := range []string{"HEAD", "OPTIONS", "PUT", "DELETE"} {
			e.do(t, method, path, "", "apikey: ")
		}
		require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.sessions`))
		require.Equal(t, 200, e.verify(t, "recovery", secret).status)
	})

	t.Run("is used by one of several concurrent requests", func(t *testing.T) {
		t.Parallel()
		e, secret := requested(t)
		answers := make([]answer, 10)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = e.verify(t, "recovery", secret) })
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
		a := e.do(t, "GET", verifyPath("recovery", secret), "")
		require.Equal(t, 403, a.status)
		require.NotContains(t, a.raw, "<button")
	})

	t.Run("expires after an hour", func(t *testing.T) {
		t.Parallel()
		e, secret := requested(t)
		e.Exec(t, `update auth.one_time_tokens set expires_at = expires_at - interval '1 hour'`)
		requireError(t, e.verify(t, "recovery", secret), 403, "otp_expired")
	})

	t.Run("has one type, and requires a user who may sign in", func(t *testing.T) {
		t.Parallel()
		e, secret := requested(t)
		for _, linkType := range []string{"signup", "invite", "magiclink", "email_change"} {
			requireError(t, e.verify(t, linkType, secret), 403, "otp_expired")
		}
		requireError(t, e.verify(t, "nonsense", secret), 400, "validation_failed")
		requireError(t, e.verify(t, "", secret), 400, "validation_failed")
		requireError(t, e.verify(t, "recovery", ""), 400, "validation_failed")
		requireError(t, e.verify(t, "recovery", "nonsense"), 403, "otp_expired")
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour'`)
		requireError(t, e.verify(t, "recovery", secret), 400, "user_banned")
	})

	t.Run("redirects to allowed addresses only", func(t *testing.T) {
		t.Parallel()
		e := setup(t, configured(func(c *auth.Config) {
			c.Identity.RedirectURLs = []string{"https://app.example/auth/", "http://localhost:3000"}
		}))
		e.User(t, "ada@example.com")
		const home = "https://research.example"
		for wanted, allowed := range map[string]string{
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
			path := "/recover?" + url.Values{"redirect_to": {wanted}}.Encode()
			a := e.do(t, "POST", path, `{"email":"ada@example.com"}`,
				"X-Forwarded-Host: evil.example", "Referer: https://evil.example",
				"Origin: https://evil.example", "Host: evil.example")
			require.Equal(t, 200, a.status)
			stored := dbtest.Value[string](t, e.DB, `select redirect_to from auth.one_time_tokens`)
			require.Equal(t, allowed, stored, wanted)
		}
	})

	t.Run("redirects the form with the session in the fragment", func(t *testing.T) {
		t.Parallel()
		e, secret := requested(t)
		a := e.pressButton(t, "recovery", secret)
		require.Equal(t, http.StatusSeeOther, a.status, a.raw)
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
		address, fragment, _ := strings.Cut(a.header.Get("Location"), "#")
		require.Equal(t, "https://research.example", address)
		session, err := url.ParseQuery(fragment)
		require.NoError(t, err)
		require.Equal(t, "recovery", session.Get("type"))
		require.Equal(t, "3600", session.Get("expires_in"))
		require.Equal(t, 200, e.getUser(t, session.Get("access_token")).status)
		a = e.do(t, "POST", "/verify", "%zz", "Content-Type: application/x-www-form-urlencoded")
		requireError(t, a, 400, "validation_failed")
	})

	t.Run("rejects the form of another site, and does not use the link up", func(t *testing.T) {
		t.Parallel()
		e, secret := requested(t)
		form := url.Values{"token": {secret}, "type": {"recovery"}}.Encode()
		const isForm = "Content-Type: application/x-www-form-urlencoded"
		for _, header := range []string{
			"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: https://evil.example", "Origin: null",
		} {
			requireError(t, e.do(t, "POST", "/verify", form, isForm, header), 403, "cross_origin_request")
		}
		require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.sessions`))
		a := e.do(t, "POST", "/verify", form, isForm, "Origin: https://research.example",
			"Sec-Fetch-Site: same-origin")
		require.Equal(t, http.StatusSeeOther, a.status, a.raw)
	})

	t.Run("accepts the form of the page behind a proxy that changes the host", func(t *testing.T) {
		t.Parallel()
		e, secret := requested(t)
		form := url.Values{"token": {secret}, "type": {"recovery"}}.Encode()
		a := e.do(t, "POST", "/verify", form, "Content-Type: application/x-www-form-urlencoded",
			"Origin: https://research.example")
		require.Equal(t, http.StatusSeeOther, a.status, a.raw)
	})

	t.Run("does not redirect to an address that is not allowed any more", func(t *testing.T) {
		t.Parallel()
		e, secret := requested(t)
		e.Exec(t, `update auth.one_time_tokens set redirect_to = 'https://formerly.example'`)
		a := e.pressButton(t, "recovery", secret)
		require.Equal(t, http.StatusSeeOther, a.status, a.raw)
		address, _, _ := strings.Cut(a.header.Get("Location"), "#")
		require.Equal(t, "https://research.example", address)
	})

	t.Run("escapes what an attacker put into the address", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		a := e.do(t, "GET", verifyPath(`"><img src=x>`, `"><script>alert(1)</script>`), "")
		require.Equal(t, 403, a.status)
		require.NotContains(t, a.raw, "<script>")
		require.NotContains(t, a.raw, "<img")
	})
}

func TestInvite(t *testing.T) {
	t.Parallel()
	e := setup(t)
	admin := bearer(serviceKey)
	requireError(t, e.do(t, "POST", "/invite", `{"email":"guest@example.com"}`), 403, "not_admin")
	a := e.do(t, "POST", "/invite", `{"email":"Guest@example.com","data":{"display_name":"Guest"}}`, admin)
	require.Equal(t, 200, a.status, a.raw)
	require.NotEmpty(t, a.body["invited_at"])
	requireError(t, e.grant(t, "guest@example.com", ""), 400, "invalid_credentials")
	requireError(t, e.do(t, "POST", "/invite", `{"email":"guest@example.com"}`, admin), 422, "email_exists")
	a = e.verify(t, "invite", e.minted(t))
	require.Equal(t, 200, a.status, a.raw)
	access := a.body["access_token"].(string)
	a = e.putUser(t, access, `{"password":"a fine passphrase"}`)
	require.Equal(t, 200, a.status, a.raw)
	e.signIn(t, "guest@example.com", "a fine passphrase")
}

// An administrator made the account, without saying that the address is the user's.
func TestResendToAnAccountThatAnAdministratorMade(t *testing.T) {
	t.Parallel()
	e := setup(t)
	const email, password = "made@example.com", "correct horse battery"
	made := e.do(t, "POST", "/admin/users", jsonOf(map[string]any{"email": email, "password": password}),
		"apikey: "+serviceKey, bearer(serviceKey))
	require.Equal(t, 200, made.status, made.raw)
	again := jsonOf(map[string]any{"type": "signup", "email": email})
	require.Equal(t, 200, e.do(t, "POST", "/resend", again).status)
	require.Equal(t, 200, e.verify(t, "signup", e.minted(t)).status)
	var user struct {
		UserMetadata struct {
			Verified bool `json:"email_verified"`
		} `json:"user_metadata"`
	}
	require.NoError(t, json.Unmarshal([]byte(e.getUser(t, e.signIn(t, email, password).access).raw), &user))
	require.True(t, user.UserMetadata.Verified)
}
