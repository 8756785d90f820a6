package activities

import (
	"sync"
	"time"

	"research/activities/extract"
)

// A modelBreaker keeps the activities of a process from calling a model that has just failed. While it is
// open, they fail at once and are retried later, and only one call at a time tries whether the model works
// again. It is safe for concurrent use.
type modelBreaker struct {
	mu        sync.Mutex
	last      *extract.Error // nil while the model works
	failures  int            // in a row
	failedAt  time.Time
	openUntil time.Time
	probing   bool
}

// admit returns nil if a call may begin, whose result must be recorded. Otherwise it returns the failure of
// an earlier call, with the time after which another one may begin.
func (b *modelBreaker) admit() *extract.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := time.Until(b.openUntil)
	switch {
	case b.last == nil:
		return nil
	case left <= 0 && !b.probing:
		b.probing = true
		return nil
	}
	return &extract.Error{Code: b.last.Code, RetryAfter: jittered(max(left, firstModelDelay))}
}

// record records the result of a call that was admitted: its failure if that may pass, and nil otherwise. The
// answer to a call that began before the last failure does not close the breaker.
func (b *modelBreaker) record(begun time.Time, failure *extract.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	isOld := begun.Before(b.failedAt)
	if !isOld {
		b.probing = false
	}
	switch {
	case isOld && failure == nil:
	case failure == nil:
		b.last, b.failures = nil, 0
	default:
		if !isOld { // calls that were in progress together count once
			b.failures++
		}
		b.last, b.failedAt = failure, time.Now()
		b.openUntil = b.failedAt.Add(modelDelay(failure, b.failures))
	}
}
