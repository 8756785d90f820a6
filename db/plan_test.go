package db_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// planFixture has 3000 users with a workspace and a project each, and rows in the first of them.
const planFixture = `
	-- Events of the fixture would only cost time.
	set session_replication_role = replica;
	insert into auth.users (id, email)
	select md5('u' || g)::uuid, 'u' || g || '@example.com' from generate_series(1, 3000) g;
	insert into profiles (id) select id from auth.users;
	insert into workspaces (id, name, slug)
	select md5('w' || g)::uuid, 'W', 'w' || g from generate_series(1, 3000) g;
	insert into workspace_members (workspace_id, user_id, role)
	select md5('w' || g)::uuid, md5('u' || g)::uuid, 'owner' from generate_series(1, 3000) g;
	insert into projects (id, workspace_id, name)
	select md5('p' || g)::uuid, md5('w' || g)::uuid, 'P' from generate_series(1, 3000) g;
	insert into hypotheses (id, workspace_id, project_id, statement)
	select md5('h' || g || '-' || n)::uuid, md5('w' || g)::uuid, md5('p' || g)::uuid, 'H'
	from generate_series(1, %[1]d) g, generate_series(1, %[2]d) n;
	insert into evidence (id, workspace_id, project_id, quote, review)
	select md5('e' || g || '-' || n)::uuid, md5('w' || g)::uuid, md5('p' || g)::uuid, 'Q',
		case n %% 3 when 0 then 'accepted' else 'suggested' end::evidence_review
	from generate_series(1, %[1]d) g, generate_series(1, %[2]d) n;
	insert into evidence_hypotheses (evidence_id, hypothesis_id, workspace_id, project_id)
	select md5('e' || g || '-' || n)::uuid, md5('h' || g || '-' || n)::uuid,
		md5('w' || g)::uuid, md5('p' || g)::uuid
	from generate_series(1, %[1]d) g, generate_series(1, %[2]d) n;
	insert into activity_events (workspace_id, project_id, verb, entity_type, entity_id)
	select md5('w' || g)::uuid, md5('p' || g)::uuid, 'updated', 'evidence', md5('e' || n)::uuid
	from generate_series(1, %[1]d) g, generate_series(1, %[2]d) n;
	analyze`

// Row-level security costs a few function calls for each statement, whatever the number of rows, and a query
// of one tenant does not read the rows of others.
func TestPoliciesAreCheap(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	const tenants, perProject = 200, 50
	d.Exec(t, fmt.Sprintf(planFixture, tenants, perProject))
	me, project, foreign := md5UUID(t, d, "u7"), md5UUID(t, d, "p7"), md5UUID(t, d, "p8")
	hypothesis, evidence := md5UUID(t, d, "h7-1"), md5UUID(t, d, "e7-1")

	// The most frequent queries of the data API.
	for name, query := range map[string]struct {
		sql  string
		args []any
		rows int
	}{
		"all own rows": {"select * from hypotheses", nil, perProject},
		"the newest":   {"select * from evidence order by created_at desc limit 20", nil, 20},
		"of a project": {
			"select * from hypotheses where project_id = $1 order by created_at", []any{project}, perProject,
		},
		"of a foreign project": {"select * from hypotheses where project_id = $1", []any{foreign}, 0},
		"to be reviewed": {
			`select * from evidence where project_id = $1 and review = 'suggested' order by created_at desc`,
			[]any{project}, 34,
		},
		"evidence of a hypothesis": {
			`select e.* from evidence_hypotheses eh join evidence e on e.id = eh.evidence_id
			where eh.hypothesis_id = $1`, []any{hypothesis}, 1,
		},
		"evidence of an import": {
			"select * from evidence where import_id = $1 order by byte_start", []any{uuid.New()}, 0,
		},
		"utterances of an import": {
			"select * from utterances where import_id = $1 order by ordinal limit 1000", []any{uuid.New()}, 0,
		},
		"embedded": {
			`select h.id, (select count(*) from evidence_hypotheses eh where eh.hypothesis_id = h.id)
			from hypotheses h where h.project_id = $1`, []any{project}, perProject,
		},
		"events": {
			"select * from activity_events order by occurred_at desc limit 50", nil, perProject,
		},
		"own workspaces":       {"select * from workspaces", nil, 1},
		"members":              {"select * from workspace_members m join profiles p on p.id = m.user_id", nil, 1},
		"one by id":            {"select * from evidence where id = $1", []any{evidence}, 1},
		"own settings":         {"select * from digest_preferences", nil, 0},
		"an unfiltered change": {"update hypotheses set importance = 'low'", nil, perProject},
		"new rows": {
			"insert into hypotheses (project_id, statement) select $1, 'H' from generate_series(1, 300)",
			[]any{project}, 300,
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := pgx.Connect(t.Context(), d.URL)
			require.NoError(t, err)
			defer func() { _ = conn.Close(context.Background()) }()
			tx, err := conn.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), `
				select set_config('track_functions', 'all', true),
					set_config('role', 'authenticated', true),
					set_config('request.jwt.claims', $1, true)`, string(db.User(me).Claims))
			require.NoError(t, err)
			tag, err := tx.Exec(t.Context(), query.sql, query.args...)
			require.NoError(t, err)
			require.EqualValues(t, query.rows, tag.RowsAffected())
			// PostgreSQL counts the calls of the functions in the policies. A statement may involve several policies
			// and triggers.
			var calls int
			require.NoError(t, tx.QueryRow(t.Context(), `
				select coalesce(sum(calls), 0)
				from pg_stat_xact_user_functions
				where funcname in ('my_workspaces', 'my_colleagues')`).Scan(&calls))
			require.LessOrEqual(t, calls, 6)
			if query.rows > 0 {
				require.Positive(t, calls, "the calls were not counted")
			}

			plan := explain(t, tx, query.sql, query.args...)
			require.NotContains(t, plan, "Filter: (SubPlan", plan)
			require.NotRegexp(t, `(?m)Filter:.*(my_workspaces|my_colleagues|auth\.uid|current_setting)`, plan)
			require.NotRegexp(t, `Rows Removed by Filter: [0-9]{3,}`, plan, "rows of other tenants were read")
			require.NoError(t, tx.Rollback(t.Context()))
		})
	}

	t.Run("a list takes a member little longer than the owner of the database", func(t *testing.T) {
		c := asUser(t, d, me)
		const sql = "select count(*) from hypotheses"
		began := time.Now()
		for range 50 {
			require.Equal(t, perProject, value[int](t, c, sql))
		}
		took := time.Since(began) / 50
		t.Logf("%s with %d rows, %d of them visible: %s", sql, tenants*perProject, perProject, took)
	})
}

func md5UUID(t *testing.T, d *dbtest.DB, s string) uuid.UUID {
	t.Helper()
	return dbtest.Value[uuid.UUID](t, d, "select md5($1)::uuid", s)
}

// What every scrape of /metrics, visit of the page and judgement asks reads few rows of large tables.
func TestFrequentStatementsReadFewRows(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	// After a vacuum, an index-only scan would read no rows of a table, and the test could not count them.
	d.Exec(t, `
		alter table workspace_members set (autovacuum_enabled = off);
		alter table profiles set (autovacuum_enabled = off);`+fmt.Sprintf(planFixture, 1, 1)+`;
		-- A project has one import, and one of them has 100.
		insert into imports (id, workspace_id, project_id, title, format, size_bytes, sha256, status)
		select md5('i' || g)::uuid, md5('w' || greatest(g - 99, 1))::uuid, md5('p' || greatest(g - 99, 1))::uuid,
			'T', 'text', 1, md5(g::text),
			(case when g % 50 = 0 then 'failed' when g % 70 = 0 then 'uploaded' else 'parsed' end)::import_status
		from generate_series(1, 20000) g;
		analyze imports`)

	for table, sql := range map[string]string{
		"workspace_members": `select from my_locked_workspaces()`,
		"profiles":          `update evidence_hypotheses set stance = 'contradicts'`,
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			tx := begin(t, d)
			claims := fmt.Sprintf(`{"sub":%q,"role":"authenticated","aal":"aal1"}`, md5UUID(t, d, "u1"))
			_, err := tx.Exec(t.Context(), `
				select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)`, claims)
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), sql)
			require.NoError(t, err)
			require.Less(t, rowsRead(t, tx, table), 10)
		})
	}

	t.Run("utterances of a project with many imports", func(t *testing.T) {
		t.Parallel()
		tx := begin(t, d)
		_, err := tx.Exec(t.Context(), `
			insert into utterances (workspace_id, project_id, import_id, ordinal, text, byte_start, byte_end)
			select md5('w1')::uuid, md5('p1')::uuid, md5('i1')::uuid, g, 'T', 2 * g, 2 * g + 1
			from generate_series(1, 200) g`)
		require.NoError(t, err)
		require.Less(t, rowsRead(t, tx, "imports"), 3*200)
	})

	t.Run("CountImportStates", func(t *testing.T) {
		t.Parallel()
		tx := begin(t, d)
		_, err := tx.Exec(t.Context(), "set local role service_role") // whose policy decides which indexes serve
		require.NoError(t, err)
		require.NotContains(t, explain(t, tx, db.CountImportStatesSQL), "Seq Scan on imports")
	})
}

// Every query in db/queries could find its rows of a large table by an index, as the role that runs it.
// Without that, it would only be slow where there are many rows.
func TestQueriesOfLargeTablesHaveAnIndex(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var large []string
	for _, table := range largeTables {
		_, name, _ := strings.Cut(table, ".")
		large = append(large, name)
	}
	// PostgreSQL then reads a table whole only where it cannot use an index.
	for _, query := range d.QueryPlans(t, ".", d.Tenant(t).Owner, "set enable_seqscan = off") {
		require.Empty(t, query.WholeScans(large), query.Name)
	}
}

// rowsRead returns how many rows of a table a transaction has read.
func rowsRead(t *testing.T, tx pgx.Tx, table string) (read int) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(), `
		select seq_tup_read + idx_tup_fetch
		from pg_stat_xact_user_tables
		where schemaname = 'public' and relname = $1`, table).Scan(&read))
	require.Positive(t, read, "the rows were not counted")
	return read
}

// begin begins a transaction of the database's owner, which the end of the test rolls back.
func begin(t *testing.T, d *dbtest.DB) pgx.Tx {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	return tx
}
