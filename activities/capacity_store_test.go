package activities_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
)

func TestCapacityForecastMeasuresCalls(t *testing.T) {
	t.Parallel()
	f := newParseFixture(t, &fakeExtractor{plan: halves, ask: findsNothing})
	capacity := activities.Capacity{
		Calls: activities.CallLimits{InFlight: 4}, Concurrency: 1, Timeout: time.Hour,
	}
	forecast := func() activities.CapacityForecast {
		t.Helper()
		got, err := activities.ForecastCapacity(t.Context(), f.Store, capacity)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, activities.CapacityForecast{Open: 1}, forecast(), "no call was answered")

	f.readNext(t)
	got := forecast()
	require.True(t, got.Known)
	require.Positive(t, got.Duration, "a chunk is left")
	require.Empty(t, got.Late)

	f.Exec(t, `update private.import_runs set first_call_at = now() - interval '2 hours'`)
	f.Exec(t, `insert into private.workers (id, version) values (gen_random_uuid(), '')`)
	got = forecast()
	require.Equal(t, 1, got.Workers)
	require.Equal(t, []uuid.UUID{f.ref.ImportID}, got.Late)
	require.Equal(t, 1, got.Hopeless)

	f.Exec(t, `update private.import_runs set idle_since = now() - interval '90 minutes'`)
	require.Empty(t, forecast().Late, "what it waits for its turn does not count for PARSE_TIMEOUT")
}
