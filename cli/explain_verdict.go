package cli

import (
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"research/outcome"
	"research/temporalclient"
	"research/workflows"
)

// A verdict explains the state of an import, and names the next command, if any.
type verdict struct{ sentence, next string }

// repairTime is how long an import may differ from its run before an operator should act: the reconciler
// compares them within seconds while workers run.
const repairTime = 2 * time.Minute

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
			"history_deleted, while a worker runs.", "research doctor"}
	case e.hasNoRun():
		return verdict{"It was requested a moment ago; its run begins.", ""}
	case e.temporalErr != nil:
		return verdict{"Temporal cannot be asked: " + e.temporalErr.Error() + ".", "research doctor"}
	case e.history.Status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING:
		return verdict{"Its run has ended without updating it. The reconciler corrects that within seconds while " +
			"a worker runs.", "research doctor"}
	}
	if !e.history.Untaken.IsZero() && e.at.Sub(e.history.Untaken) > pollTime {
		return verdict{"No worker has taken the next task of its run for " + e.ago(e.history.Untaken) + ".",
			"research worker, if none runs; more workers otherwise"}
	}
	for _, p := range e.history.Pending {
		if v := e.verdictOfPending(p); v.sentence != "" {
			return v
		}
	}
	return verdict{"Its run is open, and a worker is about to take its next task.", ""}
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
	case e.pollers != nil && e.pollers[workflows.QueueParse] == 0:
		return verdict{"No worker polls " + workflows.QueueParse + ".", "research worker"}
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
