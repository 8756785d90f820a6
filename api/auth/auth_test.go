package auth_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db"
	"research/db/dbtest"
)

const (
	anonKey    = "sb_publishable_test"
	serviceKey = "sb_secret_test"
)

// A clock that tests turn.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) turn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A postbox remembers whose mails were asked for.
type postbox struct {
	mu       sync.Mutex
	requests []uuid.UUID
	fail     error
}

func (p *postbox) SendAccountMail(_ context.Context, request uuid.UUID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return p.fail
	}
	p.requests = append(p.requests, request)
	return nil
}

// An edge is the handler under test, with its database.
type edge struct {
	*dbtest.DB
	clock   *clock
	mail    *postbox
	keys    *token.Keys
	gate    *token.Gate
	handler http.Handler
}

// setup makes an edge; change may alter its configuration.
func setup(t testing.TB, change ...func(*auth.Config, *token.KeysConfig)) *edge {
	t.Helper()
	// Rounded, since the database's own clock is asked too.
	e := &edge{DB: dbtest.New(t), clock: &clock{now: time.Now()}, mail: &postbox{}}
	cfg := auth.Config{PublicURL: "https://research.example", BcryptCost: 4, Now: e.clock.Now}
	keys := token.KeysConfig{Issuer: "https://research.example/auth/v1", Now: e.clock.Now}
	for _, c := range change {
		c(&cfg, &keys)
	}
	var err error
	e.keys, err = token.NewKeys(context.Background(), e.Store, keys)
	require.NoError(t, err)
	e.gate, err = token.NewGate(e.keys, token.GateConfig{AnonKey: anonKey, ServiceKey: serviceKey})
	require.NoError(t, err)
	e.handler, err = auth.New(context.Background(), cfg, auth.Deps{Store: e.Store, Keys: e.keys, Gate: e.gate, Mail: e.mail, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	require.NoError(t, err)
	return e
}

// An answer is a response that was read.
type answer struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

// do makes a request; headers are NAME: value. The anonymous key goes along unless another is named.
func (e *edge) do(t testing.TB, method, path, body string, headers ...string) answer {
	t.Helper()
	return e.doIn(t.Context(), t, method, path, body, headers...)
}

func (e *edge) doIn(ctx context.Context, t testing.TB, method, path, body string, headers ...string) answer {
	t.Helper()
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	r.RemoteAddr = "192.0.2.7:4000"
	r.Header.Set("apikey", anonKey)
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if value == "" {
			r.Header.Del(strings.TrimSuffix(name, ":"))
		} else {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	a := answer{status: w.Code, header: w.Header(), raw: w.Body.String()}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		d := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
		d.UseNumber()
		require.NoError(t, d.Decode(&a.body), a.raw)
	}
	return a
}

// session is what a sign-in gives.
type session struct{ access, refresh string }

func (e *edge) signIn(t testing.TB, email, password string) session {
	t.Helper()
	a := e.do(t, "POST", "/token?grant_type=password", jsonOf(map[string]any{"email": email, "password": password}))
	require.Equal(t, http.StatusOK, a.status, a.raw)
	return session{a.body["access_token"].(string), a.body["refresh_token"].(string)}
}

func (e *edge) refresh(t testing.TB, refresh string) answer {
	t.Helper()
	return e.do(t, "POST", "/token?grant_type=refresh_token", jsonOf(map[string]any{"refresh_token": refresh}))
}

func bearer(access string) string { return "Authorization: Bearer " + access }

func jsonOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// correct is the password of dbtest's users.
const correct = "correct horse"

// requireError checks an error's body in all three of its readers' forms.
func requireError(t testing.TB, a answer, status int, code string) {
	t.Helper()
	require.Equal(t, status, a.status, a.raw)
	require.Equal(t, code, a.body["error_code"], a.raw)
	require.Equal(t, code, a.header.Get("X-Sb-Error-Code"))
	require.NotEmpty(t, a.body["error"])
	require.NotEmpty(t, a.body["error_description"])
	require.Equal(t, a.body["error_description"], a.body["msg"])
}

// minted does what the workflow's activity does: it mints the token of the mail that was asked for last, and returns it.
func (e *edge) minted(t testing.TB) string {
	t.Helper()
	e.mail.mu.Lock()
	request := e.mail.requests[len(e.mail.requests)-1]
	e.mail.mu.Unlock()
	secret := rand.Text()
	sum := sha256.Sum256([]byte(secret))
	require.NoError(t, e.AsService(context.Background(), func(q *db.Queries) error {
		_, err := q.MintToken(context.Background(), db.MintTokenParams{ID: request, TokenHash: sum[:]})
		return err
	}))
	return secret
}
