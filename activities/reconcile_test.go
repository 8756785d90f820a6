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
	"research/db/dbtest"
	"research/outcome"
)

// A temporalRuns is a Temporal that answers as the test says.
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

// setupReconciler returns an import whose run "run" has begun, or one that is queued.
func setupReconciler(t *testing.T, begun bool) (*bench, *temporalRuns) {
	t.Helper()
	b := setup(t, extract.NewKeyword())
	runs := &temporalRuns{}
	r, err := activities.NewReconciler(b.activities, runs, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	activities.Register(b.env, activities.Deps{Reconciler: r})
	if begun {
		b.Exec(t, `update imports set status = 'parsing', started_at = now(), workflow_id = 'workflow', run_id = 'run'`)
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

// describes has Temporal answer with the run "run" of the import.
func (f *temporalRuns) describes(status enumspb.WorkflowExecutionStatus) {
	f.describe = func(uuid.UUID) (activities.ParseRun, error) {
		return activities.ParseRun{WorkflowID: "workflow", RunID: "run", Status: status}, nil
	}
}

func (f *temporalRuns) describesNoRun() {
	f.describe = func(uuid.UUID) (activities.ParseRun, error) { return activities.ParseRun{}, activities.ErrNoRun }
}

var (
	unchanged = activities.ReconcilePageResult{Open: 1}
	running   = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
)

// requireEnded requires that one import was ended, and compares the end apart from its durations.
func requireEnded(t *testing.T, status outcome.Status, code outcome.Code, result activities.ReconcilePageResult) {
	t.Helper()
	require.Equal(t, []int{1, 1, 0, 1}, []int{result.Open, result.Repaired, result.Unknown, len(result.Ended)})
	requireEnd(t, activities.ParseEnd{Status: status, ErrorCode: code}, result.Ended[0])
}

func TestReconcile(t *testing.T) {
	t.Parallel()

	for status, want := range map[enumspb.WorkflowExecutionStatus]struct {
		status outcome.Status
		code   outcome.Code
	}{
		enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED: {outcome.StatusTerminated, outcome.CodeTerminated},
		enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:  {outcome.StatusTimedOut, outcome.CodeTimedOut},
		enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:     {outcome.StatusFailed, outcome.CodeInternal},
		enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:   {outcome.StatusCanceled, outcome.CodeCanceled},
		enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:  {outcome.StatusFailed, outcome.CodeInternal},
	} {
		t.Run("a run that is "+status.String()+" ends its import, once", func(t *testing.T) {
			t.Parallel()
			b, runs := setupReconciler(t, true)
			runs.describes(status)
			requireEnded(t, want.status, want.code, b.reconcile(t))
			row := b.row(t)
			require.Equal(t, want.status, row.Status)
			require.Equal(t, string(want.code), *row.ErrorCode)
			require.NotNil(t, row.FinishedAt)
			require.NotEmpty(t, *row.ErrorMessage)
			require.Equal(t, activities.ReconcilePageResult{}, b.reconcile(t))
			require.Equal(t, 1, runs.asked, "an import that has ended is not compared")
		})
	}

	for _, status := range []enumspb.WorkflowExecutionStatus{
		running, enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW,
		enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED, 99, // of a newer Temporal
	} {
		t.Run("a run that is "+status.String()+" is left alone", func(t *testing.T) {
			t.Parallel()
			b, runs := setupReconciler(t, true)
			b.overdue(t)
			runs.describes(status)
			require.Equal(t, unchanged, b.reconcile(t))
			require.Equal(t, outcome.StatusParsing, b.row(t).Status)
		})
	}

	t.Run("a run that has begun and was deleted ends its import as terminated", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		runs.describesNoRun()
		requireEnded(t, outcome.StatusTerminated, outcome.CodeHistoryDeleted, b.reconcile(t))
		require.Equal(t, "run", *b.row(t).RunID)
	})

	t.Run("a run that ended before it began to parse ends its import", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, false)
		b.overdue(t)
		runs.describes(enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED)
		requireEnded(t, outcome.StatusTerminated, outcome.CodeTerminated, b.reconcile(t))
		require.Equal(t, "run", *b.row(t).RunID)
	})

	t.Run("an import stays open while Temporal cannot be asked", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, false)
		b.overdue(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) { return activities.ParseRun{}, errors.New("away") }
		require.Equal(t, activities.ReconcilePageResult{Open: 1, Unknown: 1}, b.reconcile(t))
		require.Equal(t, outcome.StatusQueued, b.row(t).Status)
		require.Empty(t, runs.started)
	})

	t.Run("an import whose latest run is of an earlier claim is started, after its request had the time to", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, false)
		b.Exec(t, `update private.import_claims set previous_run_id = 'run'`)
		runs.describes(enumspb.WORKFLOW_EXECUTION_STATUS_FAILED)
		runs.start = func() (activities.ParseRun, error) {
			return activities.ParseRun{WorkflowID: "workflow", RunID: "new", Status: running}, nil
		}
		require.Equal(t, unchanged, b.reconcile(t))
		require.Empty(t, runs.started)
		b.overdue(t)
		require.Equal(t, activities.ReconcilePageResult{Open: 1, Repaired: 1}, b.reconcile(t))
		require.Equal(t, []activities.ParseRef{b.ref}, runs.started)
		require.Equal(t, outcome.StatusQueued, b.row(t).Status)
		require.Nil(t, b.row(t).RunID, "the run records itself when it begins")
	})

	t.Run("a run that another program starts at the same time is no error", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, false)
		b.overdue(t)
		runs.describesNoRun()
		runs.start = func() (activities.ParseRun, error) { return activities.ParseRun{}, activities.ErrRunOpen }
		require.Equal(t, unchanged, b.reconcile(t))
	})

	t.Run("an import that ends meanwhile is not ended twice", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			_, err := call[activities.ParseEnd](t, b, b.activities.FinishParse, activities.FinishParseInput{ParseRef: b.ref})
			return activities.ParseRun{RunID: "run", Status: enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED}, err
		}
		require.Equal(t, unchanged, b.reconcile(t))
		require.Equal(t, outcome.StatusParsed, b.row(t).Status)
	})

	t.Run("an import that is claimed again meanwhile is left alone", func(t *testing.T) {
		t.Parallel()
		b, runs := setupReconciler(t, true)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			_, err := call[activities.ParseEnd](t, b, b.activities.FailImport, activities.FailImportInput{
				ParseRef: b.ref, Status: outcome.StatusCanceled, ErrorCode: outcome.CodeCanceled,
			})
			b.claim(t)
			return activities.ParseRun{RunID: "run", Status: enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED}, err
		}
		require.Equal(t, unchanged, b.reconcile(t))
		require.Equal(t, outcome.StatusQueued, b.row(t).Status)
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

	t.Run("an import that is being parsed records the new run", func(t *testing.T) {
		t.Parallel()
		b := setup(t, extract.NewKeyword())
		_, err := call[activities.BeginParseResult](t, b, b.activities.BeginParse, activities.BeginParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		run := *b.row(t).RunID
		b.Exec(t, `update imports set run_id = 'another'`)
		_, err = call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		require.NoError(t, err)
		require.Equal(t, run, *b.row(t).RunID)
		require.Equal(t, outcome.StatusParsing, b.row(t).Status)
	})

	t.Run("an import goes on where its run was reset after its end", func(t *testing.T) {
		t.Parallel()
		b := run(t, "-1 second")
		_, err := call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		require.NoError(t, err)
		row := b.row(t)
		require.Equal(t, outcome.StatusParsing, row.Status)
		require.Nil(t, row.FinishedAt)
		require.Nil(t, row.ErrorCode)
		end, err := call[activities.ParseEnd](t, b, b.activities.FinishParse, activities.FinishParseInput{ParseRef: b.ref})
		require.NoError(t, err)
		require.Equal(t, outcome.StatusParsed, end.Status)
		require.Positive(t, dbtest.Value[int](t, b.DB, `select count(*) from evidence`))
	})

	t.Run("what an earlier run still had under way when it ended reopens nothing", func(t *testing.T) {
		t.Parallel()
		b := run(t, "1 hour")
		_, err := call[activities.ExtractChunkResult](t, b, b.activities.ExtractChunk, activities.ExtractChunkInput{ParseRef: b.ref})
		require.NoError(t, err)
		require.Equal(t, outcome.StatusCanceled, b.row(t).Status)
	})
}
