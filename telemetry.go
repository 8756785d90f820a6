package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel"

	"research/config"
	"research/db"
	"research/telemetry"
)

// flushTimeout bounds the sending of the last spans: a collector that is away must not keep a program from ending.
const flushTimeout = 3 * time.Second

// withTelemetry runs a program with its metrics and traces.
func withTelemetry(ctx context.Context, cfg config.Config, program string, log *slog.Logger, run func(*telemetry.Telemetry) error) error {
	if _, err := telemetry.ParseHeaders(cfg.Seeing.OTLPHeaders); err != nil {
		return &config.Problems{List: []config.Problem{{Setting: "OTEL_EXPORTER_OTLP_HEADERS", Reason: err.Error()}}}
	}
	seen, err := telemetry.New(ctx, telemetry.Config{Program: program, Endpoint: cfg.Seeing.OTLPEndpoint, Headers: cfg.Seeing.OTLPHeaders, Ratio: cfg.Seeing.TraceRatio})
	if err != nil {
		return err
	}
	// The one place that OpenTelemetry lets a program say where its own troubles go.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry failed", "error", err) }))
	defer func() {
		flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		if err := seen.Shutdown(flush); err != nil {
			log.Warn("traces not flushed", "error", err)
		}
	}()
	return run(seen)
}

// serveOperators answers operators' programs on METRICS_ADDR, if it is set, until the context ends.
func serveOperators(ctx context.Context, cfg config.Config, handler http.Handler, log *slog.Logger) error {
	if cfg.Seeing.MetricsAddr == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Seeing.MetricsAddr)
	if err != nil {
		return fmt.Errorf("listen on METRICS_ADDR=%s: %w", cfg.Seeing.MetricsAddr, err)
	}
	server := newServer(handler, log)
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics no longer served", "error", err)
		}
	}()
	return nil
}

// observe has scrapes show the database's numbers.
func observe(seen *telemetry.Telemetry, store *db.Store) error {
	return errors.Join(seen.ObservePool(store.Stat), seen.ObserveImports(func(ctx context.Context) (states []telemetry.ImportState, err error) {
		err = store.AsService(ctx, func(q *db.Queries) error {
			rows, err := q.CountImportStates(ctx)
			for _, row := range rows {
				states = append(states, telemetry.ImportState{Status: row.Status, Count: row.Number, Oldest: time.Duration(row.OldestSeconds * float64(time.Second))})
			}
			return err
		})
		return states, err
	}))
}
