package auth_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db"
	"research/db/dbtest"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	e := setup(t)
	id := e.User(t, "ada@example.com")

	t.Run("answers with what the interface names and supabase-js needs", func(t *testing.T) {
		t.Parallel()
		a := e.do(t, "POST", "/token?grant_type=password", `{"email":" Ada@Example.com ","password":"correct horse"}`)
		require.Equal(t, http.StatusOK, a.status, a.raw)
		require.Equal(t, "bearer", a.body["token_type"])
		require.Equal(t, "3600", string(a.body["expires_in"].(interface{ String() string }).String()))
		require.NotEmpty(t, a.body["expires_at"])
		require.GreaterOrEqual(t, len(a.body["refresh_token"].(string)), 22) // 128 bits in base64
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
		user := a.body["user"].(map[string]any)
		require.Equal(t, id.String(), user["id"])
		require.Equal(t, "authenticated", user["role"])
		require.Len(t, user["identities"], 1)
		var claims jwt.MapClaims
		parsed, _, err := jwt.NewParser().ParseUnverified(a.body["access_token"].(string), &claims)
		require.NoError(t, err)
		require.Equal(t, "ES256", parsed.Header["alg"])
		require.NotEmpty(t, parsed.Header["kid"])
		for _, name := range []string{"iss", "sub", "aud", "exp", "iat", "email", "phone", "app_metadata", "user_metadata", "role", "aal", "amr", "session_id", "is_anonymous"} {
			require.Contains(t, claims, name)
		}
		require.Equal(t, "https://research.example/auth/v1", claims["iss"])
		require.Equal(t, map[string]any{"provider": "email", "providers": []any{"email"}}, claims["app_metadata"])
	})

	for name, one := range map[string]struct {
		path, body string
		status     int
		code       string
	}{
		"a wrong password":       {"?grant_type=password", `{"email":"ada@example.com","password":"wrong"}`, 400, "invalid_credentials"},
		"an unknown address":     {"?grant_type=password", `{"email":"nobody@example.com","password":"wrong"}`, 400, "invalid_credentials"},
		"no password":            {"?grant_type=password", `{"email":"ada@example.com"}`, 400, "invalid_credentials"},
		"an endless password":    {"?grant_type=password", `{"email":"ada@example.com","password":"` + strings.Repeat("x", 10000) + `"}`, 400, "invalid_credentials"},
		"no address":             {"?grant_type=password", `{"password":"x"}`, 400, "validation_failed"},
		"NUL in the address":     {"?grant_type=password", `{"email":"a\u0000@example.com","password":"x"}`, 400, "validation_failed"},
		"an empty body":          {"?grant_type=password", ``, 400, "bad_json"},
		"no JSON":                {"?grant_type=password", `{"email":`, 400, "bad_json"},
		"something behind":       {"?grant_type=password", `{"email":"a@b.example","password":"x"} x`, 400, "bad_json"},
		"wrong types":            {"?grant_type=password", `{"email":5,"password":"x"}`, 400, "bad_json"},
		"an unknown grant":       {"?grant_type=magic", `{}`, 400, "unsupported_grant_type"},
		"no grant":               {"", `{}`, 400, "unsupported_grant_type"},
		"too large a body":       {"?grant_type=password", `{"email":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "request_entity_too_large"},
		"an unknown refresh":     {"?grant_type=refresh_token", `{"refresh_token":"nonsense"}`, 400, "refresh_token_not_found"},
		"no refresh token":       {"?grant_type=refresh_token", `{}`, 400, "validation_failed"},
		"a refresh without JSON": {"?grant_type=refresh_token", `[]`, 400, "bad_json"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			requireError(t, e.do(t, "POST", "/token"+one.path, one.body), one.status, one.code)
		})
	}

	t.Run("says invalid_grant for wrong credentials, the same for known and unknown", func(t *testing.T) {
		t.Parallel()
		known := e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"wrong"}`)
		unknown := e.do(t, "POST", "/token?grant_type=password", `{"email":"nobody@example.com","password":"wrong"}`)
		require.Equal(t, "invalid_grant", known.body["error"])
		require.Equal(t, known.raw, unknown.raw)
	})

	t.Run("answers in the version that a client asks for", func(t *testing.T) {
		t.Parallel()
		plain := e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"wrong"}`)
		require.Equal(t, "400", plain.body["code"].(interface{ String() string }).String())
		require.Empty(t, plain.header.Get("X-Supabase-Api-Version"))
		versioned := e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"wrong"}`, "X-Supabase-Api-Version: 2024-01-01")
		require.Equal(t, "invalid_credentials", versioned.body["code"])
		require.Equal(t, "2024-01-01", versioned.header.Get("X-Supabase-Api-Version"))
		require.NotEmpty(t, versioned.body["message"])
	})

	t.Run("ignores the bearer, which supabase-js fills with the API key", func(t *testing.T) {
		t.Parallel()
		a := e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"correct horse"}`, bearer(anonKey))
		require.Equal(t, http.StatusOK, a.status, a.raw)
	})

	t.Run("wants the API key, and answers other methods and paths in JSON", func(t *testing.T) {
		t.Parallel()
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{}`, "apikey: "), 401, "no_authorization")
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{}`, "apikey: wrong"), 401, "no_authorization")
		requireError(t, e.do(t, "GET", "/token", ``), 405, "method_not_allowed")
		requireError(t, e.do(t, "GET", "/nothing", ``), 404, "not_found")
	})
}

func TestSignInOfOthersHashes(t *testing.T) {
	t.Parallel()
	e := setup(t)
	for name, hash := range map[string]string{
		// Made by other programs: htpasswd's bcrypt, and the argon2 reference implementation.
		"bcrypt of another cost and prefix": "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
		"argon2id":                          "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
		"argon2i":                           "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8",
	} {
		t.Run("takes "+name+", and renews it", func(t *testing.T) {
			t.Parallel()
			password := "password"
			if strings.HasPrefix(hash, "$2b") {
				password = "U*U"
			}
			require.NoError(t, auth.CheckHash(hash))
			id := e.User(t, strings.Fields(name)[0]+"@example.com")
			e.Exec(t, `update auth.users set encrypted_password = $2, email_confirmed_at = null where id = $1`, id, hash)
			e.signIn(t, strings.Fields(name)[0]+"@example.com", password)
			renewed := dbtest.Value[string](t, e.DB, `select encrypted_password from auth.users where id = $1`, id)
			require.True(t, strings.HasPrefix(renewed, "$2a$04$"), "not renewed")
			e.signIn(t, strings.Fields(name)[0]+"@example.com", password)
		})
	}

	t.Run("signs in who was put into the table by SQL with nothing but an id, an address and a hash", func(t *testing.T) {
		t.Parallel()
		e.Exec(t, `insert into auth.users (id, email, encrypted_password) values (gen_random_uuid(), 'sql@example.com', '$2a$04$ehgBoyD41KUdnEGIHJRV7eL5LH7PcO.sYseyUggZ/XVUGdLQr/DDC')`)
		s := e.signIn(t, "sql@example.com", correct)
		a := e.do(t, "GET", "/user", "", bearer(s.access))
		require.Equal(t, http.StatusOK, a.status, a.raw)
		require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*)::int from profiles where email = 'sql@example.com'`))
	})

	t.Run("refuses who has no password, and a hash that nobody knows", func(t *testing.T) {
		t.Parallel()
		id := e.User(t, "none@example.com")
		for _, hash := range []any{nil, "", "plain", "$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"} {
			e.Exec(t, `update auth.users set encrypted_password = $2 where id = $1`, id, hash)
			requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"none@example.com","password":"plain"}`), 400, "invalid_credentials")
		}
	})
}

func TestRefresh(t *testing.T) {
	t.Parallel()

	t.Run("rotates, and keeps the session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		first := e.signIn(t, "ada@example.com", correct)
		a := e.refresh(t, first.refresh)
		require.Equal(t, http.StatusOK, a.status, a.raw)
		require.NotEqual(t, first.refresh, a.body["refresh_token"])
		require.Equal(t, claim(t, first.access, "session_id"), claim(t, a.body["access_token"].(string), "session_id"))
		require.NotNil(t, a.body["user"])
	})

	t.Run("stores no token", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		for _, table := range []string{"refresh_tokens", "sessions", "audit_log_entries", "users"} {
			all := dbtest.Value[string](t, e.DB, `select coalesce(string_agg(t::text, ' '), '') from auth.`+table+` t`)
			require.NotContains(t, all, s.refresh)
			require.NotContains(t, all, s.access)
			require.NotContains(t, all, correct)
		}
	})

	t.Run("gives the current token again to who lost the answer, however much later", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		first := e.signIn(t, "ada@example.com", correct)
		current := e.refresh(t, first.refresh).body["refresh_token"]
		e.clock.turn(time.Hour)
		a := e.refresh(t, first.refresh)
		require.Equal(t, http.StatusOK, a.status, a.raw)
		require.Equal(t, current, a.body["refresh_token"])
	})

	t.Run("takes an older token for ten seconds, then ends the session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		first := e.signIn(t, "ada@example.com", correct)
		second := e.refresh(t, first.refresh).body["refresh_token"].(string)
		third := e.refresh(t, second).body["refresh_token"].(string)
		a := e.refresh(t, first.refresh)
		require.Equal(t, http.StatusOK, a.status, a.raw)
		require.Equal(t, third, a.body["refresh_token"])
		e.clock.turn(11 * time.Second)
		requireError(t, e.refresh(t, first.refresh), 400, "refresh_token_already_used")
		requireError(t, e.refresh(t, third), 400, "refresh_token_not_found")
		requireError(t, e.do(t, "GET", "/user", "", bearer(first.access)), 403, "session_not_found")
		require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.audit_log_entries where payload ->> 'action' = 'token_revoked'`))
	})

	t.Run("gives twenty at once one successor", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		first := e.signIn(t, "ada@example.com", correct)
		answers := make([]answer, 20)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = e.refresh(t, first.refresh) })
		}
		all.Wait()
		for _, a := range answers {
			require.Equal(t, http.StatusOK, a.status, a.raw)
			require.Equal(t, answers[0].body["refresh_token"], a.body["refresh_token"])
		}
		require.Equal(t, 2, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.refresh_tokens`))
	})

	t.Run("does not outlive the session, a ban or the user", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, id)
		requireError(t, e.refresh(t, s.refresh), 400, "user_banned")
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"wrong"}`), 400, "invalid_credentials")
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"correct horse"}`), 400, "user_banned")
		e.Exec(t, `update auth.users set banned_until = null where id = $1`, id)
		e.Exec(t, `update auth.sessions set not_after = now() - interval '1 second'`)
		requireError(t, e.refresh(t, s.refresh), 400, "session_expired")
		e.Exec(t, `delete from auth.users where id = $1`, id)
		requireError(t, e.refresh(t, s.refresh), 400, "refresh_token_not_found")
		requireError(t, e.do(t, "GET", "/user", "", bearer(s.access)), 403, "user_not_found")
	})

	t.Run("goes on while the user is being changed", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		require.NoError(t, e.AsService(t.Context(), func(q *db.Queries) error {
			if _, err := q.LockUser(t.Context(), id); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			a := e.doIn(ctx, t, "POST", "/token?grant_type=refresh_token", jsonOf(map[string]any{"refresh_token": s.refresh}))
			require.Equal(t, http.StatusOK, a.status, a.raw)
			return nil
		}))
	})

	t.Run("waits for the user's deletion, which need not wait for it", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		e.AsOwner(t, func(other *pgx.Conn) {
			tx, err := other.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), `select from auth.users where id = $1 for update`, id) // a deletion's first step
			require.NoError(t, err)
			done := make(chan answer, 1)
			go func() { done <- e.refresh(t, s.refresh) }()
			require.Eventually(t, func() bool {
				return dbtest.Value[bool](t, e.DB, `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`)
			}, time.Minute, 10*time.Millisecond)
			_, err = tx.Exec(t.Context(), `delete from auth.users where id = $1`, id)
			require.NoError(t, err, "a deadlock")
			require.NoError(t, tx.Commit(t.Context()))
			requireError(t, <-done, 400, "refresh_token_not_found")
		})
	})

	t.Run("is never limited", func(t *testing.T) {
		t.Parallel()
		e := setup(t, func(c *auth.Config, _ *token.KeysConfig) {
			c.Limits = auth.Limits{AccountFailures: 1, AddressFailures: 1, AddressSignUps: 1, AccountMails: 1, AddressMails: 1}
		})
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"wrong"}`)
		requireError(t, e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"correct horse"}`), 429, "over_request_rate_limit")
		refresh := s.refresh
		for range 30 {
			a := e.refresh(t, refresh)
			require.Equal(t, http.StatusOK, a.status, a.raw)
			refresh = a.body["refresh_token"].(string)
		}
	})
}

func claim(t testing.TB, access, name string) any {
	t.Helper()
	var claims jwt.MapClaims
	_, _, err := jwt.NewParser().ParseUnverified(access, &claims)
	require.NoError(t, err)
	return claims[name]
}

func TestTrouble(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")

	t.Run("a sign-in whose time is over may be tried again, and a client that is gone is no failure", func(t *testing.T) {
		t.Parallel()
		body := `{"email":"ada@example.com","password":"correct horse"}`
		over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		a := e.doIn(over, t, "POST", "/token?grant_type=password", body)
		requireError(t, a, 504, "request_timeout")
		require.NotEmpty(t, a.header.Get("Retry-After"))
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		requireError(t, e.doIn(gone, t, "POST", "/token?grant_type=password", body), 499, "request_canceled")
	})

	t.Run("who is deleted while signing in is refused", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		e.AsOwner(t, func(other *pgx.Conn) {
			tx, err := other.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), `delete from auth.users where id = $1`, id)
			require.NoError(t, err)
			done := make(chan answer, 1)
			go func() {
				done <- e.do(t, "POST", "/token?grant_type=password", `{"email":"ada@example.com","password":"correct horse"}`)
			}()
			require.Eventually(t, func() bool {
				return dbtest.Value[bool](t, e.DB, `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`)
			}, time.Minute, 10*time.Millisecond)
			require.NoError(t, tx.Commit(t.Context()))
			requireError(t, <-done, 400, "user_not_found")
		})
	})
}
