package identity

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/db"
)

const (
	// authorizationLifetime is how long a user may take to answer the request of an app, with a sign-in.
	authorizationLifetime = 10 * time.Minute
	// authorizationCodeLifetime is how long an app may take to exchange its code. RFC 6749, section 4.1.2,
	// allows ten minutes; apps exchange it at once.
	authorizationCodeLifetime = time.Minute
)

// authorizationPending is the status of a request that was not answered.
const authorizationPending = "pending"

// An AuthorizationRequest is the request of an app for access. The caller has checked its fields.
type AuthorizationRequest struct {
	App           OAuthClient
	RedirectURI   string   // one that App.AllowsRedirect
	Scopes        []string // what the app may do
	Resource      string   // what its tokens are for (RFC 8707); may be empty
	State         string   // returned to the app
	CodeChallenge string   // of the method S256 (RFC 7636)
}

// BeginAuthorization stores a request for ten minutes. Any user may open it by its id. Errors: *LimitError,
// ErrOAuthClientNotFound.
func (s *Service) BeginAuthorization(
	ctx context.Context, client Client, request AuthorizationRequest,
) (uuid.UUID, error) {
	if err := s.limits.authorization(client); err != nil {
		return uuid.Nil, err
	}
	id, now := uuid.New(), s.now()
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		return q.CreateAuthorization(ctx, db.CreateAuthorizationParams{
			ID: id, ClientID: request.App.AuthOauthClient.ID, RedirectUri: request.RedirectURI,
			Scopes: request.Scopes, State: request.State, Resource: optional(request.Resource),
			CodeChallenge: request.CodeChallenge, ExpiresAt: now.Add(authorizationLifetime), Now: now,
		})
	})
	if db.Constraint(err) == db.ConstraintAuthorizationClient {
		return uuid.Nil, ErrOAuthClientNotFound // deleted by a concurrent request
	}
	return id, err
}

// An Authorization is the request of an app that a user has opened.
type Authorization struct {
	ID          uuid.UUID
	App         OAuthClient
	RedirectURI string
	Scopes      []string
	Resource    string
	State       string
	Denied      bool
	Code        string // for the app; empty unless the user has just approved
}

// Authorization returns a request. The first user who opens it is the only one who may answer it.
//
// It approves the request, as if the user had answered, if the user has allowed the same before to the same
// host, and the app is known for sure: it did not register itself, and its redirect URI is https, so that no
// other program on the user's machine gets the code. The session must be one that Consent accepts without a
// code.
//
// Errors: ErrAuthorizationNotFound, ErrAuthorizationAnswered, ErrSessionEnded.
func (s *Service) Authorization(
	ctx context.Context, client Client, current CurrentUser, id uuid.UUID,
) (Authorization, error) {
	return db.AsService(ctx, s.store, func(q *db.Queries) (Authorization, error) {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return Authorization{}, err
		}
		a, err := s.openAuthorization(ctx, q, session.user, id)
		if err != nil {
			return Authorization{}, err
		}
		allowed, err := s.allowedBefore(ctx, q, session, a)
		if err != nil || !allowed {
			return a, err
		}
		return s.approve(ctx, q, client, session, a, true)
	})
}

// openAuthorization locks a request that the user may answer. An anonymous user cannot approve it, and leaves
// it to the account to sign in with. Errors: ErrAuthorizationNotFound, ErrAuthorizationAnswered.
func (s *Service) openAuthorization(
	ctx context.Context, q *db.Queries, user User, id uuid.UUID,
) (Authorization, error) {
	row, err := q.LockAuthorization(ctx, id)
	if errors.Is(err, db.ErrNotFound) {
		return Authorization{}, ErrAuthorizationNotFound
	}
	if err != nil {
		return Authorization{}, err
	}
	stored, app := row.AuthOauthAuthorization, OAuthClient{row.AuthOauthClient}
	switch {
	case stored.UserID != nil && *stored.UserID != user.ID, !s.now().Before(stored.ExpiresAt):
		return Authorization{}, ErrAuthorizationNotFound
	case stored.Status != authorizationPending:
		return Authorization{}, ErrAuthorizationAnswered
	case !app.AllowsRedirect(stored.RedirectUri): // any more
		return Authorization{}, ErrAuthorizationNotFound
	}
	if !user.IsAnonymous {
		claim := db.ClaimAuthorizationParams{ID: id, UserID: user.ID}
		if err := q.ClaimAuthorization(ctx, claim); err != nil {
			return Authorization{}, err
		}
	}
	return Authorization{
		ID: id, App: app, RedirectURI: stored.RedirectUri, Scopes: stored.Scopes,
		Resource: deref(stored.Resource), State: stored.State,
	}, nil
}

// allowedBefore reports whether a request needs no answer.
func (s *Service) allowedBefore(
	ctx context.Context, q *db.Queries, session lockedSession, a Authorization,
) (bool, error) {
	known := a.App.RegistrationType != ClientDynamic && strings.HasPrefix(a.RedirectURI, "https://")
	if !known || session.user.IsAnonymous || s.checkStepUp(session, ErrAccessRequiresFactor) != nil {
		return false, nil
	}
	return isConsented(ctx, q, session.user, a)
}

// isConsented reports whether the user has allowed the same before, with the answer going to the same host.
func isConsented(ctx context.Context, q *db.Queries, user User, a Authorization) (bool, error) {
	consent, err := q.GetConsent(ctx, db.GetConsentParams{UserID: user.ID, ClientID: a.App.AuthOauthClient.ID})
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	isNew := func(scope string) bool { return !slices.Contains(consent.Scopes, scope) }
	same := (a.Resource == "" || a.Resource == deref(consent.Resource)) &&
		RedirectHost(a.RedirectURI) == consent.RedirectHost
	return same && !slices.ContainsFunc(a.Scopes, isNew), nil
}

// A ConsentAnswer is the answer of a user to the request of an app.
type ConsentAnswer struct {
	Approve bool
	Code    string // see RequestCode; only needed to approve, if the sign-in is not recent
}

// Consent answers a request. To approve it, the session needs what sensitive changes of an account need: the
// user's second factor, and a recent sign-in or a mailed code. The result of an approval has a code for the
// app, which is valid for a minute.
//
// Errors: ErrAuthorizationNotFound, ErrAuthorizationAnswered, ErrAnonymousAccess, ErrAccessRequiresFactor,
// ErrReauthenticationNeeded, ErrInvalidCode, ErrSessionEnded, *LimitError.
func (s *Service) Consent(
	ctx context.Context, client Client, current CurrentUser, id uuid.UUID, answer ConsentAnswer,
) (Authorization, error) {
	var usedCode *uuid.UUID
	if answer.Approve {
		if current.IsAnonymous {
			return Authorization{}, ErrAnonymousAccess
		}
		var err error
		if usedCode, err = s.stepUp(ctx, current, answer.Code, ErrAccessRequiresFactor); err != nil {
			return Authorization{}, err
		}
	}
	return db.AsService(ctx, s.store, func(q *db.Queries) (Authorization, error) {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return Authorization{}, err
		}
		a, err := s.openAuthorization(ctx, q, session.user, id)
		if err != nil {
			return Authorization{}, err
		}
		if !answer.Approve {
			return s.deny(ctx, q, client, session, a)
		}
		if err := s.confirmStepUp(ctx, q, session, usedCode, ErrAccessRequiresFactor); err != nil {
			return Authorization{}, err
		}
		return s.approve(ctx, q, client, session, a, false)
	})
}

// approve gives a request a code, and stores the user's answer unless there was none. The session of the app
// will be as well authenticated as the one that approves.
func (s *Service) approve(
	ctx context.Context, q *db.Queries, client Client, session lockedSession, a Authorization, automatic bool,
) (Authorization, error) {
	a.Code = rand.Text()
	amr, err := json.Marshal(session.methods)
	if err != nil {
		return Authorization{}, err
	}
	if err := q.ApproveAuthorization(ctx, db.ApproveAuthorizationParams{
		ID: a.ID, CodeHash: hashSecret(a.Code), CodeExpiresAt: s.now().Add(authorizationCodeLifetime),
		FactorID: session.factor, Amr: amr,
	}); err != nil {
		return Authorization{}, err
	}
	if !automatic {
		if err := saveConsent(ctx, q, session.user, a); err != nil {
			return Authorization{}, err
		}
	}
	e := a.event("oauth_authorization_approved", client, session.user)
	e.traits["automatic"] = automatic
	return a, s.audit(ctx, q, e)
}

// saveConsent stores what a user allows, and notifies the user of what was not allowed before.
func saveConsent(ctx context.Context, q *db.Queries, user User, a Authorization) error {
	known, err := isConsented(ctx, q, user, a)
	if err != nil {
		return err
	}
	if !known {
		if err := notify(ctx, q, user, NoticeAppConnected, nil); err != nil {
			return err
		}
	}
	return q.SaveConsent(ctx, db.SaveConsentParams{
		UserID: user.ID, ClientID: a.App.AuthOauthClient.ID, Scopes: a.Scopes, Resource: optional(a.Resource),
		RedirectHost: RedirectHost(a.RedirectURI),
	})
}

func (s *Service) deny(
	ctx context.Context, q *db.Queries, client Client, session lockedSession, a Authorization,
) (Authorization, error) {
	a.Denied = true
	if err := q.DenyAuthorization(ctx, a.ID); err != nil {
		return Authorization{}, err
	}
	return a, s.audit(ctx, q, a.event("oauth_authorization_denied", client, session.user))
}

func (a Authorization) event(action string, client Client, user User) event {
	e := appEvent(action, client, user, a.App)
	e.traits["scopes"], e.traits["resource"] = a.Scopes, a.Resource
	return e
}

func appEvent(action string, client Client, user User, app OAuthClient) event {
	return event{
		action: action, actor: &user, address: client.Address,
		traits: map[string]any{"client_id": app.ID(), "client_name": app.ClientName},
	}
}
