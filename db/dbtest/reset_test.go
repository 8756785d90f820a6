package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestDatabasesServeSeveralTests(t *testing.T) {
	t.Parallel()

	t.Run("what a test wrote is gone", func(t *testing.T) {
		t.Parallel()
		d, before := newWithState(t)
		n := d.Tenant(t)
		d.Hypothesis(t, n, "They pay for it.")
		d.Exec(t, `insert into public.evidence (project_id, quote, created_by) values ($1, 'We pay.', $2)`,
			n.Project, n.Owner)
		d.Exec(t, "update private.event_head set seq = 41")
		d.Exec(t, "delete from auth.secrets")
		require.Positive(t, Value[int](t, d, "select count(*)::int from activity_events"))

		require.True(t, restore(t, d, before))
		require.Equal(t, before, stateOf(t, d))
		require.Zero(t, Value[int](t, d, "select count(*)::int from auth.users"))
		require.Zero(t, Value[int](t, d, "select seq::int from private.event_head"))
		require.Positive(t, Value[int](t, d, "select count(*)::int from auth.secrets"))
		d.Tenant(t) // all triggers are in place
	})

	t.Run("what is still connected is disconnected", func(t *testing.T) {
		t.Parallel()
		d, before := newWithState(t)
		d.AsOwner(t, func(c *pgx.Conn) {
			_, err := c.Exec(t.Context(), "begin; lock table projects")
			require.NoError(t, err)
			require.True(t, restore(t, d, before))
			require.Error(t, c.Ping(t.Context()))
		})
	})

	for name, change := range map[string]string{
		"a new function":   "create function public.one() returns int language sql as 'select 1'",
		"a new column":     "alter table projects add column colour text",
		"another policy":   "alter policy see on projects using (false)",
		"a right":          "grant select on auth.users to anon",
		"a setting":        alterDatabase("set work_mem = 512"),
		"a limit":          alterDatabase("connection limit 9"),
		"a type":           "alter type public.member_role add value 'guest'",
		"statistics":       "analyze private.time_zones",
		"a large table":    "insert into private.time_zones select n, n from generate_series(1, 9999) n",
		"a comment":        "comment on table projects is 'none'",
		"a dropped object": "drop function private.digest_table_oids() cascade",
	} {
		t.Run(name+" makes a database useless for others", func(t *testing.T) {
			t.Parallel()
			d, before := newWithState(t)
			d.Exec(t, change)
			require.False(t, restore(t, d, before))
		})
	}
}

func alterDatabase(what string) string {
	return "do $$ begin execute format('alter database %I " + what + "', current_database()); end $$"
}

// newWithState returns a database and its state.
func newWithState(t *testing.T) (*DB, state) {
	t.Helper()
	d := New(t)
	return d, stateOf(t, d)
}

func stateOf(t *testing.T, d *DB) (s state) {
	t.Helper()
	d.AsOwner(t, func(c *pgx.Conn) {
		var err error
		s, err = readState(t.Context(), c, nil)
		require.NoError(t, err)
	})
	return s
}

func restore(t *testing.T, d *DB, before state) (same bool) {
	t.Helper()
	d.AsOwner(t, func(c *pgx.Conn) {
		var err error
		same, err = before.restore(context.WithoutCancel(t.Context()), c)
		require.NoError(t, err)
	})
	return same
}
