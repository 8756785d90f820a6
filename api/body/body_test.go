package body_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/body"
)

// A site has a handler that reads a body, and answers when it is told to.
type site struct {
	handler http.Handler
	read    chan error // receives the result of each body
}

// answer is the key of the channel that ends a request.
type answer struct{}

func newSite(total, request int64) *site {
	s := &site{read: make(chan error, 100)}
	limiter := body.New(body.Config{
		Bytes: total, RequestBytes: request, ReadTimeout: 3 * time.Minute,
		NetworkOf: func(r *http.Request) string { return r.RemoteAddr },
	})
	s.handler = limiter.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		s.read <- err
		if ended, ok := r.Context().Value(answer{}).(chan struct{}); ok {
			<-ended
		}
	}))
	return s
}

// post sends a body of n bytes from a network, and returns a function that ends the request, and the result
// of reading the body.
func (s *site) post(t *testing.T, network string, n int) (end func(), err error) {
	t.Helper()
	ended := make(chan struct{})
	ctx := context.WithValue(t.Context(), answer{}, ended)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(make([]byte, n)))
	r.RemoteAddr = network
	done := make(chan struct{})
	go func() {
		s.handler.ServeHTTP(httptest.NewRecorder(), r)
		close(done)
	}()
	return func() { close(ended); <-done }, <-s.read
}

func isUnavailable(err error) bool {
	var unavailable interface{ Unavailable() bool }
	return errors.As(err, &unavailable) && unavailable.Unavailable()
}

func TestBodiesOfAllRequestsHaveALimit(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	s := newSite(4*mb, 2*mb)
	first, err := s.post(t, "a", mb)
	require.NoError(t, err)
	second, err := s.post(t, "a", mb)
	require.NoError(t, err)
	end, err := s.post(t, "a", mb)
	require.True(t, isUnavailable(err), "a network has half: %v", err)
	end()
	third, err := s.post(t, "b", 100*mb)
	require.NoError(t, err, "a handler that keeps no more than 2 MB may read more")
	end, err = s.post(t, "c", mb)
	require.True(t, isUnavailable(err), "there is no memory left: %v", err)
	end()
	end, err = s.post(t, "c", 16<<10)
	require.NoError(t, err, "a small body is always read")
	end()
	first()
	end, err = s.post(t, "c", mb)
	require.NoError(t, err, "the memory of a request that ended is free")
	end()
	second()
	third()
	end, err = s.post(t, "a", 2*mb)
	require.NoError(t, err)
	end()
}

func TestASlowBodyIsCutOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bytes  int           // before the pause
		pause  time.Duration // after that
		served bool
	}{
		"that pauses at its beginning":      {100, 31 * time.Second, false},
		"that pauses for a while":           {100, 29 * time.Second, true},
		"that pauses before its last byte":  {1 << 20, 11 * time.Second, false},
		"that never ends":                   {1 << 20, time.Hour, false},
		"that pauses for a moment later on": {1 << 20, 9 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSite(100<<20, 100<<20)
				server, client := net.Pipe()
				httpServer := &http.Server{Handler: s.handler} //nolint:gosec // the deadlines are those of the body
				go func() { _ = httpServer.Serve(&oneConn{conn: server, closed: make(chan struct{})}) }()
				began, answered := time.Now(), make(chan time.Duration, 1)
				go func() {
					_, _ = client.Read(make([]byte, 1))
					answered <- time.Since(began)
					_, _ = io.Copy(io.Discard, client)
				}()
				_, err := io.WriteString(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n")
				require.NoError(t, err)
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					_, _ = io.WriteString(client, strings.Repeat("x", c.bytes))
					time.Sleep(c.pause)
					_, _ = io.WriteString(client, strings.Repeat("x", 1<<20+1-c.bytes))
				}()
				err = <-s.read
				if c.served {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, os.ErrDeadlineExceeded)
					require.Less(t, <-answered, time.Minute, "the answer waits for the rest of the body")
				}
				_ = client.Close()
				_ = httpServer.Close()
				<-sent
			})
		})
	}
}

// A oneConn is a listener with one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	<-l.closed
	return nil, context.Canceled
}

func (l *oneConn) Close() error   { close(l.closed); return nil }
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }
