package cli

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/trace"

	"research/config"
	"research/db"
	"research/server"
	"research/telemetry"
	"research/worker"
)

// serveSettings are those that serve cannot do without.
var serveSettings = []string{
	"DATABASE_URL", "TEMPORAL_ADDRESS", "ANON_KEY", "SERVICE_ROLE_KEY", "CRON_SECRET",
}

func newServeCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serves the HTTP API and the web page",
		Long:  `serve answers the HTTP API and the web page. SIGHUP makes it read the database's schema again.`,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			if err := cfg.Require(serveSettings...); err != nil {
				return err
			}
			ctx, log := cmd.Context(), newLog(cmd.ErrOrStderr(), cfg.Observability.LogLevel)
			return withTelemetry(ctx, cfg.Observability, "research-serve", log, func(t *telemetry.Telemetry) error {
				return serve(ctx, cfg, t, log)
			})
		},
	}
}

// serve runs the HTTP process until ctx ends.
func serve(ctx context.Context, cfg config.Config, t *telemetry.Telemetry, log *slog.Logger) error {
	logIgnored(log, cfg.Database)
	pools, err := openPools(ctx, cfg, t.SQLTracers())
	if err != nil {
		return unlessStopped(ctx, err)
	}
	defer pools.Close()
	temporal, keys, err := dialTemporal(cfg, "research serve", false, t, log)
	if err != nil {
		return err
	}
	defer temporal.Close()
	estimates, err := newEstimates(cfg, pools.Data)
	if err != nil {
		return err
	}
	watch := func(ctx context.Context) error {
		return worker.WatchImports(ctx, cfg, worker.Deps{
			Store: pools.Identity, Temporal: temporal, Telemetry: t, Log: log,
		})
	}
	return server.Run(ctx, cfg, server.Deps{
		Pools: pools, Temporal: temporal, Previews: digestPreviews{pools.Data, cfg.HTTP.PublicURL},
		Estimator: estimates, Prover: newProofs(pools.Data), PayloadKeys: keys, WatchImports: watch,
		Version: programVersion(), Telemetry: t, Log: log,
	})
}

// openPools opens the pools of serve, whose connections are DATABASE_MAX_CONNS together.
func openPools(
	ctx context.Context, cfg config.Config, tracers trace.TracerProvider,
) (p server.Pools, err error) {
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	if err := checkMigrated(ctx, cfg); err != nil {
		return p, err
	}
	if direct := cfg.Database.DirectURL; direct != "" {
		if err := db.CheckDirect(ctx, direct); err != nil {
			return p, err
		}
	}
	const (
		probes  = 2 // readiness does not wait for metrics
		atLeast = 6
	)
	if cfg.Database.MaxConns < atLeast {
		return p, config.Invalid("DATABASE_MAX_CONNS", fmt.Sprintf("must be at least %d for serve", atLeast))
	}
	identity := max(2, cfg.Database.MaxConns/4)
	data := cfg.Database.MaxConns - identity - probes
	if p.Data, err = openPool(ctx, cfg, "research serve data", data, tracers); err != nil {
		return p, err
	}
	if p.Identity, err = openPool(ctx, cfg, "research serve identity", identity, tracers); err != nil {
		return p, err
	}
	p.Probes, err = openPool(ctx, cfg, "research serve probes", probes, nil)
	return p, err
}
