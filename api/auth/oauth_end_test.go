package auth_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/identity"
)

func TestWhatEndsTheAccessOfApps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*testing.T, *edge, session)
		kept bool
	}{
		"signing out": {func(t *testing.T, e *edge, s session) {
			require.Equal(t, 204, e.do(t, "POST", "/logout", "", bearer(s.access)).status)
		}, true},
		"signing out elsewhere": {func(t *testing.T, e *edge, s session) {
			require.Equal(t, 204, e.do(t, "POST", "/logout?scope=others", "", bearer(s.access)).status)
		}, true},
		"a new password": {func(t *testing.T, e *edge, s session) {
			require.Equal(t, 200, e.putUser(t, s.access, `{"password":"another passphrase"}`).status)
		}, false},
		"a new address": {func(t *testing.T, e *edge, s session) {
			e.changeEmail(t, s, "ada@new.example")
		}, false},
		"an administrator's password": {func(t *testing.T, e *edge, s session) {
			e.changeByAdmin(t, s, `{"password":"another passphrase"}`)
		}, false},
		"an administrator's address": {func(t *testing.T, e *edge, s session) {
			e.changeByAdmin(t, s, `{"email":"ada@new.example"}`)
		}, false},
		"an administrator's same address": {func(t *testing.T, e *edge, s session) {
			e.changeByAdmin(t, s, `{"email":"Ada@Example.com"}`)
		}, true},
		"a ban": {func(t *testing.T, e *edge, s session) {
			e.changeByAdmin(t, s, `{"ban_duration":"24h"}`)
		}, false},
		"a change of a name": {func(t *testing.T, e *edge, s session) {
			e.changeByAdmin(t, s, `{"user_metadata":{"name":"Ada"}}`)
		}, true},
		"a soft deletion": {func(t *testing.T, e *edge, s session) {
			path := "/admin/users/" + claim(t, s.access, "sub").(string)
			require.Equal(t, 200, e.do(t, "DELETE", path, `{"should_soft_delete":true}`, bearer(serviceKey)).status)
		}, false},
		"a deletion": {func(t *testing.T, e *edge, s session) {
			path := "/admin/users/" + claim(t, s.access, "sub").(string)
			require.Equal(t, 200, e.do(t, "DELETE", path, "", bearer(serviceKey)).status)
		}, false},
		"undoing a change": {func(t *testing.T, e *edge, s session) {
			e.requireUndone(t, e.undoLink(t, "factor_added"))
		}, false},
		"an operator": {func(t *testing.T, e *edge, s session) {
			o, err := identity.NewOperator(identity.Config{BcryptCost: 4}, e.Store)
			require.NoError(t, err)
			_, err = o.EndSessions(t.Context(), "ada@example.com", nil)
			require.NoError(t, err)
			e.tokens.Authenticator.RecheckSessions()
		}, false},
		"a removed redirect URI": {func(t *testing.T, e *edge, s session) {
			id := e.ask(t, e.newApp(t, "manual", "https://removed.example/"))
			e.Exec(t, `update auth.oauth_clients set redirect_uris = '{https://new.example/}'
				where redirect_uris = '{https://removed.example/}'`)
			requireError(t, e.open(t, s.access, id), 404, "oauth_authorization_not_found")
		}, true},
		"the deletion of the app": {func(t *testing.T, e *edge, s session) {
			e.Exec(t, `delete from auth.oauth_clients`)
			e.tokens.Authenticator.RecheckSessions()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			_, s := e.protected(t, "ada@example.com")
			a := e.newApp(t, "dynamic", callback)
			connected := e.connect(t, a, s.access)
			waiting := e.code(t, a, s.access)
			require.True(t, e.admits(t, connected.access))
			c.do(t, e, s)
			require.Equal(t, c.kept, e.admits(t, connected.access))
			if c.kept {
				granted(t, e.refreshApp(t, a, connected.refresh))
				granted(t, e.exchangeApp(t, a, waiting))
				return
			}
			require.NotEqual(t, 200, e.refreshApp(t, a, connected.refresh).status)
			require.NotEqual(t, 200, e.exchangeApp(t, a, waiting).status)
			require.Equal(t, 0, dbtest.Value[int](t, e.DB, `
				select (select count(*) from auth.oauth_consents)::int
					+ (select count(*) from auth.oauth_authorizations)::int
					+ (select count(*) from auth.sessions where oauth_client_id is not null)::int`))
		})
	}
}

// changeByAdmin requires that an administrator changes the user of a session.
func (e *edge) changeByAdmin(t testing.TB, s session, body string) {
	t.Helper()
	path := "/admin/users/" + claim(t, s.access, "sub").(string)
	a := e.do(t, "PUT", path, body, bearer(serviceKey))
	require.Equal(t, 200, a.status, a.raw)
}

// The limits of sessions hold for those of apps.
func TestSessionsOfAppsEndAsOthers(t *testing.T) {
	t.Parallel()
	e := setup(t, limitedTo(8*time.Hour, 0))
	e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	a := e.newApp(t, "dynamic", callback)
	connected := e.connect(t, a, s.access)
	e.age(t, "7 hours")
	connected = granted(t, e.refreshApp(t, a, connected.refresh))
	e.age(t, "1 hour")
	e.tokens.Authenticator.RecheckSessions()
	require.False(t, e.admits(t, connected.access))
	requireRefused(t, e.refreshApp(t, a, connected.refresh), 400, "invalid_grant")
}

// Whoever signed up first with an address that is not theirs may have connected an app.
func TestAppsOfAnUnprovenAccountEndWithIt(t *testing.T) {
	t.Parallel()
	squat := func(t *testing.T, e *edge) (a app, connected session) {
		t.Helper()
		squatter := e.signUp(t, "ada@example.com", passphrase)
		require.Equal(t, 200, squatter.status, squatter.raw)
		a = e.newApp(t, "dynamic", callback)
		connected = e.connect(t, a, squatter.body["access_token"].(string))
		require.True(t, e.admits(t, connected.access))
		return a, connected
	}
	requireEnded := func(t *testing.T, e *edge, a app, connected session) {
		t.Helper()
		e.tokens.Authenticator.RecheckSessions()
		require.False(t, e.admits(t, connected.access))
		requireRefused(t, e.refreshApp(t, a, connected.refresh), 400, "invalid_grant")
		require.Equal(t, 0, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.oauth_consents`))
		require.Equal(t, 0, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.oauth_authorizations`))
	}

	t.Run("when its owner proves the address", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		a, connected := squat(t, e)
		require.Equal(t, 200, e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`).status)
		require.Equal(t, 200, e.verify(t, "recovery", e.minted(t)).status)
		requireEnded(t, e, a, connected)
	})

	t.Run("when its owner takes the address back", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		e.changeEmail(t, e.signIn(t, "ada@example.com", correct), "thief@example.com")
		link := e.undoLink(t, "email_changed")
		a, connected := squat(t, e)
		e.requireUndone(t, link)
		requireEnded(t, e, a, connected)
	})
}
