package activities_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/db"
	"research/db/dbtest"
)

// canceledRuns records which imports were to be canceled.
type canceledRuns struct {
	err error

	mu      sync.Mutex
	imports []uuid.UUID
}

func (r *canceledRuns) CancelParse(_ context.Context, id uuid.UUID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.imports = append(r.imports, id)
	return r.err
}

// removeAllMarked runs the activity until nothing is left, and returns the number of rows.
func removeAllMarked(t *testing.T, d *dbtest.DB, runs *canceledRuns) (removed int64) {
	t.Helper()
	for {
		result := removeMarked(t, d, runs)
		removed += result.Removed
		if !result.Left {
			return removed
		}
	}
}

// removeMarked runs the activity once.
func removeMarked(t *testing.T, d *dbtest.DB, runs *canceledRuns) activities.RemoveMarkedResult {
	t.Helper()
	acts, err := activities.NewDeletions(d.Store, runs, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(acts)
	value, err := env.ExecuteActivity(acts.RemoveMarked, activities.RemoveMarkedInput{})
	require.NoError(t, err)
	var result activities.RemoveMarkedResult
	require.NoError(t, value.Get(&result))
	return result
}

// addImport adds an import with a number of utterances to the tenant's project.
func addImport(t *testing.T, d *dbtest.DB, n dbtest.Tenant, status string, utterances int) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, d, `
		insert into imports (project_id, title, format, filename, size_bytes, sha256, status)
		values ($1, 'Interview', 'text', 'a.txt', 1, '00', $2) returning id`, n.Project, status)
	d.Exec(t, `
		insert into utterances (import_id, ordinal, workspace_id, project_id, speaker, text, byte_start, byte_end)
		select $1, n, $2, $3, 'Ada', 'x', 2 * n, 2 * n + 1 from generate_series(0, $4 - 1) n`,
		id, n.Workspace, n.Project, utterances)
	return id
}

func TestRemoveMarked(t *testing.T) {
	t.Parallel()

	t.Run("removes a workspace and nothing else, and asks its open runs to stop", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n, other := d.Tenant(t), d.Tenant(t)
		parsing := addImport(t, d, n, "parsing", 5000)
		addImport(t, d, n, "parsed", 10)
		addImport(t, d, other, "parsing", 10)
		d.Exec(t, "delete from workspaces where id = $1", n.Workspace)
		// That a run cannot be canceled keeps nothing.
		runs := &canceledRuns{err: errors.New("no run")}
		require.Greater(t, removeAllMarked(t, d, runs), int64(5010))
		require.Equal(t, []uuid.UUID{parsing}, slices.Compact(runs.imports))
		require.Equal(t, 10, dbtest.Value[int](t, d, "select count(*) from utterances"))
		require.Equal(t, 1, dbtest.Value[int](t, d, "select count(*) from workspaces"))
	})

	t.Run("takes one deletion after the other", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n, other := d.Tenant(t), d.Tenant(t)
		d.Exec(t, "delete from workspaces where id = any ($1)", []uuid.UUID{n.Workspace, other.Workspace})
		marked, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (bool, error) {
			return q.MarkAccountDeleted(t.Context(), n.Owner)
		})
		require.NoError(t, err)
		require.True(t, marked)
		count := func() int { return dbtest.Value[int](t, d, "select count(*) from private.deletions") }
		require.Equal(t, 3, count())
		for left := count(); left > 0; left = count() {
			result := removeMarked(t, d, &canceledRuns{})
			require.GreaterOrEqual(t, count(), left-1)
			require.Equal(t, count() > 0, result.Left)
		}
		require.Zero(t, dbtest.Value[int](t, d, "select count(*) from workspaces"))
		require.Zero(t, dbtest.Value[int](t, d, "select count(*) from auth.users where id = $1", n.Owner))
	})

	t.Run("has nothing to do when nothing is marked", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, activities.RemoveMarkedResult{}, removeMarked(t, dbtest.New(t), &canceledRuns{}))
	})
}
