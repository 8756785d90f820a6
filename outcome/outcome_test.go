package outcome_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/outcome"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	for status, want := range map[outcome.Status]struct{ restartable, open, ended bool }{
		outcome.StatusUploaded:   {restartable: true},
		outcome.StatusQueued:     {open: true},
		outcome.StatusParsing:    {open: true},
		outcome.StatusParsed:     {ended: true},
		outcome.StatusFailed:     {restartable: true, ended: true},
		outcome.StatusCanceled:   {restartable: true, ended: true},
		outcome.StatusTerminated: {restartable: true, ended: true},
		outcome.StatusTimedOut:   {restartable: true, ended: true},
	} {
		require.Equal(t, want.restartable, status.Restartable(), "%s is restartable", status)
		require.Equal(t, want.open, status.Open(), "%s is open", status)
		require.Equal(t, want.ended, status.Ended(), "%s has ended", status)
	}
}

func TestCodeMessage(t *testing.T) {
	t.Parallel()

	t.Run("every code has a message of its own", func(t *testing.T) {
		t.Parallel()
		seen := map[string]outcome.Code{}
		for _, code := range outcome.Codes {
			message := code.Message()
			require.NotEmpty(t, message, code)
			require.Emptyf(t, seen[message], "%s and %s share a message", code, seen[message])
			seen[message] = code
		}
	})

	t.Run("no code, no message", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, outcome.Code("").Message())
	})

	t.Run("an unknown code has the message of an internal error", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, outcome.CodeInternal.Message(), outcome.Code("of a newer version").Message())
	})
}
