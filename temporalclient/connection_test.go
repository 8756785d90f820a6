package temporalclient

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
)

// An outage of Temporal is one line, however many requests fail.
func TestUnreachableTemporalIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	c, err := Dial(Settings{
		Address: "127.0.0.1:1", Namespace: "ours", Identity: "test",
		Log: slog.New(slog.NewTextHandler(&lines, nil)),
	})
	require.NoError(t, err)
	defer c.Close()
	for range 3 {
		require.ErrorIs(t, New(c, 200*time.Millisecond).Ready(t.Context()), ErrUnavailable)
	}
	require.Equal(t, 1, strings.Count(lines.String(), "level=WARN"), lines.String())
	require.Contains(t, lines.String(), `msg="temporal unreachable"`)
}

// Pollers that fail for another reason say so.
func TestPollersRepeatNoOutage(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	log := slog.New(pollHandler{slog.NewTextHandler(&lines, nil)}).With("TaskQueue", "parse")
	const message = "Failed to poll for task."
	log.Warn(message, "Error", error(serviceerror.NewUnavailable("connection refused")))
	require.Empty(t, lines.String())
	log.Warn(message, "Error", errors.New("permission denied"))
	require.Contains(t, lines.String(), "permission denied")
	log.Warn("Activity error.", "Error", error(serviceerror.NewUnavailable("connection refused")))
	require.Contains(t, lines.String(), "Activity error.")
}
