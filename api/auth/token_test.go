package auth_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/identity"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	e := setup(t)
	id := e.User(t, "ada@example.com")

	t.Run("answers with the owner's fields and what supabase-js needs", func(t *testing.T) {
		t.Parallel()
		a := e.grant(t, " Ada@Example.com ", correct)
		require.Equal(t, http.StatusOK, a.status, a.raw)
		require.Equal(t, "bearer", a.body["token_type"])
		require.Equal(t, json.Number("3600"), a.body["expires_in"])
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
		for _, name := range []string{
			"iss", "sub", "aud", "exp", "iat", "email", "phone", "app_metadata", "user_metadata", "role",
			"aal", "amr", "session_id", "is_anonymous",
		} {
			require.Contains(t, claims, name)
		}
		require.Equal(t, "https://research.example/auth/v1", claims["iss"])
		require.Equal(t, map[string]any{"provider": "email", "providers": []any{"email"}}, claims["app_metadata"])
	})

	const password, refresh = "?grant_type=password", "?grant_type=refresh_token"
	for name, tt := range map[string]struct {
		query, body string
		status      int
		code        string
	}{
		"a wrong password":    {password, credentials("ada@example.com", "wrong"), 400, "invalid_credentials"},
		"an unknown address":  {password, credentials("nobody@example.com", "x"), 400, "invalid_credentials"},
		"no password":         {password, `{"email":"ada@example.com"}`, 400, "invalid_credentials"},
		"no address":          {password, `{"password":"x"}`, 400, "validation_failed"},
		"NUL in the address":  {password, credentials("a\x00@example.com", "x"), 400, "validation_failed"},
		"an empty body":       {password, ``, 400, "bad_json"},
		"truncated JSON":      {password, `{"email":`, 400, "bad_json"},
		"two JSON values":     {password, credentials("a@b.example", "x") + ` x`, 400, "bad_json"},
		"wrong types":         {password, `{"email":5,"password":"x"}`, 400, "bad_json"},
		"an unknown grant":    {"?grant_type=magic", `{}`, 400, "unsupported_grant_type"},
		"no grant":            {"", `{}`, 400, "unsupported_grant_type"},
		"an unknown token":    {refresh, `{"refresh_token":"x"}`, 400, "refresh_token_not_found"},
		"no refresh token":    {refresh, `{}`, 400, "validation_failed"},
		"a refresh as a list": {refresh, `[]`, 400, "bad_json"},
		"a body over 1 MB": {
			password, credentials(strings.Repeat("x", 1<<20), ""), 413, "request_entity_too_large",
		},
		"a password that is too long": {
			password, credentials("ada@example.com", strings.Repeat("x", 10000)), 400, "invalid_credentials",
		},
	} {
		t.Run("rejects "+name, func(t *testing.T) {
			t.Parallel()
			a := e.do(t, "POST", "/token"+tt.query, tt.body)
			requireError(t, a, tt.status, tt.code)
			if tt.code == "bad_json" || tt.code == "validation_failed" {
				require.Equal(t, "invalid_request", a.body["error"], "RFC 6749, section 5.2")
			}
		})
	}

	t.Run("answers wrong credentials of known and unknown users alike, with invalid_grant", func(t *testing.T) {
		t.Parallel()
		known, unknown := e.grant(t, "ada@example.com", "wrong"), e.grant(t, "nobody@example.com", "wrong")
		require.Equal(t, "invalid_grant", known.body["error"])
		require.Equal(t, known.raw, unknown.raw)
	})

	t.Run("answers in the version that a client requests", func(t *testing.T) {
		t.Parallel()
		plain := e.grant(t, "ada@example.com", "wrong")
		require.Equal(t, json.Number("400"), plain.body["code"])
		require.Empty(t, plain.header.Get("X-Supabase-Api-Version"))
		versioned := e.grant(t, "ada@example.com", "wrong", "X-Supabase-Api-Version: 2024-01-01")
		require.Equal(t, "invalid_credentials", versioned.body["code"])
		require.Equal(t, "2024-01-01", versioned.header.Get("X-Supabase-Api-Version"))
		require.NotEmpty(t, versioned.body["message"])
	})

	t.Run("ignores the bearer, where supabase-js sends the API key", func(t *testing.T) {
		t.Parallel()
		a := e.grant(t, "ada@example.com", correct, bearer(anonKey))
		require.Equal(t, http.StatusOK, a.status, a.raw)
	})

	t.Run("requires the API key, and answers other methods and paths in JSON", func(t *testing.T) {
		t.Parallel()
		requireError(t, e.do(t, "POST", passwordGrant, `{}`, "apikey: "), 401, "no_authorization")
		requireError(t, e.do(t, "POST", passwordGrant, `{}`, "apikey: wrong"), 401, "no_authorization")
		requireError(t, e.do(t, "GET", "/token", ``), 405, "method_not_allowed")
		requireError(t, e.do(t, "GET", "/nothing", ``), 404, "not_found")
	})
}

func TestSignInWithImportedHash(t *testing.T) {
	t.Parallel()
	e := setup(t)
	for name, tt := range map[string]struct{ email, hash, password string }{
		// They were made by htpasswd and by the argon2 reference implementation.
		"bcrypt of another cost and prefix": {
			"bcrypt@example.com", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U",
		},
		"argon2id": {
			"argon2id@example.com",
			"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "password",
		},
		"argon2i": {
			"argon2i@example.com",
			"$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8", "password",
		},
	} {
		t.Run("accepts "+name+", and renews it", func(t *testing.T) {
			t.Parallel()
			require.NoError(t, identity.CheckHash(tt.hash))
			id := e.User(t, tt.email)
			e.Exec(t, `update auth.users set encrypted_password = $2, email_confirmed_at = null where id = $1`,
				id, tt.hash)
			e.signIn(t, tt.email, tt.password)
			renewed := dbtest.Value[string](t, e.DB, `select encrypted_password from auth.users where id = $1`, id)
			require.True(t, strings.HasPrefix(renewed, "$2a$04$"), "not renewed")
			e.signIn(t, tt.email, tt.password)
		})
	}

	t.Run("accepts a user that SQL inserted with an id, an address and a hash", func(t *testing.T) {
		t.Parallel()
		e.Exec(t, `insert into auth.users (id, email, encrypted_password) values (gen_random_uuid(),
			'sql@example.com', '$2a$04$ehgBoyD41KUdnEGIHJRV7eL5LH7PcO.sYseyUggZ/XVUGdLQr/DDC')`)
		s := e.signIn(t, "sql@example.com", correct)
		a := e.getUser(t, s.access)
		require.Equal(t, http.StatusOK, a.status, a.raw)
		require.Equal(t, 1, dbtest.Value[int](t, e.DB,
			`select count(*)::int from profiles where email = 'sql@example.com'`))
	})

	t.Run("rejects a user without a password, or with an unknown hash", func(t *testing.T) {
		t.Parallel()
		id := e.User(t, "none@example.com")
		const expensive = "$argon2id$v=19$m=99999999,t=2,p=1$" +
			"c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
		for _, hash := range []any{nil, "", "plain", expensive} {
			e.Exec(t, `update auth.users set encrypted_password = $2 where id = $1`, id, hash)
			requireError(t, e.grant(t, "none@example.com", "plain"), 400, "invalid_credentials")
		}
	})
}

func TestInterruptedSignIn(t *testing.T) {
	t.Parallel()

	t.Run("that takes too long may be retried, and a client that disconnects is no failure", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		body := credentials("ada@example.com", correct)
		expired, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		a := e.doIn(expired, t, "POST", passwordGrant, body)
		requireError(t, a, 504, "request_timeout")
		require.NotEmpty(t, a.header.Get("Retry-After"))
		require.Equal(t, "temporarily_unavailable", a.body["error"])
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		requireError(t, e.doIn(canceled, t, "POST", passwordGrant, body), 499, "request_canceled")
	})

	t.Run("by a statement timeout may be retried", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Exec(t, `create function auth.cancel() returns trigger language plpgsql as
			'begin raise exception using errcode = ''57014'', message = ''canceled''; end'`)
		e.Exec(t, `create trigger cancel before insert on auth.sessions execute function auth.cancel()`)
		e.User(t, "ada@example.com")
		a := e.grant(t, "ada@example.com", correct)
		requireError(t, a, 504, "request_timeout")
		require.NotEmpty(t, a.header.Get("Retry-After"))
	})

	t.Run("by the user's deletion is rejected", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		e.AsOwner(t, func(other *pgx.Conn) {
			tx, err := other.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), `delete from auth.users where id = $1`, id)
			require.NoError(t, err)
			done := make(chan answer, 1)
			go func() { done <- e.grant(t, "ada@example.com", correct) }()
			e.AwaitLock(t)
			require.NoError(t, tx.Commit(t.Context()))
			requireError(t, <-done, 400, "user_not_found")
		})
	})
}
