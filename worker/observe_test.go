package worker

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities"
	"research/outcome"
	"research/telemetry"
)

// observe lets a test record metrics and returns a scrape.
func observe(t *testing.T, record func(*telemetry.Telemetry)) string {
	t.Helper()
	seen, err := telemetry.New(t.Context(), telemetry.Config{Program: "test"})
	require.NoError(t, err)
	record(seen)
	scrape := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	seen.Handler().ServeHTTP(scrape, request)
	return scrape.Body.String()
}

func TestObserver(t *testing.T) {
	t.Parallel()

	t.Run("counts every end from zero", func(t *testing.T) {
		t.Parallel()
		scrape := observe(t, func(*telemetry.Telemetry) {})
		for _, status := range outcome.Statuses {
			if status.Ended() {
				require.Contains(t, scrape, `research_imports_ended_total{status="`+string(status)+`"} 0`)
			}
		}
	})

	t.Run("records the end that an activity of the run wrote", func(t *testing.T) {
		t.Parallel()
		end := activities.ParseEnd{
			Status: outcome.StatusParsed, Evidence: 4, Rejected: 1, Queued: 2 * time.Second, Parsing: 30 * time.Second,
		}
		scrape := observe(t, func(seen *telemetry.Telemetry) {
			(&observer{telemetry: seen}).record(t.Context(), end)
		})
		require.Contains(t, scrape, `research_imports_ended_total{status="parsed"} 1`)
		require.Contains(t, scrape, `research_evidence_found_total 4`)
		require.Contains(t, scrape, `research_quotes_rejected_total 1`)
		require.Contains(t, scrape, `research_import_state_duration_seconds_sum{state="queued"} 2`)
		require.Contains(t, scrape, `research_import_state_duration_seconds_sum{state="parsing"} 30`)
	})

	t.Run("records the ends that the reconciler wrote in the same way", func(t *testing.T) {
		t.Parallel()
		page := activities.ReconcilePageResult{Open: 3, Repaired: 2, Ended: []activities.ParseEnd{
			{Status: outcome.StatusTerminated, Evidence: 1, Queued: 5 * time.Second},
			{Status: outcome.StatusTimedOut, Queued: 5 * time.Second, Parsing: time.Minute},
		}}
		scrape := observe(t, func(seen *telemetry.Telemetry) { recordPage(t.Context(), seen, page) })
		require.Contains(t, scrape, `research_imports_ended_total{status="terminated"} 1`)
		require.Contains(t, scrape, `research_imports_ended_total{status="timed_out"} 1`)
		require.Contains(t, scrape, `research_import_state_duration_seconds_count{state="queued"} 2`)
		require.Contains(t, scrape, `research_import_state_duration_seconds_count{state="parsing"} 1`)
		require.Contains(t, scrape, `research_reconciler_repairs_total 2`)
	})
}

func TestChunkOutcome(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]activities.ChunkEnd{
		"read":    {Called: true},
		"stored":  {},
		"partial": {Called: true, Unread: 1},
	} {
		require.Equal(t, want, chunkOutcome(end))
		require.Contains(t, telemetry.ChunkOutcomes, want)
	}
}
