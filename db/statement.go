package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A Setting is a run-time parameter that is local to a transaction.
type Setting struct{ Name, Value string }

// A Statement is one SQL statement that runs as a subject, with what PostgREST's contract sets around it.
type Statement struct {
	Settings []Setting // beside role and request.jwt.claims
	ReadOnly bool      // the transaction may not write; it needs one round trip instead of two
	PreSQL   string    // runs before SQL, as the subject; may be empty
	SQL      string
	Args     [][]byte // texts; nil is null. PostgreSQL infers their types.
	Then     string   // runs after SQL in the same round trip; may be empty
	ThenArgs [][]byte
}

// Rows are what a statement returned, as texts; nil is null.
type Rows struct {
	Values [][][]byte
	Then   [][][]byte // of Statement.Then
	Tag    pgconn.CommandTag
}

// Run is AsUser for one statement that another package built: everything goes to the server in one pipeline, which is one transaction. Unless the statement is
// read-only, decide judges the result before it is committed: false, or an error, rolls it back. Errors are the driver's, for the edge that speaks SQLSTATE,
// or ErrUnavailable.
func (s *Store) Run(ctx context.Context, subject Subject, st Statement, decide func(Rows) (commit bool, err error)) (rows Rows, err error) {
	if err := s.checkRole(&subject); err != nil {
		return Rows{}, err
	}
	ctx = startSQL(ctx, s.tracer, "statement")
	defer func() { endSQL(ctx, err) }()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return Rows{}, translate(err)
	}
	defer conn.Release() // a connection that is not idle is destroyed
	pg := conn.Conn().PgConn()

	pipe := &pipeline{Pipeline: pg.StartPipeline(ctx), prepared: preparedOf(conn.Conn())}
	pipe.trim()
	results := 0
	if !st.ReadOnly {
		pipe.exec("begin", nil)
		results++
	}
	pipe.exec(settingsSQL(subject, st))
	results++
	if st.PreSQL != "" {
		pipe.exec(st.PreSQL, nil)
		results++
	}
	pipe.exec(st.SQL, st.Args)
	if st.Then != "" {
		pipe.exec(st.Then, st.ThenArgs)
	}
	rows, err = pipe.read(results)
	if st.ReadOnly {
		return rows, runError(err)
	}
	if err != nil {
		s.end(ctx, pg, "rollback")
		return Rows{}, runError(err)
	}
	commit, err := decide(rows)
	if err == nil && !commit {
		// What a commit would refuse is refused all the same.
		if _, deferred := pg.Exec(ctx, "set constraints all immediate").ReadAll(); deferred != nil {
			err = runError(deferred)
		}
	}
	if err != nil || !commit {
		s.end(ctx, pg, "rollback")
		return rows, err
	}
	// A deferred constraint may still refuse.
	if _, err := pg.Exec(ctx, "commit").ReadAll(); err != nil {
		s.end(ctx, pg, "rollback")
		return Rows{}, runError(err)
	}
	return rows, nil
}

// end rolls back. Should that fail, Release destroys the connection.
func (s *Store) end(ctx context.Context, pg *pgconn.PgConn, sql string) {
	_, _ = pg.Exec(context.WithoutCancel(ctx), sql).ReadAll()
}

// settingsSQL makes the subject and the settings local to the transaction in one statement. The role comes last: what it may not set is set before.
func settingsSQL(subject Subject, st Statement) (string, [][]byte) {
	settings := st.Settings
	if st.ReadOnly {
		settings = append([]Setting{{"transaction_read_only", "on"}}, settings...)
	}
	settings = append(settings, Setting{"request.jwt.claims", string(subject.Claims)}, Setting{"role", subject.Role})
	sql := "select "
	var args [][]byte
	for i, set := range settings {
		if i > 0 {
			sql += ", "
		}
		sql += fmt.Sprintf("set_config($%d, $%d, true)", 2*i+1, 2*i+2)
		args = append(args, []byte(set.Name), []byte(set.Value))
	}
	return sql, args
}

// runError keeps the server's errors as they are.
func runError(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "57014" || pg.Code[:2] != "57" && pg.Code[:2] != "08") {
		return err
	}
	return translate(err)
}

// Listen calls notify for every notification on the channel, and once after each connect, since what came meanwhile is lost. It returns when the context ends or
// the connection breaks.
func (s *Store) Listen(ctx context.Context, channel string, notify func(payload string)) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return translate(err)
	}
	// A connection that listens does not go back to the pool.
	raw := conn.Hijack()
	defer func() { _ = raw.Close(context.WithoutCancel(ctx)) }()
	if _, err := raw.Exec(ctx, "listen "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return translate(err)
	}
	notify("reload schema")
	for {
		n, err := raw.WaitForNotification(ctx)
		if err != nil {
			return translate(err)
		}
		notify(n.Payload)
	}
}
