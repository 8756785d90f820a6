// Package admission limits the share of the service that one caller can use.
//
// A request first enters, which bounds the number of a user's requests, and so the memory of their bodies and
// responses. Then it takes a slot for the work itself, such as a statement of the database. There are few
// slots. While all are taken, workspaces take turns, and none gets more than its share. Some slots are kept
// for workspaces that have used little time lately, so that these do not wait for the long statements of
// others. Requests wait for a limited time in a queue of limited length.
//
// A queue counts the requests of its own process.
package admission

import (
	"context"
	"errors"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/google/uuid"

	"research/internal/fairqueue"
)

// ErrBusy means that the caller's share was in use for the whole time that requests may wait.
var ErrBusy = errors.New("too many requests of this caller at once")

// Config bounds a queue. All fields but Requests, Reserved and MaxWait must be positive.
type Config struct {
	Requests       int           // requests of all users that have entered; 0 means no limit
	Slots          int           // concurrent work
	WorkspaceSlots int           // the same for one workspace
	Reserved       int           // slots for workspaces that have used little time; 0 means none
	UserRequests   int           // requests of one user that have entered
	UserWaiting    int           // requests of one user that wait to enter
	MaxWait        time.Duration // to enter, and again for a slot; 0 means no waiting
}

// A Caller identifies the sender of a request.
type Caller struct {
	// User shares UserRequests. Callers without an account share the zero value.
	User uuid.UUID
	// Trusted callers enter without a limit, and may use every slot.
	Trusted bool
}

// A Queue admits requests. A nil Queue admits all of them. It is safe for concurrent use.
type Queue struct {
	cfg         Config
	workspaceOf func(context.Context, uuid.UUID) (uuid.UUID, error)

	mu       sync.Mutex
	requests int               // that have entered
	entered  map[uuid.UUID]int // requests of each user that have entered
	entering fairqueue.Queue[uuid.UUID]
	working  map[uuid.UUID]int // requests of each workspace that have a slot
	waiting  fairqueue.Queue[uuid.UUID]
	free     int // slots
	used     map[uuid.UUID]usage
}

const (
	// littleTime is what a workspace uses that holds one slot for a fifth of the time: far more than a person's
	// page does, also on a busy machine, and less than statements that run into their timeout.
	littleTime = 3 * time.Second
	// halfLife is how long it takes until half of the time that was used does not count any more.
	halfLife = 10 * time.Second
	// maxUsages is how many workspaces are remembered before those that used little are forgotten.
	maxUsages = 1000
)

// A usage is the time for which a workspace has held slots. Time that is long ago counts less.
type usage struct {
	time time.Duration
	at   time.Time
}

// now is what is left of the usage.
func (u usage) now() time.Duration {
	return time.Duration(float64(u.time) * math.Exp2(-float64(time.Since(u.at))/float64(halfLife)))
}

// New returns a queue. workspaceOf returns the workspace to which a user's work is charged.
func New(cfg Config, workspaceOf func(context.Context, uuid.UUID) (uuid.UUID, error)) *Queue {
	return &Queue{
		cfg: cfg, workspaceOf: workspaceOf, free: cfg.Slots,
		entered: map[uuid.UUID]int{}, working: map[uuid.UUID]int{}, used: map[uuid.UUID]usage{},
	}
}

// A Ticket is a request that has entered. It is for one goroutine.
type Ticket struct {
	queue     *Queue
	caller    Caller
	works     bool      // the request has a slot
	workspace uuid.UUID // to which the slot is charged
	began     time.Time // when it got the slot
}

// Enter waits until the caller may have another request. The caller must call Leave. Its errors are ErrBusy
// and those of ctx.
func (q *Queue) Enter(ctx context.Context, c Caller) (*Ticket, error) {
	t := &Ticket{queue: q, caller: c}
	if q == nil || c.Trusted {
		return t, nil
	}
	q.mu.Lock()
	if q.cfg.Requests > 0 && q.requests >= q.cfg.Requests {
		q.mu.Unlock()
		return nil, ErrBusy
	}
	if q.entered[c.User] < q.cfg.UserRequests {
		q.requests++
		q.entered[c.User]++
		q.mu.Unlock()
		return t, nil
	}
	if q.entering.Waiting(c.User) >= q.cfg.UserWaiting {
		q.mu.Unlock()
		return nil, ErrBusy
	}
	turn := q.entering.Push(c.User)
	q.mu.Unlock()
	if err := q.wait(ctx, &q.entering, c.User, turn); err != nil {
		return nil, err
	}
	return t, nil
}

// Leave ends the request, and releases its slot if it still has one.
func (t *Ticket) Leave() {
	t.Done()
	q, user := t.queue, t.caller.User
	if q == nil || t.caller.Trusted {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	isSame := func(other uuid.UUID) bool { return other == user }
	if _, found := q.entering.NextOf(isSame); found {
		return // that request has entered in the place of this one
	}
	q.requests--
	decrement(q.entered, user)
}

// Do calls work when the caller has entered and has a slot. Its errors are those of Enter, Work and work.
func (q *Queue) Do(ctx context.Context, c Caller, work func() error) error {
	ticket, err := q.Enter(ctx, c)
	if err != nil {
		return err
	}
	defer ticket.Leave()
	if err := ticket.Work(ctx); err != nil {
		return err
	}
	return work()
}

// trusted stands for the workspace of callers that have none.
var trusted = uuid.Max

// Work waits for a slot. Its errors are ErrBusy, those of ctx, and those of workspaceOf.
func (t *Ticket) Work(ctx context.Context) error {
	q := t.queue
	if q == nil {
		return nil
	}
	workspace := trusted
	if !t.caller.Trusted {
		var err error
		if workspace, err = q.workspaceOf(ctx, t.caller.User); err != nil {
			return err
		}
	}
	q.mu.Lock()
	if q.free > 0 && q.mayWork(workspace) {
		q.begin(workspace)
		q.mu.Unlock()
	} else {
		turn := q.waiting.Push(workspace)
		q.mu.Unlock()
		if err := q.wait(ctx, &q.waiting, workspace, turn); err != nil {
			return err
		}
	}
	t.works, t.workspace, t.began = true, workspace, time.Now()
	return nil
}

// Done releases the slot before the request ends, since a slow client may take long to read the response.
func (t *Ticket) Done() {
	if !t.works {
		return
	}
	t.works = false
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	decrement(q.working, t.workspace)
	q.charge(t.workspace, time.Since(t.began))
	for q.free > 0 {
		next, found := q.waiting.NextOf(q.mayWork)
		if !found {
			return
		}
		q.begin(next)
	}
}

// mayWork reports whether a workspace may have one of the free slots: it has less than its share, and has
// used little time where only those slots are free that are kept for such workspaces.
func (q *Queue) mayWork(workspace uuid.UUID) bool {
	if workspace == trusted {
		return q.working[workspace] < q.cfg.Slots
	}
	return q.working[workspace] < q.cfg.WorkspaceSlots &&
		(q.free > q.cfg.Reserved || q.used[workspace].now() <= littleTime)
}

// charge adds the time for which a workspace held a slot to what it has used.
func (q *Queue) charge(workspace uuid.UUID, took time.Duration) {
	if q.cfg.Reserved == 0 {
		return
	}
	q.used[workspace] = usage{time: q.used[workspace].now() + took, at: time.Now()}
	if len(q.used) > maxUsages {
		maps.DeleteFunc(q.used, func(_ uuid.UUID, u usage) bool { return u.now() <= littleTime })
	}
}

// begin takes a slot for a workspace.
func (q *Queue) begin(workspace uuid.UUID) {
	q.free--
	q.working[workspace]++
}

// wait waits for the turn of a request for as long as requests may wait.
func (q *Queue) wait(
	ctx context.Context, queue *fairqueue.Queue[uuid.UUID], key uuid.UUID, turn chan struct{},
) error {
	timer := time.NewTimer(q.cfg.MaxWait)
	defer timer.Stop()
	err := ErrBusy
	select {
	case <-turn:
		return nil
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !queue.Leave(key, turn) {
		return nil // the turn came in the meantime
	}
	return err
}

// decrement keeps no zeros, so that a map has only what is in use.
func decrement(counts map[uuid.UUID]int, key uuid.UUID) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}
