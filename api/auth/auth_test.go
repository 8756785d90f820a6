package auth_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/reference/contract"
	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
	"research/identity"
)

const (
	anonKey    = tokentest.AnonKey
	serviceKey = tokentest.ServiceKey
)

// A clock is set by tests.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A mailbox records the requests for mails. If fail is set, requests fail with it.
type mailbox struct {
	mu       sync.Mutex
	requests []uuid.UUID
	fail     error
}

func (p *mailbox) SendAccountMail(_ context.Context, request uuid.UUID) error {
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
	mail    *mailbox
	handler http.Handler
	tokens  *tokentest.Issuer
	log     bytes.Buffer // read it only while no request is in progress
}

// setup returns an edge. Each change alters its configuration.
func setup(t testing.TB, change ...func(*auth.Config, *token.KeysConfig)) *edge {
	t.Helper()
	e := &edge{DB: dbtest.New(t), clock: &clock{now: time.Now()}, mail: &mailbox{}}
	cfg := auth.Config{Identity: identity.Config{
		PublicURL: "https://research.example", BcryptCost: 4, Now: e.clock.Now,
	}}
	keysCfg := token.KeysConfig{Now: e.clock.Now}
	for _, c := range change {
		c(&cfg, &keysCfg)
	}
	e.tokens = tokentest.New(t, e.Store, keysCfg)
	tokens := e.tokens
	users, err := identity.New(t.Context(), cfg.Identity, identity.Deps{
		Store: e.Store, Mail: e.mail, Sessions: tokens.Authenticator,
	})
	require.NoError(t, err)
	e.handler, err = auth.New(cfg, auth.Deps{
		Identity: users, Keys: tokens.Keys, Authenticator: tokens.Authenticator,
		Log: slog.New(slog.NewTextHandler(io.MultiWriter(t.Output(), &e.log), nil)),
	})
	require.NoError(t, err)
	return e
}

// An answer is a response whose body was read.
type answer struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

// do sends a request. Headers are NAME: value; one without a value is removed. The anonymous key is sent by
// default.
func (e *edge) do(t testing.TB, method, path, body string, headers ...string) answer {
	t.Helper()
	return e.doIn(t.Context(), t, method, path, body, headers...)
}

// doIn is do with another context.
func (e *edge) doIn(
	ctx context.Context, t testing.TB, method, path, body string, headers ...string,
) answer {
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
	contract.Check(t, contract.Exchange{
		Method: method, Path: "/auth/v1" + path, Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	})
	isJSON := strings.HasPrefix(w.Header().Get("Content-Type"), "application/json")
	if isJSON && strings.HasPrefix(a.raw, "{") {
		d := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
		d.UseNumber()
		require.NoError(t, d.Decode(&a.body), a.raw)
	}
	return a
}

// A session has the tokens of a sign-in.
type session struct{ access, refresh string }

// grant sends a sign-in.
func (e *edge) grant(t testing.TB, email, password string, headers ...string) answer {
	t.Helper()
	return e.do(t, "POST", passwordGrant, credentials(email, password), headers...)
}

// signIn requires that a sign-in succeeds.
func (e *edge) signIn(t testing.TB, email, password string) session {
	t.Helper()
	a := e.grant(t, email, password)
	require.Equal(t, http.StatusOK, a.status, a.raw)
	return session{a.body["access_token"].(string), a.body["refresh_token"].(string)}
}

func (e *edge) refresh(t testing.TB, refresh string) answer {
	t.Helper()
	return e.do(t, "POST", refreshGrant, jsonOf(map[string]any{"refresh_token": refresh}))
}

func (e *edge) signUp(t testing.TB, email, password string) answer {
	t.Helper()
	return e.do(t, "POST", "/signup", credentials(email, password))
}

// verify uses a link as supabase-js does.
func (e *edge) verify(t testing.TB, linkType, secret string) answer {
	t.Helper()
	return e.do(t, "POST", "/verify", jsonOf(map[string]any{"type": linkType, "token_hash": secret}))
}

// getUser sends GET /user.
func (e *edge) getUser(t testing.TB, access string) answer {
	t.Helper()
	return e.do(t, "GET", "/user", "", bearer(access))
}

// putUser sends PUT /user.
func (e *edge) putUser(t testing.TB, access, body string) answer {
	t.Helper()
	return e.do(t, "PUT", "/user", body, bearer(access))
}

func bearer(access string) string { return "Authorization: Bearer " + access }

// claim returns a claim of an access token.
func claim(t testing.TB, access, name string) any {
	t.Helper()
	var claims jwt.MapClaims
	_, _, err := jwt.NewParser().ParseUnverified(access, &claims)
	require.NoError(t, err)
	return claims[name]
}

func jsonOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// correct is the password of dbtest's users.
const correct = "correct horse"

const (
	passwordGrant = "/token?grant_type=password"
	refreshGrant  = "/token?grant_type=refresh_token"
)

// credentials is the body of a sign-in.
func credentials(email, password string) string {
	return jsonOf(map[string]any{"email": email, "password": password})
}

// requireError requires an error in the forms of all clients.
func requireError(t testing.TB, a answer, status int, code string) {
	t.Helper()
	require.Equal(t, status, a.status, a.raw)
	require.Equal(t, code, a.body["error_code"], a.raw)
	require.Equal(t, code, a.header.Get("X-Sb-Error-Code"))
	require.NotEmpty(t, a.body["error"])
	require.NotEmpty(t, a.body["error_description"])
	require.Equal(t, a.body["error_description"], a.body["msg"])
}

// minted mints the token of the last requested mail, as the workflow's activity does, and returns it.
func (e *edge) minted(t testing.TB) string {
	t.Helper()
	e.mail.mu.Lock()
	request := e.mail.requests[len(e.mail.requests)-1]
	e.mail.mu.Unlock()
	return e.mint(t, request)
}

// relayed mints the token of the only request that waits for the relay of mails.
func (e *edge) relayed(t testing.TB) string {
	t.Helper()
	var waiting []uuid.UUID
	require.NoError(t, e.AsService(t.Context(), func(q *db.Queries) (err error) {
		waiting, err = q.ListWaitingMails(t.Context(), db.ListWaitingMailsParams{Maximum: 10})
		return err
	}))
	require.Len(t, waiting, 1)
	return e.mint(t, waiting[0])
}

func (e *edge) mint(t testing.TB, request uuid.UUID) (secret string) {
	t.Helper()
	secret = rand.Text()
	sum := sha256.Sum256([]byte(secret))
	require.NoError(t, e.AsService(t.Context(), func(q *db.Queries) error {
		_, err := q.MintToken(t.Context(), db.MintTokenParams{
			ID: request, TokenHash: sum[:], CodeHash: identity.CodeHash(request, secret),
		})
		if err != nil {
			return err
		}
		return q.MarkMailSent(t.Context(), request)
	}))
	return secret
}

// audited counts the entries of the audit log with an action.
func (e *edge) audited(t testing.TB, action string) int {
	t.Helper()
	return dbtest.Value[int](t, e.DB,
		`select count(*)::int from auth.audit_log_entries where payload ->> 'action' = $1`, action)
}
