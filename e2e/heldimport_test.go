package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"research/activities"
	"research/db"
	"research/db/dbtest"
)

// A heldImport is an import of three chunks that a heldModel reads: the test decides when its parse goes on.
type heldImport struct {
	service    *service
	model      *heldModel
	token      string // an editor's
	name       string // of the interview
	id         string
	hypothesis uuid.UUID
	workflowID string
	runID      string // of the last run that was started
}

// addHeld uploads the interview of this name.
func (s *service) addHeld(t *testing.T, model *heldModel, token, name string) *heldImport {
	t.Helper()
	id := s.add(t, token, name+".txt", longInterview(name))
	return &heldImport{
		service:    s,
		model:      model,
		token:      token,
		name:       name,
		id:         id,
		hypothesis: s.Hypothesis(t, s.Tenant, "Closing the books takes days because receipts are missing: "+name),
		workflowID: "import-" + id,
	}
}

// startParse starts a parse. Its calls are held after the first one.
func (i *heldImport) startParse(t *testing.T) {
	t.Helper()
	started := i.service.startParse(t, i.token, i.id, i.hypothesis)
	i.runID = started["runId"].(string)
}

// waitForFirstChunk waits until the first chunk is read and the calls about the others are held.
func (i *heldImport) waitForFirstChunk(t *testing.T) {
	t.Helper()
	eventually(t, "the first chunk is read", func() bool {
		return i.model.held(i.name) == 2 && i.column(t, "progress_done::text") == "1"
	})
}

// parseFirstChunk starts a parse, and waits until the first chunk is read.
func (i *heldImport) parseFirstChunk(t *testing.T) {
	t.Helper()
	i.startParse(t)
	i.waitForFirstChunk(t)
}

// cancel cancels the parse with this token.
func (i *heldImport) cancel(t *testing.T, token string) (status int, answer map[string]any) {
	t.Helper()
	return i.service.post(t, "/api/import/"+i.id+"/cancel", token, nil)
}

// column is an expression over the import's row; "" for null.
func (i *heldImport) column(t *testing.T, expression string) string {
	t.Helper()
	query := `select coalesce(` + expression + `, '') from imports where id = $1`
	return dbtest.Value[string](t, i.service.DB, query, i.id)
}

// status is the import's.
func (i *heldImport) status(t *testing.T) string {
	t.Helper()
	return i.column(t, "status::text")
}

// waitForEnd waits until the import has this status, requires this error code, and returns how long it took.
func (i *heldImport) waitForEnd(t *testing.T, status, code string) time.Duration {
	t.Helper()
	began := time.Now()
	require.Eventually(t, func() bool { return i.status(t) == status }, 2*timeout, 20*time.Millisecond,
		"%s is %s", i.name, i.status(t))
	require.Equal(t, code, i.column(t, "error_code"))
	if status != "parsed" {
		require.NotEmpty(t, i.column(t, "error_message"))
		require.NotEmpty(t, i.column(t, "finished_at::text"))
	}
	return time.Since(began)
}

// waitUntilParsed waits until the import is parsed, with the evidence of all chunks.
func (i *heldImport) waitUntilParsed(t *testing.T) {
	t.Helper()
	i.waitUntilRead(t, 3)
}

// waitUntilRead waits until the import is parsed by a run that read this number of chunks, with their
// evidence.
func (i *heldImport) waitUntilRead(t *testing.T, chunks int) {
	t.Helper()
	i.waitForEnd(t, "parsed", "")
	require.Equal(t, fmt.Sprintf("%d of %d", chunks, chunks),
		i.column(t, "progress_done || ' of ' || progress_total"))
	require.Equal(t, "3", i.column(t, `(select count(*) from evidence where import_id = imports.id)::text`))
	require.Equal(t, "1", i.column(t, "coverage::text"))
}

// release lets the calls pass, and waits until the import is parsed.
func (i *heldImport) release(t *testing.T) {
	t.Helper()
	i.model.release(i.name)
	i.waitUntilParsed(t)
}

// parseAgain parses an import whose first run ended after the first chunk. Only the other chunks are read.
func (i *heldImport) parseAgain(t *testing.T) {
	t.Helper()
	i.model.release(i.name)
	i.startParse(t)
	i.waitUntilRead(t, 2)
	require.Equal(t, 1+2+2, i.model.calls(i.name), "the first chunk was answered in the first run")
}

// requireFirstChunkKept requires the evidence of the first chunk, as a suggestion.
func (i *heldImport) requireFirstChunkKept(t *testing.T) {
	t.Helper()
	require.Equal(t, "1 suggested", i.column(t,
		`(select count(*) || ' ' || min(review::text) from evidence where import_id = imports.id)`))
}

// waitForNoCalls waits until no call about the import is in progress.
func (i *heldImport) waitForNoCalls(t *testing.T) {
	t.Helper()
	eventually(t, "the calls end", func() bool { return i.model.held(i.name) == 0 })
}

// claim claims the import as a request to parse does, and starts no run.
func (i *heldImport) claim(t *testing.T) activities.ParseRef {
	t.Helper()
	ref := activities.ParseRef{ImportID: uuid.MustParse(i.id), ClaimID: uuid.New()}
	claim := db.ClaimImportParams{
		ImportID: ref.ImportID, ClaimID: ref.ClaimID, HypothesisIds: []uuid.UUID{i.hypothesis},
	}
	claimed, err := db.AsUser(t.Context(), i.service.Store, db.User(i.service.Editor),
		func(q *db.Queries) (db.ClaimImportRow, error) { return q.ClaimImport(t.Context(), claim) })
	require.NoError(t, err)
	require.Equal(t, db.PrivateClaimResultClaimed, claimed.Result)
	return ref
}

// makeClaimOverdue moves the claim back in time, so that the reconciler does not wait for the request that
// made it.
func (i *heldImport) makeClaimOverdue(t *testing.T) {
	t.Helper()
	i.service.makeClaimOverdue(t, i.id)
}

// makeClaimOverdue makes the claim of any import overdue.
func (s *service) makeClaimOverdue(t *testing.T, importID string) {
	t.Helper()
	s.Exec(t, `update private.import_runs set queued_at = now() - interval '1 minute' where import_id = $1`,
		importID)
}

// reset resets the run to the workflow task after a number of completed activities, and returns the id of the
// new run.
func (i *heldImport) reset(t *testing.T, completedActivities int) (newRunID string) {
	t.Helper()
	completed, task := 0, int64(0)
	for _, event := range i.service.events(t, i.workflowID, i.runID) {
		switch event.GetEventType() {
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
			completed++
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
			if completed == completedActivities && task == 0 {
				task = event.GetEventId()
			}
		}
	}
	require.NotZero(t, task)
	request := &workflowservice.ResetWorkflowExecutionRequest{
		Namespace:                 i.service.namespace,
		WorkflowExecution:         &commonpb.WorkflowExecution{WorkflowId: i.workflowID, RunId: i.runID},
		Reason:                    "a test",
		WorkflowTaskFinishEventId: task,
		RequestId:                 uuid.NewString(),
	}
	answer, err := i.service.temporal.ResetWorkflowExecution(t.Context(), request)
	require.NoError(t, err)
	return answer.GetRunId()
}
