package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research/activities"
	"research/config"
	"research/db"
	"research/db/backup"
	"research/temporalclient"
)

func newDrillCommand(sys System) *cobra.Command {
	var asJSON bool
	var jobs uint
	command := &cobra.Command{
		Use:   "drill FOLDER",
		Short: "Restores the newest backup beside the database, and reports what a restore would lose",
		Long: `drill restores the newest backup of FOLDER into a throw-away database on the server of DATABASE_URL,
named like it with the suffix _drill, and drops it at the end. It applies the migrations that the backup
lacks, compares the open imports with their runs in Temporal, plans the digests about the last day and
week, and reports what a restore would end, start, send again or lose. It changes nothing in the
database in use and in Temporal, and sends nothing.

The server needs as much free disk space as the database has, and the login CREATEDB.`,
		Args: cobra.ExactArgs(1),
		RunE: withDatabase(sys, func(cmd *cobra.Command, cfg config.Config, args []string) error {
			if err := cfg.Require("TEMPORAL_ADDRESS"); err != nil {
				return err
			}
			log := newLog(cmd.ErrOrStderr(), cfg.Observability.LogLevel)
			temporal, _, err := dialTemporal(cfg, "research drill", false, nil, log)
			if err != nil {
				return err
			}
			defer temporal.Close()
			client := temporalclient.New(temporal, cfg.Temporal.Timeout)
			report, err := runDrill(cmd.Context(), cfg, client, args[0], int(jobs))
			if err != nil {
				return err
			}
			if asJSON {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(report)
			}
			return report.print(cmd.OutOrStdout())
		}),
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.Flags().UintVar(&jobs, "jobs", 1, "the number of tables and indexes to restore concurrently")
	return command
}

// A drillReport is the result of a drill.
type drillReport struct {
	Backup     string                 `json:"backup"` // the name of the file
	TakenAt    time.Time              `json:"taken_at"`
	Age        string                 `json:"age"`
	RestoredIn string                 `json:"restored_in"`
	Migrated   []string               `json:"migrated"` // migrations that the backup lacked
	Imports    activities.RunForecast `json:"imports"`
	Digests    backup.Digests         `json:"digests"`
	Tables     []backup.Difference    `json:"tables"`
}

func runDrill(
	ctx context.Context, cfg config.Config, temporal *temporalclient.Client, folder string, jobs int,
) (drillReport, error) {
	var report drillReport
	backups, err := backup.List(folder)
	if err != nil {
		return report, err
	}
	if len(backups) == 0 {
		return report, fmt.Errorf("%s has no backup: run `research backup %s`", folder, folder)
	}
	if err := temporal.Ready(ctx); err != nil {
		return report, err
	}
	report.Backup = filepath.Base(backups[0])
	began := time.Now()
	rehearse := func(scratchURL string, restored backup.Restored) error {
		report.RestoredIn = time.Since(began).Round(100 * time.Millisecond).String()
		report.TakenAt = restored.TakenAt
		report.Age = began.Sub(restored.TakenAt).Round(time.Minute).String()
		return report.rehearse(ctx, cfg, temporal, scratchURL)
	}
	err = backup.Scratch(ctx, postgresTools(), backups[0], cfg.Database.URL, jobs, rehearse)
	return report, err
}

// rehearse runs the first steps of the programs on the restored database, and compares it with the one in
// use.
func (r *drillReport) rehearse(
	ctx context.Context, cfg config.Config, temporal *temporalclient.Client, scratchURL string,
) error {
	var err error
	if r.Migrated, err = db.Migrate(ctx, scratchURL); err != nil {
		return err
	}
	// Rows are compared before the rehearsal changes them.
	if r.Tables, err = backup.Compare(ctx, scratchURL, cfg.Database.URL); err != nil {
		return err
	}
	store, err := db.Open(ctx, db.Config{URL: scratchURL, MaxConns: 2, ApplicationName: "research drill"})
	if err != nil {
		return err
	}
	defer store.Close()
	if r.Imports, err = activities.ForecastRuns(ctx, store, temporal); err != nil {
		return fmt.Errorf("compare imports with their runs: %w", err)
	}
	if err := activities.PlanClosedDigests(ctx, store, time.Now()); err != nil {
		return fmt.Errorf("plan digests: %w", err)
	}
	r.Digests, err = backup.CompareDigests(ctx, scratchURL, cfg.Database.URL)
	return err
}

// print writes the report for people.
func (r *drillReport) print(w io.Writer) error {
	table := newTable(w)
	fmt.Fprintf(table, "backup\t%s, %s old\n", r.Backup, r.Age)
	fmt.Fprintf(table, "restored\tin %s\n", r.RestoredIn)
	migrated := "the backup lacks none"
	if len(r.Migrated) > 0 {
		migrated = "applied " + strings.Join(r.Migrated, ", ")
	}
	fmt.Fprintf(table, "migrations\t%s\n", migrated)
	fmt.Fprintf(table, "open imports\t%d would go on, %d would be started, %d would be ended\n",
		r.Imports.Continued, r.Imports.Started, sum(r.Imports.Ended))
	for _, code := range slices.Sorted(maps.Keys(r.Imports.Ended)) {
		fmt.Fprintf(table, "\t  ended as %s: %d\n", code, r.Imports.Ended[code])
	}
	fmt.Fprintf(table, "digests\t%d would be sent, of which %d were sent already (restore-fence holds them)\n",
		r.Digests.Due, r.Digests.Sent)
	fmt.Fprintln(table)
	fmt.Fprintln(table, "TABLE\tIN THE BACKUP\tLOST\tREVERTED\tRETURNED")
	for _, d := range r.Tables {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\n", d.Table, d.Rows, d.Lost, d.Reverted, d.Returned)
	}
	_, err := fmt.Fprintln(table, "\nLost rows were added since the backup, reverted ones changed, "+
		"and returned ones deleted.")
	return errors.Join(err, table.Flush())
}

func sum[K comparable](counts map[K]int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}
