package identity

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// reuseInterval is how long a replaced refresh token may be used again, as in GoTrue
// (GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL).
const reuseInterval = 10 * time.Second

// Refresh replaces a refresh token. The parent of the current token yields the current token again, since the
// client may have lost the response. So does an older token within ten seconds; later it ends the session,
// since somebody else has a copy. The number of refreshes is never limited.
//
// Errors: ErrRefreshTokenNotFound, ErrRefreshTokenReused, ErrSessionExpired, ErrBanned.
func (s *Service) Refresh(ctx context.Context, client Client, refreshToken string) (Session, error) {
	return s.refreshFor(ctx, client, nil, refreshToken)
}

// RefreshOAuth is Refresh for an app. The refresh token of another app, or of a user's own session, is not
// found.
func (s *Service) RefreshOAuth(
	ctx context.Context, client Client, app OAuthClient, refreshToken string,
) (Session, error) {
	return s.refreshFor(ctx, client, &app.AuthOauthClient.ID, refreshToken)
}

// refreshFor replaces a refresh token of an app, or of the user's own if app is nil.
func (s *Service) refreshFor(
	ctx context.Context, client Client, app *uuid.UUID, refreshToken string,
) (Session, error) {
	successor := s.refresh.successor(refreshToken)
	rotation := db.RotateRefreshTokenParams{
		TokenHash: hashSecret(refreshToken), SuccessorHash: hashSecret(successor), OauthClientID: app,
		MaxSeconds: s.cfg.SessionMaxLifetime.Seconds(), IdleSeconds: s.cfg.SessionIdleTimeout.Seconds(),
	}
	row, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.RotateRefreshTokenRow, error) {
		return q.RotateRefreshToken(ctx, rotation)
	})
	if errors.Is(err, db.ErrNotFound) {
		return s.refreshAgain(ctx, client, refreshToken, rotation)
	}
	return rotated(row, successor), err
}

func rotated(row db.RotateRefreshTokenRow, refreshToken string) Session {
	return Session{
		ID: row.SessionID, User: User{row.AuthUser, row.Identities}, AMR: row.Amr, RefreshToken: refreshToken,
		Scopes: row.Scopes, Resource: deref(row.Resource),
	}
}

// A refreshOutcome is the result of refreshAgain's transaction. An error of the client's is part of it, since
// the transaction must commit.
type refreshOutcome struct {
	session Session
	err     error
}

// refreshAgain handles a token that could not be rotated: it was replaced before, is unknown, or is not
// allowed any more.
func (s *Service) refreshAgain(
	ctx context.Context, client Client, refreshToken string, rotation db.RotateRefreshTokenParams,
) (Session, error) {
	outcome, err := db.AsService(ctx, s.store, func(q *db.Queries) (refreshOutcome, error) {
		return s.refreshLocked(ctx, q, client, refreshToken, rotation)
	})
	if err != nil {
		return Session{}, err
	}
	if errors.Is(outcome.err, ErrRefreshTokenReused) {
		s.sessions.SessionsEnded(outcome.session.User.ID, outcome.session.ID)
	}
	if outcome.err != nil {
		return Session{}, outcome.err
	}
	return outcome.session, nil
}

// refreshLocked holds the lock of the session, so that what it reads stays true.
func (s *Service) refreshLocked(
	ctx context.Context, q *db.Queries, client Client, refreshToken string, rotation db.RotateRefreshTokenParams,
) (refreshOutcome, error) {
	locked, err := q.LockRefreshToken(ctx, db.LockRefreshTokenParams{
		TokenHash: rotation.TokenHash, MaxSeconds: rotation.MaxSeconds, IdleSeconds: rotation.IdleSeconds,
		OauthClientID: rotation.OauthClientID,
	})
	if errors.Is(err, db.ErrNotFound) {
		return refreshOutcome{err: ErrRefreshTokenNotFound}, nil
	}
	if err != nil {
		return refreshOutcome{}, err
	}
	user, err := getUser(ctx, q, locked.UserID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return refreshOutcome{err: ErrRefreshTokenNotFound}, nil
	case err != nil:
		return refreshOutcome{}, err
	case user.banned(s.now()):
		return refreshOutcome{err: ErrBanned}, nil
	case locked.Expired:
		return refreshOutcome{err: ErrSessionExpired}, nil
	}
	// Read under the lock: another refresh may have replaced the token while this one waited.
	token, err := q.GetRefreshToken(ctx, locked.ID)
	if err != nil {
		return refreshOutcome{}, err
	}
	if !token.Revoked {
		row, err := q.RotateRefreshToken(ctx, rotation)
		return refreshOutcome{session: rotated(row, s.refresh.successor(refreshToken))}, err
	}
	session := Session{
		ID: locked.SessionID, User: user, AMR: locked.Amr, Scopes: locked.Scopes, Resource: deref(locked.Resource),
	}
	current, err := q.GetActiveRefreshToken(ctx, locked.SessionID)
	if err != nil {
		return refreshOutcome{}, err
	}
	isParent := current.ParentID != nil && *current.ParentID == token.ID
	recent := token.RevokedAt != nil && s.now().Sub(*token.RevokedAt) <= reuseInterval
	if isParent || recent {
		session.RefreshToken = s.refresh.descendant(refreshToken, current.TokenHash)
		if session.RefreshToken != "" {
			return refreshOutcome{session: session}, nil
		}
	}
	if err := q.DeleteSession(ctx, session.ID); err != nil {
		return refreshOutcome{}, err
	}
	return refreshOutcome{session: session, err: ErrRefreshTokenReused}, s.audit(ctx, q, event{
		action: "token_revoked", actor: &user, address: client.Address,
		traits: map[string]any{"reason": "refresh token reused", "session_id": session.ID},
	})
}
