package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/telemetry"
)

func TestWorkOfAllProcessesIsExported(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	scrape := func() string {
		seen, err := telemetry.New(t.Context(), telemetry.Config{Program: "test"})
		require.NoError(t, err)
		require.NoError(t, exportDatabase(seen, Pools{Data: d.Store, Identity: d.Store, Probes: d.Store}))
		w := httptest.NewRecorder()
		seen.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		require.Equal(t, http.StatusOK, w.Code)
		return w.Body.String()
	}
	empty := scrape()
	require.Contains(t, empty, `research_workers{version=""} 0`, "an alert needs a number to compare")
	require.Contains(t, empty, "research_last_backup_timestamp_seconds 0\n")
	require.Contains(t, empty, `research_digest_overdue_seconds{step="planning"} 0`)
	require.Contains(t, empty, `research_digest_overdue_seconds{step="sending"} 0`)

	n := d.Tenant(t)
	d.Exec(t, `
		insert into imports (workspace_id, project_id, title, format, size_bytes, sha256, status, waiting_reason)
		values ($1, $2, 'I', 'vtt', 1, '', 'parsing', 'no_worker_of_version')`, n.Workspace, n.Project)
	require.NoError(t, d.Store.AsService(t.Context(), func(q *db.Queries) error {
		if err := q.SeeWorker(t.Context(), db.SeeWorkerParams{ID: uuid.New(), Version: "research:v2"}); err != nil {
			return err
		}
		return q.PutSetting(t.Context(), db.PutSettingParams{
			Name: "last_backup_at", Value: time.Unix(1_800_000_000, 0).UTC().Format(time.RFC3339),
		})
	}))
	busy := scrape()
	require.Contains(t, busy, `research_imports_waiting{reason="no_worker_of_version"} 1`)
	require.Contains(t, busy, `research_workers{version="research:v2"} 1`)
	require.Contains(t, busy, "research_last_backup_timestamp_seconds 1.8e+09\n")
}

// A request to Temporal records metrics of its own, for which no scrape may wait.
func TestTemporalIsAskedBesideTheScrape(t *testing.T) {
	t.Parallel()
	seen, err := telemetry.New(t.Context(), telemetry.Config{Program: "test"})
	require.NoError(t, err)
	require.NoError(t, seen.ObserveSchedules(func(context.Context) ([]telemetry.ScheduleState, error) {
		seen.TemporalMetrics().Counter("temporal_request").Inc(1)
		return []telemetry.ScheduleState{{ID: "digest-daily", Paused: true}}, nil
	}))
	require.Eventually(t, func() bool {
		w := httptest.NewRecorder()
		seen.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		return strings.Contains(w.Body.String(), `research_schedule_paused{schedule="digest-daily"} 1`)
	}, time.Minute, 10*time.Millisecond)
}
