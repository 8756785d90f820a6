package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// requireSession returns an error if the database of a URL cannot be used or written to, or lends its
// connections.
func requireSession(ctx context.Context, url string) error {
	conn, err := Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return checkWrites(ctx, conn)
}

// CheckDirect returns an error if Listen cannot use the URL that Config.DirectURL is: one of a database
// without a pooler between.
func CheckDirect(ctx context.Context, url string) error {
	conn, err := Connect(ctx, url)
	if errors.Is(err, ErrLent) {
		return errLentDirect
	}
	if err != nil {
		return fmt.Errorf("DATABASE_DIRECT_URL: %w", err)
	}
	return conn.Close(ctx)
}

// isDirect is true in a session of PostgreSQL itself. A pooler gives its clients numbers of its own.
const isDirect = "pg_backend_pid() = %d"

// refuseLent returns ErrLent if the connection is a pooler's that is lent for one transaction. It changes
// nothing of the session.
func refuseLent(ctx context.Context, conn *pgx.Conn) error {
	mine, err := backend(ctx, conn)
	if err != nil {
		return unreachable(err)
	}
	if mine == strconv.FormatUint(uint64(conn.PgConn().PID()), 10) {
		return nil
	}
	lent, err := isLent(ctx, conn)
	if err != nil {
		return unreachable(err)
	}
	if lent {
		return ErrLent
	}
	return nil
}

const (
	// lentTries is how often isLent looks: a pooler may choose between several idle connections.
	lentTries = 5
	// lentWait is how long a pooler may take for a connection. One that has a single connection lends it to
	// nobody else during a transaction.
	lentWait = 2 * time.Second
)

// isLent reports whether a pooler lends the connection for one transaction: then another client gets the
// same session of PostgreSQL, or this client another one meanwhile.
func isLent(ctx context.Context, conn *pgx.Conn) (bool, error) {
	other, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil {
		return false, err
	}
	defer func() { _ = other.Close(context.WithoutCancel(ctx)) }() // which rolls back
	for range lentTries {
		mine, err := backend(ctx, conn)
		if err != nil {
			return false, err
		}
		if _, err := simply(ctx, other, "begin"); err != nil {
			return false, err
		}
		theirs, err := backend(ctx, other)
		if err != nil || mine == theirs {
			return err == nil, err
		}
		limited, cancel := context.WithTimeout(ctx, lentWait)
		meanwhile, err := backend(limited, conn)
		cancel()
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil || meanwhile != mine {
			return true, nil
		}
		if _, err := simply(ctx, other, "rollback"); err != nil {
			return false, err
		}
	}
	return false, nil
}

// backend returns the number of the process of PostgreSQL that executes a statement.
func backend(ctx context.Context, conn *pgx.Conn) (pid string, err error) {
	return simply(ctx, conn, "select pg_backend_pid()")
}

// simply executes a statement by the simple protocol, which needs no session, and returns the first value of
// the first row.
func simply(ctx context.Context, conn *pgx.Conn, sql string) (value string, err error) {
	results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err == nil && len(results) > 0 && len(results[0].Rows) > 0 {
		value = string(results[0].Rows[0][0])
	}
	return value, err
}
