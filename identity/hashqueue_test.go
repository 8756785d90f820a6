package identity

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A hashOrder starts requests for a slot, and records the order in which they get it.
type hashOrder struct {
	*hashQueue
	done chan string
}

// wait queues a request and returns when it waits.
func (o *hashOrder) wait(t *testing.T, name string, share hashShare) {
	t.Helper()
	before := o.length()
	go func() {
		if o.acquire(t.Context(), share) == nil {
			o.done <- name
		}
	}()
	require.Eventually(t, func() bool { return o.length() > before }, waitTime, pollTime)
}

func (o *hashOrder) length() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waiting()
}

func TestHashQueue(t *testing.T) {
	t.Parallel()
	// busy returns a queue whose only slot is taken.
	busy := func(t *testing.T) *hashOrder {
		t.Helper()
		o := &hashOrder{newHashQueue(1), make(chan string)}
		require.NoError(t, o.acquire(t.Context(), hashShare{key: "first"}))
		return o
	}

	t.Run("a flood of guesses at one account delays another by one hash", func(t *testing.T) {
		t.Parallel()
		o := busy(t)
		for range 10 {
			o.wait(t, "guess", hashShare{key: "flooded"})
		}
		o.wait(t, "another", hashShare{key: "another"})
		for _, want := range []string{"guess", "another", "guess", "guess"} {
			o.release()
			require.Equal(t, want, <-o.done)
		}
	})

	t.Run("a flood of guesses at many accounts delays known users by one hash", func(t *testing.T) {
		t.Parallel()
		o := busy(t)
		for i := range 10 {
			o.wait(t, "guess", hashShare{key: fmt.Sprint(i)})
		}
		o.wait(t, "known", hashShare{key: "known", known: true})
		for _, want := range []string{"guess", "known", "guess"} {
			o.release()
			require.Equal(t, want, <-o.done)
		}
	})

	t.Run("rejects what exceeds the queue, and frees the slots of requests that end", func(t *testing.T) {
		t.Parallel()
		q := newHashQueue(1)
		require.NoError(t, q.acquire(t.Context(), hashShare{key: "first"}))
		ctx, cancel := context.WithCancel(t.Context())
		waiting := make(chan error, maxQueued)
		o := &hashOrder{hashQueue: q}
		requireFull := func(key string) {
			err := q.acquire(t.Context(), hashShare{key: key})
			var limit *LimitError
			require.ErrorAs(t, err, &limit)
			require.ErrorIs(t, err, ErrBusy)
			require.Equal(t, busyRetry, limit.RetryAfter)
		}
		for i, key := range []string{"flooded", "other"} {
			for range maxQueuedShare {
				go func() { waiting <- q.acquire(ctx, hashShare{key: key}) }()
			}
			full := (i + 1) * maxQueuedShare
			require.Eventually(t, func() bool { return o.length() == full }, waitTime, pollTime)
			requireFull(key)
		}
		requireFull("a third")
		cancel()
		for range maxQueued {
			require.ErrorIs(t, <-waiting, context.Canceled)
		}
		q.release()
		require.Zero(t, q.waiting())
		require.Equal(t, 1, q.free)
	})
}
