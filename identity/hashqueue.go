package identity

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A hashQueue bounds how many passwords are hashed at the same time, so that a burst of sign-ins queues
// instead of starving other requests. It is a fair queue (round robin): a flood of guesses at one account or
// from one network does not delay the others. It is safe for concurrent use.
type hashQueue struct {
	maxWaiting int // of all shares
	maxShare   int // of one share

	mu        sync.Mutex
	free      int // slots
	waiting   int
	known     roundRobin
	others    roundRobin
	knownTurn bool // whether the next free slot is for a known share, if one waits
}

// A hashShare identifies for whom a password is hashed. Requests with the same key queue behind each other.
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
	return &hashQueue{
		free: slots, maxWaiting: slots * maxQueued, maxShare: slots * maxQueuedShare,
		known: newRoundRobin(), others: newRoundRobin(),
	}
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
	if q.waiting >= q.maxWaiting || len(shares.waiting[share.key]) >= q.maxShare {
		q.mu.Unlock()
		return &LimitError{Cause: ErrBusy, RetryAfter: busyRetry}
	}
	ready := shares.push(share.key)
	q.waiting++
	q.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if shares.remove(share.key, ready) {
		q.waiting--
	} else {
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
	ready, found := first.pop()
	if !found {
		ready, found = second.pop()
	}
	if !found {
		q.free++
		return
	}
	q.waiting--
	close(ready)
}

// A roundRobin has a queue for each key, and takes from them in turn. Each waiter is a channel that is closed
// when a slot is free.
type roundRobin struct {
	waiting map[string][]chan struct{} // no queue is empty
	order   []string                   // the keys, the next one first
}

func newRoundRobin() roundRobin { return roundRobin{waiting: map[string][]chan struct{}{}} }

func (r *roundRobin) push(key string) (ready chan struct{}) {
	ready = make(chan struct{})
	if len(r.waiting[key]) == 0 {
		r.order = append(r.order, key)
	}
	r.waiting[key] = append(r.waiting[key], ready)
	return ready
}

// pop removes the first channel of the next queue.
func (r *roundRobin) pop() (ready chan struct{}, found bool) {
	if len(r.order) == 0 {
		return nil, false
	}
	key := r.order[0]
	r.order = r.order[1:]
	ready, rest := r.waiting[key][0], r.waiting[key][1:]
	if len(rest) == 0 {
		delete(r.waiting, key)
	} else {
		r.waiting[key], r.order = rest, append(r.order, key)
	}
	return ready, true
}

// remove removes a channel and reports whether it still waited.
func (r *roundRobin) remove(key string, ready chan struct{}) bool {
	i := slices.Index(r.waiting[key], ready)
	if i < 0 {
		return false
	}
	r.waiting[key] = slices.Delete(r.waiting[key], i, i+1)
	if len(r.waiting[key]) == 0 {
		delete(r.waiting, key)
		r.order = slices.DeleteFunc(r.order, func(other string) bool { return other == key })
	}
	return true
}
