package rest_test

import (
	"net/http"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

// with returns a caller with a personal access token of a user.
func (e *edge) with(t testing.TB, user uuid.UUID, scopes ...string) *caller {
	t.Helper()
	return &caller{e, tokentest.PersonalToken(t, e.store, user, scopes...), t}
}

func TestPersonalTokens(t *testing.T) {
	t.Parallel()
	e := begin(t)
	other := e.DB.Tenant(t)
	e.Exec(t, `create function public.read_only_function() returns integer language sql stable return 1`)
	e.Exec(t, `create function public.writing_function() returns integer language plpgsql as $$ begin
		insert into projects (workspace_id, name) select id, 'By a function' from workspaces limit 1;
		return 1;
	end $$`)
	e.Exec(t, `grant execute on function public.read_only_function, public.writing_function to authenticated`)
	require.NoError(t, e.handler.Reload(t.Context()))
	projects := "/projects?select=id&name=neq.New&order=id" // a parallel part of the test adds one
	change := `{"name":"Changed"}`

	t.Run("read what their user sees, and nothing else", func(t *testing.T) {
		t.Parallel()
		reader := e.with(t, e.Viewer, token.ScopeRead)
		a := reader.get(projects)
		require.Equal(t, 200, a.status, a.body)
		require.JSONEq(t, `[{"id":"`+e.Project.String()+`"}]`, a.body)
		require.Equal(t, e.as(t, e.Viewer).get(projects).body, a.body)
		require.NotContains(t, reader.get("/workspaces").body, other.Workspace.String())
		require.Equal(t, 200, reader.do(http.MethodHead, projects, "").status)
	})

	t.Run("write with their scope", func(t *testing.T) {
		t.Parallel()
		writer := e.with(t, e.Editor, token.ScopeWrite)
		a := writer.do(http.MethodPost, "/projects",
			`{"name":"New","workspace_id":"`+e.Workspace.String()+`"}`, "Prefer", "return=representation")
		require.Equal(t, 201, a.status, a.body)
		require.Equal(t, 403, e.with(t, e.Viewer, token.ScopeWrite).do(http.MethodPost, "/projects",
			`{"name":"New","workspace_id":"`+e.Workspace.String()+`"}`).status, "the role still counts")
	})

	t.Run("do nothing without it", func(t *testing.T) {
		t.Parallel()
		for _, c := range []struct{ scope, method, path, body string }{
			{token.ScopeRead, http.MethodPost, "/projects", change},
			{token.ScopeRead, http.MethodPatch, "/projects?id=eq." + e.Project.String(), change},
			{token.ScopeRead, http.MethodPut, "/projects?id=eq." + e.Project.String(), change},
			{token.ScopeRead, http.MethodDelete, "/projects?id=eq." + e.Project.String(), ""},
			{token.ScopeRead, http.MethodPost, "/rpc/writing_function", `{}`},
			{token.ScopeRead, http.MethodPost, "/rpc/read_only_function", `{}`},
			{token.ScopeWrite, http.MethodGet, projects, ""},
			{token.ScopeAsk, http.MethodGet, "/", ""},
			{token.ScopeAsk, http.MethodPost, "/projects", change},
		} {
			a := e.with(t, e.Owner, c.scope).do(c.method, c.path, c.body)
			require.Equal(t, 403, a.status, "%s %s: %s", c.method, c.path, a.body)
			require.Equal(t, "insufficient_scope", a.code())
			needed := token.ScopeWrite
			if c.method == http.MethodGet {
				needed = token.ScopeRead
			}
			require.Contains(t, a.body, needed)
			require.Equal(t, `Bearer error="insufficient_scope", scope="`+needed+`"`,
				a.header.Get("Www-Authenticate"))
			require.Equal(t, "PostgREST; error=insufficient_scope", a.header.Get("Proxy-Status"))
		}
		require.NotEqual(t, "Changed", dbtest.Value[string](t, e.DB, `select name from projects where id = $1`,
			e.Project))
	})

	t.Run("call functions that only read with GET, and no others", func(t *testing.T) {
		t.Parallel()
		reader := e.with(t, e.Owner, token.ScopeRead)
		require.Equal(t, "1", reader.get("/rpc/read_only_function").body)
		a := reader.get("/rpc/writing_function")
		require.NotEqual(t, 200, a.status)
		require.Zero(t, dbtest.Value[int](t, e.DB, `
			select count(*)::int from projects where name = 'By a function'`))
	})

	t.Run("cannot do what requires a recent sign-in", func(t *testing.T) {
		t.Parallel()
		tenant := e.DB.Tenant(t)
		writer := e.with(t, tenant.Owner, token.ScopeWrite)
		e.Exec(t, `update auth.personal_access_tokens
			set amr = jsonb_build_array(
				jsonb_build_object('method', 'password', 'timestamp', extract(epoch from now())))
			where user_id = $1`, tenant.Owner)
		a := writer.do(http.MethodDelete, "/workspaces?id=eq."+tenant.Workspace.String(), "")
		require.Equal(t, 403, a.status, a.body)
		require.Equal(t, "reauthentication_needed", a.code())
	})

	t.Run("that do not exist are refused", func(t *testing.T) {
		t.Parallel()
		for _, bearer := range []string{"rsp_", "rsp_x", "rsp_" + uuid.NewString()[:36] + "abcdefg"} {
			a := (&caller{e, bearer, t}).get(projects)
			require.Equal(t, 401, a.status, a.body)
			require.Equal(t, "PGRST301", a.code())
			require.NotContains(t, a.body, bearer+"\"")
		}
	})
}

// An app's token is for /mcp alone.
func TestTokensOfAppsAreRefused(t *testing.T) {
	t.Parallel()
	e := begin(t)
	session := dbtest.Value[uuid.UUID](t, e.DB, "insert into auth.sessions (user_id) values ($1) returning id",
		e.Owner)
	for _, resource := range []string{
		token.Resource("https://research.example"), token.Userinfo("https://research.example/auth/v1"),
	} {
		access := e.tokens.Sign(t, jwt.MapClaims{
			"sub": e.Owner.String(), "role": "authenticated", "session_id": session.String(), "aud": resource,
			"client_id": "app", "scope": "research:read research:write",
		})
		a := (&caller{e, access, t}).get("/projects")
		require.Equal(t, 401, a.status, a.body)
		require.Equal(t, "PGRST303", a.code())
		require.Contains(t, a.body, "JWT not in audience")
	}
}
