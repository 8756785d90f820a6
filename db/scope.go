package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/trace"
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

// AsServiceByKey is AsService for statements that find their rows by keys: PostgreSQL plans each of them, and
// each one in the functions that they call, once on a connection. By default it plans the first five executions
// for their parameters, which takes longer than such a statement.
func AsServiceByKey[T any](ctx context.Context, s *Store, fn func(*Queries) (T, error)) (T, error) {
	return valueOf(fn, func(fn func(*Queries) error) error { return s.inTx(ctx, beginByKey, fn) })
}

const serviceClaims = `{"role":"` + RoleService + `"}`

var service = Subject{Role: RoleService, Claims: json.RawMessage(serviceClaims)}

func valueAs[T any](ctx context.Context, s *Store, subject Subject, fn func(*Queries) (T, error)) (T, error) {
	return valueOf(fn, func(fn func(*Queries) error) error { return s.as(ctx, subject, fn) })
}

// valueOf returns the value of fn, which run runs in a transaction. It is the zero value when there is an error.
func valueOf[T any](fn func(*Queries) (T, error), run func(func(*Queries) error) error) (T, error) {
	var value T
	err := run(func(q *Queries) (err error) {
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
	isService := string(subject.Claims) == serviceClaims && subject.Role == RoleService
	if isService {
		return s.inTx(ctx, beginService, fn)
	}
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := become(ctx, tx, subject); err != nil {
			return err
		}
		return fn(New(translatingTx{tx, s.tracer}))
	})
	return translate(err)
}

// The beginnings of transactions of the service, in one round trip. Nothing in them comes from outside.
const (
	beginService = `begin; set local role ` + RoleService +
		`; set local "request.jwt.claims" = '` + serviceClaims + `'`
	beginByKey = beginService + `; set local plan_cache_mode = force_generic_plan`
)

func (s *Store) inTx(ctx context.Context, begin string, fn func(*Queries) error) error {
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{BeginQuery: begin}, func(tx pgx.Tx) error {
		return fn(New(translatingTx{tx, s.tracer}))
	})
	return translate(err)
}

// A translatingTx reports a missing row as ErrNotFound inside the transaction, as Store.AsUser does outside.
type translatingTx struct {
	pgx.Tx
	tracer trace.Tracer
}

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

const (
	becomeSQL      = "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)"
	becomeByKeySQL = becomeSQL + ", set_config('plan_cache_mode', 'force_generic_plan', true)"
)

// become gives the transaction the role and the claims of the subject.
func become(ctx context.Context, tx pgx.Tx, subject Subject) error {
	if _, err := tx.Exec(ctx, becomeSQL, subject.Role, string(subject.Claims)); err != nil {
		return fmt.Errorf("become %s: %w", subject.Role, err)
	}
	return nil
}
