package db_test

import (
	"database/sql"
	"testing"

	"github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver of database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// migrateTo brings an empty database to the version of a migration.
func migrateTo(t *testing.T, d *dbtest.DB, version int64) {
	t.Helper()
	pool, err := sql.Open("pgx", d.URL)
	require.NoError(t, err)
	defer func() { require.NoError(t, pool.Close()) }()
	_, err = pool.ExecContext(t.Context(), "create schema if not exists private")
	require.NoError(t, err)
	store, err := database.NewStore(database.DialectPostgres, "private.migrations")
	require.NoError(t, err)
	provider, err := goose.NewProvider(goose.DialectCustom, pool, db.Migrations(), goose.WithStore(store))
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), version)
	require.NoError(t, err)
}

// What earlier versions read counts as read, and what they could not read is missing.
func TestUpgradeOfImports(t *testing.T) {
	t.Parallel()
	d := dbtest.Empty(t)
	migrateTo(t, d, 61)
	tenant := d.Tenant(t)
	hypothesis := d.Hypothesis(t, tenant, "Closing the books takes days")
	// imported adds an import of 100 bytes with two chunks.
	imported := func(status, unread string) (id uuid.UUID) {
		id, claim := uuid.New(), uuid.New()
		d.Exec(t, `insert into imports (id, workspace_id, project_id, title, format, size_bytes, sha256, status,
				claim_id, requested_hypotheses, unread, coverage, queued_at, started_at)
			values ($1, $2, $3, 'Interview', 'text', 100, repeat('0', 64), $4::import_status, $5, array[$6::uuid],
				$7::jsonb, 0.5, now(), now())`,
			id, tenant.Workspace, tenant.Project, status, claim, hypothesis, unread)
		d.Exec(t, `insert into private.transcripts (import_id, body) values ($1, convert_to(repeat('x', 100), 'UTF8'))`, id)
		d.Exec(t, `insert into import_hypotheses (import_id, hypothesis_id, workspace_id, project_id, statement)
			select $1, id, workspace_id, project_id, statement from hypotheses where id = $2`, id, hypothesis)
		d.Exec(t, `insert into private.import_claims (import_id, claim_id, before)
			select id, claim_id, to_jsonb(i) from imports i where id = $1`, id)
		d.Exec(t, `insert into private.import_chunks (
				import_id, claim_id, ordinal, utterance_from, utterance_to, byte_start, byte_end, done_at, unread)
			values ($1, $2, 0, 0, 1, 0, 49, now(), '[]'), ($1, $2, 1, 1, 2, 50, 100, now(), $3::jsonb)`,
			id, claim, unread)
		return id
	}
	whole := imported("parsed", `[]`)
	withGap := imported("parsed",
		`[{"from": 1, "to": 1, "reason": "model_unavailable", "byte_start": 50, "byte_end": 100}]`)
	open := imported("parsing", `[]`)

	_, err := db.Migrate(t.Context(), d.URL)
	require.NoError(t, err)
	unread := func(id uuid.UUID) bool {
		return dbtest.Value[bool](t, d, `select private.is_unread($1, array[$2::uuid])`, id, hypothesis)
	}
	require.False(t, unread(whole))
	require.True(t, unread(withGap), "it can be parsed again")
	require.Equal(t, "{[0,50)}", dbtest.Value[string](t, d,
		`select read::text from private.import_readings where import_id = $1`, withGap))
	require.Equal(t, []string{"parsed ended", "parsed ended", "parsing open"}, dbtest.Value[[]string](t, d, `
		select array_agg(r.status || case when r.finished_at is null then ' open' else ' ended' end order by 1)
		from private.import_runs r`))
	require.Equal(t, 1, dbtest.Value[int](t, d,
		`select count(*) from private.import_runs where import_id = $1 and first_call_at is not null`, open))
	require.Equal(t, 3, dbtest.Value[int](t, d, `select count(*) from private.import_claims`),
		"workers of the earlier version find their claims")
}
