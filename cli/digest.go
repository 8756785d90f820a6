package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"research/activities"
	"research/config"
	"research/db"
	"research/temporalclient"
	"research/workflows"
)

func newDigestCommand(sys System) *cobra.Command {
	group := newGroup("digest", "Manages the mails about what changed",
		newDigestPreviewCommand(sys), newDigestRunCommand(sys), newDigestResendCommand(sys),
		newDigestStatusCommand(sys))
	group.Long = `digest manages the mails about what changed, against DATABASE_URL and TEMPORAL_ADDRESS.

USER is an e-mail address or an id. DELIVERY is an id, as "research digest status" prints it.`
	return group
}

// withTemporal calls run with a client of Temporal.
func withTemporal(cmd *cobra.Command, cfg config.Config, run func(*temporalclient.Client) error) error {
	log := newLog(cmd.ErrOrStderr(), cfg.Observability.LogLevel)
	temporal, _, err := dialTemporal(cfg, "research digest", false, nil, log)
	if err != nil {
		return err
	}
	defer temporal.Close()
	return run(temporalclient.New(temporal, cfg.Temporal.Timeout))
}

func newDigestRunCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:       "run daily|weekly",
		Short:     "Sends at once what is due for the last closed period, and waits for the end",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{workflows.Daily, workflows.Weekly},
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			return withTemporal(cmd, cfg, func(temporal *temporalclient.Client) error {
				run, err := temporal.SendDigests(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				out := cmd.OutOrStdout()
				if _, err := fmt.Fprintf(out, "run:       %s %s\n", run.WorkflowID, run.RunID); err != nil {
					return err
				}
				result, err := run.Wait(cmd.Context())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(out, "sent:      %d\nskipped:   %d\nfailed:    %d\nuncertain: %d\n",
					result.Sent, result.Skipped, result.Failed, result.Uncertain)
				return err
			})
		},
	}
}

func newDigestResendCommand(sys System) *cobra.Command {
	var force bool
	command := &cobra.Command{
		Use:   "resend DELIVERY",
		Short: "Sends a digest again that failed, was skipped, or is uncertain",
		Long: `resend sends a digest again that failed, was skipped, or is uncertain, and lifts the suppression of
its address.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			delivery, err := uuid.Parse(args[0])
			if err != nil {
				return usageErrorf("DELIVERY must be an id, as `research digest status` prints it")
			}
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			store, err := openStore(cmd.Context(), cfg, "research digest", nil)
			if err != nil {
				return err
			}
			defer store.Close()
			return withTemporal(cmd, cfg, func(temporal *temporalclient.Client) error {
				if err := resend(cmd.Context(), store, temporal, delivery, force); err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "planned; it is sent as soon as a worker is free")
				return err
			})
		},
	}
	command.Flags().BoolVar(&force, "force", false,
		"also send a digest again that was sent, or whose news a later one has")
	return command
}

func resend(
	ctx context.Context, store *db.Store, temporal *temporalclient.Client, delivery uuid.UUID, force bool,
) error {
	switch err := activities.ReplanDigest(ctx, store, delivery, force); {
	case errors.Is(err, db.ErrNotFound):
		return errors.New("there is no such delivery")
	case errors.Is(err, activities.ErrDigestSent), errors.Is(err, activities.ErrDigestTold):
		return fmt.Errorf("%w; --force sends it again", err)
	case err != nil:
		return err
	}
	if err := temporal.DeliverDigests(ctx, activities.DigestMark{}); err != nil {
		return fmt.Errorf("it is planned, and is sent with the next tick: %w", err)
	}
	return nil
}

// maxTroubledDigests is how many of the digests that need attention are listed.
const maxTroubledDigests = 50

func newDigestStatusCommand(sys System) *cobra.Command {
	const twoWeeks = 14 * 24 * time.Hour
	var since time.Duration
	command := &cobra.Command{
		Use:   "status",
		Short: "Prints the outcome of the digests of the last periods, and which need attention",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			store, err := openStore(cmd.Context(), cfg, "research digest", nil)
			if err != nil {
				return err
			}
			defer store.Close()
			status, err := readDigestStatus(cmd.Context(), store, time.Now().Add(-since))
			if err != nil {
				return err
			}
			table := newTable(cmd.OutOrStdout())
			fmt.Fprintln(table, "FREQUENCY\tPERIOD\tSTATUS\tREASON\tDIGESTS")
			for _, p := range status.periods {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\n",
					p.Frequency, p.Period, p.Status, cmp.Or(p.Reason, "-"), p.Deliveries)
			}
			if len(status.troubled) > 0 {
				fmt.Fprintln(table, "\nDELIVERY\tUSER\tPERIOD\tSTATUS\tREASON\tATTEMPTS\tSINCE")
			}
			for _, t := range status.troubled {
				fmt.Fprintf(table, "%s\t%s\t%s %s\t%s\t%s\t%d\t%s\n", t.ID, t.UserID, t.Frequency, t.Period, t.Status,
					cmp.Or(t.Reason, "-"), t.Attempts, formatTime(&t.UpdatedAt))
			}
			fmt.Fprintf(table, "\naddresses suppressed: %d\n", status.suppressed)
			if status.held {
				fmt.Fprintln(table, "held: the database was restored; run `research restore-fence`")
			}
			return table.Flush()
		},
	}
	command.Flags().DurationVar(&since, "since", twoWeeks, "how far to look back")
	return command
}

// A digestStatus is what operators see of the digests since a moment.
type digestStatus struct {
	periods    []db.SummarizeDigestsRow
	troubled   []db.ListFailedOrUncertainDigestsRow
	suppressed int64 // addresses
	held       bool  // the database was restored
}

func readDigestStatus(ctx context.Context, store *db.Store, since time.Time) (digestStatus, error) {
	return db.AsService(ctx, store, func(q *db.Queries) (s digestStatus, err error) {
		if s.periods, err = q.SummarizeDigests(ctx, since); err != nil {
			return s, err
		}
		troubled := db.ListFailedOrUncertainDigestsParams{Since: since, Size: maxTroubledDigests}
		if s.troubled, err = q.ListFailedOrUncertainDigests(ctx, troubled); err != nil {
			return s, err
		}
		if s.suppressed, err = q.CountSuppressedAddresses(ctx); err != nil {
			return s, err
		}
		fence, err := q.GetDigestFence(ctx)
		s.held = fence.Held
		return s, err
	})
}
