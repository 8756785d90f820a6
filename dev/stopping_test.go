package dev_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
)

// A balancer sends requests, in turn, to those of its servers that said at the last probe that they are ready.
type balancer struct {
	servers []*url.URL
	ready   []atomic.Bool
	turn    atomic.Uint64
}

func newBalancer(t *testing.T, servers ...string) (b *balancer, address string) {
	t.Helper()
	b = &balancer{ready: make([]atomic.Bool, len(servers))}
	for _, server := range servers {
		u, err := url.Parse(server)
		require.NoError(t, err)
		b.servers = append(b.servers, u)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(b.choose()) }})
	t.Cleanup(front.Close)
	probing, stop := context.WithCancel(t.Context())
	var probes sync.WaitGroup
	for i, server := range servers {
		probes.Go(func() {
			for probing.Err() == nil {
				b.ready[i].Store(isReady(probing, server))
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	t.Cleanup(probes.Wait)
	t.Cleanup(stop)
	eventually(t, "all servers are ready", func() bool { return b.readyServers() == len(servers) })
	return b, front.URL
}

func isReady(ctx context.Context, server string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func (b *balancer) readyServers() (n int) {
	for i := range b.ready {
		if b.ready[i].Load() {
			n++
		}
	}
	return n
}

// choose takes a server that is not ready only where none is.
func (b *balancer) choose() *url.URL {
	first := int(b.turn.Add(1) % uint64(len(b.servers)))
	for i := range b.servers {
		if n := (first + i) % len(b.servers); b.ready[n].Load() {
			return b.servers[n]
		}
	}
	return b.servers[first]
}

// Processes are asked to stop, as a deploy does it, while people and a model are at work.
func TestStopping(t *testing.T) {
	t.Parallel()
	reading, releaseReading := make(chan struct{}), make(chan struct{})
	handedOver, releaseRest := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	model := modeltest.New(t).Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		hold := func(arrived, release chan struct{}) {
			close(arrived)
			select {
			case <-release:
			case <-x.Gone:
			}
		}
		switch calls.Add(1) {
		case 2:
			hold(reading, releaseReading)
		case 3:
			hold(handedOver, releaseRest)
		}
		modeltest.Honest()(w, x)
	})
	s := startServers(t, "OPENAI_BASE_URL="+model.URL, "PARSE_CONCURRENCY=1", "DRAIN_DELAY=4s", "WORKER_STOP_TIMEOUT=60s")
	p := s.newProject(t)

	t.Run("no request fails while a server behind a balancer is stopped", func(t *testing.T) {
		second := "127.0.0.1:" + freePort(t)
		s.parts["another serve"] = s.another("serve", "HTTP_ADDR="+second)
		s.start(t, "another serve")
		direct := s.url
		balancer, front := newBalancer(t, direct, "http://"+second)

		var clients sync.WaitGroup
		var answered atomic.Int64
		done := make(chan struct{})
		t.Cleanup(clients.Wait)
		finish := sync.OnceFunc(func() { close(done) })
		t.Cleanup(finish)
		for client := range 3 {
			clients.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-done:
						return
					default:
					}
					if got, want := s.request(t, front, p, client, n); got != want {
						t.Errorf("client %d, request %d: %s in place of %s", client, n, got, want)
						return
					}
					answered.Add(1)
				}
			})
		}
		// One upload is under way from before the stop until after the server stopped to listen.
		half, body := io.Pipe()
		slow := make(chan string, 1)
		clients.Go(func() { slow <- send(t, http.MethodPost, direct+"/auth/v1/token?grant_type=password", half) })
		_, err := body.Write([]byte(`{"email": "nobody@example.com", `))
		require.NoError(t, err)
		more := func() {
			before := answered.Load()
			eventually(t, "clients get answers", func() bool { return answered.Load() >= before+20 || t.Failed() })
		}
		more()

		ended := s.parts["serve"].Stop()
		eventually(t, "the balancer notices", func() bool { return balancer.readyServers() == 1 })
		eventually(t, "the server does not listen any more", func() bool { return status(t, direct+"/healthz") == 0 })
		_, err = body.Write([]byte(`"password": "wrong"}`))
		require.NoError(t, err)
		require.NoError(t, body.Close())
		require.Equal(t, "400", <-slow, "a request under way is answered")
		require.NoError(t, ended())
		more()
		finish()
		clients.Wait()
	})
	if t.Failed() {
		return
	}
	s.start(t, "serve")
	s.ready(t)

	t.Run("a worker hands over between two model calls", func(t *testing.T) {
		id := p.add(t, 0)
		p.parse(t, id)
		<-reading
		ended := s.parts["worker"].Stop()
		eventually(t, "the worker stops", func() bool {
			log, err := os.ReadFile(filepath.Join(s.dir, "worker.log"))
			return err == nil && bytes.Contains(log, []byte("worker stopping"))
		})
		s.parts["another worker"] = s.another("worker")
		s.start(t, "another worker")
		close(releaseReading)
		require.NoError(t, ended(), "it waits for the answer, and not for the rest")
		select {
		case <-handedOver:
		case <-time.After(patience):
			require.FailNow(t, "nobody asks about the last chunk")
		}
		close(releaseRest)
		s.waitFor(t, id, patience)
		require.EqualValues(t, 3, calls.Load(), "each chunk was asked about once")
	})
}

// request does what clients do, one thing after the other, and returns the status that it got and the one that it should.
func (s *servers) request(t *testing.T, front string, p *project, client, n int) (got, want string) {
	switch n % 3 {
	case 0:
		return send(t, http.MethodGet, front+"/rest/v1/projects?select=id", nil, "Authorization", "Bearer service-key"), "200"
	case 1:
		return send(t, http.MethodPost, front+"/auth/v1/token?grant_type=password", strings.NewReader(`{}`)), "400"
	default:
		return send(t, http.MethodPost, front+"/rest/v1/personas", strings.NewReader(fmt.Sprintf(`{"name": "%d %d", "project_id": %q}`, client, n, p.tenant.Project)),
			"Authorization", "Bearer service-key"), "201"
	}
}

// send returns the status of the answer, or why there was none.
func send(t *testing.T, method, url string, body io.Reader, header ...string) string {
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("apikey", "anon-key")
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err.Error()
	}
	return fmt.Sprint(resp.StatusCode)
}
