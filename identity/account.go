package identity

import (
	"context"

	"github.com/google/uuid"

	"research/db"
)

// A Deletion describes what is deleted with an account.
type Deletion struct {
	Workspaces int64 // those without another member
}

// DeleteSelf deletes the account of the current user, as DeleteUser does. Workspaces without another member
// are deleted with it; in the others, a member becomes the owner if there is no other. It requires a recent
// sign-in or the code of RequestCode, and a session with the user's second factor.
//
// Errors: ErrUpdateRequiresFactor, ErrReauthenticationNeeded, ErrInvalidCode, ErrSessionEnded.
func (s *Service) DeleteSelf(
	ctx context.Context, client Client, current CurrentUser, code string,
) (Deletion, error) {
	// The deletion removes the code with all others.
	if _, err := s.stepUp(ctx, current, code, ErrUpdateRequiresFactor); err != nil {
		return Deletion{}, err
	}
	deletion, err := db.AsService(ctx, s.store, func(q *db.Queries) (d Deletion, err error) {
		if _, err := lockSession(ctx, q, current); err != nil {
			return d, err
		}
		workspaces, err := q.ListWorkspacesOf(ctx, current.ID)
		if err != nil {
			return d, err
		}
		deleted, err := q.MarkAccountDeleted(ctx, current.ID)
		if err != nil {
			return d, err
		}
		if !deleted {
			return d, ErrSessionEnded
		}
		if err := notify(ctx, q, current.User, noticeAccountDeleted, nil); err != nil {
			return d, err
		}
		if d.Workspaces, err = q.CountMarked(ctx, workspaces); err != nil {
			return d, err
		}
		return d, s.audit(ctx, q, byUser("user_deleted", client, current.ID))
	})
	if err != nil {
		return Deletion{}, err
	}
	s.sessions.RecheckSessions()
	return deletion, nil
}

// AllowExport checks that the session has the user's second factor, and records in the audit log that the
// user exports their data. Errors: ErrSecondFactorRequired, ErrSessionEnded.
func (s *Service) AllowExport(ctx context.Context, client Client, current CurrentUser) error {
	if err := s.requireFactor(ctx, current, ErrSecondFactorRequired); err != nil {
		return err
	}
	return s.store.AsService(ctx, func(q *db.Queries) error {
		return s.audit(ctx, q, byUser("user_exported", client, current.ID))
	})
}

// byUser is an event without the user's address, so that the log does not keep it after a deletion.
func byUser(action string, client Client, user uuid.UUID) event {
	return event{action: action, actor: &User{AuthUser: db.AuthUser{ID: user}}, address: client.Address}
}
