package dev_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/dev/devtest"
)

// timeout is how long a test waits for what should take seconds.
const timeout = 5 * time.Minute

// A stack is a running `research dev`.
type stack struct {
	cmd      *exec.Cmd
	stateDir string
	out      *output
	done     chan struct{} // closed when it has ended
}

// output is what a program has printed so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// freePorts are settings that let a stack run beside others.
func freePorts(t *testing.T) []string {
	t.Helper()
	settings := []string{"HTTP_ADDR=127.0.0.1:" + devtest.FreePort(t)}
	for _, name := range []string{"POSTGRES_PORT", "TEMPORAL_PORT", "TEMPORAL_UI_PORT"} {
		settings = append(settings, name+"="+devtest.FreePort(t))
	}
	return settings
}

// startStack starts `research dev` over a state folder, and stops it with the test.
func startStack(t *testing.T, stateDir string, settings []string) *stack {
	t.Helper()
	s := &stack{cmd: devtest.Command(t, "dev"), stateDir: stateDir, out: &output{}, done: make(chan struct{})}
	s.cmd.Env = append(append(s.cmd.Env, "STATE_DIR="+stateDir), settings...)
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.cmd.WaitDelay = 10 * time.Second // parts that were left behind hold the pipes
	require.NoError(t, s.cmd.Start())
	go func() {
		_ = s.cmd.Wait() // ProcessState says how it ended
		close(s.done)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(os.Interrupt)
		select {
		case <-s.done:
		case <-time.After(timeout):
			_ = s.cmd.Process.Kill()
			t.Errorf("the stack does not end:\n%s", s.out)
		}
	})
	return s
}

// waitUntilReady waits for dev.env and returns its variables.
func (s *stack) waitUntilReady(t *testing.T) map[string]string {
	t.Helper()
	path := filepath.Join(s.stateDir, "dev.env")
	var content []byte
	eventually(t, "the stack is ready", func() bool {
		select {
		case <-s.done:
			require.FailNow(t, "the stack has ended", s.out.String())
		default:
		}
		var err error
		content, err = os.ReadFile(path)
		// A file that is there before that is from a run that was killed.
		return err == nil && strings.Contains(s.out.String(), "Ready in")
	})
	env := map[string]string{}
	for line := range strings.Lines(string(content)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		require.True(t, ok, line)
		env[name] = value
	}
	return env
}

// waitForEnd waits until the stack has ended, and returns the exit code; -1 means that a signal ended it.
func (s *stack) waitForEnd(t *testing.T) int {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(timeout):
		require.FailNow(t, "the stack does not end", s.out.String())
	}
	return s.cmd.ProcessState.ExitCode()
}

// processesOf returns the processes whose command line names a folder: those of a stack, or of a run of Exec.
func processesOf(t *testing.T, folder string) []string {
	t.Helper()
	var found []string
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	if len(paths) == 0 { // not Linux
		out, err := exec.CommandContext(t.Context(), "ps", "-axo", "pid=,command=").Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, folder) {
				found = append(found, line)
			}
		}
		return found
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(raw), folder) {
			found = append(found, path+" "+strings.ReplaceAll(string(raw), "\x00", " "))
		}
	}
	return found
}

// eventually polls until the condition holds, and fails the test where it does not within the timeout.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(timeout); !condition(); <-ticker.C {
		require.True(t, time.Now().Before(deadline), what)
	}
}

// query reads a number from a stack's database.
func query(t *testing.T, env map[string]string, sql string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

// requireReady waits until the API of a stack is ready: its dependencies may answer late on a busy machine.
func requireReady(t *testing.T, env map[string]string) {
	t.Helper()
	eventually(t, "the API is ready", func() bool {
		return getStatus(t, env["API_URL"]+"/readyz") == http.StatusOK
	})
}

// getStatus is the status of an answer; 0 where nobody listens.
func getStatus(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}
