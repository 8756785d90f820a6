package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The database roles of a request. The names are PostgREST's and Supabase's.
const (
	RoleAnon          = "anon"
	RoleAuthenticated = "authenticated"
	RoleService       = "service_role"
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

// AsUser runs fn in one transaction as the subject. The role and the claims are local to the transaction, and
// row-level security applies to every statement. The transaction commits if fn returns nil; otherwise it is
// rolled back and fn's error is returned.
//
// Errors: those of this package, or fn's own. ErrDenied is also returned for a role that is not one of ours.
func (s *Store) AsUser(ctx context.Context, subject Subject, fn func(*Queries) error) error {
	return s.as(ctx, subject, fn)
}

// AsService is AsUser for work that belongs to no user. The role service_role passes row-level security by
// policy.
func (s *Store) AsService(ctx context.Context, fn func(*Queries) error) error {
	return s.as(ctx, service, fn)
}

// AsUser is Store.AsUser for work that returns a value, which is the zero value when there is an error.
func AsUser[T any](ctx context.Context, s *Store, subject Subject, fn func(*Queries) (T, error)) (T, error) {
	return valueAs(ctx, s, subject, fn)
}

// AsService is Store.AsService for work that returns a value, which is the zero value when there is an error.
func AsService[T any](ctx context.Context, s *Store, fn func(*Queries) (T, error)) (T, error) {
	return valueAs(ctx, s, service, fn)
}

const serviceClaims = `{"role":"` + RoleService + `"}`

var service = Subject{Role: RoleService, Claims: json.RawMessage(serviceClaims)}

func valueAs[T any](ctx context.Context, s *Store, subject Subject, fn func(*Queries) (T, error)) (T, error) {
	var value T
	err := s.as(ctx, subject, func(q *Queries) (err error) {
		value, err = fn(q)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return value, nil
}

func (s *Store) as(ctx context.Context, subject Subject, fn func(*Queries) error) error {
	if err := s.checkRole(&subject); err != nil {
		return err
	}
	var options pgx.TxOptions
	isService := string(subject.Claims) == serviceClaims && subject.Role == RoleService
	if isService {
		options.BeginQuery = beginService
	}
	err := pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) error {
		if !isService {
			if err := become(ctx, tx, subject); err != nil {
				return err
			}
		}
		return fn(New(translatingTx{tx}))
	})
	return translate(err)
}

// beginService begins a transaction of the service in one round trip. Nothing in it comes from outside.
const beginService = `begin; set local role ` + RoleService +
	`; set local "request.jwt.claims" = '` + serviceClaims + `'`

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

// become gives the transaction the role and the claims of the subject.
func become(ctx context.Context, tx pgx.Tx, subject Subject) error {
	const setSubject = "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)"
	if _, err := tx.Exec(ctx, setSubject, subject.Role, string(subject.Claims)); err != nil {
		return fmt.Errorf("become %s: %w", subject.Role, err)
	}
	return nil
}
