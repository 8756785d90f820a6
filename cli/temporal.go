package cli

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"research/temporalclient"
)

func newTemporalCommand(sys System) *cobra.Command {
	group := newGroup("temporal", "Manages which namespace of Temporal belongs to the database",
		newTemporalAdoptCommand(sys))
	group.Long = `temporal manages which namespace of Temporal belongs to the database.

The first namespace that a program connects to does. In any other one, the programs neither start nor end
imports, so that a wrong setting harms none of them.`
	return group
}

func newTemporalAdoptCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "adopt",
		Short: "Records the namespace of the settings as the one that belongs to the database",
		Long: `adopt records the namespace at TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE as the one that belongs to
the database, in place of the previous one. Open imports without a run there end as history_deleted,
within seconds; they can be parsed again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			store, err := openStore(ctx, cfg, "research temporal", nil)
			if err != nil {
				return err
			}
			defer store.Close()
			c, _, err := dialTemporal(cfg, "research temporal", false, nil, slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer c.Close()
			id, err := temporalclient.New(c, cfg.Temporal.Timeout).NamespaceID(ctx, cfg.Temporal.Namespace)
			if err != nil {
				return err
			}
			if err := store.AdoptNamespace(ctx, id); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The namespace %s (%s) belongs to the database.\n"+
				"If the database was restored too, run research restore-fence before you start a worker: this Temporal "+
				"does not know which digests were sent.\n",
				cfg.Temporal.Namespace, id)
			return err
		},
	}
}
