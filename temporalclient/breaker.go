package temporalclient

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// A breaker is a circuit breaker: it rejects requests while Temporal does not respond, so that they fail at
// once and add no load. It opens when a probe fails. After a pause, a single request probes again, and the
// breaker closes if Temporal responds. Pauses are jittered, so that processes do not retry at the same
// moment. It is safe for concurrent use.
type breaker struct {
	probe   func(context.Context) error
	timeout time.Duration // of a probe

	mu       sync.Mutex
	failures int       // consecutive failed probes; 0 means that the breaker is closed
	probing  bool      // a request probes whether it may close
	retryAt  time.Time // the end of the pause
}

// The pause doubles with each failure.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 5 * time.Second
)

// breakerOpen is the error of a request that was not made. It wraps ErrUnavailable.
type breakerOpen struct{}

func (breakerOpen) Error() string { return "temporal did not respond to a recent request" }

func (breakerOpen) Unwrap() error { return ErrUnavailable }

// admit returns nil if a request may be made, and breakerOpen otherwise.
func (b *breaker) admit(ctx context.Context) error {
	b.mu.Lock()
	switch {
	case b.failures == 0:
		b.mu.Unlock()
		return nil
	case b.probing || time.Now().Before(b.retryAt):
		b.mu.Unlock()
		return breakerOpen{}
	}
	b.probing = true
	b.mu.Unlock()
	if b.check(ctx) != nil {
		return breakerOpen{}
	}
	return nil
}

// check probes, and opens or closes the breaker. It does neither if the context ends first.
func (b *breaker) check(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	err := b.probe(limited)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	switch {
	case err == nil:
		b.failures, b.retryAt = 0, time.Time{}
	case ctx.Err() != nil:
		return ctx.Err()
	case time.Now().After(b.retryAt): // otherwise another request has already recorded the failure
		b.failures++
		b.retryAt = time.Now().Add(jitter(min(firstPause<<min(b.failures-1, 8), maxPause)))
	}
	return err
}

// jitter returns a duration between 0.5 d and 1.5 d.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// watch makes a call. If there is no response within the timeout, a probe finds out whether Temporal is slow
// or does not respond at all. In the latter case the call is abandoned, after at most two timeouts.
func (b *breaker) watch(ctx context.Context, call func(context.Context) error) error {
	ctx, abandon := context.WithCancel(ctx)
	defer abandon()
	defer time.AfterFunc(b.timeout, func() {
		if b.check(ctx) != nil {
			abandon()
		}
	}).Stop()
	return call(ctx)
}
