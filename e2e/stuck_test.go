package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/workflows"
)

// requireStuck requires that the import says within a while what it waits for, that explain and doctor name
// it with a command that helps, and that it can be cancelled all the same.
func (i *heldImport) requireStuck(t *testing.T, reason, explained string, found finding) {
	t.Helper()
	began := time.Now()
	eventually(t, "the import waits: "+reason, func() bool { return i.column(t, "waiting_reason") == reason })
	t.Logf("%s was noticed after %s", reason, time.Since(began).Round(time.Millisecond))
	eventually(t, "explain says: "+explained, func() bool {
		return strings.Contains(i.service.mustCommand(t, "explain", "import", i.id), explained)
	})
	i.service.waitForFinding(t, found)
	status, answer := i.cancel(t, i.token)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	t.Logf("it was cancelled after %s", i.waitForEnd(t, "canceled", "canceled").Round(time.Millisecond))
}

func TestImportsThatCannotMove(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (*service, *heldImport) {
		t.Helper()
		model := newHeldModel(t)
		s := startAPI(t, append(model.settings(), "RECONCILE_INTERVAL=1s", "WORKER_STOP_TIMEOUT=1s")...)
		return s, s.addHeld(t, model, s.signIn(t, s.Editor), "case-stuck")
	}

	t.Run("an operator paused its activities", func(t *testing.T) {
		t.Parallel()
		s, i := start(t)
		s.startWorker(t)
		i.parseFirstChunk(t)
		_, err := s.temporal.WorkflowService().PauseActivity(t.Context(), &workflowservice.PauseActivityRequest{
			Namespace: s.namespace,
			Execution: &commonpb.WorkflowExecution{WorkflowId: i.workflowID},
			Activity:  &workflowservice.PauseActivityRequest_Type{Type: "ReadChunk"},
			Identity:  "an operator",
		})
		require.NoError(t, err)
		i.requireStuck(t, activities.WaitsForOperator, "paused by an operator",
			finding{Check: "imports", State: "FAIL", Found: "paused by an operator, the first is " + i.id})
	})

	t.Run("its version has no worker", func(t *testing.T) {
		t.Parallel()
		s, i := start(t)
		stop := s.startWorker(t, "WORKER_BUILD_ID=v1")
		s.setCurrentVersion(t, "v1")
		i.parseFirstChunk(t)
		s.startWorker(t, "WORKER_BUILD_ID=v2")
		s.setCurrentVersion(t, "v2")
		stop()
		i.requireStuck(t, activities.WaitsForVersion, "pinned to the worker version research:v1",
			finding{Check: "imports", State: "FAIL", Found: "on a worker version without workers"})
	})

	t.Run("no worker runs", func(t *testing.T) {
		t.Parallel()
		s, i := start(t)
		stop := s.startWorker(t)
		i.parseFirstChunk(t)
		stop()
		i.requireStuck(t, activities.WaitsForWorker, "No worker runs",
			finding{Check: "workers", State: "FAIL", Found: "none runs"})
	})

	t.Run("the workers cannot execute its workflow", func(t *testing.T) {
		t.Parallel()
		s, i := start(t)
		stop := s.startWorker(t)
		i.parseFirstChunk(t)
		stop()
		s.startBadDeploy(t)
		// The stopped worker has handed its chunks over, and nothing else wakes the workflow.
		require.NoError(t, s.temporal.SignalWorkflow(t.Context(), i.workflowID, "", "wake-up", nil))
		i.requireStuck(t, activities.WaitsForDeploy, "The workers cannot execute its workflow",
			finding{Check: "imports", State: "FAIL", Found: "with a workflow that the workers cannot execute"})
	})
}

// startBadDeploy runs a worker until the test ends whose ParseTranscript does not fit the runs that are open.
func (s *service) startBadDeploy(t *testing.T) {
	t.Helper()
	bad := worker.New(s.temporal, workflows.QueueControl, worker.Options{})
	bad.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.ParseTranscriptInput) error {
		return workflow.Sleep(ctx, time.Hour)
	}, workflow.RegisterOptions{Name: "ParseTranscript"})
	require.NoError(t, bad.Start())
	t.Cleanup(bad.Stop)
	// It says that it runs, as a worker does.
	s.Exec(t, `insert into private.workers (id, version, seen_at) values ($1, '', now() + interval '1 day')`,
		uuid.New())
}
