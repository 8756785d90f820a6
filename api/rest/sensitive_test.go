package rest_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// signedIn returns a caller with a session that began so long ago, and its id.
func (e *edge) signedIn(t testing.TB, user uuid.UUID, ago time.Duration) (*caller, uuid.UUID) {
	t.Helper()
	session := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into auth.sessions (user_id, created_at) values ($1, now() - $2::interval) returning id`,
		user, ago.String())
	return e.withClaims(t, user, jwt.MapClaims{"session_id": session.String()}), session
}

// withClaims returns a caller whose token has further claims.
func (e *edge) withClaims(t testing.TB, user uuid.UUID, claims jwt.MapClaims) *caller {
	t.Helper()
	claims["sub"], claims["role"] = user.String(), db.RoleAuthenticated
	return &caller{e, e.tokens.Sign(t, claims), t}
}

// An attacker has an access token of an owner who signed in long ago.
func TestSensitiveChangesRequireARecentSignIn(t *testing.T) {
	t.Parallel()
	// sensitive are requests that take over a workspace or its data. %[1]s is the workspace, %[2]s an editor,
	// %[3]s an owner, %[4]s an endpoint.
	sensitive := []struct{ name, method, path, body string }{
		{"an endpoint", "POST", "/webhook_endpoints",
			`{"workspace_id":%q,"url":"https://receiver.example/thief"}`},
		{"the address of an endpoint", "PATCH", "/webhook_endpoints?id=eq.%[4]s",
			`{"url":"https://receiver.example/thief"}`},
		{"the secret of an endpoint", "POST", "/rpc/rotate_webhook_secret", `{"endpoint":"%[4]s"}`},
		{"another owner", "PATCH", "/workspace_members?workspace_id=eq.%[1]s&user_id=eq.%[2]s", `{"role":"owner"}`},
		{
			"an owner less", "PATCH", "/workspace_members?workspace_id=eq.%[1]s&user_id=eq.%[3]s",
			`{"role":"viewer"}`,
		},
		{"no owner", "DELETE", "/workspace_members?workspace_id=eq.%[1]s&user_id=eq.%[3]s", ``},
		{"an owner's invitation", "POST", "/workspace_invitations",
			`{"workspace_id":%q,"email":"thief@example.com","role":"owner"}`},
		{"a workspace", "DELETE", "/workspaces?id=eq.%[1]s", ``},
	}
	// prepare returns an edge with an endpoint and a second owner, and a function that sends a request.
	prepare := func(t *testing.T) (e *edge, send func(c *caller, i int) answer) {
		t.Helper()
		e = begin(t)
		e.Exec(t, `update workspace_members set role = 'owner' where user_id = $1`, e.Admin)
		endpoint := dbtest.Value[uuid.UUID](t, e.DB, `
			insert into webhook_endpoints (workspace_id, url) values ($1, 'https://receiver.example/hook')
			returning id`, e.Workspace)
		fill := func(text string) string {
			return fmt.Sprintf(text+"%.0[1]s%.0[2]s%.0[3]s%.0[4]s", e.Workspace, e.Editor, e.Admin, endpoint)
		}
		return e, func(c *caller, i int) answer {
			return c.do(sensitive[i].method, fill(sensitive[i].path), fill(sensitive[i].body))
		}
	}

	t.Run("in the session", func(t *testing.T) {
		t.Parallel()
		e, send := prepare(t)
		thief, _ := e.signedIn(t, e.Owner, 25*time.Hour)
		for i, s := range sensitive {
			a := send(thief, i)
			require.Equal(t, http.StatusForbidden, a.status, "%s: %s", s.name, a.body)
			require.Equal(t, "reauthentication_needed", a.code(), s.name)
			require.Contains(t, a.body, "Sign in again")
		}
		require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*) from webhook_endpoints`))
		require.Equal(t, 2, dbtest.Value[int](t, e.DB,
			`select count(*) from workspace_members where workspace_id = $1 and role = 'owner'`, e.Workspace))
	})

	t.Run("which a new sign-in is", func(t *testing.T) {
		t.Parallel()
		e, send := prepare(t)
		owner, _ := e.signedIn(t, e.Owner, 23*time.Hour)
		for i, s := range sensitive {
			a := send(owner, i)
			require.Less(t, a.status, 300, "%s: %s", s.name, a.body)
		}
	})

	t.Run("which the access of an app is not", func(t *testing.T) {
		t.Parallel()
		e, send := prepare(t)
		app, session := e.signedIn(t, e.Owner, 0)
		e.Exec(t, `
			with app as (
				insert into auth.oauth_clients (registration_type, client_type, token_endpoint_auth_method, client_name,
					redirect_uris, grant_types)
				values ('manual', 'public', 'none', 'App', '{}', '{}') returning id
			)
			update auth.sessions s set oauth_client_id = app.id, scopes = '{research:write}'
			from app where s.id = $1`, session)
		require.Equal(t, "reauthentication_needed", send(app, 0).code())
	})

	t.Run("or a reauthentication", func(t *testing.T) {
		t.Parallel()
		e, send := prepare(t)
		owner, session := e.signedIn(t, e.Owner, 1000*time.Hour)
		e.Exec(t, `update auth.sessions set reauthenticated_at = now() where id = $1`, session)
		for i, s := range sensitive {
			require.Less(t, send(owner, i).status, 300, s.name)
		}
	})

	t.Run("and others do not", func(t *testing.T) {
		t.Parallel()
		e, _ := prepare(t)
		old, _ := e.signedIn(t, e.Owner, 25*time.Hour)
		workspace, member := "workspace_id=eq."+e.Workspace.String(), "&user_id=eq."+e.Editor.String()
		for _, r := range []struct{ method, path, body string }{
			{"PATCH", "/webhook_endpoints?" + workspace, `{"active":false,"url":"https://receiver.example/hook"}`},
			{"PATCH", "/workspace_members?" + workspace + member, `{"role":"viewer"}`},
			{"DELETE", "/workspace_members?" + workspace + member, ``},
			{"DELETE", "/webhook_endpoints?" + workspace, ``},
			{"PATCH", "/workspaces?id=eq." + e.Workspace.String(), `{"name":"Renamed"}`},
			{"POST", "/workspaces", `{"name":"New"}`},
			{"POST", "/workspace_invitations",
				fmt.Sprintf(`{"workspace_id":%q,"email":"new@example.com","role":"editor"}`, e.Workspace)},
		} {
			a := old.do(r.method, r.path, r.body)
			require.Less(t, a.status, 300, "%s %s: %s", r.method, r.path, a.body)
		}
	})

	t.Run("of which the token may tell", func(t *testing.T) {
		t.Parallel()
		e, send := prepare(t)
		now := time.Now()
		methods := func(at time.Time) jwt.MapClaims {
			return jwt.MapClaims{"amr": []any{map[string]any{"method": "password", "timestamp": at.Unix()}}}
		}
		for name, tt := range map[string]struct {
			claims jwt.MapClaims
			passes bool
		}{
			"nothing is known":            {jwt.MapClaims{}, true},
			"methods without times":       {jwt.MapClaims{"amr": []string{"pwd", "otp"}}, true},
			"an old sign-in":              {methods(now.Add(-25 * time.Hour)), false},
			"a recent sign-in":            {methods(now.Add(-time.Hour)), true},
			"an old sign-in by OpenID":    {jwt.MapClaims{"auth_time": now.Add(-25 * time.Hour).Unix()}, false},
			"a recent sign-in by OpenID":  {jwt.MapClaims{"auth_time": now.Unix()}, true},
			"a time that is not a number": {jwt.MapClaims{"auth_time": "soon", "amr": "pwd"}, true},
		} {
			a := send(e.withClaims(t, e.Owner, tt.claims), 0)
			require.Equal(t, tt.passes, a.status < 300, "%s: %s", name, a.body)
		}
		e.Exec(t, `update auth.users set is_anonymous = true where id = $1`, e.Owner)
		a := send(e.withClaims(t, e.Owner, methods(now.Add(-25*time.Hour))), 0)
		require.Less(t, a.status, 300, "an anonymous user cannot sign in again: %s", a.body)
	})

	t.Run("unless they are the operator's", func(t *testing.T) {
		t.Parallel()
		e, send := prepare(t)
		for i, s := range sensitive {
			require.Less(t, send(e.asService(t), i).status, 300, s.name)
		}
	})
}
