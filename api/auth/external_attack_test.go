package auth_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db/dbtest"
	"research/identity/oidc/oidctest"
)

// A stranger has an account at the provider that names the address of somebody else.
var stranger = oidctest.User{Subject: "666", Email: "ada@example.com"}

func TestStrangersAtProviders(t *testing.T) {
	t.Parallel()
	confirmed := configured(func(c *auth.Config) { c.Identity.ConfirmEmail = true })

	t.Run("do not get in by an address that only Unicode takes for the same", func(t *testing.T) {
		t.Parallel()
		for address, lookalike := range map[string]string{
			"ada@institute.example": "ada@\u0130nstitute.example",
			"kim@example.com":       "\u212aim@example.com",
		} {
			e, p := withProvider(t)
			id := e.User(t, address)
			p.SetUser(oidctest.User{Subject: "666", Email: lookalike, EmailVerified: true})
			require.NotEqual(t, id.String(), userOf(t, e, e.admitted(t))["id"], address)
		}
	})

	t.Run("lose the account once an administrator gives it a password", func(t *testing.T) {
		t.Parallel()
		for _, body := range []string{
			`{"email_confirm":true,"password":"another correct horse 9"}`, `{"password":"another correct horse 9"}`,
		} {
			e, p := withProvider(t)
			p.SetUser(stranger)
			s := e.admitted(t)
			id := userOf(t, e, s)["id"].(string)
			require.Equal(t, 200, e.do(t, "PUT", "/admin/users/"+id, body, bearer(serviceKey)).status)
			require.NotEqual(t, 200, e.getUser(t, s.access).status, body)
			require.NotEqual(t, id, userOf(t, e, e.admitted(t))["id"], body)
		}
	})

	t.Run("do not keep the owner out by a second factor", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		s := begun(t, e.signUp(t, "ada@example.com", correct))
		phone := e.enroll(t, s.access, totpFactor)
		e.raise(t, s.access, phone.factor, phone.code(t, e, 0))
		owner := e.admitted(t)
		require.Nil(t, userOf(t, e, owner)["factors"])
		require.Equal(t, 200, e.link(t, owner.access).status)
	})

	t.Run("do not learn which addresses have accounts", func(t *testing.T) {
		t.Parallel()
		for _, change := range []func(*auth.Config){
			func(c *auth.Config) { c.Identity.ConfirmEmail = true },
			func(c *auth.Config) { c.Identity.SignUp = "example.com" },
		} {
			e, p := withProvider(t, configured(change))
			e.User(t, "ada@example.com")
			e.User(t, "taken@other.example")
			answers := map[string]bool{}
			p.SetUser(stranger)
			taken := (&visitor{edge: e}).signInAt(t)
			p.SetUser(oidctest.User{Subject: "2", Email: "free@example.com"})
			free := (&visitor{edge: e}).signInAt(t)
			require.Equal(t, free, taken)
			for subject, address := range map[string]string{"3": "taken@other.example", "4": "free@other.example"} {
				p.SetUser(oidctest.User{Subject: subject, Email: address})
				answers[(&visitor{edge: e}).signInAt(t).Encode()] = true
			}
			require.Len(t, answers, 1)
			requireReturned(t, free, "access_denied", "provider_email_needs_verification")
		}
	})

	t.Run("are named in the mail that asks for a proof of the address", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t, confirmed)
		p.SetUser(stranger)
		(&visitor{edge: e}).signInAt(t)
		require.Equal(t, acme, dbtest.Value[string](t, e.DB, `select relates_to from auth.one_time_tokens`))
	})

	t.Run("do not keep the address from a user who links an account that proves it", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t, configured(func(c *auth.Config) { c.Identity.Anonymous = true }))
		begun(t, e.signUp(t, "ada@example.com", correct)) // not proven
		user := userOf(t, e, begun(t, e.linked(t, begun(t, e.do(t, "POST", "/signup", `{}`)))))
		require.Equal(t, "ada@example.com", user["email"])
	})

	t.Run("do not come back when the removal of their account is undone", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		id := e.User(t, "ada@example.com")
		p.SetUser(oidctest.User{Subject: "666"})
		thief := begun(t, e.linked(t, e.signIn(t, "ada@example.com", correct)))
		require.Equal(t, 200, e.unlink(t, thief, e.identityIDs(t, thief)[acme]).status)
		require.Equal(t, 200, e.undo(t, e.undoLink(t, "identity_unlinked")).status)
		require.NotEqual(t, id.String(), userOf(t, e, e.admitted(t))["id"])
	})
}

// waiting sends requests while another transaction has the lock of the only user, which does something before
// it ends. Requests that wait for the lock see what it did.
func (e *edge) waiting(t testing.TB, meanwhile string, requests ...func()) {
	t.Helper()
	e.AsOwner(t, func(c *pgx.Conn) {
		tx, err := c.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `select from auth.users for no key update`)
		require.NoError(t, err)
		var sent sync.WaitGroup
		for _, request := range requests {
			sent.Go(request)
		}
		require.Eventually(t, func() bool {
			return dbtest.Value[int](t, e.DB, `
				select count(*)::int from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock'`) == len(requests)
		}, 30*time.Second, 10*time.Millisecond)
		_, err = tx.Exec(t.Context(), meanwhile)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(t.Context()))
		sent.Wait()
	})
}

func TestIdentitiesAtTheSameTime(t *testing.T) {
	t.Parallel()

	t.Run("are not signed in with once they are unlinked", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		e.User(t, "ada@example.com")
		e.admitted(t) // links the account
		token := p.IDToken(nil)
		var a answer
		e.waiting(t, `with u as (update auth.users set banned_until = 'infinity') delete from auth.identities`,
			func() { a = e.idToken(t, map[string]any{"provider": acme, "id_token": token}) })
		require.NotEqual(t, 200, a.status)
	})

	t.Run("are not all unlinked", func(t *testing.T) {
		t.Parallel()
		e, _ := withProvider(t)
		e.User(t, "ada@example.com")
		s := e.admitted(t)
		ids := e.identityIDs(t, s)
		var one, other int
		e.waiting(t, `select`,
			func() { one = e.unlink(t, s, ids[acme]).status },
			func() { other = e.unlink(t, s, ids["email"]).status })
		require.ElementsMatch(t, []int{http.StatusOK, http.StatusUnprocessableEntity}, []int{one, other})
	})

	t.Run("are not linked if the session ends while the provider is asked", func(t *testing.T) {
		t.Parallel()
		e, p := withProvider(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		v := &visitor{edge: e}
		path := strings.TrimPrefix(e.link(t, s.access).body["url"].(string), home+"/auth/v1")
		callback := v.atProvider(t, v.get(t, path).header.Get("Location"))
		p.Set(func(b *oidctest.Behavior) {
			b.IDToken = func(map[string]any) { e.Exec(t, `delete from auth.sessions`) }
		})
		requireReturned(t, v.arrive(t, callback), "invalid_request", "session_not_found")
	})
}

func TestUnlinkedProviders(t *testing.T) {
	t.Parallel()
	e, _ := withProvider(t)
	e.User(t, "ada@example.com")
	s := e.admitted(t)
	e.Exec(t, `update auth.identities set provider = 'custom:gone'`)
	ids := e.identityIDs(t, s)
	requireError(t, e.unlink(t, s, ids["email"]), 422, "single_identity_not_deletable")
	require.Equal(t, 200, e.unlink(t, s, ids["custom:gone"]).status)
}

// A person whose sign-in fails for our own reasons gets back to the client, too.
func TestProviderFlowDuringAnOutage(t *testing.T) {
	t.Parallel()
	e, _ := withProvider(t)
	v := &visitor{edge: e}
	callback := v.atProvider(t, v.begin(t))
	e.AsOwner(t, func(c *pgx.Conn) {
		_, err := c.Exec(t.Context(), `alter table auth.identities rename to gone`)
		require.NoError(t, err)
	})
	query := v.arrive(t, callback)
	requireReturned(t, query, "server_error", "unexpected_failure")
	require.NotContains(t, query.Encode(), "identities")
	require.Contains(t, e.log.String(), "request failed")
}

// What an operator can do something about is in the log, and nothing of it in the answer.
func TestLogOfProviders(t *testing.T) {
	t.Parallel()
	e, p := withProvider(t)
	v := &visitor{edge: e}
	p.Set(func(b *oidctest.Behavior) { b.IDToken = func(claims map[string]any) { claims["nonce"] = "x" } })
	requireReturned(t, v.signInAt(t), "invalid_request", "bad_oauth_callback")
	require.Contains(t, e.log.String(), "provider="+acme)

	begun := v.begin(t)
	_, state, _ := strings.Cut(begun, "state=")
	state, _, _ = strings.Cut(state, "&")
	query := v.arrive(t, "/callback?error=unauthorized_client&error_description=AADSTS700016%0A+unknown&state="+
		state)
	requireReturned(t, query, "unauthorized_client", "bad_oauth_callback")
	require.NotContains(t, query.Encode(), "AADSTS")
	require.Contains(t, e.log.String(), "responded with unauthorized_client")
	require.Contains(t, e.log.String(), "AADSTS700016 unknown")

	e.log.Reset()
	bad := e.idToken(t, map[string]any{"provider": acme, "id_token": "x.y.z"})
	requireError(t, bad, 400, "bad_oauth_callback")
	require.Empty(t, e.log.String(), "anybody can send tokens")
}
