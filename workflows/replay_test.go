package workflows_test

import (
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"research/activities"
	"research/workflows"
)

// Every recorded run must replay: a change of a workflow's commands would break runs that are in progress.
// Record new ones with `go run . dev -- go test ./e2e -run "TestFromUpload|TestDigestCommand" -record`.
func TestReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/history/*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	quiet := log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			// The detection gives a workflow a second, in which a busy machine may not get to it.
			replayer, err := worker.NewWorkflowReplayerWithOptions(
				worker.WorkflowReplayerOptions{DisableDeadlockDetection: true})
			require.NoError(t, err)
			workflows.RegisterControl(replayer)
			workflows.RegisterParse(replayer)
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(quiet, file))
		})
	}
}

// A real worker panics where two activities have one name; the test environment does not.
func TestRegistration(t *testing.T) {
	t.Parallel()
	lazy, err := client.NewLazyClient(client.Options{})
	require.NoError(t, err)
	defer lazy.Close()
	w := worker.New(lazy, "test", worker.Options{})
	require.NotPanics(t, func() {
		workflows.RegisterControl(w)
		workflows.RegisterParse(w)
		activities.Register(w, allActivities())
	})
}
