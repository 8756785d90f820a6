package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"research/db/dbtest"
)

func TestFromUploadToEvidence(t *testing.T) {
	t.Parallel()
	s := startService(t)
	h1 := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	h2 := s.Hypothesis(t, s.Tenant, "Companies pay for a tool per seat")
	h3 := s.Hypothesis(t, s.Tenant, "Dentists struggle with calendars")
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)

	status, uploaded := s.upload(t, editor, "zoom.vtt", []byte(zoom))
	require.Equal(t, http.StatusCreated, status, "%v", uploaded)
	require.Equal(t, "vtt", uploaded["format"])
	require.EqualValues(t, 4, uploaded["utterances"])
	require.Equal(t, []any{"Dana Ng", "Omar Haddad"}, uploaded["speakers"])
	id := uploaded["importId"].(string)
	_, imported := s.get(t, "/api/import/"+id, viewer)
	require.Equal(t, "uploaded", imported["status"])

	started := s.startParse(t, editor, id, h1, h2, h3, h1)
	require.Equal(t, "queued", started["status"])
	require.NotEmpty(t, started["runId"])
	workflowID, runID := started["workflowId"].(string), started["runId"].(string)

	imported = s.waitForStatus(t, viewer, id, "parsed")
	require.EqualValues(t, 1, imported["coverage"])
	require.Equal(t, "keyword", imported["extractor"])
	require.Equal(t, runID, imported["runId"])
	s.requireProven(t, int(imported["evidenceCount"].(float64)))
	require.Positive(t, imported["evidenceCount"])
	result := `select result::text from import_hypotheses where hypothesis_id = $1`
	require.Equal(t, "nothing_found", dbtest.Value[string](t, s.DB, result, h3))
	decided := `select count(*) from import_hypotheses where result <> 'pending'`
	require.Equal(t, 3, dbtest.Value[int](t, s.DB, decided))

	status, refused := s.requestParse(t, editor, id, h1)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "import_already_parsed", refused["error"])

	t.Run("the run's history has no transcript, no hypothesis and no address", func(t *testing.T) {
		history := s.historyText(t, workflowID, runID)
		require.Contains(t, history, id)
		for _, private := range []string{
			"receipts", "flat price", "Omar", "Closing the books", "example.com", anonKey, "password",
		} {
			require.NotContains(t, strings.ToLower(history), strings.ToLower(private))
		}
	})

	t.Run("operators find the run by the import's id", func(t *testing.T) {
		eventually(t, "the run is listed", func() bool {
			found, err := s.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
				Namespace: s.namespace,
				Query:     fmt.Sprintf("ImportId = %q and WorkspaceId = %q and UnreadRanges = 0", id, s.Workspace),
			})
			return err == nil && len(found.GetExecutions()) == 1
		})
	})
}

func TestOfConcurrentParsesOneStarts(t *testing.T) {
	t.Parallel()
	const requests = 8
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	statuses := make(chan int, requests)
	for range requests {
		go func() {
			status := http.StatusServiceUnavailable
			for status == http.StatusServiceUnavailable { // Temporal may answer late while the machine is busy
				status, _ = s.requestParse(t, editor, id, h)
			}
			statuses <- status
		}()
	}
	counts := map[int]int{}
	for range requests {
		counts[<-statuses]++
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusUnprocessableEntity: requests - 1}, counts)
	s.waitForStatus(t, editor, id, "parsed")
}

func TestWithoutTemporalNothingChanges(t *testing.T) {
	t.Parallel()
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	stored := func() string {
		query := `select (to_jsonb(i) - 'updated_at')::text from imports i where id = $1`
		return dbtest.Value[string](t, s.DB, query, id)
	}

	// A second API over the same database, whose Temporal cannot be reached.
	cutOff := s.with("TEMPORAL_ADDRESS="+unusedAddress(t), "HTTP_ADDR="+unusedAddress(t))
	cutOff.start(t, "serve")
	eventually(t, "the API is ready without Temporal", func() bool {
		status, ready := cutOff.get(t, "/readyz", "")
		return status == http.StatusOK && ready["status"] == "degraded" &&
			ready["temporal"] == "unavailable" && ready["postgres"] == "ok"
	})
	cutOffEditor := cutOff.signIn(t, s.Editor) // its tokens have another issuer
	before := stored()
	status, answer := cutOff.requestParse(t, cutOffEditor, id, h)
	require.Equal(t, http.StatusServiceUnavailable, status, "%v", answer)
	require.Equal(t, before, stored())

	s.stopWorker()
	s.startParse(t, editor, id, h)
	before = stored()
	status, answer = cutOff.post(t, "/api/import/"+id+"/cancel", cutOffEditor, nil)
	require.Equal(t, http.StatusServiceUnavailable, status, "%v", answer)
	require.Contains(t, answer["message"], "Nothing was changed")
	require.Equal(t, before, stored())
	s.startWorker(t)
	s.waitForStatus(t, editor, id, "parsed")
}

func TestLargeTranscript(t *testing.T) {
	t.Parallel()
	const turns = 3000 // 60,000 words
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)
	var text strings.Builder
	words := strings.Fields("we export the card statement every morning and paste it in then somebody sorts " +
		"one column and not the others so it breaks about once a week")
	for i := range turns {
		fmt.Fprintf(&text, "%s: In week %d ", []string{"Dana", "Omar"}[i%2], i)
		for j := range 17 {
			text.WriteString(words[(i*7+j*3)%len(words)] + " ")
		}
		if i%50 == 0 {
			text.WriteString("and closing the books took days since receipts were missing")
		}
		text.WriteString(".\n\n")
	}
	_, uploaded := s.upload(t, editor, "long.txt", []byte(text.String()))
	require.EqualValues(t, turns, uploaded["utterances"])
	id := uploaded["importId"].(string)
	s.startParse(t, editor, id, h)
	imported := s.waitForStatus(t, editor, id, "parsed")
	s.requireProven(t, int(imported["evidenceCount"].(float64)))
}
