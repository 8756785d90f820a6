package auth_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db/dbtest"
)

func TestAnonymousSignIn(t *testing.T) {
	t.Parallel()
	anonymous := configured(func(c *auth.Config) { c.Identity.Anonymous = true })

	t.Run("begins a session without an address, which can be added", func(t *testing.T) {
		t.Parallel()
		e := setup(t, anonymous)
		a := e.do(t, "POST", "/signup", `{"data":{"display_name":"Visitor"}}`)
		require.Equal(t, 200, a.status, a.raw)
		access := a.body["access_token"].(string)
		require.Equal(t, true, claim(t, access, "is_anonymous"))
		user := a.body["user"].(map[string]any)
		require.Equal(t, true, user["is_anonymous"])
		require.Empty(t, user["email"])
		require.Empty(t, user["identities"])
		require.Equal(t, "Visitor", dbtest.Value[string](t, e.DB, `select display_name from profiles`))
		refreshed := e.refresh(t, a.body["refresh_token"].(string)).body["access_token"].(string)
		require.Equal(t, true, claim(t, refreshed, "is_anonymous"))

		requireError(t, e.putUser(t, access, `{"password":"a fine passphrase"}`), 422, "validation_failed")
		requireError(t, e.do(t, "GET", "/reauthenticate", "", bearer(access)), 422, "validation_failed")
		require.Equal(t, 200, e.putUser(t, access, `{"email":"visitor@example.com"}`).status)
		require.Equal(t, true, e.getUser(t, access).body["is_anonymous"], "until the address is proven")
		a = e.verify(t, "email_change", e.minted(t))
		require.Equal(t, 200, a.status, a.raw)
		user = a.body["user"].(map[string]any)
		require.Equal(t, false, user["is_anonymous"])
		require.Equal(t, "visitor@example.com", user["email"])
		require.Contains(t, jsonOf(user["app_metadata"]), "email")
		require.Empty(t, e.notices(t), "there is no former address")
		require.Equal(t, 200, e.putUser(t, access, `{"password":"a fine passphrase"}`).status)
		e.signIn(t, "visitor@example.com", "a fine passphrase")
	})

	t.Run("takes an address after any time, since there is no way to sign in again", func(t *testing.T) {
		t.Parallel()
		e := setup(t, anonymous)
		a := e.do(t, "POST", "/signup", `{}`)
		e.clock.advance(25 * time.Hour)
		access := e.refresh(t, a.body["refresh_token"].(string)).body["access_token"].(string)
		require.Equal(t, 200, e.putUser(t, access, `{"email":"visitor@example.com"}`).status)
	})

	t.Run("ends when an administrator adds an address", func(t *testing.T) {
		t.Parallel()
		e := setup(t, anonymous)
		a := e.do(t, "POST", "/signup", `{}`)
		id := a.body["user"].(map[string]any)["id"].(string)
		changed := e.do(t, "PUT", "/admin/users/"+id, `{"email":"visitor@example.com","email_confirm":true}`,
			"apikey: "+serviceKey, bearer(serviceKey))
		require.Equal(t, 200, changed.status, changed.raw)
		require.Equal(t, false, changed.body["is_anonymous"])
	})

	t.Run("is off unless it is switched on, and where sign-up is limited", func(t *testing.T) {
		t.Parallel()
		for _, change := range []func(*auth.Config){
			func(*auth.Config) {},
			func(c *auth.Config) { c.Identity.Anonymous, c.Identity.SignUp = true, "corp.example" },
		} {
			e := setup(t, configured(change))
			requireError(t, e.do(t, "POST", "/signup", `{}`), 422, "anonymous_provider_disabled")
			a := e.do(t, "GET", "/settings", "")
			require.Equal(t, false, a.body["external"].(map[string]any)["anonymous_users"])
		}
		e := setup(t, anonymous, configured(func(c *auth.Config) { c.Identity.SignUp = "off" }))
		requireError(t, e.do(t, "POST", "/signup", `{}`), 422, "signup_disabled")
	})

	t.Run("counts as a sign-up", func(t *testing.T) {
		t.Parallel()
		e := setup(t, anonymous, configured(func(c *auth.Config) { c.Identity.Limits.AddressSignUps = 1 }))
		require.Equal(t, 200, e.do(t, "POST", "/signup", `{}`).status)
		requireError(t, e.do(t, "POST", "/signup", `{}`), 429, "over_request_rate_limit")
	})
}
