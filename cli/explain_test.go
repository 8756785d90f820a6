package cli

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"research/activities"
	"research/config"
	"research/db"
	"research/outcome"
	"research/temporalclient"
)

func TestVerdictOfAnOpenImport(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	requested := func(ago time.Duration) []db.ExplainRunsRow {
		return []db.ExplainRunsRow{{QueuedAt: at.Add(-ago)}}
	}
	running := func(p temporalclient.PendingActivity) temporalclient.ParseHistory {
		p.Name = "ReadChunk"
		return temporalclient.ParseHistory{
			ParseRun: activities.ParseRun{
				Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, WorkflowID: "import-1", BackingOff: 1,
			},
			Pending: []temporalclient.PendingActivity{p},
		}
	}
	stuck := func(run activities.ParseRun) temporalclient.ParseHistory {
		run.Status, run.WorkflowID = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, "import-1"
		return temporalclient.ParseHistory{ParseRun: run}
	}
	for name, c := range map[string]struct {
		explanation
		waiting, sentence, next string
	}{
		"the wrong namespace": {
			explanation{temporalErr: temporalclient.ErrWrongNamespace}, "",
			"The namespace of TEMPORAL_ADDRESS does not belong to the database", "research doctor",
		},
		"Temporal is away": {
			explanation{temporalErr: errors.New("temporal unavailable")}, "",
			"Temporal cannot be asked: temporal unavailable.", "research doctor",
		},
		"a new request": {
			explanation{temporalErr: activities.ErrNoRun, runs: requested(time.Second)}, "",
			"It was requested a moment ago", "",
		},
		"a request that started no run": {
			explanation{temporalErr: activities.ErrNoRun, runs: requested(time.Hour)}, "",
			"Temporal has no run of it", "research doctor",
		},
		"a run that ended": {
			explanation{history: temporalclient.ParseHistory{
				ParseRun: activities.ParseRun{Status: enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED},
			}}, "",
			"Its run has ended without updating it.", "research doctor",
		},
		"a worker that is gone": {
			explanation{history: running(temporalclient.PendingActivity{
				Running: true, Worker: "7@host", Heartbeat: at.Add(-5 * time.Minute),
			})}, "",
			"The worker 7@host has sent no heartbeat for 5m0s.", "research doctor",
		},
		"other imports are read first": {
			explanation{
				imports: db.ExplainImportRow{Ahead: 12},
				history: running(temporalclient.PendingActivity{Running: true, Heartbeat: at}),
			}, "turn",
			"It waits for its turn: 12 imports were requested earlier.",
			"more workers, or a larger MODEL_CALLS_IN_FLIGHT, if that takes too long",
		},
		"a model that is away": {
			explanation{history: running(temporalclient.PendingActivity{
				Attempt: 3, NextAttempt: at.Add(40 * time.Second), LastFailure: "model_unavailable",
			})}, "model_unavailable",
			"Meanwhile it is tried again in 40s, until PARSE_TIMEOUT.", "research doctor",
		},
		"tokens of the day that are used up": {
			explanation{history: running(temporalclient.PendingActivity{Attempt: 3, LastFailure: "token_budget"})},
			"token_budget",
			"It continues at 00:00 UTC.", "WORKSPACE_TOKENS_PER_DAY and ACCOUNT_TOKENS_PER_DAY",
		},
		"no worker": {
			explanation{
				workers: activities.RunningVersions{}, history: stuck(activities.ParseRun{Running: 1}),
			}, "worker",
			"No worker runs.", "research worker",
		},
		"an activity that is paused": {
			explanation{history: temporalclient.ParseHistory{
				ParseRun: stuck(activities.ParseRun{Paused: 1}).ParseRun,
				Pending: []temporalclient.PendingActivity{{
					Name: "ReadChunk", ID: "11", Paused: true, PausedBy: "ada", PausedAt: at.Add(-time.Minute),
				}},
			}}, "paused",
			"Attempts of ReadChunk are stopped: it is paused by ada 1m0s ago.",
			"temporal activity unpause --workflow-id import-1 --activity-id 11 --address host:7233 " +
				"--namespace default",
		},
		"a version without workers": {
			explanation{history: stuck(activities.ParseRun{Version: "research:v1", Running: 1})}, "",
			"Its run is pinned to the worker version research:v1, of which no worker runs.",
			"start `research worker` of that version, or move the run to the current one: temporal workflow " +
				"update-options --workflow-id import-1 --versioning-override-behavior auto_upgrade --address host:7233 " +
				"--namespace default",
		},
		"a bad deploy": {
			explanation{history: stuck(activities.ParseRun{TaskAttempts: 9})}, "workflow_task_failing",
			"The workers cannot execute its workflow: its task has failed 8 times.",
			"roll back the workers' deploy, or deploy a correction: the run then continues by itself",
		},
		"a cancellation": {
			explanation{history: stuck(activities.ParseRun{CancelRequested: true, TaskAttempts: 9})}, "",
			"Its cancellation is requested.", "",
		},
		"a reconciler that is stuck": {
			explanation{
				runs:    []db.ExplainRunsRow{{QueuedAt: at.Add(-time.Hour), SeenAt: time.Unix(0, 0)}},
				history: running(temporalclient.PendingActivity{Running: true, Heartbeat: at}),
			}, "",
			"The reconciler has not compared it with its run for a while", "research doctor",
		},
		"a database that is away": {
			explanation{
				history: running(temporalclient.PendingActivity{Attempt: 4, LastFailure: "db_unavailable"}),
			}, "",
			"ReadChunk failed 3 times, at last by db_unavailable, and is tried again.",
			"the log of the worker, for the id of the import",
		},
		"busy workers": {
			explanation{
				imports: db.ExplainImportRow{Ahead: 3},
				history: running(temporalclient.PendingActivity{Attempt: 1}),
			}, "worker",
			"It waits for a worker: 3 imports were requested earlier.",
			"more workers, or a larger MODEL_CALLS_IN_FLIGHT, if that takes too long",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := c.explanation
			e.at, e.imports.Status = at, outcome.StatusParsing
			e.temporal = config.Temporal{Address: "host:7233", Namespace: "default"}
			if e.workers == nil {
				e.workers = activities.RunningVersions{"": 1}
			}
			require.NoError(t, e.print(io.Discard))
			if c.waiting != "" {
				e.imports.WaitingReason = &c.waiting
			}
			got := e.verdict()
			require.Contains(t, got.sentence, c.sentence)
			require.Equal(t, c.next, got.next)
		})
	}
}

func TestEveryCodeHasAVerdict(t *testing.T) {
	t.Parallel()
	for _, code := range outcome.Codes {
		text := string(code)
		got := verdictOfEnded(&text, "research import parse ID")
		require.Equal(t, code.Message(), got.sentence)
		require.NotEmpty(t, got.next)
	}
}
