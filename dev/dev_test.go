package dev_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for what should take seconds; the first run on a machine builds the temporal CLI before the tests begin.
const patience = 90 * time.Second

// binary is the program under test, built once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "research-binary-*")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "research")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "..")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the binary: %w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// A stack is a running `research dev`.
type stack struct {
	cmd      *exec.Cmd
	folder   string
	settings []string
	out      *output
	done     chan struct{}
}

// output is what a program printed so far.
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

// freeSettings are the settings of a stack of its own.
func freeSettings(t *testing.T) []string {
	t.Helper()
	settings := []string{"HTTP_ADDR=127.0.0.1:" + freePort(t)}
	for _, name := range []string{"POSTGRES_PORT", "TEMPORAL_PORT", "TEMPORAL_UI_PORT"} {
		settings = append(settings, name+"="+freePort(t))
	}
	return settings
}

// openFolder is a temporary folder that every user may pass: PostgreSQL runs as another one than root.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	return dir
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// startStack starts the program in a folder.
func startStack(t *testing.T, folder string, settings []string) *stack {
	t.Helper()
	s := &stack{cmd: research(t, "dev"), folder: folder, settings: settings, out: &output{}, done: make(chan struct{})}
	s.cmd.Env = append(s.cmd.Env, "STATE_DIR="+folder)
	s.cmd.Env = append(s.cmd.Env, settings...)
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.cmd.WaitDelay = time.Second // parts that were left behind hold the pipes
	require.NoError(t, s.cmd.Start())
	go func() {
		_ = s.cmd.Wait() // ProcessState says how it ended
		close(s.done)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(os.Interrupt)
		select {
		case <-s.done:
		case <-time.After(patience):
			_ = s.cmd.Process.Kill()
			t.Errorf("the stack does not end:\n%s", s.out)
		}
	})
	return s
}

// research is a command of the program, in an environment without settings.
func research(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.Command(path, args...)
	cmd.Dir = ".." // where tools/go.mod is
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); name == "PATH" || name == "HOME" || strings.HasPrefix(name, "GO") || name == "TMPDIR" || name == "USER" || name == "XDG_CACHE_HOME" {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	return cmd
}

// ready waits for dev.env and returns what it says.
func (s *stack) ready(t *testing.T) map[string]string {
	t.Helper()
	path := filepath.Join(s.folder, "dev.env")
	deadline := time.Now().Add(patience)
	for {
		raw, err := os.ReadFile(path)
		if err == nil && strings.Contains(s.out.String(), "Ready in") { // else it is of a run that was killed
			env := map[string]string{}
			for line := range strings.Lines(string(raw)) {
				name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
				require.True(t, ok, line)
				env[name] = value
			}
			return env
		}
		select {
		case <-s.done:
			require.FailNow(t, "the stack ended", s.out.String())
		case <-time.After(50 * time.Millisecond):
		}
		require.Truef(t, time.Now().Before(deadline), "the stack is not ready:\n%s", s.out)
	}
}

// ended waits for the end and returns the exit code; -1: by a signal.
func (s *stack) ended(t *testing.T) int {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		require.FailNow(t, "the stack does not end", s.out.String())
	}
	return s.cmd.ProcessState.ExitCode()
}

// processes are those whose command line names the text: the folder of a stack or of a run.
func processes(t *testing.T, text string) []string {
	t.Helper()
	var found []string
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	if len(lines) == 0 {
		out, err := exec.CommandContext(t.Context(), "ps", "-axo", "pid=,command=").Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, text) {
				found = append(found, line)
			}
		}
		return found
	}
	for _, path := range lines {
		raw, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(raw), text) {
			found = append(found, path+" "+strings.ReplaceAll(string(raw), "\x00", " "))
		}
	}
	return found
}

func eventually(t *testing.T, what string, true func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !true(); time.Sleep(50 * time.Millisecond) {
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

func status(t *testing.T, url string) int {
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

func TestStack(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(openFolder(t), "state")
	settings := freeSettings(t)
	first := startStack(t, folder, settings)
	env := first.ready(t)

	// It says where everything is, to its owner only.
	for _, name := range []string{"API_URL", "ANON_KEY", "SERVICE_ROLE_KEY", "CRON_SECRET", "DATABASE_URL", "TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_UI_URL",
		"MAIL_DIR", "DEMO_EMAIL", "DEMO_PASSWORD"} {
		require.NotEmpty(t, env[name], name)
	}
	info, err := os.Stat(filepath.Join(folder, "dev.env"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, http.StatusOK, status(t, env["API_URL"]+"/readyz"))
	require.Equal(t, http.StatusOK, status(t, env["TEMPORAL_UI_URL"]))
	require.Equal(t, 2, query(t, env, "select count(*)::int from imports"))
	eventually(t, "one of the demo interviews is parsed, with evidence", func() bool {
		return query(t, env, "select count(*)::int from imports where status = 'parsed' and evidence_count > 0") == 1
	})

	// A second one in the same folder is refused, and one on the same ports is told which.
	same := startStack(t, folder, freeSettings(t))
	require.Equal(t, 1, same.ended(t))
	require.Contains(t, same.out.String(), fmt.Sprintf("another stack (process %d) uses the folder", first.cmd.Process.Pid))
	busy := startStack(t, filepath.Join(openFolder(t), "busy"), settings)
	require.Equal(t, 1, busy.ended(t))
	for _, setting := range settings {
		name, _, _ := strings.Cut(setting, "=")
		require.Contains(t, busy.out.String(), name+": 127.0.0.1:")
	}

	// Another one runs beside it.
	beside := startStack(t, filepath.Join(openFolder(t), "beside"), freeSettings(t))
	other := beside.ready(t)
	require.NotEqual(t, env["DATABASE_URL"], other["DATABASE_URL"])
	require.Equal(t, http.StatusOK, status(t, other["API_URL"]+"/readyz"))
	require.NoError(t, beside.cmd.Process.Signal(os.Interrupt))
	require.Equal(t, 0, beside.ended(t))

	// Ctrl-C ends everything and leaves nothing but the data.
	require.NoError(t, first.cmd.Process.Signal(os.Interrupt))
	require.Equal(t, 0, first.ended(t), first.out.String())
	require.Empty(t, processes(t, folder))
	require.NoFileExists(t, filepath.Join(folder, "dev.env"))

	// It starts again over its data, with the same keys; kill -9 leaves no process either, and the next start waits for the last one's end.
	again := startStack(t, folder, settings)
	require.Equal(t, env, again.ready(t))
	require.Equal(t, 2, query(t, env, "select count(*)::int from imports"))
	require.NotEmpty(t, processes(t, folder))
	require.NoError(t, again.cmd.Process.Kill())
	after := startStack(t, folder, settings)
	require.Equal(t, env, after.ready(t))
	require.Equal(t, 2, query(t, env, "select count(*)::int from imports"))
	require.NoError(t, after.cmd.Process.Kill())
	eventually(t, "kill -9 leaves a process", func() bool { return len(processes(t, folder)) == 0 })
}

func TestPartsComeBack(t *testing.T) {
	t.Parallel()
	s := startStack(t, filepath.Join(openFolder(t), "state"), freeSettings(t))
	env := s.ready(t)
	raw, err := os.ReadFile(filepath.Join(s.folder, "postgres", "data", "postmaster.pid"))
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(line)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	eventually(t, "PostgreSQL is said to be back", func() bool { return strings.Contains(s.out.String(), "PostgreSQL is back.") })
	eventually(t, "the API is ready again", func() bool { return status(t, env["API_URL"]+"/readyz") == http.StatusOK })
	require.Equal(t, 2, query(t, env, "select count(*)::int from imports"))
}

func TestExec(t *testing.T) {
	t.Parallel()

	t.Run("hands on the exit code and the variables, and leaves nothing", func(t *testing.T) {
		t.Parallel()
		temporary := openFolder(t)
		cmd := research(t, "dev", "--", "sh", "-c", `test -n "$TEST_DATABASE_URL" && test -n "$TEST_TEMPORAL_ADDRESS" && ls "$TMPDIR" && exit 7`)
		cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, string(out))
		require.Equal(t, 7, exit.ExitCode(), string(out))
		require.Contains(t, string(out), "research-test-")
		entries, err := os.ReadDir(temporary)
		require.NoError(t, err)
		require.Empty(t, entries)
		require.Empty(t, processes(t, temporary))
	})

	t.Run("hands on signals", func(t *testing.T) {
		t.Parallel()
		ready := filepath.Join(t.TempDir(), "ready")
		cmd := research(t, "dev", "--", "sh", "-c", `trap 'exit 9' TERM; touch "$0"; while :; do sleep 0.1; done`, ready)
		require.NoError(t, cmd.Start())
		eventually(t, "the command runs", func() bool { _, err := os.Stat(ready); return err == nil })
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		var exit *exec.ExitError
		require.ErrorAs(t, cmd.Wait(), &exit)
		require.Equal(t, 9, exit.ExitCode())
	})

	t.Run("kill -9 leaves no process, and the next run removes the folder", func(t *testing.T) {
		t.Parallel()
		temporary := openFolder(t)
		ready := filepath.Join(temporary, "ready")
		cmd := research(t, "dev", "--", "sh", "-c", `touch "$0"; exec sleep 600`, ready)
		cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
		require.NoError(t, cmd.Start())
		eventually(t, "the command runs", func() bool { _, err := os.Stat(ready); return err == nil })
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		eventually(t, "PostgreSQL is gone", func() bool { return len(processes(t, temporary)) == 0 })
		next := research(t, "dev", "--", "true")
		next.Env = append(next.Env, "TMPDIR="+temporary)
		out, err := next.CombinedOutput()
		require.NoError(t, err, string(out))
		left, err := filepath.Glob(filepath.Join(temporary, "research-test-*"))
		require.NoError(t, err)
		require.Empty(t, left)
	})

	t.Run("a command that does not exist", func(t *testing.T) {
		t.Parallel()
		out, err := research(t, "dev", "--", "there-is-no-such-command").CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "there-is-no-such-command")
	})
}
