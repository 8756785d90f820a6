package auth_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/api/token"
)

func TestSignOut(t *testing.T) {
	t.Parallel()
	for query, active := range map[string][2]bool{
		"":              {false, false},
		"?scope=global": {false, false},
		"?scope=local":  {false, true},
		"?scope=others": {true, false},
	} {
		t.Run("with the query "+query, func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			e.User(t, "ada@example.com")
			e.User(t, "eve@example.com")
			sessions := []session{e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)}
			other := e.signIn(t, "eve@example.com", correct)
			a := e.do(t, "POST", "/logout"+query, "", bearer(sessions[0].access))
			require.Equal(t, http.StatusNoContent, a.status)
			require.Empty(t, a.raw)
			for i, s := range sessions {
				if active[i] {
					require.Equal(t, 200, e.getUser(t, s.access).status)
					require.Equal(t, 200, e.refresh(t, s.refresh).status)
				} else {
					requireError(t, e.getUser(t, s.access), 403, "session_not_found")
					requireError(t, e.refresh(t, s.refresh), 400, "refresh_token_not_found")
				}
			}
			require.Equal(t, 200, e.getUser(t, other.access).status)
		})
	}

	t.Run("rejects another scope, and keeps the session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		a := e.do(t, "POST", "/logout?scope=everybody", "", bearer(s.access))
		requireError(t, a, 400, "validation_failed")
		require.Equal(t, 200, e.getUser(t, s.access).status)
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	e.User(t, "eve@example.com")
	first, second := e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)
	foreign := e.signIn(t, "eve@example.com", correct)
	idOf := func(s session) string { return claim(t, s.access, "session_id").(string) }

	a := e.do(t, "GET", "/sessions", "", bearer(first.access))
	require.Equal(t, 200, a.status)
	list := a.body["sessions"].([]any)
	require.Len(t, list, 2)
	var current []any
	for _, listed := range list {
		s := listed.(map[string]any)
		require.Equal(t, "192.0.2.7", s["ip"])
		require.NotEmpty(t, s["created_at"])
		require.NotEmpty(t, s["last_used_at"])
		if s["current"] == true {
			current = append(current, s["id"])
		}
	}
	require.Equal(t, []any{idOf(first)}, current)

	for _, id := range []string{idOf(foreign), uuid.NewString(), "7"} {
		a := e.do(t, "DELETE", "/sessions/"+id, "", bearer(first.access))
		requireError(t, a, 404, "session_not_found")
	}
	require.Equal(t, 200, e.getUser(t, foreign.access).status)
	a = e.do(t, "DELETE", "/sessions/"+idOf(second), "", bearer(first.access))
	require.Equal(t, http.StatusNoContent, a.status)
	requireError(t, e.getUser(t, second.access), 403, "session_not_found")
	require.Equal(t, 200, e.getUser(t, first.access).status)
	require.Equal(t, 1, e.audited(t, "session_revoked"))
}

// limitedTo sets the limits of sessions.
func limitedTo(lifetime, idle time.Duration) func(*auth.Config, *token.KeysConfig) {
	return func(c *auth.Config, _ *token.KeysConfig) {
		c.Identity.SessionMaxLifetime, c.Identity.SessionIdleTimeout = lifetime, idle
	}
}

// age makes all sessions older.
func (e *edge) age(t testing.TB, by string) {
	t.Helper()
	e.Exec(t, `
		update auth.sessions
		set created_at = created_at - $1::interval, refreshed_at = refreshed_at - $1::interval,
			not_after = not_after - $1::interval`, by)
}

func TestSessionLimits(t *testing.T) {
	t.Parallel()

	t.Run("end a session at its maximum lifetime, however often it is refreshed", func(t *testing.T) {
		t.Parallel()
		e := setup(t, limitedTo(8*time.Hour, 0))
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		for range 7 {
			e.age(t, "1 hour")
			a := e.refresh(t, s.refresh)
			require.Equal(t, 200, a.status)
			s = session{a.body["access_token"].(string), a.body["refresh_token"].(string)}
		}
		e.age(t, "1 hour")
		requireError(t, e.getUser(t, s.access), 403, "session_not_found")
		requireError(t, e.refresh(t, s.refresh), 400, "session_expired")
	})

	t.Run("end a session that is not refreshed in time", func(t *testing.T) {
		t.Parallel()
		e := setup(t, limitedTo(0, 30*time.Minute))
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		for range 3 {
			e.age(t, "29 minutes")
			a := e.refresh(t, s.refresh)
			require.Equal(t, 200, a.status)
			s = session{a.body["access_token"].(string), a.body["refresh_token"].(string)}
		}
		e.age(t, "30 minutes")
		requireError(t, e.getUser(t, s.access), 403, "session_not_found")
		requireError(t, e.refresh(t, s.refresh), 400, "session_expired")
	})

	t.Run("apply to sessions from before they were set", func(t *testing.T) {
		t.Parallel()
		for _, limits := range []func(*auth.Config, *token.KeysConfig){limitedTo(time.Hour, 0),
			limitedTo(0, time.Hour)} {
			e := setup(t, limits)
			e.User(t, "ada@example.com")
			s := e.signIn(t, "ada@example.com", correct)
			e.Exec(t, `update auth.sessions set not_after = null, created_at = now() - interval '2 hours'`)
			requireError(t, e.refresh(t, s.refresh), 400, "session_expired")
		}
	})

	t.Run("are lifted where they are switched off", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		e.Exec(t, `update auth.sessions set not_after = now() + interval '1 hour'`)
		require.Equal(t, 200, e.refresh(t, s.refresh).status)
		a := e.do(t, "GET", "/sessions", "", bearer(s.access))
		require.Contains(t, a.raw, `"not_after":null`)
	})

	t.Run("are the same after a second factor", func(t *testing.T) {
		t.Parallel()
		e := setup(t, limitedTo(8*time.Hour, 0))
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		e.age(t, "7 hours")
		p := e.enroll(t, s.access, totpFactor)
		s = e.raise(t, s.access, p.factor, p.code(t, e, 0))
		e.age(t, "1 hour")
		requireError(t, e.refresh(t, s.refresh), 400, "session_expired")
	})

	t.Run("are listed with the session", func(t *testing.T) {
		t.Parallel()
		e := setup(t, limitedTo(8*time.Hour, 30*time.Minute))
		e.User(t, "ada@example.com")
		before := time.Now().Truncate(time.Second)
		s := e.signIn(t, "ada@example.com", correct)
		after := time.Now()
		a := e.do(t, "GET", "/sessions", "", bearer(s.access))
		listed := a.body["sessions"].([]any)[0].(map[string]any)
		end, err := time.Parse(time.RFC3339, listed["not_after"].(string))
		require.NoError(t, err)
		require.WithinRange(t, end, before.Add(30*time.Minute), after.Add(30*time.Minute))
	})

	t.Run("shorten access tokens as the keys are configured", func(t *testing.T) {
		t.Parallel()
		e := setup(t, func(_ *auth.Config, k *token.KeysConfig) { k.Lifetime = 15 * time.Minute })
		e.User(t, "ada@example.com")
		a := e.grant(t, "ada@example.com", correct)
		require.Equal(t, json.Number("900"), a.body["expires_in"])
		e.clock.advance(15 * time.Minute)
		requireError(t, e.getUser(t, a.body["access_token"].(string)), 403, "bad_jwt")
	})
}
