package activities_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"research/activities"
	"research/activities/extract"
	"research/db"
	"research/db/dbtest"
)

// A temporal tells what the test says.
type temporalRuns struct {
	mu       sync.Mutex
	describe func(uuid.UUID) (activities.ParseRun, error)
	asked    int
	start    func() (activities.ParseRun, error)
	started  []activities.ParseRef
}

func (f *temporalRuns) DescribeParse(_ context.Context, id uuid.UUID) (activities.ParseRun, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	return f.describe(id)
}

func (f *temporalRuns) StartMissing(_ context.Context, ref activities.ParseRef, _, _ uuid.UUID) (activities.ParseRun, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, ref)
	return f.start()
}

// setupReconciler gives an import that is queued; record: its run is known.
func setupReconciler(t *testing.T, record bool) (*bench, *temporalRuns) {
	t.Helper()
	b := setup(t, extract.NewKeyword())
	runs := &temporalRuns{}
	r, err := activities.NewReconciler(b.activities, runs, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	activities.Register(b.env, activities.Deps{Reconciler: r})
	if record {
		require.NoError(t, b.AsService(t.Context(), func(q *db.Queries) error {
			return q.RecordRun(t.Context(), db.RecordRunParams{ImportID: b.ref.ImportID, ClaimID: b.ref.ClaimID, WorkflowID: "workflow", RunID: "run"})
		}))
	}
	return b, runs
}

func (b *bench) reconcile(t *testing.T) activities.ReconcilePageResult {
	t.Helper()
	var r *activities.Reconciler
	result, err := call[activities.ReconcilePageResult](t, b, r.ReconcilePage, activities.ReconcilePageInput{})
	require.NoError(t, err)
	return result
}

func (b *bench) overdue(t *testing.T) {
	t.Helper()
	b.Exec(t, `update imports set queued_at = now() - interval '1 minute'`)
}

func TestReconcile(t *testing.T) {
	t.Parallel()

	for status, end := range map[enumspb.WorkflowExecutionStatus][2]string{
		enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED: {"terminated", "terminated"},
		enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:  {"timed_out", "timed_out"},
		enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:     {"failed", "internal"},
		enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:   {"canceled", "canceled"},
		enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:  {"failed", "internal"},
	} {
		t.Run("a run that is "+status.String()+" ends its import, once", func(t *testing.T) {
			t.Parallel()
			b, runs := setupReconciler(t, true)
			runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
				return activities.ParseRun{WorkflowID: "workflow", RunID: "run", Status: status}, nil
			}
			require.Equal(t, activities.ReconcilePageResult{Open: 1, Repaired: 1}, b.reconcile(t))
			row := b.row(t)
			require.Equal(t, end, [2]string{string(row.Status), *row.ErrorCode})
			require.NotNil(t, row.FinishedAt)
			require.NotEmpty(t, *row.ErrorMessage)
			require.Equal(t, activities.ReconcilePageResult{}, b.reconcile(t))
			require.Equal(t, 1, runs.asked, "what has ended is not asked for")
		})
	}

	for _, status := range []enumspb.WorkflowExecutionStatus{
		enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW,
		enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED, 99, // of a Temporal to come
	} {
		t.Run("a run that is "+status.String()+" is left alone", func(t *testing.T) {
			t.Parallel()
			b, runs := setupReconciler(t, true)
			b.overdue(t)
			runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
				return activities.ParseRun{WorkflowID: "workflow", RunID: "run", Status: status}, nil
			}
			require.Equal(t, activities.ReconcilePageResult{Open: 1}, b.reconcile(t))
			require.Equal(t, db.ImportStatusQueued, b.row(t).Status)
		})
	}

	t.Run("a run of which Temporal knows nothing any more ends its import as terminated", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) { return activities.ParseRun{}, activities.ErrNoRun }
		require.Equal(t, activities.ReconcilePageResult{Open: 1, Repaired: 1}, b.reconcile(t))
		require.Equal(t, [2]string{"terminated", "history_deleted"}, [2]string{string(b.row(t).Status), *b.row(t).ErrorCode})
	})

	t.Run("while Temporal cannot be asked, an import stays open", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		b.overdue(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) { return activities.ParseRun{}, errors.New("away") }
		require.Equal(t, activities.ReconcilePageResult{Open: 1, Unknown: 1}, b.reconcile(t))
		require.Equal(t, db.ImportStatusQueued, b.row(t).Status)
		require.Empty(t, runs.started)
	})

	t.Run("what was claimed and never started is started, though not while its request is at it", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, false)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			return activities.ParseRun{WorkflowID: "workflow", RunID: "of an earlier claim", Status: enumspb.WORKFLOW_EXECUTION_STATUS_FAILED}, nil
		}
		runs.start = func() (activities.ParseRun, error) {
			return activities.ParseRun{WorkflowID: "workflow", RunID: "new"}, nil
		}
		require.Equal(t, activities.ReconcilePageResult{Open: 1}, b.reconcile(t))
		require.Empty(t, runs.started)
		b.overdue(t)
		require.Equal(t, activities.ReconcilePageResult{Open: 1, Repaired: 1}, b.reconcile(t))
		require.Equal(t, []activities.ParseRef{b.ref}, runs.started)
		require.Equal(t, "new", *b.row(t).RunID)
		require.Equal(t, db.ImportStatusQueued, b.row(t).Status)
	})

	t.Run("a run that somebody else starts at the same moment is no mistake", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, false)
		b.overdue(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) { return activities.ParseRun{}, activities.ErrNoRun }
		runs.start = func() (activities.ParseRun, error) { return activities.ParseRun{}, activities.ErrRunOpen }
		require.Equal(t, activities.ReconcilePageResult{Open: 1}, b.reconcile(t))
		require.Nil(t, b.row(t).RunID)
	})

	t.Run("follows an operator who reset the run", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			return activities.ParseRun{WorkflowID: "workflow", RunID: "another", Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING}, nil
		}
		require.Equal(t, activities.ReconcilePageResult{Open: 1}, b.reconcile(t))
		require.Equal(t, "another", *b.row(t).RunID)
	})

	t.Run("an import that ends in between is not ended twice", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			_, err := call[activities.ParseEnd](t, b, b.activities.FinishParse, activities.FinishParseInput{ParseRef: b.ref})
			return activities.ParseRun{RunID: "run", Status: enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED}, err
		}
		require.Equal(t, activities.ReconcilePageResult{Open: 1}, b.reconcile(t))
		require.Equal(t, db.ImportStatusParsed, b.row(t).Status)
	})

	t.Run("an import that is asked for again in between is left alone", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			_, err := call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{ParseRef: b.ref, Status: "canceled", ErrorCode: "canceled"})
			b.claim(t)
			return activities.ParseRun{RunID: "run", Status: enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED}, err
		}
		require.Equal(t, activities.ReconcilePageResult{Open: 1}, b.reconcile(t))
		require.Equal(t, db.ImportStatusQueued, b.row(t).Status)
	})

	t.Run("one import that cannot be repaired does not stand in the way of the others, on any page", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		const more = 450
		b.Exec(t, `insert into imports (id, workspace_id, project_id, title, format, size_bytes, sha256, status, claim_id, run_id, queued_at)
			select gen_random_uuid(), workspace_id, project_id, 'Another', format, 1, sha256, 'queued', gen_random_uuid(), 'run',
				queued_at - make_interval(secs => n / 3) from imports, generate_series(1, $1) n`, more) // three at a time have the same moment
		seen := map[uuid.UUID]int{}
		runs.describe = func(id uuid.UUID) (activities.ParseRun, error) {
			if seen[id]++; id == b.ref.ImportID {
				return activities.ParseRun{}, errors.New("away")
			}
			return activities.ParseRun{RunID: "run", Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING}, nil
		}
		var total activities.ReconcilePageResult
		pages := 0
		for in := (&activities.ReconcilePageInput{}); in != nil; pages++ {
			var r *activities.Reconciler
			page, err := call[activities.ReconcilePageResult](t, b, r.ReconcilePage, *in)
			require.NoError(t, err)
			total.Open, total.Unknown = total.Open+page.Open, total.Unknown+page.Unknown
			in = page.Next
		}
		require.Equal(t, 3, pages)
		require.Equal(t, activities.ReconcilePageResult{Open: more + 1, Unknown: 1}, total)
		require.Len(t, seen, more+1)
		for _, times := range seen {
			require.Equal(t, 1, times)
		}
	})
}

func TestResetRun(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, finished string) *bench {
		b := setup(t, extract.NewKeyword())
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		_, err = call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{ParseRef: b.ref, Status: "canceled", ErrorCode: "canceled"})
		require.NoError(t, err)
		b.Exec(t, `update imports set run_id = 'another', finished_at = now() + $1::interval`, finished)
		return b
	}

	t.Run("an import goes on where its run was reset after its end", func(t *testing.T) {
		t.Parallel()
		b := run(t, "-1 second")
		_, err := call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		require.NoError(t, err)
		row := b.row(t)
		require.Equal(t, db.ImportStatusParsing, row.Status)
		require.Nil(t, row.FinishedAt)
		require.Nil(t, row.ErrorCode)
		end, err := call[activities.ParseEnd](t, b, b.activities.FinishParse, activities.FinishParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		require.Equal(t, "parsed", end.Status)
		require.Positive(t, dbtest.Value[int](t, b.DB, `select count(*) from evidence`))
	})

	t.Run("what an earlier run still had under way when it ended reopens nothing", func(t *testing.T) {
		t.Parallel()
		b := run(t, "1 hour")
		_, err := call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		require.NoError(t, err)
		require.Equal(t, db.ImportStatusCanceled, b.row(t).Status)
	})
}
