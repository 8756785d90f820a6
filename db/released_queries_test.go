package db_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// Two files of the releases. The first line of each names the last migration of its release.
const (
	// releasedData is what the first release had written. It is made by hand, once.
	releasedData       = "testdata/release/data.sql"
	releasedDataHeader = "-- The data of the release with migration %04d.\n"
	// releasedQueries has the queries of the last release.
	releasedQueries       = "testdata/release/queries.sql"
	releasedQueriesHeader = "-- The queries of the release with migration %04d.\n"
)

// A database that the first release filled is upgraded, and the last release works with it as before: each of
// its queries has the same parameters and columns.
func TestReleasedQueries(t *testing.T) {
	t.Parallel()
	releasedMigrations(t)
	release, queries := readReleasedQueries(t, releasedQueries)
	require.Greater(t, len(queries), 100)
	data, err := os.ReadFile(releasedData)
	require.NoError(t, err)
	var firstRelease int64
	_, err = fmt.Sscanf(string(data), releasedDataHeader, &firstRelease)
	require.NoError(t, err)
	d := dbtest.Empty(t)
	require.NoError(t, db.MigrateTo(t.Context(), d.URL, firstRelease))
	d.AsOwner(t, func(conn *pgx.Conn) {
		// Rows are written as they were, without what triggers would add.
		_, err := conn.Exec(t.Context(), "set session_replication_role = replica;\n"+string(data))
		require.NoError(t, err)
	})
	rows := countRows(t, d)
	require.NoError(t, db.MigrateTo(t.Context(), d.URL, release))
	before := describeAll(t, d, queries)
	_, err = db.Migrate(t.Context(), d.URL)
	require.NoError(t, err)
	for name, description := range describeAll(t, d, queries) {
		require.Equal(t, before[name], description, "%s of the last release", name)
	}
	after := countRows(t, d)
	for table, n := range rows {
		require.GreaterOrEqual(t, after[table], n, "rows of %s are lost", table)
	}
	require.Positive(t, rows["public.evidence"], "the first release wrote something")
}

// What TestReleasedQueries does with a release works with the queries of this version, before there is one.
func TestRecordedQueriesAreCompared(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "queries.sql")
	writeReleasedQueries(t, file)
	release, queries := readReleasedQueries(t, file)
	require.Greater(t, len(queries), 100)
	d := dbtest.Empty(t)
	require.NoError(t, db.MigrateTo(t.Context(), d.URL, 3))
	require.NoError(t, db.MigrateTo(t.Context(), d.URL, release))
	applied, err := db.Migrate(t.Context(), d.URL)
	require.NoError(t, err)
	require.Empty(t, applied)
	before := describeAll(t, d, queries)
	require.Contains(t, before["GetProject"], "returns id uuid, ")
	d.Exec(t, "alter table public.projects add column note text")
	require.Equal(t, before, describeAll(t, d, queries))
	d.Exec(t, `alter table public.projects drop column description cascade;
		alter table public.projects add column description varchar(9)`)
	query := map[string]string{"GetProject": queries["GetProject"]}
	require.NotEqual(t, before["GetProject"], describeAll(t, d, query)["GetProject"])
}

// describeAll returns the types of the parameters and of the columns of each query.
func describeAll(t *testing.T, d *dbtest.DB, queries map[string]string) map[string]string {
	t.Helper()
	descriptions := map[string]string{}
	d.AsOwner(t, func(conn *pgx.Conn) {
		for name, sql := range queries {
			statement, err := conn.Prepare(t.Context(), "", sql)
			require.NoError(t, err, "%s of the last release", name)
			var b strings.Builder
			for _, oid := range statement.ParamOIDs {
				fmt.Fprintf(&b, "%s, ", typeName(conn, oid))
			}
			b.WriteString("returns ")
			for _, field := range statement.Fields {
				fmt.Fprintf(&b, "%s %s, ", field.Name, typeName(conn, field.DataTypeOID))
			}
			descriptions[name] = b.String()
		}
	})
	return descriptions
}

// typeName returns the name of a type, or its id, which an upgrade does not change either.
func typeName(conn *pgx.Conn, oid uint32) string {
	if known, ok := conn.TypeMap().TypeForOID(oid); ok {
		return known.Name
	}
	return strconv.FormatUint(uint64(oid), 10)
}

// countRows returns the number of rows of each table that a client or the service writes.
func countRows(t *testing.T, d *dbtest.DB) map[string]int {
	t.Helper()
	counts := map[string]int{}
	d.AsOwner(t, func(conn *pgx.Conn) {
		rows, err := conn.Query(t.Context(), `
			select format('%I.%I', schemaname, tablename),
				(xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I.%I', schemaname, tablename),
					true, true, '')))[1]::text::int
			from pg_tables where schemaname in ('public', 'auth', 'private')`)
		require.NoError(t, err)
		var table string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error {
			counts[table] = n
			return nil
		})
		require.NoError(t, err)
	})
	return counts
}

func readReleasedQueries(t *testing.T, file string) (release int64, queries map[string]string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = fmt.Sscanf(string(content), releasedQueriesHeader, &release)
	require.NoError(t, err)
	queries = map[string]string{}
	for _, query := range strings.Split(string(content), "\n-- name: ")[1:] {
		name, _, _ := strings.Cut(query, " ")
		queries[name] = "-- name: " + strings.TrimSuffix(query, "\n;\n")
	}
	return release, queries
}

// writeReleasedQueries records the queries of this version as those of a release.
func writeReleasedQueries(t *testing.T, file string) {
	t.Helper()
	var queries []string
	for _, query := range dbtest.Queries(t, ".") {
		queries = append(queries, strings.TrimSpace(query.SQL)+"\n;\n")
	}
	slices.Sort(queries)
	last, err := db.LastMigration()
	require.NoError(t, err)
	number, _, _ := strings.Cut(last, "_")
	version, err := strconv.Atoi(number)
	require.NoError(t, err)
	content := fmt.Sprintf(releasedQueriesHeader, version) + "\n" + strings.Join(queries, "\n")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
}
