package temporalclient

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A silentServer answers probes unless it is silent. The clock of its breaker is that of a synctest bubble.
type silentServer struct {
	isSilent atomic.Bool
	probes   atomic.Int32
	breaker  *breaker
}

func newSilentServer() *silentServer {
	s := &silentServer{}
	s.isSilent.Store(true)
	s.breaker = &breaker{probe: s.probe, timeout: time.Second}
	return s
}

func (s *silentServer) probe(ctx context.Context) error {
	s.probes.Add(1)
	return s.answer(ctx)
}

func (s *silentServer) answer(ctx context.Context) error {
	if !s.isSilent.Load() {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	t.Run("gives a call up when a probe has no answer either", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s, began := newSilentServer(), time.Now()
			require.NoError(t, s.breaker.admit(t.Context()), "nothing is known yet")
			require.Error(t, s.breaker.watch(t.Context(), s.answer))
			require.Equal(t, 2*time.Second, time.Since(began))
			require.ErrorIs(t, s.breaker.admit(t.Context()), ErrUnavailable)
			require.Equal(t, 2*time.Second, time.Since(began), "the next request does not wait")
		})
	})
	t.Run("waits for a slow answer", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := newSilentServer()
			s.isSilent.Store(false)
			require.NoError(t, s.breaker.watch(t.Context(), func(ctx context.Context) error {
				select {
				case <-time.After(4 * time.Second):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}))
			require.EqualValues(t, 1, s.probes.Load())
		})
	})
	t.Run("probes once after each pause, however many requests there are", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := newSilentServer()
			require.Error(t, s.breaker.check(t.Context()))
			for probes := int32(2); probes <= 6; probes++ {
				time.Sleep(maxPause * 3 / 2) // the longest pause
				var requests sync.WaitGroup
				for range 100 {
					requests.Go(func() { require.ErrorIs(t, s.breaker.admit(t.Context()), ErrUnavailable) })
				}
				requests.Wait()
				require.Equal(t, probes, s.probes.Load())
			}
		})
	})
	t.Run("closes when a probe is answered", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := newSilentServer()
			require.Error(t, s.breaker.check(t.Context()))
			s.isSilent.Store(false)
			require.Error(t, s.breaker.admit(t.Context()), "during the pause")
			time.Sleep(firstPause * 3 / 2)
			require.NoError(t, s.breaker.admit(t.Context()))
			require.EqualValues(t, 2, s.probes.Load())

			s.isSilent.Store(true)
			require.NoError(t, s.breaker.admit(t.Context()))
			require.Error(t, s.breaker.check(t.Context()))
			require.Error(t, s.breaker.admit(t.Context()), "it opens again")
		})
	})
	t.Run("draws no conclusion from a client that is gone", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := newSilentServer()
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			require.ErrorIs(t, s.breaker.check(gone), context.Canceled)
			require.NoError(t, s.breaker.admit(t.Context()))
		})
	})
	t.Run("returns the error of a call that was answered", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s, refused := newSilentServer(), errors.New("refused")
			require.ErrorIs(t, s.breaker.watch(t.Context(), func(context.Context) error { return refused }), refused)
			require.NoError(t, s.breaker.admit(t.Context()))
		})
	})
}

func TestALongTimeoutIsNotCutShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, began := newSilentServer(), time.Now()
		s.breaker.timeout = 10 * time.Second // TEMPORAL_TIMEOUT is 20 s
		c := &Client{breaker: s.breaker}
		require.Error(t, c.request(t.Context(), requestTimeout, s.answer))
		require.Equal(t, 20*time.Second, time.Since(began))
		require.ErrorIs(t, s.breaker.admit(t.Context()), ErrUnavailable, "a probe had no answer either")
	})
}

func TestPausesOfProcessesDiffer(t *testing.T) {
	t.Parallel()
	pauses := map[time.Duration]bool{}
	for range 100 {
		pause := jitter(time.Second)
		require.GreaterOrEqual(t, pause, time.Second/2)
		require.Less(t, pause, time.Second*3/2)
		pauses[pause] = true
	}
	require.Greater(t, len(pauses), 50)
}
