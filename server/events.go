package server

import (
	"context"
	"log/slog"
	"time"

	"research/db"
	"research/internal/outage"
)

// The interval at which old events are deleted, and the batch size, which keeps transactions short.
const (
	eventsInterval = 10 * time.Minute
	eventsBatch    = 10_000
)

// expireEvents deletes events that are older than the retention, until ctx ends. Any number of processes may
// run it.
func expireEvents(ctx context.Context, store *db.Store, retention time.Duration, log *slog.Logger) {
	failures := outage.New(log, "old events not deleted")
	ticker := time.NewTicker(eventsInterval)
	defer ticker.Stop()
	for {
		deleted, err := db.AsService(ctx, store, func(q *db.Queries) (int64, error) {
			before := time.Now().Add(-retention)
			return q.DeleteOldEvents(ctx, db.DeleteOldEventsParams{Before: before, Most: eventsBatch})
		})
		if ctx.Err() == nil {
			failures.Report(err)
		}
		if err == nil && deleted == eventsBatch {
			continue // there are more
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
