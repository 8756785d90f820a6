package openai_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
)

// logged extracts from the interview twice, and returns what was logged.
func logged(t *testing.T, b modeltest.Behavior) string {
	t.Helper()
	var log bytes.Buffer
	model, err := openai.New(openai.Config{
		APIKey: secretKey, BaseURL: modeltest.New(t).Always(b).URL, Model: "m", Timeout: time.Minute,
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	require.NoError(t, err)
	for range 2 {
		_, _ = model.Extract(t.Context(), request(interview)) // the log is what counts
	}
	return log.String()
}

func TestTheWordsOfAServerAreLoggedOnceAndWithoutTheTranscript(t *testing.T) {
	t.Parallel()
	log := logged(t, modeltest.Status(400, `{"error":{"message":"Unknown parameter: frobnicate. Request was: `+
		`We copy every invoice by hand into a spreadsheet, and that takes Maria two full days. `+
		`Key `+secretKey+`, see https://example.org/?token=1, mail ops@example.org. `+
		strings.Repeat("More. ", 200)+`"}}`))
	require.Equal(t, 1, strings.Count(log, "level=WARN"), log)
	require.Contains(t, log, "Unknown parameter: frobnicate")
	require.Contains(t, log, "code=model_bad_request status=400")
	for _, secret := range []string{
		secretKey, "c0ffee", "invoice", "Maria", "spreadsheet", "two full", "example.org",
	} {
		require.NotContains(t, log, secret)
	}
	require.Less(t, len(log), 800)
}

func TestAnotherFormOfRequestsIsLogged(t *testing.T) {
	t.Parallel()
	log := logged(t, modeltest.NoSchema(false, modeltest.Honest()))
	require.Equal(t, 1, strings.Count(log, "level=INFO"), log)
	require.Contains(t, log, "format=json_object")
	require.Empty(t, logged(t, modeltest.Honest()))
}
