package activities

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
)

// openImports returns imports that wait for their first call.
func openImports(n int, chunks int32) []db.ListOpenImportsRow {
	open := make([]db.ListOpenImportsRow, n)
	for i := range open {
		open[i] = db.ListOpenImportsRow{ID: uuid.New(), Chunks: chunks}
	}
	return open
}

func idsOf(open []db.ListOpenImportsRow) []uuid.UUID {
	var ids []uuid.UUID
	for _, row := range open {
		ids = append(ids, row.ID)
	}
	return ids
}

// Two workers read four chunks a second together: four calls in flight each, two seconds for a chunk.
var (
	fourChunksPerSecond = db.MeasureReadingRow{Chunks: 100, CallsPerChunk: 1, SecondsPerChunk: 2, Workers: 2}
	fourCallsInFlight   = Capacity{Calls: CallLimits{InFlight: 4}, Concurrency: 8, Timeout: time.Minute}
)

func TestCapacityForecast(t *testing.T) {
	t.Parallel()
	t.Run("without open imports, none is late", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, CapacityForecast{Workers: 2, Known: true},
			forecastCapacity(nil, fourChunksPerSecond, fourCallsInFlight))
	})
	t.Run("without answered calls, nothing is known", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, CapacityForecast{Open: 5000},
			forecastCapacity(openImports(5000, 9), db.MeasureReadingRow{}, fourCallsInFlight))
	})
	t.Run("the wait before the first call does not count", func(t *testing.T) {
		t.Parallel()
		got := forecastCapacity(openImports(1000, 1), fourChunksPerSecond, fourCallsInFlight)
		require.Empty(t, got.Late)
		require.Equal(t, 250*time.Second, got.Duration)
	})
	t.Run("imports of several chunks wait for a turn for each", func(t *testing.T) {
		t.Parallel()
		// The last turns of 300 imports of two chunks are 300 to 301 turns after their first: 75 s.
		open := openImports(300, 2)
		got := forecastCapacity(open, fourChunksPerSecond, fourCallsInFlight)
		require.Equal(t, idsOf(open), got.Late)
		require.Zero(t, got.Hopeless)
		require.Equal(t, 150*time.Second, got.Duration)
		// Three workers make six chunks a second, and 301 turns take 50 s.
		require.Equal(t, 1, got.MissingWorkers)
		require.Zero(t, got.CallsPerMinute)

		enough := fourChunksPerSecond
		enough.Workers += int64(got.MissingWorkers)
		require.Empty(t, forecastCapacity(open, enough, fourCallsInFlight).Late)
	})
	t.Run("short imports are in time beside long ones", func(t *testing.T) {
		t.Parallel()
		short, long := openImports(200, 1), openImports(200, 3)
		got := forecastCapacity(append(short, long...), fourChunksPerSecond, fourCallsInFlight)
		require.Equal(t, idsOf(long), got.Late)
	})
	t.Run("the clock of an import that was called runs", func(t *testing.T) {
		t.Parallel()
		open := openImports(100, 2)
		for i := range open[:10] {
			open[i].IsCalled, open[i].ChunksDone, open[i].ReadingSeconds = true, 1, 59
		}
		got := forecastCapacity(open, fourChunksPerSecond, fourCallsInFlight)
		require.Equal(t, idsOf(open[:10]), got.Late)
		require.Equal(t, 10, got.Hopeless, "a chunk takes two seconds")
		require.Zero(t, got.MissingWorkers)
	})
	t.Run("imports that are not planned have as many chunks as the others", func(t *testing.T) {
		t.Parallel()
		open := append(openImports(1, 2), openImports(299, 0)...)
		require.Len(t, forecastCapacity(open, fourChunksPerSecond, fourCallsInFlight).Late, 300)
	})
	t.Run("where MODEL_CALLS_PER_MINUTE is the bound, workers do not help", func(t *testing.T) {
		t.Parallel()
		limited := fourCallsInFlight
		limited.Calls.PerMinute = 120
		got := forecastCapacity(openImports(150, 2), fourChunksPerSecond, limited)
		require.Len(t, got.Late, 150)
		require.Zero(t, got.MissingWorkers)
		require.Equal(t, 151, got.CallsPerMinute, "from the first turn of an import to its last")
	})
	t.Run("a worker is enough to begin with", func(t *testing.T) {
		t.Parallel()
		unread := fourChunksPerSecond
		unread.Workers = 0
		got := forecastCapacity(openImports(10, 1), unread, fourCallsInFlight)
		require.Equal(t, 5*time.Second, got.Duration)
	})
}
