package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Query is an SQL statement of another package. The arguments are texts, of which PostgreSQL infers the
// types; nil is null.
type Query struct {
	SQL  string
	Args [][]byte
}

// A Batch is a list of queries of another package, which run in one transaction as a subject.
type Batch struct {
	Settings []Setting // beside role and request.jwt.claims
	ReadOnly bool      // the transaction may not write; it needs one round trip instead of two
	Queries  []Query   // at least one
}

// Rows are what a query returned. Values are texts; nil is null.
type Rows struct {
	Columns []string
	Values  [][][]byte
}

// Run runs queries as AsUser does: in one transaction, with the subject's role and claims. Everything is sent
// in one pipeline. The results are those of the queries, in their order. Unless the batch is read-only,
// decide judges them before they are committed: false, or an error, rolls everything back.
//
// Errors: ErrDenied for a role that is not one of ours, ErrUnavailable, decide's own, or the driver's, for an
// edge that answers with SQLSTATEs.
func (s *Store) Run(
	ctx context.Context, subject Subject, batch Batch, decide func([]Rows) (commit bool, err error),
) (results []Rows, err error) {
	if err := s.checkRole(&subject); err != nil {
		return nil, err
	}
	ctx = startSQL(ctx, s.tracer, "statement")
	defer func() {
		err = ofContext(ctx, err)
		endSQL(ctx, err)
	}()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, translate(err)
	}
	defer conn.Release() // it closes a connection whose transaction is still open
	pg := conn.Conn().PgConn()

	p := newPipeline(ctx, pg, s.prepares)
	if !batch.ReadOnly {
		p.exec("begin", nil)
	}
	if s.direct != "" { // there is no session to set them for
		batch.Settings = slices.Concat(sessionSettings, batch.Settings)
	}
	p.set(subject, batch)
	for _, q := range batch.Queries {
		p.query(q.SQL, q.Args)
	}
	results, err = p.read()
	if batch.ReadOnly {
		return results, runError(err)
	}
	if err != nil {
		rollBack(ctx, pg)
		return nil, runError(err)
	}
	commit, err := decide(results)
	if err == nil && !commit {
		// A deferred constraint that would fail the commit fails the request all the same.
		if _, deferred := pg.Exec(ctx, "set constraints all immediate").ReadAll(); deferred != nil {
			err = runError(deferred)
		}
	}
	if err != nil || !commit {
		rollBack(ctx, pg)
		return results, err
	}
	if _, err := pg.Exec(ctx, "commit").ReadAll(); err != nil {
		rollBack(ctx, pg)
		return nil, runError(err)
	}
	return results, nil
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

// set sends the settings of a batch and its subject, for the transaction. The role is last: there may be
// settings that it is not allowed to change.
func (p *pipeline) set(subject Subject, batch Batch) {
	settings := make([]Setting, 0, len(batch.Settings)+3)
	if batch.ReadOnly {
		settings = append(settings, Setting{"transaction_read_only", "on"})
	}
	settings = append(settings, batch.Settings...)
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

// runError leaves the server's errors as they are, but for those of an operator (class 57), a connection
// (08), resources (53, whose messages name files of the server), or a pooler that mixes up prepared
// statements. What a function raises is its own.
func runError(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return translate(err)
	}
	switch class := pg.Code[:2]; {
	case pg.Code == "57014", pg.Code == "53400", pg.Routine == raised: // 53400 is a limit of the statement's own
		return err
	case slices.Contains([]string{"57", "08", "53"}, class), slices.Contains(statesOfPoolers, pg.Code):
		return translate(err)
	}
	return err
}

// statesOfPoolers are those of a session in which somebody else prepared statements, or nobody did.
var statesOfPoolers = []string{"26000", "34000", "42P05"}

// raised is the routine of the server whose errors a function raises.
const raised = "exec_stmt_raise"

// keepsConnection reports whether a connection can be used after an error. The statements that it has
// prepared are not those that we know of once a pooler has mixed them up: each later use would fail as well.
func keepsConnection(_ *pgconn.PgConn, pg *pgconn.PgError) bool {
	isLost := (pg.Code == "08P01" || slices.Contains(statesOfPoolers, pg.Code)) && pg.Routine != raised
	return !isLost && !isFatal(pg)
}
