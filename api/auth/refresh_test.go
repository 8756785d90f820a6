package auth_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestRefresh(t *testing.T) {
	t.Parallel()
	// signedIn returns an edge with a user and a session.
	signedIn := func(t *testing.T) (*edge, uuid.UUID, session) {
		t.Helper()
		e := setup(t)
		id := e.User(t, "ada@example.com")
		return e, id, e.signIn(t, "ada@example.com", correct)
	}
	// requireRefreshed requires that a refresh succeeds, and returns the refresh token.
	requireRefreshed := func(t *testing.T, a answer) string {
		t.Helper()
		require.Equal(t, http.StatusOK, a.status, a.raw)
		return a.body["refresh_token"].(string)
	}

	t.Run("replaces the token, and keeps the session", func(t *testing.T) {
		t.Parallel()
		e, _, first := signedIn(t)
		a := e.refresh(t, first.refresh)
		require.NotEqual(t, first.refresh, requireRefreshed(t, a))
		access := a.body["access_token"].(string)
		require.Equal(t, claim(t, first.access, "session_id"), claim(t, access, "session_id"))
		require.NotNil(t, a.body["user"])
	})

	t.Run("answers with the same user as GET /user, with the identities of both kinds", func(t *testing.T) {
		t.Parallel()
		e, id, first := signedIn(t)
		user := func(a answer, identities int) map[string]any {
			u := a.body["user"].(map[string]any)
			require.Len(t, u["identities"], identities)
			return u
		}
		derived := e.refresh(t, first.refresh)
		require.Equal(t, e.getUser(t, first.access).body, user(derived, 1))
		e.Exec(t, `insert into auth.identities (user_id, provider, provider_id, identity_data)
			values ($1, 'google', '1815', '{"sub": "1815", "email": "ada@example.com"}')`, id)
		stored := e.refresh(t, derived.body["refresh_token"].(string))
		require.Equal(t, e.getUser(t, first.access).body, user(stored, 2))
		require.Contains(t, stored.raw, `"google"`)
		require.Contains(t, stored.raw, `"1815"`)
	})

	t.Run("stores no token", func(t *testing.T) {
		t.Parallel()
		e, _, s := signedIn(t)
		for _, table := range []string{"refresh_tokens", "sessions", "audit_log_entries", "users"} {
			all := dbtest.Value[string](t, e.DB,
				`select coalesce(string_agg(t::text, ' '), '') from auth.`+table+` t`)
			require.NotContains(t, all, s.refresh)
			require.NotContains(t, all, s.access)
			require.NotContains(t, all, correct)
		}
	})

	t.Run("gives the current token again to a client that lost the answer, at any time", func(t *testing.T) {
		t.Parallel()
		e, _, first := signedIn(t)
		current := requireRefreshed(t, e.refresh(t, first.refresh))
		e.clock.advance(time.Hour)
		require.Equal(t, current, requireRefreshed(t, e.refresh(t, first.refresh)))
	})

	t.Run("accepts an older token for ten seconds, then ends the session", func(t *testing.T) {
		t.Parallel()
		e, _, first := signedIn(t)
		second := requireRefreshed(t, e.refresh(t, first.refresh))
		third := requireRefreshed(t, e.refresh(t, second))
		// The database has a clock of its own, which is later the longer the requests took.
		e.Exec(t, `update auth.refresh_tokens set revoked_at = $1 where revoked_at is not null`, e.clock.Now())
		e.clock.advance(9 * time.Second)
		require.Equal(t, third, requireRefreshed(t, e.refresh(t, first.refresh)))
		e.clock.advance(2 * time.Second)
		requireError(t, e.refresh(t, first.refresh), 400, "refresh_token_already_used")
		requireError(t, e.refresh(t, third), 400, "refresh_token_not_found")
		requireError(t, e.getUser(t, first.access), 403, "session_not_found")
		require.Equal(t, 1, e.audited(t, "token_revoked"))
	})

	t.Run("gives twenty concurrent requests one successor", func(t *testing.T) {
		t.Parallel()
		e, _, first := signedIn(t)
		answers := make([]answer, 20)
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() { answers[i] = e.refresh(t, first.refresh) })
		}
		group.Wait()
		successor := requireRefreshed(t, answers[0])
		for _, a := range answers {
			require.Equal(t, successor, requireRefreshed(t, a))
		}
		require.Equal(t, 2, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.refresh_tokens`))
	})

	t.Run("requires the session and a user who may sign in", func(t *testing.T) {
		t.Parallel()
		e, id, s := signedIn(t)
		e.Exec(t, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, id)
		requireError(t, e.refresh(t, s.refresh), 400, "user_banned")
		requireError(t, e.grant(t, "ada@example.com", "wrong"), 400, "invalid_credentials")
		requireError(t, e.grant(t, "ada@example.com", correct), 400, "user_banned")
		e.Exec(t, `update auth.users set banned_until = null where id = $1`, id)
		e.Exec(t, `update auth.sessions set not_after = now() - interval '1 second'`)
		requireError(t, e.refresh(t, s.refresh), 400, "session_expired")
		e.Exec(t, `delete from auth.users where id = $1`, id)
		requireError(t, e.refresh(t, s.refresh), 400, "refresh_token_not_found")
		requireError(t, e.getUser(t, s.access), 403, "user_not_found")
	})

	t.Run("does not wait for a change of the user", func(t *testing.T) {
		t.Parallel()
		e, id, s := signedIn(t)
		require.NoError(t, e.AsService(t.Context(), func(q *db.Queries) error {
			if _, err := q.LockUser(t.Context(), id); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			body := jsonOf(map[string]any{"refresh_token": s.refresh})
			requireRefreshed(t, e.doIn(ctx, t, "POST", refreshGrant, body))
			return nil
		}))
	})

	t.Run("waits for the user's deletion without a deadlock", func(t *testing.T) {
		t.Parallel()
		e, id, s := signedIn(t)
		e.AsOwner(t, func(other *pgx.Conn) {
			tx, err := other.Begin(t.Context())
			require.NoError(t, err)
			// A deletion locks the row first.
			_, err = tx.Exec(t.Context(), `select from auth.users where id = $1 for update`, id)
			require.NoError(t, err)
			done := make(chan answer, 1)
			go func() { done <- e.refresh(t, s.refresh) }()
			e.AwaitLock(t)
			_, err = tx.Exec(t.Context(), `delete from auth.users where id = $1`, id)
			require.NoError(t, err, "a deadlock")
			require.NoError(t, tx.Commit(t.Context()))
			requireError(t, <-done, 400, "refresh_token_not_found")
		})
	})
}
