package cli

import (
	"context"
	"errors"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"research/config"
	"research/dev"
	"research/telemetry"
)

func newDevCommand(sys System) *cobra.Command {
	var withParent bool
	command := &cobra.Command{
		Use:   "dev [-- COMMAND [ARGUMENT...]]",
		Short: "Runs everything on one machine: PostgreSQL, Temporal with its UI, demo data, API and worker",
		Long: `dev runs PostgreSQL, Temporal with its UI, the API and the worker on this machine, with demo data.

dev -- COMMAND runs COMMAND beside a throw-away PostgreSQL and Temporal, which it finds in
TEST_DATABASE_URL and TEST_TEMPORAL_ADDRESS, and returns its exit code.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch dash := cmd.ArgsLenAtDash(); {
			case dash < 0:
				return cobra.NoArgs(cmd, args)
			case dash > 0:
				return errors.New("the command to run must follow --")
			case len(args) == 0:
				return errors.New("no command follows --")
			default:
				return nil
			}
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
			defer stop()
			if withParent {
				go func() {
					dev.WaitForParent(ctx)
					stop()
				}()
			}
			if len(args) > 0 {
				code, err := dev.Exec(ctx, args, cmd.ErrOrStderr())
				if err == nil && code != 0 {
					return exitError(code)
				}
				return err
			}
			return runStack(ctx, cmd, sys)
		},
	}
	command.Flags().BoolVar(&withParent, "with-parent", false, "end when the parent process ends")
	return command
}

// devStopTimeout is long enough for the keyword extractor.
const devStopTimeout = 2 * time.Second

// devTemporalTimeout allows for a machine that is busy with everything else.
const devTemporalTimeout = 5 * time.Second

func runStack(ctx context.Context, cmd *cobra.Command, sys System) error {
	cfg, err := sys.Settings()
	if err != nil {
		return err
	}
	// There is no load balancer here, and Ctrl-C must not take long: the next start continues where this one
	// stopped.
	if !cfg.IsSet("DRAIN_DELAY") {
		cfg.HTTP.DrainDelay = 0
	}
	if !cfg.IsSet("WORKER_STOP_TIMEOUT") {
		cfg.Worker.StopTimeout = devStopTimeout
	}
	if !cfg.IsSet("TEMPORAL_TIMEOUT") {
		cfg.Temporal.Timeout = devTemporalTimeout
	}
	cfg.Observability.LocalMetrics = true
	// A person reads this terminal, so only what is wrong is logged.
	if !cfg.IsSet("LOG_LEVEL") {
		cfg.Observability.LogLevel = "warn"
	}
	log := newLog(cmd.ErrOrStderr(), cfg.Observability.LogLevel)
	// One process has one set of metrics: the API's /metrics also has the worker's.
	return withTelemetry(ctx, cfg.Observability, "research-dev", log, func(t *telemetry.Telemetry) error {
		return dev.Run(ctx, dev.Stack{
			Config: cfg,
			Out:    cmd.OutOrStdout(),
			Serve: func(ctx context.Context, cfg config.Config) error {
				return serve(ctx, cfg, t, log)
			},
			Work: func(ctx context.Context, cfg config.Config) error {
				cfg.Observability.MetricsAddr = ""
				return work(ctx, cfg, t, log)
			},
		})
	})
}
