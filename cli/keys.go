package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"research/api/token"
)

func newKeysCommand(sys System) *cobra.Command {
	group := newGroup("keys", "Manages the keys that sign access tokens",
		newKeysListCommand(sys), newKeysRotateCommand(sys), newKeysMintCommand(sys))
	group.Long = "keys manages the keys that sign access tokens, in the database of DATABASE_URL."
	return group
}

func newKeysListCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Prints the keys that sign access tokens, and those that still verify them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			store, err := openStore(cmd.Context(), cfg, "research keys", nil)
			if err != nil {
				return err
			}
			defer store.Close()
			keys, err := token.List(cmd.Context(), store)
			if err != nil {
				return err
			}
			table := newTable(cmd.OutOrStdout())
			fmt.Fprintln(table, "KID\tCREATED\tSTATE")
			for _, k := range keys {
				fmt.Fprintf(table, "%s\t%s\t%s\n", k.KeyID, formatTime(&k.CreatedAt), k.State)
			}
			return table.Flush()
		},
	}
}

func newKeysRotateCommand(sys System) *cobra.Command {
	var revoke bool
	command := &cobra.Command{
		Use:   "rotate",
		Short: "Makes a new key; nobody is signed out",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			if cfg.Keys.JWTSecret != "" || cfg.Identity.PrivateKey != "" {
				return errors.New("tokens are signed with JWT_SECRET or JWT_PRIVATE_KEY, not with a key of the " +
					"database: change the setting")
			}
			store, err := openStore(cmd.Context(), cfg, "research keys", nil)
			if err != nil {
				return err
			}
			defer store.Close()
			kid, err := token.Rotate(cmd.Context(), store, revoke)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "new key:", kid)
			return err
		},
	}
	command.Flags().BoolVar(&revoke, "revoke", false,
		"also delete the other keys, because one leaked: access tokens end within ten seconds, and clients "+
			"refresh them")
	return command
}

func newKeysMintCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:       "mint anon|service_role",
		Short:     "Prints an API key as a JWT that JWT_SECRET signs, for clients that need one",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"anon", "service_role"},
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			key, err := token.MintAPIKey(cfg.Keys.JWTSecret, args[0], time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
			return err
		},
	}
}
