package mcp_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/mcp"
	"research/api/token"
	"research/db/dbtest"
)

// records returns the records of an audit log that calls of tools left, each as a line.
func (e *edge) records(t testing.TB, workspace uuid.UUID) (lines []string) {
	t.Helper()
	e.AsOwner(t, func(c *pgx.Conn) {
		rows, err := c.Query(t.Context(), `
			select action || ' ' || target_type || ' ' || target_id || ' ' || actor_id || ' ' || detail
				|| coalesce(' ' || client, '')
			from private.audit_records
			where workspace_id = $1 and action like 'mcp.%'
			order by occurred_at`, workspace)
		require.NoError(t, err)
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
	})
	return lines
}

// A counter counts calls by tool and outcome.
type counter struct {
	mu    sync.Mutex
	calls map[string]int
}

func (c *counter) ToolCalled(_ context.Context, tool, outcome string, _ time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[tool+" "+outcome]++
}

func TestCallsAreRecorded(t *testing.T) {
	t.Parallel()
	counted := &counter{calls: map[string]int{}}
	e := setup(t, func(_ *mcp.Config, d *mcp.Deps) { d.Telemetry = counted })
	e.Exec(t, `insert into auth.oauth_clients (
			registration_type, metadata_url, client_type, token_endpoint_auth_method, client_name, redirect_uris,
			grant_types
		) values ('metadata_document', 'https://app.example/client.json', 'public', 'none', 'An app', '{}', '{}')`)
	other := e.DB.Tenant(t)
	call[any](t, e.connect(t, e.app(t, e.Viewer, token.ScopeRead)), "list_projects", nil)
	require.Equal(t, []string{fmt.Sprintf(
		`mcp.list_projects workspace %s %s {"client_id": "https://app.example/client.json"} An app`,
		e.Workspace, e.Viewer)}, e.records(t, e.Workspace))
	require.Empty(t, e.records(t, other.Workspace))
	require.Equal(t, map[string]int{"list_projects ok": 1}, counted.calls)
	require.Equal(t, 1, dbtest.Value[int](t, e.DB,
		"select count(*)::int from private.audit_records where client = 'An app'"))
}

func TestCallsWithPersonalTokensAreRecorded(t *testing.T) {
	t.Parallel()
	w := populate(t)
	personal := "rsp_" + strings.Repeat("k", 43)
	hash := sha256.Sum256([]byte(personal))
	id := dbtest.Value[uuid.UUID](t, w.DB, `
		insert into auth.personal_access_tokens (user_id, name, token_hash, scopes, expires_at)
		values ($1, 'My editor', $2, '{research:read}', now() + interval '1 day') returning id`, w.Editor, hash[:])
	session := w.connect(t, personal)
	call[any](t, session, "get_hypotheses", map[string]any{"project": w.Project.String()})
	call[any](t, session, "search", map[string]any{"query": "receipts"})
	of := fmt.Sprintf(`project %s %s {"token_id": %q} My editor`, w.Project, w.Editor, id)
	require.Equal(t, []string{"mcp.get_hypotheses " + of, "mcp.search " + of}, w.records(t, w.Workspace))
	w.Exec(t, "insert into projects (workspace_id, name) values ($1, 'Another')", w.Workspace)
	call[any](t, session, "search", map[string]any{"query": "receipts"})
	require.Equal(t, "mcp.search workspace "+w.Workspace.String(), w.records(t, w.Workspace)[2][:57])
}

// Who may only read leaves a record of what was tried.
func TestRefusedCallsAreRecorded(t *testing.T) {
	t.Parallel()
	w := populate(t)
	session := w.connect(t, w.app(t, w.Viewer, allScopes))
	fail(t, session, "get_hypotheses", map[string]any{"project": w.Project.String(), "cursor": "AAAA"})
	require.Empty(t, w.records(t, w.Workspace), "nothing was read")
	w.Exec(t, "drop view hypothesis_people cascade")
	require.Contains(t, fail(t, session, "get_hypotheses", map[string]any{"project": w.Project.String()}),
		"Something went wrong on our side. It is logged")
	records := w.records(t, w.Workspace)
	require.Len(t, records, 1)
	require.Contains(t, records[0], `"error": "internal"`)
	require.Contains(t, w.log.String(), "tool failed")
}

func TestCallsAreLimited(t *testing.T) {
	t.Parallel()
	began, passed := time.Now(), atomic.Int64{}
	e := setup(t, func(c *mcp.Config, d *mcp.Deps) {
		c.Limit, d.Now = 3, func() time.Time { return began.Add(time.Duration(passed.Load())) }
	})
	session := e.connect(t, e.app(t, e.Viewer, token.ScopeRead))
	for range 3 {
		call[any](t, session, "list_projects", nil)
	}
	require.Equal(t, "The user's 3 tool calls of an hour are used up. The next one is possible in 20m0s.",
		fail(t, e.connect(t, e.app(t, e.Viewer, token.ScopeRead)), "list_projects", nil), "whatever the app")
	call[any](t, e.connect(t, e.app(t, e.Editor, token.ScopeRead)), "list_projects", nil)
	passed.Add(int64(20 * time.Minute))
	call[any](t, session, "list_projects", nil)
}

// The SDK refuses such arguments before the tool runs.
func TestCallsWithInvalidArgumentsCount(t *testing.T) {
	t.Parallel()
	counted := &counter{calls: map[string]int{}}
	e := setup(t, func(c *mcp.Config, d *mcp.Deps) { c.Limit, d.Telemetry = 2, counted })
	session := e.connect(t, e.app(t, e.Viewer, token.ScopeRead))
	for range 2 {
		require.Contains(t, fail(t, session, "search", map[string]any{"query": 1}), "validating")
	}
	require.Contains(t, fail(t, session, "search", map[string]any{"query": 1}), "calls of an hour are used up")
	require.Equal(t, map[string]int{"search invalid_request": 2, "search too_many_requests": 1}, counted.calls)
}
