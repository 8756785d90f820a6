package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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
worker log in as the passwords of DATABASE_SERVE_PASSWORD and DATABASE_WORKER_PASSWORD, where these are set,
and lets nobody else connect who was not granted it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			if err := cfg.Require("DATABASE_URL"); err != nil {
				return err
			}
			if err := checkLogins(cmd.Context(), cfg.Database); err != nil {
				return err
			}
			applied, err := db.Migrate(cmd.Context(), cfg.Database.URL)
			if err == nil {
				err = setPasswords(cmd.Context(), cfg.Database)
			}
			if err == nil {
				err = admitLogins(cmd, cfg.Database)
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

// A login is a role of a program, with the password that it gets, and the setting of its name.
type login struct{ role, password, setting string }

// logins returns those whose passwords are set.
func logins(cfg config.Database) []login {
	all := []login{
		{cfg.ServeLogin, cfg.ServePassword, "DATABASE_SERVE_LOGIN"},
		{cfg.WorkerLogin, cfg.WorkerPassword, "DATABASE_WORKER_LOGIN"},
	}
	return slices.DeleteFunc(all, func(l login) bool { return l.password == "" })
}

// checkLogins refuses to lock out the programs of another database, before anything is changed.
func checkLogins(ctx context.Context, cfg config.Database) error {
	for _, l := range logins(cfg) {
		err := db.CheckLogin(ctx, cfg.URL, l.role, l.password)
		var shared *db.SharedLoginError
		if errors.As(err, &shared) {
			return fmt.Errorf("%w: set %s to a name of its own for this database, or, if that one is an unused copy, "+
				"run: revoke connect on database %s from public, %s", err, l.setting,
				db.QuoteName(shared.Databases[0]), db.QuoteName(l.role))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setPasswords gives the roles of the programs the passwords that are set.
func setPasswords(ctx context.Context, cfg config.Database) error {
	for _, l := range logins(cfg) {
		if err := db.EnsureLogin(ctx, cfg.URL, l.role, l.password); err != nil {
			return err
		}
	}
	return nil
}

// admitLogins lets the programs connect to the database, and nobody else who was not granted it.
func admitLogins(cmd *cobra.Command, cfg config.Database) error {
	open, err := db.AdmitLogins(cmd.Context(), cfg.URL, cfg.ServeLogin, cfg.WorkerLogin)
	if open {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "research: every login of the server may connect to this "+
			"database, and "+
			"the login of DATABASE_URL may not change that; have an administrator run in psql: select "+
			"format('revoke connect on database %I from public', current_database()) \\gexec")
	}
	return err
}
