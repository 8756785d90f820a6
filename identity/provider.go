package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"research/db"
	"research/identity/oidc"
)

// providerFlowLifetime is how long a person may take at the provider, with its second factor. GoTrue allows
// five minutes.
const providerFlowLifetime = 10 * time.Minute

// A ProviderRequest is the request of a client to send a browser to a provider.
type ProviderRequest struct {
	Provider   string
	RedirectTo string        // where the browser goes with the code; see REDIRECT_URLS
	Challenge  CodeChallenge // required, so that only this client can exchange the code
	Asked      AskedOfProvider
}

// An AskedOfProvider is what a client asks of the provider beyond the sign-in.
type AskedOfProvider struct {
	Scopes []string
	Params url.Values // without those that OAuth reserves
}

// provider returns what is set up for a provider. Its error is ErrProviderDisabled.
func (s *Service) provider(name string) (*oidc.Provider, error) {
	if p := s.cfg.Providers.Get(name); p != nil {
		return p, nil
	}
	return nil, ErrProviderDisabled
}

// BeginProviderSignIn returns the address of the provider to which the browser goes. Only that browser may
// return: it keeps the secret as a cookie.
//
// Errors: ErrProviderDisabled, ErrChallengeRequired, *LimitError, *ProviderError.
func (s *Service) BeginProviderSignIn(
	ctx context.Context, client Client, browser string, r ProviderRequest,
) (string, error) {
	provider, err := s.provider(r.Provider)
	if err != nil {
		return "", err
	}
	if r.Challenge == (CodeChallenge{}) {
		return "", ErrChallengeRequired
	}
	if err := s.limits.providerFlow(client); err != nil {
		return "", err
	}
	secrets := newFlowSecrets()
	address, err := provider.AuthorizationURL(ctx, secrets.request(r.Asked))
	if err != nil {
		return "", err
	}
	return address, s.store.AsService(ctx, func(q *db.Queries) error {
		return q.CreateProviderFlow(ctx, db.CreateProviderFlowParams{
			TokenHash: hashSecret(secrets.state), BrowserHash: hashSecret(browser), Provider: r.Provider,
			Nonce: secrets.nonce, CodeVerifier: secrets.verifier, CodeChallenge: r.Challenge.challenge,
			CodeChallengeMethod: r.Challenge.method, RedirectTo: s.redirect(r.RedirectTo),
			ExpiresAt: s.now().Add(providerFlowLifetime),
		})
	})
}

// flowSecrets are what nobody but the browser and the provider (state, nonce), or nobody but us (verifier),
// knows of a flow.
type flowSecrets struct{ state, nonce, verifier string }

func newFlowSecrets() flowSecrets {
	return flowSecrets{rand.Text(), rand.Text(), oauth2.GenerateVerifier()}
}

func (f flowSecrets) request(asked AskedOfProvider) oidc.Request {
	return oidc.Request{
		State: f.state, Nonce: f.nonce, Verifier: f.verifier, Scopes: asked.Scopes, Params: asked.Params,
	}
}

// BeginIdentityLink returns a ticket with which a browser can go to a provider, to link an account there to
// the current user. Like every sensitive change, it requires a recent sign-in and the second factor.
//
// Errors: ErrProviderDisabled, ErrChallengeRequired, ErrUpdateRequiresFactor, ErrReauthenticationNeeded,
// ErrSessionEnded, *LimitError.
func (s *Service) BeginIdentityLink(
	ctx context.Context, client Client, current CurrentUser, r ProviderRequest,
) (ticket string, err error) {
	if _, err := s.provider(r.Provider); err != nil {
		return "", err
	}
	if r.Challenge == (CodeChallenge{}) {
		return "", ErrChallengeRequired
	}
	if err := s.limits.providerFlow(client); err != nil {
		return "", err
	}
	ticket = rand.Text()
	return ticket, s.store.AsService(ctx, func(q *db.Queries) error {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return err
		}
		if err := s.checkStepUp(session, ErrUpdateRequiresFactor); err != nil {
			return err
		}
		return q.CreateProviderFlow(ctx, db.CreateProviderFlowParams{
			TokenHash: hashSecret(ticket), Provider: r.Provider, CodeChallenge: r.Challenge.challenge,
			CodeChallengeMethod: r.Challenge.method, RedirectTo: s.redirect(r.RedirectTo),
			UserID: &current.ID, SessionID: &current.SessionID,
			ExpiresAt: s.now().Add(providerFlowLifetime),
		})
	})
}

// OpenIdentityLink returns the address of the provider to which a browser with a ticket goes. A ticket works
// once. Errors: ErrProviderFlowNotFound, ErrProviderDisabled, *ProviderError.
func (s *Service) OpenIdentityLink(
	ctx context.Context, browser, ticket string, asked AskedOfProvider,
) (address string, err error) {
	secrets := newFlowSecrets()
	name, err := db.AsService(ctx, s.store, func(q *db.Queries) (string, error) {
		return q.OpenProviderFlow(ctx, db.OpenProviderFlowParams{
			TicketHash: hashSecret(ticket), TokenHash: hashSecret(secrets.state),
			BrowserHash: hashSecret(browser), Nonce: secrets.nonce, CodeVerifier: secrets.verifier, Now: s.now(),
		})
	})
	if errors.Is(err, db.ErrNotFound) {
		return "", ErrProviderFlowNotFound
	}
	if err != nil {
		return "", err
	}
	provider, err := s.provider(name)
	if err != nil {
		return "", err
	}
	return provider.AuthorizationURL(ctx, secrets.request(asked))
}

// A ProviderAnswer is what a browser brings back from a provider.
type ProviderAnswer struct {
	State   string
	Code    string
	Issuer  string // the parameter iss (RFC 9207); may be empty
	Error   string // why there is no code (RFC 6749, section 4.1.2.1); empty if there is one
	Browser string // see BeginProviderSignIn
}

// A FinishedFlow is where a browser goes after it came back.
type FinishedFlow struct {
	RedirectTo string // an allowed address; that of the client, if the flow is known
	Code       string // for ExchangeCode; empty if there is an error
}

// FinishProviderFlow finds or creates the user of the account at the provider. A flow can be finished once.
//
// Errors: ErrProviderFlowNotFound, ErrProviderFlowExpired, ErrProviderDisabled, *ProviderDeniedError,
// *ProviderError, ErrProviderAddressUnproven, ErrIdentityTaken, ErrSignUpDisabled, ErrDomainNotAllowed,
// ErrBanned, ErrUserGone, *LimitError.
func (s *Service) FinishProviderFlow(
	ctx context.Context, client Client, answer ProviderAnswer,
) (FinishedFlow, error) {
	finished := FinishedFlow{RedirectTo: s.cfg.PublicURL}
	flow, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.FinishProviderFlowRow, error) {
		return q.FinishProviderFlow(ctx, db.FinishProviderFlowParams{
			TokenHash: hashSecret(answer.State), BrowserHash: hashSecret(answer.Browser),
		})
	})
	if errors.Is(err, db.ErrNotFound) {
		return finished, ErrProviderFlowNotFound
	}
	if err != nil {
		return finished, err
	}
	finished.RedirectTo = s.redirect(flow.RedirectTo)
	account, err := s.answeredAccount(ctx, flow, answer)
	if err != nil {
		return finished, err
	}
	challenge := CodeChallenge{flow.CodeChallenge, flow.CodeChallengeMethod}
	if flow.UserID != nil {
		code := issuedCode{user: *flow.UserID, method: account.method(), challenge: challenge}
		finished.Code, err = s.issueLinkingCode(ctx, code, *flow.SessionID, account)
		return finished, err
	}
	user, err := s.providerUser(ctx, client, account)
	if err != nil {
		return finished, err
	}
	code := issuedCode{user: user.ID, method: account.method(), challenge: challenge}
	code.before = func(q *db.Queries) error { return s.stillLinked(ctx, q, user.ID, account) }
	finished.Code, err = s.issueCode(ctx, code)
	return finished, err
}

// answeredAccount returns the account whose owner has returned from the provider.
func (s *Service) answeredAccount(
	ctx context.Context, flow db.FinishProviderFlowRow, answer ProviderAnswer,
) (providerAccount, error) {
	if !s.now().Before(flow.ExpiresAt) {
		return providerAccount{}, ErrProviderFlowExpired
	}
	provider, err := s.provider(flow.Provider)
	if err != nil {
		return providerAccount{}, err
	}
	if answer.Error != "" || answer.Code == "" {
		return providerAccount{}, &ProviderDeniedError{Provider: flow.Provider, Code: answer.Error}
	}
	account, err := provider.Exchange(ctx, oidc.Answer{
		Code: answer.Code, Issuer: answer.Issuer, Nonce: flow.Nonce, Verifier: flow.CodeVerifier,
	})
	return newProviderAccount(provider, account), err
}

// An IDTokenGrant is an ID token that a client got from a provider itself.
type IDTokenGrant struct {
	Provider    string
	IDToken     string
	AccessToken string // may be empty
	Nonce       string // the claim is its SHA-256; may be empty
}

// SignInWithIDToken begins a session for the user of the account that an ID token is about. Invalid tokens
// count as failed sign-ins.
//
// Errors: ErrProviderDisabled, *ProviderError, and those of FinishProviderFlow for the account.
func (s *Service) SignInWithIDToken(ctx context.Context, client Client, g IDTokenGrant) (Session, error) {
	account, err := s.grantedAccount(ctx, client, g)
	if err != nil {
		return Session{}, err
	}
	user, err := s.providerUser(ctx, client, account)
	if err != nil {
		return Session{}, err
	}
	return s.beginSession(ctx, client, user, account.method(), "login", func(q *db.Queries) error {
		return s.stillLinked(ctx, q, user.ID, account)
	})
}

// LinkIDToken links the account that an ID token is about to the current user, and begins a session.
//
// Errors: those of SignInWithIDToken and of BeginIdentityLink; ErrIdentityTaken, ErrEmailTaken.
func (s *Service) LinkIDToken(
	ctx context.Context, client Client, current CurrentUser, g IDTokenGrant,
) (Session, error) {
	if _, err := s.stepUp(ctx, current, "", ErrUpdateRequiresFactor); err != nil {
		return Session{}, err
	}
	account, err := s.grantedAccount(ctx, client, g)
	if err != nil {
		return Session{}, err
	}
	return s.beginLinkedSession(ctx, client, current, account,
		func(_ *db.Queries, session lockedSession) error {
			return s.checkStepUp(session, ErrUpdateRequiresFactor)
		})
}

// grantedAccount returns the account that an ID token is about.
func (s *Service) grantedAccount(
	ctx context.Context, client Client, g IDTokenGrant,
) (providerAccount, error) {
	provider, err := s.provider(g.Provider)
	if err != nil {
		return providerAccount{}, err
	}
	attempt, err := s.limits.idToken(client)
	if err != nil {
		return providerAccount{}, err
	}
	account, err := provider.VerifyIDToken(ctx, oidc.IDToken{
		Raw: g.IDToken, AccessToken: g.AccessToken, Nonce: g.Nonce,
	})
	var refused *ProviderError
	if !errors.As(err, &refused) || refused.Temporary {
		attempt.refund()
	}
	return newProviderAccount(provider, account), err
}

// beginLinkedSession links an account to a user, and begins a session. The function before runs first in the
// same transaction.
func (s *Service) beginLinkedSession(
	ctx context.Context, client Client, current CurrentUser, account providerAccount,
	before func(*db.Queries, lockedSession) error,
) (Session, error) {
	user, err := db.AsService(ctx, s.store, func(q *db.Queries) (User, error) {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return User{}, err
		}
		if err := before(q, session); err != nil {
			return User{}, err
		}
		return s.linkIdentity(ctx, q, client, session.user, account)
	})
	if db.Constraint(err) == db.ConstraintUserEmail {
		return Session{}, ErrEmailTaken
	}
	if err != nil {
		return Session{}, err
	}
	return s.beginSession(ctx, client, user, account.method(), "login", func(q *db.Queries) error {
		return s.stillLinked(ctx, q, user.ID, account)
	})
}

// linkedUser says whether an account has a user, and which one. An operator may give the name of a custom
// provider to another one, where the same subject is another person: that is a *ProviderError.
func linkedUser(
	ctx context.Context, q *db.Queries, account providerAccount,
) (id uuid.UUID, found bool, err error) {
	row, err := q.GetIdentity(ctx, db.GetIdentityParams{
		Provider: account.provider, ProviderID: account.subject,
	})
	if errors.Is(err, db.ErrNotFound) {
		return uuid.Nil, false, nil
	}
	if err == nil && strings.HasPrefix(account.provider, "custom:") && row.Issuer != account.issuer {
		err = &ProviderError{
			Provider: account.provider, Reason: "has another issuer than when the account was linked",
		}
	}
	return row.UserID, err == nil, err
}
