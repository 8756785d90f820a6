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

// observe records the results of activities and returns a scrape.
func observe(t *testing.T, results ...any) string {
	t.Helper()
	seen, err := telemetry.New(t.Context(), telemetry.Config{Program: "test"})
	require.NoError(t, err)
	o := &observer{telemetry: seen}
	for _, result := range results {
		o.record(t.Context(), result)
	}
	scrape := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	seen.Handler().ServeHTTP(scrape, request)
	return scrape.Body.String()
}

func TestObserver(t *testing.T) {
	t.Parallel()

	t.Run("counts every end from zero", func(t *testing.T) {
		t.Parallel()
		scrape := observe(t)
		for _, status := range outcome.Statuses {
			if status.Ended() {
				require.Contains(t, scrape, `research_imports_ended_total{status="`+string(status)+`"} 0`)
			}
		}
	})

	t.Run("records the end that an activity of the run wrote", func(t *testing.T) {
		t.Parallel()
		scrape := observe(t, activities.ParseEnd{
			Status: outcome.StatusParsed, Evidence: 4, Rejected: 1, Queued: 2 * time.Second, Parsing: 30 * time.Second,
		})
		require.Contains(t, scrape, `research_imports_ended_total{status="parsed"} 1`)
		require.Contains(t, scrape, `research_evidence_found_total 4`)
		require.Contains(t, scrape, `research_quotes_rejected_total 1`)
		require.Contains(t, scrape, `research_import_state_duration_seconds_sum{state="queued"} 2`)
		require.Contains(t, scrape, `research_import_state_duration_seconds_sum{state="parsing"} 30`)
	})

	t.Run("records the ends that the reconciler wrote in the same way", func(t *testing.T) {
		t.Parallel()
		scrape := observe(t, activities.ReconcilePageResult{Open: 3, Repaired: 2, Ended: []activities.ParseEnd{
			{Status: outcome.StatusTerminated, Evidence: 1, Queued: 5 * time.Second},
			{Status: outcome.StatusTimedOut, Queued: 5 * time.Second, Parsing: time.Minute},
		}})
		require.Contains(t, scrape, `research_imports_ended_total{status="terminated"} 1`)
		require.Contains(t, scrape, `research_imports_ended_total{status="timed_out"} 1`)
		require.Contains(t, scrape, `research_import_state_duration_seconds_count{state="queued"} 2`)
		require.Contains(t, scrape, `research_import_state_duration_seconds_count{state="parsing"} 1`)
		require.Contains(t, scrape, `research_reconciler_repairs_total 2`)
	})

	t.Run("records the end that the last range of chunks wrote", func(t *testing.T) {
		t.Parallel()
		scrape := observe(t, activities.ReadChunksResult{Done: 1, Left: 1},
			activities.ReadChunksResult{Done: 1, End: &activities.ParseEnd{Status: outcome.StatusParsed, Evidence: 4}})
		require.Contains(t, scrape, `research_imports_ended_total{status="parsed"} 1`)
		require.Contains(t, scrape, `research_evidence_found_total 4`)
	})
}

func TestChunkOutcome(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]activities.ChunkEnd{
		"read":    {Calls: 1},
		"stored":  {},
		"partial": {Calls: 2, Unread: 1},
	} {
		require.Equal(t, want, chunkOutcome(end))
		require.Contains(t, telemetry.ChunkOutcomes, want)
	}
}
