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

const (
	// releasedData is what the first release had written, as insert statements.
	releasedData       = "testdata/release/data.sql"
	releasedDataHeader = "-- The data of the release with migration %04d.\n"
	// releasedQueries has the queries of the last release.
	releasedQueries       = "testdata/release/queries.sql"
	releasedQueriesHeader = "-- The queries of the release with migration %04d.\n"
)

// A recordedRelease is what the releases left for the test of upgrades.
type recordedRelease struct {
	first   int64             // the last migration of the first release
	data    string            // what the first release had written
	last    int64             // the last migration of the last release
	queries map[string]string // of the last release, by name
}

// A database that the first release filled is upgraded, and the last release works with it as before: each of
// its queries has the same parameters and columns.
//
// There is no release yet. Until released.sum lists one, this version without data takes its place, so that the test
// is known to work; then it fails until the release's queries and data are recorded as CONTRIBUTING.md says.
func TestReleasedQueries(t *testing.T) {
	t.Parallel()
	isReleased := len(releasedMigrations(t)) > 0
	var release recordedRelease
	if isReleased {
		release = readRelease(t)
	} else {
		t.Log("there is no release yet: the queries of this version are tested in its place")
		require.NoFileExists(t, releasedData)
		require.NoFileExists(t, releasedQueries)
		release = unreleased(t)
	}
	require.Greater(t, len(release.queries), 100)
	d := dbtest.Empty(t)
	migrateTo(t, d, release.first)
	d.AsOwner(t, func(conn *pgx.Conn) {
		// Rows are written as they were, without what triggers would add.
		_, err := conn.Exec(t.Context(), "set session_replication_role = replica;\n"+release.data)
		require.NoError(t, err)
	})
	rows := countRows(t, d)
	if isReleased {
		require.Positive(t, rows["public.evidence"], "the data of the first release has evidence")
	}
	migrateTo(t, d, release.last)
	before := describeAll(t, d, release.queries)
	_, err := db.Migrate(t.Context(), d.URL)
	require.NoError(t, err)
	for name, description := range describeAll(t, d, release.queries) {
		require.Equal(t, before[name], description, "%s of the last release", name)
	}
	after := countRows(t, d)
	for table, n := range rows {
		require.GreaterOrEqual(t, after[table], n, "rows of %s are lost", table)
	}
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

// readRelease reads what was recorded of the releases.
func readRelease(t *testing.T) (r recordedRelease) {
	t.Helper()
	data, err := os.ReadFile(releasedData)
	require.NoError(t, err, "record the data of the first release")
	_, err = fmt.Sscanf(string(data), releasedDataHeader, &r.first)
	require.NoError(t, err)
	r.data = string(data)
	content, err := os.ReadFile(releasedQueries)
	require.NoError(t, err, "record the queries of the release")
	r.last, r.queries = parseReleasedQueries(t, string(content))
	return r
}

// unreleased is this version in place of a release.
func unreleased(t *testing.T) recordedRelease {
	t.Helper()
	last, queries := parseReleasedQueries(t, recordQueries(t))
	return recordedRelease{first: last, last: last, queries: queries}
}

func parseReleasedQueries(t *testing.T, content string) (release int64, queries map[string]string) {
	t.Helper()
	_, err := fmt.Sscanf(content, releasedQueriesHeader, &release)
	require.NoError(t, err)
	queries = map[string]string{}
	for _, query := range strings.Split(content, "\n-- name: ")[1:] {
		name, _, _ := strings.Cut(query, " ")
		queries[name] = "-- name: " + strings.TrimSuffix(query, "\n;\n")
	}
	return release, queries
}

// writeReleasedQueries records the queries of this version as those of a release.
func writeReleasedQueries(t *testing.T) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(releasedQueries), 0o755))
	require.NoError(t, os.WriteFile(releasedQueries, []byte(recordQueries(t)), 0o644))
}

// recordQueries returns the queries of this version in the form of releasedQueries.
func recordQueries(t *testing.T) string {
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
	return fmt.Sprintf(releasedQueriesHeader, version) + "\n" + strings.Join(queries, "\n")
}
