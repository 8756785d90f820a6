package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// readyTimeout is below the timeout of the health check in docker-compose.yml.
const readyTimeout = 4 * time.Second

func newReadyCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "ready",
		Short: "Asks the serve or worker of METRICS_ADDR whether it is ready",
		Long: `ready asks the serve or worker of the same machine and METRICS_ADDR whether it is ready, and has exit
code 1 if it is not. It is for health checks of containers whose image has no shell.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			if err := cfg.Require("METRICS_ADDR"); err != nil {
				return err
			}
			host, port, err := net.SplitHostPort(cfg.Observability.MetricsAddr)
			if err != nil {
				return fmt.Errorf("METRICS_ADDR: %w", err)
			}
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
				host = "127.0.0.1"
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), readyTimeout)
			defer cancel()
			status, err := fetchStatus(ctx, "http://"+net.JoinHostPort(host, port)+"/readyz")
			if err != nil {
				return fmt.Errorf("nothing answers at METRICS_ADDR=%s", cfg.Observability.MetricsAddr)
			}
			if status != http.StatusOK {
				return fmt.Errorf("not ready: /readyz answers %d", status)
			}
			return nil
		},
	}
}
