package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"research/config"
	"research/temporalclient"
)

// prepareTemporal registers the search attributes, without which Temporal rejects a parse, and the schedules.
// It reports whether all of them exist.
func prepareTemporal(
	ctx context.Context, c *temporalclient.Client, cfg config.Config, log *slog.Logger,
) bool {
	err := errors.Join(
		c.EnsureSearchAttributes(ctx, cfg.Temporal.Namespace),
		c.EnsureSchedules(ctx, temporalclient.Schedules()...),
	)
	if err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "temporal not prepared", "error", err)
	}
	return err == nil
}

// prepareInterval is how often missing and changed schedules are restored.
const prepareInterval = time.Minute

// keepPrepared repeats prepareTemporal at intervals, until ctx ends. After a failure it retries with backoff,
// starting at a second. The API works in the meantime.
func keepPrepared(
	ctx context.Context, c *temporalclient.Client, cfg config.Config, log *slog.Logger, prepared bool,
) {
	for wait := time.Second; ; wait = min(2*wait, prepareInterval) {
		if prepared {
			wait = prepareInterval
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		prepared = prepareTemporal(ctx, c, cfg, log)
	}
}
