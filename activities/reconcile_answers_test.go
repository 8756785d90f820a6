package activities_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/outcome"
)

// newReconciledAnswer returns an answer that is queued, and a reconciler.
func newReconciledAnswer(t *testing.T) (*answerFixture, *fakeRuns, *activities.Reconciler) {
	t.Helper()
	f := newAnswerFixture(t, outcome.ModeQuick, 0)
	// Only the answer is open.
	f.Exec(t, `update private.import_runs set finished_at = now()`)
	runs := &fakeRuns{}
	reconciler, err := activities.NewReconciler(f.Store, runs, activities.ReconcilerConfig{
		Interval: interval, ParseTimeout: 2 * time.Hour, AnswerTimeout: 2 * time.Hour,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	f.Exec(t, `insert into private.workers (id, version) values (gen_random_uuid(), '')`)
	f.Exec(t, `update answers
		set seen_at = now() - interval '61 minutes', queued_at = now() - interval '61 minutes'`)
	return f, runs, reconciler
}

func TestReconcileAnswers(t *testing.T) {
	t.Parallel()

	reconcile := func(t *testing.T, r *activities.Reconciler) activities.ReconcilePageResult {
		t.Helper()
		page, err := r.ReconcilePage(t.Context())
		return must(t, page, err)
	}
	begin := func(t *testing.T, f *answerFixture) {
		t.Helper()
		f.Exec(t, `update answers
			set status = 'reading', started_at = now(), workflow_id = 'workflow', run_id = 'run'`)
	}

	t.Run("an answer whose run never began is started", func(t *testing.T) {
		t.Parallel()
		f, runs, reconciler := newReconciledAnswer(t)
		runs.hasNone()
		require.Equal(t, 1, reconcile(t, reconciler).Repaired)
		require.Len(t, runs.answers, 1)
		left := runs.answers[0].Timeout
		require.InDelta(t, 59*time.Minute, left, float64(time.Minute), "of ASK_TIMEOUT")
		require.Equal(t, activities.MissingAnswer{
			AnswerRef: f.answer, WorkspaceID: f.tenant.Workspace, ProjectID: f.tenant.Project,
			Mode: outcome.ModeQuick, Timeout: left,
		}, runs.answers[0])
	})

	t.Run("an answer whose run never began is not started after ASK_TIMEOUT", func(t *testing.T) {
		t.Parallel()
		f, runs, reconciler := newReconciledAnswer(t)
		f.Exec(t, `update answers set queued_at = now() - interval '122 minutes'`)
		runs.hasNone()
		require.Len(t, reconcile(t, reconciler).EndedAnswers, 1)
		require.Empty(t, runs.answers)
		require.EqualValues(t, outcome.AnswerTimedOut, f.row(t).Status)
	})

	t.Run("the run of a question that is asked again meanwhile goes on", func(t *testing.T) {
		t.Parallel()
		f, runs, reconciler := newReconciledAnswer(t)
		begin(t, f)
		f.Exec(t, `update answers set queued_at = now() - interval '122 minutes'`)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			f.cancel(t)
			f.again(t)
			return activities.ParseRun{WorkflowID: "workflow", RunID: "later", Status: running}, nil
		}
		require.Empty(t, reconcile(t, reconciler).EndedAnswers)
		require.Empty(t, runs.terminated)
		require.EqualValues(t, outcome.AnswerQueued, f.row(t).Status)
	})

	t.Run("an answer that is asked again does not end with its earlier run", func(t *testing.T) {
		t.Parallel()
		f, runs, reconciler := newReconciledAnswer(t)
		f.Exec(t, `update answers set run_id = 'run'`)
		runs.has(completed)
		require.Equal(t, 1, reconcile(t, reconciler).Repaired)
		require.Len(t, runs.answers, 1)
		require.EqualValues(t, outcome.AnswerQueued, f.row(t).Status)
	})

	t.Run("an answer ends as its run", func(t *testing.T) {
		t.Parallel()
		f, runs, reconciler := newReconciledAnswer(t)
		begin(t, f)
		runs.has(terminated)
		ended := reconcile(t, reconciler).EndedAnswers
		require.Len(t, ended, 1)
		require.Equal(t, outcome.AnswerTerminated, ended[0].Status)
		row := f.row(t)
		require.EqualValues(t, outcome.AnswerTerminated, row.Status)
		require.Equal(t, string(outcome.CodeTerminated), *row.ErrorCode)
	})

	t.Run("a run that does not end itself at ASK_TIMEOUT is terminated", func(t *testing.T) {
		t.Parallel()
		f, runs, reconciler := newReconciledAnswer(t)
		begin(t, f)
		f.Exec(t, `update answers set queued_at = now() - interval '122 minutes'`)
		runs.has(running)
		require.Len(t, reconcile(t, reconciler).EndedAnswers, 1)
		require.Equal(t, []string{"run"}, runs.terminated)
		require.EqualValues(t, outcome.AnswerTimedOut, f.row(t).Status)
	})

	t.Run("an answer whose run is open stays", func(t *testing.T) {
		t.Parallel()
		f, runs, reconciler := newReconciledAnswer(t)
		begin(t, f)
		runs.has(running)
		require.Zero(t, reconcile(t, reconciler).Repaired)
		require.EqualValues(t, outcome.AnswerReading, f.row(t).Status)
	})
}
