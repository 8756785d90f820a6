package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"research/activities"
	"research/config"
	"research/db"
	"research/internal/outage"
	"research/telemetry"
	"research/temporalclient"
)

// namespaceInterval is how often a worker checks that its namespace belongs to the database.
const namespaceInterval = time.Minute

// A watchdog says in the database that its worker runs, compares open imports with their runs, starts the
// workflow that removes deleted data when deletions are pending and none is in progress, and checks the
// namespace. Every worker has one; the first to poll in an interval acts. Temporal gets no requests while
// there is nothing to do.
type watchdog struct {
	store      *db.Store
	runs       *temporalclient.Client
	reconciler *activities.Reconciler
	telemetry  *telemetry.Telemetry
	log        *slog.Logger
	interval   time.Duration
	worker     uuid.UUID
	version    string // of the worker in Temporal; empty without worker versioning
}

// run polls at every interval until the context ends.
func (w *watchdog) run(ctx context.Context) {
	failures := outage.New(w.log, "imports are neither started nor reconciled")
	w.checkNamespace(ctx, failures)
	var polls sync.WaitGroup
	polls.Go(func() { w.keepSeen(ctx) })
	polls.Go(func() {
		every(ctx, namespaceInterval, w.log, "namespace not checked", func(ctx context.Context) error {
			w.checkNamespace(ctx, failures)
			return nil
		})
	})
	polls.Go(func() { every(ctx, w.interval, w.log, "open imports not compared", w.reconciler.Poll) })
	polls.Go(func() { every(ctx, w.interval, w.log, "deletions not checked", w.checkDeletions) })
	polls.Wait()
}

// every calls poll at every interval until the context ends. It logs with the message that poll fails, once
// for each outage.
func every(
	ctx context.Context, interval time.Duration, log *slog.Logger, message string,
	poll func(context.Context) error,
) {
	repeat(ctx, interval, outage.New(log, message), poll)
}

// repeat is every with a log that the caller shares.
func repeat(
	ctx context.Context, interval time.Duration, failures *outage.Log, poll func(context.Context) error,
) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := poll(ctx); ctx.Err() == nil {
				failures.Report(err)
			}
		}
	}
}

// workerInterval is how often a worker says that it runs.
const workerInterval = 10 * time.Second

// keepSeen says at intervals that the worker runs, until the context ends.
func (w *watchdog) keepSeen(ctx context.Context) {
	see := func(ctx context.Context) error {
		return w.store.AsService(ctx, func(q *db.Queries) error {
			return q.SeeWorker(ctx, db.SeeWorkerParams{ID: w.worker, Version: w.version})
		})
	}
	failures := outage.New(w.log, "worker not recorded")
	if err := see(ctx); ctx.Err() == nil {
		failures.Report(err)
	}
	repeat(ctx, workerInterval, failures, see)
	detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), workerInterval)
	defer cancel()
	err := w.store.AsService(detachedCtx, func(q *db.Queries) error {
		return q.RemoveWorker(detachedCtx, w.worker)
	})
	if err != nil {
		w.log.Warn("worker not removed", "error", err)
	}
}

// checkDeletions starts the workflow that removes deleted data if it has work and has made no recent
// progress.
func (w *watchdog) checkDeletions(ctx context.Context) error {
	idle, err := db.AsService(ctx, w.store, func(q *db.Queries) (bool, error) {
		return q.HasIdleDeletions(ctx, (2 * w.interval).Seconds())
	})
	if err != nil || !idle {
		return err
	}
	return w.runs.StartDeletion(ctx)
}

// checkNamespace logs and sets a metric if the namespace does not belong to the database. In that case the
// client neither starts nor ends any workflow.
func (w *watchdog) checkNamespace(ctx context.Context, failures *outage.Log) {
	err := w.runs.CheckNamespace(ctx)
	isWrong := errors.Is(err, temporalclient.ErrWrongNamespace)
	w.telemetry.WrongNamespace(ctx, isWrong)
	if isWrong || err == nil {
		failures.Report(err)
	}
}

// WatchImports compares open imports with their runs, at every interval until the context ends. serve runs it
// as well as workers, so that imports are right without workers.
func WatchImports(ctx context.Context, cfg config.Config, d Deps) error {
	runs := temporalclient.NewGuarded(d.Temporal, cfg.Temporal.Timeout, cfg.Temporal.Namespace, d.Store,
		cfg.HTTP.PublicURL)
	reconciler, err := NewReconciler(cfg, d.Store, runs, d.Telemetry, d.Log)
	if err != nil {
		return err
	}
	every(ctx, cfg.Parse.ReconcileInterval, d.Log, "open imports not compared", reconciler.Poll)
	return nil
}
