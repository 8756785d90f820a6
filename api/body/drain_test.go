package body_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/body"
)

// rejecting is a service that rejects bodies above a MB, and all those of requests to /closed.
func rejecting(t *testing.T) string {
	t.Helper()
	service := httptest.NewServer(body.Drain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/closed" {
			w.Header().Set("Content-Length", "0")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 1<<20)); err != nil {
			w.Header().Set("Content-Length", "9")
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			_, _ = io.WriteString(w, "too large")
		}
	})))
	t.Cleanup(service.Close)
	return strings.TrimPrefix(service.URL, "http://")
}

// connect opens a connection, on which nothing takes longer than the deadline of the test.
func connect(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return conn
}

func statusOf(t *testing.T, conn net.Conn) int {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

func TestAClientThatSendsEverythingFirstGetsItsResponse(t *testing.T) {
	t.Parallel()
	const size = 40 << 20
	content := make([]byte, size)
	for path, status := range map[string]int{"/": 413, "/closed": 401} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, rejecting(t))
			_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", path, size)
			require.NoError(t, err)
			_, err = conn.Write(content)
			require.NoError(t, err, "the pipe broke")
			require.Equal(t, status, statusOf(t, conn))
		})
		t.Run(path+" in chunks", func(t *testing.T) {
			t.Parallel()
			conn := connect(t, rejecting(t))
			_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", path)
			require.NoError(t, err)
			for range 40 {
				_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", 1<<20, content[:1<<20])
				require.NoError(t, err, "the pipe broke")
			}
			_, err = io.WriteString(conn, "0\r\n\r\n")
			require.NoError(t, err)
			require.Equal(t, status, statusOf(t, conn))
		})
	}
}

func TestAClientThatWaitsIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()

	t.Run("for 100 Continue", func(t *testing.T) {
		t.Parallel()
		conn := connect(t, rejecting(t))
		_, err := io.WriteString(conn, "POST /closed HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"+
			"Content-Length: 41943040\r\n\r\n")
		require.NoError(t, err)
		require.Equal(t, 401, statusOf(t, conn))
		began := time.Now()
		_, err = io.Copy(io.Discard, conn)
		require.NoError(t, err)
		require.Less(t, time.Since(began), 4*time.Second, "nothing is waited for")
	})

	t.Run("for the response, with a part of its body sent", func(t *testing.T) {
		t.Parallel()
		conn := connect(t, rejecting(t))
		_, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 41943040\r\n\r\n"+
			strings.Repeat("x", 2<<20))
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(4*time.Second)))
		require.Equal(t, 413, statusOf(t, conn))
	})
}
