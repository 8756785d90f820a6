package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"research/dev"
)

func newSettingsCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "settings",
		Short: "Prints every setting as the programs read it, with secrets masked",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), cfg)
			return err
		},
	}
}

func newSecretsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "secrets",
		Short: "Prints new keys, tokens and passwords, for a .env file",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return dev.PrintSecrets(cmd.OutOrStdout())
		},
	}
}
