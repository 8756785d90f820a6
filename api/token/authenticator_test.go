package token_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db"
)

const (
	anonKey    = "sb_publishable_anon"
	serviceKey = "sb_secret_service"
)

func newAuthenticator(t testing.TB, keys *token.Keys) *token.Authenticator {
	t.Helper()
	a, err := token.NewAuthenticator(keys, token.AuthenticatorConfig{
		AnonKey: anonKey, ServiceKey: serviceKey,
		PublishableKey: "sb_publishable_next", SecretKey: "sb_secret_next",
	})
	require.NoError(t, err)
	return a
}

// visit sends a request through the middleware of the data API. It returns the subject that the handler sees,
// or the error that was written. Headers are NAME: value.
func visit(t testing.TB, a *token.Authenticator, headers ...string) (subject *db.Subject, rejected error) {
	t.Helper()
	writeError := func(_ http.ResponseWriter, _ *http.Request, err error) { rejected = err }
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s := token.From(r.Context())
		subject = &s
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	a.APIKey(writeError)(a.Bearer(writeError)(handler)).ServeHTTP(httptest.NewRecorder(), r)
	require.False(t, subject == nil && rejected == nil)
	return subject, rejected
}

func TestAuthenticator(t *testing.T) {
	t.Parallel()
	h := setup(t)
	a := newAuthenticator(t, h.keys)
	user, session := h.User(t, "ada@example.com"), uuid.New()
	h.Exec(t, `insert into auth.sessions (id, user_id) values ($1, $2)`, session, user)
	access := sign(t, h.keys, jwt.MapClaims{"sub": user.String(), "session_id": session.String()})
	header, claims := parts(t, access)
	expired := resign(t, h, header, with(claims, "exp", h.clock.Now().Add(-time.Minute).Unix()))
	const (
		anon, service = "apikey: " + anonKey, "apikey: " + serviceKey
		fromPage      = "Origin: https://page.example"
		basic         = "Authorization: Basic YTpi"
	)
	bearer := func(token string) string { return "Authorization: Bearer " + token }

	for name, tt := range map[string]struct {
		headers []string
		role    string
		err     error // instead of a role
	}{
		"nothing":                    {err: token.ErrNoAPIKey},
		"a wrong key":                {headers: []string{"apikey: sb_publishable_wrong"}, err: token.ErrBadAPIKey},
		"half a key":                 {headers: []string{"apikey: sb_publishable_ano"}, err: token.ErrBadAPIKey},
		"only a token":               {headers: []string{bearer(access)}, err: token.ErrNoAPIKey},
		"the anonymous key":          {headers: []string{anon}, role: "anon"},
		"the second anonymous key":   {headers: []string{"apikey: sb_publishable_next"}, role: "anon"},
		"the anonymous key twice":    {headers: []string{anon, bearer(anonKey)}, role: "anon"},
		"the service key":            {headers: []string{service}, role: "service_role"},
		"the second service key":     {headers: []string{"apikey: sb_secret_next"}, role: "service_role"},
		"the service key as bearer":  {headers: []string{anon, bearer(serviceKey)}, role: "service_role"},
		"a user":                     {headers: []string{anon, bearer(access)}, role: "authenticated"},
		"a user with another scheme": {headers: []string{anon, "Authorization: " + access}, err: token.ErrInvalid},
		"a user in lower case": {
			headers: []string{anon, "Authorization: bearer   " + access + " "}, role: "authenticated",
		},
		"a user beside the service key": {headers: []string{service, bearer(access)}, role: "authenticated"},
		"another scheme":                {headers: []string{anon, basic}, err: token.ErrInvalid},
		"an empty bearer":               {headers: []string{anon, bearer(" ")}, err: token.ErrInvalid},
		"an expired token":              {headers: []string{anon, bearer(expired)}, err: token.ErrExpired},
		"the service key from a browser": {
			headers: []string{service, "Sec-Fetch-Site: cross-site"}, err: token.ErrSecretInBrowser,
		},
		"the service key from an older browser": {
			headers: []string{service, fromPage, "User-Agent: Mozilla/5.0 (X11)"}, err: token.ErrSecretInBrowser,
		},
		"the service key as a browser's bearer": {
			headers: []string{anon, bearer(serviceKey), "Sec-Fetch-Site: same-origin"},
			err:     token.ErrSecretInBrowser,
		},
		"the anonymous key from a browser": {
			headers: []string{anon, "Sec-Fetch-Site: cross-site"}, role: "anon",
		},
		"the service key from a proxy": {
			headers: []string{service, fromPage, "User-Agent: node"}, role: "service_role",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			subject, rejected := visit(t, a, tt.headers...)
			require.ErrorIs(t, rejected, tt.err)
			if tt.err == nil {
				require.Equal(t, tt.role, subject.Role)
			} else {
				require.NotContains(t, rejected.Error(), "sb_", "an error does not repeat the key")
			}
		})
	}

	t.Run("the public key may be in the address", func(t *testing.T) {
		t.Parallel()
		for query, want := range map[string]struct {
			query string
			err   error
		}{
			"apikey=" + anonKey:                    {query: ""},
			"id=eq.1&apikey=" + anonKey + "&b=%2C": {query: "id=eq.1&b=%2C"},
			"id=eq.1":                              {err: token.ErrNoAPIKey},
			"apikey=":                              {err: token.ErrNoAPIKey},
			"apikey=sb_publishable_wrong":          {err: token.ErrBadAPIKey},
			"apikey=" + serviceKey:                 {err: token.ErrSecretInAddress},
		} {
			var rejected error
			var passed *http.Request
			writeError := func(_ http.ResponseWriter, _ *http.Request, err error) { rejected = err }
			handler := a.KeyInAddress(writeError)(a.APIKey(writeError)(http.HandlerFunc(
				func(_ http.ResponseWriter, r *http.Request) { passed = r })))
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+query, nil)
			handler.ServeHTTP(httptest.NewRecorder(), r)
			require.ErrorIs(t, rejected, want.err, query)
			if want.err == nil {
				require.Equal(t, want.query, passed.URL.RawQuery)
			}
		}
	})

	t.Run("groups errors for edges that do not distinguish them", func(t *testing.T) {
		t.Parallel()
		require.ErrorIs(t, token.ErrSecretInBrowser, token.ErrBadAPIKey)
		require.ErrorIs(t, token.ErrSessionEnded, token.ErrInvalid)
	})

	t.Run("SignedIn requires a user or the service", func(t *testing.T) {
		t.Parallel()
		for bearer, allowed := range map[string]bool{access: true, serviceKey: true, anonKey: false, "": false} {
			var rejected error
			passed := false
			writeError := func(_ http.ResponseWriter, _ *http.Request, err error) { rejected = err }
			handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed = true })
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			if bearer != "" {
				r.Header.Set("Authorization", "Bearer "+bearer)
			}
			a.Bearer(writeError)(token.SignedIn(writeError)(handler)).ServeHTTP(httptest.NewRecorder(), r)
			require.Equal(t, allowed, passed)
			if !allowed {
				require.ErrorIs(t, rejected, token.ErrNoToken)
			}
		}
	})
}

// A signedIn fixture is a user with a session that two servers have accepted.
type signedIn struct {
	*fixture
	here, there   *token.Authenticator
	user, session uuid.UUID
	headers       []string
}

func setupSignedIn(t *testing.T) *signedIn {
	t.Helper()
	h := setup(t)
	s := &signedIn{
		fixture: h, here: newAuthenticator(t, h.keys), there: newAuthenticator(t, h.server(t)),
		user: h.User(t, "ada@example.com"), session: uuid.New(),
	}
	h.Exec(t, `insert into auth.sessions (id, user_id) values ($1, $2)`, s.session, s.user)
	access := sign(t, h.keys, jwt.MapClaims{"sub": s.user.String(), "session_id": s.session.String()})
	s.headers = []string{"apikey: " + anonKey, "Authorization: Bearer " + access}
	s.requireAccepted(t, s.here, s.there)
	return s
}

func (s *signedIn) requireAccepted(t *testing.T, servers ...*token.Authenticator) {
	t.Helper()
	for _, server := range servers {
		_, rejected := visit(t, server, s.headers...)
		require.NoError(t, rejected)
	}
}

func (s *signedIn) requireEnded(t *testing.T, servers ...*token.Authenticator) {
	t.Helper()
	for _, server := range servers {
		_, rejected := visit(t, server, s.headers...)
		require.ErrorIs(t, rejected, token.ErrSessionEnded)
	}
}

func TestEndedSessions(t *testing.T) {
	t.Parallel()

	t.Run("are rejected at once by this server, and by others within three seconds", func(t *testing.T) {
		t.Parallel()
		s := setupSignedIn(t)
		s.Exec(t, `delete from auth.sessions where id = $1`, s.session)
		s.here.SessionsEnded(s.user, s.session)
		s.requireEnded(t, s.here)
		s.clock.advance(2900 * time.Millisecond)
		s.requireAccepted(t, s.there)
		s.clock.advance(200 * time.Millisecond)
		s.requireEnded(t, s.here, s.there)
	})

	for name, sql := range map[string]string{
		"a ban": `update auth.users set banned_until = now() + interval '1 hour' where id = $1`,
		"a deletion of the user": `
			delete from auth.users where id = $1`,
		"a soft deletion of the user": `
			update auth.users set deleted_at = now() where id = $1`,
		"their expiration": `
			update auth.sessions set not_after = now() - interval '1 second' where user_id = $1`,
		"a change of their user": `
			with other as (insert into auth.users (id) values (gen_random_uuid()) returning id)
			update auth.sessions set user_id = other.id from other where user_id = $1`,
		"the end of all sessions of the user": `
			delete from auth.sessions where user_id = $1`,
	} {
		t.Run("are rejected after "+name, func(t *testing.T) {
			t.Parallel()
			s := setupSignedIn(t)
			s.Exec(t, sql, s.user)
			s.clock.advance(3100 * time.Millisecond)
			s.requireEnded(t, s.there)
		})
	}

	t.Run("take no query within three seconds, and one for many requests after that", func(t *testing.T) {
		t.Parallel()
		s := setupSignedIn(t)
		before := s.Stat().AcquireCount()
		for range 100 {
			s.requireAccepted(t, s.here)
		}
		require.Equal(t, before, s.Stat().AcquireCount())
		s.clock.advance(4 * time.Second)
		for range 100 {
			s.requireAccepted(t, s.here)
		}
		require.Equal(t, before+1, s.Stat().AcquireCount())
	})

	t.Run("are not accepted if the database does not answer", func(t *testing.T) {
		t.Parallel()
		s := setupSignedIn(t)
		s.Exec(t, `revoke select on auth.sessions from service_role`)
		s.clock.advance(4 * time.Second)
		subject, rejected := visit(t, s.here, s.headers...)
		require.Nil(t, subject)
		require.Error(t, rejected)
		require.NotErrorIs(t, rejected, token.ErrInvalid, "the client should retry, and is not signed out")
	})

	t.Run("are checked again after RecheckSessions", func(t *testing.T) {
		t.Parallel()
		s := setupSignedIn(t)
		s.Exec(t, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, s.user)
		s.here.RecheckSessions()
		s.requireEnded(t, s.here)
	})
}

func TestNewAuthenticator(t *testing.T) {
	t.Parallel()
	h := setup(t)
	mint := func(role string, at time.Time) string {
		key, err := token.MintAPIKey(strings.Repeat("s", 32), role, at)
		require.NoError(t, err)
		return key
	}
	now := time.Now()

	t.Run("accepts keys of either format", func(t *testing.T) {
		t.Parallel()
		a, err := token.NewAuthenticator(h.keys, token.AuthenticatorConfig{
			AnonKey: mint("anon", now), ServiceKey: mint("service_role", now),
			PublishableKey: token.NewAnonKey(), SecretKey: token.NewServiceKey(),
		})
		require.NoError(t, err)
		subject, rejected := visit(t, a, "apikey: "+mint("service_role", now))
		require.NoError(t, rejected)
		require.Equal(t, db.RoleService, subject.Role)
		require.NotEqual(t, token.NewServiceKey(), token.NewServiceKey())
	})

	for name, cfg := range map[string]token.AuthenticatorConfig{
		"no anonymous key":                 {ServiceKey: serviceKey},
		"no service key":                   {AnonKey: anonKey},
		"one key for both roles":           {AnonKey: "same", ServiceKey: "same"},
		"a second key for both roles":      {AnonKey: anonKey, ServiceKey: serviceKey, PublishableKey: serviceKey},
		"a secret key in the public place": {AnonKey: "sb_secret_x", ServiceKey: serviceKey},
		"a public key in the secret place": {AnonKey: anonKey, ServiceKey: "sb_publishable_x"},
		"a public JWT of the service":      {AnonKey: mint("service_role", now), ServiceKey: serviceKey},
		"an expired JWT":                   {AnonKey: mint("anon", now.AddDate(-11, 0, 0)), ServiceKey: serviceKey},
	} {
		t.Run("rejects "+name, func(t *testing.T) {
			t.Parallel()
			_, err := token.NewAuthenticator(h.keys, cfg)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "eyJ")
		})
	}

	t.Run("mints keys for two roles only, and requires a secret", func(t *testing.T) {
		t.Parallel()
		_, err := token.MintAPIKey(strings.Repeat("s", 32), "authenticated", now)
		require.Error(t, err)
		_, err = token.MintAPIKey("", "anon", now)
		require.Error(t, err)
	})
}

func FuzzAuthenticator(f *testing.F) {
	h := setup(f)
	a := newAuthenticator(f, h.keys)
	f.Add("Bearer x", "x", "", "")
	f.Add("bearer "+anonKey, anonKey, "cross-site", "https://x.example")
	f.Add("Bearer rsp_"+strings.Repeat("A", 43), "rsp_x", "", "")
	f.Fuzz(func(t *testing.T, authorization, key, site, origin string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header = http.Header{
			"Authorization": {authorization}, "Apikey": {key}, "Sec-Fetch-Site": {site}, "Origin": {origin},
		}
		role, err := a.APIKeyRole(r)
		if err == nil && key != anonKey && key != serviceKey && !strings.HasSuffix(key, "_next") {
			t.Fatalf("an invented key has the role %s", role)
		}
		p, err := a.Authenticate(r)
		if err == nil && p.Subject.Role == db.RoleService && !strings.Contains(authorization+key, "sb_secret_") {
			t.Fatal("an invented bearer has the role of the service")
		}
		if err == nil && p.Subject.Role == db.RoleAuthenticated {
			t.Fatal("an invented bearer has the role of a user")
		}
	})
}
