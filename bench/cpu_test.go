package bench

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// clockTick is the unit in which Linux reports processor time to programs, on every architecture.
const clockTick = 10 * time.Millisecond

// cpuTime is the processor time that the parts of a benchmark have used.
type cpuTime struct {
	temporal, postgres, worker, api time.Duration
	client                          time.Duration // of this process
}

func (t cpuTime) minus(before cpuTime) cpuTime {
	return cpuTime{
		t.temporal - before.temporal, t.postgres - before.postgres, t.worker - before.worker, t.api - before.api,
		t.client - before.client,
	}
}

// processes are the parts of a benchmark, by their process ids.
type processes struct{ temporal, postgres, worker, api int }

// cpu returns what the parts have used until now.
func (p processes) cpu(b *testing.B) cpuTime {
	b.Helper()
	return cpuTime{
		temporal: familyTime(b, p.temporal), postgres: familyTime(b, p.postgres),
		worker: familyTime(b, p.worker), api: familyTime(b, p.api), client: familyTime(b, os.Getpid()),
	}
}

// familyTime returns the processor time of a process and of its children, also those that have ended.
func familyTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(b, err)
	ticks := 0
	for _, stat := range stats {
		id, parent, used, ok := readStat(stat)
		if ok && id == pid {
			ticks += used.self + used.children
		}
		if ok && parent == pid {
			ticks += used.self
		}
	}
	return time.Duration(ticks) * clockTick
}

// usedTicks is processor time in clock ticks, of a process and of its children that have ended.
type usedTicks struct{ self, children int }

// readStat reads a file /proc/<pid>/stat; see proc_pid_stat(5). It reports false if the process has ended.
func readStat(path string) (id, parent int, used usedTicks, ok bool) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, usedTicks{}, false
	}
	before, rest, _ := strings.Cut(string(content), " (")
	fields := strings.Fields(rest[strings.LastIndex(rest, ")")+1:]) // from the third on
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	used = usedTicks{number(fields[11]) + number(fields[12]), number(fields[13]) + number(fields[14])}
	return number(before), number(fields[1]), used, true
}

// postgresProcess returns the process id of the server of a database: the parent of any connection's process.
func postgresProcess(b *testing.B, d *dbtest.DB) (pid int) {
	b.Helper()
	d.AsOwner(b, func(c *pgx.Conn) {
		_, parent, _, ok := readStat(filepath.Join("/proc", strconv.Itoa(int(c.PgConn().PID())), "stat"))
		require.True(b, ok, "PostgreSQL does not run on this machine")
		pid = parent
	})
	return pid
}

// temporalProcess returns the process id of the development server, which has its port among its arguments.
func temporalProcess(b *testing.B) int {
	b.Helper()
	_, port, err := net.SplitHostPort(os.Getenv("TEST_TEMPORAL_ADDRESS"))
	require.NoError(b, err)
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(b, err)
	for _, command := range commands {
		content, _ := os.ReadFile(command) // empty if the process has ended
		args := strings.Split(string(content), "\x00")
		if i := slices.Index(args, "--port"); i > 0 && args[i+1] == port {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(command)))
			require.NoError(b, err)
			return pid
		}
	}
	b.Fatal("Temporal's development server does not run on this machine")
	return 0
}
