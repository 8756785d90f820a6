package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"
)

// load sends a request repeatedly on connections that stay open. It reads as little of an answer as possible:
// on one machine, what the client uses is taken from the server.
func load(address, request string, rows int) contender {
	return func(b testing.TB, d time.Duration) float64 {
		var done atomic.Int64
		var group sync.WaitGroup
		failures := make(chan error, clients)
		began := time.Now()
		for range clients {
			group.Go(func() {
				c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
				if err != nil {
					failures <- err
					return
				}
				defer func() { _ = c.Close() }()
				reader := bufio.NewReaderSize(c, 64<<10)
				for first := true; time.Since(began) < d; first = false {
					body, err := exchange(c, reader, request)
					if err == nil && first {
						var list []any
						if err = json.Unmarshal(body, &list); err == nil && len(list) != rows {
							err = fmt.Errorf("%d rows instead of %d", len(list), rows)
						}
					}
					if err != nil {
						failures <- err
						return
					}
					done.Add(1)
				}
			})
		}
		group.Wait()
		elapsed := time.Since(began)
		close(failures)
		for err := range failures {
			require.NoError(b, err)
		}
		return float64(done.Load()) / elapsed.Seconds()
	}
}

// exchange sends a request and returns the body of its answer, which is valid until the next call.
func exchange(c net.Conn, reader *bufio.Reader, request string) ([]byte, error) {
	if _, err := io.WriteString(c, request); err != nil {
		return nil, err
	}
	length, chunked := -1, false
	for line := 0; ; line++ {
		text, err := reader.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if line == 0 && !strings.HasPrefix(string(text), "HTTP/1.1 200 ") {
			return nil, fmt.Errorf("the answer is %q", text)
		}
		if len(text) <= 2 {
			break
		}
		chunked = chunked || string(text) == "Transfer-Encoding: chunked\r\n"
		if value, is := strings.CutPrefix(string(text), "Content-Length: "); is {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return nil, err
			}
		}
	}
	if chunked {
		body, err := io.ReadAll(httputil.NewChunkedReader(reader))
		if err == nil {
			_, err = reader.Discard(len("\r\n")) // the end of no trailers
		}
		return body, err
	}
	if length < 0 || length > reader.Size() {
		return nil, errors.New("an answer without a length, or a long one")
	}
	body, err := reader.Peek(length)
	if err != nil {
		return nil, err
	}
	_, err = reader.Discard(length)
	return body, err
}

// A statement is one that the service sent: its text, and its parameters as text.
type statement struct {
	sql  string
	args []string
}

// A tap is a proxy between the service and PostgreSQL that records the statements.
type tap struct {
	mu    sync.Mutex
	noted []statement
}

// startTap starts a proxy in front of the server of a database URL. It returns the URL that leads through it.
func startTap(b testing.TB, databaseURL string) (t *tap, through string) {
	target, err := url.Parse(databaseURL)
	require.NoError(b, err)
	server := target.Host
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { _ = listener.Close() })
	t = &tap{}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go t.pass(c, server)
		}
	}()
	target.Host = listener.Addr().String()
	query := target.Query()
	query.Set("sslmode", "disable")
	target.RawQuery = query.Encode()
	return t, target.String()
}

// pass copies one connection, and reads what the client sends.
func (t *tap) pass(client net.Conn, server string) {
	defer func() { _ = client.Close() }()
	up, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", server)
	if err != nil {
		return
	}
	defer func() { _ = up.Close() }()
	go func() {
		_, _ = io.Copy(client, up) // until either end closes
		_ = client.Close()
	}()
	copied, along := io.Pipe()
	go t.read(copied)
	_, _ = io.Copy(io.MultiWriter(up, along), client)
	_ = along.Close()
}

// read records the statements in a client's messages.
func (t *tap) read(from io.ReadCloser) {
	defer func() { _, _ = io.Copy(io.Discard, from) }()
	reader := bufio.NewReader(from)
	parsed := map[string]string{}
	for first := true; ; first = false {
		var kind byte // the first message has none
		var err error
		if !first {
			if kind, err = reader.ReadByte(); err != nil {
				return
			}
		}
		var length [4]byte
		if _, err = io.ReadFull(reader, length[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(length[:])-4)
		if _, err = io.ReadFull(reader, body); err != nil {
			return
		}
		switch kind {
		case 'P':
			var m pgproto3.Parse
			if m.Decode(body) == nil {
				parsed[m.Name] = m.Query
			}
		case 'B':
			var m pgproto3.Bind
			if m.Decode(body) != nil {
				continue
			}
			s := statement{sql: parsed[m.PreparedStatement]}
			for _, p := range m.Parameters {
				s.args = append(s.args, string(p))
			}
			t.mu.Lock()
			t.noted = append(t.noted, s)
			t.mu.Unlock()
		}
	}
}

// statements returns the statements with which the service answers a request.
func statements(b *testing.B, databaseURL, path, bearer string, like *serve) []statement {
	t, through := startTap(b, databaseURL)
	s := startServe(b, through)
	ask := func() {
		c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", s.address)
		require.NoError(b, err)
		defer func() { _ = c.Close() }()
		_, err = exchange(c, bufio.NewReaderSize(c, 64<<10), like.request("/rest/v1/"+path, bearer))
		require.NoError(b, err)
	}
	ask() // so that prepared statements are prepared
	t.mu.Lock()
	t.noted = nil
	t.mu.Unlock()
	ask()
	t.mu.Lock()
	defer t.mu.Unlock()
	// Other parts of the service send statements as well. Ours is the one about hypotheses, and the one before
	// it sets role and claims.
	at := slices.IndexFunc(t.noted, func(s statement) bool { return strings.Contains(s.sql, `"hypotheses"`) })
	require.Positive(b, at, "%v", t.noted)
	require.Contains(b, t.noted[at-1].sql, "set_config")
	return t.noted[at-1 : at+1]
}

var pgbenchRate = regexp.MustCompile(`(?m)^tps = ([0-9.]+) \(without initial connection time\)`)

// pgbench sends the statements as the service does: in one pipeline, which is one transaction, and planned
// each time.
func pgbench(databaseURL string, list []statement) contender {
	return func(b testing.TB, d time.Duration) float64 {
		var script strings.Builder
		script.WriteString("\\startpipeline\n")
		seconds := fmt.Sprint(int(d.Seconds()))
		args := []string{"-n", "-M", "extended", "-c", fmt.Sprint(clients), "-j", "2", "-T", seconds}
		for i, s := range list {
			sql := regexp.MustCompile(`\$(\d+)`).ReplaceAllString(s.sql, fmt.Sprintf(":s%dp$1", i))
			require.NotContains(b, sql, "\n")
			script.WriteString(sql + ";\n")
			for j, value := range s.args {
				args = append(args, "-D", fmt.Sprintf("s%dp%d=%s", i, j+1, value))
			}
		}
		script.WriteString("\\endpipeline\n")
		file := filepath.Join(b.TempDir(), "script.sql")
		require.NoError(b, os.WriteFile(file, []byte(script.String()), 0o600))
		cmd := exec.CommandContext(context.Background(), findPgbench(b), append(args, "-f", file, databaseURL)...)
		cmd.Env = append(os.Environ(), "PGOPTIONS=-c role=authenticator")
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, "%s", out)
		found := pgbenchRate.FindSubmatch(out)
		require.NotNil(b, found, "%s", out)
		rate, err := strconv.ParseFloat(string(found[1]), 64)
		require.NoError(b, err)
		return rate
	}
}

func findPgbench(b testing.TB) string {
	if path, err := exec.LookPath("pgbench"); err == nil {
		return path
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	require.NoError(b, err)
	require.NotEmpty(b, found, "pgbench is missing; it comes with PostgreSQL")
	return found[len(found)-1]
}
