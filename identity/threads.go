package identity

import (
	"runtime"
	"sync"
	"time"
)

// threadsKept is how long the additional threads are kept after the last hash, since changing their number
// briefly stops the program.
const threadsKept = time.Second

// programThreads are the threads of this program. There is one of them, as there is one GOMAXPROCS, however many
// services run in the program: two that each doubled what they found would double it again and again.
var programThreads hashThreads

// hashThreads gives the program more of Go's threads while passwords are hashed, so that other requests need not
// wait until Go's scheduler preempts a hash: the kernel schedules their threads at once (docs/decisions/0173).
// There is one more hash than there are cores, and there are as many other threads as cores. Without hashes, more
// threads than cores only cost time (docs/decisions/0270). A nil *hashThreads adds none. It is safe for concurrent
// use.
type hashThreads struct {
	mu      sync.Mutex
	hashing int         // hashes in progress
	own     int         // GOMAXPROCS without the additional threads; 0 while there are none
	shrink  *time.Timer // runs after the last hash; nil before the first
}

// cores returns GOMAXPROCS without the additional threads.
func (t *hashThreads) cores() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own > 0 {
		return t.own
	}
	return runtime.GOMAXPROCS(0)
}

// begin is called before a hash, and end after it.
func (t *hashThreads) begin() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hashing++
	if t.own == 0 {
		t.own = runtime.GOMAXPROCS(0)
		runtime.GOMAXPROCS(2*t.own + 1)
	}
}

func (t *hashThreads) end() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hashing--
	if t.hashing > 0 {
		return
	}
	if t.shrink == nil {
		t.shrink = time.AfterFunc(threadsKept, t.remove)
		return
	}
	t.shrink.Reset(threadsKept)
}

func (t *hashThreads) remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own > 0 && t.hashing == 0 {
		runtime.GOMAXPROCS(t.own)
		t.own = 0
	}
}
