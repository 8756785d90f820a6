package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"research/config"
	"research/db"
)

func newMigrateCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Applies the database migrations that are missing",
		Long: `migrate applies the database migrations that are missing. It also gives the roles that serve and
worker log in as the passwords of DATABASE_SERVE_PASSWORD and DATABASE_WORKER_PASSWORD, where these are set.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			if err := cfg.Require("DATABASE_URL"); err != nil {
				return err
			}
			applied, err := db.Migrate(cmd.Context(), cfg.Database.URL)
			if err == nil {
				err = setPasswords(cmd.Context(), cfg.Database)
			}
			var report strings.Builder
			for _, name := range applied {
				fmt.Fprintln(&report, "applied", name)
			}
			if err == nil && len(applied) == 0 {
				fmt.Fprintln(&report, "nothing to apply")
			}
			_, printErr := io.WriteString(cmd.OutOrStdout(), report.String())
			return errors.Join(err, printErr)
		},
	}
}

// setPasswords gives the roles of the programs the passwords that are set.
func setPasswords(ctx context.Context, cfg config.Database) error {
	if cfg.ServePassword != "" {
		if err := db.EnsureLogin(ctx, cfg.URL, db.LoginServe, cfg.ServePassword); err != nil {
			return err
		}
	}
	if cfg.WorkerPassword != "" {
		return db.EnsureLogin(ctx, cfg.URL, db.LoginWorker, cfg.WorkerPassword)
	}
	return nil
}
