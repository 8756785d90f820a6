package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
)

// Programs that are pointed at another namespace by mistake start and end nothing there, and say so.
func TestAnotherNamespace(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	s := startService(t, append(model.settings(), "RECONCILE_INTERVAL=1s")...)
	editor := s.signIn(t, s.Editor)
	open := s.addHeld(t, model, editor, "case-open")
	open.parseFirstChunk(t)
	neverStarted := s.addHeld(t, model, editor, "case-never-started")
	s.stopWorker()
	neverStarted.claim(t)
	neverStarted.makeClaimOverdue(t)

	address := unusedAddress(t)
	wrong := s.with(
		"TEMPORAL_NAMESPACE="+newNamespace(t), "METRICS_ADDR="+address, "HTTP_ADDR="+unusedAddress(t))
	stopWrongWorker := wrong.startWorker(t)
	eventually(t, "its worker answers", func() bool {
		return getStatus(t, "http://"+address+"/metrics") == http.StatusOK
	})
	eventually(t, "its worker has looked several times, and reports it", func() bool {
		metrics, _ := scrape(t, "http://"+address+"/metrics")
		return metrics["research_reconciler_polls_total"] > 3 && metrics["research_temporal_wrong_namespace"] == 1
	})
	require.True(t, s.logs.has(t, map[string]string{"msg": "imports are neither started nor reconciled"}))
	require.Equal(t, "parsing", open.status(t))
	require.Equal(t, "queued", neverStarted.status(t))
	wrong.waitForFinding(t, finding{Check: "namespace", State: "FAIL", Found: "does not belong to the database"})

	wrong.settings["METRICS_ADDR"] = ""
	wrong.start(t, "serve")
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	eventually(t, "its API answers", func() bool {
		status, _ := wrong.get(t, "/healthz", "")
		return status == http.StatusOK
	})
	wrongEditor := wrong.signIn(t, s.Editor)
	status, answer := wrong.requestParse(t, wrongEditor, id, open.hypothesis)
	require.Equal(t, http.StatusServiceUnavailable, status, "%v", answer)
	_, imported := s.get(t, "/api/import/"+id, editor)
	require.Equal(t, "uploaded", imported["status"])
	stopWrongWorker()

	s.startWorker(t)
	open.release(t)
	neverStarted.release(t)

	t.Run("is adopted on purpose", func(t *testing.T) {
		require.Contains(t, wrong.mustCommand(t, "temporal", "adopt"), "run research restore-fence")
		findings, _ := wrong.doctor(t)
		require.Contains(t, findings, finding{Check: "namespace", State: "ok", Found: "belongs to the database"})
		s.waitForFinding(t, finding{Check: "namespace", State: "FAIL", Found: "does not belong to the database"})
	})
}

// An installation in which nothing is to be done costs Temporal two runs an hour.
func TestAnIdleServiceStartsNoWorkflows(t *testing.T) {
	t.Parallel()
	address := unusedAddress(t)
	s := startAPI(t, "RECONCILE_INTERVAL=1s")
	s.startWorker(t, "METRICS_ADDR="+address)
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	s.startParse(t, editor, id, s.Hypothesis(t, s.Tenant, "Closing the books takes days"))
	s.waitForStatus(t, editor, id, "parsed")
	eventually(t, "the worker has looked for a while", func() bool {
		metrics, _ := scrape(t, "http://"+address+"/metrics")
		return metrics["research_reconciler_polls_total"] > 5
	})
	found, err := s.temporal.ListWorkflow(t.Context(),
		&workflowservice.ListWorkflowExecutionsRequest{Namespace: s.namespace})
	require.NoError(t, err)
	for _, run := range found.GetExecutions() {
		// An hour or a day may begin during the test: then digests are planned, and old rows deleted.
		require.Contains(t, []string{"ParseTranscript", "PlanDigests", "EnforceRetention"}, run.GetType().GetName())
	}
}
