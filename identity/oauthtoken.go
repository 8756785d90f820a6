package identity

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"research/db"
)

// A CodeExchange is the exchange of a code by an app that has authenticated itself.
type CodeExchange struct {
	App         OAuthClient
	Code        string
	RedirectURI string // to which the code was sent, or empty: OAuth 2.1 has PKCE instead
	Verifier    string // of the code challenge
	Resource    string // as in the request, or empty
}

// An exchangeOutcome is the result of an exchange's transaction. An error of the app's is part of it.
type exchangeOutcome struct {
	session Session
	reused  *db.AuthOauthAuthorization // the code was exchanged before
}

// ExchangeAuthorizationCode begins a session of an app for the user who approved its request. A code can be
// exchanged once, within a minute. If it is exchanged again, somebody has a copy, and the session that it
// began ends (RFC 6749, section 4.1.2).
//
// Errors: ErrAuthorizationCode, ErrAuthorizationCodeReused, ErrAuthorizationRedirect,
// ErrAuthorizationResource, ErrAuthorizationVerifier, ErrBanned.
func (s *Service) ExchangeAuthorizationCode(
	ctx context.Context, client Client, x CodeExchange,
) (Session, error) {
	outcome, err := db.AsService(ctx, s.store, func(q *db.Queries) (exchangeOutcome, error) {
		return s.exchangeLocked(ctx, q, client, x)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return Session{}, ErrAuthorizationCode
	case err != nil:
		return Session{}, err
	case outcome.reused != nil:
		if err := s.endReused(ctx, client, x.App, *outcome.reused); err != nil {
			return Session{}, err
		}
		return Session{}, ErrAuthorizationCodeReused
	}
	return outcome.session, nil
}

// exchangeLocked holds the locks of the user and of the request, so that one of several concurrent exchanges
// begins a session. The user is locked first, as everywhere. Its error is db.ErrNotFound if there is no such
// code, or no such user any more.
func (s *Service) exchangeLocked(
	ctx context.Context, q *db.Queries, client Client, x CodeExchange,
) (exchangeOutcome, error) {
	found, err := q.FindAuthorizationCode(ctx, db.FindAuthorizationCodeParams{
		CodeHash: hashSecret(x.Code), ClientID: x.App.AuthOauthClient.ID,
	})
	if err != nil {
		return exchangeOutcome{}, err
	}
	user, err := lockUser(ctx, q, found.UserID)
	if err != nil {
		return exchangeOutcome{}, err
	}
	row, err := q.LockAuthorization(ctx, found.ID)
	if err != nil {
		return exchangeOutcome{}, err
	}
	a := row.AuthOauthAuthorization
	if a.ExchangedAt != nil {
		return exchangeOutcome{reused: &a}, nil
	}
	if err := s.checkExchange(a, user, x); err != nil {
		return exchangeOutcome{}, err
	}
	session := Session{
		ID: uuid.New(), User: user, AMR: a.Amr, RefreshToken: newRefreshToken(),
		Scopes: a.Scopes, Resource: deref(a.Resource),
	}
	app := appSession{client: a.ClientID, factor: a.FactorID}
	if err := s.createSession(ctx, q, client, session, &app); err != nil {
		return exchangeOutcome{}, err
	}
	if err := q.ExchangeAuthorization(ctx, db.ExchangeAuthorizationParams{
		ID: a.ID, SessionID: session.ID, ExchangedAt: s.now(),
	}); err != nil {
		return exchangeOutcome{}, err
	}
	e := appEvent("login", client, user, x.App)
	e.traits["provider_type"] = "oauth_provider_authorization_code" // GoTrue's
	return exchangeOutcome{session: session}, s.audit(ctx, q, e)
}

// checkExchange checks an exchange against the request. What a session needs may have changed since the user
// approved: a second factor was added, or that of the approving session was removed.
func (s *Service) checkExchange(a db.AuthOauthAuthorization, user User, x CodeExchange) error {
	methods, err := parseAMR(a.Amr)
	if err != nil {
		return err
	}
	raised := methods.level() == AAL2
	switch {
	case a.CodeExpiresAt == nil || !s.now().Before(*a.CodeExpiresAt):
		return ErrAuthorizationCode
	case x.RedirectURI != "" && a.RedirectUri != x.RedirectURI:
		return ErrAuthorizationRedirect
	case x.Resource != "" && x.Resource != deref(a.Resource):
		return ErrAuthorizationResource
	case !CodeChallenge{a.CodeChallenge, challengeS256}.matches(x.Verifier):
		return ErrAuthorizationVerifier
	case user.banned(s.now()):
		return ErrBanned
	case raised && a.FactorID == nil, !raised && user.HasFactor():
		return ErrAuthorizationCode
	}
	return nil
}

// endReused ends the session that a code began which was exchanged again. The transaction is one of its own:
// whoever deletes a session locks it before the request from which it came.
func (s *Service) endReused(
	ctx context.Context, client Client, app OAuthClient, a db.AuthOauthAuthorization,
) error {
	if a.SessionID == nil {
		return nil // it has ended already
	}
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		session := db.DeleteUserSessionParams{ID: *a.SessionID, UserID: *a.UserID}
		ended, err := q.DeleteUserSession(ctx, session)
		if err != nil || ended == 0 {
			return err
		}
		user, err := getUser(ctx, q, *a.UserID)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		e := appEvent("oauth_code_reused", client, user, app)
		e.traits["session_id"] = *a.SessionID
		return s.audit(ctx, q, e)
	})
	if err != nil {
		return err
	}
	s.sessions.SessionsEnded(*a.UserID, *a.SessionID)
	return nil
}
