package cli

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"research/activities"
	"research/outcome"
	"research/temporalclient"
)

// A verdict explains the state of an import, and names the next command, if any.
type verdict struct{ sentence, next string }

// repairTime is how long an import may differ from its run before an operator should act: the reconciler
// compares them within seconds while serve or a worker runs.
const repairTime = 2 * time.Minute

// reconcilerTime is how long an open import may go without a comparison. One takes two RECONCILE_INTERVALs of
// silence, which is ten seconds by default.
const reconcilerTime = time.Minute

// pollTime bounds how long an idle worker takes to pick up a task. Temporal lists a worker for minutes after
// its end, so the list does not prove that one runs.
const pollTime = 3 * time.Second

// verdict returns the most likely cause. The first one that applies is it.
func (e *explanation) verdict() verdict {
	i := e.imports
	parse := fmt.Sprintf("research import parse %s", i.ID)
	switch i.Status {
	case outcome.StatusUploaded:
		return verdict{"Nobody has asked to parse it.", parse + " --hypotheses ID"}
	case outcome.StatusParsed:
		if i.Coverage < 1 {
			return verdict{fmt.Sprintf("It is parsed, and %.0f %% of it could not be read.", 100*(1-i.Coverage)),
				parse + "  # asks only for what is missing"}
		}
		return verdict{"It is parsed, and all of it was read.", ""}
	case outcome.StatusQueued, outcome.StatusParsing:
		return e.verdictOfOpen()
	}
	return verdictOfEnded(i.ErrorCode, parse)
}

func verdictOfEnded(code *string, parse string) verdict {
	if code == nil {
		return verdict{"It ended without a code.", parse}
	}
	next := parse
	switch outcome.Code(*code) {
	case outcome.CodeModelKeyRejected, outcome.CodeModelNoCredit, outcome.CodeModelNotFound,
		outcome.CodeModelBadRequest, outcome.CodeModelUnavailable, outcome.CodeModelRateLimited:
		next = "research doctor, then research import retry --error " + *code
	case outcome.CodeTokenLimit:
		next = "a larger MAX_TOKENS_PER_IMPORT for serve and worker, then " + parse
	}
	return verdict{outcome.Code(*code).Message(), next}
}

// verdictOfOpen is the verdict on an import that is queued or parsing.
func (e *explanation) verdictOfOpen() verdict {
	switch {
	case errors.Is(e.temporalErr, temporalclient.ErrWrongNamespace):
		return verdict{"The namespace of TEMPORAL_ADDRESS does not belong to the database, so nothing is started " +
			"or ended.", "research doctor"}
	case e.hasNoRun() && e.claimIsOld():
		return verdict{"It was requested, and Temporal has no run of it. The reconciler starts it, or ends it as " +
			"history_deleted, while serve or a worker runs.", "research doctor"}
	case e.hasNoRun():
		return verdict{"It was requested a moment ago; its run begins.", ""}
	case e.temporalErr != nil:
		return verdict{"Temporal cannot be asked: " + e.temporalErr.Error() + ".", "research doctor"}
	case !e.history.IsOpen():
		return verdict{"Its run has ended without updating it. The reconciler corrects that within seconds while " +
			"serve or a worker runs.", "research doctor"}
	}
	v := e.verdictOfRun()
	if late := e.notCompared(); late != "" {
		v.sentence += " " + late
		v.next = cmp.Or(v.next, "research doctor")
	}
	return v
}

// verdictOfRun is the verdict on an import whose run is open. What the run waits for is asked of Temporal
// now, in the way of the reconciler, so that it is right even if the reconciler does not work.
func (e *explanation) verdictOfRun() verdict {
	if len(e.runs) > 0 && e.runs[0].CancelRequestedAt != nil || e.history.CancelRequested {
		return verdict{"Its cancellation is requested. If no worker can cancel its run, the reconciler " +
			"terminates it within half a minute.", ""}
	}
	h := e.history
	switch h.WaitsFor(e.workers) {
	case activities.WaitsForWorker:
		if len(e.workers) == 0 {
			return verdict{"No worker runs" + e.waitsSince() + ".", "research worker"}
		}
		if !h.Untaken.IsZero() && e.at.Sub(h.Untaken) > pollTime {
			return verdict{"No worker has taken the next task of its run for " + e.ago(h.Untaken) + ".",
				"research doctor: workers may have no current version; more workers otherwise"}
		}
		return verdict{"Its run is open, and a worker is about to take its next task.", ""}
	case activities.WaitsForVersion:
		return verdict{fmt.Sprintf("Its run is pinned to the worker version %s, of which no worker runs%s.",
			h.Version, e.waitsSince()),
			"start `research worker` of that version, or move the run to the current one: " +
				temporalAdvice(e.temporal, moveRun(h.WorkflowID)...)}
	case activities.WaitsForDeploy:
		return verdict{fmt.Sprintf("The workers cannot execute its workflow: its task has failed %d times%s.",
			h.TaskAttempts-1, e.waitsSince()),
			"roll back the workers' deploy, or deploy a correction: the run then continues by itself"}
	}
	for _, p := range h.Pending {
		if p.Paused {
			return verdict{fmt.Sprintf("Attempts of %s are stopped: it is %s.", p.Name, e.pausedBy(p)),
				temporalAdvice(e.temporal, "activity", "unpause", "--workflow-id", h.WorkflowID, "--activity-id", p.ID)}
		}
	}
	for _, p := range h.Pending {
		if v := e.verdictOfPending(p); v.sentence != "" {
			return v
		}
	}
	return verdict{"Its run is open, and a worker is about to take its next task.", ""}
}

// moveRun are the arguments of Temporal's CLI that move a run to the current worker version.
func moveRun(workflowID string) []string {
	return []string{"workflow", "update-options", "--workflow-id", workflowID,
		"--versioning-override-behavior", "auto_upgrade"}
}

// waitsSince says since when an import waits for what its waiting_reason says, if that is known.
func (e *explanation) waitsSince() string {
	if len(e.runs) == 0 || e.runs[0].WaitsSince == nil {
		return ""
	}
	return ", seen for " + e.ago(*e.runs[0].WaitsSince)
}

func (e *explanation) pausedBy(p temporalclient.PendingActivity) string {
	what := "paused"
	if p.PausedBy != "" {
		what += " by " + printable(p.PausedBy)
	}
	if !p.PausedAt.IsZero() {
		what += " " + e.ago(p.PausedAt) + " ago"
	}
	return what
}

// notCompared says if the reconciler has not compared the import with its run for a while.
func (e *explanation) notCompared() string {
	if len(e.runs) == 0 || e.at.Sub(e.runs[0].SeenAt) <= reconcilerTime {
		return ""
	}
	return "The reconciler has not compared it with its run for a while, so its waiting_reason may be old: it " +
		"needs a running serve or worker that reaches Temporal."
}

// verdictOfPending is the verdict on an import whose activity is pending, or the zero value if that explains
// nothing.
func (e *explanation) verdictOfPending(p temporalclient.PendingActivity) verdict {
	waiting := ""
	if e.imports.WaitingReason != nil {
		waiting = *e.imports.WaitingReason
	}
	switch {
	case p.Running && e.at.Sub(p.Heartbeat) > repairTime && !p.Heartbeat.IsZero():
		return verdict{fmt.Sprintf("The worker %s has sent no heartbeat for %s. Temporal gives its work to "+
			"another one.", p.Worker, e.ago(p.Heartbeat)), "research doctor"}
	case p.Running && waiting == "turn":
		return verdict{fmt.Sprintf("It waits for its turn: %d imports were requested earlier.", e.imports.Ahead),
			"more workers, or a larger MODEL_CALLS_IN_FLIGHT, if that takes too long"}
	case p.Running:
		return verdict{"It is being read.", ""}
	case waiting == "model_unavailable" || waiting == "model_rate_limited":
		next := "the next attempt is due"
		if p.NextAttempt.After(e.at) {
			next = "it is tried again in " + p.NextAttempt.Sub(e.at).Round(time.Second).String()
		}
		return verdict{outcome.Code(waiting).Message() + " Meanwhile " + next + ", until PARSE_TIMEOUT.",
			"research doctor"}
	case waiting == "token_budget":
		return verdict{"The tokens of the day of its workspace, or of the account that created it, are " +
			"used up. It continues at 00:00 UTC.", "WORKSPACE_TOKENS_PER_DAY and ACCOUNT_TOKENS_PER_DAY"}
	case p.LastFailure != "":
		return verdict{fmt.Sprintf("%s failed %d times, at last by %s, and is tried again.",
			p.Name, p.Attempt-1, p.LastFailure), "the log of the worker, for the id of the import"}
	case !p.NextAttempt.After(e.at):
		return verdict{fmt.Sprintf("It waits for a worker: %d imports were requested earlier.", e.imports.Ahead),
			"more workers, or a larger MODEL_CALLS_IN_FLIGHT, if that takes too long"}
	}
	return verdict{}
}

// claimIsOld reports whether the latest request should have started a run by now.
func (e *explanation) claimIsOld() bool {
	return len(e.runs) > 0 && e.at.Sub(e.runs[0].QueuedAt) > repairTime
}
