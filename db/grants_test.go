package db_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// What a member gave: an invitation, a link to findings and a webhook.
type given struct{ invitation, link, webhook uuid.UUID }

func (g given) works(t *testing.T, d *dbtest.DB) string {
	t.Helper()
	return dbtest.Value[string](t, d, `
		select concat_ws(' ',
			(select 'invitation' from workspace_invitations where id = $1 and ended_at is null),
			(select 'link' from finding_shares where id = $2 and ended_at is null),
			(select 'webhook' from webhook_endpoints where id = $3 and active and ended_at is null))`,
		g.invitation, g.link, g.webhook)
}

// give makes the grants of an admin: as the admin, but for the link, which the API makes.
func give(t *testing.T, d *dbtest.DB, f filled, admin uuid.UUID) given {
	t.Helper()
	c := asUser(t, d, admin)
	c.mustExec(t, "insert into workspace_invitations (workspace_id, email, role) values ($1, $2, 'editor')",
		f.Workspace, "alt@example.com")
	c.mustExec(t, "insert into webhook_endpoints (workspace_id, url) values ($1, 'https://alt.example/')",
		f.Workspace)
	const of = " where workspace_id = $1 and created_by = $2"
	return given{
		invitation: dbtest.Value[uuid.UUID](t, d, "select id from workspace_invitations"+of, f.Workspace, admin),
		webhook:    dbtest.Value[uuid.UUID](t, d, "select id from webhook_endpoints"+of, f.Workspace, admin),
		link: value[uuid.UUID](t, c, "select id from private.share_findings($1, null, sha256('alt'), 30, false)",
			f.Hypothesis),
	}
}

func shareWorks(t *testing.T, d *dbtest.DB) bool {
	t.Helper()
	return dbtest.Value[int](t, d, "select count(*) from private.shared_findings(sha256('alt'))") == 1
}

func TestGrantsEndWithTheirGiver(t *testing.T) {
	t.Parallel()
	const all = "invitation link webhook"
	const member, ban = "where user_id = $1", "update auth.users set banned_until = "
	for name, tc := range map[string]struct{ end, remain string }{
		"who leaves":               {"delete from workspace_members " + member, ""},
		"who becomes a viewer":     {"update workspace_members set role = 'viewer' " + member, ""},
		"who becomes an editor":    {"update workspace_members set role = 'editor' " + member, "link"},
		"who becomes an owner":     {"update workspace_members set role = 'owner' " + member, all},
		"who is banned":            {ban + "now() + interval '1 hour' where id = $1", ""},
		"whose ban has ended":      {ban + "now() - interval '1 hour' where id = $1", all},
		"whose account is marked":  {"select private.mark_account_deleted($1)", ""},
		"whose account is deleted": {"delete from auth.users where id = $1", ""},
		"who is another":           {"delete from workspace_members where role = 'editor' and user_id <> $1", all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			f := fill(t, d)
			alt := asUser(t, d, d.User(t, "alt@example.com"))
			g := give(t, d, f, f.Admin)
			require.Equal(t, all, g.works(t, d))
			require.True(t, shareWorks(t, d))

			d.Exec(t, tc.end, f.Admin)
			require.Equal(t, tc.remain, g.works(t, d))
			require.Equal(t, tc.remain != "", shareWorks(t, d))
			if tc.remain == all {
				return
			}
			require.Zero(t, value[int](t, alt, "select count(*) from my_invitations()"))
			require.False(t, value[bool](t, alt, "select accept_invitation($1)", g.invitation))
			if tc.end == "delete from workspace_members "+member {
				d.Exec(t, "insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'admin')",
					f.Workspace, f.Admin)
				require.Empty(t, g.works(t, d), "what has ended stays so when the member returns")
				require.False(t, value[bool](t, alt, "select accept_invitation($1)", g.invitation))
			}
		})
	}

	t.Run("who was an owner and is an admin, where it is more than an admin may give", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := d.Tenant(t)
		d.Exec(t, "update workspace_members set role = 'owner' where user_id = $1", f.Admin)
		c := asUser(t, d, f.Admin)
		for _, role := range []string{"owner", "admin", "editor"} {
			c.mustExec(t, `
				insert into workspace_invitations (workspace_id, email, role)
				values ($1, $2::text || '@example.com', $2::member_role)`, f.Workspace, role)
		}
		d.Exec(t, "update workspace_members set role = 'admin' where user_id = $1", f.Admin)
		require.Equal(t, "editor", dbtest.Value[string](t, d,
			"select string_agg(role::text, ' ') from workspace_invitations where ended_at is null"))
	})

	t.Run("in one workspace alone", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f, other := fill(t, d), d.Tenant(t)
		d.Exec(t, "insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'admin')",
			other.Workspace, f.Admin)
		g := give(t, d, f, f.Admin)
		d.Exec(t, "delete from workspace_members where workspace_id = $1 and user_id = $2", other.Workspace,
			f.Admin)
		require.Equal(t, all, g.works(t, d))
	})

	t.Run("who is removed while giving", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		insert := "insert into workspace_invitations (workspace_id, email) values ($1, 'alt@example.com')"

		// The removal comes first, but is not committed when the invitation is made.
		removed := make(chan error, 1)
		invited := make(chan error, 1)
		owner, admin := asUser(t, d, f.Owner), asUser(t, d, f.Admin)
		require.NoError(t, owner.within(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "delete from workspace_members where user_id = $1", f.Admin)
			go func() { invited <- admin.exec(t, insert, f.Workspace) }()
			d.AwaitLock(t)
			return err
		}))
		require.Equal(t, "42501", state(<-invited))

		// The invitation comes first, but is not committed when its giver is demoted.
		d.Exec(t, "insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'admin')",
			f.Workspace, f.Admin)
		require.NoError(t, admin.within(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), insert, f.Workspace)
			go func() {
				removed <- owner.exec(t, "update workspace_members set role = 'editor' where user_id = $1", f.Admin)
			}()
			d.AwaitLock(t)
			return err
		}))
		require.NoError(t, <-removed)
		require.Equal(t, 1, dbtest.Value[int](t, d,
			"select count(*) from workspace_invitations where email = 'alt@example.com' and ended_at is not null"))
	})
}

func TestEndedGrants(t *testing.T) {
	t.Parallel()
	const list = `
		select coalesce(string_agg(concat_ws(' ', kind, what, given_by_name), ', ' order by kind), '')
		from ended_grants($1)`
	const takeOver = "select take_over_grant($1, $2)"

	t.Run("are seen and taken over by owners and admins", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		rival := d.Tenant(t)
		g := give(t, d, f, f.Admin)
		d.Exec(t, "update profiles set display_name = 'Ada' where id = $1", f.Admin)
		asUser(t, d, f.Owner).mustExec(t, "delete from workspace_members where user_id = $1", f.Admin)
		require.Equal(t,
			"invitation alt@example.com Ada, link People pay monthly Ada, webhook https://alt.example/ Ada",
			value[string](t, asUser(t, d, f.Owner), list, f.Workspace))
		for _, other := range []uuid.UUID{f.Editor, f.Viewer, f.Admin, rival.Owner} {
			c := asUser(t, d, other)
			require.Empty(t, value[string](t, c, list, f.Workspace))
			require.False(t, value[bool](t, c, takeOver, "invitation", g.invitation))
			require.False(t, value[bool](t, c, takeOver, "link", g.link))
			require.False(t, value[bool](t, c, takeOver, "webhook", g.webhook))
		}
		_, err := asUser(t, d, f.Owner).try(t, takeOver, "project", g.link)
		require.Equal(t, "22023", state(err))

		owner := asUser(t, d, f.Owner)
		require.True(t, value[bool](t, owner, takeOver, "invitation", g.invitation))
		require.True(t, value[bool](t, owner, takeOver, "link", g.link))
		require.True(t, value[bool](t, owner, takeOver, "webhook", g.webhook))
		require.False(t, value[bool](t, owner, takeOver, "webhook", g.webhook))
		require.Equal(t, "invitation link webhook", g.works(t, d))
		require.True(t, shareWorks(t, d))
		require.Equal(t, 3, dbtest.Value[int](t, d, `
			select (select count(*) from workspace_invitations where id = $1 and created_by = $4)
				+ (select count(*) from finding_shares where id = $2 and created_by = $4)
				+ (select count(*) from webhook_endpoints where id = $3 and created_by = $4)`,
			g.invitation, g.link, g.webhook, f.Owner))
		require.Empty(t, value[string](t, owner, list, f.Workspace))
		require.True(t, value[bool](t, asUser(t, d, d.User(t, "alt@example.com")), "select accept_invitation($1)",
			g.invitation))
	})

	t.Run("are in the audit log, once", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		g := give(t, d, f, f.Admin)
		owner := asUser(t, d, f.Owner)
		owner.mustExec(t, "delete from workspace_members where user_id = $1", f.Admin)
		require.True(t, value[bool](t, owner, takeOver, "webhook", g.webhook))
		owner.mustExec(t, "delete from workspace_invitations where id = $1", g.invitation)
		owner.mustExec(t, "delete from finding_shares where id = $1", g.link)
		require.Equal(t, "findings_unshared invitation_ended member_removed webhook_changed webhook_disabled",
			value[string](t, owner, `
				select string_agg(action, ' ' order by action) from audit_log($1) where actor_id = $2`,
				f.Workspace, f.Owner))
	})

	t.Run("of an admin are not taken over by an admin", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := d.Tenant(t)
		d.Exec(t, "update workspace_members set role = 'owner' where user_id = $1", f.Editor)
		asUser(t, d, f.Editor).mustExec(t,
			"insert into workspace_invitations (workspace_id, email, role) values ($1, 'alt@example.com', 'admin')",
			f.Workspace)
		d.Exec(t, "update workspace_members set role = 'editor' where user_id = $1", f.Editor)
		id := dbtest.Value[uuid.UUID](t, d, "select id from workspace_invitations")
		require.False(t, value[bool](t, asUser(t, d, f.Admin), takeOver, "invitation", id))
		require.True(t, value[bool](t, asUser(t, d, f.Owner), takeOver, "invitation", id))
	})

	t.Run("do not keep others from inviting the same address", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		rival := d.Tenant(t)
		give(t, d, f, f.Admin)
		d.Exec(t, "delete from workspace_members where user_id = $1", f.Admin)
		invite := "insert into workspace_invitations (workspace_id, email) values ($1, 'ALT@example.com')"
		_, err := asUser(t, d, rival.Owner).try(t, invite, f.Workspace)
		require.Equal(t, "42501", state(err))
		asUser(t, d, f.Owner).mustExec(t, invite, f.Workspace)
		require.Empty(t, value[string](t, as(t, d, db.Subject{Role: db.RoleService}),
			list+" where kind = 'invitation'", f.Workspace))
	})
}

// Otherwise a webhook of somebody who stays could be turned to the address of somebody who leaves.
func TestWhoChangesAWebhookAnswersForIt(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := d.Tenant(t)
	asUser(t, d, f.Owner).mustExec(t,
		"insert into webhook_endpoints (workspace_id, url) values ($1, 'https://receiver.example/')", f.Workspace)
	admin := asUser(t, d, f.Admin)
	admin.mustExec(t, "update webhook_endpoints set url = 'https://alt.example/'")
	d.Exec(t, "delete from workspace_members where user_id = $1", f.Admin)
	require.False(t, dbtest.Value[bool](t, d, "select active from webhook_endpoints"))
	owner := asUser(t, d, f.Owner)
	owner.mustExec(t, "update webhook_endpoints set active = true")
	require.True(t, dbtest.Value[bool](t, d,
		"select active and ended_at is null and created_by = $1 from webhook_endpoints", f.Owner))
	_, err := owner.try(t, "update webhook_endpoints set ended_at = now()")
	require.Equal(t, "42501", state(err))
}
