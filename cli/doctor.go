package cli

import (
	"context"
	"slices"

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
			findings := examine(cmd.Context(), cfg)
			if err := printFindings(cmd.OutOrStdout(), findings, asJSON); err != nil {
				return err
			}
			if slices.ContainsFunc(findings, func(f finding) bool { return f.State == stateFail }) {
				return exitError(exitFailure)
			}
			return nil
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// examine makes all checks.
func examine(ctx context.Context, cfg config.Config) []finding {
	d := &doctor{cfg: cfg}
	for _, check := range []func(context.Context){
		d.checkSettings, d.checkDatabase, d.checkTemporal, d.checkModel, d.checkMail, d.checkTraces,
	} {
		limited, cancel := context.WithTimeout(ctx, checkTimeout)
		check(limited)
		cancel()
	}
	return d.findings
}
