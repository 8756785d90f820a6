package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"research/activities"
	"research/db/dbtest"
	"research/workflows"
)

// However a run ends, the import reports it, and can be parsed again.
func TestHoweverARunEnds(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	// The calls of a run that Temporal ends go on until their timeout.
	s := startService(t, append(model.settings(), "RECONCILE_INTERVAL=1s", "OPENAI_TIMEOUT=40s")...)
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	stranger := s.signIn(t, s.DB.Tenant(t).Owner)
	startWorkflow := func(t *testing.T, i *heldImport, workflow, input any) client.WorkflowRun {
		t.Helper()
		options := client.StartWorkflowOptions{ID: i.workflowID, TaskQueue: workflows.QueueControl}
		run, err := s.temporal.ExecuteWorkflow(t.Context(), options, workflow, input)
		require.NoError(t, err)
		return run
	}

	for name, test := range map[string]func(t *testing.T, i *heldImport){
		"case-parsed": func(t *testing.T, i *heldImport) {
			i.parseFirstChunk(t)
			i.release(t)
			require.Equal(t, 3, model.calls(i.name))
			status, answer := i.cancel(t, editor)
			require.Equal(t, http.StatusUnprocessableEntity, status)
			require.Equal(t, "import_not_parsing", answer["error"])
		},
		"case-bad-key": func(t *testing.T, i *heldImport) {
			i.parseFirstChunk(t)
			model.rejectKey(i.name, true)
			i.release(t) // the calls that are held were made with the good key

			other := s.addHeld(t, model, editor, "case-bad-key-from-the-start")
			model.rejectKey(other.name, true)
			other.startParse(t)
			other.waitForEnd(t, "failed", "model_key_rejected")
			model.rejectKey(other.name, false)
			model.release(other.name)
			other.startParse(t)
			other.waitUntilParsed(t)
		},
		"case-cancelled-by-api": func(t *testing.T, i *heldImport) {
			i.parseFirstChunk(t)
			status, _ := i.cancel(t, viewer)
			require.Equal(t, http.StatusForbidden, status)
			status, answer := i.cancel(t, stranger)
			require.Equal(t, http.StatusUnprocessableEntity, status)
			require.Equal(t, "import_not_found", answer["error"])
			for range 3 { // cancelling is idempotent
				status, answer = i.cancel(t, editor)
				require.Equal(t, http.StatusOK, status, "%v", answer)
				require.Equal(t, map[string]any{"importId": i.id, "status": "canceling"}, answer)
			}
			began := time.Now()
			i.waitForNoCalls(t)
			t.Logf("the model calls ended after %s, the import %s later",
				time.Since(began), i.waitForEnd(t, "canceled", "canceled"))
			i.requireFirstChunkKept(t)
			status, _ = i.cancel(t, editor)
			require.Equal(t, http.StatusUnprocessableEntity, status)
			i.parseAgain(t)
		},
		"case-cancelled-by-operator": func(t *testing.T, i *heldImport) {
			i.parseFirstChunk(t)
			require.NoError(t, s.temporal.CancelWorkflow(t.Context(), i.workflowID, ""))
			i.waitForEnd(t, "canceled", "canceled")
			i.requireFirstChunkKept(t)
			i.parseAgain(t)
		},
		"case-terminated": func(t *testing.T, i *heldImport) {
			i.parseFirstChunk(t)
			require.NoError(t, s.temporal.TerminateWorkflow(t.Context(), i.workflowID, "", "a test"))
			t.Logf("the import reported it after %s", i.waitForEnd(t, "terminated", "terminated"))
			i.requireFirstChunkKept(t)
			i.waitForNoCalls(t)
			i.parseAgain(t)
		},
		"case-history-deleted": func(t *testing.T, i *heldImport) {
			i.parseFirstChunk(t)
			_, err := s.temporal.WorkflowService().DeleteWorkflowExecution(t.Context(),
				&workflowservice.DeleteWorkflowExecutionRequest{
					Namespace:         s.namespace,
					WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: i.workflowID},
				})
			require.NoError(t, err)
			eventually(t, "the import reports it", func() bool { return i.status(t) != "parsing" })
			require.Equal(t, "terminated", i.status(t))
			// Temporal terminates a run before it deletes its history.
			require.Contains(t, []string{"terminated", "history_deleted"}, i.column(t, "error_code"))
			i.requireFirstChunkKept(t)
			i.waitForNoCalls(t)
			i.parseAgain(t)
		},
		"case-run-timed-out": func(t *testing.T, i *heldImport) {
			ref := i.claim(t)
			_, err := s.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
				ID: i.workflowID, TaskQueue: workflows.QueueControl, WorkflowExecutionTimeout: 10 * time.Second,
			}, workflows.ParseTranscript, workflows.ParseTranscriptInput{ParseRef: ref})
			require.NoError(t, err)
			i.waitForEnd(t, "timed_out", "timed_out")
			i.waitForNoCalls(t)
			// On a busy machine, the run may have ended before the first chunk was read.
			read := dbtest.Value[int](t, s.DB, `select count(*) from evidence where import_id = $1`, i.id)
			model.release(i.name)
			i.startParse(t)
			i.waitUntilRead(t, 3-read)
		},
		"case-failed-outside-our-code": func(t *testing.T, i *heldImport) {
			i.claim(t)
			startWorkflow(t, i, "ParseTranscript", "not its input")
			i.makeClaimOverdue(t)
			i.waitForEnd(t, "failed", "internal")
			model.release(i.name)
			i.startParse(t)
			i.waitUntilParsed(t)
		},
		"case-completed-and-reported-nothing": func(t *testing.T, i *heldImport) {
			ref := i.claim(t)
			otherClaim := activities.ParseRef{ImportID: ref.ImportID, ClaimID: uuid.New()}
			run := startWorkflow(t, i, workflows.ParseTranscript, workflows.ParseTranscriptInput{ParseRef: otherClaim})
			require.NoError(t, run.Get(t.Context(), nil))
			i.makeClaimOverdue(t)
			i.waitForEnd(t, "failed", "internal")
			model.release(i.name)
			i.startParse(t)
			i.waitUntilParsed(t)
		},
		"case-never-started": func(t *testing.T, i *heldImport) {
			i.claim(t)
			i.makeClaimOverdue(t)
			i.release(t)
			require.NotEmpty(t, i.column(t, "run_id"))
		},
		"case-cancelled-before-it-was-started": func(t *testing.T, i *heldImport) {
			ref := i.claim(t)
			status, answer := i.cancel(t, editor)
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, "canceled", answer["status"])
			require.Equal(t, "canceled", i.status(t))
			// The request that claimed the import starts its run too late: the run changes nothing.
			run := startWorkflow(t, i, workflows.ParseTranscript, workflows.ParseTranscriptInput{ParseRef: ref})
			var result workflows.ParseTranscriptResult
			require.NoError(t, run.Get(t.Context(), &result))
			require.EqualValues(t, activities.TypeSuperseded, result.Status)
			require.Equal(t, "canceled", i.status(t))
			model.release(i.name)
			i.startParse(t)
			i.waitUntilParsed(t)
		},
		"case-reset": func(t *testing.T, i *heldImport) {
			i.parseFirstChunk(t)
			newRunID := i.reset(t, 0)
			eventually(t, "the import follows the new run", func() bool { return i.column(t, "run_id") == newRunID })
			require.Equal(t, "parsing", i.status(t))
			i.release(t)
		},
		"case-reset-after-its-end": func(t *testing.T, i *heldImport) {
			i.parseFirstChunk(t)
			require.NoError(t, s.temporal.CancelWorkflow(t.Context(), i.workflowID, ""))
			i.waitForEnd(t, "canceled", "canceled")
			require.Error(t, s.temporal.GetWorkflow(t.Context(), i.workflowID, i.runID).Get(t.Context(), nil))
			newRunID := i.reset(t, 0)
			eventually(t, "the import is parsing again", func() bool { return i.status(t) == "parsing" })
			require.Equal(t, newRunID, i.column(t, "run_id"))
			i.release(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s.addHeld(t, model, editor, name))
		})
	}
}

// A run that is reset to the middle reads on from the chunks that are read.
func TestARunIsResetToTheMiddle(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	s := startService(t, append(model.settings(), "PARSE_CONCURRENCY=1")...)
	i := s.addHeld(t, model, s.signIn(t, s.Editor), "case-reset-to-the-middle")
	i.startParse(t)
	eventually(t, "the first chunk is read", func() bool {
		return model.held(i.name) == 1 && i.column(t, "progress_done::text") == "1"
	})
	newRunID := i.reset(t, 1)
	eventually(t, "the import follows the new run", func() bool { return i.column(t, "run_id") == newRunID })
	require.Equal(t, "parsing", i.status(t))
	i.release(t)
	require.Equal(t, 3, model.calls(i.name), "the call that was under way is not made again")
}

func TestAnImportIsCancelledWithoutAWorker(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	s := startAPI(t, model.settings()...)
	i := s.addHeld(t, model, s.signIn(t, s.Editor), "case-no-worker")
	i.startParse(t)
	status, answer := i.cancel(t, i.token)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "canceling", answer["status"])
	require.Equal(t, "queued", i.status(t))
	s.startWorker(t)
	i.waitForEnd(t, "canceled", "canceled")
	require.Zero(t, model.calls(i.name), "no call was made")
	model.release(i.name)
	i.startParse(t)
	i.waitUntilParsed(t)
}

// PARSE_TIMEOUT ends a parse before the server's own timeout does.
func TestParseTimeout(t *testing.T) {
	t.Parallel()
	const parseTimeout = time.Hour
	model := newHeldModel(t)
	s := startAPI(t, append(model.settings(), "PARSE_TIMEOUT="+parseTimeout.String())...)
	i := s.addHeld(t, model, s.signIn(t, s.Editor), "case-slow")
	stop := s.startWorker(t, "PARSE_TIMEOUT=20s") // enough to read the first chunk on a busy machine
	i.parseFirstChunk(t)
	i.waitForEnd(t, "timed_out", "timed_out")
	i.requireFirstChunkKept(t)
	i.waitForNoCalls(t)
	require.Error(t, s.temporal.GetWorkflow(t.Context(), i.workflowID, i.runID).Get(t.Context(), nil))
	run, err := s.temporal.DescribeWorkflowExecution(t.Context(), i.workflowID, i.runID)
	require.NoError(t, err)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, run.GetWorkflowExecutionInfo().GetStatus(),
		"it ended by itself")
	serverTimeout := run.GetExecutionConfig().GetWorkflowExecutionTimeout().AsDuration()
	require.Greater(t, serverTimeout, parseTimeout)

	stop()
	calls := model.calls(i.name)
	model.release(i.name)
	i.startParse(t)
	s.startWorker(t)
	i.waitUntilRead(t, 2)
	require.Equal(t, calls+2, model.calls(i.name), "the first chunk was answered in the first run")
}
