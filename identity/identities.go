package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"research/db"
)

// emailIdentity is the name of the identity that is the user's e-mail address.
const emailIdentity = "email"

// SignsInByEmail reports whether one of the user's identities is the e-mail address: the user has signed up
// with it, or has a password.
func (u User) SignsInByEmail() bool {
	if u.email() == "" {
		return false
	}
	var metadata struct {
		Providers []string `json:"providers"`
	}
	_ = json.Unmarshal(u.AppMetadata(), &metadata) // otherwise the password decides
	return deref(u.EncryptedPassword) != "" || slices.Contains(metadata.Providers, emailIdentity)
}

// UnlinkIdentity removes an identity of the current user. That of the e-mail address has the id of the user;
// its removal removes the password. Like every sensitive change, it requires a recent sign-in and the second
// factor. It ends the other sessions and the access of apps and scripts.
//
// Errors: ErrIdentityNotFound, ErrLastIdentity, ErrUpdateRequiresFactor, ErrReauthenticationNeeded,
// ErrSessionEnded, *LimitError.
func (s *Service) UnlinkIdentity(
	ctx context.Context, client Client, current CurrentUser, id uuid.UUID,
) error {
	ended, err := db.AsService(ctx, s.store, func(q *db.Queries) (ended endedAccess, err error) {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return ended, err
		}
		if err := s.checkStepUp(session, ErrUpdateRequiresFactor); err != nil {
			return ended, err
		}
		user := session.user
		identities, err := user.identities()
		if err != nil {
			return ended, err
		}
		i := slices.IndexFunc(identities, func(one linkedIdentity) bool { return one.ID == id })
		if i < 0 {
			return ended, ErrIdentityNotFound
		}
		provider := identities[i].Provider
		isEmail := provider == emailIdentity
		if others := slices.Delete(identities, i, i+1); !slices.ContainsFunc(others, s.signsIn) {
			return ended, ErrLastIdentity
		}
		if err := notify(ctx, q, user, NoticeIdentityUnlinked, nil); err != nil {
			return ended, err
		}
		if err := q.UnlinkIdentity(ctx, db.UnlinkIdentityParams{ID: id, UserID: user.ID}); err != nil {
			return ended, err
		}
		if isEmail {
			if err := q.RemovePassword(ctx, user.ID); err != nil {
				return ended, err
			}
		}
		providers := db.SetProvidersParams{UserID: user.ID, WithEmail: user.SignsInByEmail() && !isEmail}
		if err := q.SetProviders(ctx, providers); err != nil {
			return ended, err
		}
		if ended, err = endOtherAccess(ctx, q, current); err != nil {
			return ended, err
		}
		return ended, s.auditIdentity(ctx, q, "identity_unlinked", client, user, provider)
	})
	if err != nil {
		return err
	}
	s.forget(current.ID, ended)
	return nil
}

// A linkedIdentity is an entry of User.Identities, or the e-mail address.
type linkedIdentity struct {
	ID       uuid.UUID `json:"identity_id"`
	Provider string    `json:"provider"`
}

// signsIn reports whether a user can sign in with an identity. The provider may not be set up any more.
func (s *Service) signsIn(i linkedIdentity) bool {
	return i.Provider == emailIdentity || s.cfg.Providers.Get(i.Provider) != nil
}

// identities are all identities of a user. That of the e-mail address has a row only if it was imported.
func (u User) identities() (all []linkedIdentity, err error) {
	if err := json.Unmarshal(u.Identities, &all); err != nil {
		return nil, fmt.Errorf("read the identities of a user: %w", err)
	}
	isEmail := func(one linkedIdentity) bool { return one.Provider == emailIdentity }
	if u.SignsInByEmail() && !slices.ContainsFunc(all, isEmail) {
		all = append(all, linkedIdentity{u.ID, emailIdentity})
	}
	return all, nil
}
