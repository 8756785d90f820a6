package e2e

import (
	"net"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A silentProxy forwards connections to Temporal. While it is silent, it accepts connections, forwards
// nothing and closes none.
type silentProxy struct {
	address string

	mu      sync.Mutex
	resumed chan struct{} // closed unless the proxy is silent
}

func newSilentProxy(t *testing.T, target string) *silentProxy {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &silentProxy{address: listener.Addr().String(), resumed: make(chan struct{})}
	close(p.resumed)
	var conns sync.Map
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		conns.Range(func(conn, _ any) bool {
			_ = conn.(net.Conn).Close()
			return true
		})
		p.speak()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := (&net.Dialer{}).Dial("tcp", target)
			if err != nil {
				_ = client.Close()
				continue
			}
			conns.Store(client, true)
			conns.Store(server, true)
			go p.forward(server, client)
			go p.forward(client, server)
		}
	}()
	return p
}

// forward copies what it reads until one of the connections ends.
func (p *silentProxy) forward(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		resumed := p.resumed
		p.mu.Unlock()
		<-resumed
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

func (p *silentProxy) fallSilent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resumed = make(chan struct{})
}

func (p *silentProxy) speak() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.resumed:
	default:
		close(p.resumed)
	}
}

// A Temporal that accepts connections and answers nothing does not hold requests up, and they leave nothing
// behind.
func TestTemporalFallsSilent(t *testing.T) {
	t.Parallel()
	proxy := newSilentProxy(t, temporalAddress(t))
	s := startAPI(t, "TEMPORAL_ADDRESS="+proxy.address, "TEMPORAL_TIMEOUT=400ms")
	s.startWorker(t, "TEMPORAL_ADDRESS="+temporalAddress(t))
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	proxy.fallSilent()

	// left is what requests leave behind: the import as it is, events, claims and remembered answers.
	left := func() []string {
		return dbtest.Value[[]string](t, s.DB, `select array[
			(select to_jsonb(i) - 'updated_at' from imports i where id = $1)::text,
			(select count(*) from activity_events)::text,
			(select count(*) from private.import_runs)::text,
			(select count(*) from private.idempotency_keys)::text]`, id)
	}
	before := left()
	member, parse := queueMember{s, editor}, queuedImport{id, h}
	for _, when := range []string{"when Temporal falls silent", "later"} {
		var requests sync.WaitGroup
		took := make([]time.Duration, 20)
		for i := range took {
			requests.Go(func() {
				began := time.Now()
				status, code, retryAfter := member.requestParse(t, parse)
				assert.Equal(t, http.StatusServiceUnavailable, status)
				assert.Equal(t, "unavailable", code)
				assert.NotEmpty(t, retryAfter)
				took[i] = time.Since(began)
			})
		}
		requests.Wait()
		t.Logf("the slowest of %d requests %s took %s", len(took), when, slices.Max(took))
	}
	// A health check, or the breaker, ended each of them: none waited for the answer to another call. The time
	// that both take is tested in package temporalclient, by a clock that no busy machine slows down.
	failed := regexp.MustCompile(`"msg":"request failed".*"error":"(.*?):`)
	failures := failed.FindAllStringSubmatch(s.logs.String(), -1)
	require.GreaterOrEqual(t, len(failures), 2*20)
	for _, failure := range failures {
		require.Contains(t,
			[]string{"check the health of temporal", "check that temporal is available"}, failure[1])
	}
	status, ready := s.get(t, "/readyz", "")
	require.Equal(t, http.StatusOK, status, "everything else works")
	require.Equal(t, map[string]any{
		"status": "degraded", "postgres": "ok", "schema": "ok", "temporal": "unavailable", "writes": "ok",
	}, ready)
	require.Equal(t, before, left())

	proxy.speak()
	eventually(t, "Temporal is asked again", func() bool {
		status, _ := s.requestParse(t, editor, id, h)
		return status == http.StatusOK
	})
	s.waitForStatus(t, editor, id, "parsed")
}

// A server that starts while Temporal answers nothing serves what needs no Temporal, and uses Temporal once
// it answers.
func TestServerStartsWhileTemporalIsSilent(t *testing.T) {
	t.Parallel()
	proxy := newSilentProxy(t, temporalAddress(t))
	proxy.fallSilent()
	s := startAPI(t, "TEMPORAL_ADDRESS="+proxy.address, "TEMPORAL_TIMEOUT=400ms")
	s.startWorker(t, "TEMPORAL_ADDRESS="+temporalAddress(t))
	_, ready := s.get(t, "/readyz", "")
	require.Equal(t, "degraded", ready["status"])
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "zoom.vtt", []byte(zoom))
	for _, path := range []string{"/", "/rest/v1/projects", "/api/import/" + id, "/api/account/export"} {
		require.Equal(t, "200", send(t, http.MethodGet, s.url()+path, nil, "Authorization", "Bearer "+editor), path)
	}
	status, _ := s.requestParse(t, editor, id, h)
	require.Equal(t, http.StatusServiceUnavailable, status)

	proxy.speak()
	eventually(t, "Temporal is used", func() bool {
		status, _ := s.requestParse(t, editor, id, h)
		return status == http.StatusOK
	})
	s.waitForStatus(t, editor, id, "parsed")
	eventually(t, "nothing is degraded", func() bool {
		_, ready := s.get(t, "/readyz", "")
		return ready["status"] == "ok"
	})
}
