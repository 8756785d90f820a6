package identity_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/identity"
)

// password is the password of dbtest's users.
const password = "correct horse"

var client = identity.Client{Address: "192.0.2.7", UserAgent: "test"}

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

// A mailbox records the requests for mails. If err is set, requests fail with it.
type mailbox struct {
	requests []uuid.UUID
	err      error
}

func (m *mailbox) SendAccountMail(_ context.Context, request uuid.UUID) error {
	if m.err != nil {
		return m.err
	}
	m.requests = append(m.requests, request)
	return nil
}

// A sessionCache records what it is told.
type sessionCache struct {
	ended     []uuid.UUID
	tokens    []uuid.UUID
	rechecked int
}

func (c *sessionCache) SessionsEnded(_ uuid.UUID, sessions ...uuid.UUID) {
	c.ended = append(c.ended, sessions...)
}

func (c *sessionCache) TokensEnded(tokens ...uuid.UUID) { c.tokens = append(c.tokens, tokens...) }

func (c *sessionCache) RecheckSessions() { c.rechecked++ }

// A fixture is a Service with a database of its own.
type fixture struct {
	*dbtest.DB
	*identity.Service
	cfg      identity.Config
	clock    *clock
	mail     *mailbox
	sessions *sessionCache
}

// setup returns a fixture. Each change alters its configuration.
func setup(t testing.TB, change ...func(*identity.Config)) *fixture {
	t.Helper()
	f := &fixture{
		DB: dbtest.New(t), clock: &clock{now: time.Now()}, mail: &mailbox{}, sessions: &sessionCache{},
	}
	f.cfg = identity.Config{PublicURL: "https://research.example", BcryptCost: 4, Now: f.clock.Now}
	for _, c := range change {
		c(&f.cfg)
	}
	var err error
	f.Service, err = identity.New(t.Context(), f.cfg, identity.Deps{
		Store: f.Store, Mail: f.mail, Sessions: f.sessions,
	})
	require.NoError(t, err)
	return f
}

// operator returns an Operator with the fixture's configuration.
func (f *fixture) operator(t testing.TB) *identity.Operator {
	t.Helper()
	o, err := identity.NewOperator(f.cfg, f.Store)
	require.NoError(t, err)
	return o
}

// signIn requires that a password is right.
func (f *fixture) signIn(t testing.TB, email, password string) identity.Session {
	t.Helper()
	session, err := f.SignIn(t.Context(), client, email, password)
	require.NoError(t, err)
	return session
}

// current returns the user of a session.
func (f *fixture) current(t testing.TB, session identity.Session) (identity.CurrentUser, error) {
	t.Helper()
	return f.CurrentUser(t.Context(), identity.SessionRef{UserID: session.User.ID, SessionID: session.ID})
}

// requireActive requires that sessions exist.
func (f *fixture) requireActive(t testing.TB, sessions ...identity.Session) {
	t.Helper()
	for _, session := range sessions {
		_, err := f.current(t, session)
		require.NoError(t, err)
	}
}

// requireEnded requires that sessions do not exist any more, and can neither be used nor refreshed.
func (f *fixture) requireEnded(t testing.TB, sessions ...identity.Session) {
	t.Helper()
	for _, session := range sessions {
		_, err := f.current(t, session)
		require.ErrorIs(t, err, identity.ErrSessionEnded)
		_, err = f.Refresh(t.Context(), client, session.RefreshToken)
		require.ErrorIs(t, err, identity.ErrRefreshTokenNotFound)
	}
}

// lastLink mints the token of the last requested mail, as the workflow's activity does.
func (f *fixture) lastLink(t testing.TB) (secret string) {
	t.Helper()
	require.NotEmpty(t, f.mail.requests)
	secret = rand.Text()
	hash := sha256.Sum256([]byte(secret))
	mint := db.MintTokenParams{ID: f.mail.requests[len(f.mail.requests)-1], TokenHash: hash[:]}
	_, err := db.AsService(t.Context(), f.Store, func(q *db.Queries) (db.MintTokenRow, error) {
		return q.MintToken(t.Context(), mint)
	})
	require.NoError(t, err)
	return secret
}

// audited counts the entries of the audit log with an action.
func (f *fixture) audited(t testing.TB, action string) int {
	t.Helper()
	return dbtest.Value[int](t, f.DB,
		`select count(*)::int from auth.audit_log_entries where payload ->> 'action' = $1`, action)
}

func TestNew(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	complete := identity.Deps{Store: d.Store, Mail: &mailbox{}, Sessions: &sessionCache{}}
	cfg := identity.Config{PublicURL: "https://research.example", BcryptCost: 4}
	for name, deps := range map[string]identity.Deps{
		"no store":         {Mail: complete.Mail, Sessions: complete.Sessions},
		"no mailer":        {Store: complete.Store, Sessions: complete.Sessions},
		"no session cache": {Store: complete.Store, Mail: complete.Mail},
	} {
		_, err := identity.New(t.Context(), cfg, deps)
		require.Error(t, err, name)
	}
	_, err := identity.New(t.Context(), identity.Config{BcryptCost: 4}, complete)
	require.Error(t, err, "no public URL")
	cfg.BcryptCost = 40
	_, err = identity.New(t.Context(), cfg, complete)
	require.ErrorContains(t, err, "BCRYPT_COST")
}
