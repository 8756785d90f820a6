package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
	"research/outcome"
)

// A MissingAnswer is the run of the claim of an answer, which was never started.
type MissingAnswer struct {
	AnswerRef
	WorkspaceID, ProjectID uuid.UUID

	Mode    outcome.AnswerMode
	Timeout time.Duration // what is left of ASK_TIMEOUT
}

func (r *Reconciler) listSilentAnswers(
	ctx context.Context, q *db.Queries,
) ([]db.ListSilentAnswersRow, error) {
	return q.ListSilentAnswers(ctx, db.ListSilentAnswersParams{
		GraceSeconds: startGrace.Seconds(), SilenceSeconds: r.silence().Seconds(),
		TimeoutSeconds: (r.cfg.AnswerTimeout + timeoutGrace).Seconds(), PageSize: reconcilePageSize,
	})
}

// reconcileAnswer compares one answer with its latest run, and repairs it if they disagree. A cancelled
// answer is no longer open, so that there is nothing to compare.
func (r *Reconciler) reconcileAnswer(
	ctx context.Context, row db.ListSilentAnswersRow, workers RunningVersions,
) (repair, error) {
	// Until the run of a claim begins, the answer names that of an earlier one.
	runID, previousRunID := row.RunID, row.RunID
	if outcome.AnswerStatus(row.Status) == outcome.AnswerQueued {
		runID = nil
	}
	if runID == nil && !row.Overdue {
		return repair{}, nil // the request that claimed the answer may be about to start its run
	}
	run, err := r.runs.DescribeAnswer(ctx, row.ID)
	if err != nil && !errors.Is(err, ErrNoRun) {
		return repair{}, err
	}
	switch due := compareRun(runID, previousRunID, run, err != nil); {
	case due.action == actionStart:
		return r.startAnswer(ctx, row, run)
	case due.action == actionEnd:
		return r.endAnswer(ctx, row, run, outcome.AnswerStatus(due.status), due.code)
	case row.Late:
		return r.stopAnswer(ctx, row, run)
	}
	return repair{}, r.recordAnswerWait(ctx, row, run, run.WaitsFor(workers))
}

// startAnswer starts the run of a claim that has none, for what is left until its deadline. earlier is the
// run of an earlier claim, if there was one. After the deadline, as when Temporal was away, nobody waits.
func (r *Reconciler) startAnswer(
	ctx context.Context, row db.ListSilentAnswersRow, earlier ParseRun,
) (repair, error) {
	answer, err := db.AsService(ctx, r.answers.store, func(q *db.Queries) (db.Answer, error) {
		return answerRefOf(row).lock(ctx, q)
	})
	if errors.Is(err, db.ErrNotFound) {
		return repair{}, nil // it ended, or was claimed again, meanwhile
	}
	if err != nil {
		return repair{}, err
	}
	left := r.cfg.AnswerTimeout - time.Since(answer.QueuedAt)
	if left <= 0 {
		return r.endAnswer(ctx, row, earlier, outcome.AnswerTimedOut, outcome.CodeTimedOut)
	}
	run, err := r.runs.StartMissingAnswer(ctx, MissingAnswer{
		AnswerRef: answerRefOf(row), WorkspaceID: row.WorkspaceID, ProjectID: row.ProjectID,
		Mode: outcome.AnswerMode(row.Mode), Timeout: left,
	})
	if errors.Is(err, ErrRunOpen) {
		return repair{}, nil // another program was faster
	}
	if err != nil {
		return repair{}, err
	}
	r.log.WarnContext(ctx, "answer repaired", "answer_id", row.ID,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "found", "never started", "done", "started")
	return repair{started: true}, nil
}

// stopAnswer ends an answer that is late, and then terminates its run. That the claim ends only now shows
// that the run, which was described before, is not one of a later claim. A run that cannot be terminated
// changes nothing any more.
func (r *Reconciler) stopAnswer(
	ctx context.Context, row db.ListSilentAnswersRow, run ParseRun,
) (repair, error) {
	done, err := r.endAnswer(ctx, row, run, outcome.AnswerTimedOut, outcome.CodeTimedOut)
	if err != nil || done.answerEnd == nil {
		return done, err
	}
	reason := "it did not end by itself: " + string(outcome.CodeTimedOut)
	if err := r.runs.TerminateAnswer(ctx, row.ID, run.RunID, reason); err != nil {
		r.log.WarnContext(ctx, "run of an answer not terminated", "answer_id", row.ID,
			"workflow_id", run.WorkflowID, "run_id", run.RunID, "error", err)
	}
	return done, nil
}

// endAnswer ends an answer in the same way as its run.
func (r *Reconciler) endAnswer(
	ctx context.Context, row db.ListSilentAnswersRow, run ParseRun, status outcome.AnswerStatus,
	code outcome.Code,
) (repair, error) {
	end, wrote, err := r.answers.fail(ctx, FailAnswerInput{answerRefOf(row), status, code})
	if isSuperseded(err) || err == nil && !wrote {
		return repair{}, nil // it ended, or was claimed again, meanwhile
	}
	if err != nil {
		return repair{}, err
	}
	r.log.WarnContext(ctx, "answer repaired", "answer_id", row.ID,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "found", run.Status.String(), "done", end.Status)
	return repair{answerEnd: &end}, nil
}

// recordAnswerWait records what an answer waits for. Without a reason, what its last attempt recorded stays
// unless the answer is read again.
func (r *Reconciler) recordAnswerWait(
	ctx context.Context, row db.ListSilentAnswersRow, run ParseRun, reason string,
) error {
	if reason == valueOf(row.WaitingReason) || reason == "" && run.Running == 0 {
		return nil
	}
	return r.ender.store.AsService(ctx, func(q *db.Queries) error {
		_, err := q.SetAnswerWaiting(ctx, db.SetAnswerWaitingParams{
			AnswerID: row.ID, ClaimID: row.ClaimID, WaitingReason: reason,
		})
		return err
	})
}

func answerRefOf(row db.ListSilentAnswersRow) AnswerRef {
	return AnswerRef{AnswerID: row.ID, ClaimID: row.ClaimID}
}
