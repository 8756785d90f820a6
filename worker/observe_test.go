package worker

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/activities/extract/keyword"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/outcome"
	"research/telemetry"
	"research/transcript"
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

	t.Run("records the ends of answers", func(t *testing.T) {
		t.Parallel()
		end := activities.AnswerEnd{Status: outcome.AnswerAnswered, Result: outcome.ResultPartly}
		late := activities.AnswerEnd{Status: outcome.AnswerTimedOut}
		scrape := observe(t, func(seen *telemetry.Telemetry) {
			(&observer{telemetry: seen}).record(t.Context(), end)
			recordPage(t.Context(), seen, activities.ReconcilePageResult{EndedAnswers: []activities.AnswerEnd{late}})
		})
		require.Contains(t, scrape, `research_answers_ended_total{result="partly",status="answered"} 1`)
		require.Contains(t, scrape, `research_answers_ended_total{result="",status="timed_out"} 1`)
		require.Contains(t, scrape, `research_answers_ended_total{result="",status="failed"} 0`)
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

func TestCallsAboutQuestionsAreRecorded(t *testing.T) {
	t.Parallel()
	interview := interviewtest.Books()
	compose := extract.ComposeRequest{
		Question: "Who copies invoices?", Transcripts: []*transcript.Transcript{interview},
		Sources: []extract.AnswerSource{{ID: "p1", From: 0, To: 2}},
	}
	server := modeltest.New(t).Then(modeltest.Honest(), modeltest.Honest(), modeltest.Honest(),
		modeltest.Honest(), modeltest.RateLimited(0))
	model, err := openai.New(openai.Config{BaseURL: server.URL, Model: "m", Timeout: time.Minute})
	require.NoError(t, err)
	require.Nil(t, (&observedExtractor{Extractor: keyword.New(keyword.Precise)}).answerer())
	scrape := observe(t, func(seen *telemetry.Telemetry) {
		observed := &observedExtractor{Extractor: model, telemetry: seen, log: slog.New(slog.DiscardHandler)}
		answerer := observed.answerer()
		_, err := answerer.Reword(t.Context(), compose.Question, nil)
		require.NoError(t, err)
		_, err = answerer.ReadForQuestion(t.Context(), extract.Request{
			Transcript: interview, Chunk: extract.Whole(interview),
			Hypotheses: []extract.Hypothesis{{ID: extract.QuestionID, Statement: compose.Question}},
		})
		require.NoError(t, err)
		_, err = answerer.Compose(t.Context(), compose, func(extract.AnswerLine) error { return nil })
		require.NoError(t, err)
		stop := errors.New("stop")
		_, err = answerer.Compose(t.Context(), compose, func(extract.AnswerLine) error { return stop })
		require.Equal(t, stop, err)
		_, err = answerer.Compose(t.Context(), compose, func(extract.AnswerLine) error { return nil })
		require.Error(t, err)
	})
	require.Contains(t, scrape, `research_model_calls_total{outcome="answered"} 4`)
	require.Contains(t, scrape, `research_model_calls_total{outcome="model_rate_limited"} 1`)
}
