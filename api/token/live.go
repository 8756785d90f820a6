package token

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"research/db"
)

// liveFor is how old the answer may be to whether a session has ended or a user is banned or deleted: the time for which a token of such a one is still accepted by
// /api and /rest/v1 (docs/compat.md names it; /auth/v1 always asks).
const liveFor = 3 * time.Second

// askTimeout bounds the one question that many requests may wait for.
const askTimeout = 10 * time.Second

// maxLive bounds the answers that are kept.
const maxLive = 20000

// liveness answers whether the bearer of a good token may still use it.
type liveness struct {
	store *db.Store
	now   func() time.Time
	kept  *cache[answer]
	asked singleflight.Group
}

type answer struct {
	lives bool
	at    time.Time
}

func newLiveness(store *db.Store, now func() time.Time) *liveness {
	return &liveness{store: store, now: now, kept: newCache[answer](maxLive)}
}

func liveKey(user, session uuid.UUID) cacheKey {
	var key cacheKey
	copy(key[:16], user[:])
	copy(key[16:], session[:])
	return key
}

// check returns nil, ErrSessionEnded, or an error of the database.
func (l *liveness) check(ctx context.Context, v Verified) error {
	if v.SessionID == uuid.Nil && !v.External || v.Subject.UserID == uuid.Nil {
		return nil // signed by who holds JWT_SECRET: nothing of ours to ask about
	}
	key := liveKey(v.Subject.UserID, v.SessionID)
	if kept, found := l.kept.get(key); found && l.now().Sub(kept.at) < liveFor {
		return verdict(kept.lives)
	}
	// Of many requests at once, one asks; its end must not be the others'.
	lives, err, _ := l.asked.Do(string(key[:]), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
		defer cancel()
		asked := l.now()
		var session *uuid.UUID
		if v.SessionID != uuid.Nil {
			session = &v.SessionID
		}
		lives := false
		err := l.store.AsService(ctx, func(q *db.Queries) (err error) {
			lives, err = q.GetSubjectState(ctx, db.GetSubjectStateParams{UserID: v.Subject.UserID, SessionID: session})
			return err
		})
		if errors.Is(err, context.DeadlineExceeded) {
			return false, fmt.Errorf("ask whether a session lives: %w", db.ErrUnavailable)
		}
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return false, err
		}
		l.kept.add(key, answer{lives, asked})
		return lives, nil
	})
	if err != nil {
		return err
	}
	return verdict(lives.(bool))
}

func verdict(lives bool) error {
	if lives {
		return nil
	}
	return ErrSessionEnded
}

// ended makes this process refuse a session at once.
func (l *liveness) ended(user, session uuid.UUID) {
	l.kept.add(liveKey(user, session), answer{false, l.now()})
}
