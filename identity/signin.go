package identity

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"research/db"
)

// SignIn begins a session for the user with an email address and a password. Unknown users, users without a
// password and wrong passwords get the same answer after the same time. Only a client with the right password
// learns that the user is banned or unconfirmed.
//
// Errors: ErrEmailRequired, ErrInvalidCredentials, ErrBanned, ErrNotConfirmed, ErrUserGone, *LimitError.
func (s *Service) SignIn(ctx context.Context, client Client, email, password string) (Session, error) {
	email = normalizeEmail(email)
	if email == "" || len(email) > maxEmailBytes || strings.ContainsRune(email, 0) || !utf8.ValidString(email) {
		return Session{}, ErrEmailRequired
	}
	refund, err := s.limits.signIn(client, email)
	if err != nil {
		return Session{}, err
	}
	user, err := s.authenticate(ctx, email, password)
	if !errors.Is(err, ErrInvalidCredentials) {
		refund() // neither the right password nor a failure of ours is a guess
	}
	if err != nil {
		if auditErr := s.auditFailedSignIn(ctx, client, user, err); auditErr != nil {
			return Session{}, auditErr
		}
		return Session{}, err
	}
	renewed, err := s.passwords.rehash(ctx, deref(user.EncryptedPassword), password)
	if err != nil {
		return Session{}, err
	}
	return s.beginSession(ctx, client, *user, methodPassword, "login", func(q *db.Queries) error {
		if renewed == "" {
			return nil
		}
		return q.RehashPassword(ctx, db.RehashPasswordParams{
			ID: user.ID, OldHash: deref(user.EncryptedPassword), NewHash: renewed,
		})
	})
}

// authenticate returns the user with this password. With one of the errors of SignIn it returns the user with
// the email address, or nil if there is none.
func (s *Service) authenticate(ctx context.Context, email, password string) (*User, error) {
	found, err := db.AsService(ctx, s.store, func(q *db.Queries) (User, error) {
		return getUserByEmail(ctx, q, email)
	})
	user := &found
	if errors.Is(err, db.ErrNotFound) {
		user = nil
	} else if err != nil {
		return nil, err
	}
	matches, err := s.passwords.matches(ctx, deref(found.EncryptedPassword), password)
	switch {
	case err != nil:
		return nil, err
	case !matches || user == nil:
		return user, ErrInvalidCredentials
	case user.banned(s.now()):
		return user, ErrBanned
	case user.unconfirmed():
		return user, ErrNotConfirmed
	}
	return user, nil
}

// auditFailedSignIn records a failure of the user's, in the same way for unknown users, so that it takes the
// same time.
func (s *Service) auditFailedSignIn(ctx context.Context, client Client, user *User, failure error) error {
	var reason string
	switch {
	case errors.Is(failure, ErrInvalidCredentials):
		reason = "invalid_credentials"
	case errors.Is(failure, ErrBanned):
		reason = "user_banned"
	case errors.Is(failure, ErrNotConfirmed):
		reason = "email_not_confirmed"
	default:
		return nil
	}
	return s.store.AsService(ctx, func(q *db.Queries) error {
		return s.audit(ctx, q, event{
			action: "login_failed", actor: user, address: client.Address,
			traits: map[string]any{"reason": reason},
		})
	})
}
