package mcp_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/token"
)

// A user has sixteen requests at once, and 64 that wait; others are told to come back.
func TestRequestsOfOneUserAtOnce(t *testing.T) {
	t.Parallel()
	const sent, admitted = 90, 16 + 64
	e := setup(t)
	access := e.app(t, e.Viewer, token.ScopeRead)
	other := e.app(t, e.Editor, token.ScopeRead)
	const list = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_projects"}}`
	const ping = `{"jsonrpc": "2.0", "id": 1, "method": "ping"}`
	statuses := make(chan int, sent)
	e.AsOwner(t, func(c *pgx.Conn) {
		tx, err := c.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "lock table projects")
		require.NoError(t, err)
		for range sent {
			go func() {
				answer, _ := e.post(t, access, list)
				if answer.StatusCode == 429 && answer.Header.Get("Retry-After") == "" {
					answer.StatusCode = 0
				}
				statuses <- answer.StatusCode
			}()
		}
		for range sent - admitted {
			require.Equal(t, 429, <-statuses)
		}
		answer, body := e.post(t, other, ping)
		require.Equal(t, 200, answer.StatusCode, "another user: %s", body)
		require.NoError(t, tx.Rollback(t.Context()))
	})
	for range admitted {
		require.Equal(t, 200, <-statuses)
	}
}
