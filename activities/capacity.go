package activities

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// CallLimits bound the calls to the extractor.
type CallLimits struct {
	InFlight  int // of one worker; at least 1
	PerMinute int // of all workers; 0 means no limit
}

// Capacity holds the limits of the workers, from their settings.
type Capacity struct {
	Calls       CallLimits
	Concurrency int           // PARSE_CONCURRENCY
	Timeout     time.Duration // PARSE_TIMEOUT
}

// A CapacityForecast predicts whether the workers read the open imports in time.
type CapacityForecast struct {
	Open    int // imports that are queued or parsing
	Workers int // processes that run
	// Known reports whether calls of open imports were answered. Without them, the rest is zero.
	Known bool
	// Duration is when the last of the open imports ends.
	Duration time.Duration
	// Late are the imports that will miss PARSE_TIMEOUT, in the order of their requests.
	Late []uuid.UUID
	// Hopeless is how many of them would miss it even if they were read alone.
	Hopeless int
	// MissingWorkers is how many more workers are needed for the others, as far as MODEL_CALLS_IN_FLIGHT bounds
	// them.
	MissingWorkers int
	// CallsPerMinute is the value of MODEL_CALLS_PER_MINUTE that the others need; 0 if it is not what bounds
	// them.
	CallsPerMinute int
}

// ForecastCapacity estimates which open imports will miss PARSE_TIMEOUT, from how long recent calls took. It
// is right for one workspace; with several, those with few imports are faster, and the others slower.
func ForecastCapacity(ctx context.Context, store *db.Store, capacity Capacity) (CapacityForecast, error) {
	var reading db.MeasureReadingRow
	open, err := db.AsService(ctx, store, func(q *db.Queries) (_ []db.ListOpenImportsRow, err error) {
		if reading, err = q.MeasureReading(ctx); err != nil {
			return nil, err
		}
		return q.ListOpenImports(ctx)
	})
	if err != nil {
		return CapacityForecast{}, err
	}
	return forecastCapacity(open, reading, capacity), nil
}

// forecastCapacity assumes that imports take turns chunk by chunk, in the order of their requests.
func forecastCapacity(
	open []db.ListOpenImportsRow, reading db.MeasureReadingRow, capacity Capacity,
) CapacityForecast {
	forecast := CapacityForecast{Open: len(open), Workers: int(reading.Workers), Known: reading.Chunks > 0}
	if len(open) == 0 || !forecast.Known {
		return forecast
	}
	rate := newReadingRate(reading, capacity.Calls)
	needed := 0.0 // chunks per second
	for i, work := range turnsOf(open) {
		forecast.Duration = max(forecast.Duration, seconds(float64(work.turns)/rate.perSecond()))
		timeLeft := capacity.Timeout.Seconds() - open[i].ReadingSeconds
		turns := work.turns
		if !open[i].IsCalled {
			turns -= i // the clock starts at its first turn
		}
		alone := math.Ceil(float64(work.left)/float64(capacity.Concurrency)) * reading.SecondsPerChunk
		switch {
		case work.left == 0 || max(float64(turns)/rate.perSecond(), alone) <= timeLeft:
			continue
		case alone > timeLeft:
			forecast.Hopeless++
		default:
			needed = max(needed, float64(turns)/timeLeft)
		}
		forecast.Late = append(forecast.Late, open[i].ID)
	}
	forecast.MissingWorkers, forecast.CallsPerMinute = rate.missing(needed)
	return forecast
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// A readingRate is how fast chunks are read.
type readingRate struct {
	workers       float64
	perWorker     float64 // chunks per second
	limit         float64 // of all workers, in chunks per second; +Inf without MODEL_CALLS_PER_MINUTE
	callsPerChunk float64
}

func newReadingRate(reading db.MeasureReadingRow, limits CallLimits) readingRate {
	r := readingRate{
		workers:       float64(max(1, reading.Workers)), // one may be about to start
		perWorker:     float64(limits.InFlight) / reading.SecondsPerChunk,
		limit:         math.Inf(1),
		callsPerChunk: reading.CallsPerChunk,
	}
	if limits.PerMinute > 0 {
		r.limit = float64(limits.PerMinute) / 60 / reading.CallsPerChunk
	}
	return r
}

func (r readingRate) perSecond() float64 { return min(r.workers*r.perWorker, r.limit) }

// missing returns how many more workers a rate needs, and the value of MODEL_CALLS_PER_MINUTE, or 0 if the
// present one is enough.
func (r readingRate) missing(needed float64) (workers, callsPerMinute int) {
	workers = max(0, int(math.Ceil(needed/r.perWorker-r.workers)))
	if needed > r.limit {
		callsPerMinute = int(math.Ceil(needed * r.callsPerChunk * 60))
	}
	return workers, callsPerMinute
}

// waitingWork is the remaining work of an import.
type waitingWork struct {
	left  int // chunks
	turns int // chunks of all imports that are read until it ends
}

// turnsOf returns the work of each import. One that is not planned yet has as many chunks as the others have
// on average.
func turnsOf(open []db.ListOpenImportsRow) []waitingWork {
	chunks, planned := 0, 0
	for _, row := range open {
		if row.Chunks > 0 {
			chunks, planned = chunks+int(row.Chunks), planned+1
		}
	}
	average := 1
	if planned > 0 {
		average = (chunks + planned - 1) / planned
	}
	work := make([]waitingWork, len(open))
	var sizes []int
	for i, row := range open {
		work[i].left = int(row.Chunks - row.ChunksDone)
		if row.Chunks == 0 {
			work[i].left = average
		}
		sizes = append(sizes, work[i].left)
	}
	slices.Sort(sizes)
	for _, size := range slices.Compact(sizes) {
		turns := 0 // of the rounds before the last one of these imports
		for _, w := range work {
			turns += min(w.left, max(0, size-1))
		}
		for i := range work {
			if work[i].left >= size {
				turns++
			}
			if work[i].left == size {
				work[i].turns = turns
			}
		}
	}
	return work
}
