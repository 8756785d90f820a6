package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// codeLifetime is how long the code of a link can be exchanged, as in GoTrue
// (GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION).
const codeLifetime = 5 * time.Minute

// The methods of RFC 7636, with GoTrue's names.
const (
	challengeS256  = "s256"
	challengePlain = "plain"
)

// A CodeChallenge binds a link to the client that requested it (PKCE, RFC 7636): following the link yields a
// code, and ExchangeCode requires the verifier, which only this client has. The zero value binds nothing.
type CodeChallenge struct {
	challenge string
	method    string
}

// NewCodeChallenge checks a challenge and its method. Two empty strings are the zero value.
// Errors: ErrChallengeIncomplete, ErrChallengeInvalid.
func NewCodeChallenge(challenge, method string) (CodeChallenge, error) {
	c := CodeChallenge{challenge, strings.ToLower(method)}
	switch {
	case c == CodeChallenge{}:
		return c, nil
	case c.challenge == "" || c.method == "":
		return CodeChallenge{}, ErrChallengeIncomplete
	case c.method != challengeS256 && c.method != challengePlain:
		return CodeChallenge{}, ErrChallengeInvalid
	case len(challenge) < 43 || len(challenge) > 128 || strings.ContainsFunc(challenge, isReserved):
		return CodeChallenge{}, ErrChallengeInvalid // RFC 7636, section 4.2
	}
	return c, nil
}

// isReserved reports whether a character is not one of RFC 3986's unreserved ones.
func isReserved(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("-._~", r)
}

// matches reports whether this is the challenge of a verifier.
func (c CodeChallenge) matches(verifier string) bool {
	if c.method == challengeS256 {
		sum := sha256.Sum256([]byte(verifier))
		verifier = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return subtle.ConstantTimeCompare([]byte(c.challenge), []byte(verifier)) == 1
}

// bindLink binds a requested link to a challenge. The zero value does nothing.
func bindLink(ctx context.Context, q *db.Queries, request uuid.UUID, c CodeChallenge) error {
	if c == (CodeChallenge{}) {
		return nil
	}
	return q.SetCodeChallenge(ctx, db.SetCodeChallengeParams{
		ID: request, CodeChallenge: c.challenge, CodeChallengeMethod: c.method,
	})
}

// challengeOf returns the challenge of a link. Call it before the token is consumed.
func challengeOf(ctx context.Context, q *db.Queries, tokenHash []byte) (CodeChallenge, error) {
	row, err := q.GetCodeChallenge(ctx, tokenHash)
	if err != nil {
		return CodeChallenge{}, err
	}
	return CodeChallenge{row.CodeChallenge, row.CodeChallengeMethod}, nil
}

// FollowLink is UseLink for a browser. If the link was requested with a challenge, it returns a code instead
// of a session, because the browser may not be the client that requested the link.
func (s *Service) FollowLink(
	ctx context.Context, client Client, secret string, types []LinkType,
) (UsedLink, error) {
	return s.useLink(ctx, client, hashSecret(secret), types, byBrowser)
}

// An issuedCode is what a code stands for.
type issuedCode struct {
	user      uuid.UUID
	method    string // of the session that it begins
	challenge CodeChallenge
	// session links an identity, a storedIdentity, by the exchange. Both are nil, or neither.
	session  *uuid.UUID
	identity json.RawMessage
	before   func(*db.Queries) error // runs first in the same transaction; nil means none
}

// issueCode returns a code that the client with the verifier can exchange for a session of the user.
func (s *Service) issueCode(ctx context.Context, issued issuedCode) (code string, err error) {
	code = rand.Text()
	return code, s.store.AsService(ctx, func(q *db.Queries) error {
		if issued.before != nil {
			if err := issued.before(q); err != nil {
				return err
			}
		}
		return q.CreateFlow(ctx, db.CreateFlowParams{
			UserID: issued.user, AuthCodeHash: hashSecret(code), CodeChallenge: issued.challenge.challenge,
			CodeChallengeMethod: issued.challenge.method, AuthenticationMethod: issued.method,
			SessionID: issued.session, LinkedIdentity: issued.identity,
			ExpiresAt: s.now().Add(codeLifetime),
		})
	})
}

// ExchangeCode begins a session for the user whose link, or whose sign-in at a provider, yielded a code. A
// code can be exchanged once. Errors: ErrFlowNotFound, ErrFlowExpired, ErrWrongVerifier, ErrBanned,
// ErrUserGone; if the code links an identity, also those of LinkIDToken.
func (s *Service) ExchangeCode(ctx context.Context, client Client, code, verifier string) (Session, error) {
	var user User
	flow, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.GetFlowRow, error) {
		flow, err := q.GetFlow(ctx, hashSecret(code))
		if err != nil {
			return flow, err
		}
		user, err = getUser(ctx, q, flow.UserID)
		return flow, err
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return Session{}, ErrFlowNotFound
	case err != nil:
		return Session{}, err
	case !s.now().Before(flow.ExpiresAt):
		return Session{}, ErrFlowExpired
	case !CodeChallenge{flow.CodeChallenge, flow.CodeChallengeMethod}.matches(verifier):
		return Session{}, ErrWrongVerifier
	case user.banned(s.now()):
		return Session{}, ErrBanned
	}
	if flow.SessionID == nil {
		return s.beginSession(ctx, client, user, flow.AuthenticationMethod, "login",
			func(q *db.Queries) error { return useFlow(ctx, q, flow.ID) })
	}
	account, err := storedAccount(flow.LinkedIdentity)
	if err != nil {
		return Session{}, err
	}
	account.mfa = flow.AuthenticationMethod == methodProviderMFA
	return s.beginLinkedSession(ctx, client, CurrentUser{user, *flow.SessionID}, account,
		func(q *db.Queries, _ lockedSession) error { return useFlow(ctx, q, flow.ID) })
}

// useFlow deletes a code. Its error is ErrFlowNotFound if a concurrent request has exchanged it.
func useFlow(ctx context.Context, q *db.Queries, id uuid.UUID) error {
	deleted, err := q.DeleteFlow(ctx, id)
	if err == nil && deleted == 0 {
		return ErrFlowNotFound
	}
	return err
}
