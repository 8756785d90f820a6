package e2e

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"research/db/dbtest"
)

func TestDeleteImport(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	s := startService(t, model.settings()...)
	held := s.addHeld(t, model, s.signIn(t, s.Editor), "case-deleted")
	remove := func(token, id string) (int, map[string]any) {
		return s.request(t, http.MethodDelete, "/api/import/"+id, token, "", nil)
	}

	for token, want := range map[string]int{
		"":                                      http.StatusUnauthorized,
		s.signIn(t, s.Viewer):                   http.StatusForbidden,
		s.signIn(t, s.User(t, "x@example.com")): http.StatusNotFound,
	} {
		status, answer := remove(token, held.id)
		require.Equal(t, want, status, "%v", answer)
	}
	status, answer := remove(held.token, "no-import")
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, "import_not_found", answer["error"])

	// The import is deleted while calls to the model are in progress.
	held.parseFirstChunk(t)
	turns := dbtest.Value[int](t, s.DB, `select count(*) from utterances where import_id = $1`, held.id)
	status, answer = remove(held.token, held.id)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	require.Equal(t, held.id, answer["importId"])
	require.EqualValues(t, turns, answer["deleted"].(map[string]any)["utterances"])
	status, _ = s.get(t, "/api/import/"+held.id, held.token)
	require.Equal(t, http.StatusNotFound, status)

	model.release(held.name)
	eventually(t, "the run has ended", func() bool {
		run, err := s.temporal.DescribeWorkflowExecution(t.Context(), held.workflowID, held.runID)
		return err == nil && run.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	})
	for _, table := range []string{
		"imports where id", "utterances where import_id", "evidence where import_id",
		"import_hypotheses where import_id",
		"import_speakers where import_id", "private.transcripts where import_id",
		"private.chunk_responses where import_id", "private.import_chunks where import_id",
		"private.import_runs where import_id",
	} {
		require.Zero(t, dbtest.Value[int](t, s.DB, "select count(*) from "+table+" = $1", held.id), table)
	}
	status, _ = remove(held.token, held.id)
	require.Equal(t, http.StatusNotFound, status, "it is deleted once")
}

func TestEditorsRenameImports(t *testing.T) {
	t.Parallel()
	s := startService(t)
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	change := func(token, body string) int {
		path := "/rest/v1/imports?id=eq." + id
		status, _ := s.request(t, http.MethodPatch, path, token, "application/json", []byte(body))
		return status
	}
	require.Equal(t, http.StatusNoContent, change(editor, `{"title": "Omar", "interviewed_on": "2026-11-20"}`))
	require.Equal(t, "Omar 2026-11-20", dbtest.Value[string](t, s.DB,
		`select concat_ws(' ', title, interviewed_on) from imports where id = $1`, id))
	require.Equal(t, http.StatusForbidden, change(editor, `{"status": "parsed"}`))
	change(s.signIn(t, s.Viewer), `{"title": "A viewer"}`)
	require.Equal(t, "Omar", dbtest.Value[string](t, s.DB, `select title from imports where id = $1`, id))
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(zoom))),
		dbtest.Value[string](t, s.DB, `select sha256 from imports where id = $1`, id), "of the uploaded bytes")
}
