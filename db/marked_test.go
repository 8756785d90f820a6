package db_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// markAccount marks an account deleted, and returns whether there was one.
func markAccount(t *testing.T, d *dbtest.DB, id uuid.UUID) bool {
	t.Helper()
	found, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (bool, error) {
		return q.MarkAccountDeleted(t.Context(), id)
	})
	require.NoError(t, err)
	return found
}

// servedRows returns the number of rows that a caller sees of a workspace, by table.
func servedRows(t *testing.T, d *dbtest.DB, c *caller, workspace uuid.UUID) map[string]int {
	t.Helper()
	found := map[string]int{}
	d.AsOwner(t, func(owner *pgx.Conn) {
		rows, err := owner.Query(t.Context(), `
			select c.relname::text
			from pg_class c
			join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
			where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`)
		require.NoError(t, err)
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.NotEmpty(t, tables)
		for _, table := range tables {
			if n := value[int](t, c, "select count(*) from "+table+" where workspace_id = $1", workspace); n > 0 {
				found[table] = n
			}
		}
	})
	if n := value[int](t, c, "select count(*) from workspaces where id = $1", workspace); n > 0 {
		found["workspaces"] = n
	}
	return found
}

func TestMarkedWorkspaces(t *testing.T) {
	t.Parallel()

	t.Run("a deletion answers with the row, and frees its slug", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f, other := fill(t, d), fill(t, d)
		slug := dbtest.Value[string](t, d, "update workspaces set slug = 'acme' where id = $1 returning slug",
			f.Workspace)
		require.Equal(t, slug, value[string](t, asUser(t, d, f.Owner),
			"delete from workspaces where id = $1 returning slug", f.Workspace))
		rows, err := asUser(t, d, f.Owner).try(t, "delete from workspaces where id = $1", f.Workspace)
		require.NoError(t, err)
		require.Zero(t, rows, "a second deletion finds nothing")
		asUser(t, d, other.Owner).mustExec(t, "insert into workspaces (name, slug) values ('Acme', 'acme')")
	})

	t.Run("members and the service see nothing of it at once", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f, other := fill(t, d), fill(t, d)
		service := as(t, d, db.Subject{Role: db.RoleService})
		before := servedRows(t, d, service, f.Workspace)
		require.Len(t, before, 30, "the fixture has rows of every table: %v", before)
		otherBefore := servedRows(t, d, service, other.Workspace)
		asUser(t, d, f.Owner).mustExec(t, "delete from workspaces where id = $1", f.Workspace)
		for _, c := range []*caller{
			service, asUser(t, d, f.Owner), asUser(t, d, f.Admin), asUser(t, d, f.Editor), asUser(t, d, f.Viewer),
		} {
			require.Empty(t, servedRows(t, d, c, f.Workspace))
		}
		require.Equal(t, otherBefore, servedRows(t, d, service, other.Workspace))
	})

	t.Run("nothing can be parsed, uploaded or accepted in it, and digests have no news", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		guest := d.User(t, "guest@example.com")
		require.Equal(t, 1, value[int](t, asUser(t, d, guest), "select count(*) from my_invitations()"))
		asUser(t, d, f.Owner).mustExec(t, "delete from workspaces where id = $1", f.Workspace)
		require.Zero(t, value[int](t, asUser(t, d, guest), "select count(*) from my_invitations()"))
		for _, subject := range []db.Subject{db.User(f.Owner), {Role: db.RoleService}} {
			claim, err := db.AsUser(t.Context(), d.Store, subject, func(q *db.Queries) (db.ClaimImportRow, error) {
				return q.ClaimImport(t.Context(), db.ClaimImportParams{
					ImportID: f.Import, ClaimID: uuid.New(), HypothesisIds: []uuid.UUID{f.Hypothesis},
				})
			})
			require.NoError(t, err)
			require.EqualValues(t, "import_not_found", claim.Result)
			require.Error(t, d.AsUser(t.Context(), subject, func(q *db.Queries) error {
				_, err := q.StoreImport(t.Context(), storeParams(f.Project, nil, body))
				return err
			}))
		}
		rows, err := as(t, d, db.Subject{Role: db.RoleService}).try(t,
			"insert into workspace_members (workspace_id, user_id) values ($1, $2)", f.Workspace, guest)
		requireNothing(t, rows, err, "nobody joins it")
	})

	t.Run("a run that is open finds its import gone", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		claim := uuid.New()
		_, err := db.AsUser(t.Context(), d.Store, db.User(f.Owner), func(q *db.Queries) (db.ClaimImportRow, error) {
			return q.ClaimImport(t.Context(), db.ClaimImportParams{
				ImportID: f.Import, ClaimID: claim, HypothesisIds: []uuid.UUID{f.Hypothesis},
			})
		})
		require.NoError(t, err)
		asUser(t, d, f.Owner).mustExec(t, "delete from workspaces where id = $1", f.Workspace)
		require.ErrorIs(t, d.AsService(t.Context(), func(q *db.Queries) error {
			_, err := q.LockImport(t.Context(), db.LockImportParams{ImportID: f.Import, ClaimID: claim})
			return err
		}), db.ErrNotFound)
		silent, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) ([]db.ListSilentRunsRow, error) {
			return q.ListSilentRuns(t.Context(), db.ListSilentRunsParams{SilenceSeconds: -60, PageSize: 10})
		})
		require.NoError(t, err)
		require.Empty(t, silent, "the reconciler does not see it")
		open, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) ([]uuid.UUID, error) {
			if err := q.SeeDeleted(t.Context()); err != nil {
				return nil, err
			}
			return q.ListOpenImportsOf(t.Context(), f.Workspace)
		})
		require.NoError(t, err)
		require.Equal(t, []uuid.UUID{f.Import}, open, "the removal cancels it")
	})

	t.Run("its removal continues wherever it stopped, and writes no events", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f, other := fill(t, d), fill(t, d)
		fillRuns(t, d, f)
		before := mentions(t, d, other.Workspace)
		asUser(t, d, f.Owner).mustExec(t, "delete from workspaces where id = $1", f.Workspace)
		events := dbtest.Value[int](t, d, "select count(*) from activity_events")
		for step := int32(1); step != 0; {
			// Each batch is a transaction, as that of another process would be.
			batch, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (db.RemoveBatchRow, error) {
				return q.RemoveBatch(t.Context(), db.RemoveBatchParams{ID: f.Workspace, Most: 1})
			})
			require.NoError(t, err)
			require.LessOrEqual(t, batch.Removed, int64(1))
			if batch.Step != 0 {
				require.GreaterOrEqual(t, batch.Step, step)
			}
			step = batch.Step
			now := dbtest.Value[int](t, d, "select count(*) from activity_events")
			require.LessOrEqual(t, now, events)
			events = now
		}
		for _, id := range []uuid.UUID{f.Workspace, f.Project, f.Import, f.Hypothesis, f.Evidence} {
			require.Empty(t, mentions(t, d, id))
		}
		require.Equal(t, before, mentions(t, d, other.Workspace))
	})
}

func TestMarkedAccounts(t *testing.T) {
	t.Parallel()

	t.Run("the address and the sessions are gone at once, and the rest later", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		email := dbtest.Value[string](t, d, "select email from profiles where id = $1", f.Owner)
		d.Exec(t, "insert into auth.sessions (user_id) values ($1)", f.Owner)
		d.Exec(t, "insert into private.import_runs (claim_id, import_id, before, requested_by) "+
			"values (gen_random_uuid(), $1, '{}', $2)", f.Import, f.Owner)
		d.Exec(t, "update evidence set edited_by = $1", f.Owner)
		require.True(t, markAccount(t, d, f.Owner))
		require.False(t, markAccount(t, d, f.Owner), "it is deleted once")
		for _, table := range []string{"auth.sessions", "digest_preferences", "digest_deliveries",
			"workspace_members"} {
			require.Zero(t, dbtest.Value[int](t, d, "select count(*) from "+table+" where user_id = $1", f.Owner),
				table)
		}
		require.Zero(t, value[int](t, as(t, d, db.Subject{Role: db.RoleService}),
			"select count(*) from profiles where id = $1", f.Owner))
		require.Equal(t, "owner",
			dbtest.Value[string](t, d, "select role::text from workspace_members where user_id = $1", f.Admin),
			"the member with the highest role")
		d.User(t, email)

		removeMarked(t, d, 1)
		left := mentions(t, d, f.Owner)
		delete(left, "activity_events") // that the member left
		delete(left, "private.events")
		require.Empty(t, left)
		require.Equal(t, 1, dbtest.Value[int](t, d, "select count(*) from evidence where id = $1", f.Evidence))
	})

	t.Run("of the last member marks the workspace", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		for _, id := range []uuid.UUID{f.Viewer, f.Editor, f.Admin, f.Owner} {
			require.True(t, markAccount(t, d, id))
		}
		require.Empty(t, servedRows(t, d, as(t, d, db.Subject{Role: db.RoleService}), f.Workspace))
		removeMarked(t, d, 2)
		require.Empty(t, mentions(t, d, f.Workspace))
		require.Zero(t, dbtest.Value[int](t, d, "select count(*) from auth.users"))
	})

	t.Run("the records of the audit log stay, without the account", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		asUser(t, d, f.Editor).mustExec(t, "delete from evidence where id = $1", f.Evidence)
		require.True(t, markAccount(t, d, f.Editor))
		removeMarked(t, d, 1)
		require.Equal(t, 1, dbtest.Value[int](t, d,
			"select count(*) from private.audit_records where action = 'deleted' and actor_id is null"))
	})
}
