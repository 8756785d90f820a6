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
	// ErrUnavailable: the database cannot be reached, is starting or stopping, or broke off; trying again may help.
	ErrUnavailable = errors.New("database unavailable")
)

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
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code[:2] {
		case "23":
			if pg.Code == "23502" { // not null: a bug of ours, or a filled column that stayed empty
				return err
			}
			return &classified{ErrConflict, err}
		case "42":
			if pg.Code == "42501" {
				return &classified{ErrDenied, err}
			}
		case "08", "53", "57":
			if pg.Code != "57014" { // a cancelled statement says nothing about the server
				return &unavailableError{err}
			}
		}
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var connect *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &unavailableError{err}
	}
	return err
}
