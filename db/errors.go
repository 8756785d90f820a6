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

// The errors that a caller may test for with errors.Is.
var (
	// ErrNotFound means that there is no such row, or none that the caller may see.
	ErrNotFound = errors.New("not found")
	// ErrConflict means that a unique, foreign-key or check constraint was violated. Constraint returns its
	// name.
	ErrConflict = errors.New("conflict")
	// ErrDenied means that the role lacks a privilege, or that row-level security rejected the statement.
	ErrDenied = errors.New("denied")
	// ErrUnavailable means that the database cannot be reached, is starting or stopping, or aborted the
	// transaction (a deadlock included). A retry may help.
	ErrUnavailable error = unavailable{}
	// ErrTimeout means that a statement was cancelled, by StatementTimeout or the operator's statement_timeout.
	ErrTimeout = errors.New("the statement took too long")
	// ErrInvalidValue means that PostgreSQL cannot store a value: a number out of range, malformed text, JSON
	// that is nested too deeply. The error has none of the value.
	ErrInvalidValue = errors.New("invalid value")
)

// ErrLent means that DATABASE_URL is a pooler that lends a connection for one transaction, such as PgBouncer
// or Supavisor in transaction mode, and that DATABASE_DIRECT_URL does not say so: what belongs to a session
// would stay with connections that others use.
var ErrLent = errors.New("DATABASE_URL is a pooler that lends its connections for one transaction: set " +
	"DATABASE_DIRECT_URL to the same database without the pooler for serve and worker; migrate, backup, " +
	"restore and drill need that address as their DATABASE_URL")

var errLentDirect = errors.New("DATABASE_DIRECT_URL is a pooler that lends its connections for one " +
	"transaction: set it to the address of the database itself")

var kinds = []error{ErrNotFound, ErrConflict, ErrDenied, ErrUnavailable, ErrTimeout, ErrInvalidValue}

type unavailable struct{}

func (unavailable) Error() string { return "database unavailable" }

// Unavailable marks the error as that of a dependency that cannot be reached.
func (unavailable) Unavailable() bool { return true }

// Constraint returns the name of the constraint that was violated, or "".
func Constraint(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.ConstraintName
	}
	return ""
}

// A classified error adds one of the errors above to the driver's error. Its text has no values of rows: the
// driver's message names tables and constraints only, and its detail is not part of the text.
type classified struct {
	kind  error
	cause error
}

func (e *classified) Error() string   { return fmt.Sprintf("%s: %s", e.kind, e.cause) }
func (e *classified) Unwrap() []error { return []error{e.kind, e.cause} }

// An unavailableError hides the text of the driver, which names hosts and users.
type unavailableError struct{ cause error }

func (e *unavailableError) Error() string {
	if why := causeOf(e.cause).why; why != "" {
		return ErrUnavailable.Error() + ": " + why
	}
	return ErrUnavailable.Error()
}
func (e *unavailableError) Unwrap() []error { return []error{ErrUnavailable, e.cause} }

// ReadOnly reports whether the database only refuses to be written to.
func (e *unavailableError) ReadOnly() bool { return isState(e.cause, "25006") }

// ErrReadOnly means that the database can be read and not written.
var ErrReadOnly = errors.New("the database is read-only")

// IsReadOnly reports whether the database only refuses to be written to.
func IsReadOnly(err error) bool { return errors.Is(err, ErrReadOnly) || isState(err, "25006") }

// A readOnlyError says why nothing can be written.
type readOnlyError struct{ why string }

func (e *readOnlyError) Error() string { return ErrReadOnly.Error() + ": " + e.why }
func (e *readOnlyError) Unwrap() error { return ErrReadOnly }

// State names the state of the database in the answer to a probe.
func (e *readOnlyError) State() string { return "read_only" }

// An invalidValueError hides the text of its cause, which quotes the value.
type invalidValueError struct {
	state string
	cause error
}

func (e *invalidValueError) Error() string   { return ErrInvalidValue.Error() + ": SQLSTATE " + e.state }
func (e *invalidValueError) Unwrap() []error { return []error{ErrInvalidValue, e.cause} }

// A LimitError means that a user has written what the limits allow. Its texts are for that person.
type LimitError struct {
	Message, Hint string
	Passes        bool // it helps to try again later
	cause         error
}

func (e *LimitError) Error() string { return e.Message }
func (e *LimitError) Unwrap() error { return e.cause }

// Advice returns what an operator can do about an error of this package, or "".
func Advice(err error) string {
	if errors.Is(err, ErrLent) {
		return "add DATABASE_DIRECT_URL, and let serve log in as authenticator, worker as research_worker"
	}
	if errors.Is(err, errLentDirect) {
		return "set DATABASE_DIRECT_URL to the host and port at which PostgreSQL itself listens"
	}
	if errors.Is(err, ErrReadOnly) {
		return causesOfStates["25006"].do
	}
	var failed *unavailableError
	if errors.As(err, &failed) { // the driver's own text tells some causes
		err = failed.cause
	}
	return causeOf(err).do
}

// isState reports whether the server answered with this SQLSTATE.
func isState(err error, state string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == state
}

// unreachable says why the database cannot be used.
func unreachable(err error) error {
	if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrLent) {
		return err
	}
	return &unavailableError{err}
}

// IsDeadlock reports whether PostgreSQL rolled a transaction back so that another one could continue. Nothing
// was written, and a retry is likely to succeed.
func IsDeadlock(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "40P01"
}

// translate classifies a driver error. An error that is classified already is returned as it is.
func translate(err error) error {
	if err == nil {
		return nil
	}
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return err
		}
	}
	if _, known := errors.AsType[*LimitError](err); known {
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return &classified{ErrNotFound, err}
	}
	// This comes before the server's own errors, since a failed connection may carry one ("too many clients"),
	// and before the context's, since the pool's own time limit looks like the caller's.
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) && !errors.Is(err, context.Canceled) {
		return &unavailableError{err}
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		// A migration changed the columns of a prepared statement. The next attempt prepares it again.
		if pg.Routine == "RevalidateCachedQuery" {
			return &unavailableError{err}
		}
		if pg.Code == "PT413" || pg.Code == "PT429" { // the limits of 0018_quotas.sql
			return &LimitError{pg.Message, pg.Hint, pg.Code == "PT429", err}
		}
		return translateState(pg.Code, err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var network net.Error
	if errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &unavailableError{err}
	}
	return err
}

// translateState classifies an error of the server by its SQLSTATE
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
func translateState(state string, err error) error {
	switch state {
	case "23502": // not null: a bug of ours, since clients cannot leave out such a column
		return err
	case "42501":
		return &classified{ErrDenied, err}
	case "54001": // the stack depth limit: JSON nested too deeply
		return &invalidValueError{state, err}
	case "57014":
		return &classified{ErrTimeout, err}
	case "25006", // the server is a standby: a failover is in progress
		"25P03", "25P04", "55P03", // the operator's timeouts of idle sessions, transactions and locks
		"26000", "34000", "42P05": // a pooler lost a prepared statement, or has somebody else's
		return &unavailableError{err}
	}
	switch state[:2] {
	case "22":
		return &invalidValueError{state, err}
	case "23":
		return &classified{ErrConflict, err}
	case "08", "40", "53", "57": // connection, rollback (deadlock, serialization), resources, operator
		return &unavailableError{err}
	}
	return err
}
