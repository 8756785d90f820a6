package activities_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"research/activities"
	"research/activities/extract/keyword"
	"research/db/dbtest"
	"research/outcome"
)

// Statuses of runs in Temporal.
const (
	running    = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	continued  = enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW
	completed  = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	failed     = enumspb.WORKFLOW_EXECUTION_STATUS_FAILED
	canceled   = enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED
	terminated = enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED
	timedOut   = enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT
)

// fakeRuns is a Temporal that answers as the test defines.
type fakeRuns struct {
	describe     func(importID uuid.UUID) (activities.ParseRun, error)
	startErr     error
	namespaceErr error

	mu         sync.Mutex
	described  map[uuid.UUID]int
	started    []activities.ParseRef
	answers    []activities.MissingAnswer // that were started
	themes     []activities.MissingThemes // that were started
	terminated []string                   // runs
}

func (r *fakeRuns) CheckNamespace(context.Context) error { return r.namespaceErr }

func (r *fakeRuns) DescribeParse(_ context.Context, id uuid.UUID) (activities.ParseRun, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.described == nil {
		r.described = map[uuid.UUID]int{}
	}
	r.described[id]++
	return r.describe(id)
}

func (r *fakeRuns) StartMissing(
	_ context.Context, missing activities.MissingRun,
) (activities.ParseRun, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started = append(r.started, missing.ParseRef)
	return activities.ParseRun{WorkflowID: "workflow", RunID: "started", Status: running}, r.startErr
}

func (r *fakeRuns) TerminateParse(_ context.Context, _ uuid.UUID, runID, _ string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.terminated = append(r.terminated, runID)
	return nil
}

func (r *fakeRuns) DescribeAnswer(_ context.Context, id uuid.UUID) (activities.ParseRun, error) {
	return r.describe(id)
}

func (r *fakeRuns) StartMissingAnswer(
	_ context.Context, missing activities.MissingAnswer,
) (activities.ParseRun, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, missing)
	return activities.ParseRun{WorkflowID: "workflow", RunID: "started", Status: running}, r.startErr
}

func (r *fakeRuns) TerminateAnswer(ctx context.Context, id uuid.UUID, runID, reason string) error {
	return r.TerminateParse(ctx, id, runID, reason)
}

func (r *fakeRuns) DescribeThemes(_ context.Context, project uuid.UUID) (activities.ParseRun, error) {
	return r.describe(project)
}

func (r *fakeRuns) StartMissingThemes(
	_ context.Context, missing activities.MissingThemes,
) (activities.ParseRun, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.themes = append(r.themes, missing)
	return activities.ParseRun{WorkflowID: "workflow", RunID: "started", Status: running}, r.startErr
}

func (r *fakeRuns) TerminateThemes(ctx context.Context, project uuid.UUID, runID, reason string) error {
	return r.TerminateParse(ctx, project, runID, reason)
}

// has describes the run "run" of every import.
func (r *fakeRuns) has(status enumspb.WorkflowExecutionStatus) {
	r.describe = func(uuid.UUID) (activities.ParseRun, error) {
		return activities.ParseRun{WorkflowID: "workflow", RunID: "run", Status: status}, nil
	}
}

// hasNone describes no run.
func (r *fakeRuns) hasNone() {
	r.describe = func(uuid.UUID) (activities.ParseRun, error) {
		return activities.ParseRun{}, activities.ErrNoRun
	}
}

// interval is half of the time after which a run that was not seen is compared. No test takes so long.
const interval = 30 * time.Minute

// newQueued returns an import that is queued and has no run yet.
func newQueued(t *testing.T) (*reconcileFixture, *fakeRuns) {
	t.Helper()
	f := &reconcileFixture{parseFixture: newParseFixture(t, keyword.New(keyword.Precise))}
	runs := &fakeRuns{}
	var err error
	f.reconciler, err = activities.NewReconciler(f.Store, runs, activities.ReconcilerConfig{
		Interval: interval, ParseTimeout: 2 * time.Hour, AnswerTimeout: 10 * time.Minute,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	f.Exec(t, `insert into private.workers (id, version) values (gen_random_uuid(), '')`)
	return f, runs
}

type reconcileFixture struct {
	*parseFixture
	reconciler *activities.Reconciler
}

// newParsing returns an import whose run "run" has begun.
func newParsing(t *testing.T) (*reconcileFixture, *fakeRuns) {
	t.Helper()
	f, runs := newQueued(t)
	f.Exec(t, `update imports set
		status = 'parsing', started_at = now(), workflow_id = 'workflow', run_id = 'run'`)
	return f, runs
}

// makeOverdue moves the claim back in time, so that its request has had the time to start a run.
func (f *parseFixture) makeOverdue(t *testing.T) {
	t.Helper()
	f.Exec(t, `update private.import_runs set queued_at = now() - interval '1 minute'`)
}

// fallSilent lets time pass in which no run is seen.
func (f *parseFixture) fallSilent(t *testing.T) {
	t.Helper()
	f.Exec(t, `update private.import_runs set seen_at = now() - interval '61 minutes'`)
}

// reconcile compares the imports that were silent for a while.
func (f *reconcileFixture) reconcile(t *testing.T) activities.ReconcilePageResult {
	t.Helper()
	f.fallSilent(t)
	return f.reconcilePage(t)
}

func (f *reconcileFixture) reconcilePage(t *testing.T) activities.ReconcilePageResult {
	t.Helper()
	result, err := f.tryReconcile()
	return must(t, result, err)
}

func (f *reconcileFixture) tryReconcile() (activities.ReconcilePageResult, error) {
	return f.reconciler.ReconcilePage(context.Background())
}

// requireEnded requires that one import was ended.
func requireEnded(
	t *testing.T, status outcome.Status, code outcome.Code, result activities.ReconcilePageResult,
) {
	t.Helper()
	require.Equal(t, 1, result.Open)
	require.Equal(t, 1, result.Repaired)
	require.Len(t, result.Ended, 1)
	requireEnd(t, activities.ParseEnd{Status: status, ErrorCode: code}, result.Ended[0])
}

// unchanged is the result of a page with one import that needed no repair.
var unchanged = activities.ReconcilePageResult{Open: 1}

func TestReconcileEndsImports(t *testing.T) {
	t.Parallel()

	for status, want := range map[enumspb.WorkflowExecutionStatus]struct {
		status outcome.Status
		code   outcome.Code
	}{
		terminated: {outcome.StatusTerminated, outcome.CodeTerminated},
		timedOut:   {outcome.StatusTimedOut, outcome.CodeTimedOut},
		failed:     {outcome.StatusFailed, outcome.CodeInternal},
		canceled:   {outcome.StatusCanceled, outcome.CodeCanceled},
		completed:  {outcome.StatusFailed, outcome.CodeInternal},
	} {
		t.Run("of a run that is "+status.String()+", once", func(t *testing.T) {
			t.Parallel()
			f, runs := newParsing(t)
			runs.has(status)
			requireEnded(t, want.status, want.code, f.reconcile(t))
			row := f.row(t)
			require.Equal(t, want.status, row.Status)
			require.Equal(t, string(want.code), *row.ErrorCode)
			require.Equal(t, want.code.Message(), *row.ErrorMessage)
			require.NotNil(t, row.FinishedAt)
			require.Equal(t, activities.ReconcilePageResult{}, f.reconcile(t))
			require.Equal(t, 1, runs.described[f.ref.ImportID], "an import that has ended is not compared")
		})
	}

	t.Run("of a run that was deleted", func(t *testing.T) {
		t.Parallel()
		f, runs := newParsing(t)
		runs.hasNone()
		requireEnded(t, outcome.StatusTerminated, outcome.CodeHistoryDeleted, f.reconcile(t))
		require.Equal(t, "run", *f.row(t).RunID)
	})

	t.Run("of a run that ended before it began to parse", func(t *testing.T) {
		t.Parallel()
		f, runs := newQueued(t)
		f.makeOverdue(t)
		runs.has(terminated)
		requireEnded(t, outcome.StatusTerminated, outcome.CodeTerminated, f.reconcile(t))
		require.Equal(t, "run", *f.row(t).RunID)
	})
}

func TestReconcileLeavesImportsAlone(t *testing.T) {
	t.Parallel()

	for _, status := range []enumspb.WorkflowExecutionStatus{
		running, continued, enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED, 99, // of a newer Temporal
	} {
		t.Run("whose run is "+status.String(), func(t *testing.T) {
			t.Parallel()
			f, runs := newParsing(t)
			f.makeOverdue(t)
			runs.has(status)
			require.Equal(t, unchanged, f.reconcile(t))
			require.Equal(t, outcome.StatusParsing, f.row(t).Status)
		})
	}

	t.Run("while Temporal cannot be asked", func(t *testing.T) {
		t.Parallel()
		f, runs := newQueued(t)
		f.makeOverdue(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			return activities.ParseRun{}, errors.New("unavailable")
		}
		require.Equal(t, activities.ReconcilePageResult{Open: 1, Unknown: 1}, f.reconcile(t))
		require.Equal(t, outcome.StatusQueued, f.row(t).Status)
		require.Empty(t, runs.started)
	})

	t.Run("that end meanwhile", func(t *testing.T) {
		t.Parallel()
		f, runs := newParsing(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			f.parse(t)
			return activities.ParseRun{RunID: "run", Status: completed}, nil
		}
		require.Equal(t, unchanged, f.reconcile(t))
		require.Equal(t, outcome.StatusParsed, f.row(t).Status)
	})

	t.Run("that are claimed again meanwhile", func(t *testing.T) {
		t.Parallel()
		f, runs := newParsing(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			f.mustFail(t, outcome.StatusCanceled, outcome.CodeCanceled)
			f.claim(t)
			return activities.ParseRun{RunID: "run", Status: canceled}, nil
		}
		require.Equal(t, unchanged, f.reconcile(t))
		require.Equal(t, outcome.StatusQueued, f.row(t).Status)
	})
}

func TestReconcileRecordsRuns(t *testing.T) {
	t.Parallel()
	f, runs := newQueued(t)
	f.makeOverdue(t)
	require.Nil(t, f.row(t).RunID)
	runs.has(running)
	require.Equal(t, unchanged, f.reconcile(t))
	row := f.row(t)
	require.Equal(t, outcome.StatusQueued, row.Status)
	require.Equal(t, "run", *row.RunID)
	require.NotEmpty(t, *row.WorkflowID)
	require.Equal(t, outcome.StatusParsed, f.parse(t).Status, "its worker begins it all the same")
}

func TestReconcileStartsImports(t *testing.T) {
	t.Parallel()

	t.Run("without a run, after their request had the time to", func(t *testing.T) {
		t.Parallel()
		f, runs := newQueued(t)
		runs.hasNone()
		f.Exec(t, `update private.import_runs set queued_at = now() + interval '1 hour'`) // new for the whole test
		require.Equal(t, unchanged, f.reconcile(t))
		require.Empty(t, runs.started)
		f.makeOverdue(t)
		require.Equal(t, activities.ReconcilePageResult{Open: 1, Repaired: 1}, f.reconcile(t))
		require.Equal(t, []activities.ParseRef{f.ref}, runs.started)
		require.Equal(t, outcome.StatusQueued, f.row(t).Status)
		require.Nil(t, f.row(t).RunID, "the run records itself when it begins")
	})

	t.Run("whose latest run is of an earlier claim", func(t *testing.T) {
		t.Parallel()
		f, runs := newParsing(t)
		f.mustFail(t, outcome.StatusFailed, outcome.CodeInternal)
		earlier := *f.row(t).RunID
		f.claim(t)
		f.makeOverdue(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			return activities.ParseRun{WorkflowID: "workflow", RunID: earlier, Status: failed}, nil
		}
		require.Equal(t, activities.ReconcilePageResult{Open: 1, Repaired: 1}, f.reconcile(t))
		require.Equal(t, []activities.ParseRef{f.ref}, runs.started)
	})

	t.Run("unless another program is faster", func(t *testing.T) {
		t.Parallel()
		f, runs := newQueued(t)
		f.makeOverdue(t)
		runs.hasNone()
		runs.startErr = activities.ErrRunOpen
		require.Equal(t, unchanged, f.reconcile(t))
	})
}

func TestReconcileComparesEachImportOnce(t *testing.T) {
	t.Parallel()
	f, runs := newParsing(t)
	const more = 450 // three at a time were seen at the same moment
	f.Exec(t, `insert into imports (
			id, workspace_id, project_id, title, format, size_bytes, sha256, status, claim_id, run_id
		)
		select gen_random_uuid(), workspace_id, project_id, 'Another', format, 1, sha256, 'queued',
			gen_random_uuid(), 'run'
		from imports, generate_series(1, $1) n`, more)
	f.Exec(t, `insert into private.import_runs (claim_id, import_id, before, seen_at)
		select claim_id, id, '{}', now() - interval '2 hours' - make_interval(secs => row_number() over () / 3)
		from imports where title = 'Another'`)
	f.Exec(t, `update private.import_runs set seen_at = now() - interval '61 minutes' where import_id = $1`,
		f.ref.ImportID)
	runs.describe = func(id uuid.UUID) (activities.ParseRun, error) {
		if id == f.ref.ImportID {
			return activities.ParseRun{}, errors.New("unavailable")
		}
		return activities.ParseRun{RunID: "run", Status: running}, nil
	}
	var total activities.ReconcilePageResult
	pages := 0
	for page := f.reconcilePage(t); page.Open > 0; page = f.reconcilePage(t) {
		total.Open, total.Unknown = total.Open+page.Open, total.Unknown+page.Unknown
		pages++
	}
	require.Equal(t, 2, pages)
	require.Equal(t, activities.ReconcilePageResult{Open: more + 1, Unknown: 1}, total,
		"an import that cannot be compared does not stop the others")
	require.Len(t, runs.described, more+1)
	for _, times := range runs.described {
		require.Equal(t, 1, times)
	}
}

func TestReconcileLooksAtSilentImportsOnly(t *testing.T) {
	t.Parallel()
	f, runs := newParsing(t)
	runs.has(terminated)
	require.Equal(t, activities.ReconcilePageResult{}, f.reconcilePage(t), "the claim is new")
	f.fallSilent(t)
	require.Equal(t, 1, f.reconcilePage(t).Repaired)
}

// Another namespace has no record of the runs, so all of them would seem to be deleted.
func TestReconcileChangesNothingInAnotherNamespace(t *testing.T) {
	t.Parallel()
	f, runs := newParsing(t)
	f.makeOverdue(t)
	runs.hasNone()
	runs.namespaceErr = errors.New("the namespace does not belong to the database")
	f.fallSilent(t)
	_, err := f.tryReconcile()
	require.Error(t, err)
	require.Empty(t, runs.described)
	require.Empty(t, runs.started)
	require.Equal(t, outcome.StatusParsing, f.row(t).Status)
}

func TestReconcileSaysWhatImportsWaitFor(t *testing.T) {
	t.Parallel()
	for want, run := range map[string]activities.ParseRun{
		"turn":                  {Waiting: 2},
		"worker":                {TaskAttempts: 1},
		"paused":                {Paused: 1},
		"no_worker_of_version":  {Version: "research:v1", Running: 1},
		"workflow_task_failing": {TaskAttempts: 9},
		"model_unavailable":     {BackingOff: 1}, // as the last attempt has recorded
		"":                      {Running: 1},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			f, runs := newParsing(t)
			f.Exec(t, `update imports set waiting_reason = 'model_unavailable'`)
			runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
				run.RunID, run.Status = "run", running
				return run, nil
			}
			require.Equal(t, unchanged, f.reconcile(t))
			require.Equal(t, want, dbtest.Value[string](t, f.DB,
				`select coalesce(waiting_reason, '') from imports where id = $1`, f.ref.ImportID))
			require.Equal(t, want != "" && want != "model_unavailable", dbtest.Value[bool](t, f.DB,
				`select waits_since is not null from private.import_runs where claim_id = $1`, f.ref.ClaimID))
		})
	}

	t.Run("worker, if there is none", func(t *testing.T) {
		t.Parallel()
		f, runs := newParsing(t)
		f.Exec(t, `update private.workers set seen_at = now() - interval '31 seconds'`)
		runs.has(running)
		require.Equal(t, unchanged, f.reconcile(t))
		require.Equal(t, "worker", *f.row(t).WaitingReason)
	})
}

// A run that cannot go on, because no worker can execute it, neither cancels itself nor ends at its deadline.
func TestReconcileEndsRunsThatCannot(t *testing.T) {
	t.Parallel()

	t.Run("be cancelled by an operator of Temporal", func(t *testing.T) {
		t.Parallel()
		f, runs := newParsing(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			return activities.ParseRun{RunID: "run", Status: running, CancelRequested: true, TaskAttempts: 9}, nil
		}
		require.Equal(t, unchanged, f.reconcile(t))
		f.Exec(t, `
			update private.import_runs set cancel_requested_at = cancel_requested_at - interval '16 seconds'`)
		requireEnded(t, outcome.StatusCanceled, outcome.CodeCanceled, f.reconcilePage(t))
		require.Equal(t, []string{"run"}, runs.terminated)
	})

	t.Run("begin", func(t *testing.T) {
		t.Parallel()
		f, runs := newQueued(t)
		f.makeOverdue(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			return activities.ParseRun{RunID: "run", Status: running, TaskAttempts: 9}, nil
		}
		f.Exec(t, `update private.import_runs set queued_at = now() - interval '1 week'`)
		require.Equal(t, unchanged, f.reconcile(t), "it waited for its turn")
		f.Exec(t, `update private.import_runs set waits_since = now() - interval '119 minutes'`)
		require.Equal(t, unchanged, f.reconcile(t))
		f.Exec(t, `update private.import_runs set waits_since = now() - interval '122 minutes'`)
		requireEnded(t, outcome.StatusTimedOut, outcome.CodeTimedOut, f.reconcile(t))
		require.Equal(t, []string{"run"}, runs.terminated)
	})

	t.Run("be cancelled", func(t *testing.T) {
		t.Parallel()
		f, runs := newParsing(t)
		runs.has(running)
		f.Exec(t, `update private.import_runs set cancel_requested_at = now()`)
		require.Equal(t, unchanged, f.reconcile(t), "a worker may be about to cancel it")
		require.Empty(t, runs.terminated)
		f.Exec(t, `update private.import_runs set cancel_requested_at = now() - interval '16 seconds'`)
		requireEnded(t, outcome.StatusCanceled, outcome.CodeCanceled, f.reconcilePage(t))
		require.Equal(t, []string{"run"}, runs.terminated)
		require.Equal(t, outcome.StatusCanceled, f.row(t).Status)
	})

	t.Run("end at their deadline", func(t *testing.T) {
		t.Parallel()
		f, runs := newParsing(t)
		runs.describe = func(uuid.UUID) (activities.ParseRun, error) {
			return activities.ParseRun{RunID: "run", Status: running, Paused: 1}, nil
		}
		f.Exec(t, `update private.import_runs set first_call_at = now() - interval '2 hours'`)
		require.Equal(t, unchanged, f.reconcile(t), "its workflow may be about to end it")
		f.Exec(t, `update private.import_runs set first_call_at = now() - interval '122 minutes'`)
		requireEnded(t, outcome.StatusTimedOut, outcome.CodeTimedOut, f.reconcile(t))
		require.Equal(t, []string{"run"}, runs.terminated)
	})
}
