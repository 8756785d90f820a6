package db_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestInvitations(t *testing.T) {
	t.Parallel()
	const (
		invite  = "insert into workspace_invitations (workspace_id, email, role) values ($1, $2, $3)"
		mine    = "select count(*) from my_invitations()"
		accept  = "select accept_invitation($1)"
		decline = "select decline_invitation($1)"
	)
	setup := func(t *testing.T) (*dbtest.DB, dbtest.Tenant, *caller, uuid.UUID) {
		d := dbtest.New(t)
		guest := d.User(t, "guest@example.com")
		return d, d.Tenant(t), asUser(t, d, guest), guest
	}
	roleOf := func(t *testing.T, d *dbtest.DB, workspace, user uuid.UUID) string {
		return dbtest.Value[string](t, d,
			`select coalesce((select role::text from workspace_members where workspace_id = $1
				and user_id = $2), 'none')`, workspace, user)
	}
	idOf := func(t *testing.T, d *dbtest.DB) uuid.UUID {
		return dbtest.Value[uuid.UUID](t, d, "select id from workspace_invitations")
	}

	t.Run("make the owner of the address a member who accepts, once", func(t *testing.T) {
		t.Parallel()
		d, f, c, guest := setup(t)
		asUser(t, d, f.Admin).mustExec(t, invite, f.Workspace, " Guest@Example.com ", "editor")
		id := idOf(t, d)
		require.Equal(t, "none", roleOf(t, d, f.Workspace, guest))
		require.Equal(t, 1, value[int](t, c, mine))
		require.Equal(t, "editor",
			value[string](t, c,
				"select role::text from my_invitations() where expires_at > now() and invited_by <> ''"))
		require.True(t, value[bool](t, c, accept, id))
		require.Equal(t, "editor", roleOf(t, d, f.Workspace, guest))
		require.False(t, value[bool](t, c, accept, id))
		require.Zero(t, value[int](t, c, mine))
	})

	t.Run("require the confirmed address, and expire", func(t *testing.T) {
		t.Parallel()
		d, f, c, guest := setup(t)
		asUser(t, d, f.Owner).mustExec(t, invite, f.Workspace, "guest@example.com", "owner")
		id := idOf(t, d)
		other := d.User(t, "other@example.com")
		require.Zero(t, value[int](t, asUser(t, d, other), mine))
		require.False(t, value[bool](t, asUser(t, d, other), accept, id))
		require.False(t, value[bool](t, asUser(t, d, other), decline, id))
		for _, sql := range []string{
			"update auth.users set email_confirmed_at = null where id = '%s'",
			`update auth.users set email_confirmed_at = now() where id = '%s'; update workspace_invitations
				set expires_at = now() - interval '1 second'`,
		} {
			d.Exec(t, fmt.Sprintf(sql, guest))
			require.Zero(t, value[int](t, c, mine), sql)
			require.False(t, value[bool](t, c, accept, id), sql)
		}
		require.Equal(t, "none", roleOf(t, d, f.Workspace, guest))
		_, err := as(t, d, db.Subject{Role: db.RoleAnon}).try(t, accept, id)
		require.Equal(t, "42501", state(err))
	})

	t.Run("are deleted when declined, and do not change the role of a member", func(t *testing.T) {
		t.Parallel()
		d, f, c, guest := setup(t)
		asUser(t, d, f.Owner).mustExec(t, invite, f.Workspace, "guest@example.com", "viewer")
		require.True(t, value[bool](t, c, decline, idOf(t, d)))
		require.Zero(t, dbtest.Value[int](t, d, "select count(*) from workspace_invitations"))
		d.Exec(t, "insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'admin')",
			f.Workspace, guest)
		asUser(t, d, f.Owner).mustExec(t, invite, f.Workspace, "guest@example.com", "viewer")
		require.True(t, value[bool](t, c, accept, idOf(t, d)))
		require.Equal(t, "admin", roleOf(t, d, f.Workspace, guest))
	})

	t.Run("are managed by owners and admins, up to the role that they may grant", func(t *testing.T) {
		t.Parallel()
		d, f, _, _ := setup(t)
		for _, tc := range []struct {
			who  uuid.UUID
			role string
			ok   bool
		}{
			{f.Owner, "owner", true}, {f.Owner, "admin", true}, {f.Admin, "editor", true}, {f.Admin, "viewer", true},
			{f.Admin, "admin", false}, {f.Admin, "owner", false}, {f.Editor, "viewer", false}, {f.Viewer, "viewer",
				false}, {d.Tenant(t).Owner, "viewer", false},
		} {
			rows, err := asUser(t, d, tc.who).try(t, invite, f.Workspace, "someone@example.com", tc.role)
			if tc.ok {
				require.NoError(t, err)
				require.EqualValues(t, 1, rows)
			} else {
				require.Equal(t, "42501", state(err), tc.role)
			}
		}
		owner, admin := asUser(t, d, f.Owner), asUser(t, d, f.Admin)
		owner.mustExec(t, invite, f.Workspace, "boss@example.com", "admin")
		rows, err := admin.try(t, "delete from workspace_invitations")
		require.NoError(t, err)
		require.Zero(t, rows)
		rows, err = owner.try(t, "delete from workspace_invitations")
		require.NoError(t, err)
		require.EqualValues(t, 1, rows)
		_, err = owner.try(t, invite, f.Workspace, "BOSS@example.com", "viewer")
		require.Equal(t, "23505", state(err))
		_, err = owner.try(t, invite, f.Workspace, "not an address", "viewer")
		require.Equal(t, "workspace_invitations_email_check", db.Constraint(err))
		_, err = owner.try(t, invite, f.Workspace, "moc\u202e@example.com", "viewer")
		require.Equal(t, "workspace_invitations_email_plain", db.Constraint(err))
		_, err = owner.try(t, "update profiles set display_name = 'a\u202eb' where id = $1", f.Owner)
		require.Equal(t, "profiles_display_name_plain", db.Constraint(err))
		_, err = owner.try(t,
			`insert into workspace_invitations (workspace_id, email, expires_at)
				values ($1, 'x@example.com', 'infinity')`, f.Workspace)
		require.Equal(t, "42501", state(err))
	})
}

func TestBalances(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	h, bare := d.Hypothesis(t, f, "People pay"), d.Hypothesis(t, f, "Nobody spoke of this")
	for _, e := range []struct{ stance, review string }{
		{"supports", "accepted"}, {"supports", "suggested"}, {"contradicts", "suggested"}, {"neutral",
			"accepted"}, {"contradicts", "rejected"}, {"supports", "rejected"},
	} {
		id := dbtest.Value[uuid.UUID](t, d,
			"insert into evidence (project_id, quote, review) values ($1, 'Q', $2::evidence_review) returning id",
			f.Project, e.review)
		d.Exec(t,
			`insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
			values ($1, $2, $3::evidence_stance)`, id, h, e.stance)
	}
	viewer := asUser(t, d, f.Viewer)
	require.Equal(t, "2 1 1 2 2 2",
		value[string](t, viewer,
			`select concat_ws(' ', supports, contradicts, neutral, suggested, rejected, accepted)
				from hypothesis_balances($1) where hypothesis_id = $2`, f.Project, h))
	require.Zero(t,
		value[int](t, viewer, "select count(*) from hypothesis_balances($1) where hypothesis_id = $2", f.Project,
			bare))
	require.Zero(t,
		value[int](t, asUser(t, d, d.User(t, "outsider@example.com")),
			"select count(*) from hypothesis_balances($1)", f.Project))
}

func TestOverviews(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	id := storeImport(t, d, f.Project, nil, "one two  three\n\nfour")
	d.Exec(t, "update utterances set words = ordinal + 1 where import_id = $1", id)
	const overview = `select concat_ws(' ', utterances, duration_ms, speakers)
		from import_overviews(array[$1::uuid])`
	require.Equal(t, `3 2900 {"Speaker 0","Speaker 1"}`, value[string](t, asUser(t, d, f.Viewer), overview, id))
	require.EqualValues(t, 6,
		value[int64](t, asUser(t, d, f.Viewer), "select words from import_overviews(array[$1::uuid])", id))
	require.Zero(t,
		value[int](t, asUser(t, d, d.User(t, "outsider@example.com")),
			"select count(*) from import_overviews(array[$1::uuid])", id))
}

// A quote that a person enters is verbatim if the transcript has it, and manual if not.
func TestLocatedQuotes(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)
	c := asUser(t, d, f.Editor)
	match := func(id uuid.UUID) string {
		return dbtest.Value[string](t, d, "select match::text from evidence where id = $1", id)
	}
	const insert = "insert into evidence (project_id, import_id, quote) values ($1, $2, $3) returning id"
	there := value[uuid.UUID](t, c, insert, f.Project, f.Import, "never again")
	require.Equal(t, "verbatim", match(there))
	elsewhere := value[uuid.UUID](t, c, insert, f.Project, f.Import, "words of my own")
	require.Equal(t, "manual", match(elsewhere))
	c.mustExec(t, "update evidence set quote = 'never again' where id = $1", elsewhere)
	require.Equal(t, "verbatim", match(elsewhere))
	c.mustExec(t, "update evidence set quote = 'words of my own' where id = $1", there)
	require.Equal(t, "manual", match(there))
	require.Equal(t, "verbatim", match(f.Evidence))
}
