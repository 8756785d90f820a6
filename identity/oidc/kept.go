package oidc

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// keptStale is how long what was fetched is used while the provider does not answer.
	keptStale = 24 * time.Hour
	// keptInterval is the time between two fetches, however many unknown key ids arrive. Where there is nothing
	// to use meanwhile, it is keptRetry: long enough that requests do not queue up before a provider that does
	// not answer.
	keptInterval = time.Minute
	keptRetry    = 10 * time.Second
)

// A kept is a document of a provider: it is fetched when it is needed, and used again while it is fresh. It
// is safe for concurrent use.
type kept[T any] struct {
	fetch func(context.Context) (T, error)
	fresh time.Duration
	now   func() time.Time
	group singleflight.Group

	mu        sync.Mutex
	value     T
	err       error     // of the last fetch
	fetchedAt time.Time // the zero time if there is no value
	triedAt   time.Time
}

// get returns the document. Its error is that of fetch, or that of ctx.
func (k *kept[T]) get(ctx context.Context) (T, error) {
	if value, age, _ := k.read(); age < k.fresh {
		return value, nil
	}
	return k.renew(ctx)
}

// renew fetches the document, unless that was tried very recently, and returns the newest one that there is.
// Concurrent fetches are a single one, which does not end with the request that began it.
func (k *kept[T]) renew(ctx context.Context) (T, error) {
	done := k.group.DoChan("", func() (any, error) {
		if k.mayFetch() {
			value, err := k.fetch(context.WithoutCancel(ctx))
			k.write(value, err)
		}
		return nil, nil
	})
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case <-done:
	}
	value, age, err := k.read()
	if age < keptStale {
		return value, nil
	}
	return value, err
}

// read returns the document, its age, and the error of the last fetch.
func (k *kept[T]) read() (value T, age time.Duration, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.value, k.now().Sub(k.fetchedAt), k.err
}

func (k *kept[T]) write(value T, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.triedAt, k.err = k.now(), err
	if err == nil {
		k.value, k.fetchedAt = value, k.triedAt
	}
}

func (k *kept[T]) mayFetch() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	interval := keptInterval
	if now := k.now(); now.Sub(k.fetchedAt) >= keptStale {
		interval = keptRetry
	}
	return k.now().Sub(k.triedAt) >= interval
}
