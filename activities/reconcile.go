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
)

// Runs tells what Temporal knows of the workflows that parse imports; *workflows.Client is one.
type Runs interface {
	// DescribeParse returns the latest run of an import's workflow. Its errors are ErrNoRun, where Temporal knows none, and any other where it cannot be asked.
	DescribeParse(ctx context.Context, importID uuid.UUID) (ParseRun, error)
	// StartMissing starts the run of a claim that has none. Its error is ErrRunOpen where a run of the import is open, of whatever claim.
	StartMissing(ctx context.Context, ref ParseRef, workspaceID, projectID uuid.UUID) (ParseRun, error)
}

var (
	// ErrNoRun: Temporal knows no run of the workflow.
	ErrNoRun = errors.New("temporal knows no run")
	// ErrRunOpen: a run of the workflow is open.
	ErrRunOpen = errors.New("a run is open")
)

// A ParseRun is a run as Temporal describes it.
type ParseRun struct {
	WorkflowID string
	RunID      string
	Status     enumspb.WorkflowExecutionStatus
}

// Reconciler are the activities that compare open imports with what Temporal says of their runs.
type Reconciler struct {
	imports *Imports
	runs    Runs
	log     *slog.Logger
}

// NewReconciler makes the activities. All dependencies are required.
func NewReconciler(imports *Imports, runs Runs, log *slog.Logger) (*Reconciler, error) {
	if imports == nil || runs == nil || log == nil {
		return nil, errors.New("activities: a dependency of Reconciler is missing")
	}
	return &Reconciler{imports: imports, runs: runs, log: log}, nil
}

const (
	// What one call of ReconcilePage looks at, and how many imports at once.
	pageSize      = 200
	reconcileWays = 8
	// startGrace is how long a request may take from its claim to the run: 5 s for Temporal, 10 s to give the claim back, and some.
	startGrace = 20 * time.Second
)

// ReconcilePageInput says after which import to go on; zero is the beginning.
type ReconcilePageInput struct {
	QueuedAt time.Time
	ID       uuid.UUID
}

// ReconcilePageResult counts what was seen, and what was not as it should be.
type ReconcilePageResult struct {
	Open     int
	Repaired int                 // ended or started by us
	Unknown  int                 // Temporal or the database could not say: they stay open
	Next     *ReconcilePageInput // nil: that was all
}

// ReconcilePage compares a page of open imports with their runs. Imports whose run ended without saying so end as the run did, with what was found kept; imports that were
// claimed and never started are started. What cannot be learned now stays as it is. Repeating it changes nothing: each write names the claim and the states it may leave.
func (r *Reconciler) ReconcilePage(ctx context.Context, in ReconcilePageInput) (ReconcilePageResult, error) {
	stop := heartbeat(ctx)
	defer stop()
	var open []db.ListOpenImportsRow
	err := r.imports.store.AsService(ctx, func(q *db.Queries) (err error) {
		open, err = q.ListOpenImports(ctx, db.ListOpenImportsParams{
			GraceSeconds: startGrace.Seconds(), AfterQueuedAt: in.QueuedAt, AfterID: in.ID, PageSize: pageSize,
		})
		return err
	})
	if err != nil {
		return ReconcilePageResult{}, dbError("list open imports", err)
	}
	repaired, errs := make([]bool, len(open)), make([]error, len(open))
	var each errgroup.Group
	each.SetLimit(reconcileWays)
	for i, row := range open {
		each.Go(func() error {
			repaired[i], errs[i] = r.reconcile(ctx, row)
			return nil
		})
	}
	_ = each.Wait() // each import has an error of its own
	if ctx.Err() != nil {
		return ReconcilePageResult{}, ctx.Err()
	}
	result := ReconcilePageResult{Open: len(open)}
	for i, row := range open {
		switch {
		case errs[i] != nil:
			result.Unknown++
			r.log.WarnContext(ctx, "import not reconciled", "import_id", row.ID, "error", errs[i])
		case repaired[i]:
			result.Repaired++
		}
	}
	if len(open) == pageSize {
		last := open[len(open)-1]
		result.Next = &ReconcilePageInput{QueuedAt: *last.QueuedAt, ID: last.ID}
	}
	return result, nil
}

// reconcile compares one import with its latest run, and tells whether it had to be repaired.
func (r *Reconciler) reconcile(ctx context.Context, row db.ListOpenImportsRow) (repaired bool, err error) {
	ref := ParseRef{ImportID: row.ID, ClaimID: *row.ClaimID}
	if row.RunID == nil && !row.Overdue {
		return false, nil // the request that claimed it is about to start it
	}
	run, err := r.runs.DescribeParse(ctx, row.ID)
	deleted := errors.Is(err, ErrNoRun)
	switch {
	case err != nil && !deleted:
		return false, err
	case row.RunID == nil && (deleted || !isOpen(run.Status)):
		return r.start(ctx, ref, row) // what Temporal knows, if anything, is a run of an earlier claim
	case deleted:
		return r.end(ctx, ref, ParseRun{}, "history deleted", ParseEnd{Status: string(db.ImportStatusTerminated), ErrorCode: codeHistoryDeleted})
	case !isOpen(run.Status):
		return r.end(ctx, ref, run, run.Status.String(), endOf(run.Status))
	case row.RunID != nil && *row.RunID != run.RunID: // an operator reset it
		return false, r.follow(ctx, ref, run)
	}
	return false, nil
}

// start starts what was claimed and never started.
func (r *Reconciler) start(ctx context.Context, ref ParseRef, row db.ListOpenImportsRow) (repaired bool, err error) {
	run, err := r.runs.StartMissing(ctx, ref, row.WorkspaceID, row.ProjectID)
	if errors.Is(err, ErrRunOpen) {
		return false, nil // somebody was first
	}
	if err != nil {
		return false, err
	}
	r.log.WarnContext(ctx, "import repaired", "import_id", ref.ImportID, "workflow_id", run.WorkflowID, "run_id", run.RunID, "found", "never started", "done", "started")
	return true, r.follow(ctx, ref, run)
}

// end ends an import as its run ended.
func (r *Reconciler) end(ctx context.Context, ref ParseRef, run ParseRun, found string, end ParseEnd) (repaired bool, err error) {
	end, ended, err := r.imports.settle(ctx, ref, end, nil)
	if isSuperseded(err) {
		return false, nil
	}
	if ended {
		r.log.WarnContext(ctx, "import repaired", "import_id", ref.ImportID, "workflow_id", run.WorkflowID, "run_id", run.RunID, "found", found, "done", end.Status)
	}
	return ended, err
}

func (r *Reconciler) follow(ctx context.Context, ref ParseRef, run ParseRun) error {
	return r.imports.store.AsService(ctx, func(q *db.Queries) error {
		return q.FollowRun(ctx, db.FollowRunParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID, WorkflowID: run.WorkflowID, RunID: run.RunID})
	})
}

// isOpen tells whether a run may still end its import by itself. A state that we do not know, of a newer Temporal, is open.
func isOpen(status enumspb.WorkflowExecutionStatus) bool {
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED,
		enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return false
	}
	return true
}

// endOf is what an import comes to whose run ended so, without saying it.
func endOf(status enumspb.WorkflowExecutionStatus) ParseEnd {
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return ParseEnd{Status: string(db.ImportStatusCanceled), ErrorCode: "canceled"}
	case enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		return ParseEnd{Status: string(db.ImportStatusTerminated), ErrorCode: "terminated"}
	case enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return ParseEnd{Status: string(db.ImportStatusTimedOut), ErrorCode: "timed_out"}
	}
	return ParseEnd{Status: string(db.ImportStatusFailed), ErrorCode: "internal"}
}
