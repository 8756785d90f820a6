package bench

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/dev/devtest"
)

// The limits of a start on a machine that has little else to do.
const (
	mostStart    = 2 * time.Second  // of serve and of the worker, until /readyz answers 200
	mostDevStart = 10 * time.Second // of the development stack whose state folder exists
)

const (
	starts    = 9
	devStarts = 3
)

// BenchmarkStart measures the time from starting `research serve` and `research worker` until their /readyz
// answers 200, with a migrated database, and the CPU time that they have used until then.
func BenchmarkStart(b *testing.B) {
	for _, command := range []string{"serve", "worker"} {
		b.Run(command, func(b *testing.B) {
			d := dbtest.New(b)
			_, temporal := newNamespace(b)
			settings := append(temporal, "DATABASE_URL="+d.URL)
			startReady(b, command, settings) // makes keys, and reads the binary from the disk
			for b.Loop() {
				var times, used []float64
				for range starts {
					p, took := startReady(b, command, settings)
					times = append(times, float64(took.Milliseconds()))
					used = append(used, float64(familyTime(b, p.Process.Pid).Milliseconds()))
					p.kill()
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(times), "ms-ready")
				b.ReportMetric(median(used), "ms-cpu")
				b.ReportMetric(float64(mostStart.Milliseconds()), "limit-ms-ready")
				require.LessOrEqual(b, median(times), float64(mostStart.Milliseconds()), "ms")
			}
		})
	}
}

// startReady starts a command and waits until it is ready.
func startReady(b *testing.B, command string, settings []string) (*program, time.Duration) {
	b.Helper()
	port := devtest.FreePort(b)
	address := net.JoinHostPort("127.0.0.1", port)
	began := time.Now()
	p := startProgram(b, command, append(slices.Clone(settings), "HTTP_ADDR=127.0.0.1:0",
		"METRICS_ADDR="+address, "PUBLIC_URL=http://bench.example", "ANON_KEY="+anonKey,
		"SERVICE_ROLE_KEY="+serviceKey, "CRON_SECRET="+cronSecret, "DRAIN_DELAY=0s", "STOP_TIMEOUT=1s")...)
	waitReady(b, "http://"+address+"/readyz", p.ended)
	return p, time.Since(began)
}

// waitReady waits until an address answers 200.
func waitReady(b *testing.B, url string, ended context.Context) {
	b.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
		require.NoError(b, err)
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		require.NoError(b, context.Cause(ended))
		require.True(b, time.Now().Before(until), "%s is not ready", url)
	}
}

// BenchmarkStartDev measures the start of the development stack, `research dev`, whose state folder exists:
// PostgreSQL, Temporal with its UI, the API, a worker and the demo data.
func BenchmarkStartDev(b *testing.B) {
	stateDir := devtest.OpenFolder(b)
	startDev(b, stateDir) // makes the database and the demo data
	for b.Loop() {
		var times []float64
		for range devStarts {
			times = append(times, startDev(b, stateDir).Seconds())
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(median(times), "s-ready")
		b.ReportMetric(mostDevStart.Seconds(), "limit-s-ready")
		require.LessOrEqual(b, median(times), mostDevStart.Seconds(), "s")
	}
}

// startDev starts the stack, waits until it says that it is ready, and stops it. It returns the time until it
// was ready.
func startDev(b *testing.B, stateDir string) time.Duration {
	b.Helper()
	cmd := devtest.Command(b, "dev")
	cmd.Env = append(cmd.Env, "STATE_DIR="+stateDir)
	for _, setting := range []string{
		"HTTP_ADDR=127.0.0.1:", "POSTGRES_PORT=", "TEMPORAL_PORT=", "TEMPORAL_UI_PORT=",
	} {
		cmd.Env = append(cmd.Env, setting+devtest.FreePort(b))
	}
	said := &readyLine{ready: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.WaitDelay = 10 * time.Second // parts that were left behind hold the pipes
	began := time.Now()
	require.NoError(b, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-said.ready:
	case err := <-ended:
		require.FailNow(b, "the stack has ended", "%v: %s", err, said.text.String())
	}
	took := time.Since(began)
	require.NoError(b, cmd.Process.Signal(os.Interrupt))
	<-ended // with the exit code of the signal
	return took
}

// A readyLine waits for the line with which the stack says that it is ready.
type readyLine struct {
	mu    sync.Mutex
	text  bytes.Buffer
	once  sync.Once
	ready chan struct{}
}

// Write implements io.Writer.
func (r *readyLine) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := r.text.Write(p)
	if bytes.Contains(r.text.Bytes(), []byte("Ready in")) {
		r.once.Do(func() { close(r.ready) })
	}
	return n, err
}
