package auth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
	"research/db/dbtest"
)

// verifier is what only the client that asked for a link has.
const verifier = "a-verifier-that-nobody-else-has-0123456789-0123456789"

const codeGrant = "/token?grant_type=pkce"

// withChallenge adds the challenge of the verifier to a body.
func withChallenge(body map[string]any) string {
	body["code_challenge"] = challengeOf(verifier)
	body["code_challenge_method"] = "s256"
	return jsonOf(body)
}

// followed requires that the form of a link leads to a code, and returns the code.
func (e *edge) followed(t testing.TB, linkType string) string {
	t.Helper()
	a := e.pressButton(t, linkType, e.minted(t))
	require.Equal(t, http.StatusSeeOther, a.status, a.raw)
	require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	address, err := url.Parse(a.header.Get("Location"))
	require.NoError(t, err)
	require.Empty(t, address.Fragment)
	require.NotContains(t, address.RawQuery, "token")
	code := address.Query().Get("code")
	require.NotEmpty(t, code)
	return code
}

func (e *edge) exchange(t testing.TB, code, verifier string) answer {
	t.Helper()
	return e.do(t, "POST", codeGrant, jsonOf(map[string]any{"auth_code": code, "code_verifier": verifier}))
}

func TestCodeExchange(t *testing.T) {
	t.Parallel()

	// recovery returns an edge and the code of a link that Ada's client asked for.
	recovery := func(t *testing.T) (*edge, string) {
		t.Helper()
		e := setup(t)
		e.User(t, "ada@example.com")
		a := e.do(t, "POST", "/recover", withChallenge(map[string]any{"email": "ada@example.com"}))
		require.Equal(t, 200, a.status, a.raw)
		return e, e.followed(t, "recovery")
	}

	t.Run("gives the session of a link to the client that asked for it, once", func(t *testing.T) {
		t.Parallel()
		e, code := recovery(t)
		require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.sessions`))
		a := e.exchange(t, code, verifier)
		require.Equal(t, 200, a.status, a.raw)
		access := a.body["access_token"].(string)
		require.Equal(t, "recovery", claim(t, access, "amr").([]any)[0].(map[string]any)["method"])
		require.Equal(t, 200, e.putUser(t, access, `{"password":"another long password"}`).status)
		requireError(t, e.exchange(t, code, verifier), 404, "flow_state_not_found")
	})

	t.Run("gives nothing to somebody who only has the code", func(t *testing.T) {
		t.Parallel()
		e, code := recovery(t)
		sum := sha256.Sum256([]byte(verifier))
		for _, wrong := range []string{
			"another-verifier-0123456789-0123456789-0123456789", base64.RawURLEncoding.EncodeToString(sum[:]),
		} {
			requireError(t, e.exchange(t, code, wrong), 400, "bad_code_verifier")
		}
		requireError(t, e.exchange(t, code, ""), 400, "validation_failed")
		requireError(t, e.exchange(t, "unknown", verifier), 404, "flow_state_not_found")
		require.Equal(t, 200, e.exchange(t, code, verifier).status)
	})

	t.Run("is over after five minutes, or when the user is banned", func(t *testing.T) {
		t.Parallel()
		e, code := recovery(t)
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour'`)
		requireError(t, e.exchange(t, code, verifier), 400, "user_banned")
		e.clock.advance(5 * time.Minute)
		requireError(t, e.exchange(t, code, verifier), 422, "flow_state_expired")
	})

	t.Run("happens once for concurrent requests", func(t *testing.T) {
		t.Parallel()
		e, code := recovery(t)
		statuses := make([]int, 8)
		var exchanges sync.WaitGroup
		for i := range statuses {
			exchanges.Go(func() { statuses[i] = e.exchange(t, code, verifier).status })
		}
		exchanges.Wait()
		require.Equal(t, 1, strings.Count(jsonOf(statuses), "200"), statuses)
		require.Equal(t, 1, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.sessions`))
	})

	t.Run("accepts a plain challenge", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		body := map[string]any{
			"email": "ada@example.com", "code_challenge": verifier, "code_challenge_method": "plain",
		}
		require.Equal(t, 200, e.do(t, "POST", "/recover", jsonOf(body)).status)
		require.Equal(t, 200, e.exchange(t, e.followed(t, "recovery"), verifier).status)
	})

	t.Run("confirms a sign-up and a new address", func(t *testing.T) {
		t.Parallel()
		e := setup(t, func(c *auth.Config, _ *token.KeysConfig) { c.Identity.ConfirmEmail = true })
		const email, password = "eve@example.com", "a fine long passphrase"
		a := e.do(t, "POST", "/signup", withChallenge(map[string]any{"email": email, "password": password}))
		require.Equal(t, 200, a.status, a.raw)
		a = e.exchange(t, e.followed(t, "signup"), verifier)
		require.Equal(t, 200, a.status, a.raw)

		a = e.do(t, "PUT", "/user", withChallenge(map[string]any{"email": "new@example.com"}),
			bearer(a.body["access_token"].(string)))
		require.Equal(t, 200, a.status, a.raw)
		current := e.mint(t, e.mail.requests[len(e.mail.requests)-2])
		a = e.pressButton(t, "email_change", current)
		require.Contains(t, a.header.Get("Location"), "#message=", "the link to the new address is missing")
		a = e.exchange(t, e.followed(t, "email_change"), verifier)
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, "new@example.com", a.body["user"].(map[string]any)["email"])
	})

	t.Run("is not needed by a client that sends the token itself", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		a := e.do(t, "POST", "/recover", withChallenge(map[string]any{"email": "ada@example.com"}))
		require.Equal(t, 200, a.status, a.raw)
		require.NotEmpty(t, e.verify(t, "recovery", e.minted(t)).body["access_token"])
	})
}

func TestCodeChallenges(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	for _, c := range []struct{ challenge, method string }{
		{verifier, ""}, {"", "s256"}, {verifier, "md5"}, {strings.Repeat("a", 42), "s256"},
		{strings.Repeat("a", 129), "s256"}, {strings.Repeat("a", 42) + "/", "s256"},
	} {
		body := jsonOf(map[string]any{
			"email": "ada@example.com", "code_challenge": c.challenge, "code_challenge_method": c.method,
		})
		requireError(t, e.do(t, "POST", "/recover", body), 400, "validation_failed")
	}
	body := withChallenge(map[string]any{"email": "nobody@example.com"})
	require.Equal(t, 200, e.do(t, "POST", "/recover", body).status)
	body = `{"email":"ada@example.com","code_challenge":null,"code_challenge_method":null}`
	require.Equal(t, 200, e.do(t, "POST", "/recover", body).status)
}
