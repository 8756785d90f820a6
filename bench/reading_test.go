package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// Words of interviews of ten minutes, an hour and three hours.
const (
	words10m = 1_500
	words1h  = 9_000
	words3h  = 27_000
)

// The limits. Each is a ratio of times that were measured in one run.
const (
	mostOfIdeal     = 1.15 // the time to all evidence of an hour, of the shortest time its calls can take
	mostOfFirstCall = 1.2  // the time to the first evidence of an hour, of the call that was answered first
	mostOfQuiet     = 1.5  // the time to all evidence beside a flood, of that without one
	mostCallsBefore = 2    // calls of others before the first one of a workspace, with a limit of calls
	mostReadingMB   = 256  // resident, of the worker and of serve
)

// BenchmarkEvidence requests the parse of one interview after the other, with a model that takes five seconds
// a call, and measures when a user sees the first evidence and all of it. The ideal is the time of the calls
// alone, PARSE_CONCURRENCY of them at a time, as if they could be divided evenly; the schedule is that time
// in the order of the calls.
func BenchmarkEvidence(b *testing.B) {
	s := startReading(b)
	user := s.researcher(b)
	user.warmUp(b)
	for _, length := range []struct {
		name   string
		words  int
		rounds int
		limits bool
	}{{"10m", words10m, 3, false}, {"1h", words1h, 7, true}, {"3h", words3h, 3, false}} {
		b.Run(length.name, func(b *testing.B) {
			for b.Loop() {
				var first, all, ofFirstCall, ofIdeal, ofSchedule []float64
				var last interview
				for round := range length.rounds {
					last = user.upload(b, fmt.Sprintf("%s-%d-%d", length.name, b.N, round), length.words)
					saw := user.parse(b, last)
					if len(saw.calls) > 1 {
						require.True(b, saw.inProgress, "the first evidence is that of a run in progress")
					}
					first, all = append(first, saw.first.Seconds()), append(all, saw.all.Seconds())
					ofFirstCall, ofIdeal = append(ofFirstCall, saw.ofFirstCall(b)), append(ofIdeal, saw.ofIdeal())
					ofSchedule = append(ofSchedule, saw.ofSchedule())
					b.Logf("%d calls: first evidence after %.2f s, %.2f of the call; all after %.2f s, %.2f of the ideal",
						len(saw.calls), saw.first.Seconds(), saw.ofFirstCall(b), saw.all.Seconds(), saw.ofIdeal())
				}
				events, actions := s.history(b, last)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(first), "s-first")
				b.ReportMetric(median(all), "s-all")
				b.ReportMetric(median(ofFirstCall), "of-first-call")
				b.ReportMetric(median(ofIdeal), "of-ideal")
				b.ReportMetric(median(ofSchedule), "of-schedule")
				b.ReportMetric(float64(events), "events")
				b.ReportMetric(float64(actions), "actions")
				if !length.limits {
					continue
				}
				b.ReportMetric(mostOfFirstCall, "limit-of-first-call")
				b.ReportMetric(mostOfIdeal, "limit-of-ideal")
				require.LessOrEqual(b, median(ofFirstCall), mostOfFirstCall, "of the call that was answered first")
				require.LessOrEqual(b, median(ofIdeal), mostOfIdeal, "of the ideal")
			}
		})
	}
}

// BenchmarkTurns compares the time to the evidence of an interview of an hour while another workspace has
// just requested a hundred with that on a quiet system. The processor time of an import is information, and
// has no limit.
func BenchmarkTurns(b *testing.B) {
	const interviews, rounds = 100, 3
	s := startReading(b)
	one, other, many := s.researcher(b), s.researcher(b), s.researcher(b)
	one.warmUp(b)
	for b.Loop() {
		var quiet []seen
		var waiting, flood []interview
		for round := range rounds {
			mark := fmt.Sprintf("one-%d-%d", b.N, round)
			quiet = append(quiet, one.parse(b, one.upload(b, mark, words1h)))
			waiting = append(waiting, other.upload(b, mark, words1h))
		}
		for i := range interviews {
			flood = append(flood, many.upload(b, fmt.Sprintf("flood-%d-%d", b.N, i), words1h))
		}
		parts := processes{
			temporal: temporalProcess(b), postgres: postgresProcess(b, s.db), worker: s.worker.Process.Pid,
			api: s.serve.Process.Pid,
		}
		before, began := parts.cpu(b), time.Now()
		many.request(b, flood...)
		var ofQuiet []float64
		for round, i := range waiting {
			saw := other.parse(b, i)
			ofQuiet = append(ofQuiet, saw.all.Seconds()/quiet[round].all.Seconds())
			b.Logf("%s instead of %s: %.2f; the flood has %d imports left", saw.timeline(),
				quiet[round].timeline(), ofQuiet[round], s.left(b, many))
			require.NotZero(b, s.left(b, many), "the flood ended first")
		}
		for s.left(b, many) > 0 {
			require.Less(b, time.Since(began), patience)
			time.Sleep(pollInterval)
		}
		took, used := time.Since(began), parts.cpu(b).minus(before)
		ofAll := func(d time.Duration) float64 { return float64(d.Milliseconds()) / (interviews + rounds) }
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(median(ofQuiet), "of-quiet")
		b.ReportMetric(mostOfQuiet, "limit-of-quiet")
		b.ReportMetric(took.Seconds(), "s-flood")
		b.ReportMetric(ofAll(used.temporal), "ms-temporal/import")
		b.ReportMetric(ofAll(used.postgres), "ms-postgres/import")
		b.ReportMetric(ofAll(used.worker), "ms-worker/import")
		b.ReportMetric(ofAll(used.api), "ms-serve/import")
		api, work := peakMB(b, s.serve.program), peakMB(b, s.worker)
		b.ReportMetric(api, "serve-MB")
		b.ReportMetric(work, "worker-MB")
		require.LessOrEqual(b, median(ofQuiet), mostOfQuiet, "of the time on a quiet system")
		require.LessOrEqual(b, max(api, work), float64(mostReadingMB), "MB")
	}
}

// left returns how many imports of a workspace are open.
func (s *readingStack) left(b *testing.B, r *researcher) int {
	b.Helper()
	return dbtest.Value[int](b, s.db, `select count(*)::int from imports
		where project_id = $1 and status in ('queued', 'parsing')`, r.Project)
}

// BenchmarkCallLimit requests the parse of thirty interviews of an hour by one workspace, where the model may
// be called thirty times a minute, and then of one interview after the other by another workspace. It counts
// the calls between the request and its first call.
func BenchmarkCallLimit(b *testing.B) {
	const perMinute, interviews, rounds = 30, 30, 4
	s := startReading(b, fmt.Sprint("MODEL_CALLS_PER_MINUTE=", perMinute))
	one, many := s.researcher(b), s.researcher(b)
	one.warmUp(b)
	for b.Loop() {
		var flood, waiting []interview
		for i := range interviews {
			flood = append(flood, many.upload(b, fmt.Sprintf("limited-%d-%d", b.N, i), words1h))
		}
		for round := range rounds {
			waiting = append(waiting, one.upload(b, fmt.Sprintf("one-%d-%d", b.N, round), words10m))
		}
		began := time.Now()
		many.request(b, flood...)
		for len(s.since(began)) < 5 {
			require.Less(b, time.Since(began), patience)
			time.Sleep(pollInterval)
		}
		most, waited := 0, []float64{}
		for _, i := range waiting {
			requested := time.Now()
			saw := one.parse(b, i)
			call := saw.calls[0]
			before := len(s.model.where(func(c modelCall) bool {
				return c.began.After(requested) && c.began.Before(call.began)
			}))
			most = max(most, before)
			waited = append(waited, call.began.Sub(requested).Seconds())
			b.Logf("%d calls of others, %.2f s until the first of its own", before, waited[len(waited)-1])
		}
		calls := s.since(began)
		minutes := calls[len(calls)-1].began.Sub(calls[0].began).Minutes()
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(most), "calls-before")
		b.ReportMetric(mostCallsBefore, "limit-calls-before")
		b.ReportMetric(median(waited), "s-waited")
		b.ReportMetric(float64(len(calls)-1)/minutes, "calls/minute")
		require.NotZero(b, s.left(b, many), "the other workspace's imports ended first")
		require.LessOrEqual(b, most, mostCallsBefore, "calls of others")
	}
}

// since returns the calls that began after a time.
func (s *readingStack) since(t time.Time) []modelCall {
	return s.model.where(func(c modelCall) bool { return c.began.After(t) })
}
