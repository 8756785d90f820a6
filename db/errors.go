package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// What a caller may test for with errors.Is.
var (
	// ErrNotFound: no row, or none that the caller may see.
	ErrNotFound = errors.New("not found")
	// ErrConflict: a unique, foreign-key or check constraint refuses; Constraint names it.
	ErrConflict = errors.New("conflict")
	// ErrDenied: the role has no right, or row-level security refuses.
	ErrDenied = errors.New("denied")
	// ErrUnavailable: the database cannot be reached, is starting or stopping, or broke off (a deadlock included); trying
	// again may help.
	ErrUnavailable error = unavailable{}
)

type unavailable struct{}

func (unavailable) Error() string { return "database unavailable" }

// Unavailable marks the error as that of a dependency that cannot be reached.
func (unavailable) Unavailable() bool { return true }

// Constraint returns the name of the constraint that refused, or "".
func Constraint(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.ConstraintName
	}
	return ""
}

// A classified error keeps the driver's error for the log and says what kind it is. Its text has no values of rows:
// the driver's message names tables and constraints only, and its detail is not part of it.
type classified struct {
	kind  error
	cause error
}

func (e *classified) Error() string   { return fmt.Sprintf("%s: %s", e.kind, e.cause) }
func (e *classified) Unwrap() []error { return []error{e.kind, e.cause} }

// unavailableError hides the cause's text, which names hosts and users.
type unavailableError struct{ cause error }

func (e *unavailableError) Error() string   { return ErrUnavailable.Error() }
func (e *unavailableError) Unwrap() []error { return []error{ErrUnavailable, e.cause} }

// dataError hides the text of a data exception, which quotes the value that was no number, no UUID or too long.
type dataError struct {
	code  string
	cause error
}

func (e *dataError) Error() string { return "the database refuses a value: SQLSTATE " + e.code }
func (e *dataError) Unwrap() error { return e.cause }

// translate turns a driver error into one of ours, by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html).
func translate(err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []error{ErrNotFound, ErrConflict, ErrDenied, ErrUnavailable} {
		if errors.Is(err, known) {
			return err
		}
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return &classified{ErrNotFound, err}
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) && !errors.Is(err, context.Canceled) {
		// First, since it may hold the server's refusal ("starting up", "too many clients"), and the pool's own time limit looks like the caller's.
		return &unavailableError{err}
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		if pg.Routine == "RevalidateCachedQuery" { // a migration changed what a prepared statement answers: it is prepared anew the next time
			return &unavailableError{err}
		}
		return translateState(pg.Code, err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var network net.Error
	if errors.As(err, &network) || pgconn.SafeToRetry(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &unavailableError{err}
	}
	return err
}

func translateState(code string, err error) error {
	switch code {
	case "23502", // not null: a bug of ours, or a filled column that stayed empty
		"57014": // a cancelled statement says nothing about the server
		return err
	case "42501":
		return &classified{ErrDenied, err}
	case "25006", // the server that answers is a standby: a failover is under way
		"25P03", "25P04", "55P03", // time limits that the operator set: of idle transactions, of transactions, of waiting for a lock
		"26000": // a pooler lost the prepared statement
		return &unavailableError{err}
	}
	switch code[:2] {
	case "22":
		return &dataError{code, err}
	case "23":
		return &classified{ErrConflict, err}
	case "08", "40", "53", "57": // connections, deadlocks and failed serialisation, resources, the operator
		return &unavailableError{err}
	}
	return err
}
