package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waitFor starts to wait for a slot and returns when the slots know of it. The name is sent when the slot is
// given.
func (s *callSlots) waitFor(t *testing.T, workspace, name string, given chan<- string) {
	t.Helper()
	before := s.waiters()
	go func() {
		if s.acquire(context.Background(), workspace) == nil {
			given <- name
		}
	}()
	require.Eventually(t, func() bool { return s.waiters() == before+1 }, time.Minute, time.Millisecond)
}

func (s *callSlots) waiters() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.Len()
}

func TestCallSlots(t *testing.T) {
	t.Parallel()

	t.Run("workspaces take turns, and those of one wait in order", func(t *testing.T) {
		t.Parallel()
		s, given := newCallSlots(1), make(chan string)
		require.True(t, s.tryAcquire())
		require.False(t, s.tryAcquire())
		for _, name := range []string{"many 1", "many 2", "many 3"} {
			s.waitFor(t, "many", name, given)
		}
		s.waitFor(t, "few", "few 1", given)
		var order []string
		for range 4 {
			s.release()
			order = append(order, <-given)
		}
		require.Equal(t, []string{"many 1", "few 1", "many 2", "many 3"}, order)
		s.release()
		require.True(t, s.tryAcquire())
	})

	t.Run("a slot for which the wait was cancelled goes to the next", func(t *testing.T) {
		t.Parallel()
		s := newCallSlots(1)
		require.True(t, s.tryAcquire())
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() { left <- s.acquire(ctx, "left") }()
		require.Eventually(t, func() bool { return s.waiters() == 1 }, time.Minute, time.Millisecond)
		cancel()
		require.ErrorIs(t, <-left, context.Canceled)
		require.Zero(t, s.waiters())
		s.release()
		require.True(t, s.tryAcquire())
	})
}
