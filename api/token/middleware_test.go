package token_test

import (
	"errors"
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

func newGate(t testing.TB, keys *token.Keys) *token.Gate {
	t.Helper()
	gate, err := token.NewGate(keys, token.GateConfig{AnonKey: anonKey, ServiceKey: serviceKey, PublishableKey: "sb_publishable_next", SecretKey: "sb_secret_next"})
	require.NoError(t, err)
	return gate
}

// visit sends a request through the gate as the data API does, and returns the subject that arrives, or what it was refused for. Headers are NAME: value.
func visit(t testing.TB, gate *token.Gate, headers ...string) (subject *db.Subject, refused error) {
	t.Helper()
	refuse := func(_ http.ResponseWriter, _ *http.Request, err error) { refused = err }
	h := gate.APIKey(refuse)(gate.Bearer(refuse)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s := token.From(r.Context())
		subject = &s
	})))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	for _, one := range headers {
		name, value, _ := strings.Cut(one, ": ")
		r.Header.Set(name, value)
	}
	h.ServeHTTP(httptest.NewRecorder(), r)
	require.False(t, subject == nil && refused == nil)
	return subject, refused
}

func TestGate(t *testing.T) {
	t.Parallel()
	h := setup(t)
	gate := newGate(t, h.keys)
	user := h.User(t, "ada@example.com")
	newSession := func() (uuid.UUID, string) {
		session := uuid.New()
		h.Exec(t, `insert into auth.sessions (id, user_id) values ($1, $2)`, session, user)
		return session, sign(t, h.keys, jwt.MapClaims{"sub": user.String(), "session_id": session.String()})
	}
	_, access := newSession()
	_, expired := func() (uuid.UUID, string) {
		header, claims := parts(t, access)
		return uuid.Nil, resign(t, h, header, with(claims, "exp", h.clock.Now().Add(-time.Minute).Unix()))
	}()

	for name, one := range map[string]struct {
		headers []string
		role    string // or
		refused error
	}{
		"nothing":                                 {nil, "", token.ErrNoAPIKey},
		"a wrong key":                             {[]string{"apikey: sb_publishable_wrong"}, "", token.ErrBadAPIKey},
		"half a key":                              {[]string{"apikey: sb_publishable_ano"}, "", token.ErrBadAPIKey},
		"only a token":                            {[]string{"Authorization: Bearer " + access}, "", token.ErrNoAPIKey},
		"the anonymous key":                       {[]string{"apikey: " + anonKey}, "anon", nil},
		"the second anonymous key":                {[]string{"apikey: sb_publishable_next"}, "anon", nil},
		"the anonymous key as a bearer as well":   {[]string{"apikey: " + anonKey, "Authorization: Bearer " + anonKey}, "anon", nil},
		"the service's key":                       {[]string{"apikey: " + serviceKey}, "service_role", nil},
		"the second service's key":                {[]string{"apikey: sb_secret_next"}, "service_role", nil},
		"the service's key as a bearer":           {[]string{"apikey: " + anonKey, "Authorization: Bearer " + serviceKey}, "service_role", nil},
		"a user":                                  {[]string{"apikey: " + anonKey, "Authorization: Bearer " + access}, "authenticated", nil},
		"a user by lower case":                    {[]string{"apikey: " + anonKey, "Authorization: bearer   " + access + " "}, "authenticated", nil},
		"a user beside the service's key":         {[]string{"apikey: " + serviceKey, "Authorization: Bearer " + access}, "authenticated", nil},
		"a user without Bearer":                   {[]string{"apikey: " + anonKey, "Authorization: " + access}, "", token.ErrInvalid},
		"Basic":                                   {[]string{"apikey: " + anonKey, "Authorization: Basic YTpi"}, "", token.ErrInvalid},
		"an empty bearer":                         {[]string{"apikey: " + anonKey, "Authorization: Bearer  "}, "", token.ErrInvalid},
		"a token that has expired":                {[]string{"apikey: " + anonKey, "Authorization: Bearer " + expired}, "", token.ErrExpired},
		"the service's key from a browser":        {[]string{"apikey: " + serviceKey, "Sec-Fetch-Site: cross-site"}, "", token.ErrSecretInBrowser},
		"the service's key from an older browser": {[]string{"apikey: " + serviceKey, "Origin: https://page.example", "User-Agent: Mozilla/5.0 (X11)"}, "", token.ErrSecretInBrowser},
		"… as a bearer":                           {[]string{"apikey: " + anonKey, "Authorization: Bearer " + serviceKey, "Sec-Fetch-Site: same-origin"}, "", token.ErrSecretInBrowser},
		"the anonymous key from a browser":        {[]string{"apikey: " + anonKey, "Sec-Fetch-Site: cross-site"}, "anon", nil},
		"the service's key from a proxy":          {[]string{"apikey: " + serviceKey, "Origin: https://page.example", "User-Agent: node"}, "service_role", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			subject, refused := visit(t, gate, one.headers...)
			require.ErrorIs(t, refused, one.refused)
			if one.refused == nil {
				require.Equal(t, one.role, subject.Role)
			} else {
				require.NotContains(t, refused.Error(), "sb_", "an error repeats no key")
			}
		})
	}

	t.Run("tells apart what edges may, and may not", func(t *testing.T) {
		t.Parallel()
		require.ErrorIs(t, token.ErrSecretInBrowser, token.ErrBadAPIKey)
		require.ErrorIs(t, token.ErrSessionEnded, token.ErrInvalid)
	})

	t.Run("lets only who signed in through to some", func(t *testing.T) {
		t.Parallel()
		for headers, passes := range map[string]bool{"Authorization: Bearer " + access: true, "Authorization: Bearer " + serviceKey: true, "Authorization: Bearer " + anonKey: false, "X-Nothing: x": false} {
			var refused error
			passed := false
			refuse := func(_ http.ResponseWriter, _ *http.Request, err error) { refused = err }
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			name, value, _ := strings.Cut(headers, ": ")
			r.Header.Set(name, value)
			gate.Bearer(refuse)(token.SignedIn(refuse)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed = true }))).ServeHTTP(httptest.NewRecorder(), r)
			require.Equal(t, passes, passed)
			if !passes {
				require.ErrorIs(t, refused, token.ErrNoToken)
			}
		}
	})
}

func TestSessionsThatEnd(t *testing.T) {
	t.Parallel()

	// house has a signed-in user, as every server sees it.
	house := func(t *testing.T) (h *house, here, there *token.Gate, user, session uuid.UUID, headers []string) {
		t.Helper()
		h = setup(t)
		here, there = newGate(t, h.keys), newGate(t, h.server(t))
		user, session = h.User(t, "ada@example.com"), uuid.New()
		h.Exec(t, `insert into auth.sessions (id, user_id) values ($1, $2)`, session, user)
		headers = []string{"apikey: " + anonKey, "Authorization: Bearer " + sign(t, h.keys, jwt.MapClaims{"sub": user.String(), "session_id": session.String()})}
		for _, gate := range []*token.Gate{here, there} {
			_, refused := visit(t, gate, headers...)
			require.NoError(t, refused)
		}
		return h, here, there, user, session, headers
	}

	t.Run("are refused at once by the server that ended them, and by the others within three seconds", func(t *testing.T) {
		t.Parallel()
		h, here, there, user, session, headers := house(t)
		h.Exec(t, `delete from auth.sessions where id = $1`, session)
		here.Ended(user, session)
		_, refused := visit(t, here, headers...)
		require.ErrorIs(t, refused, token.ErrSessionEnded)
		h.clock.turn(2900 * time.Millisecond)
		_, refused = visit(t, there, headers...)
		require.NoError(t, refused, "within the bound, the answer is a remembered one: no query")
		h.clock.turn(200 * time.Millisecond)
		for _, gate := range []*token.Gate{here, there} {
			_, refused = visit(t, gate, headers...)
			require.ErrorIs(t, refused, token.ErrSessionEnded)
		}
	})

	for name, sql := range map[string]string{
		"by a ban":                          `update auth.users set banned_until = now() + interval '1 hour' where id = $1`,
		"by the user's deletion":            `delete from auth.users where id = $1`,
		"by the user's soft deletion":       `update auth.users set deleted_at = now() where id = $1`,
		"by the end of their life":          `update auth.sessions set not_after = now() - interval '1 second' where user_id = $1`,
		"by becoming somebody else's":       `with other as (insert into auth.users (id) values (gen_random_uuid()) returning id) update auth.sessions set user_id = other.id from other where user_id = $1`,
		"by every session of theirs ending": `delete from auth.sessions where user_id = $1`,
	} {
		t.Run("are refused "+name, func(t *testing.T) {
			t.Parallel()
			h, _, there, user, _, headers := house(t)
			h.Exec(t, sql, user)
			h.clock.turn(3100 * time.Millisecond)
			_, refused := visit(t, there, headers...)
			require.ErrorIs(t, refused, token.ErrSessionEnded)
		})
	}

	t.Run("cost no query within three seconds, and one for many requests after them", func(t *testing.T) {
		t.Parallel()
		h, here, _, _, _, headers := house(t)
		before := h.Stat().AcquireCount()
		for range 100 {
			_, refused := visit(t, here, headers...)
			require.NoError(t, refused)
		}
		require.Equal(t, before, h.Stat().AcquireCount())
		h.clock.turn(4 * time.Second)
		for range 100 {
			_, refused := visit(t, here, headers...)
			require.NoError(t, refused)
		}
		require.Equal(t, before+1, h.Stat().AcquireCount())
	})

	t.Run("are not taken as alive when the database cannot say", func(t *testing.T) {
		t.Parallel()
		h, here, _, _, _, headers := house(t)
		h.Exec(t, `revoke select on auth.sessions from service_role`)
		h.clock.turn(4 * time.Second)
		subject, refused := visit(t, here, headers...)
		require.Nil(t, subject)
		require.Error(t, refused)
		require.False(t, errors.Is(refused, token.ErrInvalid), "the client is told to come again, not that it is signed out")
	})

	t.Run("are looked at anew after a ban was decided here", func(t *testing.T) {
		t.Parallel()
		h, here, _, user, _, headers := house(t)
		h.Exec(t, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, user)
		here.Recheck()
		_, refused := visit(t, here, headers...)
		require.ErrorIs(t, refused, token.ErrSessionEnded)
	})
}

func TestNewGate(t *testing.T) {
	t.Parallel()
	h := setup(t)
	mint := func(role string, at time.Time) string {
		key, err := token.MintAPIKey(strings.Repeat("s", 32), role, at)
		require.NoError(t, err)
		return key
	}
	t.Run("takes keys of either form", func(t *testing.T) {
		t.Parallel()
		gate, err := token.NewGate(h.keys, token.GateConfig{AnonKey: mint("anon", time.Now()), ServiceKey: mint("service_role", time.Now()), PublishableKey: token.NewAnonKey(), SecretKey: token.NewServiceKey()})
		require.NoError(t, err)
		subject, refused := visit(t, gate, "apikey: "+mint("service_role", time.Now()))
		require.NoError(t, refused)
		require.Equal(t, db.RoleService, subject.Role)
		require.NotEqual(t, token.NewServiceKey(), token.NewServiceKey())
	})
	for name, cfg := range map[string]token.GateConfig{
		"no anonymous key":                 {ServiceKey: serviceKey},
		"no service key":                   {AnonKey: anonKey},
		"one key for both roles":           {AnonKey: "same", ServiceKey: "same"},
		"a second key for both roles":      {AnonKey: anonKey, ServiceKey: serviceKey, PublishableKey: serviceKey},
		"a secret key in the public place": {AnonKey: "sb_secret_x", ServiceKey: serviceKey},
		"a public key in the secret place": {AnonKey: anonKey, ServiceKey: "sb_publishable_x"},
		"the service's JWT made public":    {AnonKey: mint("service_role", time.Now()), ServiceKey: serviceKey},
		"a JWT that has expired":           {AnonKey: mint("anon", time.Now().AddDate(-11, 0, 0)), ServiceKey: serviceKey},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := token.NewGate(h.keys, cfg)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "eyJ")
		})
	}
	t.Run("mints for two roles only, and with a secret", func(t *testing.T) {
		t.Parallel()
		_, err := token.MintAPIKey(strings.Repeat("s", 32), "authenticated", time.Now())
		require.Error(t, err)
		_, err = token.MintAPIKey("", "anon", time.Now())
		require.Error(t, err)
	})
}

func FuzzGate(f *testing.F) {
	h := setup(f)
	gate := newGate(f, h.keys)
	f.Add("Bearer x", "x", "", "")
	f.Add("bearer "+anonKey, anonKey, "cross-site", "https://x.example")
	f.Fuzz(func(t *testing.T, authorization, key, site, origin string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header = http.Header{"Authorization": {authorization}, "Apikey": {key}, "Sec-Fetch-Site": {site}, "Origin": {origin}}
		role, err := gate.APIKeyRole(r)
		if err == nil && key != anonKey && key != serviceKey && !strings.HasSuffix(key, "_next") {
			t.Fatalf("an invented key is %s's", role)
		}
		v, err := gate.Identify(r)
		if err == nil && v.Subject.Role == db.RoleService && !strings.Contains(authorization+key, "sb_secret_") {
			t.Fatal("an invented bearer is the service's")
		}
		if err == nil && v.Subject.Role == db.RoleAuthenticated {
			t.Fatal("an invented bearer is a user's")
		}
	})
}
