package activities

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"research/db"
)

const (
	// leaseTime is how long a lease lasts after it was renewed. It equals the heartbeat timeout, after which
	// Temporal starts another attempt.
	leaseTime = 15 * time.Second
	// leaseInterval renews a lease twice before it ends.
	leaseInterval = 5 * time.Second
)

// errLeaseLost means that the run has ended, or that another process reads it.
var errLeaseLost = errors.New("the run is no longer read by this process")

// runLeases are the leases of one process: the runs that it reads. One statement renews all of them.
//
// An attempt of an activity that is cut off from Temporal ends, while its calls to the model go on. The lease
// lasts until the last of them has its response stored, so that the next attempt, on another worker, does not
// make the same calls.
type runLeases struct {
	store  *db.Store
	log    *slog.Logger
	reader uuid.UUID // identifies the process

	mu       sync.Mutex
	held     map[uuid.UUID]*runLease // by claim
	renewing bool
}

// A runLease lasts while it has holders: attempts that read the run, and calls in progress.
type runLease struct {
	claim  uuid.UUID
	ctx    context.Context // ends when the calls of the run should stop; its cause says why
	cancel context.CancelCauseFunc

	// Guarded by runLeases.mu.
	attempts int
	calls    int
}

func newRunLeases(store *db.Store, log *slog.Logger) *runLeases {
	return &runLeases{store: store, log: log, reader: uuid.New(), held: map[uuid.UUID]*runLease{}}
}

// hold returns the lease of a run for an attempt, which must call endAttempt.
func (l *runLeases) hold(ctx context.Context, claim uuid.UUID) *runLease {
	l.mu.Lock()
	defer l.mu.Unlock()
	lease := l.held[claim]
	if lease == nil || lease.ctx.Err() != nil {
		lease = &runLease{claim: claim}
		lease.ctx, lease.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		l.held[claim] = lease
	}
	lease.attempts++
	if !l.renewing {
		l.renewing = true
		go l.renew()
	}
	return lease
}

// endAttempt reports whether calls of the run are in progress, so that the lease must last.
func (l *runLeases) endAttempt(lease *runLease) (stillHeld bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lease.attempts--
	l.dropUnheld(lease)
	return lease.attempts+lease.calls > 0
}

func (l *runLeases) beginCall(lease *runLease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lease.calls++
}

func (l *runLeases) endCall(lease *runLease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lease.calls--
	l.dropUnheld(lease)
}

// dropUnheld ends a lease without holders. The caller must hold l.mu.
func (l *runLeases) dropUnheld(lease *runLease) {
	if lease.attempts+lease.calls > 0 {
		return
	}
	lease.cancel(nil)
	if l.held[lease.claim] == lease {
		delete(l.held, lease.claim)
	}
}

// renew renews the leases until there are none.
func (l *runLeases) renew() {
	for {
		time.Sleep(leaseInterval)
		leases := l.renewable()
		if len(leases) == 0 {
			return
		}
		l.renewAll(leases)
	}
}

// renewable returns the leases to renew. Without any, the renewing ends.
func (l *runLeases) renewable() []*runLease {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewing = len(l.held) > 0
	return slices.Collect(maps.Values(l.held))
}

// renewAll renews leases. It stops the calls of runs that ended or that another process reads. While the
// database is unavailable, no other process can take a lease either.
func (l *runLeases) renewAll(leases []*runLease) {
	ctx, cancel := context.WithTimeout(context.Background(), leaseInterval)
	defer cancel()
	claims, seen := l.claims(leases)
	renewed, err := db.AsService(ctx, l.store, func(q *db.Queries) ([]uuid.UUID, error) {
		return q.RenewLeases(ctx, db.RenewLeasesParams{
			Reader: l.reader, LeaseSeconds: leaseTime.Seconds(), Claims: claims, Seen: seen,
		})
	})
	if err != nil {
		l.log.Warn("leases not renewed", "runs", len(claims), "error", err)
		return
	}
	for _, lease := range leases {
		if !slices.Contains(renewed, lease.claim) {
			lease.cancel(errLeaseLost)
		}
	}
}

// claims returns the claims of leases, and separately those with an attempt: its heartbeats show that the run
// is open in Temporal.
func (l *runLeases) claims(leases []*runLease) (all, seen []uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, seen = []uuid.UUID{}, []uuid.UUID{}
	for _, lease := range leases {
		all = append(all, lease.claim)
		if lease.attempts > 0 {
			seen = append(seen, lease.claim)
		}
	}
	return all, seen
}
