package token

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jellydator/ttlcache/v3"
	"golang.org/x/sync/singleflight"

	"research/api/address"
	"research/db"
	"research/internal/ratelimit"
)

// The form of personal access tokens, as package identity makes them: rsp_ and 32 bytes in base64url.
const (
	personalPrefix = "rsp_"
	personalBytes  = 32
)

const (
	// personalCacheTime is how long a personal access token may be accepted after it was revoked in another
	// process. It is that of sessions.
	personalCacheTime = sessionCacheTime
	// maxPersonalCacheBytes bounds the claims of the cached tokens. They have the metadata of their users.
	maxPersonalCacheBytes = 16 << 20
	// unknownCacheTime is how long a token that does not exist is not looked up again. It cannot come into
	// being: tokens are random, and made by us. So a script whose token was revoked takes one query a minute.
	unknownCacheTime = time.Minute
	maxUnknownTokens = 20_000
	// unknownPerMinute is the number of different tokens of one network that are looked up and do not exist. It
	// allows for an office whose scripts all have tokens of the past.
	unknownPerMinute = 60
	// markingTimeout and maxMarkings bound what is written of the use of tokens, for which no request waits.
	markingTimeout = 5 * time.Second
	maxMarkings    = 2
)

// personalTokens looks up personal access tokens. It is safe for concurrent use.
type personalTokens struct {
	store       *db.Store
	now         func() time.Time
	trustedHops int
	group       singleflight.Group
	found       *ttlcache.Cache[tokenHash, foundToken]
	unknown     *ttlcache.Cache[tokenHash, time.Time] // when they were looked up
	ended       *ttlcache.Cache[uuid.UUID, struct{}]
	failures    *ratelimit.Limiter // by network
	markings    chan struct{}
}

// A foundToken is a token that existed when it was looked up.
type foundToken struct {
	Principal
	active  bool // the user may use it
	checked time.Time
}

func newPersonalTokens(store *db.Store, now func() time.Time, trustedHops int) *personalTokens {
	size := func(i ttlcache.CostItem[tokenHash, foundToken]) uint64 {
		const rest = 512
		return uint64(rest + len(i.Value.Subject.Claims))
	}
	return &personalTokens{
		store: store, now: now, trustedHops: trustedHops,
		found:    ttlcache.New(ttlcache.WithMaxCost(maxPersonalCacheBytes, size)),
		unknown:  ttlcache.New(ttlcache.WithCapacity[tokenHash, time.Time](maxUnknownTokens)),
		ended:    ttlcache.New(ttlcache.WithCapacity[uuid.UUID, struct{}](maxUnknownTokens)),
		failures: ratelimit.New(unknownPerMinute, time.Minute, now),
		markings: make(chan struct{}, maxMarkings),
	}
}

// IsPersonal reports whether the bearer token of a request is meant to be a personal access token. Edges that
// take none reject it without looking it up.
func IsPersonal(r *http.Request) bool {
	bearer, err := BearerOf(r)
	return err == nil && isPersonal(bearer)
}

func isPersonal(bearer string) bool { return strings.HasPrefix(bearer, personalPrefix) }

// hasPersonalForm reports whether a token could be one that we made. Others are rejected without a query.
func hasPersonalForm(bearer string) bool {
	text, found := strings.CutPrefix(bearer, personalPrefix)
	if !found || len(text) != base64.RawURLEncoding.EncodedLen(personalBytes) {
		return false
	}
	_, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil
}

// principal returns the principal of a personal access token.
// Errors: ErrInvalid, ErrExpired, *LimitError, and those of package db if tokens cannot be looked up.
func (t *personalTokens) principal(r *http.Request, bearer string, hash tokenHash) (Principal, error) {
	if !hasPersonalForm(bearer) {
		return Principal{}, errPersonalToken
	}
	cached := t.found.Get(hash)
	if cached != nil && t.now().Sub(cached.Value().checked) < personalCacheTime {
		return t.check(cached.Value())
	}
	if missing := t.unknown.Get(hash); missing != nil && t.now().Sub(missing.Value()) < unknownCacheTime {
		return Principal{}, errPersonalToken
	}
	network := ""
	if cached == nil { // an attacker on the same network does not keep others from using theirs
		network = ratelimit.Network(address.Of(r, t.trustedHops))
	}
	// Concurrent requests share one query. Cancelling one of them must not cancel the query for the others.
	token, err, _ := t.group.Do(string(hash[:]), func() (any, error) {
		return t.find(context.WithoutCancel(r.Context()), hash, network)
	})
	if err != nil {
		return Principal{}, err
	}
	return t.check(token.(foundToken))
}

// check returns the principal of a token that may be used now.
func (t *personalTokens) check(token foundToken) (Principal, error) {
	switch {
	case !token.active || t.ended.Has(token.PersonalToken):
		return Principal{}, errPersonalToken
	case !t.now().Before(token.Expires):
		return Principal{}, ErrExpired
	}
	return token.Principal, nil
}

// find reads a token from the database and caches the result. A token that does not exist counts for the
// network; the empty one has no limit.
func (t *personalTokens) find(ctx context.Context, hash tokenHash, network string) (foundToken, error) {
	if wait := t.failures.Take(network); wait > 0 {
		return foundToken{}, &LimitError{wait}
	}
	ctx, cancel := context.WithTimeout(ctx, sessionQueryTimeout)
	defer cancel()
	checked := t.now()
	row, err := db.AsService(ctx, t.store, func(q *db.Queries) (db.FindPersonalTokenRow, error) {
		return q.FindPersonalToken(ctx, hash[:])
	})
	if errors.Is(err, db.ErrNotFound) {
		t.found.Delete(hash)
		t.unknown.Set(hash, checked, ttlcache.NoTTL)
		return foundToken{}, errPersonalToken
	}
	t.failures.Refund(network)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return foundToken{}, fmt.Errorf("look up a personal access token: %w", db.ErrUnavailable)
	case err != nil:
		return foundToken{}, err
	}
	token := foundToken{active: row.Active, checked: checked, Principal: Principal{
		Subject: db.Subject{Role: db.RoleAuthenticated, UserID: row.UserID, Claims: row.Claims},
		Expires: row.ExpiresAt, PersonalToken: row.ID,
		Scopes: append([]string{}, row.Scopes...), // never nil, which means all
	}}
	t.found.Set(hash, token, ttlcache.NoTTL)
	if _, err := t.check(token); err == nil {
		t.markUsed(ctx, row)
	}
	return token, nil
}

// markUsed records the use of a token, at most once a minute, unless that was too much to write at the
// moment. The request does not wait for it and does not depend on it.
func (t *personalTokens) markUsed(ctx context.Context, row db.FindPersonalTokenRow) {
	if row.LastUsedAt != nil && t.now().Sub(*row.LastUsedAt) < time.Minute {
		return
	}
	select {
	case t.markings <- struct{}{}:
	default:
		return
	}
	go func() {
		defer func() { <-t.markings }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markingTimeout)
		defer cancel()
		_ = t.store.AsServiceWithin(ctx, markingTimeout, func(q *db.Queries) error {
			return q.MarkPersonalTokenUsed(ctx, row.ID)
		})
	}()
}

// end makes this process reject tokens at once, also those that are being looked up.
func (t *personalTokens) end(ids []uuid.UUID) {
	for _, id := range ids {
		t.ended.Set(id, struct{}{}, ttlcache.NoTTL)
	}
}
