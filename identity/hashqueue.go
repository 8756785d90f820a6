package identity

import (
	"context"
	"sync"
	"time"

	"research/internal/fairqueue"
)

// A hashQueue bounds how many passwords are hashed at the same time, so that a burst of sign-ins queues
// instead of starving other requests. It is a fair queue (round robin): a flood of guesses at one account or
// from one network does not delay the others. It is safe for concurrent use.
type hashQueue struct {
	maxWaiting int // of all shares
	maxShare   int // of one share

	mu        sync.Mutex
	free      int // slots
	known     fairqueue.Queue[string]
	others    fairqueue.Queue[string]
	knownTurn bool // whether the next free slot is for a known share, if one waits
}

// A hashShare identifies for whom a password is hashed. Requests with the same key wait for each other.
type hashShare struct {
	key string
	// known means that the user is signed in, or has recently signed in on this network. Known shares get every
	// other slot.
	known bool
}

const (
	// maxQueued is the number of waiters per slot: about six seconds at ten hashes a second.
	maxQueued = 64
	// maxQueuedShare is the same for one share.
	maxQueuedShare = 32
	// busyRetry is when a client should retry if the queue is full.
	busyRetry = 5 * time.Second
)

func newHashQueue(slots int) *hashQueue {
	return &hashQueue{free: slots, maxWaiting: slots * maxQueued, maxShare: slots * maxQueuedShare}
}

// acquire waits for a slot, which the caller must release. Its error is a *LimitError with ErrBusy, or the
// context's.
func (q *hashQueue) acquire(ctx context.Context, share hashShare) error {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	shares := &q.others
	if share.known {
		shares = &q.known
	}
	if q.waiting() >= q.maxWaiting || shares.Waiting(share.key) >= q.maxShare {
		q.mu.Unlock()
		return &LimitError{Cause: ErrBusy, RetryAfter: busyRetry}
	}
	ready := shares.Push(share.key)
	q.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !shares.Leave(share.key, ready) {
		q.releaseLocked() // the slot was assigned in the meantime
	}
	return ctx.Err()
}

// release gives the slot to the next share.
func (q *hashQueue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.releaseLocked()
}

func (q *hashQueue) releaseLocked() {
	first, second := &q.others, &q.known
	if q.knownTurn {
		first, second = second, first
	}
	q.knownTurn = !q.knownTurn
	if _, found := first.Next(); found {
		return
	}
	if _, found := second.Next(); found {
		return
	}
	q.free++
}

func (q *hashQueue) waiting() int { return q.known.Len() + q.others.Len() }
