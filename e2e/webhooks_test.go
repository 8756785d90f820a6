package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A webhookReceiver keeps the ids of the events that it accepted, in their order. It accepts test events.
type webhookReceiver struct {
	*httptest.Server
	mu       sync.Mutex
	broken   func(w http.ResponseWriter, r *http.Request) // nil means that events are accepted
	attempts int
	accepted []string
	types    []string
}

func newWebhookReceiver(t testing.TB) *webhookReceiver {
	t.Helper()
	r := &webhookReceiver{}
	r.listen(t, unusedAddress(t))
	return r
}

// listen starts the receiver at an address.
func (r *webhookReceiver) listen(t testing.TB, address string) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if isTestEvent(body) {
			return
		}
		r.mu.Lock()
		broken := r.broken
		r.attempts++
		if broken == nil {
			r.accepted = append(r.accepted, req.Header.Get("Webhook-Id"))
			r.types = append(r.types, string(body))
		}
		r.mu.Unlock()
		if broken != nil {
			broken(w, req)
		}
	}))
	require.NoError(t, r.Listener.Close())
	r.Listener = listener
	r.Start()
	t.Cleanup(r.Close)
}

// isTestEvent reports whether a body is that of the event by which an address proves that it wants events.
func isTestEvent(body []byte) bool { return bytes.Contains(body, []byte(`"webhook.test"`)) }

func (r *webhookReceiver) set(broken http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = broken
}

func (r *webhookReceiver) counts() (attempts int, accepted []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.attempts, slices.Clone(r.accepted)
}

// addWebhook registers an endpoint as an admin, by the data API, and returns its id and secret.
func (s *service) addWebhook(t testing.TB, url string) (id uuid.UUID, secret string) {
	t.Helper()
	body := fmt.Sprintf(`{"workspace_id": %q, "url": %q, "events": ["import.*"]}`, s.Workspace, url)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url()+"/rest/v1/webhook_endpoints",
		strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+s.signIn(t, s.Admin))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Prefer", "return=representation")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Equal(t, http.StatusCreated, resp.StatusCode)
	var rows []struct {
		ID     uuid.UUID
		Secret string
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&rows))
	return rows[0].ID, rows[0].Secret
}

// addEmptyImport adds an import, which is the first event, and returns what changes its progress, which is an
// event each time.
func (s *service) addEmptyImport(t testing.TB) (progress func(done int)) {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, s.DB, `
		insert into imports (workspace_id, project_id, title, format, size_bytes, sha256)
		values ($1, $2, 'Interview', 'text', 10, repeat('0', 64)) returning id`, s.Workspace, s.Project)
	return func(done int) {
		s.Exec(t, `update imports set progress_total = 100, progress_done = $2 where id = $1`, id, done)
	}
}

// retryWebhooks makes what waits for a retry due, and leaves alone what is being sent.
func (s *service) retryWebhooks(t testing.TB) {
	t.Helper()
	s.Exec(t, `update private.webhook_queues q set due_at = now() where exists (
		select from webhook_deliveries d
		where d.endpoint_id = q.endpoint_id and d.queue = q.queue
			and d.status = 'pending' and d.next_attempt_at > now())`)
	s.Exec(t, `update private.webhook_cursors set due_at = now()`)
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	receiver := newWebhookReceiver(t)
	s := startService(t, "WEBHOOK_ALLOWED_HOSTS=127.0.0.1")
	_, secret := s.addWebhook(t, receiver.URL)
	require.Regexp(t, `^whsec_`, secret)
	progress := s.addEmptyImport(t)
	delivered := func(number int) func() bool {
		return func() bool {
			s.retryWebhooks(t)
			_, accepted := receiver.counts()
			return len(slices.Compact(accepted)) >= number
		}
	}
	eventually(t, "the first event", delivered(1))

	attempted := func() (more func() bool) {
		before, _ := receiver.counts()
		return func() bool {
			s.retryWebhooks(t)
			now, _ := receiver.counts()
			return now > before
		}
	}
	hanging := make(chan struct{})
	for i, fault := range []struct {
		name   string
		broken http.HandlerFunc
	}{
		{"answers 500", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
		}},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}},
		{"hangs, and the worker stops", func(w http.ResponseWriter, _ *http.Request) {
			<-hanging
			w.WriteHeader(http.StatusServiceUnavailable)
		}},
	} {
		receiver.set(fault.broken)
		more := attempted()
		progress(i + 1)
		eventually(t, "the receiver "+fault.name, more)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.stopWorker()
	}()
	progress(50)
	close(hanging)
	<-stopped
	progress(51)
	receiver.set(nil)
	s.startWorker(t)
	eventually(t, "all events", delivered(6))
	_, accepted := receiver.counts()
	require.Equal(t, dbtest.Value[[]string](t, s.DB,
		`select array_agg(event_id::text order by seq) from webhook_deliveries where type <> 'webhook.test'`),
		slices.Compact(accepted), "in order")
	eventually(t, "nothing runs any more", func() bool {
		return dbtest.Value[int](t, s.DB, `select count(*) from private.webhook_queues`) == 0
	})
}
