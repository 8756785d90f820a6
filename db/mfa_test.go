package db_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// withPassword connects a user whose session has no second factor.
func withPassword(t testing.TB, d *dbtest.DB, id uuid.UUID) *caller {
	t.Helper()
	claims := fmt.Sprintf(`{"sub":%q,"role":"authenticated","aal":"aal1"}`, id)
	return as(t, d, db.Subject{Role: db.RoleAuthenticated, UserID: id, Claims: json.RawMessage(claims)})
}

func TestWorkspacesThatRequireASecondFactor(t *testing.T) {
	t.Parallel()

	t.Run("are closed to sessions without one, table by table", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := fill(t, d)
		d.Exec(t, `update workspaces set require_mfa = true where id = $1`, n.Workspace)
		for _, tb := range servedTables(t, d) {
			row := tb.row(t, d, n)
			where := fmt.Sprintf("x::text like '%%%s%%'", n.Workspace)
			c := withPassword(t, d, n.Admin)
			require.Zero(t, value[int](t, c, fmt.Sprintf("select count(*) from public.%s x where %s", tb.name, where)))
			attack(t, c, tb, row, where, n.Editor)
		}
	})

	t.Run("are open to sessions with one, and to work without a session", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		d.Hypothesis(t, n, "H")
		d.Exec(t, `update workspaces set require_mfa = true where id = $1`, n.Workspace)
		require.Equal(t, 1, value[int](t, asUser(t, d, n.Viewer), "select count(*) from hypotheses"))
	})

	t.Run("and all others are closed to the sessions of users who have a factor", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		d.Hypothesis(t, n, "H")
		enroll := func(status string) {
			d.Exec(t, `
				insert into auth.mfa_factors (user_id, factor_type, status, secret) values ($1, 'totp', $2, '')`,
				n.Viewer, status)
		}
		const count = "select count(*) from hypotheses"
		enroll("unverified")
		require.Equal(t, 1, value[int](t, withPassword(t, d, n.Viewer), count))
		enroll("verified")
		require.Zero(t, value[int](t, withPassword(t, d, n.Viewer), count))
		require.Equal(t, 1, value[int](t, asUser(t, d, n.Viewer), count))
		require.Equal(t, 1, value[int](t, withPassword(t, d, n.Editor), count))
	})

	t.Run("hide their members, and are named to the member who is locked out", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		d.Exec(t, `update workspaces set require_mfa = true, name = 'Locked' where id = $1`, n.Workspace)
		c := withPassword(t, d, n.Viewer)
		require.Equal(t, 1, value[int](t, c, "select count(*) from profiles"))
		require.Equal(t, "Locked", value[string](t, c, "select name from my_locked_workspaces()"))
		require.Zero(t, value[int](t, asUser(t, d, n.Viewer), "select count(*) from my_locked_workspaces()"))
		outsider := withPassword(t, d, d.User(t, "outsider@example.com"))
		require.Zero(t, value[int](t, outsider, "select count(*) from my_locked_workspaces()"))
	})

	t.Run("are changed by owners, in such a session", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		const demand = "update workspaces set require_mfa = true"
		const release = "update workspaces set require_mfa = false"
		require.Equal(t, "42501", state(withPassword(t, d, n.Owner).exec(t, demand)))
		require.Equal(t, "42501", state(asUser(t, d, n.Admin).exec(t, demand)))
		require.NoError(t, asUser(t, d, n.Admin).exec(t, "update workspaces set name = 'Renamed'"))
		require.NoError(t, asUser(t, d, n.Owner).exec(t, demand))
		require.NoError(t, withPassword(t, d, n.Owner).exec(t, release)) // sees no row
		require.True(t, dbtest.Value[bool](t, d, `select require_mfa from workspaces`))
		require.Equal(t, "42501", state(asUser(t, d, n.Admin).exec(t, release)))
		require.NoError(t, asUser(t, d, n.Owner).exec(t, release))
	})

	t.Run("are not created by a session that would be locked out", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		user := d.User(t, "ada@example.com")
		const insert = "insert into workspaces (name, require_mfa) values ('W', true)"
		require.Equal(t, "42501", state(withPassword(t, d, user).exec(t, insert)))
		require.NoError(t, asUser(t, d, user).exec(t, insert))
	})
}
