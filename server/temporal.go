package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"research/config"
	"research/internal/outage"
	"research/temporalclient"
)

// prepareTemporal registers the search attributes, without which operators cannot search for runs, and the
// schedules.
func prepareTemporal(ctx context.Context, c *temporalclient.Client, cfg config.Config) error {
	return errors.Join(
		c.EnsureSearchAttributes(ctx, cfg.Temporal.Namespace),
		c.EnsureSchedules(ctx, temporalclient.Schedules()...),
	)
}

const (
	// prepareInterval is how often missing and changed schedules are restored.
	prepareInterval = time.Minute
	// prepareWait is how long the start of the server waits for the first attempt, so that no parse is started
	// without search attributes. A Temporal that does not respond holds up nothing else.
	prepareWait = 2 * time.Second
)

// waitBriefly returns when done is closed, at the latest after prepareWait.
func waitBriefly(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(prepareWait):
	}
}

// keepPrepared calls prepareTemporal at once, closes attempted, and repeats it at intervals until ctx ends.
// After a failure it retries with backoff, starting at a second. The API works in the meantime.
func keepPrepared(
	ctx context.Context, c *temporalclient.Client, cfg config.Config, log *slog.Logger,
	attempted chan<- struct{},
) {
	failures := outage.New(log, "temporal not prepared")
	for wait := time.Second; ; wait = min(2*wait, prepareInterval) {
		err := prepareTemporal(ctx, c, cfg)
		if ctx.Err() == nil {
			failures.Report(err)
		}
		if attempted != nil {
			close(attempted)
			attempted = nil
		}
		if err == nil {
			wait = prepareInterval
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
