package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Setting is a run-time parameter that is local to a transaction. Its name never comes from a client.
type Setting struct{ Name, Value string }

// A Statement is one SQL statement of another package, which runs as a subject. Values are texts; nil is
// null.
type Statement struct {
	Settings []Setting // beside role and request.jwt.claims
	ReadOnly bool      // the transaction may not write; it needs one round trip instead of two
	Before   string    // runs first, as the subject; empty means nothing. Only tools/conformance has one
	SQL      string
	Args     [][]byte // PostgreSQL infers their types
	Then     string   // runs after SQL; empty means nothing
	ThenArgs [][]byte
}

// Rows are what a statement returned. Values are texts; nil is null.
type Rows struct {
	Columns []string
	Values  [][][]byte
	Then    [][][]byte // of Statement.Then
}

// Run runs a statement as AsUser does: in one transaction, with the subject's role and claims. Everything is
// sent in one pipeline. Unless the statement is read-only, decide judges the result before it is committed:
// false, or an error, rolls it back.
//
// Errors: ErrDenied for a role that is not one of ours, ErrUnavailable, decide's own, or the driver's, for an
// edge that answers with SQLSTATEs.
func (s *Store) Run(
	ctx context.Context, subject Subject, st Statement, decide func(Rows) (commit bool, err error),
) (rows Rows, err error) {
	if err := s.checkRole(&subject); err != nil {
		return Rows{}, err
	}
	ctx = startSQL(ctx, s.tracer, "statement")
	defer func() { endSQL(ctx, err) }()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return Rows{}, translate(err)
	}
	defer conn.Release() // it closes a connection whose transaction is still open
	pg := conn.Conn().PgConn()

	p := newPipeline(ctx, pg, s.prepares)
	if !st.ReadOnly {
		p.exec("begin", nil)
	}
	p.set(subject, st)
	if st.Before != "" {
		p.exec(st.Before, nil)
	}
	p.query(st.SQL, st.Args)
	if st.Then != "" {
		p.query(st.Then, st.ThenArgs)
	}
	results, err := p.read()
	if err == nil {
		rows = Rows{Columns: results[0].columns, Values: results[0].values}
		if st.Then != "" {
			rows.Then = results[1].values
		}
	}
	if st.ReadOnly {
		return rows, runError(err)
	}
	if err != nil {
		rollBack(ctx, pg)
		return Rows{}, runError(err)
	}
	commit, err := decide(rows)
	if err == nil && !commit {
		// A deferred constraint that would fail the commit fails the request all the same.
		if _, deferred := pg.Exec(ctx, "set constraints all immediate").ReadAll(); deferred != nil {
			err = runError(deferred)
		}
	}
	if err != nil || !commit {
		rollBack(ctx, pg)
		return rows, err
	}
	if _, err := pg.Exec(ctx, "commit").ReadAll(); err != nil {
		rollBack(ctx, pg)
		return Rows{}, runError(err)
	}
	return rows, nil
}

// rollBack ends a transaction. If that fails, the connection is closed when it is released.
func rollBack(ctx context.Context, pg *pgconn.PgConn) {
	_, _ = pg.Exec(context.WithoutCancel(ctx), "rollback").ReadAll()
}

// maxSettings is how many settings one statement sets. A function of PostgreSQL has at most 100 arguments.
const maxSettings = 50

// settingsSQL has the statement that sets n settings at index n. Names are parameters as well, so that a
// connection prepares one statement for each number. num_nulls keeps PostgreSQL from returning the values, of
// which request.headers is a kilobyte or more.
var settingsSQL = func() (list [maxSettings + 1]string) {
	var calls []string
	for i := range maxSettings {
		calls = append(calls, fmt.Sprintf("set_config($%d, $%d, true)", 2*i+1, 2*i+2))
		list[i+1] = "select num_nulls(" + strings.Join(calls, ", ") + ")"
	}
	return list
}()

// set sends the settings of a statement and its subject, for the transaction. The role is last: there may be
// settings that it is not allowed to change.
func (p *pipeline) set(subject Subject, st Statement) {
	settings := make([]Setting, 0, len(st.Settings)+3)
	if st.ReadOnly {
		settings = append(settings, Setting{"transaction_read_only", "on"})
	}
	settings = append(settings, st.Settings...)
	settings = append(settings,
		Setting{"request.jwt.claims", string(subject.Claims)}, Setting{"role", subject.Role})
	for some := range slices.Chunk(settings, maxSettings) {
		p.exec(settingsSQL[len(some)], settingsArgs(some))
	}
}

// settingsArgs returns the names and values of settings as parameters, which share one array.
func settingsArgs(settings []Setting) [][]byte {
	size := 0
	for _, set := range settings {
		size += len(set.Name) + len(set.Value)
	}
	args, array := make([][]byte, 0, 2*len(settings)), make([]byte, 0, size)
	add := func(text string) {
		from := len(array)
		array = append(array, text...)
		args = append(args, array[from:])
	}
	for _, set := range settings {
		add(set.Name)
		add(set.Value)
	}
	return args
}

// runError leaves the server's errors as they are, but for those of an operator (class 57) or a connection
// (08).
func runError(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "57014" || pg.Code[:2] != "57" && pg.Code[:2] != "08") {
		return err
	}
	return translate(err)
}
