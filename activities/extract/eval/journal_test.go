package eval_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
)

// measureKept measures the embedded set twice, with a journal.
func measureKept(
	t *testing.T, ctx context.Context, m extract.Extractor, path, server string,
) (eval.Report, error) {
	t.Helper()
	journal, err := eval.OpenJournal(path, server)
	require.NoError(t, err)
	defer func() { require.NoError(t, journal.Close()) }()
	return eval.Repeat(ctx, m, set(t), eval.Options{RetryDelay: time.Millisecond, Journal: journal}, 2)
}

func TestAnInterruptedRunContinuesWhereItStopped(t *testing.T) {
	t.Parallel()
	whole, _ := model(t, modeltest.Honest())
	want, err := eval.Repeat(t.Context(), whole, set(t), eval.Options{}, 2)
	require.NoError(t, err)

	path := filepath.Join(t.TempDir(), "responses.jsonl")
	m, server := model(t, modeltest.Honest())
	server.Then(modeltest.Honest(), modeltest.Honest(), modeltest.Honest(), modeltest.Honest(),
		modeltest.Honest(),
		modeltest.BadKey()) // the second transcript of the second repeat
	_, err = measureKept(t, t.Context(), m, path, server.URL)
	var failed *extract.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 6, server.Count())

	for _, calls := range []int{6 + 3, 6 + 3} { // the third time there is nothing left to ask
		got, err := measureKept(t, t.Context(), m, path, server.URL)
		require.NoError(t, err)
		require.Equal(t, calls, server.Count(), "each response is paid for once")
		got.Seconds, want.Seconds = 0, 0
		require.Equal(t, want, got)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it has quotes")
}

func TestResponsesOfOtherSettingsAreNotTaken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "responses.jsonl")
	m, server := model(t, modeltest.Honest())
	_, err := measureKept(t, t.Context(), m, path, server.URL)
	require.NoError(t, err)
	require.Equal(t, 8, server.Count())

	_, err = measureKept(t, t.Context(), m, path, "https://another.example/v1")
	require.NoError(t, err)
	require.Equal(t, 16, server.Count(), "another server")
	other, err := openai.New(openai.Config{
		BaseURL: server.URL, Model: "m", Timeout: time.Minute, ReasoningEffort: "low",
	})
	require.NoError(t, err)
	_, err = measureKept(t, t.Context(), other, path, server.URL)
	require.NoError(t, err)
	require.Equal(t, 24, server.Count(), "another effort")
}

func TestAChunkThatCannotBeReadIsNotAskedAboutAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "responses.jsonl")
	m, server := model(t, modeltest.Refuse())
	_, err := measureKept(t, t.Context(), m, path, "")
	require.ErrorIs(t, err, eval.ErrNothingRead)
	calls := server.Count()
	again, err := measureKept(t, t.Context(), m, path, "")
	require.ErrorIs(t, err, eval.ErrNothingRead)
	require.Equal(t, calls, server.Count())
	require.Positive(t, again.Total.InputTokens, "what was paid for is still counted")
}

func TestALineThatWasNotWrittenToItsEndIsAskedForAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "responses.jsonl")
	m, server := model(t, modeltest.Honest())
	_, err := measureKept(t, t.Context(), m, path, "")
	require.NoError(t, err)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, raw[:len(raw)-20], 0o600))
	_, err = measureKept(t, t.Context(), m, path, "")
	require.NoError(t, err)
	require.Equal(t, 9, server.Count())
	mended, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, len(bytes.Split(raw, []byte("\n"))), len(bytes.Split(mended, []byte("\n"))))
}

func TestAFileThatIsNotAJournalIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a transcript":        talk,
		"one line of text":    "Ann: no line ends here",
		"another JSON":        `{"hypotheses": []}` + "\n",
		"JSON over lines":     "{\n  \"imports\": []\n}\n",
		"nothing of a result": `{"key":"k"}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := eval.OpenJournal(path, "")
		require.Error(t, err, name)
		require.False(t, strings.Contains(err.Error(), "Ann"), "errors do not repeat the file")
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(after), name)
	}
}
