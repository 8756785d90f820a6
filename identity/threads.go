package identity

import (
	"runtime"
	"sync"
	"time"
)

// threadsKept is how long the additional threads are kept after the last hash, since changing their number
// briefly stops the program.
const threadsKept = time.Second

// hashThreads gives the program more of Go's threads while passwords are hashed, so that other requests need not
// wait until Go's scheduler preempts a hash: the kernel schedules their threads at once (docs/decisions/0173).
// There are one more hashes than cores, and as many other threads as cores. Without hashes, more threads than
// cores only cost time (docs/decisions/0270). A nil *hashThreads does nothing. It
// is safe for concurrent use.
type hashThreads struct {
	cores int

	mu      sync.Mutex
	hashing int         // hashes in progress
	added   bool        // since a hash began
	shrink  *time.Timer // runs after the last hash; nil before the first
}

func newHashThreads() *hashThreads { return &hashThreads{cores: runtime.GOMAXPROCS(0)} }

// begin is called before a hash, and end after it.
func (t *hashThreads) begin() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hashing++
	if !t.added {
		t.added = true
		runtime.GOMAXPROCS(2*t.cores + 1)
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
	if t.added && t.hashing == 0 {
		t.added = false
		runtime.GOMAXPROCS(t.cores)
	}
}
