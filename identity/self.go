package identity

import (
	"context"

	"github.com/google/uuid"

	"research/db"
)

// A SelfChange is a user's change to their own account.
type SelfChange struct {
	Email      string  // empty means unchanged
	Password   *string // nil means unchanged
	Metadata   Metadata
	RedirectTo string // where the links of a change of the address lead; see REDIRECT_URLS
	Challenge  CodeChallenge
	Code       string // see RequestCode; only needed if the sign-in is not recent
}

// UpdateSelf changes the current user. Metadata and password change at once; a new password ends the other
// sessions and the access of apps and scripts. A new address takes effect once its link was followed, and
// also the link to the current address, unless that was never confirmed.
//
// Errors: ErrInvalidEmail, ErrDomainNotAllowed, ErrEmailTaken, ErrSamePassword, ErrUpdateRequiresFactor,
// ErrReauthenticationNeeded, ErrInvalidCode, ErrAnonymousUser, those of a new password and of metadata,
// *LimitError.
func (s *Service) UpdateSelf(
	ctx context.Context, client Client, current CurrentUser, change SelfChange,
) (User, error) {
	prepared, err := s.prepareSelfChange(ctx, client, current, change)
	if err != nil {
		return User{}, err
	}
	saved, err := db.AsService(ctx, s.store, func(q *db.Queries) (savedSelfChange, error) {
		return s.saveSelfChange(ctx, q, client, current, prepared)
	})
	if err != nil {
		return User{}, err
	}
	s.forget(current.ID, saved.ended)
	for _, request := range saved.mailRequests {
		// If this fails, everything else is done, and the mail relay sends the mail later.
		if err := s.mail.SendAccountMail(ctx, request); err != nil {
			return User{}, err
		}
	}
	return saved.user, nil
}

// A preparedSelfChange is a SelfChange that passed the checks that need no lock on the account.
type preparedSelfChange struct {
	metadata     Metadata
	passwordHash *string     // nil means unchanged
	newAddress   LinkRequest // empty means unchanged
	usedCode     *uuid.UUID  // the one-time code that permits the change; nil if none was needed
}

func (s *Service) prepareSelfChange(
	ctx context.Context, client Client, current CurrentUser, change SelfChange,
) (preparedSelfChange, error) {
	prepared := preparedSelfChange{metadata: change.Metadata}
	newEmail := change.Email != "" && normalizeEmail(change.Email) != current.email()
	var err error
	if change.Password != nil && current.IsAnonymous {
		return prepared, ErrAnonymousUser
	}
	if change.Password != nil || newEmail {
		prepared.usedCode, err = s.stepUp(ctx, current, change.Code, ErrUpdateRequiresFactor)
		if err != nil {
			return prepared, err
		}
	}
	if prepared.newAddress, err = s.newAddress(client, current, change); err != nil {
		return prepared, err
	}
	if change.Password != nil {
		hash, err := s.newPassword(ctx, current.User, *change.Password)
		if err != nil {
			return prepared, err
		}
		prepared.passwordHash = &hash
	}
	return prepared, nil
}

// A savedSelfChange is the work that remains after a SelfChange was committed.
type savedSelfChange struct {
	user         User // as changed
	ended        endedAccess
	mailRequests []uuid.UUID // to start
}

func (s *Service) saveSelfChange(
	ctx context.Context, q *db.Queries, client Client, current CurrentUser, change preparedSelfChange,
) (saved savedSelfChange, err error) {
	locked, err := lockUser(ctx, q, current.ID)
	if err != nil {
		return saved, err
	}
	metadata, err := change.metadata.apply(locked.RawUserMetaData)
	if err != nil {
		return saved, err
	}
	if change.passwordHash != nil {
		if err := notify(ctx, q, locked, NoticePasswordChanged, nil); err != nil {
			return saved, err
		}
	}
	if err := q.UpdateUser(ctx, db.UpdateUserParams{
		ID: current.ID, RawUserMetaData: metadata, EncryptedPassword: change.passwordHash,
	}); err != nil {
		return saved, err
	}
	if change.usedCode != nil {
		if err := useCode(ctx, q, current.ID, *change.usedCode); err != nil {
			return saved, err
		}
	}
	action := "user_modified"
	if change.passwordHash != nil {
		action = "user_updated_password"
		if saved.ended, err = endOtherAccess(ctx, q, current); err != nil {
			return saved, err
		}
	}
	if change.newAddress.Email != "" {
		saved.mailRequests, err = s.requestEmailChange(ctx, q, current.SessionID, locked, change.newAddress)
		if err != nil {
			return saved, err
		}
	}
	if err := s.audit(ctx, q, event{action: action, actor: &current.User, address: client.Address}); err != nil {
		return saved, err
	}
	saved.user, err = getUser(ctx, q, current.ID)
	return saved, err
}

// newAddress returns the request for a link to a new address. It is empty if the address stays the same.
func (s *Service) newAddress(client Client, current CurrentUser, change SelfChange) (LinkRequest, error) {
	if change.Email == "" {
		return LinkRequest{}, nil
	}
	email, err := parseEmail(change.Email)
	if err != nil || email == current.email() {
		return LinkRequest{}, err
	}
	if !s.cfg.allowsDomain(email) {
		return LinkRequest{}, ErrDomainNotAllowed
	}
	request := LinkRequest{Email: email, RedirectTo: change.RedirectTo, Challenge: change.Challenge}
	return request, s.limits.mail(client, email)
}

// newPassword checks and hashes a new password.
func (s *Service) newPassword(ctx context.Context, user User, password string) (string, error) {
	if err := s.cfg.checkPassword(password, user.email()); err != nil {
		return "", err
	}
	share := hashShare{key: user.ID.String(), known: true}
	if old := deref(user.EncryptedPassword); old != "" {
		same, err := s.passwords.matches(ctx, share, old, password)
		if err != nil {
			return "", err
		}
		if same {
			return "", ErrSamePassword
		}
	}
	return s.passwords.hash(ctx, share, password)
}

// endOtherAccess ends all sessions of the user but the current one, with the access of apps and scripts, and
// invalidates the user's links.
func endOtherAccess(ctx context.Context, q *db.Queries, current CurrentUser) (endedAccess, error) {
	ended, err := endAccess(ctx, q, current.ID, &current.SessionID)
	if err != nil {
		return ended, err
	}
	return ended, q.DeleteUserLinks(ctx, current.ID)
}
