package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The database roles of a request. The names are PostgREST's and Supabase's.
const (
	RoleAnon          = "anon"
	RoleAuthenticated = "authenticated"
	RoleService       = "service_role"
)

// The roles that programs log in as, so that none of them is the owner of the database, or a superuser, even
// after RESET ROLE. DATABASE_SERVE_LOGIN and DATABASE_WORKER_LOGIN name others.
const (
	LoginServe  = "authenticator"
	LoginWorker = "research_worker"
)

// A Subject is the principal on whose behalf a statement runs: a database role and the claims of a verified
// token.
type Subject struct {
	// Role is the database role; empty means anon.
	Role string
	// UserID is the claim sub; zero means that there is none.
	UserID uuid.UUID
	// Claims are all claims as a JSON object; nil means none.
	Claims json.RawMessage
}

// User returns the subject of a user for work without a token: an operator's command, a digest. It has the
// assurance level aal2: a second factor protects sessions, and such work has none.
func User(id uuid.UUID) Subject {
	return Subject{
		Role:   RoleAuthenticated,
		UserID: id,
		Claims: json.RawMessage(fmt.Sprintf(`{"sub":%q,"role":%q,"aal":"aal2"}`, id, RoleAuthenticated)),
	}
}

// StatementTimeout ends a statement of AsUser and AsService, and closes the connection of a transaction that
// waits as long for its next statement. Batches are sized for fractions of a second, so what takes longer
// hangs: in a lock, or because its process is gone.
const StatementTimeout = time.Minute

// AsUser runs fn in one transaction as the subject. The role and the claims are local to the transaction, and
// row-level security applies to every statement. The transaction commits if fn returns nil; otherwise it is
// rolled back and fn's error is returned.
//
// Errors: those of this package, or fn's own. ErrDenied is also returned for a role that is not one of ours.
func (s *Store) AsUser(ctx context.Context, subject Subject, fn func(*Queries) error) error {
	return s.as(ctx, subject, StatementTimeout, fn)
}

// AsService is AsUser for work that belongs to no user. The role service_role passes row-level security by
// policy.
func (s *Store) AsService(ctx context.Context, fn func(*Queries) error) error {
	return s.as(ctx, service, StatementTimeout, fn)
}

// AsServiceWithin is AsService with another timeout: a shorter one where others wait for the transaction, or
// a longer one for a statement that reads or writes a whole table.
func (s *Store) AsServiceWithin(ctx context.Context, timeout time.Duration, fn func(*Queries) error) error {
	return s.as(ctx, service, timeout, fn)
}

// AsUser is Store.AsUser for work that returns a value, which is the zero value when there is an error.
func AsUser[T any](ctx context.Context, s *Store, subject Subject, fn func(*Queries) (T, error)) (T, error) {
	return valueAs(ctx, s, subject, StatementTimeout, fn)
}

// AsUserWithin is AsUser with another timeout, for work that grows with an interview.
func AsUserWithin[T any](
	ctx context.Context, s *Store, subject Subject, timeout time.Duration, fn func(*Queries) (T, error),
) (T, error) {
	return valueAs(ctx, s, subject, timeout, fn)
}

// AsService is Store.AsService for work that returns a value, which is the zero value when there is an error.
func AsService[T any](ctx context.Context, s *Store, fn func(*Queries) (T, error)) (T, error) {
	return valueAs(ctx, s, service, StatementTimeout, fn)
}

// AsServiceWithin is Store.AsServiceWithin for work that returns a value, which is the zero value when there
// is an error.
func AsServiceWithin[T any](
	ctx context.Context, s *Store, timeout time.Duration, fn func(*Queries) (T, error),
) (T, error) {
	return valueAs(ctx, s, service, timeout, fn)
}

const serviceClaims = `{"role":"` + RoleService + `"}`

var service = Subject{Role: RoleService, Claims: json.RawMessage(serviceClaims)}

func valueAs[T any](
	ctx context.Context, s *Store, subject Subject, timeout time.Duration, fn func(*Queries) (T, error),
) (T, error) {
	var value T
	err := s.as(ctx, subject, timeout, func(q *Queries) (err error) {
		value, err = fn(q)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return value, nil
}

func (s *Store) as(
	ctx context.Context, subject Subject, timeout time.Duration, fn func(*Queries) error,
) error {
	if err := s.checkRole(&subject); err != nil {
		return err
	}
	var options pgx.TxOptions
	isService := string(subject.Claims) == serviceClaims && subject.Role == RoleService
	if isService {
		options.BeginQuery = beginService(timeout)
	}
	err := pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) error {
		if s.direct != "" { // there is no session to set them for
			if _, err := tx.Exec(ctx, "select "+settingsExpr(true)); err != nil {
				return err
			}
		}
		if !isService {
			if err := become(ctx, tx, subject, timeout); err != nil {
				return err
			}
		}
		return fn(New(translatingTx{tx}))
	})
	return translate(ofContext(ctx, err))
}

// beginService begins a transaction of the service in one round trip. Nothing in it comes from outside.
func beginService(timeout time.Duration) string {
	limit := milliseconds(timeout)
	return `begin; set local role ` + RoleService + `; set local "request.jwt.claims" = '` + serviceClaims +
		`'; set local statement_timeout = ` + limit + `; set local idle_in_transaction_session_timeout = ` + limit
}

// milliseconds is the unit of PostgreSQL's timeouts. 0 would be no timeout.
func milliseconds(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }

// A translatingTx reports a missing row as ErrNotFound inside the transaction, as Store.AsUser does outside.
type translatingTx struct{ pgx.Tx }

func (t translatingTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return translatingRow{t.Tx.QueryRow(ctx, sql, args...)}
}

type translatingRow struct{ pgx.Row }

func (r translatingRow) Scan(dest ...any) error { return translate(r.Row.Scan(dest...)) }

// checkRole fills in defaults and rejects a role that is not one of ours. PostgreSQL does not do that: it
// checks the login, not authenticator. An owner's login may become any role, and the role "none" is the login
// itself.
func (s *Store) checkRole(subject *Subject) error {
	if subject.Role == "" {
		subject.Role = s.roles[0]
	}
	if subject.Claims == nil {
		subject.Claims = json.RawMessage(`{}`)
	}
	if !slices.Contains(s.roles, subject.Role) {
		return fmt.Errorf("the role of the token is not one of ours: %w", ErrDenied)
	}
	return nil
}

// become gives the transaction the role and the claims of the subject, and the timeout.
func become(ctx context.Context, tx pgx.Tx, subject Subject, timeout time.Duration) error {
	const setSubject = `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
		set_config('statement_timeout', $3, true), set_config('idle_in_transaction_session_timeout', $3, true)`
	_, err := tx.Exec(ctx, setSubject, subject.Role, string(subject.Claims), milliseconds(timeout))
	if err != nil {
		return fmt.Errorf("become %s: %w", subject.Role, err)
	}
	return nil
}
