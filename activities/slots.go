package activities

import (
	"context"
	"sync"

	"research/internal/fairqueue"
)

// callSlots bounds the calls to the extractor that one process makes at a time. Waiting workspaces take
// turns, so that one with many calls does not delay others. It is safe for concurrent use.
type callSlots struct {
	mu      sync.Mutex
	free    int
	waiting fairqueue.Queue[string] // by workspace
}

func newCallSlots(n int) *callSlots { return &callSlots{free: n} }

// tryAcquire takes a slot if one is free. A slot is never free while a workspace waits.
func (s *callSlots) tryAcquire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take()
}

func (s *callSlots) take() bool {
	if s.free == 0 {
		return false
	}
	s.free--
	return true
}

// acquire waits for the turn of the workspace. Its error is that of the context.
func (s *callSlots) acquire(ctx context.Context, workspace string) error {
	s.mu.Lock()
	if s.take() {
		s.mu.Unlock()
		return nil
	}
	turn := s.waiting.Push(workspace)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waiting.Leave(workspace, turn) {
		s.pass() // the turn came in the meantime
	}
	return ctx.Err()
}

// release passes the slot to the workspace whose turn it is.
func (s *callSlots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
}

func (s *callSlots) pass() {
	if _, found := s.waiting.Next(); !found {
		s.free++
	}
}
