package outage_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/internal/outage"
)

// Repeated failures are one line when they begin and one when they end.
func TestOutageIsTwoLines(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	log := outage.New(slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})), "mails not sent")
	refused := errors.New("connection refused")
	for _, err := range []error{nil, refused, refused, errors.New("starting up"), nil, nil, refused} {
		log.Report(err)
	}
	require.Equal(t, `level=WARN msg="mails not sent" error="connection refused"
level=INFO msg=recovered from="mails not sent" failures=3
level=WARN msg="mails not sent" error="connection refused"
`, lines.String())
}
