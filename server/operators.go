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
	return errors.Join(
		t.ObservePool("data", pools.Data.Stat),
		t.ObservePool("identity", pools.Identity.Stat),
		t.ObservePool("probes", pools.Probes.Stat),
		t.ObserveImports(importStates),
		t.ObserveUsage(usage),
	)
}
