package token_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/api/token/tokentest"
	"research/db"
	"research/db/dbtest"
)

// A scripted fixture is a user with a personal access token that two servers have accepted.
type scripted struct {
	*fixture
	here, there *token.Authenticator
	user, id    uuid.UUID
	token       string
}

func setupScripted(t *testing.T, scopes ...string) *scripted {
	t.Helper()
	s := setupHere(t, scopes...)
	s.there = newAuthenticator(t, s.server(t, withResources))
	for _, server := range []*token.Authenticator{s.here, s.there} {
		_, err := s.authenticate(t, server)
		require.NoError(t, err)
	}
	return s
}

// setupHere returns a scripted fixture with one server, which has not seen the token. No scopes are all.
func setupHere(t *testing.T, scopes ...string) *scripted {
	t.Helper()
	h := setup(t, withResources)
	s := &scripted{fixture: h, here: newAuthenticator(t, h.keys), user: h.User(t, "ada@example.com")}
	if scopes == nil {
		scopes = token.PersonalScopes()
	}
	s.token = tokentest.PersonalToken(t, h.Store, s.user, scopes...)
	s.id = dbtest.Value[uuid.UUID](t, h.DB, `select id from auth.personal_access_tokens`)
	return s
}

func (s *scripted) authenticate(t testing.TB, a *token.Authenticator) (token.Principal, error) {
	t.Helper()
	return a.Authenticate(request(t, http.MethodGet, "/", s.token))
}

func TestPersonalTokens(t *testing.T) {
	t.Parallel()

	t.Run("act for their user", func(t *testing.T) {
		t.Parallel()
		s := setupScripted(t, token.ScopeRead)
		s.Exec(t, `update auth.users set raw_user_meta_data = '{"name": "Ada"}', email_confirmed_at = now()`)
		s.here.RecheckSessions()
		p, err := s.authenticate(t, s.here)
		require.NoError(t, err)
		require.Equal(t, s.id, p.PersonalToken)
		require.Equal(t, []string{token.ScopeRead}, p.Scopes)
		require.Equal(t, s.user, p.Subject.UserID)
		require.Equal(t, db.RoleAuthenticated, p.Subject.Role)
		require.JSONEq(t, `{
			"sub": "`+s.user.String()+`", "role": "authenticated", "email": "ada@example.com", "phone": "",
			"is_anonymous": false, "aal": "aal1", "amr": [], "personal_token_id": "`+s.id.String()+`",
			"app_metadata": {"provider": "email", "providers": ["email"]},
			"user_metadata": {"name": "Ada", "email_verified": true}
		}`, string(p.Subject.Claims))
		require.WithinDuration(t, s.clock.Now().Add(time.Hour), p.Expires, time.Minute)
	})

	t.Run("have the second factor while their user has it", func(t *testing.T) {
		t.Parallel()
		s := setupScripted(t)
		s.Exec(t, `insert into auth.mfa_factors (id, user_id, factor_type, status, secret)
			values ($1, $2, 'totp', 'verified', '')`, s.id, s.user)
		s.Exec(t, `update auth.personal_access_tokens set factor_id = $1,
			amr = '[{"method": "totp", "timestamp": 2}, {"method": "password", "timestamp": 1}]'`, s.id)
		s.here.RecheckSessions()
		p, err := s.authenticate(t, s.here)
		require.NoError(t, err)
		require.Contains(t, string(p.Subject.Claims), `"aal": "aal2"`)
		require.Contains(t, string(p.Subject.Claims), `totp`)
		s.Exec(t, `delete from auth.mfa_factors`)
		s.here.RecheckSessions()
		p, err = s.authenticate(t, s.here)
		require.NoError(t, err)
		require.Contains(t, string(p.Subject.Claims), `"aal": "aal1"`)
		require.Contains(t, string(p.Subject.Claims), `"amr": [{"method": "password", "timestamp": 1}]`)
	})

	t.Run("need the scope of the method", func(t *testing.T) {
		t.Parallel()
		for scope, allowed := range map[string][]string{
			token.ScopeRead:  {http.MethodGet, http.MethodHead, http.MethodOptions},
			token.ScopeWrite: {http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
			token.ScopeAsk:   nil,
		} {
			s := setupScripted(t, scope)
			for _, method := range []string{
				http.MethodGet, http.MethodHead, http.MethodOptions,
				http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
			} {
				_, err := s.here.Admit(request(t, method, "/", s.token))
				if contains(allowed, method) {
					require.NoError(t, err, scope+" "+method)
					continue
				}
				require.ErrorIs(t, err, token.ErrScope, scope+" "+method)
				require.False(t, token.IsUnauthenticated(err), "the token is valid")
			}
		}
	})

	t.Run("are taken by the resource of apps, but not by userinfo", func(t *testing.T) {
		t.Parallel()
		s := setupScripted(t)
		p, err := s.here.AdmitResource(request(t, http.MethodPost, "/mcp", s.token), resource)
		require.NoError(t, err)
		require.Equal(t, s.id, p.PersonalToken)
		require.Empty(t, p.Resource)
		_, err = s.here.AdmitResource(request(t, http.MethodGet, "/", s.token), userinfo)
		require.ErrorIs(t, err, token.ErrAudience)
	})

	t.Run("may come from a browser", func(t *testing.T) {
		t.Parallel()
		s := setupScripted(t)
		subject, rejected := visit(t, s.here, "apikey: "+anonKey, "Authorization: Bearer "+s.token,
			"Sec-Fetch-Site: cross-site", "Origin: https://page.example")
		require.NoError(t, rejected)
		require.Equal(t, s.user, subject.UserID)
	})

	t.Run("do not exist if identity is off", func(t *testing.T) {
		t.Parallel()
		s := setupScripted(t)
		off := s.server(t, func(c *token.KeysConfig) {
			c.Off, c.Secret = true, strings.Repeat("s", 32)
		})
		_, err := s.authenticate(t, newAuthenticator(t, off))
		require.ErrorIs(t, err, token.ErrInvalid)
	})

	t.Run("are rejected once they have expired", func(t *testing.T) {
		t.Parallel()
		s := setupScripted(t)
		s.Exec(t, `update auth.personal_access_tokens set expires_at = now() + interval '1 second'`)
		s.here.RecheckSessions()
		_, err := s.authenticate(t, s.here)
		require.NoError(t, err)
		s.clock.advance(2 * time.Second)
		_, err = s.authenticate(t, s.here)
		require.ErrorIs(t, err, token.ErrExpired, "although it is cached")
		s.clock.advance(10 * time.Second)
		_, err = s.authenticate(t, s.there)
		require.ErrorIs(t, err, token.ErrExpired)
	})

	t.Run("are rejected at once where they were revoked, and elsewhere within seconds", func(t *testing.T) {
		t.Parallel()
		s := setupScripted(t)
		s.Exec(t, `delete from auth.personal_access_tokens`)
		s.here.TokensEnded(s.id)
		_, err := s.authenticate(t, s.here)
		require.ErrorIs(t, err, token.ErrInvalid)
		s.clock.advance(2900 * time.Millisecond)
		_, err = s.authenticate(t, s.there)
		require.NoError(t, err)
		s.clock.advance(200 * time.Millisecond)
		for _, server := range []*token.Authenticator{s.here, s.there} {
			_, err = s.authenticate(t, server)
			require.ErrorIs(t, err, token.ErrInvalid)
		}
	})

	for name, sql := range map[string]string{
		"a ban":                `update auth.users set banned_until = now() + interval '1 hour'`,
		"a deletion":           `delete from auth.users`,
		"a soft deletion":      `update auth.users set deleted_at = now()`,
		"an account's removal": `select private.mark_account_deleted(id) from auth.users`,
	} {
		t.Run("are rejected after "+name+" of their user", func(t *testing.T) {
			t.Parallel()
			s := setupScripted(t)
			s.Exec(t, sql)
			s.clock.advance(3100 * time.Millisecond)
			_, err := s.authenticate(t, s.there)
			require.ErrorIs(t, err, token.ErrInvalid)
		})
	}
}

func contains(list []string, one string) bool {
	return strings.Contains(strings.Join(list, " ")+" ", one+" ")
}

func TestUseOfPersonalTokensIsRecorded(t *testing.T) {
	t.Parallel()
	lastUsed := func(t *testing.T, s *scripted) *time.Time {
		t.Helper()
		return dbtest.Value[*time.Time](t, s.DB, `select last_used_at from auth.personal_access_tokens`)
	}

	t.Run("to the minute, and once a minute", func(t *testing.T) {
		t.Parallel()
		s := setupHere(t, token.ScopeRead)
		use := func(lastUsed time.Time) {
			s.Exec(t, `update auth.personal_access_tokens set last_used_at = $1`, lastUsed)
			s.here.RecheckSessions()
			_, err := s.authenticate(t, s.here)
			require.NoError(t, err)
		}
		use(s.clock.Now().Add(-time.Hour))
		require.Eventually(t, func() bool {
			at := lastUsed(t, s)
			return at.Second() == 0 && at.Nanosecond() == 0 && s.clock.Now().Sub(*at) < 2*time.Minute
		}, time.Minute, 10*time.Millisecond)
		recent := s.clock.Now().Add(-time.Second).Truncate(time.Microsecond)
		before := s.Stat().AcquireCount()
		use(recent)
		require.True(t, recent.Equal(*lastUsed(t, s)))
		require.LessOrEqual(t, s.Stat().AcquireCount()-before, int64(3), "nothing is written")
	})

	t.Run("without delaying a request or making it fail", func(t *testing.T) {
		t.Parallel()
		s := setupScripted(t)
		s.Exec(t, `update auth.personal_access_tokens set last_used_at = null`)
		s.Exec(t, `revoke update on auth.personal_access_tokens from service_role`)
		s.here.RecheckSessions()
		_, err := s.authenticate(t, s.here)
		require.NoError(t, err)
	})
}

func TestUnknownPersonalTokens(t *testing.T) {
	t.Parallel()
	random := func() string {
		return "rsp_" + strings.ReplaceAll(uuid.NewString(), "-", "") + "abcdefghijA"
	}
	require.Len(t, random(), 47)
	queries := func(s *scripted, do func()) int64 {
		before := s.Stat().AcquireCount()
		do()
		return s.Stat().AcquireCount() - before
	}
	quiet := func(t *testing.T) *scripted { // nothing is recorded in the background
		s := setupHere(t)
		_, err := s.authenticate(t, s.here)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			return dbtest.Value[bool](t, s.DB, `select last_used_at is not null from auth.personal_access_tokens`)
		}, time.Minute, 10*time.Millisecond)
		return s
	}

	t.Run("that have another form take no query", func(t *testing.T) {
		t.Parallel()
		s := quiet(t)
		require.Zero(t, queries(s, func() {
			for _, bearer := range []string{
				"rsp_", "rsp_x", s.token + "x", s.token[:46], s.token[:46] + "!", s.token[:46] + "_",
				"rsp_" + strings.Repeat("x", 1<<16),
			} {
				_, err := s.here.Authenticate(request(t, http.MethodGet, "/", bearer))
				require.ErrorIs(t, err, token.ErrInvalid)
			}
		}))
	})

	t.Run("take one query a minute each", func(t *testing.T) {
		t.Parallel()
		s := quiet(t)
		unknown := random()
		try := func() {
			for range 100 {
				_, err := s.here.Authenticate(request(t, http.MethodGet, "/", unknown))
				require.ErrorIs(t, err, token.ErrInvalid)
			}
		}
		require.EqualValues(t, 1, queries(s, try))
		s.clock.advance(61 * time.Second)
		require.EqualValues(t, 1, queries(s, try))
	})

	t.Run("are limited for each network, which may go on to use others", func(t *testing.T) {
		t.Parallel()
		s := quiet(t)
		var limited int
		made := queries(s, func() {
			for range 200 {
				_, err := s.here.Authenticate(request(t, http.MethodGet, "/", random()))
				require.Error(t, err)
				if limit, ok := err.(*token.LimitError); ok { //nolint:errorlint // it is not wrapped
					limited++
					require.GreaterOrEqual(t, limit.UnknownTokens(), time.Second)
					require.False(t, token.IsUnauthenticated(err), "the token may be valid")
				}
			}
		})
		require.EqualValues(t, 60, made)
		require.Equal(t, 140, limited)
		s.clock.advance(4 * time.Second) // known tokens are looked up again
		_, err := s.authenticate(t, s.here)
		require.NoError(t, err)
		elsewhere := request(t, http.MethodGet, "/", random())
		elsewhere.RemoteAddr = "198.51.100.7:1234"
		_, err = s.here.Authenticate(elsewhere)
		require.ErrorIs(t, err, token.ErrInvalid)
	})

	t.Run("share a query with concurrent requests", func(t *testing.T) {
		t.Parallel()
		s := quiet(t)
		s.here.RecheckSessions()
		require.LessOrEqual(t, queries(s, func() {
			var group sync.WaitGroup
			for range 50 {
				group.Go(func() {
					_, err := s.authenticate(t, s.here)
					require.NoError(t, err)
				})
			}
			group.Wait()
		}), int64(5))
	})

	t.Run("are not what a database that does not answer makes of known ones", func(t *testing.T) {
		t.Parallel()
		s := quiet(t)
		s.Exec(t, `revoke select on auth.personal_access_tokens from service_role`)
		s.clock.advance(4 * time.Second)
		_, err := s.authenticate(t, s.here)
		require.Error(t, err)
		require.NotErrorIs(t, err, token.ErrInvalid, "the client should retry")
		s.Exec(t, `grant select on auth.personal_access_tokens to service_role`)
		_, err = s.authenticate(t, s.here)
		require.NoError(t, err)
	})
}
