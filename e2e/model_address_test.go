package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
)

// A page in the place of a model is no outage: it is told after a few calls, and not after PARSE_TIMEOUT.
func TestAPageInsteadOfAModelEndsTheImport(t *testing.T) {
	t.Parallel()
	model := modeltest.New(t).Always(modeltest.Status(200, `<html>Welcome</html>`, "Content-Type", "text/html"))
	s := startService(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test-model", "PARSE_CONCURRENCY=4")
	editor := s.signIn(t, s.Editor)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	for _, interview := range [][]byte{[]byte(zoom), longInterview("page")} { // the first is one chunk
		before := model.Count()
		id := s.add(t, editor, "talk.vtt", interview)
		s.startParse(t, editor, id, h)
		var imported map[string]any
		require.Eventually(t, func() bool {
			_, imported = s.get(t, "/api/import/"+id, editor)
			return imported["finishedAt"] != nil
		}, timeout, 100*time.Millisecond)
		require.Equal(t, "failed", imported["status"])
		require.Equal(t, "model_wrong_server", imported["errorCode"])
		require.LessOrEqual(t, model.Count()-before, 5)
	}
}
