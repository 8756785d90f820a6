package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"research/api"
	"research/db"
	"research/telemetry"
	"research/temporalclient"
)

// ServeOperators serves metrics, liveness and readiness on addr, which is METRICS_ADDR, until ctx ends. It
// does nothing if addr is empty.
func ServeOperators(
	ctx context.Context, addr string, t *telemetry.Telemetry, ready http.Handler, log *slog.Logger,
) error {
	if addr == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on METRICS_ADDR=%s: %w", addr, err)
	}
	server := newHTTPServer(api.OperatorHandler(t, ready), log)
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics no longer served", "error", err)
		}
	}()
	return nil
}

// exportDatabase exports metrics of the pools and of the imports.
func exportDatabase(t *telemetry.Telemetry, pools Pools) error {
	importStates := func(ctx context.Context) ([]telemetry.ImportState, error) {
		rows, err := db.AsService(ctx, pools.Probes, func(q *db.Queries) ([]db.CountImportStatesRow, error) {
			return q.CountImportStates(ctx)
		})
		states := make([]telemetry.ImportState, len(rows))
		for i, row := range rows {
			states[i] = telemetry.ImportState{
				Status: row.Status,
				Count:  row.Number,
				Oldest: time.Duration(row.OldestSeconds * float64(time.Second)),
			}
		}
		return states, err
	}
	usage := func(ctx context.Context) ([]telemetry.Usage, error) {
		rows, err := db.AsService(ctx, pools.Probes, func(q *db.Queries) ([]db.ListConsumersRow, error) {
			return q.ListConsumers(ctx, 1)
		})
		usages := make([]telemetry.Usage, len(rows))
		for i, row := range rows {
			usages[i] = telemetry.Usage{Kind: row.Kind, Total: row.Total, Largest: row.Amount}
		}
		return usages, err
	}
	work := func(ctx context.Context) (work telemetry.Work, err error) {
		err = pools.Probes.AsService(ctx, func(q *db.Queries) error {
			work, err = readWork(ctx, q)
			return err
		})
		return work, err
	}
	return errors.Join(
		t.ObservePool("data", pools.Data.Stat),
		t.ObservePool("identity", pools.Identity.Stat),
		t.ObservePool("probes", pools.Probes.Stat),
		t.ObserveImports(importStates),
		t.ObserveUsage(usage),
		t.ObserveWork(work),
	)
}

// readWork reads what the database says of the work of all processes.
func readWork(ctx context.Context, q *db.Queries) (telemetry.Work, error) {
	work := telemetry.Work{Waiting: map[string]int64{}, Workers: map[string]int64{}}
	waiting, err := q.CountWaitingImports(ctx)
	if err != nil {
		return work, err
	}
	for _, row := range waiting {
		work.Waiting[row.Reason] = row.Number
	}
	workers, err := q.ListWorkers(ctx)
	if err != nil {
		return work, err
	}
	for _, row := range workers {
		work.Workers[row.Version] = int64(row.Processes)
	}
	digests, err := q.MeasureOverdueDigests(ctx)
	if err != nil {
		return work, err
	}
	work.UnplannedDigests = time.Duration(digests.UnplannedSeconds * float64(time.Second))
	work.UnsentDigests = time.Duration(digests.UnsentSeconds * float64(time.Second))
	mails, err := q.MeasureMails(ctx)
	if err != nil {
		return work, err
	}
	work.WaitingMails = time.Duration(mails.OldestSeconds * float64(time.Second))
	work.LastBackup, err = q.GetLastBackup(ctx)
	return work, err
}

// exportTemporal exports the schedules and the backlogs of the task queues. Temporal is asked, and not its
// server's metrics are read, because a hosted Temporal has none that Prometheus could scrape here.
func exportTemporal(t *telemetry.Telemetry, c *temporalclient.Client, namespace string) error {
	return errors.Join(
		t.ObserveSchedules(func(ctx context.Context) ([]telemetry.ScheduleState, error) {
			states, err := c.DescribeSchedules(ctx, namespace, temporalclient.Schedules()...)
			exported := make([]telemetry.ScheduleState, len(states))
			for i, s := range states {
				exported[i] = telemetry.ScheduleState(s)
			}
			return exported, err
		}),
		t.ObserveBacklogs(func(ctx context.Context) ([]telemetry.QueueBacklog, error) {
			backlogs, err := c.DescribeBacklogs(ctx, namespace)
			exported := make([]telemetry.QueueBacklog, len(backlogs))
			for i, b := range backlogs {
				exported[i] = telemetry.QueueBacklog(b)
			}
			return exported, err
		}),
	)
}
