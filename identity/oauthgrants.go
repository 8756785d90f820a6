package identity

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// A Grant is what a user has allowed to an app.
type Grant struct {
	App          OAuthClient
	RedirectHost string // where the last answer went; see RedirectHost
	Scopes       []string
	GrantedAt    time.Time
	LastUsedAt   time.Time // when a session of the app began or was refreshed
}

// Grants returns the apps that a user has allowed something, the newest consent first.
func (s *Service) Grants(ctx context.Context, user uuid.UUID) ([]Grant, error) {
	rows, err := db.AsService(ctx, s.store, func(q *db.Queries) ([]db.ListGrantsRow, error) {
		return q.ListGrants(ctx, user)
	})
	grants := make([]Grant, len(rows))
	for i, row := range rows {
		grants[i] = Grant{
			OAuthClient{row.AuthOauthClient}, row.RedirectHost, row.Scopes, row.GrantedAt, row.LastUsedAt,
		}
	}
	return grants, err
}

// RevokeGrant takes back what the current user has allowed to the app with a client_id of the wire, and ends
// its sessions. Its error is ErrGrantNotFound.
func (s *Service) RevokeGrant(
	ctx context.Context, client Client, current CurrentUser, clientID string,
) error {
	app, err := s.storedClient(ctx, clientID)
	if errors.Is(err, ErrOAuthClientNotFound) {
		return ErrGrantNotFound
	}
	if err != nil {
		return err
	}
	ended, err := db.AsService(ctx, s.store, func(q *db.Queries) ([]uuid.UUID, error) {
		return s.revokeLocked(ctx, q, client, current, app)
	})
	if err != nil {
		return err
	}
	s.sessions.SessionsEnded(current.ID, ended...)
	return nil
}

// revokeLocked holds the lock of the user, as an exchange of a code does.
func (s *Service) revokeLocked(
	ctx context.Context, q *db.Queries, client Client, current CurrentUser, app OAuthClient,
) ([]uuid.UUID, error) {
	user, err := lockUser(ctx, q, current.ID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, ErrSessionUserGone
	}
	if err != nil {
		return nil, err
	}
	id := app.AuthOauthClient.ID
	deleted, err := q.DeleteConsent(ctx, db.DeleteConsentParams{UserID: user.ID, ClientID: id})
	if err != nil {
		return nil, err
	}
	sessions := db.DeleteAppSessionsParams{UserID: user.ID, OauthClientID: id}
	ended, err := q.DeleteAppSessions(ctx, sessions)
	if err != nil {
		return nil, err
	}
	requests := db.DeleteAppAuthorizationsParams{UserID: user.ID, ClientID: id}
	if err := q.DeleteAppAuthorizations(ctx, requests); err != nil {
		return nil, err
	}
	if deleted == 0 && len(ended) == 0 {
		return nil, ErrGrantNotFound
	}
	return ended, s.audit(ctx, q, appEvent("oauth_grant_revoked", client, user, app))
}
