package identity

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"research/db"
)

// SignIn begins a session for the user with an email address and a password. Unknown users, users without a
// password and wrong passwords get the same response after the same time. Only a client with the right
// password learns that the user is banned or unconfirmed.
//
// Errors: ErrEmailRequired, ErrInvalidCredentials, ErrBanned, ErrNotConfirmed, ErrUserGone, *LimitError.
func (s *Service) SignIn(ctx context.Context, client Client, email, password string) (Session, error) {
	email = normalizeEmail(email)
	if email == "" || len(email) > maxEmailBytes || strings.ContainsRune(email, 0) || !utf8.ValidString(email) {
		return Session{}, ErrEmailRequired
	}
	user, share, err := s.provePassword(ctx, client, email, password)
	if err != nil {
		return Session{}, err
	}
	renewed, err := s.passwords.rehash(ctx, share, deref(user.EncryptedPassword), password)
	if err != nil {
		return Session{}, err
	}
	if renewed == "" {
		return s.beginSession(ctx, client, user, methodPassword, "login", nil)
	}
	return s.beginSession(ctx, client, user, methodPassword, "login", func(q *db.Queries) error {
		return q.RehashPassword(ctx, db.RehashPasswordParams{
			ID: user.ID, OldHash: deref(user.EncryptedPassword), NewHash: renewed,
		})
	})
}

// provePassword returns the user with an email address and a password, and the share of hashes of the
// attempt. A wrong password is counted and recorded. Its errors are those of SignIn.
func (s *Service) provePassword(
	ctx context.Context, client Client, email, password string,
) (User, hashShare, error) {
	attempt, err := s.limits.signIn(client, email)
	if err != nil {
		return User{}, hashShare{}, err
	}
	account, err := s.findAccount(ctx, client, email)
	if err == nil && !account.knownNetwork {
		if err := s.limits.signInElsewhere(&attempt, email); err != nil {
			return User{}, hashShare{}, err
		}
	}
	share := hashShare{key: client.accountKey(email), known: account.knownNetwork}
	if err == nil {
		err = s.authenticate(ctx, share, account, password)
	}
	if !errors.Is(err, ErrInvalidCredentials) {
		attempt.refund() // neither a correct password nor an internal error is a guess
	}
	if err != nil {
		if auditErr := s.auditFailedSignIn(ctx, client, account.user, err); auditErr != nil {
			return User{}, hashShare{}, auditErr
		}
		return User{}, hashShare{}, err
	}
	return *account.user, share, nil
}

// An account holds the data of an email address that a sign-in needs.
type account struct {
	user         *User // nil means that there is none
	knownNetwork bool  // whether the user has recently signed in from the client's network
	// pendingPassword is the hash of the latest sign-up, if the account has no password before the link was
	// followed.
	pendingPassword string
}

func (s *Service) findAccount(ctx context.Context, client Client, email string) (account, error) {
	row, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.GetUserForSignInRow, error) {
		return q.GetUserForSignIn(ctx, db.GetUserForSignInParams{Email: email, Network: client.network()})
	})
	if errors.Is(err, db.ErrNotFound) {
		return account{}, nil
	}
	if err != nil {
		return account{}, err
	}
	return account{&User{row.AuthUser, row.Identities}, row.KnownNetwork, row.PendingPassword}, nil
}

// authenticate checks the password of an account. Its errors are those of SignIn.
func (s *Service) authenticate(ctx context.Context, share hashShare, a account, password string) error {
	hash := a.pendingPassword
	if a.user != nil && a.user.EncryptedPassword != nil {
		hash = *a.user.EncryptedPassword
	}
	matches, err := s.passwords.matches(ctx, share, hash, password)
	switch {
	case err != nil:
		return err
	case !matches || a.user == nil:
		return ErrInvalidCredentials
	case a.user.banned(s.now()):
		return ErrBanned
	case a.pendingPassword != "", s.cfg.ConfirmsEmail() && a.user.unconfirmed():
		return ErrNotConfirmed
	}
	return nil
}

// auditFailedSignIn records a failed sign-in. It does the same work for unknown users, so that it takes the
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
