package identity_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/identity"
)

func TestSignIn(t *testing.T) {
	t.Parallel()

	t.Run("begins a session that its user can see", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		id := f.DB.User(t, "ada@example.com")
		session := f.signIn(t, " Ada@Example.com ", password)
		require.Equal(t, id, session.User.ID)
		require.Equal(t, f.clock.Now(), *session.User.LastSignInAt)
		require.Contains(t, string(session.AMR), `"method":"password"`)
		list, err := f.Sessions(t.Context(), id)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, client.Address, list[0].Ip)
		require.Equal(t, client.UserAgent, list[0].UserAgent)
		current, err := f.current(t, session)
		require.NoError(t, err)
		require.Equal(t, session.ID, current.SessionID)
	})

	t.Run("does not count the right password, nor a failure of ours, as a guess", func(t *testing.T) {
		t.Parallel()
		f := setup(t, func(c *identity.Config) {
			c.Limits = identity.Limits{AccountFailures: 1, AddressFailures: 1}
		})
		f.DB.User(t, "ada@example.com")
		for range 3 {
			f.signIn(t, "ada@example.com", password)
		}
		f.Exec(t, `revoke select on auth.users from service_role`)
		for range 3 {
			_, err := f.SignIn(t.Context(), client, "ada@example.com", "wrong")
			require.ErrorIs(t, err, db.ErrDenied)
		}
		f.Exec(t, `grant select on auth.users to service_role`)
		_, err := f.SignIn(t.Context(), client, "ada@example.com", "wrong")
		require.ErrorIs(t, err, identity.ErrInvalidCredentials)
		_, err = f.SignIn(t.Context(), client, "ada@example.com", password)
		var limit *identity.LimitError
		require.ErrorAs(t, err, &limit)
		require.ErrorIs(t, err, identity.ErrTooManySignIns)
		require.Greater(t, limit.RetryAfter, 50*time.Minute)
	})
}

func TestSessionCacheIsTold(t *testing.T) {
	t.Parallel()

	t.Run("which sessions a sign-out ends", func(t *testing.T) {
		t.Parallel()
		for scope, ended := range map[identity.SignOutScope][]int{
			identity.SignOutGlobal: {0, 1}, identity.SignOutLocal: {0}, identity.SignOutOthers: {1},
		} {
			f := setup(t)
			f.DB.User(t, "ada@example.com")
			sessions := []identity.Session{
				f.signIn(t, "ada@example.com", password), f.signIn(t, "ada@example.com", password),
			}
			current, err := f.current(t, sessions[0])
			require.NoError(t, err)
			require.NoError(t, f.SignOut(t.Context(), client, current, scope))
			var want []uuid.UUID
			for _, i := range ended {
				want = append(want, sessions[i].ID)
				f.requireEnded(t, sessions[i])
			}
			require.ElementsMatch(t, want, f.sessions.ended, scope)
		}
	})

	t.Run("that an unknown scope ends nothing", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.DB.User(t, "ada@example.com")
		session := f.signIn(t, "ada@example.com", password)
		current, err := f.current(t, session)
		require.NoError(t, err)
		require.Error(t, f.SignOut(t.Context(), client, current, "everybody"))
		require.Empty(t, f.sessions.ended)
		f.requireActive(t, session)
	})

	t.Run("that a session was revoked, if it is the user's", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.DB.User(t, "ada@example.com")
		f.DB.User(t, "eve@example.com")
		session, other := f.signIn(t, "ada@example.com", password), f.signIn(t, "eve@example.com", password)
		current, err := f.current(t, session)
		require.NoError(t, err)
		err = f.RevokeSession(t.Context(), client, current, other.ID)
		require.ErrorIs(t, err, identity.ErrSessionNotFound)
		require.Empty(t, f.sessions.ended)
		require.NoError(t, f.RevokeSession(t.Context(), client, current, session.ID))
		require.Equal(t, []uuid.UUID{session.ID}, f.sessions.ended)
	})

	t.Run("that a reused refresh token ended its session", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.DB.User(t, "ada@example.com")
		first := f.signIn(t, "ada@example.com", password)
		second, err := f.Refresh(t.Context(), client, first.RefreshToken)
		require.NoError(t, err)
		_, err = f.Refresh(t.Context(), client, second.RefreshToken)
		require.NoError(t, err)
		require.Empty(t, f.sessions.ended)
		f.clock.advance(time.Hour)
		reused, err := f.Refresh(t.Context(), client, first.RefreshToken)
		require.ErrorIs(t, err, identity.ErrRefreshTokenReused)
		require.Zero(t, reused)
		require.Equal(t, []uuid.UUID{first.ID}, f.sessions.ended)
	})

	t.Run("that a new password ended the other sessions", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.DB.User(t, "ada@example.com")
		session, other := f.signIn(t, "ada@example.com", password), f.signIn(t, "ada@example.com", password)
		current, err := f.current(t, session)
		require.NoError(t, err)
		newPassword := "another passphrase"
		_, err = f.UpdateSelf(t.Context(), client, current, identity.SelfChange{Password: &newPassword})
		require.NoError(t, err)
		require.Equal(t, []uuid.UUID{other.ID}, f.sessions.ended)
		f.requireActive(t, session)
	})

	t.Run("to ask again after an administrator changed or deleted a user", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		id := f.DB.User(t, "ada@example.com")
		hour := time.Hour
		_, err := f.ChangeUser(t.Context(), client, id, identity.AdminChange{BanFor: &hour})
		require.NoError(t, err)
		require.Equal(t, 1, f.sessions.rechecked)
		require.NoError(t, f.DeleteUser(t.Context(), client, id, false))
		require.Equal(t, 2, f.sessions.rechecked)
		require.ErrorIs(t, f.DeleteUser(t.Context(), client, id, false), identity.ErrUserNotFound)
		_, err = f.ChangeUser(t.Context(), client, id, identity.AdminChange{BanFor: &hour})
		require.ErrorIs(t, err, identity.ErrUserNotFound)
		require.Equal(t, 2, f.sessions.rechecked)
	})
}

func TestCreateUser(t *testing.T) {
	t.Parallel()
	f := setup(t)
	taken := f.DB.User(t, "ada@example.com")
	create := func(n identity.NewUser) error {
		_, err := f.CreateUser(t.Context(), client, n)
		return err
	}
	require.ErrorIs(t, create(identity.NewUser{}), identity.ErrInvalidEmail)
	require.ErrorIs(t, create(identity.NewUser{
		AdminChange: identity.AdminChange{Email: "Ada@Example.com"},
	}), identity.ErrEmailTaken)
	require.ErrorIs(t, create(identity.NewUser{
		ID: taken, AdminChange: identity.AdminChange{Email: "grace@example.com"},
	}), identity.ErrIDTaken)
	require.ErrorIs(t, create(identity.NewUser{
		AdminChange: identity.AdminChange{Email: "grace@example.com", Phone: "+49\x00"},
	}), identity.ErrInvalidPhone)
	var hash *identity.HashError
	require.ErrorAs(t, create(identity.NewUser{
		AdminChange: identity.AdminChange{Email: "grace@example.com", PasswordHash: "hunter2"},
	}), &hash)
	require.NoError(t, create(identity.NewUser{
		AdminChange: identity.AdminChange{Email: "grace@example.com", Password: "a fine passphrase"},
	}))
	f.signIn(t, "grace@example.com", "a fine passphrase")
}

func TestLinks(t *testing.T) {
	t.Parallel()
	recovery := []identity.LinkType{identity.LinkRecovery}

	t.Run("are checked without being used", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.DB.User(t, "ada@example.com")
		require.NoError(t, f.RequestRecovery(t.Context(), client, identity.LinkRequest{Email: "ada@example.com"}))
		secret := f.lastLink(t)
		for range 2 {
			require.NoError(t, f.CheckLink(t.Context(), secret, recovery))
		}
		others := []identity.LinkType{identity.LinkSignUp, identity.LinkInvite, identity.LinkEmailChange}
		require.ErrorIs(t, f.CheckLink(t.Context(), secret, others), identity.ErrInvalidLink)
		_, err := f.UseLink(t.Context(), client, secret, others)
		require.ErrorIs(t, err, identity.ErrInvalidLink)
		used, err := f.UseLink(t.Context(), client, secret, recovery)
		require.NoError(t, err)
		require.Equal(t, identity.LinkRecovery, used.Type)
		require.Equal(t, f.cfg.PublicURL, used.RedirectTo)
		require.Contains(t, string(used.Session.AMR), `"method":"recovery"`)
		require.ErrorIs(t, f.CheckLink(t.Context(), secret, recovery), identity.ErrInvalidLink)
		_, err = f.UseLink(t.Context(), client, secret, recovery)
		require.ErrorIs(t, err, identity.ErrInvalidLink)
	})

	t.Run("that cannot be mailed leave no account behind", func(t *testing.T) {
		t.Parallel()
		f := setup(t, func(c *identity.Config) { c.ConfirmEmail = true })
		f.mail.err = errors.New("the workflow did not start")
		signUp := identity.SignUp{Email: "new@example.com", Password: "a fine passphrase"}
		_, session, err := f.SignUp(t.Context(), client, signUp)
		require.ErrorIs(t, err, f.mail.err)
		require.Nil(t, session)
		_, err = f.Invite(t.Context(), client, identity.Invitation{Email: "guest@example.com"})
		require.ErrorIs(t, err, f.mail.err)
		require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*)::int from auth.users`))
	})
}
