//go:build cluster

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

const (
	// So many requests a second that some meet a serve at the moment it stops to listen: without drain files,
	// every other rolling upgrade had an error.
	crowdMembers = 24
	crowdPace    = 3 * time.Millisecond // at most one request of a member in this time
	crowdSlow    = 400                  // requests of a member for one import and one sign-in
	retryAfter   = 200 * time.Millisecond
	retryFor     = time.Minute
)

// A crowd are members who use an installation at the same time. Each sends a request, waits for its answer,
// and goes on: reads and writes of the data API, sign-ins, uploads and parses.
type crowd struct {
	members []*member
	patient bool // sends a request again that got no answer, or 502, 503 or 504; all its requests are idempotent

	stopped chan struct{}
	group   sync.WaitGroup

	mu      sync.Mutex
	imports map[*member]int
	sent    int
	again   map[string]int // requests that were sent again, by the answer before
	errors  []string       // answers that nobody expects
}

// startCrowd sets members to work until stop is called, or the test ends.
func startCrowd(t *testing.T, a *api, patient bool) *crowd {
	t.Helper()
	c := &crowd{
		patient: patient, stopped: make(chan struct{}), imports: map[*member]int{}, again: map[string]int{},
	}
	for range crowdMembers {
		c.members = append(c.members, signUp(t, a))
	}
	for _, m := range c.members {
		c.group.Go(func() { c.work(t.Context(), m) })
	}
	t.Cleanup(c.stop)
	return c
}

// stop returns when all requests are answered.
func (c *crowd) stop() {
	select {
	case <-c.stopped:
	default:
		close(c.stopped)
	}
	c.group.Wait()
}

// work sends requests, one at a time.
func (c *crowd) work(ctx context.Context, m *member) {
	pace := time.NewTicker(crowdPace)
	defer pace.Stop()
	var last string // import
	for n := 0; ; n++ {
		select {
		case <-c.stopped:
			return
		case <-ctx.Done():
			return
		case <-pace.C:
		}
		switch {
		case n%crowdSlow == 0:
			if id := c.upload(ctx, m); id != "" {
				last = id
			}
		case n%crowdSlow == crowdSlow/2:
			person := map[string]string{"email": m.email, "password": m.password}
			c.send(ctx, m, post("/auth/v1/token?grant_type=password", person), http.StatusOK)
		case n%4 == 1 && last != "":
			c.send(ctx, m, get("/api/import/"+last), http.StatusOK)
		case n%4 == 2:
			// With its own id, and ignored where it is there: the same request twice is one row.
			r := post("/rest/v1/personas?on_conflict=id",
				map[string]string{"id": uuid.NewString(), "project_id": m.project, "name": "A persona"})
			r.header = map[string]string{"Prefer": "resolution=ignore-duplicates"}
			c.send(ctx, m, r, http.StatusCreated, http.StatusOK)
		case n%4 == 3:
			r := post("/rest/v1/hypotheses?id=eq."+m.hypothesis, map[string]string{"falsified_if": fmt.Sprint(n)})
			r.method = http.MethodPatch
			c.send(ctx, m, r, http.StatusNoContent)
		default:
			c.send(ctx, m, get("/rest/v1/hypotheses?select=id,statement&project_id=eq."+m.project), http.StatusOK)
		}
	}
}

// upload stores a short interview and starts its parse. It returns the import's id, or nothing where that
// failed.
func (c *crowd) upload(ctx context.Context, m *member) string {
	body, ok := c.send(ctx, m, m.upload(interview(60)), http.StatusCreated)
	if !ok {
		return ""
	}
	var stored struct{ ImportID string }
	if err := json.Unmarshal(body, &stored); err != nil {
		c.fail("upload: " + err.Error())
		return ""
	}
	c.mu.Lock()
	c.imports[m]++
	c.mu.Unlock()
	c.send(ctx, m, m.parse(stored.ImportID), http.StatusOK)
	return stored.ImportID
}

// send sends a request, once or until it is answered, and counts.
func (c *crowd) send(ctx context.Context, m *member, r request, want ...int) (body []byte, ok bool) {
	for began := time.Now(); ; {
		got, err := m.send(ctx, m.token, r)
		if ctx.Err() != nil {
			return nil, false
		}
		c.mu.Lock()
		c.sent++
		c.mu.Unlock()
		if err == nil && slices.Contains(want, got.status) {
			return got.body, true
		}
		unavailable := err != nil || got.status >= http.StatusBadGateway
		if !c.patient || !unavailable || time.Since(began) > retryFor {
			c.fail(fmt.Sprintf("%s %s: %d %.200s %v", r.method, r.path, got.status, got.body, err))
			return nil, false
		}
		c.mu.Lock()
		c.again[fmt.Sprintf("%s: %d", r.method, got.status)]++
		c.mu.Unlock()
		select {
		case <-time.After(retryAfter):
		case <-ctx.Done():
			return nil, false
		}
	}
}

func (c *crowd) fail(trouble string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors = append(c.errors, trouble)
}

// progress returns when the crowd has sent this number of further requests.
func (c *crowd) progress(t *testing.T, requests int) {
	t.Helper()
	sent := func() int {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.sent
	}
	before := sent()
	eventually(t, "members get answers", func() bool { return sent() >= before+requests })
}

// finish stops the crowd, and requires that nobody saw an error and that every import ends parsed.
func (c *crowd) finish(t *testing.T) {
	t.Helper()
	c.stop()
	require.Empty(t, c.errors, "of %d requests", c.sent)
	imports := 0
	for _, m := range c.members {
		m.waitUntilParsed(t, c.imports[m])
		imports += c.imports[m]
	}
	t.Logf("%d members: %d requests, no errors; sent again: %v; %d imports, all parsed",
		len(c.members), c.sent, c.again, imports)
}
