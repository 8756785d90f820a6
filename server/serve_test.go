package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"research/api"
)

// A runningServer serves /readyz, and /slow, which answers when it is released.
type runningServer struct {
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	stop    func()     // asks it to stop
	stopped chan error // receives what serve returns

	slowArrived, releaseSlow chan struct{}
}

func startServer(
	t *testing.T, listener *pipeListener, drainDelay time.Duration, ready api.Readiness,
) *runningServer {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(t.Context())
	s := &runningServer{
		dial: listener.dial, stop: stop, stopped: make(chan error, 1),
		slowArrived: make(chan struct{}), releaseSlow: make(chan struct{}),
	}
	stopping := make(chan struct{})
	mux := http.NewServeMux()
	ready.Stopping, ready.Log = stopping, log
	mux.Handle("GET /readyz", api.Ready(ready))
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, _ *http.Request) {
		close(s.slowArrived)
		<-s.releaseSlow
		_, _ = io.WriteString(w, "answered")
	})
	go func() { s.stopped <- serve(ctx, newHTTPServer(mux, log), listener, drainDelay, stopping, log) }()
	return s
}

// get sends a request on a connection of its own.
func (s *runningServer) get(t *testing.T, path string) (status int, body string, err error) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: s.dial}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://server"+path, nil)
	require.NoError(t, err)
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	reachable := func(context.Context) error { return nil }
	unreachable := func(context.Context) error { return errors.New("connection refused by 192.0.2.1") }

	for name, c := range map[string]struct {
		needed, used func(context.Context) error
		status       int
		body         string
	}{
		"everything responds": {
			reachable, reachable, http.StatusOK, `{"status": "ok", "postgres": "ok", "temporal": "ok"}`,
		},
		"what it uses is away": {
			reachable, unreachable, http.StatusOK,
			`{"status": "degraded", "postgres": "ok", "temporal": "unavailable"}`,
		},
		"what it needs is away": {
			unreachable, reachable, http.StatusServiceUnavailable,
			`{"status": "unavailable", "postgres": "unavailable", "temporal": "ok"}`,
		},
		"everything is away": {
			unreachable, unreachable, http.StatusServiceUnavailable,
			`{"status": "unavailable", "postgres": "unavailable", "temporal": "unavailable"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, newPipeListener(), 0, api.Readiness{
				Needs: api.Checks{"postgres": c.needed}, Uses: api.Checks{"temporal": c.used},
			})
			status, body, err := s.get(t, "/readyz")
			require.NoError(t, err)
			require.Equal(t, c.status, status)
			require.JSONEq(t, c.body, body, "and no cause")
		})
	}
}

// The clock is that of a synctest bubble, and the network is in memory.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const drainDelay = 2 * time.Second
		s := startServer(t, newPipeListener(), drainDelay, api.Readiness{})
		slow := make(chan string, 1)
		go func() {
			_, body, err := s.get(t, "/slow")
			slow <- body
			if err != nil {
				t.Errorf("the request under way failed: %v", err)
			}
		}()
		<-s.slowArrived

		s.stop()
		time.Sleep(drainDelay - time.Nanosecond)
		status, body, err := s.get(t, "/readyz")
		require.NoError(t, err, "it still listens")
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Equal(t, "{\"status\":\"stopping\"}\n", body)
		time.Sleep(time.Second)
		_, _, err = s.get(t, "/readyz")
		require.ErrorIs(t, err, net.ErrClosed, "after the delay it does not listen any more")
		select {
		case err := <-s.stopped:
			require.FailNow(t, "it did not wait for the request under way", "%v", err)
		default:
		}

		close(s.releaseSlow)
		require.Equal(t, "answered", <-slow)
		require.NoError(t, <-s.stopped)
	})
}

// A pipeListener listens in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipeListener() *pipeListener {
	l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close()
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// dial connects to the listener, whatever the address is.
func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func TestServeReturnsItsError(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	err = serve(t.Context(), newHTTPServer(http.NotFoundHandler(), log), listener, 0, make(chan struct{}), log)
	require.ErrorIs(t, err, net.ErrClosed)
}
