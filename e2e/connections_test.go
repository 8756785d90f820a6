package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// With few connections, many processes share a server.
func TestFewConnections(t *testing.T) {
	t.Parallel()
	s := startAPI(t, "DATABASE_MAX_CONNS=6")
	s.startWorker(t, "DATABASE_MAX_CONNS=2")
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "interview.txt", longInterview("case-few"))
	s.startParse(t, editor, id, s.Hypothesis(t, s.Tenant, "Closing the books takes days"))
	s.waitForStatus(t, editor, id, "parsed")
	require.LessOrEqual(t, dbtest.Value[int](t, s.DB, `
		select count(*)::int from pg_stat_activity
		where datname = current_database() and application_name ~ '^research (serve|worker)'`), 9,
		"six of serve and the one on which it listens, and two of the worker")
}
