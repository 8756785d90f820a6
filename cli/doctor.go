package cli

import (
	"context"

	"github.com/spf13/cobra"

	"research/config"
)

func newDoctorCommand(sys System) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Checks every dependency and setting, and gives advice",
		Long: `doctor checks every dependency and setting, and gives advice. It changes nothing. Its exit code is 1
where something keeps the service from working.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			return examine(cmd.Context(), cfg).print(cmd.OutOrStdout(), asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.AddCommand(newDoctorModelCommand(sys))
	return command
}

// examine makes all checks.
func examine(ctx context.Context, cfg config.Config) *doctor {
	d := &doctor{cfg: cfg}
	for _, check := range []func(context.Context){
		d.checkSettings, d.checkPublicURL, d.checkDatabase, d.checkTemporal, d.checkModel, d.checkMail,
		d.checkProviders, d.checkTraces,
	} {
		limited, cancel := context.WithTimeout(ctx, checkTimeout)
		check(limited)
		cancel()
	}
	return d
}
