package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// What one tenant must not learn of another, or do to another, over HTTP.

func TestMembersJoinByConsent(t *testing.T) {
	t.Parallel()
	e := begin(t)
	stranger := e.User(t, "stranger@example.com")
	member := func(user uuid.UUID) string {
		return fmt.Sprintf(`{"workspace_id": %q, "user_id": %q, "role": "viewer"}`, e.Workspace, user)
	}
	for _, who := range []uuid.UUID{e.Owner, e.Admin, e.Editor} {
		for _, prefer := range []string{"return=minimal", "resolution=merge-duplicates",
			"resolution=ignore-duplicates"} {
			a := e.as(t, who).do(http.MethodPost, "/workspace_members", member(stranger), "Prefer", prefer)
			require.Equal(t, http.StatusForbidden, a.status, a.body)
			require.Equal(t, "42501", a.code())
		}
	}
	require.JSONEq(t, `[]`, e.as(t, e.Owner).get("/profiles?select=email&id=eq."+stranger.String()).body,
		"nor is the address of somebody shown who is not a member")

	a := e.asService(t).do(http.MethodPost, "/workspace_members", member(stranger))
	require.Equal(t, http.StatusCreated, a.status, a.body)
	key := fmt.Sprintf("/workspace_members?workspace_id=eq.%s&user_id=eq.%s", e.Workspace, stranger)
	a = e.as(t, e.Owner).do(http.MethodPatch, key, `{"role": "editor"}`)
	require.Equal(t, http.StatusNoContent, a.status, a.body)
	a = e.as(t, stranger).do(http.MethodDelete, key, "")
	require.Equal(t, http.StatusNoContent, a.status, a.body)
}

func TestCountsRevealOwnRowsOnly(t *testing.T) {
	t.Parallel()
	e := begin(t)
	outsider := e.User(t, "outsider@example.com")
	e.AsOwner(t, func(c *pgx.Conn) {
		for _, sql := range []string{
			fmt.Sprintf(`insert into hypotheses (project_id, statement)
				select '%s', 'h1' || i from generate_series(1, 3000) i`, e.Project),
			"analyze",
		} {
			_, err := c.Exec(t.Context(), sql)
			require.NoError(t, err)
		}
	})
	const all, some = "/hypotheses?select=id", "/hypotheses?select=id&statement=gte.h1&statement=lt.h2"
	for _, count := range []string{"count=planned", "count=estimated", "count=exact"} {
		for _, path := range []string{all, some, "/hypotheses?select=id&workspace_id=eq." + e.Workspace.String()} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				a := e.as(t, outsider).do(method, path, "", "Prefer", count)
				require.Equal(t, "*/0", a.header.Get("Content-Range"), "%s %s", count, path)
			}
			require.Equal(t, "0-999/3000", e.as(t, e.Viewer).get(path, "Prefer", count).header.Get("Content-Range"),
				"%s %s", count, path)
		}
	}
	require.Regexp(t, `^0-999/\d+$`, e.asService(t).get(all, "Prefer",
		"count=planned").header.Get("Content-Range"))
}

func TestCastsDoNotProbeTheCatalog(t *testing.T) {
	t.Parallel()
	e := begin(t)
	owner := e.as(t, e.Owner)
	for _, name := range []string{"private.transcripts", "private.nothing"} {
		a := owner.do(http.MethodPost, "/projects", fmt.Sprintf(`{"workspace_id": %q, "name": %q}`, e.Workspace,
			name))
		require.Equal(t, http.StatusCreated, a.status, a.body)
	}
	for _, typ := range []string{"regclass", "RegClass", "regrole", "regproc[]", "regnamespace"} {
		for _, item := range []string{"name::" + typ, "description->>x::" + typ, "w:workspaces(name::" + typ +
			")"} {
			a := owner.get("/projects?select=" + item)
			require.Equal(t, http.StatusBadRequest, a.status, "%s: %s", item, a.body)
			require.Equal(t, "PGRST100", a.code())
		}
	}
	require.Equal(t, http.StatusOK, owner.get("/projects?select=created_at::text,id::varchar").status)
}

func TestViewsThatCanOnlyBeReadRejectWrites(t *testing.T) {
	t.Parallel()
	e := begin(t)
	for _, who := range []*caller{e.as(t, e.Owner), {e, "", t}} {
		for _, c := range []struct{ method, path, body string }{
			{http.MethodPost, "/hypothesis_people", `{"participants": 1}`},
			{http.MethodPatch, "/hypothesis_people?participants=eq.0", `{"participants": 1}`},
			{http.MethodDelete, "/hypothesis_people?participants=eq.0", ""},
		} {
			a := who.do(c.method, c.path, c.body)
			require.Equal(t, http.StatusMethodNotAllowed, a.status, "%s: %s", c.method, a.body)
			require.Equal(t, "55000", a.code())
		}
	}
	require.NotContains(t, e.log.String(), "level=ERROR", "clients cannot fill the log with errors")
}

func TestWorkspacesOfAUserAreLimited(t *testing.T) {
	t.Parallel()
	e := begin(t)
	user := e.as(t, e.User(t, "founder@example.com"))
	create := func(n int) answer {
		return user.do(http.MethodPost, "/workspaces", "["+strings.Repeat(`{"name":"w"},`, n-1)+`{"name":"w"}]`)
	}
	require.Equal(t, http.StatusCreated, create(20).status)
	a := create(1)
	require.Equal(t, http.StatusTooManyRequests, a.status, a.body)
	require.Contains(t, a.body, "You have created 20 workspaces within an hour")
	later := func() {
		e.Exec(t, `alter table workspaces disable trigger user;
			update workspaces set created_at = created_at - interval '2 hours';
			alter table workspaces enable trigger user`)
	}
	for range 4 {
		later()
		require.Equal(t, http.StatusCreated, create(20).status)
	}
	later()
	a = create(1)
	require.Equal(t, http.StatusTooManyRequests, a.status, a.body)
	require.Contains(t, a.body, "You have created 100 workspaces")
	require.Equal(t, http.StatusCreated, e.as(t, e.Owner).do(http.MethodPost, "/workspaces",
		`{"name":"w"}`).status)
}
