package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/dev/procmem"
)

const (
	memoryReads   = 20_000
	memoryImports = 50
	mostIdleMB    = 128 // resident, of serve and of the worker, before anything is requested
)

// BenchmarkMemory measures the resident memory of serve and a worker: idle, and after reads of the data API
// by eight clients and imports of interviews of an hour. Unlike the other benchmarks' figures, these are not
// the peak: a process gives back what it does not use.
func BenchmarkMemory(b *testing.B) {
	s := startReading(b)
	waitReady(b, "http://"+s.address+"/readyz", s.serve.ended)
	user := s.researcher(b)
	for b.Loop() {
		idleServe, idleWorker := residentMB(b, s.serve.program), residentMB(b, s.worker)
		list := s.request("/rest/v1/hypotheses?project_id=eq."+user.Project.String(), user.bearer)
		read := load(s.address, list, 1)
		for reads := 0.0; reads < memoryReads; {
			const turn = time.Second
			reads += read(b, turn) * turn.Seconds()
		}
		var interviews []interview
		for i := range memoryImports {
			interviews = append(interviews, user.upload(b, fmt.Sprintf("memory-%d-%d", b.N, i), words1h))
		}
		user.request(b, interviews...)
		for began := time.Now(); s.left(b, user) > 0; time.Sleep(pollInterval) {
			require.Less(b, time.Since(began), patience)
		}
		serveMB, workerMB := residentMB(b, s.serve.program), residentMB(b, s.worker)
		servePeak, workerPeak := peakMB(b, s.serve.program), peakMB(b, s.worker)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(idleServe, "serve-MB-idle")
		b.ReportMetric(idleWorker, "worker-MB-idle")
		b.ReportMetric(mostIdleMB, "limit-MB-idle")
		b.ReportMetric(serveMB, "serve-MB-after")
		b.ReportMetric(workerMB, "worker-MB-after")
		b.ReportMetric(servePeak, "serve-MB-peak")
		b.ReportMetric(workerPeak, "worker-MB-peak")
		b.ReportMetric(mostReadingMB, "limit-MB-peak")
		b.ReportMetric(memoryReads, "reads")
		b.ReportMetric(memoryImports, "imports")
		require.LessOrEqual(b, max(idleServe, idleWorker), float64(mostIdleMB), "MB, idle")
		require.LessOrEqual(b, max(servePeak, workerPeak), float64(mostReadingMB), "MB")
	}
}

// residentMB is a process's resident memory, in MB, as Linux counts it.
func residentMB(b *testing.B, p *program) float64 {
	b.Helper()
	mb, found := procmem.MB(p.Process.Pid, "VmRSS")
	require.True(b, found, "no VmRSS")
	return mb
}
