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

func TestMetricsCountWaitingImports(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	d.Exec(t, `
		insert into imports (workspace_id, project_id, title, format, size_bytes, sha256, status, waiting_reason)
		values ($1, $2, 'I', 'vtt', 1, '', 'queued', 'turn'), ($1, $2, 'I', 'vtt', 1, '', 'parsing', 'turn'),
			($1, $2, 'I', 'vtt', 1, '', 'parsing', 'paused'), ($1, $2, 'I', 'vtt', 1, '', 'parsing', null),
			($1, $2, 'I', 'vtt', 1, '', 'uploaded', null)`, n.Workspace, n.Project)
	rows, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) ([]db.CountWaitingImportsRow, error) {
		return q.CountWaitingImports(t.Context())
	})
	require.NoError(t, err)
	require.ElementsMatch(t, []db.CountWaitingImportsRow{
		{Reason: "turn", Number: 2}, {Reason: "paused", Number: 1},
	}, rows)
}

func TestMetricsMeasureOverdueDigests(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	measure := func() db.MeasureOverdueDigestsRow {
		row, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (db.MeasureOverdueDigestsRow, error) {
			return q.MeasureOverdueDigests(t.Context())
		})
		require.NoError(t, err)
		return row
	}
	require.Zero(t, measure(), "preferences that were just made")

	d.Exec(t, `update private.digest_schedule set next_due_at = now() + interval '1 hour'`)
	d.Exec(t, `
		insert into digest_deliveries (user_id, frequency, period, window_start, window_end, status,
			next_attempt_at)
		select $1::uuid, 'daily', x.status, now(), now(), x.status::delivery_status, x.at
		from (values ('planned', now() + interval '1 hour'), ('sent', now() - interval '9 hours')) x (status, at)`,
		n.Editor)
	require.Zero(t, measure(), "nothing is due")

	d.Exec(t, `update private.digest_schedule set next_due_at = now() - interval '3 hours' where user_id = $1`,
		n.Editor)
	d.Exec(t, `
		update digest_deliveries set next_attempt_at = now() - interval '2 hours' where status = 'planned'`)
	overdue := measure()
	require.InDelta(t, 3*3600, overdue.UnplannedSeconds, 600)
	require.InDelta(t, 2*3600, overdue.UnsentSeconds, 600)
}
