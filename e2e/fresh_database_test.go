package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// The first imports of a database, whose tables were never analyzed, do not each read those before them.
func TestFirstImportsReadNoTableWhole(t *testing.T) {
	t.Parallel()
	const imports = 60
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	var ids []string
	for i := range imports {
		ids = append(ids, s.add(t, editor, fmt.Sprintf("zoom%d.vtt", i), []byte(zoom)))
	}
	for _, id := range ids {
		s.startParse(t, editor, id, h)
	}
	for _, id := range ids {
		s.waitForStatus(t, editor, id, "parsed")
	}
	eventually(t, "the statistics have the imports", func() bool {
		s.Exec(t, `select pg_stat_clear_snapshot()`)
		return dbtest.Value[int64](t, s.DB, `
			select n_tup_ins from pg_stat_user_tables where relname = 'imports' and schemaname = 'public'`) >= imports
	})
	// Tests and checks of health read tables whole a few times.
	scanned := dbtest.Value[[]string](t, s.DB, `
		select coalesce(array_agg(format('%s: %s rows by %s scans', relname, seq_tup_read, seq_scan)), '{}')
		from pg_stat_user_tables
		where n_live_tup >= $1 and seq_tup_read > 10 * n_live_tup`, imports)
	require.Empty(t, scanned)
}
