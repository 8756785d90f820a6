package openai

import (
	"context"
	"sync"
	"time"
)

// knownDialect is what is known of one server. It is shared by the calls to it. The first call runs alone for a
// short time, so that concurrent calls do not all get the same rejections.
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
	since    time.Time // of hopeless
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

// accept remembers a dialect in which the server answered, and reports whether it is another one than before.
// If two calls race, the one that was rejected more often wins.
func (k *knownDialect) accept(d dialect) (changed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.settled = true
	if d == k.current || d.steps < k.current.steps {
		return false
	}
	k.current, k.stepped = d, k.now()
	return true
}

// despair remembers a rejection that no dialect changes.
func (k *knownDialect) despair(rejected *failure) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hopeless, k.since = rejected, k.now()
}

// isHopeless reports whether no dialect changes a rejection, as is known from an earlier one.
func (k *knownDialect) isHopeless(rejected *failure) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return rejected.sameAs(k.hopeless) && k.now().Sub(k.since) < hopelessLife
}
