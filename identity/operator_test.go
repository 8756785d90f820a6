package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/identity"
)

func TestOperator(t *testing.T) {
	t.Parallel()

	t.Run("creates users who can sign in", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		o := f.operator(t)
		id, err := o.Create(t.Context(), " Ada@Example.com", "a fine passphrase")
		require.NoError(t, err)
		require.Equal(t, id, f.signIn(t, "ada@example.com", "a fine passphrase").User.ID)
		_, err = o.Create(t.Context(), "ADA@example.com", "a fine passphrase")
		require.ErrorIs(t, err, identity.ErrEmailTaken)
		_, err = o.Create(t.Context(), "no address", "a fine passphrase")
		require.ErrorContains(t, err, "email")
		_, err = o.Create(t.Context(), "b@example.com", "short")
		require.ErrorContains(t, err, "8 characters")
		require.Equal(t, 1, f.audited(t, "user_signedup"))
		require.GreaterOrEqual(t, len(identity.NewPassword()), 20)
		require.NotEqual(t, identity.NewPassword(), identity.NewPassword())
	})

	t.Run("replaces a password and ends the sessions", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		o := f.operator(t)
		f.DB.User(t, "ada@example.com")
		session := f.signIn(t, "ada@example.com", password)
		require.NoError(t, o.SetPassword(t.Context(), "ada@example.com", "another passphrase"))
		f.requireEnded(t, session)
		_, err := f.SignIn(t.Context(), client, "ada@example.com", password)
		require.ErrorIs(t, err, identity.ErrInvalidCredentials)
		f.signIn(t, "ada@example.com", "another passphrase")
		err = o.SetPassword(t.Context(), "ada@example.com", strings.Repeat("x", 73))
		require.ErrorContains(t, err, "72 bytes")
		err = o.SetPassword(t.Context(), "nobody@example.com", "another passphrase")
		require.ErrorIs(t, err, identity.ErrUserNotFound)
		require.Equal(t, 1, f.audited(t, "user_updated_password"))
	})

	t.Run("bans by address or id, ends the sessions, and lifts the ban", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		o := f.operator(t)
		id := f.DB.User(t, "ada@example.com")
		session := f.signIn(t, "ada@example.com", password)
		require.NoError(t, o.Ban(t.Context(), id.String(), time.Hour))
		f.requireEnded(t, session)
		_, err := f.SignIn(t.Context(), client, "ada@example.com", password)
		require.ErrorIs(t, err, identity.ErrBanned)
		f.clock.advance(2 * time.Hour)
		f.signIn(t, "ada@example.com", password)
		f.clock.advance(-2 * time.Hour)
		require.NoError(t, o.Ban(t.Context(), "Ada@example.com", 0))
		f.signIn(t, "ada@example.com", password)
		require.ErrorIs(t, o.Ban(t.Context(), uuid.NewString(), time.Hour), identity.ErrUserNotFound)
		require.Equal(t, 1, f.audited(t, "user_banned"))
		require.Equal(t, 1, f.audited(t, "user_unbanned"))
	})

	t.Run("lists sessions, and ends one or all", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		o := f.operator(t)
		f.DB.User(t, "ada@example.com")
		f.DB.User(t, "eve@example.com")
		first := f.signIn(t, "ada@example.com", password)
		second := f.signIn(t, "ada@example.com", password)
		other := f.signIn(t, "eve@example.com", password)
		list, err := o.Sessions(t.Context(), "ada@example.com")
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, "192.0.2.7", list[0].Ip)

		ended, err := o.EndSessions(t.Context(), "ada@example.com", &other.ID)
		require.NoError(t, err)
		require.Zero(t, ended, "another user's session")
		ended, err = o.EndSessions(t.Context(), "ada@example.com", &first.ID)
		require.NoError(t, err)
		require.Equal(t, 1, ended)
		f.requireEnded(t, first)
		f.requireActive(t, second)
		ended, err = o.EndSessions(t.Context(), "ada@example.com", nil)
		require.NoError(t, err)
		require.Equal(t, 1, ended)
		f.requireEnded(t, second)
		f.requireActive(t, other)
	})

	t.Run("lists all users across pages with their states", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.Exec(t, `insert into auth.users (id, email, created_at)
			select gen_random_uuid(), 'u' || n || '@example.com', now() - n * interval '1 second'
			from generate_series(1, 1001) n`)
		set := func(email, column, value string) {
			f.Exec(t, `update auth.users set `+column+` = `+value+` where email = $1`, email)
		}
		set("u1@example.com", "banned_until", "now() + interval '1 hour'")
		set("u2@example.com", "banned_until", "now() - interval '1 hour'")
		set("u3@example.com", "confirmation_sent_at", "now()")
		set("u4@example.com", "deleted_at", "now()")
		var all []identity.Person
		require.NoError(t, f.operator(t).List(t.Context(), func(p identity.Person) error {
			all = append(all, p)
			return nil
		}))
		require.Len(t, all, 1000)
		require.Equal(t, "u1@example.com", all[0].Email)
		require.NotNil(t, all[0].BannedUntil)
		require.Nil(t, all[1].BannedUntil)
		require.True(t, all[2].Unconfirmed)
		require.Equal(t, "u1001@example.com", all[999].Email)
	})
}
