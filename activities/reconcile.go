package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"

	"research/db"
	"research/outcome"
)

// Runs describes and starts the runs that parse imports. *temporalclient.Client implements it.
type Runs interface {
	// CheckNamespace returns an error unless the namespace is the one that belongs to the database.
	CheckNamespace(ctx context.Context) error
	// DescribeParse returns the latest run of an import. It returns ErrNoRun if Temporal has no record of one,
	// and any other error if Temporal cannot be asked.
	DescribeParse(ctx context.Context, importID uuid.UUID) (ParseRun, error)
	// StartMissing starts the run of a claim. It returns ErrRunOpen if any run of the import is open.
	StartMissing(ctx context.Context, ref ParseRef, workspaceID, projectID uuid.UUID) (ParseRun, error)
}

var (
	// ErrNoRun means that Temporal has no record of a run.
	ErrNoRun = errors.New("temporal has no record of a run")
	// ErrRunOpen means that a run of the workflow is open.
	ErrRunOpen = errors.New("a run is open")
)

// A ParseRun is a run as Temporal describes it.
type ParseRun struct {
	WorkflowID string
	RunID      string
	Status     enumspb.WorkflowExecutionStatus
}

// Reconciler are the activities that compare open imports with their runs. Temporal knows them by the names
// of the methods.
type Reconciler struct {
	imports *Imports
	runs    Runs
	silence time.Duration
	log     *slog.Logger
}

// NewReconciler returns the activities. All dependencies are required. silence is how long a run was not seen
// before it is compared.
func NewReconciler(
	imports *Imports, runs Runs, silence time.Duration, log *slog.Logger,
) (*Reconciler, error) {
	if imports == nil || runs == nil || log == nil || silence <= 0 {
		return nil, errors.New("activities: a dependency of Reconciler is missing")
	}
	return &Reconciler{imports: imports, runs: runs, silence: silence, log: log}, nil
}

const (
	// reconcilePageSize bounds the requests of one page to Temporal, however many imports are open.
	reconcilePageSize    = 100
	reconcileConcurrency = 8 // concurrent requests to Temporal
	// startGrace is how long a request may take from its claim to its run: 5 s for Temporal, 10 s to release the
	// claim, and a margin.
	startGrace = 20 * time.Second
)

// ReconcilePageInput is empty.
type ReconcilePageInput struct{}

// ReconcilePageResult counts the imports of a page.
type ReconcilePageResult struct {
	Open     int
	Repaired int        // ended or started
	Unknown  int        // left open, because Temporal or the database could not be asked
	Ended    []ParseEnd `json:",omitempty"` // of the repaired imports
}

// ReconcilePage compares the open imports with the oldest heartbeats with their runs. It ends imports whose
// run ended without updating them, in the same way and with what was found, starts imports that were claimed
// and never started, and records the runs of those that no worker has begun. Imports whose state cannot be
// determined are unchanged. A retry changes nothing: each write names the claim and the statuses it may
// leave.
//
// In a namespace of Temporal that does not belong to the database it fails and changes nothing.
func (r *Reconciler) ReconcilePage(ctx context.Context, _ ReconcilePageInput) (ReconcilePageResult, error) {
	defer heartbeat(ctx)()
	if err := r.runs.CheckNamespace(ctx); err != nil {
		return ReconcilePageResult{}, failed(ctx, r.log, "check the namespace", err)
	}
	page, err := db.AsService(ctx, r.imports.store, func(q *db.Queries) ([]db.ListSilentRunsRow, error) {
		return q.ListSilentRuns(ctx, db.ListSilentRunsParams{
			GraceSeconds: startGrace.Seconds(), SilenceSeconds: r.silence.Seconds(), PageSize: reconcilePageSize,
		})
	})
	if err != nil {
		return ReconcilePageResult{}, dbError("list open imports", err)
	}
	result := r.reconcileAll(ctx, page)
	if ctx.Err() != nil {
		return ReconcilePageResult{}, ctx.Err()
	}
	return result, r.markSeen(ctx, page)
}

// reconcileAll compares imports, several at a time.
func (r *Reconciler) reconcileAll(ctx context.Context, page []db.ListSilentRunsRow) ReconcilePageResult {
	repairs, errs := make([]repair, len(page)), make([]error, len(page))
	var each errgroup.Group
	each.SetLimit(reconcileConcurrency)
	for i, row := range page {
		each.Go(func() error {
			repairs[i], errs[i] = r.reconcile(ctx, row)
			return nil
		})
	}
	_ = each.Wait() // errs has the error of each import
	result := ReconcilePageResult{Open: len(page)}
	for i, row := range page {
		if errs[i] != nil {
			result.Unknown++
			r.log.WarnContext(ctx, "import not reconciled", "import_id", row.ID, "error", errs[i])
			continue
		}
		result.add(repairs[i])
	}
	return result
}

// markSeen moves imports to the end of the order, so that imports that cannot be compared do not block
// others.
func (r *Reconciler) markSeen(ctx context.Context, page []db.ListSilentRunsRow) error {
	if len(page) == 0 {
		return nil
	}
	claims := make([]uuid.UUID, len(page))
	for i, row := range page {
		claims[i] = row.ClaimID
	}
	err := r.imports.store.AsService(ctx, func(q *db.Queries) error { return q.MarkRunsSeen(ctx, claims) })
	return dbError("mark imports as compared", err)
}

// A repair is the change that the reconciler made to an import. The zero value is none.
type repair struct {
	started bool
	end     *ParseEnd // nil if the import was not ended
}

func (r *ReconcilePageResult) add(done repair) {
	if done.started || done.end != nil {
		r.Repaired++
	}
	if done.end != nil {
		r.Ended = append(r.Ended, *done.end)
	}
}

// reconcile compares one import with its latest run, and repairs it if they disagree.
func (r *Reconciler) reconcile(ctx context.Context, row db.ListSilentRunsRow) (repair, error) {
	if row.RunID == nil && !row.Overdue {
		return repair{}, nil // the request that claimed the import may be about to start its run
	}
	run, err := r.runs.DescribeParse(ctx, row.ID)
	if err != nil && !errors.Is(err, ErrNoRun) {
		return repair{}, err
	}
	switch due := compareRun(row.RunID, row.PreviousRunID, run, err != nil); due.action {
	case actionStart:
		return r.start(ctx, row)
	case actionEnd:
		return r.end(ctx, row, run, due.status, due.code)
	}
	if row.RunID == nil {
		return repair{}, r.recordRun(ctx, row, run)
	}
	return repair{}, nil
}

// recordRun records the run of an import that no worker has begun. If the first response to a request was
// lost, the API answers its repetition from this record.
func (r *Reconciler) recordRun(ctx context.Context, row db.ListSilentRunsRow, run ParseRun) error {
	err := r.imports.store.AsService(ctx, func(q *db.Queries) error {
		_, err := lockImport(ctx, q, refOf(row), importRun{workflowID: run.WorkflowID, runID: run.RunID})
		return err
	})
	if errors.Is(err, db.ErrNotFound) { // claimed again meanwhile
		return nil
	}
	return dbError("record the run", err)
}

// A dueRepair is the change that an open import needs. The zero value is none.
type dueRepair struct {
	action repairAction
	status outcome.Status // with actionEnd
	code   outcome.Code   // with actionEnd
}

type repairAction int

const (
	actionNone repairAction = iota
	actionStart
	actionEnd
)

// compareRun compares an open import with its latest run. runID is the run that the import names, and
// previousRunID the last run of an earlier claim. noRun means that Temporal has no record of a run.
func compareRun(runID, previousRunID *string, run ParseRun, noRun bool) dueRepair {
	switch {
	case runID == nil && (noRun || isRun(previousRunID, run)):
		return dueRepair{action: actionStart}
	case noRun:
		return dueRepair{actionEnd, outcome.StatusTerminated, outcome.CodeHistoryDeleted}
	case !isOpen(run.Status):
		status, code := endedAs(run.Status)
		return dueRepair{actionEnd, status, code}
	}
	return dueRepair{}
}

func isRun(id *string, run ParseRun) bool { return id != nil && *id == run.RunID }

// start starts the run of a claim that has none.
func (r *Reconciler) start(ctx context.Context, row db.ListSilentRunsRow) (repair, error) {
	run, err := r.runs.StartMissing(ctx, refOf(row), row.WorkspaceID, row.ProjectID)
	if errors.Is(err, ErrRunOpen) {
		return repair{}, nil // another program was faster
	}
	if err != nil {
		return repair{}, err
	}
	r.log.WarnContext(ctx, "import repaired", "import_id", row.ID,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "found", "never started", "done", "started")
	return repair{started: true}, nil
}

// end ends an import in the same way as its run.
func (r *Reconciler) end(
	ctx context.Context, row db.ListSilentRunsRow, run ParseRun, status outcome.Status, code outcome.Code,
) (repair, error) {
	by := importRun{workflowID: run.WorkflowID, runID: run.RunID}
	end, wrote, err := r.imports.finishImport(ctx, refOf(row), by, status, code)
	if isSuperseded(err) || err == nil && !wrote {
		return repair{}, nil // it ended, or was claimed again, meanwhile
	}
	if err != nil {
		return repair{}, err
	}
	found := run.Status.String()
	if code == outcome.CodeHistoryDeleted {
		found = "history deleted"
	}
	r.log.WarnContext(ctx, "import repaired", "import_id", row.ID,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "found", found, "done", end.Status)
	return repair{end: &end}, nil
}

func refOf(row db.ListSilentRunsRow) ParseRef {
	return ParseRef{ImportID: row.ID, ClaimID: row.ClaimID}
}

// isOpen reports whether a run may still end its import. An unknown status, of a newer Temporal, is open.
func isOpen(status enumspb.WorkflowExecutionStatus) bool {
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED,
		enumspb.WORKFLOW_EXECUTION_STATUS_FAILED,
		enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED,
		enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED,
		enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return false
	}
	return true
}

// endedAs returns the end of an import whose run closed without updating it.
func endedAs(status enumspb.WorkflowExecutionStatus) (outcome.Status, outcome.Code) {
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return outcome.StatusCanceled, outcome.CodeCanceled
	case enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		return outcome.StatusTerminated, outcome.CodeTerminated
	case enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return outcome.StatusTimedOut, outcome.CodeTimedOut
	}
	return outcome.StatusFailed, outcome.CodeInternal
}
