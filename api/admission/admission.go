// Package admission limits the share of the service that one caller can use.
//
// A request first enters, which bounds the number of a user's requests, and so the memory of their bodies and
// responses. Then it takes a slot for the work itself, such as a statement of the database. There are few
// slots. While all are taken, workspaces take turns, and none gets more than its share. Requests wait for a
// limited time in a queue of limited length.
//
// A queue counts the requests of its own process.
package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// ErrBusy means that the caller's share was in use for the whole time that requests may wait.
var ErrBusy = errors.New("too many requests of this caller at once")

// Config bounds a queue. All fields but MaxWait must be positive.
type Config struct {
	Slots          int           // concurrent work
	WorkspaceSlots int           // the same for one workspace
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
	cfg       Config
	workspace func(context.Context, uuid.UUID) (uuid.UUID, error)

	mu         sync.Mutex
	users      map[uuid.UUID]*user
	workspaces map[uuid.UUID]*workspace
	turns      []*workspace // those with waiting requests, in the order of their turns
	free       int
}

// A user counts the requests of a user that have entered.
type user struct {
	entered int
	waiting []chan struct{} // closed when the request may enter
}

// A workspace counts the requests of a workspace that have a slot.
type workspace struct {
	id      uuid.UUID
	working int
	most    int
	queued  bool            // in turns
	waiting []chan struct{} // closed when the request has a slot
}

// New returns a queue. workspaceOf returns the workspace to which a user's work is charged.
func New(cfg Config, workspaceOf func(context.Context, uuid.UUID) (uuid.UUID, error)) *Queue {
	return &Queue{
		cfg:        cfg,
		workspace:  workspaceOf,
		users:      map[uuid.UUID]*user{},
		workspaces: map[uuid.UUID]*workspace{},
		free:       cfg.Slots,
	}
}

// A Ticket is a request that has entered. It is for one goroutine.
type Ticket struct {
	queue  *Queue
	caller Caller
	slot   *workspace // nil while the request has none
}

// Enter waits until the caller may have another request. The caller must call Leave. Its errors are ErrBusy
// and those of ctx.
func (q *Queue) Enter(ctx context.Context, c Caller) (*Ticket, error) {
	t := &Ticket{queue: q, caller: c}
	if q == nil || c.Trusted {
		return t, nil
	}
	q.mu.Lock()
	u := q.users[c.User]
	if u == nil {
		u = &user{}
		q.users[c.User] = u
	}
	if u.entered < q.cfg.UserRequests {
		u.entered++
		q.mu.Unlock()
		return t, nil
	}
	if len(u.waiting) >= q.cfg.UserWaiting {
		q.mu.Unlock()
		return nil, ErrBusy
	}
	admitted := make(chan struct{})
	u.waiting = append(u.waiting, admitted)
	q.mu.Unlock()
	if err := q.wait(ctx, admitted, &u.waiting); err != nil {
		return nil, err
	}
	return t, nil
}

// Leave ends the request, and releases its slot if it still has one.
func (t *Ticket) Leave() {
	t.Done()
	q := t.queue
	if q == nil || t.caller.Trusted {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.users[t.caller.User]
	if len(u.waiting) > 0 {
		close(u.waiting[0]) // it takes the place of this request
		u.waiting = u.waiting[1:]
		return
	}
	u.entered--
	if u.entered == 0 {
		delete(q.users, t.caller.User)
	}
}

// trusted stands for the workspace of callers that have none.
var trusted = uuid.Max

// Work waits for a slot. Its errors are ErrBusy, those of ctx, and those of workspaceOf.
func (t *Ticket) Work(ctx context.Context) error {
	q := t.queue
	if q == nil {
		return nil
	}
	id, most := trusted, q.cfg.Slots
	if !t.caller.Trusted {
		var err error
		if id, err = q.workspace(ctx, t.caller.User); err != nil {
			return err
		}
		most = q.cfg.WorkspaceSlots
	}
	q.mu.Lock()
	w := q.workspaces[id]
	if w == nil {
		w = &workspace{id: id, most: most}
		q.workspaces[id] = w
	}
	if q.free > 0 && w.working < w.most {
		q.free--
		w.working++
		q.mu.Unlock()
		t.slot = w
		return nil
	}
	admitted := make(chan struct{})
	w.waiting = append(w.waiting, admitted)
	q.enqueue(w)
	q.mu.Unlock()
	if err := q.wait(ctx, admitted, &w.waiting); err != nil {
		return err
	}
	t.slot = w
	return nil
}

// Done releases the slot before the request ends, since a slow client may take long to read the response.
func (t *Ticket) Done() {
	w := t.slot
	if w == nil {
		return
	}
	t.slot = nil
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	w.working--
	q.admit()
	q.forget(w)
}

// enqueue adds a workspace to the turns if it has waiting requests.
func (q *Queue) enqueue(w *workspace) {
	if !w.queued && len(w.waiting) > 0 {
		w.queued = true
		q.turns = append(q.turns, w)
	}
}

// forget drops a workspace without requests.
func (q *Queue) forget(w *workspace) {
	if w.working == 0 && len(w.waiting) == 0 && !w.queued {
		delete(q.workspaces, w.id)
	}
}

// admit gives free slots to the workspaces that wait, one each in turn.
func (q *Queue) admit() {
	for i := 0; q.free > 0 && i < len(q.turns); {
		w := q.turns[i]
		if w.working >= w.most {
			i++
			continue
		}
		q.turns = slices.Delete(q.turns, i, i+1)
		w.queued = false
		if len(w.waiting) > 0 { // otherwise its requests have timed out
			close(w.waiting[0])
			w.waiting = w.waiting[1:]
			w.working++
			q.free--
		}
		q.enqueue(w)
		q.forget(w)
	}
}

// wait waits until admitted is closed. If that takes too long, it removes admitted from the list.
func (q *Queue) wait(ctx context.Context, admitted chan struct{}, list *[]chan struct{}) error {
	timer := time.NewTimer(q.cfg.MaxWait)
	defer timer.Stop()
	err := ErrBusy
	select {
	case <-admitted:
		return nil
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(*list, admitted)
	if i < 0 {
		return nil // admitted in the meantime
	}
	*list = slices.Delete(*list, i, i+1)
	return err
}
