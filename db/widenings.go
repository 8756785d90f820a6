package db

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Widening is a difference between what a database lets roles do and what the migrations let them do.
type Widening struct {
	What    string // such as "authenticated has update on table public.imports"
	Command string // SQL that an administrator may paste
	// IsSevere means that Migrate fails if it may not correct the difference.
	IsSevere bool

	byMigrate bool // Migrate runs the command
	step      correctionStep
}

// SplitWidenings returns the severe ones, and the others.
func SplitWidenings(all []Widening) (severe, other []Widening) {
	for _, w := range all {
		if w.IsSevere {
			severe = append(severe, w)
		} else {
			other = append(other, w)
		}
	}
	return severe, other
}

// inspectPrivileges returns the differences, and what roles of others may do with the service's objects.
func inspectPrivileges(ctx context.Context, conn *pgx.Conn) (all []Widening, foreign []string, err error) {
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		in, err := readPrivileges(ctx, tx)
		if err != nil {
			return err
		}
		foreign = in.foreignGrants()
		all, err = readWidenings(ctx, tx)
		return err
	})
	return all, foreign, err
}

// readWidenings returns the differences, those that Migrate corrects first.
func readWidenings(ctx context.Context, tx pgx.Tx) ([]Widening, error) {
	in, err := readPrivileges(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("read the privileges: %w", err)
	}
	all := in.compare()
	for _, r := range rules {
		broken, err := readViolations(ctx, tx, r)
		if err != nil {
			return nil, fmt.Errorf("check that %s: %w", r.Name, err)
		}
		all = append(all, broken...)
	}
	policies, err := readOtherPolicies(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("read the policies: %w", err)
	}
	all = append(all, policies...)
	slices.SortStableFunc(all, func(a, b Widening) int { return cmp.Compare(a.step, b.step) })
	return all, nil
}

// readViolations returns the violations of a rule. Objects of others are theirs to correct.
func readViolations(ctx context.Context, tx pgx.Tx, r rule) ([]Widening, error) {
	rows, err := tx.Query(ctx, r.Query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (w Widening, err error) {
		var object string
		err = row.Scan(&object, &w.What, &w.Command, &w.IsSevere)
		// Roles belong to the server. What is no danger there may be what another program needs.
		w.byMigrate = object == "" && w.IsSevere || isMigrated(object)
		w.IsSevere = w.IsSevere && w.byMigrate
		return w, err
	})
}

// isMigrated reports whether the migrations create an object: "table public.projects".
func isMigrated(object string) bool {
	return strings.HasPrefix(schemaList, object+"\n") || strings.Contains(schemaList, "\n"+object+"\n")
}

const policiesSQL = `
	select c.oid::regclass::text, p.polname, format('drop policy %I on %s', p.polname, c.oid::regclass)
	from pg_policy p
	join pg_class c on c.oid = p.polrelid
	where p.polpermissive
	order by 1, 2`

// readOtherPolicies returns the policies that the migrations did not create on their tables. They may show
// rows.
func readOtherPolicies(ctx context.Context, tx pgx.Tx) (others []Widening, err error) {
	rows, err := tx.Query(ctx, policiesSQL)
	if err != nil {
		return nil, err
	}
	var table, name, command string
	_, err = pgx.ForEachRow(rows, []any{&table, &name, &command}, func() error {
		if isMigrated("table "+table) && !isMigrated("policy "+name+" of "+table) {
			what := "the policy " + QuoteName(name) + " on " + table + " is not one of the migrations"
			others = append(others, Widening{What: what, Command: command})
		}
		return nil
	})
	return others, err
}

// privilegesLock is the key of the advisory lock for changing privileges, so that concurrent processes do not
// change the same row of the catalog.
const privilegesLock = 715518

// A catalog is that of a database, whose owner is connected.
type catalog struct {
	conn        *pgx.Conn
	lockTimeout time.Duration // of a table
}

// change runs fn in a transaction, one at a time of all processes.
func (c catalog) change(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, c.conn, func(tx pgx.Tx) error {
		const lock = "set local lock_timeout = 0; select pg_advisory_xact_lock(%d); set local lock_timeout = %d"
		_, err := tx.Exec(ctx, fmt.Sprintf(lock, privilegesLock, c.lockTimeout.Milliseconds()))
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// closeDefaults takes from the service's roles, and from PUBLIC, what default privileges would give them on
// the objects of later migrations. No moment exists in which a new table is open.
func (c catalog) closeDefaults(ctx context.Context) error {
	return c.change(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local search_path = ''"); err != nil {
			return err
		}
		open, err := readViolations(ctx, tx, defaultPrivileges)
		if err != nil {
			return fmt.Errorf("read the default privileges: %w", err)
		}
		if err := correct(ctx, tx, open, correctOwners); err != nil {
			return fmt.Errorf("close the default privileges: %w", err)
		}
		return nil
	})
}

// CorrectPrivileges makes privileges, owners and roles what the migrations made them, whatever default
// privileges and grants the database has. What roles of others may do is left alone. The URL must be an
// owner's, and the database must have exactly the migrations of this program.
//
// The error is a *WideningsError if the login may not correct everything.
func CorrectPrivileges(ctx context.Context, url string) error {
	conn, err := Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return catalog{conn, lockTimeout}.correctPrivileges(ctx)
}

func (c catalog) correctPrivileges(ctx context.Context) error {
	return c.change(ctx, func(tx pgx.Tx) error {
		for _, step := range correctionSteps {
			all, err := readWidenings(ctx, tx)
			if err != nil {
				return err
			}
			if err := correct(ctx, tx, all, step); err != nil {
				return err
			}
		}
		all, err := readWidenings(ctx, tx)
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(all, func(w Widening) bool { return !w.IsSevere })
		if len(left) > 0 {
			return &WideningsError{left}
		}
		return nil
	})
}

// setRole matches the commands that change the role of a session.
var setRole = regexp.MustCompile(`^set role `)

// correct runs the commands of a step: together, else each by itself, if the login may not run one of them.
func correct(ctx context.Context, tx pgx.Tx, all []Widening, step correctionStep) error {
	var commands []string
	for _, w := range all {
		if w.byMigrate && w.step == step {
			commands = append(commands, setRole.ReplaceAllString(w.Command, "set local role "))
		}
	}
	if len(commands) == 0 {
		return nil
	}
	run := func(command string) error {
		return pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, command)
			return err
		})
	}
	if err := run(strings.Join(commands, "; ")); err == nil || !isRefused(err) {
		return err
	}
	for _, command := range commands {
		if err := run(command); err != nil && !isRefused(err) {
			return err
		}
	}
	return nil
}

// isRefused reports whether the login may not run a command, or only in another way.
func isRefused(err error) bool {
	for _, state := range []string{"42501", "0LP01", "0P000", "2BP01", "42704"} {
		if isState(err, state) {
			return true
		}
	}
	return false
}

// A WideningsError says what the login of a migration may not correct.
type WideningsError struct{ Left []Widening }

func (e *WideningsError) Error() string {
	var whats, commands []string
	for _, w := range e.Left {
		whats = append(whats, w.What)
		if !slices.Contains(commands, w.Command+";") {
			commands = append(commands, w.Command+";")
		}
	}
	return "the privileges in the database are not those of the migrations, and this login may not change " +
		"that: " + Summarize(whats) + "\nhave an administrator run in this database, " +
		"then run research migrate again:\n" +
		strings.Join(commands, "\n")
}

// maxNamed bounds how many things a message names.
const maxNamed = 10

// Summarize lists the first things, and says how many more there are.
func Summarize(things []string) string {
	text := strings.Join(things[:min(len(things), maxNamed)], ", ")
	if more := len(things) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
