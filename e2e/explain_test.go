package e2e

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// An operator asks why an import is where it is.
func TestExplainImport(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	s := startService(t, model.settings()...)
	held := s.addHeld(t, model, s.signIn(t, s.Editor), "case-explained")
	explain := func() string {
		t.Helper()
		out := s.mustCommand(t, "explain", "import", held.id)
		require.NotContains(t, out, "receipts", "no word of the transcript")
		return out
	}
	waitFor := func(sentence string) string {
		t.Helper()
		var out string
		eventually(t, sentence, func() bool {
			out = explain()
			return strings.Contains(out, sentence)
		})
		return out
	}

	out := explain()
	require.Contains(t, out, "verdict   Nobody has asked to parse it.")
	require.Contains(t, out, "next      research import parse "+held.id+" --hypotheses ID")

	s.stopWorker()
	held.startParse(t)
	waitFor("No worker runs")
	s.startWorker(t)
	held.waitForFirstChunk(t)
	out = waitFor("It is being read.")
	for _, line := range []string{
		"database  uploaded: text",
		": requested, for 1 hypotheses",
		"temporal  the run begins",
		"temporal  ReadChunk waits in the queue research-parse",
		"model     a response is stored",
		"ReadChunk, attempt 1, runs on ",
	} {
		require.Contains(t, out, line)
	}

	held.release(t)
	held.waitForEnd(t, "parsed", "")
	out = waitFor("It is parsed, and all of it was read.")
	require.Contains(t, out, "next      nothing to do")
	require.Contains(t, out, "temporal  the run has completed")

	rejected := s.addHeld(t, model, held.token, "case-rejected")
	model.rejectKey(rejected.name, true)
	rejected.startParse(t)
	rejected.waitForEnd(t, "failed", "model_key_rejected")
	out = s.mustCommand(t, "explain", "import", rejected.id)
	require.Contains(t, out, "failed (model_key_rejected)")
	require.Contains(t, out, "verdict   The model's server rejected our API key.")
	require.Contains(t, out, "next      research doctor, then research import retry --error model_key_rejected")

	_, err := s.command(t, "explain", "import", uuid.NewString())
	require.ErrorContains(t, err, "there is no such import")
	_, err = s.command(t, "explain", "import", "tomorrow")
	require.ErrorContains(t, err, `"tomorrow" is not the id of an import`)
}
