package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research/config"
	"research/db"
	"research/db/backup"
	"research/dev"
)

func postgresTools() backup.Tools {
	return backup.Tools{Folders: append([]string{""}, dev.PostgresFolders()...)}
}

func newBackupCommand(sys System) *cobra.Command {
	var keep uint
	command := &cobra.Command{
		Use:   "backup FOLDER",
		Short: "Writes a backup of the database into a folder",
		Long: `backup writes a consistent backup of the whole database into FOLDER, while the service runs, and
prints its path. It runs pg_dump, whose major version must be that of the server. The backup is a file in
pg_dump's custom format, with its checksum beside it. It contains transcripts, addresses and password
hashes: keep it like the database itself, on another machine. The database records the time of the last
backup, for the metric research_last_backup_timestamp_seconds.

Workflows in progress are not part of it; docs/operations.md describes what that means.`,
		Args: cobra.ExactArgs(1),
		RunE: withDatabase(sys, func(cmd *cobra.Command, cfg config.Config, args []string) error {
			began := time.Now()
			path, err := backup.Create(cmd.Context(), postgresTools(), cfg.Database.URL, args[0])
			if err != nil {
				return err
			}
			if err := backup.Record(cmd.Context(), cfg.Database.URL, began); err != nil {
				// The login may have no right to write, and a standby cannot be written to.
				_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "research: the backup is complete, but its time was not "+
					"recorded in the database, so that research_last_backup_timestamp_seconds does not know of it")
			}
			var report strings.Builder
			fmt.Fprintln(&report, path)
			if keep > 0 {
				deleted, err := backup.Prune(args[0], int(keep))
				if err != nil {
					return err
				}
				for _, old := range deleted {
					fmt.Fprintln(&report, "deleted", old)
				}
			}
			_, err = io.WriteString(cmd.OutOrStdout(), report.String())
			return err
		}),
	}
	command.Flags().UintVar(&keep, "keep", 0,
		"the number of newest backups to keep in FOLDER, deleting the others; 0 keeps all")
	return command
}

func newRestoreCommand(sys System) *cobra.Command {
	var jobs uint
	command := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restores a backup into an empty database",
		Long: `restore restores a backup into the database of DATABASE_URL, which is created if it does not exist,
and must be empty. It creates the roles that the server lacks, and makes the login the owner. It runs
pg_restore, whose major version must be that of the server.

Do not start serve and worker on the restored database before you have read the steps that restore
prints: digests that were sent after the backup would be sent again.`,
		Args: cobra.ExactArgs(1),
		RunE: withDatabase(sys, func(cmd *cobra.Command, cfg config.Config, args []string) error {
			began := time.Now()
			restored, err := backup.Restore(cmd.Context(), postgresTools(), args[0], cfg.Database.URL, int(jobs))
			if err != nil {
				return err
			}
			if err := admitLogins(cmd, cfg.Database); err != nil {
				return err
			}
			took := time.Since(began).Round(100 * time.Millisecond)
			_, err = io.WriteString(cmd.OutOrStdout(), describeRestored(restored, took))
			return err
		}),
	}
	command.Flags().UintVar(&jobs, "jobs", 1, "the number of tables and indexes to restore concurrently")
	return command
}

// describeRestored describes a restored database, and the steps before it may be used.
func describeRestored(r backup.Restored, took time.Duration) string {
	var b strings.Builder
	since := r.TakenAt.UTC().Format(time.RFC3339)
	fmt.Fprintf(&b, "restored in %s: the state of %s\n", took, since)
	fmt.Fprintln(&b, "migrations:", describeMigrations(r.Migrations))
	fmt.Fprintln(&b, "\nBefore you start serve and worker on this database:")
	if len(r.Migrations.Missing) > 0 {
		fmt.Fprintln(&b, "  research migrate")
	}
	fmt.Fprintf(&b, "  research restore-fence --since %s\n", since)
	fmt.Fprintln(&b, "  research doctor")
	return b.String()
}

func describeMigrations(s db.MigrationState) string {
	switch {
	case len(s.Other) > 0:
		return "those of a version before 1.0.0 or of a development build: this version cannot use the database"
	case len(s.Missing) > 0:
		return "missing: " + strings.Join(s.Missing, ", ")
	case len(s.Unknown) > 0:
		return "this version does not know " + db.FormatVersions(s.Unknown) + ": a newer version made the backup"
	}
	return "all applied"
}
