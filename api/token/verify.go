package token

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jellydator/ttlcache/v3"

	"research/db"
)

const (
	// maxTokenBytes is far above the size of our tokens. A longer token is rejected unread.
	maxTokenBytes = 64 << 10
	// The cache of valid tokens takes at most some 16 MB. Longer tokens are validated each time.
	maxCachedTokens     = 5000
	maxCachedTokenBytes = 4 << 10
	// externalCacheTime is how long the token of an external issuer stays cached: its key may be revoked.
	externalCacheTime = time.Minute
)

// A Principal holds the claims of a valid access token or API key.
type Principal struct {
	Subject   db.Subject
	SessionID uuid.UUID // of our own tokens; zero for those of other issuers
	External  bool      // an external issuer signed the token
	Expires   time.Time // zero for API keys

	// Resource is the aud of an app's token (RFC 8707); empty for all other tokens, whose audience is the usual
	// one.
	Resource string
	ClientID string // of the app; empty for all other tokens
	// Scopes are those of an app's token or a personal access token; nil means all, as in a user's own session.
	Scopes        []string
	PersonalToken uuid.UUID // the id of a personal access token; zero for all other tokens
}

// A cachedPrincipal is valid until the time until.
type cachedPrincipal struct {
	Principal
	until time.Time
}

// Verify validates an access token: its signature by a key and an algorithm of the issuer that it names, exp,
// nbf, aud and role. Valid tokens are cached until they expire, those of external issuers for a minute;
// invalid ones are not. Verify does not check whether the session still exists; Authenticator does.
//
// Errors: ErrExpired, ErrInvalid, of which ErrAudience is that of an app's token; db.ErrUnavailable if the
// user of an external issuer could not be looked up.
func (k *Keys) Verify(ctx context.Context, bearer string) (Principal, error) {
	return k.verifyFor(ctx, "", bearer, sha256.Sum256([]byte(bearer)))
}

// verifyFor is Verify for a token of a resource, whose hash is known. The resource "" is the usual audience.
func (k *Keys) verifyFor(
	ctx context.Context, resource, bearer string, key tokenHash,
) (Principal, error) {
	p, err := k.verifyCached(ctx, bearer, key)
	if err == nil && p.Resource != resource {
		return Principal{}, ErrAudience
	}
	return p, err
}

// verifyCached is Verify for a token of any of our audiences.
func (k *Keys) verifyCached(ctx context.Context, bearer string, key tokenHash) (Principal, error) {
	if len(bearer) > maxTokenBytes {
		return Principal{}, ErrInvalid
	}
	if cached := k.verified.Get(key); cached != nil {
		if !k.now().Before(cached.Value().Expires) {
			return Principal{}, ErrExpired
		}
		k.refresh(ctx) // a revoked key must invalidate cached tokens as well
		if cached = k.verified.Get(key); cached != nil && k.now().Before(cached.Value().until) {
			return cached.Value().Principal, nil
		}
	}
	p, err := k.verify(ctx, bearer)
	if err == nil && len(bearer) <= maxCachedTokenBytes {
		until := p.Expires
		if p.External {
			until = k.now().Add(externalCacheTime)
		}
		k.verified.Set(key, cachedPrincipal{p, until}, ttlcache.NoTTL)
	}
	return p, err
}

// A keyFinder returns the key with an id.
type keyFinder func(kid string) (key any, found bool)

func (k *Keys) verify(ctx context.Context, bearer string) (Principal, error) {
	if strings.Count(bearer, ".") != 2 {
		return Principal{}, partsError(bearer)
	}
	content, ok := readUnverified(bearer)
	if !ok {
		return Principal{}, errUnread
	}
	external := k.external[content.issuer]
	find, options, err := k.trust(ctx, external, content.algorithm)
	if err != nil {
		return Principal{}, err
	}
	claims, err := Parse(bearer, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		key, found := find(kid)
		if !found {
			return nil, errors.New("unknown key")
		}
		return key, nil
	}, append(options, jwt.WithExpirationRequired(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(k.now))...)
	if err != nil {
		return Principal{}, err
	}
	// The leeway is for the clock of whoever signs tokens with JWT_SECRET. Our own lifetimes are exact.
	if external == nil && !k.now().Before(claims.ExpiresAt.Time) {
		return Principal{}, ErrExpired
	}
	if external != nil {
		return k.externalPrincipal(ctx, external, content.payload, claims)
	}
	return k.ownPrincipal(content.payload, claims)
}

// trust returns the keys and the checks for a token with this algorithm; external is its issuer if that is
// not ours. The parser accepts only the algorithms in the options, and both read the same header.
func (k *Keys) trust(
	ctx context.Context, external *trustedIssuer, algorithm string,
) (keyFinder, []jwt.ParserOption, error) {
	switch {
	case external != nil:
		find := func(kid string) (any, bool) { return external.key(ctx, kid, algorithm) }
		return find, []jwt.ParserOption{
			jwt.WithValidMethods(external.Algorithms), jwt.WithAudience(external.Audience),
			jwt.WithIssuer(external.Issuer.Issuer),
		}, nil
	case k.secret != nil && algorithm == jwt.SigningMethodHS256.Alg():
		find := func(string) (any, bool) { return k.secret, true }
		return find, []jwt.ParserOption{
			jwt.WithValidMethods([]string{algorithm}), jwt.WithAudience(k.audiences...),
		}, nil
	case !k.off && algorithm == jwt.SigningMethodES256.Alg():
		find := func(kid string) (any, bool) {
			key, found := k.find(ctx, kid)
			if !found {
				return nil, false
			}
			return &key.PublicKey, true
		}
		return find, []jwt.ParserOption{
			jwt.WithValidMethods([]string{algorithm}), jwt.WithAudience(k.audiences...),
			jwt.WithIssuer(k.issuer),
		}, nil
	}
	return nil, nil, keyError(algorithm)
}

// ownPrincipal returns the principal of a token that was signed with one of our keys or with JWT_SECRET.
func (k *Keys) ownPrincipal(payload []byte, c Claims) (Principal, error) {
	if !slices.Contains([]string{db.RoleAnon, db.RoleAuthenticated, db.RoleService}, c.Role) {
		return Principal{}, ErrInvalid
	}
	p := Principal{Subject: db.Subject{Role: c.Role, Claims: payload}, Expires: c.ExpiresAt.Time}
	var err error
	if c.Subject != "" {
		if p.Subject.UserID, err = uuid.Parse(c.Subject); err != nil {
			return Principal{}, ErrInvalid
		}
	}
	if c.Role == db.RoleAuthenticated && p.Subject.UserID == uuid.Nil {
		return Principal{}, ErrInvalid
	}
	// Another program with JWT_SECRET may sign tokens for its own sessions, which we cannot check.
	if c.Issuer == k.issuer && c.SessionID != "" {
		if p.SessionID, err = uuid.Parse(c.SessionID); err != nil {
			return Principal{}, ErrInvalid
		}
	}
	if !slices.Contains(c.Audience, Audience) {
		return appPrincipal(p, c)
	}
	return p, nil
}

// appPrincipal completes the principal of an app's token. The app acts for a user, in a session that can be
// ended, and we alone sign for it.
func appPrincipal(p Principal, c Claims) (Principal, error) {
	if len(c.Audience) != 1 || c.Role != db.RoleAuthenticated || p.SessionID == uuid.Nil || c.ClientID == "" {
		return Principal{}, ErrInvalid
	}
	p.Resource, p.ClientID = c.Audience[0], c.ClientID
	p.Scopes = append([]string{}, strings.Fields(c.Scope)...) // never nil, which means all
	return p, nil
}
