package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"research/api/token"
	"research/config"
	"research/db"
)

const keysUsage = `Usage: research keys COMMAND, against the database of DATABASE_URL.

  list               the keys that sign access tokens, and those that still verify them
  rotate             makes a new one; nobody is signed out
  rotate --revoke    deletes the others as well, for when one has leaked: access tokens end within ten seconds, clients go on by refreshing
  mint ROLE          prints an API key as a JWT, for clients that want one: anon or service_role, signed with JWT_SECRET
`

func runKeys(ctx context.Context, cfg config.Config, _ func(string) string, args []string, _ *slog.Logger) error {
	return keysCommand(ctx, cfg, args, os.Stdout)
}

func keysCommand(ctx context.Context, cfg config.Config, args []string, out io.Writer) error {
	switch strings.Join(args, " ") {
	case "", "help", "-h", "--help":
		_, err := io.WriteString(out, keysUsage)
		return err
	case "mint anon", "mint service_role":
		key, err := token.MintAPIKey(cfg.Keys.JWTSecret, args[1], time.Now())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, key)
		return err
	case "list", "rotate", "rotate --revoke":
	default:
		return fmt.Errorf("there is no command %q\n\n%s", "keys "+strings.Join(args, " "), keysUsage)
	}
	store, err := openStore(ctx, cfg, "research keys")
	if err != nil {
		return err
	}
	defer store.Close()
	if args[0] == "list" {
		return listKeys(ctx, store, out)
	}
	if cfg.Keys.JWTSecret != "" || cfg.Identity.PrivateKey != "" {
		return errors.New("JWT_SECRET or JWT_PRIVATE_KEY is set: tokens are signed with that, not with a key of the database, and change with the setting")
	}
	kid, err := token.Rotate(ctx, store, len(args) == 2)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "new key:", kid)
	return err
}

func listKeys(ctx context.Context, store *db.Store, out io.Writer) error {
	list, err := token.List(ctx, store)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KID\tCREATED\tSTATE")
	for _, k := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", k.KeyID, minute(&k.CreatedAt), k.State)
	}
	return w.Flush()
}
