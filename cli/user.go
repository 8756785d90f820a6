package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"research/identity"
	"research/server"
)

func newUserCommand(sys System) *cobra.Command {
	group := newGroup("user", "Manages the people who can sign in",
		newUserCreateCommand(sys), newUserSetPasswordCommand(sys), newUserListCommand(sys), newUserBanCommand(sys),
		newUserSessionsCommand(sys), newUserImportCommand(sys))
	group.Long = `user manages the people who can sign in, in the database of DATABASE_URL.

USER is an e-mail address or an id.`
	return group
}

// withOperator runs a command that works on users.
func withOperator(
	sys System, run func(cmd *cobra.Command, o *identity.Operator, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := sys.Settings()
		if err != nil {
			return err
		}
		store, err := openStore(cmd.Context(), cfg, "research user", nil)
		if err != nil {
			return err
		}
		defer store.Close()
		o, err := identity.NewOperator(server.IdentityConfig(cfg), store)
		if err != nil {
			return err
		}
		return run(cmd, o, args)
	}
}

const passwordUsage = "read the password from standard input, instead of making one and printing it"

func newUserCreateCommand(sys System) *cobra.Command {
	var fromStdin bool
	command := &cobra.Command{
		Use:   "create EMAIL",
		Short: "Adds a user, and prints the password, once",
		Args:  cobra.ExactArgs(1),
		RunE: withOperator(sys, func(cmd *cobra.Command, o *identity.Operator, args []string) error {
			password, err := readOrMakePassword(cmd.InOrStdin(), fromStdin)
			if err != nil {
				return err
			}
			id, err := o.Create(cmd.Context(), args[0], password)
			if err != nil {
				return err
			}
			answer := fmt.Sprintf("id:       %s\n", id)
			if !fromStdin {
				answer += fmt.Sprintf("password: %s\n", password)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), answer)
			return err
		}),
	}
	command.Flags().BoolVar(&fromStdin, "password-stdin", false, passwordUsage)
	return command
}

func newUserSetPasswordCommand(sys System) *cobra.Command {
	var fromStdin bool
	command := &cobra.Command{
		Use:   "set-password USER",
		Short: "Replaces a password, and ends the user's sessions",
		Args:  cobra.ExactArgs(1),
		RunE: withOperator(sys, func(cmd *cobra.Command, o *identity.Operator, args []string) error {
			password, err := readOrMakePassword(cmd.InOrStdin(), fromStdin)
			if err != nil {
				return err
			}
			if err := o.SetPassword(cmd.Context(), args[0], password); err != nil || fromStdin {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "password:", password)
			return err
		}),
	}
	command.Flags().BoolVar(&fromStdin, "password-stdin", false, passwordUsage)
	return command
}

// readOrMakePassword reads a line of standard input, which no list of processes and no shell history shows,
// or makes a password.
func readOrMakePassword(stdin io.Reader, fromStdin bool) (string, error) {
	if !fromStdin {
		return identity.NewPassword(), nil
	}
	line, err := bufio.NewReader(stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func newUserListCommand(sys System) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "list",
		Short: "Prints every user, the newest first",
		Args:  cobra.NoArgs,
		RunE: withOperator(sys, func(cmd *cobra.Command, o *identity.Operator, _ []string) error {
			if asJSON {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				return o.List(cmd.Context(), func(p identity.Person) error { return encoder.Encode(p) })
			}
			table := newTable(cmd.OutOrStdout())
			fmt.Fprintln(table, "ID\tEMAIL\tCREATED\tLAST SIGN-IN\tSTATE")
			err := o.List(cmd.Context(), func(p identity.Person) error {
				_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n",
					p.ID, p.Email, formatTime(p.CreatedAt), formatTime(p.LastSignInAt), userState(p))
				return err
			})
			return errors.Join(err, table.Flush())
		}),
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print a JSON object per line")
	return command
}

func userState(p identity.Person) string {
	switch {
	case p.BannedUntil != nil:
		return "banned until " + formatTime(p.BannedUntil)
	case p.Unconfirmed:
		return "unconfirmed"
	case p.External:
		return "external"
	default:
		return "active"
	}
}

// permanently is longer than any ban needs to last.
const permanently = 100 * 365 * 24 * time.Hour

func newUserBanCommand(sys System) *cobra.Command {
	var duration time.Duration
	var lift bool
	command := &cobra.Command{
		Use:   "ban USER",
		Short: "Keeps a user from signing in, and ends the user's sessions",
		Args:  cobra.ExactArgs(1),
		RunE: withOperator(sys, func(cmd *cobra.Command, o *identity.Operator, args []string) error {
			switch {
			case duration < 0:
				return usageErrorf("--for must not be negative")
			case lift:
				return o.Ban(cmd.Context(), args[0], 0)
			default:
				return o.Ban(cmd.Context(), args[0], cmp.Or(duration, permanently))
			}
		}),
	}
	command.Flags().DurationVar(&duration, "for", 0, "length of the ban, such as 24h; 0: permanent")
	command.Flags().BoolVar(&lift, "lift", false, "end the ban")
	return command
}

func newUserSessionsCommand(sys System) *cobra.Command {
	var end string
	command := &cobra.Command{
		Use:   "sessions USER",
		Short: "Prints where a user is signed in, or ends sessions",
		Args:  cobra.ExactArgs(1),
		RunE: withOperator(sys, func(cmd *cobra.Command, o *identity.Operator, args []string) error {
			if end == "" {
				return printSessions(cmd, o, args[0])
			}
			var one *uuid.UUID // nil means all
			if end != "all" {
				id, err := uuid.Parse(end)
				if err != nil {
					return usageErrorf("--end must be the id of a session, or all")
				}
				one = &id
			}
			ended, err := o.EndSessions(cmd.Context(), args[0], one)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "sessions ended:", ended)
			return err
		}),
	}
	command.Flags().StringVar(&end, "end", "",
		"end the session with this id, or all, with the access of apps and scripts")
	return command
}

func printSessions(cmd *cobra.Command, o *identity.Operator, user string) error {
	sessions, err := o.Sessions(cmd.Context(), user)
	if err != nil {
		return err
	}
	table := newTable(cmd.OutOrStdout())
	fmt.Fprintln(table, "ID\tSIGNED IN\tLAST USED\tADDRESS\tWITH")
	for _, s := range sessions {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n",
			s.ID, formatTime(&s.CreatedAt), formatTime(&s.LastUsedAt), cmp.Or(s.Ip, "-"), printable(s.UserAgent))
	}
	return table.Flush()
}

func newUserImportCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Adds users with their password hashes; FILE may be - for standard input",
		Long: `import adds users with their password hashes (bcrypt, argon2id, argon2i).

FILE is CSV with a header, JSON objects one per line, or a JSON array; - is standard input. Its
columns are id, email, password_hash (or encrypted_password), email_confirmed_at, created_at,
banned_until, user_metadata and app_metadata, or those of Supabase's auth.users. All users of the
file are added, or none. Users whose id or address exists are unchanged.`,
		Args: cobra.ExactArgs(1),
		RunE: withOperator(sys, func(cmd *cobra.Command, o *identity.Operator, args []string) error {
			in := cmd.InOrStdin()
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer func() { _ = file.Close() }()
				in = file
			}
			done, err := o.Import(cmd.Context(), in)
			if err != nil {
				return err
			}
			answer := fmt.Sprintf("added: %d\nalready present, unchanged: %d\n", done.Added, done.Present)
			if len(done.Ignored) > 0 {
				answer += fmt.Sprintf("columns ignored: %s\n", strings.Join(done.Ignored, ", "))
			}
			_, err = io.WriteString(cmd.OutOrStdout(), answer)
			return err
		}),
	}
}
