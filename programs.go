package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/client"

	"research/api"
	"research/config"
	"research/db"
	"research/dev"
	"research/telemetry"
	"research/temporalclient"
	"research/worker"
)

// drainTimeout is how long a stopping server waits for requests under way.
const drainTimeout = 20 * time.Second

func runServe(ctx context.Context, cfg config.Config, _ func(string) string, _ []string, log *slog.Logger) error {
	if err := cfg.Require("DATABASE_URL", "TEMPORAL_ADDRESS", "ANON_KEY", "SERVICE_ROLE_KEY", "CRON_SECRET"); err != nil {
		return err
	}
	return serve(ctx, cfg, log)
}

// serve is the program `serve`.
func serve(ctx context.Context, cfg config.Config, log *slog.Logger) error {
	return withTelemetry(ctx, cfg, "research-serve", log, func(seen *telemetry.Telemetry) error { return serveSeen(ctx, cfg, log, seen) })
}

// serveSeen answers HTTP until the context ends; then it says that it is not ready, drains, and closes the Temporal client and the pool.
func serveSeen(ctx context.Context, cfg config.Config, log *slog.Logger, seen *telemetry.Telemetry) error {
	// What answers requests lives until they are drained, which is longer than ctx.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	store, err := openTracedStore(ctx, cfg, "research serve", seen.SQLTracers())
	if err != nil {
		return err
	}
	defer store.Close()
	temporal, payloadKeys, err := dialTemporal(cfg, log, seen, false)
	if err != nil {
		return err
	}
	defer temporal.Close()
	keys, authenticator, err := openAuthenticator(ctx, cfg, store)
	if err != nil {
		return err
	}
	// Triggers need it: an account's preference is made with the account.
	err = store.AsService(ctx, func(q *db.Queries) error {
		return q.PutSetting(ctx, db.PutSettingParams{Name: "digest_default_frequency", Value: cfg.Digest.DefaultFrequency})
	})
	if err != nil {
		return err
	}
	starter := temporalclient.New(temporal)
	ready := prepareTemporal(ctx, starter, cfg, log)
	go keepPrepared(ctx, starter, cfg, log, ready)
	data, err := openData(life, cfg, store, log)
	if err != nil {
		return err
	}
	if err := observe(seen, store); err != nil {
		return err
	}
	stopping := make(chan struct{})
	handler, err := api.New(life, api.Deps{Store: store, Workflows: starter, Rest: data, Keys: keys, Authenticator: authenticator, Log: log, Auth: authConfig(cfg), AnonKey: cfg.Keys.Anon, CronSecret: cfg.Keys.CronSecret,
		Telemetry: seen, MetricsToken: cfg.Seeing.MetricsToken, TemporalUIURL: cfg.Temporal.UIURL, Namespace: cfg.Temporal.Namespace,
		QueueLimit: cfg.Parse.QueueLimit, QueueShare: cfg.Parse.WorkspaceLimit, PayloadKeys: payloadKeys, CodecSecret: cfg.Temporal.CodecSecret, Stopping: stopping})
	if err != nil {
		return err
	}
	checks := map[string]func(context.Context) error{"postgres": store.Ping, "temporal": starter.Ready, "schema": data.Ready}
	if err := serveOperators(life, cfg, api.Operate(seen, api.Ready(checks, stopping, log)), log); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.HTTP.Addr)
	if err != nil {
		return fmt.Errorf("listen on HTTP_ADDR=%s: %w", cfg.HTTP.Addr, err)
	}
	server := newServer(handler, log)
	log.InfoContext(ctx, "serving", "address", listener.Addr().String(), "public_url", cfg.HTTP.PublicURL)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	close(stopping)
	log.Info("draining", "unready_for", cfg.HTTP.DrainDelay.String())
	time.Sleep(cfg.HTTP.DrainDelay) // balancers notice; requests that come all the same are answered
	drain, cancel := context.WithTimeout(life, drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	log.Info("drained")
	return server.Close()
}

// A request's end: bodies that trickle, and answers that nobody reads, hold a connection no longer than the slowest honest ones, which are uploads of 10 MB.
const (
	readTimeout  = 3 * time.Minute
	writeTimeout = 5 * time.Minute // from the end of the header on
)

func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    256 << 10, // a filter with a thousand ids is 40 KB
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// schedules are those that serve keeps in Temporal.
func schedules(cfg config.Config) []temporalclient.Schedule {
	return append(temporalclient.DigestSchedules(), temporalclient.ReconcileSchedule(cfg.Parse.ReconcileInterval))
}

// prepareTemporal registers the search attributes, without which Temporal refuses to start a parse, and the schedules. It tells whether all is there.
func prepareTemporal(ctx context.Context, starter *temporalclient.Client, cfg config.Config, log *slog.Logger) bool {
	err := errors.Join(starter.EnsureSearchAttributes(ctx, cfg.Temporal.Namespace), starter.EnsureSchedules(ctx, schedules(cfg)...))
	if err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "temporal not prepared", "error", err)
	}
	return err == nil
}

// preparedEvery is how long a schedule that somebody deleted or changed stays so.
const preparedEvery = time.Minute

// keepPrepared looks again and again: soon where Temporal was not there when we started, and everything else works meanwhile.
func keepPrepared(ctx context.Context, starter *temporalclient.Client, cfg config.Config, log *slog.Logger, ready bool) {
	for wait := time.Second; ; wait = min(2*wait, preparedEvery) {
		if ready {
			wait = preparedEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		ready = prepareTemporal(ctx, starter, cfg, log)
	}
}

func runWorker(ctx context.Context, cfg config.Config, _ func(string) string, _ []string, log *slog.Logger) error {
	if err := cfg.Require("DATABASE_URL", "TEMPORAL_ADDRESS"); err != nil {
		return err
	}
	return work(ctx, cfg, log)
}

// work is the program `worker`.
func work(ctx context.Context, cfg config.Config, log *slog.Logger) error {
	return withTelemetry(ctx, cfg, "research-worker", log, func(seen *telemetry.Telemetry) error { return workSeen(ctx, cfg, log, seen) })
}

func workSeen(ctx context.Context, cfg config.Config, log *slog.Logger, seen *telemetry.Telemetry) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	store, err := openTracedStore(ctx, cfg, "research worker", seen.SQLTracers())
	if err != nil {
		return err
	}
	defer store.Close()
	temporal, _, err := dialTemporal(cfg, log, seen, true)
	if err != nil {
		return err
	}
	defer temporal.Close()
	checks := map[string]func(context.Context) error{"postgres": store.Ping, "temporal": temporalclient.New(temporal).Ready}
	if err := serveOperators(life, cfg, api.Operate(seen, api.Ready(checks, ctx.Done(), log)), log); err != nil {
		return err
	}
	return worker.Run(ctx, cfg, worker.Deps{Store: store, Temporal: temporal, Telemetry: seen, Log: log})
}

// dialTemporal makes the client of one of our programs, and the keys that encrypt its payloads, or nil.
func dialTemporal(
	cfg config.Config, log *slog.Logger, seen *telemetry.Telemetry, isWorker bool,
) (client.Client, *temporalclient.Keyring, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	name := "research serve"
	if isWorker {
		name = fmt.Sprintf("research worker %d@%s", os.Getpid(), host)
	}
	settings, err := temporalSettings(cfg, name, log)
	if err != nil {
		return nil, nil, err
	}
	interceptors, err := seen.TemporalInterceptors()
	if err != nil {
		return nil, nil, err
	}
	settings.Worker = isWorker
	settings.Observability = temporalclient.Observability{
		Metrics:      seen.TemporalMetrics(),
		Interceptors: interceptors,
		Propagators:  telemetry.TemporalPropagators(),
	}
	c, err := temporalclient.Dial(settings)
	return c, settings.Keys, err
}

// temporalSettings are those of every client of ours; name is its identity.
func temporalSettings(cfg config.Config, name string, log *slog.Logger) (temporalclient.Settings, error) {
	keys, err := temporalclient.ParseKeys(cfg.Temporal.PayloadKeys)
	if err != nil {
		return temporalclient.Settings{}, &config.Problems{List: []config.Problem{
			{Setting: "PAYLOAD_KEYS", Reason: "cannot be used: " + err.Error()},
		}}
	}
	return temporalclient.Settings{
		Address:   cfg.Temporal.Address,
		Namespace: cfg.Temporal.Namespace,
		Identity:  name,
		APIKey:    cfg.Temporal.APIKey,
		TLS:       temporalclient.TLS(cfg.Temporal.TLS),
		Log:       log,
		Keys:      keys,
	}, nil
}

// openStore opens the database, and refuses one that lacks migrations: half a schema would fail in odd places.
func openStore(ctx context.Context, cfg config.Config, name string) (*db.Store, error) {
	if err := cfg.Require("DATABASE_URL"); err != nil {
		return nil, err
	}
	return openTracedStore(ctx, cfg, name, nil)
}

// openTracedStore is openStore with a span of every statement, where the tracers are not nil.
func openTracedStore(ctx context.Context, cfg config.Config, name string, tracers trace.TracerProvider) (*db.Store, error) {
	pending, err := db.Pending(ctx, cfg.Database.URL)
	if err != nil {
		return nil, err
	}
	if pending > 0 {
		return nil, fmt.Errorf("the database lacks %d migrations: run `research migrate` first", pending)
	}
	return db.Open(ctx, db.Config{URL: cfg.Database.URL, MaxConns: int32(cfg.Database.MaxConns), ApplicationName: name, Tracers: tracers})
}

func runMigrate(ctx context.Context, cfg config.Config, _ func(string) string, _ []string, _ *slog.Logger) error {
	if err := cfg.Require("DATABASE_URL"); err != nil {
		return err
	}
	applied, err := db.Migrate(ctx, cfg.Database.URL)
	for _, name := range applied {
		fmt.Fprintln(os.Stdout, "applied", name)
	}
	if err == nil && len(applied) == 0 {
		fmt.Fprintln(os.Stdout, "nothing to apply")
	}
	return err
}

func printSettings(_ context.Context, cfg config.Config, _ func(string) string, _ []string, _ *slog.Logger) error {
	_, err := fmt.Fprint(os.Stdout, cfg)
	return err
}

func printSecrets(context.Context, config.Config, func(string) string, []string, *slog.Logger) error {
	return dev.PrintSecrets(os.Stdout)
}

// devStopTimeout is long enough for the keyword extractor.
const devStopTimeout = 2 * time.Second

const devUsage = "usage: research dev [--with-parent], or research dev -- COMMAND [ARGUMENTS]"

func runDev(ctx context.Context, cfg config.Config, getenv func(string) string, args []string, log *slog.Logger) error {
	if len(args) > 0 && args[0] == "--with-parent" {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		go func() {
			dev.WaitForParent(ctx)
			stop()
		}()
		args = args[1:]
	}
	if len(args) > 0 {
		if args[0] != "--" || len(args) == 1 {
			return errors.New(devUsage)
		}
		code, err := dev.Exec(ctx, args[1:], os.Stderr)
		if err == nil && code != 0 {
			return exitCode(code)
		}
		return err
	}
	// Nobody balances here, and who presses Ctrl-C does not want to wait: the next start goes on where this one was.
	if getenv("DRAIN_DELAY") == "" {
		cfg.HTTP.DrainDelay = 0
	}
	if getenv("WORKER_STOP_TIMEOUT") == "" {
		cfg.Worker.StopTimeout = devStopTimeout
	}
	// One process, one set of metrics: those of the worker are at the API's /metrics.
	return withTelemetry(ctx, cfg, "research-dev", log, func(seen *telemetry.Telemetry) error {
		return dev.Run(ctx, dev.Stack{
			Config: cfg, Out: os.Stdout,
			Serve: func(ctx context.Context, cfg config.Config) error { return serveSeen(ctx, cfg, log, seen) },
			Work: func(ctx context.Context, cfg config.Config) error {
				cfg.Seeing.MetricsAddr = ""
				return workSeen(ctx, cfg, log, seen)
			},
		})
	})
}
