package activities

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"research/activities/extract"
	"research/db"
)

// Calls makes the calls to the extractor for all activities of a process. A call belongs to the run of its
// import, not to the attempt of an activity that began it. If the attempt ends early, the response is still
// stored, and the next attempt waits for it instead of paying for another one.
type Calls struct {
	store     *db.Store
	extractor extract.Extractor
	limits    CallLimits
	log       *slog.Logger
	slots     *callSlots
	leases    *runLeases
	storing   context.Context // ends when Close gives up
	giveUp    context.CancelFunc

	mu       sync.Mutex
	underWay map[answerKey]*call
	closed   bool
	all      sync.WaitGroup
}

// CallLimits bound the calls to the extractor.
type CallLimits struct {
	InFlight  int // of this process; at least 1
	PerMinute int // of all processes; 0 means no limit
}

// NewCalls returns the calls of a process. All dependencies are required. The caller closes it when no
// activity runs any more.
func NewCalls(
	store *db.Store, extractor extract.Extractor, limits CallLimits, log *slog.Logger,
) (*Calls, error) {
	if store == nil || extractor == nil || log == nil || limits.InFlight < 1 {
		return nil, errors.New("activities: a dependency of Calls is missing")
	}
	storing, giveUp := context.WithCancel(context.Background())
	return &Calls{
		store: store, extractor: extractor, limits: limits, log: log,
		slots: newCallSlots(limits.InFlight), leases: newRunLeases(store, log),
		storing: storing, giveUp: giveUp, underWay: map[answerKey]*call{},
	}, nil
}

// errStopping means that the process stops.
var errStopping = errors.New("the worker is stopping")

// Close stops the calls that are in progress and waits until every response that was received is stored. When
// the context ends, it gives up and reports how many were lost.
func (c *Calls) Close(ctx context.Context) {
	c.mu.Lock()
	c.closed = true
	for _, one := range c.underWay {
		one.lease.cancel(errStopping)
	}
	c.mu.Unlock()
	stopped := make(chan struct{})
	go func() {
		c.all.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
		c.mu.Lock()
		lost := len(c.underWay)
		c.mu.Unlock()
		c.log.ErrorContext(ctx, "responses of the model are lost: the database is unavailable", "responses", lost)
	}
	c.giveUp()
	<-stopped
}

// A call is one request to the extractor.
type call struct {
	lease *runLease
	done  chan struct{} // closed when answer and err are set
	// answer is what the extractor returned, once it is stored.
	answer storedAnswer
	err    error
}

// wait waits for the answer. The call goes on if the context ends.
func (one *call) wait(ctx context.Context) (storedAnswer, error) {
	select {
	case <-one.done:
		return one.answer, one.err
	case <-ctx.Done():
		return storedAnswer{}, ctx.Err()
	}
}

// find returns the call for a key, or nil if none is in progress.
func (c *Calls) find(key answerKey) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.underWay[key]
}

// errNoTurn means that a chunk did not get a slot within yieldAfter. Another activity reads it, so that
// Temporal can schedule imports of other workspaces first.
var errNoTurn = errors.New("no slot is free")

// yieldAfter is long compared with a call to a fast model, so that its imports need few activities. It is
// short compared with a call to a slow one, so that an activity delays the imports of others by one call at
// most.
const yieldAfter = 200 * time.Millisecond

// A turn controls when a chunk may make calls.
type turn struct {
	hasSlot  bool // the caller has taken the slot for the next call
	reserved bool // the tokens of the next call are reserved
	yields   bool // without a free slot for a while, the chunk is left to a later activity
}

// awaitTurn takes a slot for a call of a workspace, and waits for the rate of all processes. The caller
// releases the slot. Its error is errNoTurn if the turn yields.
func (c *Calls) awaitTurn(ctx context.Context, workspace string, turn turn) error {
	if !turn.hasSlot {
		if err := c.awaitSlot(ctx, workspace, turn.yields); err != nil {
			return err
		}
	}
	if err := c.awaitRate(ctx); err != nil {
		c.slots.release()
		return err
	}
	return nil
}

func (c *Calls) awaitSlot(ctx context.Context, workspace string, yields bool) error {
	if !yields {
		return c.slots.acquire(ctx, workspace)
	}
	limited, cancel := context.WithTimeoutCause(ctx, yieldAfter, errNoTurn)
	defer cancel()
	if err := c.slots.acquire(limited, workspace); err != nil {
		return context.Cause(limited)
	}
	return nil
}

// awaitRate waits until MODEL_CALLS_PER_MINUTE allows another call.
func (c *Calls) awaitRate(ctx context.Context) error {
	if c.limits.PerMinute == 0 {
		return nil
	}
	seconds, err := db.AsService(ctx, c.store, func(q *db.Queries) (float64, error) {
		return q.ReserveCallSlot(ctx, 60/float64(c.limits.PerMinute))
	})
	if err != nil {
		return dbError("wait for the rate of calls", err)
	}
	if seconds <= 0 {
		return nil
	}
	select {
	case <-time.After(time.Duration(seconds * float64(time.Second))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin makes a call with the slot of the caller, unless one for the same key is in progress; then it
// releases the slot. save stores the answer; begin does not return before the call is known to find.
func (c *Calls) begin(
	ctx context.Context, lease *runLease, key answerKey, request extract.Request,
	save func(context.Context, storedAnswer) error,
) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.underWay[key]; one != nil {
		c.slots.release()
		return one
	}
	one := &call{lease: lease, done: make(chan struct{})}
	if c.closed {
		c.slots.release()
		one.err = errHandedOver()
		close(one.done)
		return one
	}
	c.underWay[key] = one
	c.leases.beginCall(lease)
	c.all.Go(func() {
		one.answer, one.err = c.make(ctx, lease, request, save)
		c.mu.Lock()
		delete(c.underWay, key)
		c.mu.Unlock()
		c.leases.endCall(lease) // before waiters see the end, and check whether calls are in progress
		close(one.done)
	})
	return one
}

// make calls the extractor and stores what was paid for: a response, a failure that would only repeat, or the
// tokens of a call that will be retried. The call keeps the values of the context, but ends with the lease
// and not with the context.
func (c *Calls) make(
	ctx context.Context, lease *runLease, request extract.Request,
	save func(context.Context, storedAnswer) error,
) (storedAnswer, error) {
	callCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	stop := context.AfterFunc(lease.ctx, func() { cancel(context.Cause(lease.ctx)) })
	defer stop()
	began := time.Now()
	response, err := c.extractor.Extract(callCtx, request)
	took := time.Since(began)
	c.slots.release()
	answer := storedAnswer{Response: response}
	var failed *extract.Error
	switch {
	case err == nil:
	case errors.As(err, &failed):
		answer = storedAnswer{
			Failed: failed.Code, Final: failed.Final, Response: extract.Response{Usage: failed.Usage},
		}
	default:
		return storedAnswer{}, endedCall(callCtx, err)
	}
	answer.took = took
	if answer.isPaid() {
		if err := c.keepSaving(context.WithoutCancel(ctx), answer, save); err != nil {
			return storedAnswer{}, err
		}
	}
	if failed != nil && !answer.repeats() {
		return storedAnswer{}, failed
	}
	return answer, nil
}

// endedCall returns why a call ended without a response.
func endedCall(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopping):
		return errHandedOver()
	case cause != nil:
		return cause
	}
	return err
}

// keepSaving stores an answer, however long the database is unavailable: it would have to be paid for again.
// It gives up when the process ends.
func (c *Calls) keepSaving(
	ctx context.Context, answer storedAnswer, save func(context.Context, storedAnswer) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.storing, cancel)()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		limited, stop := context.WithTimeout(ctx, saveTimeout)
		err := save(limited, answer)
		stop()
		if !errors.Is(err, db.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// saveTimeout bounds one attempt to store an answer.
const saveTimeout = 10 * time.Second

// workspaceOf returns Temporal's fairness key, which is the workspace's. Calls use the same key.
func workspaceOf(ctx context.Context) string {
	return activity.GetInfo(ctx).Priority.FairnessKey
}
