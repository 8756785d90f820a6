package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"research/config"
	"research/identity"
)

const userUsage = `Usage: research user COMMAND, against the database of DATABASE_URL. USER is an e-mail address or an id.

  create EMAIL [--password-stdin]        adds a user; without --password-stdin makes a password and prints it, once
  set-password USER [--password-stdin]   replaces a password and ends the user's sessions
  list [--json]                          every user, the newest first
  ban USER [--for 24h]                   keeps a user out, for good without --for, and ends the user's sessions
  ban USER --lift                        lets the user in again
  sessions USER [--end ID|all]           who is signed in where; ends one or all
  import FILE                            adds users with their password hashes (bcrypt, argon2id, argon2i); FILE may be - for standard input

import reads CSV with a row of names, JSON objects a line each, or a JSON array; names are id, email, password_hash (or encrypted_password), email_confirmed_at, created_at,
banned_until, user_metadata, app_metadata, or those of Supabase's identity.users. All users of the file are added, or none; whose id or address is taken stays as is.
`

var userOperations = map[string]operation[*identity.Operator]{
	"create":       {passwordFlag, 1, createUser},
	"set-password": {passwordFlag, 1, setPassword},
	"list":         {func(f *flag.FlagSet) { f.Bool("json", false, "") }, 0, listUsers},
	"ban": {func(f *flag.FlagSet) {
		f.Duration("for", 0, "")
		f.Bool("lift", false, "")
	}, 1, banUser},
	"sessions": {func(f *flag.FlagSet) { f.String("end", "", "") }, 1, userSessions},
	"import":   {noFlags, 1, importUsers},
}

func passwordFlag(f *flag.FlagSet) { f.Bool("password-stdin", false, "") }

func runUser(ctx context.Context, cfg config.Config, _ func(string) string, args []string, _ *slog.Logger) error {
	return userCommand(ctx, cfg, args, os.Stdin, os.Stdout)
}

// userCommand is runUser over streams of the caller's.
func userCommand(ctx context.Context, cfg config.Config, args []string, in io.Reader, out io.Writer) error {
	op, c, err := readCall("user", userUsage, userOperations, args, in, out)
	if err != nil || op == nil {
		return err
	}
	store, err := openStore(ctx, cfg, "research user")
	if err != nil {
		return err
	}
	defer store.Close()
	o, err := identity.NewOperator(authConfig(cfg).Identity, store)
	if err != nil {
		return err
	}
	return op.run(ctx, o, c)
}

// password reads one from standard input, so that it is in no list of processes and no shell's history, or makes one.
func (c call) password() (password string, made bool, err error) {
	if !c.on("password-stdin") {
		return identity.NewPassword(), true, nil
	}
	line, err := bufio.NewReader(c.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	return strings.TrimRight(line, "\r\n"), false, nil
}

func createUser(ctx context.Context, o *identity.Operator, c call) error {
	password, made, err := c.password()
	if err != nil {
		return err
	}
	id, err := o.Create(ctx, c.args[0], password)
	if err != nil {
		return err
	}
	answer := fmt.Sprintf("id:       %s\n", id)
	if made {
		answer += fmt.Sprintf("password: %s\n", password)
	}
	_, err = io.WriteString(c.out, answer)
	return err
}

func setPassword(ctx context.Context, o *identity.Operator, c call) error {
	password, made, err := c.password()
	if err != nil {
		return err
	}
	if err := o.SetPassword(ctx, c.args[0], password); err != nil || !made {
		return err
	}
	_, err = fmt.Fprintln(c.out, "password:", password)
	return err
}

func listUsers(ctx context.Context, o *identity.Operator, c call) error {
	if c.on("json") {
		e := json.NewEncoder(c.out)
		return o.List(ctx, func(p identity.Person) error { return e.Encode(p) })
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tEMAIL\tCREATED\tLAST SIGN-IN\tSTATE")
	err := o.List(ctx, func(p identity.Person) error {
		state := "active"
		switch {
		case p.BannedUntil != nil:
			state = "banned until " + minute(p.BannedUntil)
		case p.Unconfirmed:
			state = "unconfirmed"
		case p.External:
			state = "external"
		}
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.ID, p.Email, minute(p.CreatedAt), minute(p.LastSignInAt), state)
		return err
	})
	return errors.Join(err, w.Flush())
}

// forGood is longer than anybody waits.
const forGood = 100 * 365 * 24 * time.Hour

func banUser(ctx context.Context, o *identity.Operator, c call) error {
	duration, err := time.ParseDuration(c.text("for"))
	switch {
	case err != nil || duration < 0:
		return errors.New("--for must be a duration, such as 24h")
	case c.on("lift"):
		return o.Ban(ctx, c.args[0], 0)
	}
	return o.Ban(ctx, c.args[0], cmp.Or(duration, forGood))
}

func userSessions(ctx context.Context, o *identity.Operator, c call) error {
	switch which := c.text("end"); which {
	case "":
		list, err := o.Sessions(ctx, c.args[0])
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tSIGNED IN\tLAST USED\tADDRESS\tWITH")
		for _, s := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.ID, minute(&s.CreatedAt), minute(&s.LastUsedAt), cmp.Or(s.Ip, "-"), printable(s.UserAgent))
		}
		return w.Flush()
	case "all":
		return endSessions(ctx, o, c, nil)
	default:
		id, err := uuid.Parse(which)
		if err != nil {
			return errors.New("--end must be the id of a session, or all")
		}
		return endSessions(ctx, o, c, &id)
	}
}

func endSessions(ctx context.Context, o *identity.Operator, c call, one *uuid.UUID) error {
	ended, err := o.EndSessions(ctx, c.args[0], one)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, "sessions ended:", ended)
	return err
}

func importUsers(ctx context.Context, o *identity.Operator, c call) error {
	in := c.in
	if c.args[0] != "-" {
		file, err := os.Open(c.args[0])
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	done, err := o.Import(ctx, in)
	if err != nil {
		return err
	}
	answer := fmt.Sprintf("added: %d\nthere already, and left as they are: %d\n", done.Added, done.Present)
	if len(done.Ignored) > 0 {
		answer += fmt.Sprintf("columns that mean nothing here: %s\n", strings.Join(done.Ignored, ", "))
	}
	_, err = io.WriteString(c.out, answer)
	return err
}
