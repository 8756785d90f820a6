package cli

import (
	"context"
	"log/slog"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"research/api"
	"research/config"
	"research/server"
	"research/telemetry"
	"research/temporalclient"
	"research/worker"
)

func newWorkerCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "worker",
		Short: "Runs workflows and activities: parses transcripts, sends mails",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			if err := cfg.Require("DATABASE_URL", "TEMPORAL_ADDRESS"); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
			defer stop()
			log := newLog(cmd.ErrOrStderr(), cfg.Observability.LogLevel)
			return withTelemetry(ctx, cfg.Observability, "research-worker", log, func(t *telemetry.Telemetry) error {
				return work(ctx, cfg, t, log)
			})
		},
	}
}

// work runs the worker process until ctx ends.
func work(ctx context.Context, cfg config.Config, t *telemetry.Telemetry, log *slog.Logger) error {
	// Operators see a worker that drains after ctx has ended.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	logIgnored(log, cfg.Database)
	store, err := openStore(ctx, cfg, "research worker", t.SQLTracers())
	if err != nil {
		return unlessStopped(ctx, err)
	}
	defer store.Close()
	temporal, _, err := dialTemporal(cfg, workerIdentity(), true, t, log)
	if err != nil {
		return err
	}
	defer temporal.Close()
	ready := api.Ready(api.Readiness{
		Needs: api.Checks{
			"postgres": store.Ping,
			"temporal": temporalclient.NewGuarded(temporal, cfg.Temporal.Timeout, cfg.Temporal.Namespace, store,
				cfg.HTTP.PublicURL).Ready,
		},
		Uses:     api.Checks{"writes": store.CheckWrites},
		Stopping: ctx.Done(), Log: log,
	})
	if err := server.ServeOperators(life, cfg.Observability.MetricsAddr, t, ready, log); err != nil {
		return err
	}
	return worker.Run(ctx, cfg, worker.Deps{Store: store, Temporal: temporal, Telemetry: t, Log: log})
}
