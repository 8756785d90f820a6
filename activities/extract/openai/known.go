package openai

import (
	"context"
	"sync"
	"time"
)

// knownDialect is what is known of one server. It is shared by the calls to it. The first call runs alone for
// a short time, so that concurrent calls do not all get the same rejections.
//
// A step down counts once a request in that form was answered, and for an hour: a server may reject for a
// moment what it accepts.
type knownDialect struct {
	first chan struct{}
	wait  time.Duration // how long calls wait for the first one
	now   func() time.Time

	mu       sync.Mutex
	initial  dialect
	current  dialect
	settled  bool      // a server answered a request in the dialect
	stepped  time.Time // when current became another one than initial
	hopeless *failure  // a rejection that no dialect changes
	tooLarge int       // the size of the chunk that was rejected so, or 0
	since    time.Time // of both
}

func newKnownDialect(d dialect) *knownDialect {
	return &knownDialect{
		initial: d, current: d, first: make(chan struct{}, 1), wait: firstWait, now: time.Now,
	}
}

const (
	// stepLife is how long a step down is remembered.
	stepLife = time.Hour
	// hopelessLife is how long a rejection is believed without trying other dialects.
	hopelessLife = 10 * time.Minute
)

// firstWait is how long calls wait for the first one. Rejections take milliseconds, completions seconds.
const firstWait = time.Second

// begin returns the dialect for a call. The caller calls done when the call has ended.
func (k *knownDialect) begin(ctx context.Context) (d dialect, done func()) {
	done = func() {}
	if _, settled := k.get(); !settled {
		timer := time.NewTimer(k.wait)
		defer timer.Stop()
		select {
		case k.first <- struct{}{}:
			done = func() { <-k.first }
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	d, _ = k.get()
	return d, done
}

func (k *knownDialect) get() (dialect, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current != k.initial && k.now().Sub(k.stepped) > stepLife {
		k.current, k.settled = k.initial, false
	}
	return k.current, k.settled
}

// accept remembers a dialect in which the server answered about a chunk of a size, and reports whether it is
// another one than before. If two calls race, the one that was rejected more often wins.
func (k *knownDialect) accept(d dialect, size int) (changed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.settled = true
	if size >= k.tooLarge {
		k.since = time.Time{}
	}
	if d == k.current || d.steps < k.current.steps {
		return false
	}
	k.current, k.stepped = d, k.now()
	return true
}

// despair remembers a rejection that no dialect changes, of a chunk of a size.
func (k *knownDialect) despair(rejected *failure, size int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hopeless, k.tooLarge, k.since = rejected, size, k.now()
}

// isHopeless reports whether no dialect changes a rejection, as is known from an earlier one.
func (k *knownDialect) isHopeless(rejected *failure) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.remembersLocked() && rejected.sameAs(k.hopeless)
}

// isTooLarge reports whether about as large a chunk was rejected in every dialect, so that a part must be
// tried first.
func (k *knownDialect) isTooLarge(size int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.remembersLocked() && size > largeChunk && float64(size) >= aboutAsLarge*float64(k.tooLarge)
}

func (k *knownDialect) remembersLocked() bool {
	return !k.since.IsZero() && k.now().Sub(k.since) < hopelessLife
}

const (
	// largeChunk is the size in bytes of a chunk that may be too long for a server whose words for that are not
	// known.
	largeChunk = 6 << 10
	// aboutAsLarge is the part of a rejected chunk from which on other chunks are not tried.
	aboutAsLarge = 0.8
)
