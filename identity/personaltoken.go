package identity

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/db"
)

const (
	// personalTokenPrefix marks personal access tokens, for programs that look for secrets in published code.
	personalTokenPrefix = "rsp_"
	personalTokenBytes  = 32
	// maxPersonalTokens is the number of tokens of a user that have not expired.
	maxPersonalTokens = 50
	// maxPersonalTokenName is in characters. The database has the same limit.
	maxPersonalTokenName = 100
)

// The lifetime of personal access tokens. The database has the same limit.
const (
	PersonalTokenLifetime    = 90 * 24 * time.Hour // the usual one
	MaxPersonalTokenLifetime = 366 * 24 * time.Hour
)

// A PersonalToken describes a personal access token, which a user makes for scripts and assistants.
type PersonalToken = db.ListPersonalTokensRow

// A NewPersonalToken is a request for a personal access token.
type NewPersonalToken struct {
	Name     string        // what the user calls it: 1 to 100 characters
	Scopes   []string      // what it may do. Callers check that they exist; at least one is required
	Lifetime time.Duration // between a second and MaxPersonalTokenLifetime
	Code     string        // see RequestCode; only needed if the sign-in is not recent
}

// CreatePersonalToken creates a personal access token of the current user, and returns it with its secret,
// which is not stored. It has the second factor of the session, as long as the user has that factor.
//
// Errors: ErrAnonymousAccess, ErrPersonalTokenName, ErrPersonalTokenScopes, ErrPersonalTokenLifetime,
// ErrTooManyPersonalTokens, ErrAccessRequiresFactor, ErrReauthenticationNeeded, ErrInvalidCode,
// ErrSessionEnded, *LimitError.
func (s *Service) CreatePersonalToken(
	ctx context.Context, client Client, current CurrentUser, n NewPersonalToken,
) (created PersonalToken, secret string, err error) {
	if err := n.check(current); err != nil {
		return PersonalToken{}, "", err
	}
	usedCode, err := s.stepUp(ctx, current, n.Code, ErrAccessRequiresFactor)
	if err != nil {
		return PersonalToken{}, "", err
	}
	secret = newPersonalToken()
	created, err = db.AsService(ctx, s.store, func(q *db.Queries) (PersonalToken, error) {
		session, err := lockSession(ctx, q, current)
		if err != nil {
			return PersonalToken{}, err
		}
		if err := s.confirmStepUp(ctx, q, session, usedCode, ErrAccessRequiresFactor); err != nil {
			return PersonalToken{}, err
		}
		if err := notify(ctx, q, session.user, NoticePersonalTokenCreated, nil); err != nil {
			return PersonalToken{}, err
		}
		created, err := session.addPersonalToken(ctx, q, n, secret)
		if err != nil {
			return PersonalToken{}, err
		}
		e := personalTokenEvent("personal_token_created", client, current, created.ID)
		e.traits["scopes"], e.traits["expires_at"] = created.Scopes, created.ExpiresAt.UTC()
		return created, s.audit(ctx, q, e)
	})
	if err != nil {
		return PersonalToken{}, "", err
	}
	return created, secret, nil
}

// check returns an error unless the user may have such a token.
func (n *NewPersonalToken) check(current CurrentUser) error {
	n.Name = strings.TrimSpace(n.Name)
	length := utf8.RuneCountInString(n.Name)
	switch {
	case current.IsAnonymous:
		return ErrAnonymousAccess
	case length < 1, length > maxPersonalTokenName, !utf8.ValidString(n.Name),
		strings.ContainsFunc(n.Name, isControl):
		return ErrPersonalTokenName
	case len(n.Scopes) == 0:
		return ErrPersonalTokenScopes
	case n.Lifetime < time.Second, n.Lifetime > MaxPersonalTokenLifetime:
		return ErrPersonalTokenLifetime
	}
	return nil
}

// newPersonalToken returns rsp_ and 43 characters. A fast hash of it can be stored: it is random, so that
// nobody can guess it, whatever the hash.
func newPersonalToken() string {
	b := make([]byte, personalTokenBytes)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return personalTokenPrefix + base64.RawURLEncoding.EncodeToString(b)
}

// addPersonalToken stores a token with the methods of the session. Its error is ErrTooManyPersonalTokens.
func (l *lockedSession) addPersonalToken(
	ctx context.Context, q *db.Queries, n NewPersonalToken, secret string,
) (PersonalToken, error) {
	if err := q.DeleteExpiredPersonalTokens(ctx, l.user.ID); err != nil {
		return PersonalToken{}, err
	}
	amr, err := json.Marshal(l.methods)
	if err != nil {
		return PersonalToken{}, err
	}
	row, err := q.CreatePersonalToken(ctx, db.CreatePersonalTokenParams{
		UserID: l.user.ID, Name: n.Name, TokenHash: hashSecret(secret), Scopes: n.Scopes,
		FactorID: l.factor, Amr: amr, LifetimeSeconds: n.Lifetime.Seconds(), Maximum: maxPersonalTokens,
	})
	if errors.Is(err, db.ErrNotFound) {
		return PersonalToken{}, ErrTooManyPersonalTokens
	}
	return PersonalToken(row), err
}

// PersonalTokens returns the personal access tokens of a user, the newest first. Expired ones are among them
// until the next token is made, for a day at most.
func (s *Service) PersonalTokens(ctx context.Context, user uuid.UUID) ([]PersonalToken, error) {
	return db.AsService(ctx, s.store, func(q *db.Queries) ([]PersonalToken, error) {
		return q.ListPersonalTokens(ctx, user)
	})
}

// RevokePersonalToken deletes a personal access token of the current user. This process rejects it at once,
// others within a few seconds. Its error is ErrPersonalTokenNotFound.
func (s *Service) RevokePersonalToken(
	ctx context.Context, client Client, current CurrentUser, token uuid.UUID,
) error {
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		deleted, err := q.DeletePersonalToken(ctx, db.DeletePersonalTokenParams{ID: token, UserID: current.ID})
		if err != nil {
			return err
		}
		if deleted == 0 {
			return ErrPersonalTokenNotFound
		}
		return s.audit(ctx, q, personalTokenEvent("personal_token_revoked", client, current, token))
	})
	if err != nil {
		return err
	}
	s.sessions.TokensEnded(token)
	return nil
}

func personalTokenEvent(action string, client Client, current CurrentUser, token uuid.UUID) event {
	return event{
		action: action, actor: &current.User, address: client.Address,
		traits: map[string]any{"token_id": token},
	}
}
