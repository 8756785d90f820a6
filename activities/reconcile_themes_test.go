package activities_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities"
	"research/db/dbtest"
	"research/outcome"
)

func TestReconcileThemes(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T) (*themesFixture, *fakeRuns, func() activities.ReconcilePageResult) {
		t.Helper()
		f := newThemesFixture(t, 0)
		f.Exec(t, `update private.import_runs set finished_at = now()`) // only the run of themes is open
		runs := &fakeRuns{}
		reconciler, err := activities.NewReconciler(f.Store, runs, activities.ReconcilerConfig{
			Interval: interval, ParseTimeout: 2 * time.Hour, AnswerTimeout: 2 * time.Hour,
		}, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		f.Exec(t, `insert into private.workers (id, version) values (gen_random_uuid(), '')`)
		f.Exec(t, `update theme_runs
			set seen_at = now() - interval '61 minutes', queued_at = now() - interval '61 minutes'`)
		return f, runs, func() activities.ReconcilePageResult {
			page, err := reconciler.ReconcilePage(t.Context())
			return must(t, page, err)
		}
	}
	begin := func(t *testing.T, f *themesFixture) {
		t.Helper()
		f.Exec(t, `update theme_runs
			set status = 'reading', started_at = now(), workflow_id = 'workflow', run_id = 'run'`)
	}
	status := func(t *testing.T, f *themesFixture) outcome.ThemeRunStatus {
		t.Helper()
		return outcome.ThemeRunStatus(dbtest.Value[string](t, f.DB, `select status::text from theme_runs
			order by queued_at desc limit 1`))
	}

	t.Run("a run that never began is started", func(t *testing.T) {
		t.Parallel()
		f, runs, reconcile := setup(t)
		runs.hasNone()
		require.Equal(t, 1, reconcile().Repaired)
		require.Len(t, runs.themes, 1)
		left := runs.themes[0].Timeout
		require.InDelta(t, 59*time.Minute, left, float64(time.Minute), "of PARSE_TIMEOUT")
		require.Equal(t, activities.MissingThemes{
			ThemeRunRef: f.ref, WorkspaceID: f.tenant.Workspace, ProjectID: f.tenant.Project, Timeout: left,
		}, runs.themes[0])
	})

	t.Run("a run that never began is not started after its deadline", func(t *testing.T) {
		t.Parallel()
		f, runs, reconcile := setup(t)
		f.Exec(t, `update theme_runs set queued_at = now() - interval '122 minutes'`)
		runs.hasNone()
		require.Len(t, reconcile().EndedThemes, 1)
		require.Empty(t, runs.themes)
		require.Equal(t, outcome.ThemesTimedOut, status(t, f))
	})

	t.Run("a run does not end with an earlier one of the project", func(t *testing.T) {
		t.Parallel()
		f, runs, reconcile := setup(t)
		f.Exec(t, `insert into theme_runs (project_id, status, run_id, queued_at, created_at)
			values ($1, 'done', 'run', now() - interval '3 hours', now() - interval '3 hours')`, f.tenant.Project)
		runs.has(completed)
		require.Equal(t, 1, reconcile().Repaired)
		require.Len(t, runs.themes, 1)
		require.Equal(t, outcome.ThemesQueued, status(t, f))
	})

	t.Run("it ends as its run in Temporal", func(t *testing.T) {
		t.Parallel()
		f, runs, reconcile := setup(t)
		begin(t, f)
		runs.has(terminated)
		require.Len(t, reconcile().EndedThemes, 1)
		require.Equal(t, outcome.ThemesTerminated, status(t, f))
	})

	t.Run("a run that does not end itself at its deadline is terminated", func(t *testing.T) {
		t.Parallel()
		f, runs, reconcile := setup(t)
		begin(t, f)
		f.Exec(t, `update theme_runs set queued_at = now() - interval '122 minutes'`)
		runs.has(running)
		require.Len(t, reconcile().EndedThemes, 1)
		require.Equal(t, []string{"run"}, runs.terminated)
		require.Equal(t, outcome.ThemesTimedOut, status(t, f))
	})

	t.Run("one whose run is open stays", func(t *testing.T) {
		t.Parallel()
		f, runs, reconcile := setup(t)
		begin(t, f)
		runs.has(running)
		require.Zero(t, reconcile().Repaired)
		require.Equal(t, outcome.ThemesReading, status(t, f))
	})
}
