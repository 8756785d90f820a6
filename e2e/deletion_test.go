package e2e

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"research/db/dbtest"
	"research/workflows"
)

// deleteWorkspace deletes the service's workspace through the data API.
func (s *service) deleteWorkspace(t *testing.T, token string) {
	t.Helper()
	path := "/rest/v1/workspaces?id=eq." + s.Workspace.String()
	status, answer := s.request(t, http.MethodDelete, path, token, "", nil)
	require.Equal(t, http.StatusNoContent, status, "%v", answer)
}

// waitUntilRemoved waits until nothing is marked deleted.
func (s *service) waitUntilRemoved(t *testing.T) {
	t.Helper()
	eventually(t, "what is marked deleted is removed", func() bool {
		return dbtest.Value[int](t, s.DB, "select count(*) from private.deletions") == 0
	})
}

// A workspace is gone at once for everybody, whether or not a worker runs, and a worker removes it.
func TestDeletionOfAWorkspace(t *testing.T) {
	t.Parallel()
	s := startAPI(t, "RECONCILE_INTERVAL=1s")
	owner, editor := s.signIn(t, s.Owner), s.signIn(t, s.Editor)
	hypothesis := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))

	s.deleteWorkspace(t, owner)
	for _, token := range []string{owner, editor} {
		status, answer := s.get(t, "/api/import/"+id, token)
		require.Equal(t, http.StatusNotFound, status, "%v", answer)
		require.Equal(t, "import_not_found", answer["error"])
		status, answer = s.requestParse(t, token, id, hypothesis)
		require.Equal(t, http.StatusUnprocessableEntity, status, "%v", answer)
		require.Equal(t, "import_not_found", answer["error"])
	}
	status, answer := s.upload(t, editor, "zoom.vtt", []byte(zoom))
	require.Equal(t, http.StatusForbidden, status, "as for a project that does not exist: %v", answer)
	require.Equal(t, 4, dbtest.Value[int](t, s.DB, "select count(*) from utterances"),
		"no worker has removed it")

	s.startWorker(t)
	s.waitUntilRemoved(t)
	for _, table := range []string{
		"utterances", "imports", "hypotheses", "projects", "workspaces", "activity_events",
	} {
		require.Zero(t, dbtest.Value[int](t, s.DB, "select count(*) from "+table), table)
	}
	eventually(t, "the run has ended", func() bool {
		run, err := s.temporal.DescribeWorkflowExecution(t.Context(), workflows.DeleteDataWorkflowID, "")
		return err == nil &&
			run.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
	run, err := s.temporal.DescribeWorkflowExecution(t.Context(), workflows.DeleteDataWorkflowID, "")
	require.NoError(t, err)
	runID := run.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	history := s.historyText(t, workflows.DeleteDataWorkflowID, runID)
	require.NotContains(t, history, "Workspace ")
	require.NotContains(t, history, "example.com")
}

// An import that is being parsed ends with its workspace, and its model is not asked again.
func TestDeletionOfAWorkspaceCancelsItsImports(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	s := startService(t, append(model.settings(), "RECONCILE_INTERVAL=1s")...)
	open := s.addHeld(t, model, s.signIn(t, s.Editor), "case-open")
	open.parseFirstChunk(t)
	s.deleteWorkspace(t, s.signIn(t, s.Owner))
	s.waitUntilRemoved(t)
	eventually(t, "its run has ended", func() bool {
		run, err := s.temporal.DescribeWorkflowExecution(t.Context(),
			workflows.ParseWorkflowID(uuid.MustParse(open.id)), "")
		return err == nil && run.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	})
}

// An account that an administrator deletes can do nothing any more at once.
func TestDeletionOfAnAccount(t *testing.T) {
	t.Parallel()
	s := startService(t, "RECONCILE_INTERVAL=1s")
	viewer, email := s.signIn(t, s.Viewer), s.email(t, s.Viewer)
	path := "/auth/v1/admin/users/" + s.Viewer.String()
	status, answer := s.request(t, http.MethodDelete, path, serviceKey, "", nil)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	status, answer = s.post(t, "/auth/v1/token?grant_type=password", "",
		map[string]string{"email": email, "password": "correct horse"})
	require.Equal(t, http.StatusBadRequest, status, "%v", answer)
	status, answer = s.get(t, "/auth/v1/user", viewer)
	require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, "%v", answer)
	s.waitUntilRemoved(t)
	require.Zero(t, dbtest.Value[int](t, s.DB, "select count(*) from auth.users where id = $1", s.Viewer))
}
