package activities

import (
	"context"
	"slices"
	"sync"
)

// callSlots bounds the calls to the extractor that one process makes at a time. Waiting workspaces take
// turns, so that one with many calls does not delay others. It is safe for concurrent use.
type callSlots struct {
	mu      sync.Mutex
	free    int
	waiting map[string][]chan struct{} // by workspace, in order of arrival; closing a channel gives it a slot
	turns   []string                   // the workspaces that wait; the first is next
}

func newCallSlots(n int) *callSlots {
	return &callSlots{free: n, waiting: map[string][]chan struct{}{}}
}

// tryAcquire takes a slot if one is free. A slot is never free while a workspace waits.
func (s *callSlots) tryAcquire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == 0 {
		return false
	}
	s.free--
	return true
}

// acquire waits for the turn of the workspace. Its error is that of the context.
func (s *callSlots) acquire(ctx context.Context, workspace string) error {
	if s.tryAcquire() {
		return nil
	}
	given := s.enqueue(workspace)
	select {
	case <-given:
		return nil
	case <-ctx.Done():
		if !s.leave(workspace, given) {
			s.release() // it was given meanwhile
		}
		return ctx.Err()
	}
}

func (s *callSlots) enqueue(workspace string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	given := make(chan struct{})
	if s.free > 0 { // released since tryAcquire
		s.free--
		close(given)
		return given
	}
	if len(s.waiting[workspace]) == 0 {
		s.turns = append(s.turns, workspace)
	}
	s.waiting[workspace] = append(s.waiting[workspace], given)
	return given
}

// leave stops waiting. It reports false if the slot was given meanwhile.
func (s *callSlots) leave(workspace string, given chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting[workspace], given)
	if i < 0 {
		return false
	}
	s.waiting[workspace] = slices.Delete(s.waiting[workspace], i, i+1)
	if len(s.waiting[workspace]) == 0 {
		delete(s.waiting, workspace)
		s.turns = slices.DeleteFunc(s.turns, func(w string) bool { return w == workspace })
	}
	return true
}

// release gives the slot to the workspace whose turn it is.
func (s *callSlots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.turns) == 0 {
		s.free++
		return
	}
	workspace := s.turns[0]
	s.turns = s.turns[1:]
	queue := s.waiting[workspace]
	close(queue[0])
	if len(queue) == 1 {
		delete(s.waiting, workspace)
		return
	}
	s.waiting[workspace] = queue[1:]
	s.turns = append(s.turns, workspace)
}
