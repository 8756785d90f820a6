package auth_test

import (
	"crypto/rand"
	"crypto/sha256"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// undoLink mints the token of the link in the last notice of a kind, as the workflow's activity does.
func (e *edge) undoLink(t testing.TB, kind string) (token string) {
	t.Helper()
	notice := dbtest.Value[uuid.UUID](t, e.DB,
		`select id from auth.notices where kind = $1 order by created_at desc limit 1`, kind)
	token = rand.Text()
	sum := sha256.Sum256([]byte(token))
	require.NoError(t, e.AsService(t.Context(), func(q *db.Queries) error {
		_, err := q.MintUndoLink(t.Context(), db.MintUndoLinkParams{ID: notice, TokenHash: sum[:]})
		return err
	}))
	return token
}

func (e *edge) showUndo(t testing.TB, token string) answer {
	t.Helper()
	return e.do(t, "GET", "/undo?token="+url.QueryEscape(token), "", "apikey:")
}

// undo presses the button of the page of a link.
func (e *edge) undo(t testing.TB, token string) answer {
	t.Helper()
	return e.do(t, "POST", "/undo", url.Values{"token": {token}}.Encode(), "apikey:",
		"Content-Type: application/x-www-form-urlencoded", "Origin: https://research.example")
}

// requireUndone requires that a link undoes its change, once.
func (e *edge) requireUndone(t testing.TB, token string) answer {
	t.Helper()
	require.Equal(t, 200, e.showUndo(t, token).status)
	a := e.undo(t, token)
	require.Equal(t, 200, a.status, a.raw)
	require.Contains(t, a.raw, "The change is undone")
	require.Equal(t, 403, e.undo(t, token).status)
	require.Equal(t, 403, e.showUndo(t, token).status)
	return a
}

// changeEmail changes the address of a session's user, by the links to both addresses.
func (e *edge) changeEmail(t testing.TB, s session, email string) {
	t.Helper()
	a := e.putUser(t, s.access, jsonOf(map[string]any{"email": email}))
	require.Equal(t, 200, a.status, a.raw)
	links := e.mail.requests[len(e.mail.requests)-2:]
	for _, link := range links {
		require.Equal(t, 200, e.verify(t, "email_change", e.mint(t, link)).status)
	}
}

const thiefsPassword = "a password of the thief"

func TestUndoOfAPassword(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	thief := e.signIn(t, "ada@example.com", correct)
	require.Equal(t, 200, e.putUser(t, thief.access, jsonOf(map[string]any{"password": thiefsPassword})).status)
	link := e.undoLink(t, "password_changed")

	page := e.showUndo(t, link)
	require.Equal(t, 200, page.status, page.raw)
	require.Contains(t, page.raw, "your password was changed")
	require.Contains(t, page.raw, `action="undo"`)
	require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.Equal(t, 200, e.getUser(t, thief.access).status, "a scanner that opens the link changes nothing")
	e.signIn(t, "ada@example.com", thiefsPassword)

	a := e.requireUndone(t, link)
	require.Contains(t, a.raw, "mailed you a link to set a new password")
	requireError(t, e.getUser(t, thief.access), 403, "session_not_found")
	requireError(t, e.refresh(t, thief.refresh), 400, "refresh_token_not_found")
	for _, password := range []string{correct, thiefsPassword} {
		requireError(t, e.grant(t, "ada@example.com", password), 400, "invalid_credentials")
	}
	a = e.verify(t, "recovery", e.relayed(t))
	require.Equal(t, 200, a.status, a.raw)
	access := a.body["access_token"].(string)
	require.Equal(t, 200, e.putUser(t, access, `{"password":"chosen by the owner"}`).status)
	e.signIn(t, "ada@example.com", "chosen by the owner")
	require.Equal(t, 1, e.audited(t, "user_change_undone"))
}

func TestUndoOfAnAddress(t *testing.T) {
	t.Parallel()
	changed := func(t *testing.T) (e *edge, thief session, link string) {
		t.Helper()
		e = setup(t)
		e.User(t, "ada@example.com")
		thief = e.signIn(t, "ada@example.com", correct)
		e.changeEmail(t, thief, "thief@example.com")
		require.Equal(t, []string{"email_changed ada@example.com"}, e.notices(t))
		return e, thief, e.undoLink(t, "email_changed")
	}

	t.Run("restores it", func(t *testing.T) {
		t.Parallel()
		e, thief, link := changed(t)
		require.Contains(t, e.requireUndone(t, link).raw, "Sign in with your password")
		requireError(t, e.getUser(t, thief.access), 403, "session_not_found")
		requireError(t, e.grant(t, "thief@example.com", correct), 400, "invalid_credentials")
		e.signIn(t, "ada@example.com", correct)
		require.Equal(t, "ada@example.com", dbtest.Value[string](t, e.DB, `select email from profiles`))
	})

	t.Run("takes it from somebody who has not proven it", func(t *testing.T) {
		t.Parallel()
		e, _, link := changed(t)
		a := e.signUp(t, "ada@example.com", passphrase)
		require.Equal(t, 200, a.status, a.raw)
		e.requireUndone(t, link)
		requireError(t, e.getUser(t, a.body["access_token"].(string)), 403, "session_not_found")
		requireError(t, e.grant(t, "ada@example.com", passphrase), 400, "invalid_credentials")
		e.signIn(t, "ada@example.com", correct)
	})

	t.Run("does not take it from somebody who has proven it", func(t *testing.T) {
		t.Parallel()
		e, thief, link := changed(t)
		other := e.User(t, "ada@example.com")
		a := e.undo(t, link)
		require.Equal(t, 409, a.status, a.raw)
		require.Equal(t, 200, e.getUser(t, thief.access).status, "nothing has changed")
		e.Exec(t, `delete from auth.users where id = $1`, other)
		e.requireUndone(t, link)
	})
}

func TestUndoOfSecondFactors(t *testing.T) {
	t.Parallel()

	t.Run("removes one that was added", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		_, thief := e.protected(t, "ada@example.com")
		e.recoveryCodes(t, thief.access)
		e.requireUndone(t, e.undoLink(t, "factor_added"))
		requireError(t, e.getUser(t, thief.access), 403, "session_not_found")
		owner := e.signIn(t, "ada@example.com", correct)
		require.Equal(t, "0", e.codesLeft(t, owner.access))
		require.Equal(t, 200, e.putUser(t, owner.access, `{"password":"chosen by the owner"}`).status)
		p := e.enroll(t, owner.access, totpFactor)
		e.raise(t, owner.access, p.factor, p.code(t, e, 0))
	})

	t.Run("restores one that was removed", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, thief := e.protected(t, "ada@example.com")
		require.Equal(t, 200, e.do(t, "DELETE", "/factors/"+p.factor, "", bearer(thief.access)).status)
		theirs := e.enroll(t, thief.access, totpFactor)
		thief = e.raise(t, thief.access, theirs.factor, theirs.code(t, e, 0))
		e.requireUndone(t, e.undoLink(t, "factor_removed"))
		requireError(t, e.getUser(t, thief.access), 403, "session_not_found")
		owner := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.do(t, "POST", "/factors/"+theirs.factor+"/challenge", "", bearer(owner.access)),
			404, "mfa_factor_not_found")
		requireError(t, e.putUser(t, owner.access, `{"password":"chosen by the owner"}`), 401, "insufficient_aal")
		e.raise(t, owner.access, p.factor, p.code(t, e, 0))
	})

	t.Run("voids recovery codes that were made, and keeps earlier ones", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, thief := e.protected(t, "ada@example.com")
		old := e.recoveryCodes(t, thief.access)
		tablet := e.enroll(t, thief.access, `{"factor_type":"totp","friendly_name":"Tablet"}`)
		thief = e.raise(t, thief.access, tablet.factor, tablet.code(t, e, 0))
		added := e.undoLink(t, "factor_added")
		e.requireUndone(t, added)
		owner := e.signIn(t, "ada@example.com", correct)
		owner = e.raise(t, owner.access, p.factor, old[0])
		require.Equal(t, "9", e.codesLeft(t, owner.access))

		e.recoveryCodes(t, owner.access)
		e.requireUndone(t, e.undoLink(t, "recovery_codes_renewed"))
		owner = e.signIn(t, "ada@example.com", correct)
		require.Equal(t, "0", e.codesLeft(t, owner.access))
	})

	t.Run("voids recovery codes and the password after the use of a code", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		codes := e.recoveryCodes(t, s.access)
		thief := e.signIn(t, "ada@example.com", correct)
		e.raise(t, thief.access, p.factor, codes[0])
		e.requireUndone(t, e.undoLink(t, "recovery_code_used"))
		requireError(t, e.grant(t, "ada@example.com", correct), 400, "invalid_credentials")
		a := e.verify(t, "recovery", e.relayed(t))
		require.Equal(t, 200, a.status, a.raw)
		access := a.body["access_token"].(string)
		require.Equal(t, "0", e.codesLeft(t, access))
		e.raise(t, access, p.factor, p.code(t, e, 0))
	})
}

// A thief makes several changes in a row, and undoes what helps the owner.
func TestLaterChangesDoNotVoidUndoLinks(t *testing.T) {
	t.Parallel()
	// robbed returns the links of the owner, and that of a notice which went to the thief's address.
	robbed := func(t *testing.T) (e *edge, owners []string, thiefs string) {
		t.Helper()
		e = setup(t)
		_, thief := e.protected(t, "ada@example.com")
		owners = append(owners, e.undoLink(t, "factor_added"))
		require.Equal(t, 200, e.putUser(t, thief.access, jsonOf(map[string]any{"password": thiefsPassword})).status)
		owners = append(owners, e.undoLink(t, "password_changed"))
		e.changeEmail(t, thief, "thief@example.com")
		owners = append(owners, e.undoLink(t, "email_changed"))
		e.recoveryCodes(t, thief.access)
		require.Contains(t, e.notices(t), "recovery_codes_renewed thief@example.com")
		return e, owners, e.undoLink(t, "recovery_codes_renewed")
	}
	requireOwned := func(t *testing.T, e *edge) {
		t.Helper()
		requireError(t, e.grant(t, "thief@example.com", thiefsPassword), 400, "invalid_credentials")
		a := e.verify(t, "recovery", e.relayed(t))
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, "ada@example.com", a.body["user"].(map[string]any)["email"])
		access := a.body["access_token"].(string)
		require.Equal(t, 200, e.putUser(t, access, `{"password":"chosen by the owner"}`).status, "without a factor")
		e.signIn(t, "ada@example.com", "chosen by the owner")
	}

	t.Run("and the first link undoes all", func(t *testing.T) {
		t.Parallel()
		e, owners, thiefs := robbed(t)
		e.requireUndone(t, owners[0])
		requireOwned(t, e)
		for _, link := range []string{owners[1], owners[2], thiefs} {
			require.Equal(t, 403, e.undo(t, link).status, "a later link")
		}
	})

	t.Run("and links are used from the last to the first", func(t *testing.T) {
		t.Parallel()
		e, owners, thiefs := robbed(t)
		e.requireUndone(t, owners[2])
		require.Equal(t, 403, e.undo(t, thiefs).status)
		e.requireUndone(t, owners[1])
		e.requireUndone(t, owners[0])
		requireOwned(t, e)
	})

	t.Run("nor does a link of the thief", func(t *testing.T) {
		t.Parallel()
		e, owners, thiefs := robbed(t)
		e.requireUndone(t, thiefs)
		e.requireUndone(t, owners[0])
		requireOwned(t, e)
	})
}

func TestUndoLinks(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.User(t, "ada@example.com")
	s := e.signIn(t, "ada@example.com", correct)
	require.Equal(t, 200, e.putUser(t, s.access, jsonOf(map[string]any{"password": thiefsPassword})).status)
	link := e.undoLink(t, "password_changed")

	a := e.do(t, "POST", "/undo", url.Values{"token": {link}}.Encode(), "apikey:",
		"Content-Type: application/x-www-form-urlencoded", "Origin: https://elsewhere.example")
	requireError(t, a, 403, "cross_origin_request")
	a = e.do(t, "POST", "/undo", "token=%zz", "apikey:", "Content-Type: application/x-www-form-urlencoded")
	requireError(t, a, 400, "validation_failed")
	require.Equal(t, 403, e.undo(t, "").status)
	require.Equal(t, 403, e.showUndo(t, "nonsense").status)
	require.Equal(t, 200, e.getUser(t, s.access).status)

	e.Exec(t, `update auth.undo_links set expires_at = now()`)
	require.Equal(t, 403, e.showUndo(t, link).status)
	require.Equal(t, 403, e.undo(t, link).status)

	e.Exec(t, `
		insert into auth.undo_links (user_id, kind, recipient, password_digest, factors, identities,
			signs_in_by_email)
		select id, 'password_changed', email, '', '[]', '[]', true from auth.users, generate_series(1, 100)`)
	requireWait(t, e.putUser(t, s.access, `{"password":"one change too many"}`), "over_request_rate_limit")
	e.Exec(t, `update auth.undo_links set expires_at = now() where number % 2 = 0`)
	require.Equal(t, 200, e.putUser(t, s.access, `{"password":"one change too many"}`).status)
}
