package token

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jellydator/ttlcache/v3"
	"golang.org/x/sync/singleflight"

	"research/db"
)

const (
	// sessionCacheTime is how long /api and /rest/v1 may accept an access token after its session ended, or its
	// user was banned or deleted (documented in docs/compat.md; /auth/v1 checks each request).
	sessionCacheTime = 3 * time.Second
	// sessionQueryTimeout bounds the one query that concurrent requests share.
	sessionQueryTimeout = 10 * time.Second
	// maxCachedSessions bounds the cache to some 10 MB.
	maxCachedSessions = 40_000
)

// A sessionChecker checks whether the session of a valid token still exists and its user may use it. It is
// safe for concurrent use.
type sessionChecker struct {
	store  *db.Store
	now    func() time.Time
	cached *ttlcache.Cache[sessionKey, sessionState]
	group  singleflight.Group
}

// A sessionKey identifies a check. The session is zero for users of external issuers.
type sessionKey struct{ user, session uuid.UUID }

func (k sessionKey) String() string { return string(k.user[:]) + string(k.session[:]) }

type sessionState struct {
	active  bool
	checked time.Time
}

func newSessionChecker(store *db.Store, now func() time.Time) *sessionChecker {
	cached := ttlcache.New(ttlcache.WithCapacity[sessionKey, sessionState](maxCachedSessions))
	return &sessionChecker{store: store, now: now, cached: cached}
}

// check returns nil, ErrSessionEnded, or an error of package db.
func (c *sessionChecker) check(ctx context.Context, p Principal) error {
	if p.Subject.UserID == uuid.Nil || p.SessionID == uuid.Nil && !p.External {
		return nil // an API key, or a token that another program signed with JWT_SECRET
	}
	key := sessionKey{p.Subject.UserID, p.SessionID}
	if cached := c.cached.Get(key); cached != nil && c.now().Sub(cached.Value().checked) < sessionCacheTime {
		return sessionError(cached.Value().active)
	}
	// Concurrent requests share one query. Cancelling one of them must not cancel the query for the others.
	active, err, _ := c.group.Do(key.String(), func() (any, error) {
		return c.query(context.WithoutCancel(ctx), key)
	})
	if err != nil {
		return err
	}
	return sessionError(active.(bool))
}

// query reads the state from the database and caches it.
func (c *sessionChecker) query(ctx context.Context, key sessionKey) (active bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, sessionQueryTimeout)
	defer cancel()
	state := sessionState{checked: c.now()}
	params := db.IsSubjectActiveParams{UserID: key.user}
	if key.session != uuid.Nil {
		params.SessionID = &key.session
	}
	state.active, err = db.AsService(ctx, c.store, func(q *db.Queries) (bool, error) {
		return q.IsSubjectActive(ctx, params)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return false, fmt.Errorf("check a session: %w", db.ErrUnavailable)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return false, err
	}
	c.cached.Set(key, state, ttlcache.NoTTL)
	return state.active, nil
}

func sessionError(active bool) error {
	if active {
		return nil
	}
	return ErrSessionEnded
}

// ended makes this process reject the tokens of a session at once.
func (c *sessionChecker) ended(key sessionKey) {
	c.cached.Set(key, sessionState{checked: c.now()}, ttlcache.NoTTL)
}
