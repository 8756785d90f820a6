package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/outcome"
)

func TestMetricsCountImportsByStatus(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	d.Exec(t, `
		insert into imports (workspace_id, project_id, title, format, size_bytes, sha256, status, queued_at,
			started_at)
		select $1::uuid, $2::uuid, 'Interview', 'vtt', 1, '', s::import_status,
			now() - interval '3 hours', now() - interval '1 hour'
		from unnest(array['queued', 'parsing', 'failed', 'failed']) s
		union all
		select $1::uuid, $2::uuid, 'Interview', 'vtt', 1, '', 'parsed', null, null from generate_series(1, 10100)`,
		n.Workspace, n.Project)
	rows, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) ([]db.CountImportStatesRow, error) {
		return q.CountImportStates(t.Context())
	})
	require.NoError(t, err)
	counts, oldest := map[outcome.Status]int64{}, map[outcome.Status]float64{}
	for _, row := range rows {
		counts[row.Status], oldest[row.Status] = row.Number, row.OldestSeconds
	}
	require.Equal(t, map[outcome.Status]int64{
		outcome.StatusQueued: 1, outcome.StatusParsing: 1, outcome.StatusFailed: 2, outcome.StatusParsed: 10_000,
	}, counts, "counting stops at 10,000")
	require.InDelta(t, 3*3600, oldest[outcome.StatusQueued], 600)
	require.InDelta(t, 3600, oldest[outcome.StatusParsing], 600)
	require.Zero(t, oldest[outcome.StatusFailed])
}
