package auth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/auth"
	"research/db"
	"research/db/dbtest"
)

const (
	victim          = "victim@example.com"
	attackersChoice = "the attacker's passphrase"
	victimsChoice   = "the victim's passphrase"
)

// requireOwned requires that only the victim's password works, and that the address is proven.
func requireOwned(t *testing.T, e *edge) {
	t.Helper()
	requireError(t, e.grant(t, victim, attackersChoice), 400, "invalid_credentials")
	e.signIn(t, victim, victimsChoice)
	require.True(t, dbtest.Value[bool](t, e.DB,
		`select email_confirmed_at is not null from auth.users where email = $1`, victim))
	require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.one_time_tokens`))
}

// recoverVictim sets the victim's password by a recovery link.
func recoverVictim(t *testing.T, e *edge) {
	t.Helper()
	require.Equal(t, 200, e.do(t, "POST", "/recover", jsonOf(map[string]any{"email": victim})).status)
	a := e.verify(t, "recovery", e.minted(t))
	require.Equal(t, 200, a.status, a.raw)
	requireError(t, e.grant(t, victim, attackersChoice), 400, "invalid_credentials")
	password := jsonOf(map[string]any{"password": victimsChoice})
	require.Equal(t, 200, e.putUser(t, a.body["access_token"].(string), password).status)
}

// An attacker signs up with an address before its owner does (pre-hijacking).
func TestSignUpBeforeTheOwnerGivesNoHoldOnTheAccount(t *testing.T) {
	t.Parallel()
	signUp := func(t *testing.T, e *edge, password string) answer {
		t.Helper()
		return e.do(t, "POST", "/signup", jsonOf(map[string]any{
			"email": victim, "password": password, "data": map[string]any{"display_name": password},
		}))
	}

	t.Run("with SIGNUP_CONFIRM=on", func(t *testing.T) {
		t.Parallel()
		byLink := configured(func(c *auth.Config) { c.Identity.ConfirmEmail = true })

		t.Run("where the owner follows the link of the own sign-up", func(t *testing.T) {
			t.Parallel()
			e := setup(t, byLink)
			signUp(t, e, attackersChoice)
			signUp(t, e, victimsChoice)
			a := e.verify(t, "signup", e.minted(t))
			require.Equal(t, 200, a.status, a.raw)
			require.Contains(t, jsonOf(a.body["user"]), "the victim's", "the metadata")
			requireOwned(t, e)
			require.Equal(t, victimsChoice, dbtest.Value[string](t, e.DB, `select display_name from profiles`))
		})

		t.Run("where the attacker signs up again while the link is in the mailbox", func(t *testing.T) {
			t.Parallel()
			e := setup(t, byLink)
			signUp(t, e, victimsChoice)
			link := e.minted(t)
			signUp(t, e, attackersChoice)
			require.Equal(t, 200, e.verify(t, "signup", link).status)
			requireOwned(t, e)
		})

		t.Run("where the owner asks for the link again", func(t *testing.T) {
			t.Parallel()
			e := setup(t, byLink)
			signUp(t, e, attackersChoice)
			signUp(t, e, victimsChoice)
			own := e.minted(t)
			e.do(t, "POST", "/resend", jsonOf(map[string]any{"type": "signup", "email": victim}))
			require.NotEmpty(t, e.minted(t))
			require.Equal(t, 200, e.verify(t, "signup", own).status, "the earlier link stays")
			requireOwned(t, e)
		})

		t.Run("where the link was asked for again, and nobody knows whose password is meant", func(t *testing.T) {
			t.Parallel()
			e := setup(t, byLink)
			signUp(t, e, victimsChoice)
			signUp(t, e, attackersChoice)
			e.do(t, "POST", "/resend", jsonOf(map[string]any{"type": "signup", "email": victim}))
			require.Equal(t, 200, e.verify(t, "signup", e.minted(t)).status)
			for _, password := range []string{attackersChoice, victimsChoice} {
				requireError(t, e.grant(t, victim, password), 400, "invalid_credentials")
			}
			recoverVictim(t, e)
			requireOwned(t, e)
		})

		t.Run("where the owner recovers the account", func(t *testing.T) {
			t.Parallel()
			e := setup(t, byLink)
			signUp(t, e, attackersChoice)
			own := e.minted(t)
			recoverVictim(t, e)
			requireOwned(t, e)
			requireError(t, e.verify(t, "signup", own), 403, "otp_expired")
		})

		t.Run("where the owner types the code of the attacker's mail", func(t *testing.T) {
			t.Parallel()
			e := setup(t, byLink)
			signUp(t, e, victimsChoice)
			e.minted(t)
			signUp(t, e, attackersChoice)
			a := e.enterCode(t, victim, e.minted(t), "signup")
			require.Equal(t, 200, a.status, a.raw)
			require.NotContains(t, jsonOf(a.body["user"]), attackersChoice, "the metadata")
			for _, password := range []string{attackersChoice, victimsChoice} {
				requireError(t, e.grant(t, victim, password), 400, "invalid_credentials")
			}
			recoverVictim(t, e)
			requireOwned(t, e)
		})

		t.Run("and the code of the only sign-up puts its password in force", func(t *testing.T) {
			t.Parallel()
			e := setup(t, byLink)
			signUp(t, e, victimsChoice)
			require.Equal(t, 200, e.enterCode(t, victim, e.minted(t), "signup").status)
			requireOwned(t, e)
		})

		t.Run("and a link that is asked for again carries the password of the only sign-up", func(t *testing.T) {
			t.Parallel()
			e := setup(t, byLink)
			signUp(t, e, victimsChoice)
			for range 2 {
				e.do(t, "POST", "/resend", jsonOf(map[string]any{"type": "signup", "email": victim}))
			}
			require.Equal(t, 200, e.verify(t, "signup", e.minted(t)).status)
			requireOwned(t, e)
		})
	})

	t.Run("with SIGNUP_CONFIRM=off", func(t *testing.T) {
		t.Parallel()
		// hijacked returns an edge on which the attacker has a session in an account with the victim's address.
		hijacked := func(t *testing.T) (*edge, answer) {
			t.Helper()
			e := setup(t)
			a := signUp(t, e, attackersChoice)
			require.Equal(t, 200, a.status, a.raw)
			require.NotEmpty(t, a.body["access_token"])
			return e, a
		}
		requireSessionEnded := func(t *testing.T, e *edge, session answer) {
			t.Helper()
			requireError(t, e.getUser(t, session.body["access_token"].(string)), 403, "session_not_found")
			requireError(t, e.refresh(t, session.body["refresh_token"].(string)), 400, "refresh_token_not_found")
		}

		t.Run("where the owner signs up and follows the link of that", func(t *testing.T) {
			t.Parallel()
			e, attacker := hijacked(t)
			e.relayed(t)
			requireError(t, signUp(t, e, victimsChoice), 422, "user_already_exists")
			requireError(t, e.grant(t, victim, victimsChoice), 400, "invalid_credentials")
			require.Equal(t, 200, e.verify(t, "signup", e.relayed(t)).status)
			requireSessionEnded(t, e, attacker)
			requireOwned(t, e)
		})

		t.Run("where the owner signs up and types the code of that", func(t *testing.T) {
			t.Parallel()
			e, attacker := hijacked(t)
			e.relayed(t)
			requireError(t, signUp(t, e, victimsChoice), 422, "user_already_exists")
			require.Equal(t, 200, e.enterCode(t, victim, e.relayed(t), "signup").status)
			requireSessionEnded(t, e, attacker)
			requireError(t, e.grant(t, victim, attackersChoice), 400, "invalid_credentials")
			recoverVictim(t, e)
			requireOwned(t, e)
		})

		t.Run("where the attacker changes the password after the owner has signed up", func(t *testing.T) {
			t.Parallel()
			e, attacker := hijacked(t)
			link := e.relayed(t)
			requireError(t, signUp(t, e, victimsChoice), 422, "user_already_exists")
			changed := jsonOf(map[string]any{"password": "another of the attacker's"})
			require.Equal(t, 200, e.putUser(t, attacker.body["access_token"].(string), changed).status)
			requireError(t, e.verify(t, "signup", link), 403, "otp_expired")
			e.do(t, "POST", "/resend", jsonOf(map[string]any{"type": "signup", "email": victim}))
			require.Equal(t, 200, e.verify(t, "signup", e.minted(t)).status)
			requireSessionEnded(t, e, attacker)
			requireError(t, e.grant(t, victim, "another of the attacker's"), 400, "invalid_credentials")
			recoverVictim(t, e)
			requireOwned(t, e)
		})

		t.Run("where the owner recovers the account", func(t *testing.T) {
			t.Parallel()
			e, attacker := hijacked(t)
			recoverVictim(t, e)
			requireSessionEnded(t, e, attacker)
			requireOwned(t, e)
		})

		t.Run("where the attacker has a second factor, which the owner does not have", func(t *testing.T) {
			t.Parallel()
			e, attacker := hijacked(t)
			access := attacker.body["access_token"].(string)
			p := e.enroll(t, access, totpFactor)
			e.raise(t, access, p.factor, p.code(t, e, 0))
			recoverVictim(t, e) // a new password requires the factor, where there is one
			require.Zero(t, dbtest.Value[int](t, e.DB, `select count(*)::int from auth.mfa_factors`))
			requireOwned(t, e)
		})

		t.Run("and somebody who signs up twice keeps the password and the session", func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			own := signUp(t, e, victimsChoice)
			link := e.relayed(t)
			requireError(t, signUp(t, e, victimsChoice), 422, "user_already_exists")
			require.Equal(t, 200, e.verify(t, "signup", link).status)
			require.Equal(t, 200, e.getUser(t, own.body["access_token"].(string)).status)
			requireOwned(t, e)
		})

		t.Run("where the attacker's link is followed after the owner has signed up", func(t *testing.T) {
			t.Parallel()
			e, attacker := hijacked(t)
			link := e.relayed(t)
			requireError(t, signUp(t, e, victimsChoice), 422, "user_already_exists")
			require.Equal(t, 200, e.verify(t, "signup", link).status)
			requireSessionEnded(t, e, attacker)
			requireError(t, e.grant(t, victim, attackersChoice), 400, "invalid_credentials")
			recoverVictim(t, e)
			requireOwned(t, e)
		})

		t.Run("and the link of the only sign-up keeps its password and its session", func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			own := signUp(t, e, victimsChoice)
			require.Equal(t, 200, e.verify(t, "signup", e.relayed(t)).status)
			require.Equal(t, 200, e.getUser(t, own.body["access_token"].(string)).status)
			requireOwned(t, e)
		})
	})
}

// invitationsOf counts the invitations that a user can accept.
func (e *edge) invitationsOf(t *testing.T, email string) int {
	t.Helper()
	id := dbtest.Value[string](t, e.DB, `select id::text from auth.users where email = $1`, email)
	claims := jsonOf(map[string]any{"sub": id, "role": db.RoleAuthenticated})
	return dbtest.Value[int](t, e.DB, `
		with claims as materialized (select set_config('request.jwt.claims', $1, false))
		select (select count(*)::int from private.open_invitations()) from claims`, claims)
}

func TestAnUnprovenAddressGetsNoInvitations(t *testing.T) {
	t.Parallel()
	e := setup(t)
	tenant := e.Tenant(t)
	e.Exec(t, `insert into workspace_invitations (workspace_id, email, role) values ($1, $2, 'owner')`,
		tenant.Workspace, victim)
	e.Exec(t, `delete from auth.one_time_tokens`)
	require.Equal(t, 200, e.signUp(t, victim, passphrase).status)
	require.Zero(t, e.invitationsOf(t, victim))
	require.Equal(t, 200, e.verify(t, "signup", e.relayed(t)).status)
	require.Equal(t, 1, e.invitationsOf(t, victim))
}
