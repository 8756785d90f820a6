package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/client"

	"research/config"
	"research/db"
	"research/telemetry"
	"research/temporalclient"
)

// unlessStopped drops the error of a program that could not start because it was asked to stop.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// openStore opens the database. It returns an error for one that lacks migrations or has others, since such a
// schema would fail in odd places. Each statement becomes a span where tracers is not nil.
func openStore(
	ctx context.Context, cfg config.Config, name string, tracers trace.TracerProvider,
) (*db.Store, error) {
	if err := checkMigrated(ctx, cfg); err != nil {
		return nil, err
	}
	return openPool(ctx, cfg, name, cfg.Database.MaxConns, tracers)
}

// logIgnored tells which parameters of the connection strings mean nothing.
func logIgnored(log *slog.Logger, cfg config.Database) {
	for name, url := range map[string]string{"DATABASE_URL": cfg.URL, "DATABASE_DIRECT_URL": cfg.DirectURL} {
		_, ignored, _ := db.ReadURL(url) // connecting reports its error
		if len(ignored) > 0 {
			log.Info("parameters of a connection string ignored", "setting", name, "parameters", ignored)
		}
	}
}

func checkMigrated(ctx context.Context, cfg config.Config) error {
	if cfg.Database.URL == "" {
		return config.Invalid("DATABASE_URL", "is missing")
	}
	state, err := db.CompareMigrations(ctx, cfg.Database.URL)
	if err != nil {
		return err
	}
	if len(state.Other) > 0 {
		return db.ErrOtherSchema
	}
	if len(state.Missing) > 0 {
		return fmt.Errorf("the database lacks the migrations %s: run `research migrate` first",
			strings.Join(state.Missing, ", "))
	}
	return nil
}

func openPool(
	ctx context.Context, cfg config.Config, name string, maxConns int, tracers trace.TracerProvider,
) (*db.Store, error) {
	return db.Open(ctx, db.Config{
		URL:             cfg.Database.URL,
		DirectURL:       cfg.Database.DirectURL,
		MaxConns:        int32(maxConns),
		ApplicationName: name,
		Tracers:         tracers,
	})
}

// dialTemporal makes a client of Temporal, which connects when it is first used. A nil t means no metrics and
// no traces. It also returns the keys that encrypt payloads, which are nil where payloads are not encrypted.
func dialTemporal(
	cfg config.Config, identity string, isWorker bool, t *telemetry.Telemetry, log *slog.Logger,
) (client.Client, *temporalclient.Keyring, error) {
	if cfg.Temporal.Address == "" {
		return nil, nil, config.Invalid("TEMPORAL_ADDRESS", "is missing")
	}
	keys, err := temporalclient.ParseKeys(cfg.Temporal.PayloadKeys)
	if err != nil {
		return nil, nil, config.Invalid("PAYLOAD_KEYS", "cannot be used: "+err.Error())
	}
	settings := temporalclient.Settings{
		Address:   cfg.Temporal.Address,
		Namespace: cfg.Temporal.Namespace,
		Identity:  identity,
		APIKey:    cfg.Temporal.APIKey,
		TLS:       temporalclient.TLS(cfg.Temporal.TLS),
		Log:       log,
		Keys:      keys,
		Worker:    isWorker,
	}
	if t != nil {
		interceptors, err := t.TemporalInterceptors()
		if err != nil {
			return nil, nil, err
		}
		settings.Observability = temporalclient.Observability{
			Metrics:      t.TemporalMetrics(),
			Interceptors: interceptors,
			Propagators:  telemetry.TemporalPropagators(),
		}
	}
	c, err := temporalclient.Dial(settings)
	return c, keys, err
}

// workerIdentity tells workers apart in Temporal's UI.
func workerIdentity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("research worker %d@%s", os.Getpid(), host)
}

// flushTimeout bounds the sending of the last spans: a collector outage must not keep a program from ending.
const flushTimeout = 3 * time.Second

// withTelemetry runs a program with metrics and traces of its own. The program's name is service.name of its
// traces.
func withTelemetry(
	ctx context.Context, cfg config.Observability, program string, log *slog.Logger,
	run func(*telemetry.Telemetry) error,
) error {
	if _, err := telemetry.ParseHeaders(cfg.OTLPHeaders); err != nil {
		return config.Invalid("OTEL_EXPORTER_OTLP_HEADERS", err.Error())
	}
	t, err := telemetry.New(ctx, telemetry.Config{
		Program: program, Endpoint: cfg.OTLPEndpoint, Headers: cfg.OTLPHeaders, Ratio: cfg.TraceRatio, Log: log,
	})
	if err != nil {
		return err
	}
	// OpenTelemetry reports its own errors to this global handler alone.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry failed", "error", err) }))
	defer func() {
		flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		if err := t.Shutdown(flush); err != nil {
			log.Warn("traces not flushed", "error", err)
		}
	}()
	return run(t)
}
