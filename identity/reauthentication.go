package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// recentSignIn is the age up to which a session may change a password or an address without a code, as in
// GoTrue. An access token that was stolen later does not suffice.
const recentSignIn = 24 * time.Hour

// maxCodeAttempts bounds the guesses at a code of six digits.
const maxCodeAttempts = 5

// RequestCode mails the current user a code (GoTrue's nonce) that replaces a recent sign-in in UpdateSelf.
// Errors: ErrAddressNotProven, *LimitError.
func (s *Service) RequestCode(ctx context.Context, client Client, current CurrentUser) error {
	if current.EmailConfirmedAt == nil {
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

// reauthenticate requires a recent sign-in or the mailed code, and returns the id of the code's request,
// which the caller deletes with the change; nil means that no code was needed. Errors:
// ErrReauthenticationNeeded, ErrInvalidCode.
func (s *Service) reauthenticate(ctx context.Context, current CurrentUser, code string) (*uuid.UUID, error) {
	if s.now().Sub(current.SignedInAt) <= recentSignIn {
		return nil, nil
	}
	if code == "" {
		return nil, ErrReauthenticationNeeded
	}
	// This is a transaction of its own, so that a wrong code is counted.
	row, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.TryCodeRow, error) {
		return q.TryCode(ctx, db.TryCodeParams{UserID: current.ID, Maximum: maxCodeAttempts})
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, ErrInvalidCode
	}
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(row.TokenHash, CodeHash(row.ID, code)) != 1 {
		return nil, ErrInvalidCode
	}
	return &row.ID, nil
}

// The kinds of notices: the column auth.notices.kind.
const (
	noticePasswordChanged  = "password_changed"
	noticeEmailChanged     = "email_changed"
	noticeFactorAdded      = "factor_added"
	noticeFactorRemoved    = "factor_removed"
	noticeRecoveryCodeUsed = "recovery_code_used"
	noticeAccountDeleted   = "account_deleted"
)

// notify queues a notice about a change to the address that the account had before it. The mail relay sends
// it. Addresses that were never confirmed get no notice.
func notify(ctx context.Context, q *db.Queries, before User, kind string) error {
	if before.EmailConfirmedAt == nil {
		return nil
	}
	notice := db.AddNoticeParams{UserID: &before.ID, Kind: kind, Recipient: before.email()}
	if kind == noticeAccountDeleted {
		notice.UserID = nil // it outlives the account
	}
	return q.AddNotice(ctx, notice)
}
