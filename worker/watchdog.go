package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"research/db"
	"research/telemetry"
	"research/temporalclient"
)

// silence is how long an import may go without a heartbeat before the reconciler compares it with its run. An
// activity that reads heartbeats every five seconds.
func silence(interval time.Duration) time.Duration { return 2 * interval }

// namespaceInterval is how often a worker checks that its namespace belongs to the database.
const namespaceInterval = time.Minute

// A watchdog polls the database for open imports without a recent heartbeat, and signals the reconciler if
// there are any. Every worker has one; the first to poll in an interval signals. It also starts the workflow
// that removes deleted data when deletions are pending and none is in progress. Temporal gets no requests
// while there is nothing to do.
type watchdog struct {
	store     *db.Store
	runs      *temporalclient.Client
	telemetry *telemetry.Telemetry
	log       *slog.Logger
	interval  time.Duration
}

// run polls at every interval until the context ends.
func (w *watchdog) run(ctx context.Context) {
	w.checkNamespace(ctx)
	var polls sync.WaitGroup
	polls.Go(func() {
		every(ctx, namespaceInterval, w.log, "namespace not checked", func(ctx context.Context) error {
			w.checkNamespace(ctx)
			return nil
		})
	})
	polls.Go(func() { every(ctx, w.interval, w.log, "open imports not checked", w.checkImports) })
	polls.Go(func() { every(ctx, w.interval, w.log, "deletions not checked", w.checkDeletions) })
	polls.Wait()
}

// every calls poll at every interval until the context ends, and logs its errors with a message.
func every(
	ctx context.Context, interval time.Duration, log *slog.Logger, message string,
	poll func(context.Context) error,
) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := poll(ctx); err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, message, "error", err)
			}
		}
	}
}

// checkImports signals the reconciler if open imports have no recent heartbeat.
func (w *watchdog) checkImports(ctx context.Context) error {
	claimed, err := db.AsService(ctx, w.store, func(q *db.Queries) (int64, error) {
		return q.ClaimReconciliation(ctx, db.ClaimReconciliationParams{
			// Less than the interval, because tickers are not exact.
			IntervalSeconds: w.interval.Seconds() / 2,
			SilenceSeconds:  silence(w.interval).Seconds(),
		})
	})
	if err != nil {
		return err
	}
	w.telemetry.ImportsPolled(ctx)
	if claimed == 0 {
		return nil
	}
	return w.runs.SignalReconciler(ctx)
}

// checkDeletions starts the workflow that removes deleted data if it has work and has made no recent
// progress.
func (w *watchdog) checkDeletions(ctx context.Context) error {
	idle, err := db.AsService(ctx, w.store, func(q *db.Queries) (bool, error) {
		return q.HasIdleDeletions(ctx, silence(w.interval).Seconds())
	})
	if err != nil || !idle {
		return err
	}
	return w.runs.StartDeletion(ctx)
}

// checkNamespace logs an error and sets a metric if the namespace does not belong to the database. In that
// case the client neither starts nor ends any workflow.
func (w *watchdog) checkNamespace(ctx context.Context) {
	err := w.runs.CheckNamespace(ctx)
	isWrong := errors.Is(err, temporalclient.ErrWrongNamespace)
	w.telemetry.WrongNamespace(ctx, isWrong)
	if isWrong {
		w.log.ErrorContext(ctx, "imports are neither started nor reconciled", "error", err)
	}
}
