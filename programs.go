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

	"research/api"
	"research/config"
	"research/db"
	"research/dev"
	"research/worker"
	"research/workflows"
)

// drainTimeout is how long a stopping server waits for requests under way.
const drainTimeout = 15 * time.Second

func runServe(ctx context.Context, cfg config.Config, getenv func(string) string, _ []string, log *slog.Logger) error {
	if err := cfg.Require("DATABASE_URL", "TEMPORAL_ADDRESS", "ANON_KEY", "SERVICE_ROLE_KEY", "CRON_SECRET"); err != nil {
		return err
	}
	return serve(ctx, cfg, getenv, log)
}

// serve answers HTTP until the context ends, then refuses new work, drains, and closes the Temporal client and the pool.
func serve(ctx context.Context, cfg config.Config, getenv func(string) string, log *slog.Logger) error {
	store, err := openStore(ctx, cfg, "research serve")
	if err != nil {
		return err
	}
	defer store.Close()
	temporal, err := workflows.Dial(workflows.Settings{Address: cfg.Temporal.Address, Namespace: cfg.Temporal.Namespace, Identity: "research serve", Log: log, Getenv: getenv})
	if err != nil {
		return err
	}
	defer temporal.Close()
	keys, gate, err := openGate(ctx, cfg, store)
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
	starter := workflows.NewClient(temporal)
	ready := prepareTemporal(ctx, starter, cfg, log)
	go keepPrepared(ctx, starter, cfg, log, ready)
	data, err := openData(ctx, cfg, store, log)
	if err != nil {
		return err
	}
	handler, err := api.New(ctx, api.Deps{Store: store, Workflows: starter, Rest: data, Keys: keys, Gate: gate, Log: log, Identity: identity(cfg), AnonKey: cfg.Keys.Anon, CronSecret: cfg.Keys.CronSecret,
		TemporalUIURL: cfg.Temporal.UIURL, Namespace: cfg.Temporal.Namespace})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.HTTP.Addr)
	if err != nil {
		return fmt.Errorf("listen on HTTP_ADDR=%s: %w", cfg.HTTP.Addr, err)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    256 << 10, // a filter with a thousand ids is 40 KB
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	log.InfoContext(ctx, "serving", "address", listener.Addr().String(), "public_url", cfg.HTTP.PublicURL)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("draining")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}

// schedules are those that serve keeps in Temporal.
func schedules(cfg config.Config) []workflows.Schedule {
	return append(workflows.DigestSchedules(), workflows.ReconcileSchedule(cfg.Parse.ReconcileInterval))
}

// prepareTemporal registers the search attributes, without which Temporal refuses to start a parse, and the schedules. It tells whether all is there.
func prepareTemporal(ctx context.Context, starter *workflows.Client, cfg config.Config, log *slog.Logger) bool {
	err := errors.Join(starter.EnsureSearchAttributes(ctx, cfg.Temporal.Namespace), starter.EnsureSchedules(ctx, schedules(cfg)...))
	if err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "temporal not prepared", "error", err)
	}
	return err == nil
}

// preparedEvery is how long a schedule that somebody deleted or changed stays so.
const preparedEvery = time.Minute

// keepPrepared looks again and again: soon where Temporal was not there when we started, and everything else works meanwhile.
func keepPrepared(ctx context.Context, starter *workflows.Client, cfg config.Config, log *slog.Logger, ready bool) {
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

func runWorker(ctx context.Context, cfg config.Config, getenv func(string) string, _ []string, log *slog.Logger) error {
	if err := cfg.Require("DATABASE_URL", "TEMPORAL_ADDRESS"); err != nil {
		return err
	}
	return work(ctx, cfg, getenv, log)
}

func work(ctx context.Context, cfg config.Config, getenv func(string) string, log *slog.Logger) error {
	store, err := openStore(ctx, cfg, "research worker")
	if err != nil {
		return err
	}
	defer store.Close()
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	temporal, err := workflows.Dial(workflows.Settings{Address: cfg.Temporal.Address, Namespace: cfg.Temporal.Namespace,
		Identity: fmt.Sprintf("research worker %d@%s", os.Getpid(), host), Log: log, Getenv: getenv})
	if err != nil {
		return err
	}
	defer temporal.Close()
	return worker.Run(ctx, cfg, store, temporal, log)
}

// openStore opens the database, and refuses one that lacks migrations: half a schema would fail in odd places.
func openStore(ctx context.Context, cfg config.Config, name string) (*db.Store, error) {
	pending, err := db.Pending(ctx, cfg.Database.URL)
	if err != nil {
		return nil, err
	}
	if pending > 0 {
		return nil, fmt.Errorf("the database lacks %d migrations: run `research migrate` first", pending)
	}
	return db.Open(ctx, db.Config{URL: cfg.Database.URL, MaxConns: int32(cfg.Database.MaxConns), ApplicationName: name})
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
	return dev.Run(ctx, dev.Stack{
		Config: cfg, Out: os.Stdout,
		Serve: func(ctx context.Context, cfg config.Config) error { return serve(ctx, cfg, getenv, log) },
		Work:  func(ctx context.Context, cfg config.Config) error { return work(ctx, cfg, getenv, log) },
	})
}
