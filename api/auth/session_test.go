package auth_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
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
