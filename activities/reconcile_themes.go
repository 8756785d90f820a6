package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
	"research/outcome"
)

// MissingThemes is the run of a claim to propose themes, which was never started.
type MissingThemes struct {
	ThemeRunRef
	WorkspaceID, ProjectID uuid.UUID

	Timeout time.Duration // what is left of PARSE_TIMEOUT
}

func (r *Reconciler) listSilentThemeRuns(
	ctx context.Context, q *db.Queries,
) ([]db.ListSilentThemeRunsRow, error) {
	return q.ListSilentThemeRuns(ctx, db.ListSilentThemeRunsParams{
		GraceSeconds: startGrace.Seconds(), SilenceSeconds: r.silence().Seconds(),
		TimeoutSeconds: (r.cfg.ParseTimeout + timeoutGrace).Seconds(), PageSize: reconcilePageSize,
	})
}

// reconcileThemes compares one row with its run in Temporal, as reconcileAnswer does. All runs of a project
// have the same workflow.
func (r *Reconciler) reconcileThemes(
	ctx context.Context, row db.ListSilentThemeRunsRow, workers RunningVersions,
) (repair, error) {
	if row.RunID == nil && !row.Overdue {
		return repair{}, nil // the request that claimed it may be about to start its run
	}
	run, err := r.runs.DescribeThemes(ctx, row.ProjectID)
	if err != nil && !errors.Is(err, ErrNoRun) {
		return repair{}, err
	}
	switch due := compareRun(row.RunID, row.PreviousRunID, run, err != nil); {
	case due.action == actionStart:
		return r.startThemes(ctx, row, run)
	case due.action == actionEnd:
		return r.endThemes(ctx, row, run, outcome.ThemeRunStatus(due.status), due.code)
	case row.Late:
		return r.stopThemes(ctx, row, run)
	}
	return repair{}, r.recordThemesWait(ctx, row, run, run.WaitsFor(workers))
}

// startThemes starts the run of a claim that has none, for what is left until its deadline. earlier is the
// run of an earlier claim, if there was one.
func (r *Reconciler) startThemes(
	ctx context.Context, row db.ListSilentThemeRunsRow, earlier ParseRun,
) (repair, error) {
	claimed, err := db.AsService(ctx, r.themes.store, func(q *db.Queries) (db.ThemeRun, error) {
		return themeRunRefOf(row).lock(ctx, q)
	})
	if errors.Is(err, db.ErrNotFound) {
		return repair{}, nil // it ended meanwhile
	}
	if err != nil {
		return repair{}, err
	}
	left := r.cfg.ParseTimeout - time.Since(claimed.QueuedAt)
	if left <= 0 {
		return r.endThemes(ctx, row, earlier, outcome.ThemesTimedOut, outcome.CodeTimedOut)
	}
	run, err := r.runs.StartMissingThemes(ctx, MissingThemes{
		ThemeRunRef: themeRunRefOf(row), WorkspaceID: row.WorkspaceID, ProjectID: row.ProjectID, Timeout: left,
	})
	if errors.Is(err, ErrRunOpen) {
		return repair{}, nil // another program was faster, or the run of an earlier claim is closing
	}
	if err != nil {
		return repair{}, err
	}
	r.log.WarnContext(ctx, "proposals of themes repaired", "theme_run_id", row.ID,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "found", "never started", "done", "started")
	return repair{started: true}, nil
}

// stopThemes ends what is late, and then terminates its run, as stopAnswer does.
func (r *Reconciler) stopThemes(
	ctx context.Context, row db.ListSilentThemeRunsRow, run ParseRun,
) (repair, error) {
	done, err := r.endThemes(ctx, row, run, outcome.ThemesTimedOut, outcome.CodeTimedOut)
	if err != nil || done.themesEnd == nil {
		return done, err
	}
	reason := "it did not end by itself: " + string(outcome.CodeTimedOut)
	if err := r.runs.TerminateThemes(ctx, row.ProjectID, run.RunID, reason); err != nil {
		r.log.WarnContext(ctx, "run of themes not terminated", "theme_run_id", row.ID,
			"workflow_id", run.WorkflowID, "run_id", run.RunID, "error", err)
	}
	return done, nil
}

// endThemes ends a row in the same way as its run.
func (r *Reconciler) endThemes(
	ctx context.Context, row db.ListSilentThemeRunsRow, run ParseRun, status outcome.ThemeRunStatus,
	code outcome.Code,
) (repair, error) {
	end, wrote, err := r.themes.fail(ctx, FailThemesInput{themeRunRefOf(row), status, code})
	if isSuperseded(err) || err == nil && !wrote {
		return repair{}, nil // it ended meanwhile
	}
	if err != nil {
		return repair{}, err
	}
	r.log.WarnContext(ctx, "proposals of themes repaired", "theme_run_id", row.ID,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "found", run.Status.String(), "done", end.Status)
	return repair{themesEnd: &end}, nil
}

// recordThemesWait records what a run waits for, as recordAnswerWait does.
func (r *Reconciler) recordThemesWait(
	ctx context.Context, row db.ListSilentThemeRunsRow, run ParseRun, reason string,
) error {
	if reason == valueOf(row.WaitingReason) || reason == "" && run.Running == 0 {
		return nil
	}
	return r.themes.store.AsService(ctx, func(q *db.Queries) error {
		_, err := q.SetThemeRunWaiting(ctx, db.SetThemeRunWaitingParams{
			ThemeRunID: row.ID, ClaimID: row.ClaimID, WaitingReason: reason,
		})
		return err
	})
}

func themeRunRefOf(row db.ListSilentThemeRunsRow) ThemeRunRef {
	return ThemeRunRef{ThemeRunID: row.ID, ClaimID: row.ClaimID}
}
