package identity

import (
	"context"

	"github.com/google/uuid"

	"research/db"
)

// A SelfChange is what a user changes of their own account.
type SelfChange struct {
	Email      string  // empty means unchanged
	Password   *string // nil means unchanged
	Metadata   Metadata
	RedirectTo string // where the link to a new address leads; see REDIRECT_URLS
}

// UpdateSelf changes the current user. Metadata and password change at once; a new password ends the other
// sessions. A new address counts once its link was followed.
//
// Errors: ErrInvalidEmail, ErrEmailTaken, ErrSamePassword, those of a new password and of metadata,
// *LimitError.
func (s *Service) UpdateSelf(
	ctx context.Context, client Client, current CurrentUser, change SelfChange,
) (User, error) {
	newAddress, err := s.newAddress(client, current, change)
	if err != nil {
		return User{}, err
	}
	update := db.UpdateUserParams{ID: current.ID}
	if change.Password != nil {
		hash, err := s.newPassword(ctx, current.User, *change.Password)
		if err != nil {
			return User{}, err
		}
		update.EncryptedPassword = &hash
	}
	request := uuid.New()
	var ended []uuid.UUID
	changed, err := db.AsService(ctx, s.store, func(q *db.Queries) (User, error) {
		locked, err := lockUser(ctx, q, current.ID)
		if err != nil {
			return User{}, err
		}
		if update.RawUserMetaData, err = change.Metadata.apply(locked.RawUserMetaData); err != nil {
			return User{}, err
		}
		if err := q.UpdateUser(ctx, update); err != nil {
			return User{}, err
		}
		action := "user_modified"
		if update.EncryptedPassword != nil {
			action = "user_updated_password"
			if ended, err = endOtherSessions(ctx, q, current); err != nil {
				return User{}, err
			}
		}
		if newAddress.Email != "" {
			if err := s.requestEmailChange(ctx, q, current.ID, newAddress, request); err != nil {
				return User{}, err
			}
		}
		err = s.audit(ctx, q, event{action: action, actor: &current.User, address: client.Address})
		if err != nil {
			return User{}, err
		}
		return getUser(ctx, q, current.ID)
	})
	if err != nil {
		return User{}, err
	}
	s.sessions.SessionsEnded(current.ID, ended...)
	if newAddress.Email == "" {
		return changed, nil
	}
	// If this fails, the rest is done, and doing it again does no harm.
	return changed, s.mail.SendAccountMail(ctx, request)
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
	return LinkRequest{Email: email, RedirectTo: change.RedirectTo}, s.limits.mail(client, email)
}

// newPassword checks and hashes a new password.
func (s *Service) newPassword(ctx context.Context, user User, password string) (string, error) {
	if err := s.cfg.checkPassword(password, user.email()); err != nil {
		return "", err
	}
	if old := deref(user.EncryptedPassword); old != "" {
		same, err := s.passwords.matches(ctx, old, password)
		if err != nil {
			return "", err
		}
		if same {
			return "", ErrSamePassword
		}
	}
	return s.passwords.hash(ctx, password)
}

// endOtherSessions ends all sessions of the user but the current one, and invalidates the user's links.
func endOtherSessions(ctx context.Context, q *db.Queries, current CurrentUser) ([]uuid.UUID, error) {
	others := db.DeleteUserSessionsParams{UserID: current.ID, Keep: &current.SessionID}
	ended, err := q.DeleteUserSessions(ctx, others)
	if err != nil {
		return nil, err
	}
	return ended, q.DeleteUserTokens(ctx, current.ID)
}
