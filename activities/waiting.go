package activities

import (
	enumspb "go.temporal.io/api/enums/v1"

	"research/db"
)

// What an open import waits for, as the database has it. A failure of the model that may pass is named by its
// code.
const (
	WaitsForWorker   = "worker"
	WaitsForTurn     = "turn"
	WaitsForBudget   = "token_budget"
	WaitsForOperator = "paused"                // an operator paused its run or its activities
	WaitsForVersion  = "no_worker_of_version"  // its run is pinned to a worker version without workers
	WaitsForDeploy   = "workflow_task_failing" // the workers cannot execute its workflow
)

// RunningVersions are the numbers of worker processes by their version.
type RunningVersions map[string]int

// VersionsOf returns the versions of the workers that run.
func VersionsOf(workers []db.ListWorkersRow) RunningVersions {
	versions := RunningVersions{}
	for _, row := range workers {
		versions[row.Version] = int(row.Processes)
	}
	return versions
}

// maxTaskAttempts is how often a workflow task may fail before the workers are said to be unable to execute
// it. A worker that is killed costs one.
const maxTaskAttempts = 3

// WaitsFor returns what an open run waits for. It is empty if the run is read, or if the reason that its last
// attempt recorded still holds.
func (run ParseRun) WaitsFor(workers RunningVersions) string {
	switch {
	case len(workers) == 0:
		return WaitsForWorker
	case run.Version != "" && workers[run.Version] == 0:
		return WaitsForVersion
	case run.TaskAttempts > maxTaskAttempts:
		return WaitsForDeploy
	case run.Running > 0 || run.BackingOff > 0:
		return ""
	case run.Paused > 0:
		return WaitsForOperator
	case run.Waiting > 0:
		return WaitsForTurn
	case run.TaskAttempts > 0:
		return WaitsForWorker
	}
	return ""
}

// IsOpen reports whether the run may still end its import. An unknown status, of a newer Temporal, is open.
func (run ParseRun) IsOpen() bool {
	switch run.Status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED,
		enumspb.WORKFLOW_EXECUTION_STATUS_FAILED,
		enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED,
		enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED,
		enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return false
	}
	return true
}
