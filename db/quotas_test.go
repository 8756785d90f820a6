package db_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

func TestRowsOfAWorkspaceAreLimited(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n, other := d.Tenant(t), d.Tenant(t)
	editor := asUser(t, d, n.Editor)
	const insert = `insert into projects (workspace_id, name)
		select $1, 'P' || i from generate_series(1, $2::int) i`

	d.Exec(t, `delete from projects where id = $1`, n.Project)
	require.NoError(t, editor.exec(t, insert, n.Workspace, 999))
	require.NoError(t, editor.exec(t, insert, n.Workspace, 1))
	err := editor.exec(t, insert, n.Workspace, 1)
	require.Equal(t, "PT413", state(err))
	require.ErrorContains(t, err, "A workspace may have 1000 rows in projects.")
	require.NoError(t, asUser(t, d, other.Editor).exec(t, insert, other.Workspace, 1))
	_, err = db.AsUser(t.Context(), d.Store, db.User(n.Editor), func(q *db.Queries) (uuid.UUID, error) {
		d.Exec(t, `insert into private.row_counts values ($1, 'hypotheses', 10000)`, n.Workspace)
		d.Exec(t, `insert into hypotheses (project_id, statement)
			select p.id, 'H' from projects p, generate_series(1, 10) where p.workspace_id = $1`, n.Workspace)
		return q.AddHypothesis(t.Context(), db.AddHypothesisParams{
			ProjectID: dbtest.Value[uuid.UUID](t, d, `select id from projects where workspace_id = $1 limit 1`,
				n.Workspace),
			Statement: "One more", Category: db.HypothesisCategoryProblem, Importance: db.HypothesisImportanceHigh,
		})
	})
	limit, is := errors.AsType[*db.LimitError](err)
	require.True(t, is, "%v", err)
	require.Equal(t, "A workspace may have 10000 rows in hypotheses.", limit.Message)
	require.Equal(t, "Delete what is no longer needed, or use another workspace.", limit.Hint)
	require.False(t, limit.Passes)

	require.NoError(t, editor.exec(t, `delete from projects where workspace_id = $1 and name = 'P2'`,
		n.Workspace))
	require.NoError(t, editor.exec(t, insert, n.Workspace, 1), "a deletion makes room")
	require.Equal(t, "PT413", state(editor.exec(t, insert, n.Workspace, 1)))

	d.Exec(t, insert, n.Workspace, 5) // by the service
}

func TestWritesOfAUserAreLimited(t *testing.T) {
	t.Parallel()
	const rename = `update projects set name = 'P' where id = $1`
	written := func(t *testing.T, d *dbtest.DB, user uuid.UUID) int {
		return dbtest.Value[int](t, d,
			`select coalesce(sum(minute_bytes), 0) from private.write_budgets where user_id = $1`, user)
	}

	t.Run("in a minute and on a day", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		editor, admin := asUser(t, d, n.Editor), asUser(t, d, n.Admin)
		require.NoError(t, editor.exec(t, rename, n.Project))
		require.GreaterOrEqual(t, written(t, d, n.Editor), 1000)

		d.Exec(t, `update private.write_budgets
			set minute = date_trunc('minute', now()) + interval '1 hour', minute_bytes = 20000000`)
		require.NoError(t, editor.exec(t, rename, n.Project), "of another minute")
		d.Exec(t, `update private.write_budgets set day_bytes = 1000000000`)
		err := editor.exec(t, rename, n.Project)
		require.Equal(t, "PT429", state(err))
		require.ErrorContains(t, err, "You have written 1000 MB today, which is the limit.")
		require.Equal(t, "PT429", state(editor.exec(t, `select record_export($1, 'csv', 1)`, n.Project)))
		require.NoError(t, admin.exec(t, rename, n.Project), "another user's")
		require.NoError(t, editor.exec(t, `delete from projects where id = $1`, n.Project), "a deletion")
	})

	t.Run("by one request", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		n := d.Tenant(t)
		editor := asUser(t, d, n.Editor)
		const insert = `insert into projects (workspace_id, name, description)
			select $1, 'P', repeat('x', 20000) from generate_series(1, $2::int)`
		require.NoError(t, editor.exec(t, insert, n.Workspace, 900))
		err := editor.exec(t, `update projects set description = repeat('é', 20000) where workspace_id = $1`,
			n.Workspace)
		require.Equal(t, "PT413", state(err))
		require.ErrorContains(t, err, "A request may write 20 MB.")
	})

	t.Run("whichever way they take", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		editor := asUser(t, d, f.Editor)
		spends := func(sql string, args ...any) {
			t.Helper()
			before := written(t, d, f.Editor)
			require.NoError(t, editor.exec(t, sql, args...))
			require.Greater(t, written(t, d, f.Editor), before, sql)
			d.Exec(t, `delete from private.write_budgets`)
		}
		spends(`insert into projects (id, workspace_id, name) values ($1, $2, 'P')
			on conflict (id) do update set name = excluded.name`, f.Project, f.Workspace)
		spends(`select record_export($1, 'csv', 1)`, f.Project)
		importID := dbtest.Value[uuid.UUID](t, d, `select import_id from import_speakers where workspace_id = $1
			limit 1`, f.Workspace)
		spends(`select set_interviewers($1, array(select speaker from import_speakers where import_id = $1))`,
			importID)
	})
}

func TestUsageOfAWorkspace(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	d.Exec(t, `insert into private.settings values
		('workspace_tokens_per_day', '100'), ('account_tokens_per_day', '150'), ('workspace_storage', '0')`)
	const (
		count = `select count(*) from workspace_usage($1)`
		usage = `select concat_ws(' ', storage_bytes, storage_limit, uploads_today, tokens_used, tokens_reserved,
			tokens_limit, exhausted) from workspace_usage($1)`
		use = `insert into private.daily_usage (subject, day, uploads, tokens)
			values ($1, (now() at time zone 'UTC')::date, $2, $3)`
	)
	for _, who := range []uuid.UUID{n.Editor, n.Viewer, d.Tenant(t).Owner} {
		require.Zero(t, value[int](t, asUser(t, d, who), count, n.Workspace))
	}
	admin := asUser(t, d, n.Admin)
	require.Equal(t, "0 0 0 0 100 {}", value[string](t, admin, usage, n.Workspace))
	d.Exec(t, use, n.Workspace, 3, 90)
	require.Equal(t, "0 3 90 0 100 {}", value[string](t, admin, usage, n.Workspace))
	d.Exec(t, use, n.Owner, 5, 150)
	require.Equal(t, "0 3 90 0 100 {tokens}", value[string](t, asUser(t, d, n.Owner), usage, n.Workspace),
		"by other workspaces of its creator")
}
