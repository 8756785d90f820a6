package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"research/db"
)

// A Session is a session that has just begun or been refreshed.
type Session struct {
	ID           uuid.UUID
	User         User
	AMR          json.RawMessage // the authentication methods (RFC 8176), as the claim amr has them
	RefreshToken string
	Scopes       []string // of an app; nil if the session is the user's own
	Resource     string   // what the access tokens of an app are for (RFC 8707); may be empty
}

// The methods of authentication, with GoTrue's names.
const (
	methodPassword = "password"
	methodLink     = "otp"
	methodRecovery = "recovery"
	methodOAuth    = "oauth" // an account at a provider

	methodAnonymous = "anonymous"
)

// maxUserAgentBytes bounds the stored part of the header.
const maxUserAgentBytes = 500

// beginSession creates a session for a user. The function before runs first in the same transaction; nil
// means none. Its error is ErrUserGone if the user was deleted meanwhile, or before's.
func (s *Service) beginSession(
	ctx context.Context, client Client, user User, method, action string, before func(*db.Queries) error,
) (Session, error) {
	now := s.now()
	methods := authentications{{method, now.Unix()}}
	if method == methodProviderMFA {
		methods = append(methods, authentication{methodOAuth, now.Unix()})
	}
	amr, err := json.Marshal(methods)
	if err != nil {
		return Session{}, err
	}
	session := Session{ID: uuid.New(), User: user, AMR: amr, RefreshToken: newRefreshToken()}
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		if before != nil {
			if err := before(q); err != nil {
				return err
			}
		}
		if err := s.createSession(ctx, q, client, session, nil); err != nil {
			return err
		}
		err := q.RecordSignIn(ctx, db.RecordSignInParams{ID: user.ID, Network: client.network()})
		if err != nil {
			return err
		}
		return s.audit(ctx, q, event{action: action, actor: &user, address: client.Address})
	})
	if db.Constraint(err) == db.ConstraintSessionUser {
		return Session{}, fmt.Errorf("%w: %w", ErrUserGone, err)
	}
	if err != nil {
		return Session{}, err
	}
	session.User.LastSignInAt = &now
	return session, nil
}

// An appSession is what the session of an app has beyond that of a user.
type appSession struct {
	client uuid.UUID
	factor *uuid.UUID // of the session that approved; see lockedSession
}

// createSession stores a session with its first refresh token. A nil app means that it is the user's own.
func (s *Service) createSession(
	ctx context.Context, q *db.Queries, client Client, session Session, app *appSession,
) error {
	agent := strings.ToValidUTF8(client.UserAgent[:min(len(client.UserAgent), maxUserAgentBytes)], "")
	row := db.CreateSessionParams{
		ID: session.ID, UserID: session.User.ID, UserAgent: &agent, Aal: session.AAL(), Amr: session.AMR,
		MaxSeconds: s.cfg.SessionMaxLifetime.Seconds(), IdleSeconds: s.cfg.SessionIdleTimeout.Seconds(),
	}
	if client.Address != "" {
		row.Ip = &client.Address
	}
	if app != nil {
		row.OauthClientID, row.FactorID, row.Scopes = &app.client, app.factor, session.Scopes
		row.Resource = optional(session.Resource)
	}
	if err := q.CreateSession(ctx, row); err != nil {
		return err
	}
	return q.CreateRefreshToken(ctx, db.CreateRefreshTokenParams{
		TokenHash: hashSecret(session.RefreshToken), UserID: session.User.ID, SessionID: session.ID,
	})
}

// A SessionRef names a session and its user, as an access token does.
type SessionRef struct{ UserID, SessionID uuid.UUID }

// A CurrentUser is the user of an active session.
type CurrentUser struct {
	User
	SessionID uuid.UUID
}

// CurrentUser returns the user of a session. It queries the database, so that it never relies on a cache.
// Errors: ErrSessionUserGone, ErrSessionEnded, ErrBanned.
func (s *Service) CurrentUser(ctx context.Context, ref SessionRef) (CurrentUser, error) {
	row, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.GetSessionUserRow, error) {
		return q.GetSessionUser(ctx, db.GetSessionUserParams{UserID: ref.UserID, SessionID: ref.SessionID})
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return CurrentUser{}, ErrSessionUserGone
	case err != nil:
		return CurrentUser{}, err
	case !row.HasSession:
		return CurrentUser{}, ErrSessionEnded
	}
	current := CurrentUser{User{row.AuthUser, row.Identities}, ref.SessionID}
	if current.banned(s.now()) {
		return CurrentUser{}, ErrBanned
	}
	return current, nil
}

// Sessions returns the active sessions of a user, the most recently used first. Grants returns the apps.
func (s *Service) Sessions(ctx context.Context, user uuid.UUID) ([]db.ListUserSessionsRow, error) {
	return db.AsService(ctx, s.store, func(q *db.Queries) ([]db.ListUserSessionsRow, error) {
		return q.ListUserSessions(ctx, user)
	})
}

// A SignOutScope selects the sessions of the user that a sign-out ends.
type SignOutScope string

// The scopes, with GoTrue's names.
const (
	SignOutGlobal SignOutScope = "global" // all
	SignOutLocal  SignOutScope = "local"  // the current one
	SignOutOthers SignOutScope = "others" // all but the current one
)

// SignOut ends sessions of the current user. Apps stay connected. The scope must be one of those above.
func (s *Service) SignOut(ctx context.Context, client Client, current CurrentUser, scope SignOutScope) error {
	ended, err := db.AsService(ctx, s.store, func(q *db.Queries) (ended []uuid.UUID, err error) {
		switch scope {
		case SignOutGlobal:
			ended, err = q.DeleteOwnSessions(ctx, db.DeleteOwnSessionsParams{UserID: current.ID})
		case SignOutOthers:
			others := db.DeleteOwnSessionsParams{UserID: current.ID, Keep: &current.SessionID}
			ended, err = q.DeleteOwnSessions(ctx, others)
		case SignOutLocal:
			ended, err = []uuid.UUID{current.SessionID}, q.DeleteSession(ctx, current.SessionID)
		default:
			err = fmt.Errorf("identity: unknown sign-out scope %q", scope)
		}
		if err != nil {
			return nil, err
		}
		return ended, s.audit(ctx, q, event{action: "logout", actor: &current.User, address: client.Address})
	})
	if err != nil {
		return err
	}
	s.sessions.SessionsEnded(current.ID, ended...)
	return nil
}

// RevokeSession ends a session of the current user. Its error is ErrSessionNotFound.
func (s *Service) RevokeSession(
	ctx context.Context, client Client, current CurrentUser, session uuid.UUID,
) error {
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		deleted, err := q.DeleteUserSession(ctx, db.DeleteUserSessionParams{ID: session, UserID: current.ID})
		if err != nil {
			return err
		}
		if deleted == 0 {
			return ErrSessionNotFound
		}
		return s.audit(ctx, q, event{
			action: "session_revoked", actor: &current.User, address: client.Address,
			traits: map[string]any{"session_id": session},
		})
	})
	if err != nil {
		return err
	}
	s.sessions.SessionsEnded(current.ID, session)
	return nil
}
