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

// lockImport locks the row of an import for a write on behalf of a run, and records the run: the first one of
// a claim, or one that an operator reset. run_id therefore always names the run that wrote last. Its error is
// db.ErrNotFound if the claim is not the latest.
func lockImport(ctx context.Context, q *db.Queries, ref ParseRef, run importRun) (db.LockImportRow, error) {
	locked, err := q.LockImport(ctx, db.LockImportParams(ref))
	if err != nil {
		return locked, err
	}
	return locked, followRun(ctx, q, ref, run, &locked)
}

// followRun records the run of an import, if it is another one, and reopens an import whose run was reset.
func followRun(
	ctx context.Context, q *db.Queries, ref ParseRef, run importRun, locked *db.LockImportRow,
) error {
	if !run.takesOver(locked.Import) {
		return nil
	}
	ended := !locked.Import.Status.Open()
	followed, err := q.FollowRun(ctx, db.FollowRunParams{
		ImportID: ref.ImportID, ClaimID: ref.ClaimID, WorkflowID: run.workflowID, RunID: run.runID,
	})
	if err != nil {
		return err
	}
	locked.Import = followed
	if ended {
		return q.ReopenRun(ctx, ref.ClaimID)
	}
	return nil
}

// takesOver reports whether an import should record the run. An import that ended without success continues
// if an operator reset its run. An activity that was scheduled before the end belongs to the old run, and
// does not reopen the import.
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
