package identity

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// The kinds of notices: the column auth.notices.kind.
const (
	NoticePasswordChanged      = "password_changed"
	NoticeEmailChanged         = "email_changed"
	NoticeFactorAdded          = "factor_added"
	NoticeFactorRemoved        = "factor_removed"
	NoticeRecoveryCodesRenewed = "recovery_codes_renewed"
	NoticeRecoveryCodeUsed     = "recovery_code_used"
	NoticeAppConnected         = "app_connected"
	NoticePersonalTokenCreated = "personal_token_created"
	NoticeIdentityLinked       = "identity_linked"
	NoticeIdentityUnlinked     = "identity_unlinked"

	noticeAccountDeleted = "account_deleted"
)

// maxUndoLinks is how many changes of an account within a week have a notice. Further ones are rejected,
// since each costs a mail.
const maxUndoLinks = 100

// notify queues a notice about a change to the address that the account has before it, with a link that
// undoes the change. The mail relay sends it. Callers hold the lock of the user, and notify before they make
// the change, except that a factor may be added already. Addresses that were never confirmed get no notice.
// Its error is a *LimitError.
func notify(ctx context.Context, q *db.Queries, before User, kind string, added *uuid.UUID) error {
	if before.EmailConfirmedAt == nil {
		return nil
	}
	notice := db.AddNoticeParams{ID: uuid.New(), UserID: &before.ID, Kind: kind, Recipient: before.email()}
	if kind == noticeAccountDeleted {
		notice.UserID = nil // it outlives the account
		return q.AddNotice(ctx, notice)
	}
	linked, err := q.AddUndoLink(ctx, db.AddUndoLinkParams{
		ID: notice.ID, UserID: before.ID, Kind: kind, Added: added, Maximum: maxUndoLinks,
		SignsInByEmail: before.SignsInByEmail(),
	})
	if err != nil {
		return err
	}
	// The use of a recovery code is a sign-in, and the number of codes bounds it.
	if linked == 0 && kind != NoticeRecoveryCodeUsed {
		return &LimitError{Cause: ErrTooManyChanges, RetryAfter: time.Hour}
	}
	return q.AddNotice(ctx, notice)
}

// A Change is a change of an account that a link can undo.
type Change struct {
	Kind string // of the notice
	At   time.Time
}

// FindChange returns the change that a link undoes, and does not use the link. Its error is ErrInvalidLink.
func (s *Service) FindChange(ctx context.Context, secret string) (Change, error) {
	row, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.FindUndoLinkRow, error) {
		return q.FindUndoLink(ctx, hashSecret(secret))
	})
	if errors.Is(err, db.ErrNotFound) {
		return Change{}, ErrInvalidLink
	}
	return Change{Kind: row.Kind, At: row.CreatedAt}, err
}

// Undo makes an account what it was before the change of a link: it restores the address, the second factors
// and the identities, and voids recovery codes that were made since. If the password has changed since, or
// somebody got past it by a recovery code, it becomes unusable, and a link for setting a new one is mailed.
// All sessions end. Links of later changes stop working; those of earlier changes stay.
//
// It reports whether that link is mailed. Errors: ErrInvalidLink; ErrEmailTaken if another account has proven
// the address meanwhile.
func (s *Service) Undo(ctx context.Context, client Client, secret string) (newPassword bool, err error) {
	newPassword, err = db.AsService(ctx, s.store, func(q *db.Queries) (bool, error) {
		found, err := q.FindUndoLink(ctx, hashSecret(secret))
		if err != nil {
			return false, err
		}
		user, err := lockUser(ctx, q, found.UserID)
		if err != nil {
			return false, err
		}
		link, err := q.UseUndoLink(ctx, hashSecret(secret))
		if err != nil {
			return false, err
		}
		return s.undo(ctx, q, client, user, link)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return false, ErrInvalidLink
	case db.Constraint(err) == db.ConstraintUserEmail:
		return false, ErrEmailTaken
	case err != nil:
		return false, err
	}
	s.sessions.RecheckSessions()
	return newPassword, nil
}

func (s *Service) undo(
	ctx context.Context, q *db.Queries, client Client, user User, link db.UseUndoLinkRow,
) (newPassword bool, err error) {
	// A thief may have signed up with the address after moving the account to another one.
	release := db.ReleaseAddressParams{Email: link.Recipient, Keep: user.ID}
	if err := q.ReleaseAddress(ctx, release); err != nil {
		return false, err
	}
	codeUsed := link.Kind == NoticeRecoveryCodeUsed
	newPassword, err = q.RestoreUser(ctx, db.RestoreUserParams{
		ID: user.ID, Email: link.Recipient, PasswordDigest: link.PasswordDigest,
		Reset: codeUsed || link.Kind == NoticePasswordChanged,
	})
	if err != nil {
		return false, err
	}
	later := db.DeleteLaterFactorsParams{UserID: user.ID, Factors: link.Factors}
	if err := q.DeleteLaterFactors(ctx, later); err != nil {
		return false, err
	}
	if err := q.RestoreFactors(ctx, db.RestoreFactorsParams(later)); err != nil {
		return false, err
	}
	if err := restoreIdentities(ctx, q, user.ID, link); err != nil {
		return false, err
	}
	codes := db.VoidRecoveryCodesParams{UserID: user.ID, Since: link.CreatedAt, Every: codeUsed}
	if err := q.VoidRecoveryCodes(ctx, codes); err != nil {
		return false, err
	}
	if err := s.endEverything(ctx, q, user.ID, link.Number); err != nil {
		return false, err
	}
	if newPassword {
		if err := q.RequestUserToken(ctx, db.RequestUserTokenParams{
			ID: uuid.New(), UserID: user.ID, TokenType: string(LinkRecovery), RedirectTo: s.redirect(""),
			LifetimeSeconds: linkLifetime.Seconds(),
		}); err != nil {
			return false, err
		}
	}
	return newPassword, s.audit(ctx, q, event{
		action: "user_change_undone", actor: &user, address: client.Address,
		traits: map[string]any{"change": link.Kind},
	})
}

// restoreIdentities gives a user the identities before a change.
func restoreIdentities(ctx context.Context, q *db.Queries, user uuid.UUID, link db.UseUndoLinkRow) error {
	later := db.DeleteLaterIdentitiesParams{UserID: user, Identities: link.Identities}
	if err := q.DeleteLaterIdentities(ctx, later); err != nil {
		return err
	}
	if err := q.RestoreIdentities(ctx, db.RestoreIdentitiesParams(later)); err != nil {
		return err
	}
	return q.SetProviders(ctx, db.SetProvidersParams{UserID: user, WithEmail: link.SignsInByEmail})
}

// endEverything ends all sessions of a user, the access of apps and scripts, and everything that could begin
// one: links, codes of links, and links that undo changes after the one with a number.
func (s *Service) endEverything(ctx context.Context, q *db.Queries, user uuid.UUID, number int64) error {
	if _, err := endAccess(ctx, q, user, nil); err != nil {
		return err
	}
	if err := q.DeleteUserTokens(ctx, user); err != nil {
		return err
	}
	return q.DeleteLaterUndoLinks(ctx, db.DeleteLaterUndoLinksParams{UserID: user, Number: number})
}
