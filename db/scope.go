package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The database roles a request can have; PostgREST's and Supabase's names.
const (
	RoleAnon          = "anon"
	RoleAuthenticated = "authenticated"
	RoleService       = "service_role"
)

// A Subject is on whose behalf a statement runs: a database role and the claims of a verified token.
type Subject struct {
	// Role is the database role; empty means anon.
	Role string
	// UserID is the claim sub; zero where there is none.
	UserID uuid.UUID
	// Claims are all claims, a JSON object; nil means none.
	Claims json.RawMessage
}

// User is the subject of a signed-in user when there is no token at hand: an operator's tool, a digest.
func User(id uuid.UUID) Subject {
	return Subject{
		Role:   RoleAuthenticated,
		UserID: id,
		Claims: json.RawMessage(fmt.Sprintf(`{"sub":%q,"role":%q}`, id, RoleAuthenticated)),
	}
}

// AsUser runs fn within one transaction as the subject: its role and claims are local to the transaction, and row-level security
// judges each statement. The transaction commits if fn returns nil, else it is rolled back and fn's error returned.
//
// Errors: ErrNotFound, ErrConflict, ErrDenied (also for a role that is none of ours), ErrUnavailable, or fn's own.
func (s *Store) AsUser(ctx context.Context, subject Subject, fn func(*Queries) error) error {
	return s.as(ctx, subject, fn)
}

// AsService is AsUser for work that belongs to no user. It passes row-level security by policy.
func (s *Store) AsService(ctx context.Context, fn func(*Queries) error) error {
	return s.as(ctx, Subject{Role: RoleService, Claims: json.RawMessage(`{"role":"service_role"}`)}, fn)
}

func (s *Store) as(ctx context.Context, subject Subject, fn func(*Queries) error) error {
	if err := s.checkRole(&subject); err != nil {
		return err
	}
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := become(ctx, tx, subject); err != nil {
			return err
		}
		return fn(New(tx))
	})
	return translate(err)
}

// checkRole fills what is empty and refuses a role that is none of ours. PostgreSQL asks the login, not authenticator, whether it may become a role: an owner's
// login may become anything, and "none" is the login itself.
func (s *Store) checkRole(subject *Subject) error {
	if subject.Role == "" {
		subject.Role = s.roles[0]
	}
	if subject.Claims == nil {
		subject.Claims = json.RawMessage(`{}`)
	}
	if !slices.Contains(s.roles, subject.Role) {
		return fmt.Errorf("the role of the token is none of ours: %w", ErrDenied)
	}
	return nil
}

// become gives the transaction the subject's role and claims.
func become(ctx context.Context, tx pgx.Tx, subject Subject) error {
	if _, err := tx.Exec(ctx, "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)", subject.Role, string(subject.Claims)); err != nil {
		return fmt.Errorf("become %s: %w", subject.Role, err)
	}
	return nil
}
