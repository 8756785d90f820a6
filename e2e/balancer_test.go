package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A loadBalancer sends requests in turn to the servers that were ready at the last probe of /readyz.
type loadBalancer struct {
	url     string
	servers []*url.URL
	ready   []atomic.Bool // of each server
	next    atomic.Uint64
}

func newLoadBalancer(t *testing.T, servers ...string) *loadBalancer {
	t.Helper()
	b := &loadBalancer{ready: make([]atomic.Bool, len(servers))}
	for _, server := range servers {
		u, err := url.Parse(server)
		require.NoError(t, err)
		b.servers = append(b.servers, u)
	}
	rewrite := func(r *httputil.ProxyRequest) { r.SetURL(b.choose()) }
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: rewrite})
	t.Cleanup(front.Close)
	b.url = front.URL
	ctx, stop := context.WithCancel(t.Context())
	var probes sync.WaitGroup
	for i, server := range servers {
		probes.Go(func() { b.probe(ctx, i, server) })
	}
	t.Cleanup(probes.Wait)
	t.Cleanup(stop)
	eventually(t, "all servers are ready", func() bool { return b.readyServers() == len(servers) })
	return b
}

func (b *loadBalancer) probe(ctx context.Context, i int, server string) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		b.ready[i].Store(isReady(ctx, server))
		<-ticker.C
	}
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

func (b *loadBalancer) readyServers() (n int) {
	for i := range b.ready {
		if b.ready[i].Load() {
			n++
		}
	}
	return n
}

// choose returns a server that is ready, or any server where none is.
func (b *loadBalancer) choose() *url.URL {
	first := int(b.next.Add(1) % uint64(len(b.servers)))
	for i := range b.servers {
		if n := (first + i) % len(b.servers); b.ready[n].Load() {
			return b.servers[n]
		}
	}
	return b.servers[first]
}
