package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"research/db"
)

// An importRun is the run on whose behalf an import is written.
type importRun struct {
	workflowID, runID string // empty if Temporal has no record of the run
	// scheduledAt is when the activity was scheduled. It is zero for the reconciler, which never reopens an
	// import.
	scheduledAt time.Time
}

// activityRun returns the run of an activity.
func activityRun(ctx context.Context) importRun {
	info := activity.GetInfo(ctx)
	return importRun{info.WorkflowExecution.ID, info.WorkflowExecution.RunID, info.ScheduledTime}
}

// lockImport locks the row of an import for a write on behalf of a run, and records the run. No other code
// writes run_id, so that it always names the run that wrote last: the first one of a claim, or one that an
// operator reset. Its error is db.ErrNotFound if the claim is not the latest.
func lockImport(ctx context.Context, q *db.Queries, ref ParseRef, run importRun) (db.Import, error) {
	imported, err := q.LockImport(ctx, db.LockImportParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID})
	if err != nil || !run.takesOver(imported) {
		return imported, err
	}
	return q.FollowRun(ctx, db.FollowRunParams{
		ImportID: ref.ImportID, ClaimID: ref.ClaimID, WorkflowID: run.workflowID, RunID: run.runID,
	})
}

// takesOver reports whether an import should record the run. An import that ended without success continues
// if an operator reset its run. An activity that was scheduled before the end is a late one of the old run
// and reopens nothing.
func (r importRun) takesOver(imported db.Import) bool {
	if r.runID == "" || imported.RunID != nil && *imported.RunID == r.runID {
		return false
	}
	if imported.Status.Open() {
		return true
	}
	finished := imported.FinishedAt
	return imported.Status.Unsuccessful() && finished != nil && finished.Before(r.scheduledAt)
}
