package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// recentSignIn is how long a sign-in or a reauthentication permits sensitive changes, as in GoTrue. An access
// token that was stolen later does not suffice. private.require_recent_sign_in has the same duration.
const recentSignIn = 24 * time.Hour

// maxCodeAttempts bounds the guesses at a code of six digits.
const maxCodeAttempts = 5

// RequestCode mails the current user a code (GoTrue's nonce) that replaces a recent sign-in.
// Errors: ErrNoAddress, ErrAddressNotProven, *LimitError.
func (s *Service) RequestCode(ctx context.Context, client Client, current CurrentUser) error {
	if current.email() == "" {
		return ErrNoAddress
	}
	if s.cfg.AcceptedAt(current.User) == nil {
		return ErrAddressNotProven
	}
	if err := s.limits.mail(client, current.email()); err != nil {
		return err
	}
	request := uuid.New()
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		if err := q.RequestUserToken(ctx, db.RequestUserTokenParams{
			ID: request, UserID: current.ID, TokenType: "reauthentication",
			LifetimeSeconds: linkLifetime.Seconds(),
		}); err != nil {
			return err
		}
		return s.audit(ctx, q, event{
			action: "user_reauthenticate_requested", actor: &current.User, address: client.Address,
		})
	})
	if err != nil {
		return err
	}
	return s.mail.SendAccountMail(ctx, request)
}

// CodeHash returns the stored form of a code. The request's id makes it different for each request.
func CodeHash(request uuid.UUID, code string) []byte {
	return hashSecret(request.String() + " " + code)
}

// stepUp is what every sensitive change of an account requires: the user's second factor, and a recent
// sign-in or the mailed code. It returns the id of the code's request, which the caller deletes with the
// change; nil means that no code was needed. The error missing is for a session without the second factor.
// Callers must not hold a lock on the user.
//
// Errors: missing, ErrReauthenticationNeeded, ErrInvalidCode, ErrSessionEnded.
func (s *Service) stepUp(
	ctx context.Context, current CurrentUser, code string, missing error,
) (usedCode *uuid.UUID, err error) {
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return err
		}
		return s.checkStepUp(session, missing)
	})
	if code == "" || !errors.Is(err, ErrReauthenticationNeeded) {
		return nil, err
	}
	request, err := s.tryCode(ctx, current, code)
	return &request, err
}

// checkStepUp is stepUp for a session that is locked, without a code. An anonymous user has nothing but the
// session to sign in with, however old it is.
func (s *Service) checkStepUp(session lockedSession, missing error) error {
	switch {
	case session.user.HasFactor() && session.methods.level() != AAL2:
		return missing
	case !session.user.IsAnonymous && s.now().Sub(session.authenticatedAt) > recentSignIn:
		return ErrReauthenticationNeeded
	}
	return nil
}

// confirmStepUp confirms what stepUp found, with the lock of the session held: what the session needs may
// have changed since. Errors: missing, ErrReauthenticationNeeded, ErrInvalidCode.
func (s *Service) confirmStepUp(
	ctx context.Context, q *db.Queries, session lockedSession, usedCode *uuid.UUID, missing error,
) error {
	err := s.checkStepUp(session, missing)
	if usedCode != nil && (err == nil || errors.Is(err, ErrReauthenticationNeeded)) {
		return useCode(ctx, q, session.user.ID, *usedCode)
	}
	return err
}

// tryCode checks a mailed code, and returns the id of its request. Its error is ErrInvalidCode.
func (s *Service) tryCode(ctx context.Context, current CurrentUser, code string) (uuid.UUID, error) {
	// This is a transaction of its own, so that a wrong code is counted.
	row, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.TryCodeRow, error) {
		return q.TryCode(ctx, db.TryCodeParams{UserID: current.ID, Maximum: maxCodeAttempts})
	})
	if errors.Is(err, db.ErrNotFound) {
		return uuid.Nil, ErrInvalidCode
	}
	if err == nil && subtle.ConstantTimeCompare(row.CodeHash, CodeHash(row.ID, code)) != 1 {
		return uuid.Nil, ErrInvalidCode
	}
	return row.ID, err
}

// useCode consumes the request of a code. Its error is ErrInvalidCode if a concurrent request has consumed
// it.
func useCode(ctx context.Context, q *db.Queries, user, request uuid.UUID) error {
	used, err := q.DeleteUserToken(ctx, db.DeleteUserTokenParams{ID: request, UserID: user})
	if err == nil && used == 0 {
		return ErrInvalidCode
	}
	return err
}

// A Proof proves that the holder of a session is its user. One of the fields is required.
type Proof struct {
	Password string
	Code     string // see RequestCode
}

// Reauthenticate makes the session as recent as a sign-in. Wrong passwords count as failed sign-ins, and
// wrong codes are limited for each code.
//
// Errors: ErrUpdateRequiresFactor, ErrInvalidCredentials, ErrInvalidCode, ErrSessionEnded, *LimitError.
func (s *Service) Reauthenticate(ctx context.Context, client Client, current CurrentUser, proof Proof) error {
	if err := s.requireFactor(ctx, current, ErrUpdateRequiresFactor); err != nil {
		return err
	}
	var usedCode uuid.UUID
	method, err := "nonce", error(nil)
	if proof.Code != "" {
		usedCode, err = s.tryCode(ctx, current, proof.Code)
	} else {
		method = methodPassword
		_, _, err = s.provePassword(ctx, client, current.email(), proof.Password)
	}
	if err != nil {
		return err
	}
	return s.store.AsService(ctx, func(q *db.Queries) error {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return err
		}
		if usedCode != uuid.Nil {
			if err := useCode(ctx, q, current.ID, usedCode); err != nil {
				return err
			}
		}
		at := db.MarkReauthenticatedParams{ID: session.id, At: s.now()}
		if err := q.MarkReauthenticated(ctx, at); err != nil {
			return err
		}
		return s.audit(ctx, q, event{
			action: "user_reauthenticated", actor: &current.User, address: client.Address,
			traits: map[string]any{"method": method},
		})
	})
}
