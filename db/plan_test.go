package db_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// Row-level security costs a few calls a statement, whatever the number of rows, and one tenant's question does not read the others' rows.
func TestPoliciesAreCheap(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	const users, tenants, perProject = 3000, 200, 50
	d.AsOwner(t, func(c *pgx.Conn) {
		for _, sql := range []string{
			// Events of the fixture would only cost time.
			"set session_replication_role = replica",
			fmt.Sprintf("insert into auth.users (id, email) select md5('u' || g)::uuid, 'u' || g || '@example.com' from generate_series(1, %d) g", users),
			"insert into profiles (id) select id from auth.users",
			"insert into workspaces (id, name, slug) select md5('w' || g)::uuid, 'W', 'w' || g from generate_series(1, 3000) g",
			"insert into workspace_members (workspace_id, user_id, role) select md5('w' || g)::uuid, md5('u' || g)::uuid, 'owner' from generate_series(1, 3000) g",
			"insert into projects (id, workspace_id, name) select md5('p' || g)::uuid, md5('w' || g)::uuid, 'P' from generate_series(1, 3000) g",
			fmt.Sprintf(`insert into hypotheses (id, workspace_id, project_id, statement) select md5('h' || g || '-' || n)::uuid, md5('w' || g)::uuid, md5('p' || g)::uuid, 'H'
				from generate_series(1, %d) g, generate_series(1, %d) n`, tenants, perProject),
			fmt.Sprintf(`insert into evidence (id, workspace_id, project_id, quote, review) select md5('e' || g || '-' || n)::uuid, md5('w' || g)::uuid, md5('p' || g)::uuid, 'Q',
				case n %% 3 when 0 then 'accepted' else 'suggested' end::evidence_review from generate_series(1, %d) g, generate_series(1, %d) n`, tenants, perProject),
			fmt.Sprintf(`insert into evidence_hypotheses (evidence_id, hypothesis_id, workspace_id, project_id) select md5('e' || g || '-' || n)::uuid, md5('h' || g || '-' || n)::uuid,
				md5('w' || g)::uuid, md5('p' || g)::uuid from generate_series(1, %d) g, generate_series(1, %d) n`, tenants, perProject),
			fmt.Sprintf(`insert into activity_events (workspace_id, project_id, verb, entity_type, entity_id) select md5('w' || g)::uuid, md5('p' || g)::uuid, 'updated', 'evidence', md5('e' || n)::uuid
				from generate_series(1, %d) g, generate_series(1, %d) n`, tenants, perProject),
			"analyze",
		} {
			_, err := c.Exec(t.Context(), sql)
			require.NoError(t, err, sql)
		}
	})
	me, project, hypothesis := md5UUID(t, d, "u7"), md5UUID(t, d, "p7"), md5UUID(t, d, "h7-1")

	// What the data API asks most.
	for name, q := range map[string]struct {
		sql  string
		args []any
		rows int
	}{
		"all of one's own":               {"select * from hypotheses", nil, perProject},
		"the newest":                     {"select * from evidence order by created_at desc limit 20", nil, 20},
		"of a project":                   {"select * from hypotheses where project_id = $1 order by created_at", []any{project}, perProject},
		"a foreign project":              {"select * from hypotheses where project_id = $1", []any{md5UUID(t, d, "p8")}, 0},
		"to be reviewed":                 {"select * from evidence where project_id = $1 and review = 'suggested' order by created_at desc", []any{project}, 34},
		"evidence of a hypothesis":       {"select e.* from evidence_hypotheses eh join evidence e on e.id = eh.evidence_id where eh.hypothesis_id = $1", []any{hypothesis}, 1},
		"evidence of an import":          {"select * from evidence where import_id = $1 order by byte_start", []any{uuid.New()}, 0},
		"utterances of an import":        {"select * from utterances where import_id = $1 order by ordinal limit 1000", []any{uuid.New()}, 0},
		"embedded":                       {"select h.id, (select count(*) from evidence_hypotheses eh where eh.hypothesis_id = h.id) from hypotheses h where h.project_id = $1", []any{project}, perProject},
		"what happened":                  {"select * from activity_events order by occurred_at desc limit 50", nil, perProject},
		"my workspaces":                  {"select * from workspaces", nil, 1},
		"the members of mine":            {"select * from workspace_members m join profiles p on p.id = m.user_id", nil, 1},
		"one by id":                      {"select * from evidence where id = $1", []any{md5UUID(t, d, "e7-1")}, 1},
		"my settings":                    {"select * from digest_preferences", nil, 0},
		"a change of all one may change": {"update hypotheses set importance = 'low'", nil, perProject},
		"rows added":                     {"insert into hypotheses (project_id, statement) select $1, 'H' from generate_series(1, 300)", []any{project}, 300},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := pgx.Connect(t.Context(), d.URL)
			require.NoError(t, err)
			defer func() { _ = conn.Close(context.Background()) }()
			tx, err := conn.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), "select set_config('track_functions', 'all', true), set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
				string(db.User(me).Claims))
			require.NoError(t, err)
			tag, err := tx.Exec(t.Context(), q.sql, q.args...)
			require.NoError(t, err)
			require.EqualValues(t, q.rows, tag.RowsAffected())
			// PostgreSQL itself counts the calls of the function that the policies ask; the second to sixth are of other policies and triggers.
			var calls int
			require.NoError(t, tx.QueryRow(t.Context(), "select coalesce(sum(calls), 0) from pg_stat_xact_user_functions where funcname in ('my_workspaces', 'my_colleagues')").Scan(&calls))
			require.LessOrEqual(t, calls, 6)
			if q.rows > 0 {
				require.Positive(t, calls, "nothing was counted")
			}

			plan := explain(t, tx, q.sql, q.args...)
			require.NotContains(t, plan, "Filter: (SubPlan", plan)
			require.NotRegexp(t, `(?m)Filter:.*(my_workspaces|my_colleagues|auth\.uid|current_setting)`, plan)
			require.NotRegexp(t, `Rows Removed by Filter: [0-9]{3,}`, plan, "rows of others were read")
			require.NoError(t, tx.Rollback(t.Context()))
		})
	}

	t.Run("a list costs a member little more than the owner", func(t *testing.T) {
		c := asUser(t, d, me)
		const sql = "select count(*) from hypotheses"
		began := time.Now()
		for range 50 {
			require.Equal(t, perProject, value[int](t, c, sql))
		}
		t.Logf("%s of %d rows, %d of them one's own: %s", sql, tenants*perProject, perProject, time.Since(began)/50)
	})
}

func md5UUID(t *testing.T, d *dbtest.DB, s string) uuid.UUID {
	t.Helper()
	return dbtest.Value[uuid.UUID](t, d, "select md5($1)::uuid", s)
}
