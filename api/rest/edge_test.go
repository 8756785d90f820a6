package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/admission"
	"research/api/rest"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
)

const (
	anonKey    = tokentest.AnonKey
	serviceKey = tokentest.ServiceKey
)

// An edge is the data API behind its middleware, over a database of its own.
type edge struct {
	*dbtest.DB
	dbtest.Tenant
	store   *db.Store // the API's own pool
	tokens  *tokentest.Issuer
	handler *rest.Handler
	url     string // ends before /rest/v1
	log     *syncBuffer
	shift   atomic.Int64 // of the clock of tokens, in nanoseconds
}

// advance moves the clock of tokens.
func (e *edge) advance(d time.Duration) { e.shift.Add(int64(d)) }

// begin serves a tenant's database until the test ends. change may alter the configuration and prepare the
// schema.
func begin(t testing.TB, change ...func(*rest.Config, *dbtest.DB)) *edge {
	t.Helper()
	return beginEdge(t, nil, change...)
}

// beginQueue is begin with a queue that admits requests.
func beginQueue(t testing.TB, cfg admission.Config, change ...func(*rest.Config, *dbtest.DB)) *edge {
	t.Helper()
	ownWorkspace := func(_ context.Context, user uuid.UUID) (uuid.UUID, error) { return user, nil }
	return beginEdge(t, admission.New(cfg, ownWorkspace), change...)
}

func beginEdge(t testing.TB, queue *admission.Queue, change ...func(*rest.Config, *dbtest.DB)) *edge {
	t.Helper()
	e := &edge{DB: dbtest.New(t), log: &syncBuffer{}}
	e.Tenant = e.DB.Tenant(t)
	cfg := rest.Config{Schemas: []string{"public"}, MaxRows: 1000, Prefix: "/rest/v1"}
	for _, c := range change {
		c(&cfg, e.DB)
	}
	ctx := context.Background()
	var err error
	e.store, err = db.Open(ctx, db.Config{URL: e.URL, MaxConns: poolSize})
	require.NoError(t, err)
	t.Cleanup(e.store.Close)
	e.tokens = tokentest.New(t, e.store, token.KeysConfig{
		Now: func() time.Time { return time.Now().Add(time.Duration(e.shift.Load())) },
	})
	authenticator := e.tokens.Authenticator
	e.handler, err = rest.New(ctx, cfg,
		rest.Deps{Store: e.store, Admission: queue, Log: slog.New(slog.NewTextHandler(e.log, nil))})
	require.NoError(t, err)
	mounted := http.StripPrefix("/rest/v1", e.handler)
	refuse := e.handler.WriteError
	server := httptest.NewUnstartedServer(authenticator.APIKey(refuse)(authenticator.Bearer(refuse)(mounted)))
	server.Config.MaxHeaderBytes = 256 << 10
	server.Start()
	t.Cleanup(server.Close)
	e.url = server.URL
	t.Cleanup(func() { e.idle(t) })
	return e
}

// poolSize is small, so that a leaked connection is noticed soon.
const poolSize = 4

// A caller sends requests with a bearer token.
type caller struct {
	e      *edge
	bearer string
	t      testing.TB
}

// addImport adds an import whose utterances all have one text.
func (e *edge) addImport(t testing.TB, text string, utterances int) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into imports (project_id, workspace_id, title, filename, format, size_bytes, sha256)
		select id, workspace_id, 'T', 't.txt', 'text', 1, repeat('0', 64) from projects where id = $1
		returning id`, e.Project)
	e.Exec(t, `insert into utterances (import_id, ordinal, workspace_id, project_id, text, byte_start, byte_end)
		select i.id, n, i.workspace_id, i.project_id, $2, n, n
		from imports i, generate_series(0, $3 - 1) n where i.id = $1`, id, text, utterances)
	return id
}

func (e *edge) as(t testing.TB, user uuid.UUID) *caller {
	t.Helper()
	return &caller{e, e.tokens.AccessToken(t, user), t}
}

func (e *edge) asService(t testing.TB) *caller { return &caller{e, serviceKey, t} }
func (e *edge) asAnon(t testing.TB) *caller    { return &caller{e, "", t} }

// An answer is a response whose body has been read.
type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request. The path is below /rest/v1; headers are names and values in turn.
func (c *caller) do(method, path, body string, headers ...string) answer {
	c.t.Helper()
	a, err := c.try(context.Background(), method, path, body, headers...)
	require.NoError(c.t, err)
	return a
}

func (c *caller) try(ctx context.Context, method, path, body string, headers ...string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.e.url+"/rest/v1"+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("apikey", anonKey)
	if c.bearer == serviceKey {
		req.Header.Set("apikey", serviceKey)
	}
	if c.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(raw)}, err
}

func (c *caller) get(path string, headers ...string) answer {
	c.t.Helper()
	return c.do(http.MethodGet, path, "", headers...)
}

// code is the code of an error, or "".
func (a answer) code() string {
	var e struct{ Code string }
	_ = json.Unmarshal([]byte(a.body), &e) // other answers have none
	return e.Code
}

// idle waits until every connection is back in the pool. Those of clients that went away come back once
// PostgreSQL has noticed.
func (e *edge) idle(t testing.TB) {
	t.Helper()
	idle := func() bool { return e.store.Stat().AcquiredConns() == 0 }
	require.Eventually(t, idle, 60*time.Second, 5*time.Millisecond, "a connection was not given back")
}

// A syncBuffer is a log that goroutines share.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// escaped writes a path as URLs do. What is already escaped stays.
func escaped(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"#+<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
