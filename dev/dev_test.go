package dev_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"research/dev/devtest"
)

const countImports = "select count(*)::int from imports"

func TestStack(t *testing.T) {
	t.Parallel()
	stateDir := filepath.Join(devtest.OpenFolder(t), "state")
	ports := freePorts(t)
	first := startStack(t, stateDir, ports)
	env := first.waitUntilReady(t)

	// It tells its owner, and nobody else, where everything is.
	for _, name := range []string{
		"API_URL", "PUBLIC_URL", "ANON_KEY", "SERVICE_ROLE_KEY", "CRON_SECRET", "DATABASE_URL", "TEMPORAL_ADDRESS",
		"TEMPORAL_NAMESPACE", "TEMPORAL_UI_URL", "MAIL_DIR", "DEMO_EMAIL", "DEMO_PASSWORD",
	} {
		require.NotEmpty(t, env[name], name)
	}
	info, err := os.Stat(filepath.Join(stateDir, "dev.env"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for _, file := range []string{"temporal.db", "temporal.db-wal", "temporal.db-shm"} {
		info, err := os.Stat(filepath.Join(stateDir, file))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
	require.Zero(t, query(t, env, `select count(*) from pg_stat_activity where usesysid = 10
		and application_name like 'research %'`), "no program logs in as the superuser")
	require.Positive(t, query(t, env, `select count(*) from pg_stat_activity where usename = 'research_worker'`))
	require.Equal(t, http.StatusOK, getStatus(t, env["API_URL"]+"/metrics"), "to this machine")
	requireReady(t, env)
	require.Equal(t, http.StatusOK, getStatus(t, env["TEMPORAL_UI_URL"]))
	require.Equal(t, 2, query(t, env, countImports))
	eventually(t, "one of the demo interviews is parsed, with evidence", func() bool {
		return query(t, env, countImports+" where status = 'parsed' and evidence_count > 0") == 1
	})
	eventually(t, "quotes of the demo are judged", func() bool {
		return query(t, env, "select count(*)::int from evidence where review = 'accepted'") == 7
	})
	require.Equal(t, 7, query(t, env, `select count(*)::int from evidence
		where review = 'accepted' and reviewed_by = (select id from auth.users where email = 'demo@example.com')`))
	for stance, quotes := range map[string]int{"supports": 3, "contradicts": 2, "neutral": 2} {
		require.Equal(t, quotes, query(t, env, `select count(*)::int
			from evidence_hypotheses eh join evidence e on e.id = eh.evidence_id
			where e.review = 'accepted' and eh.stance = '`+stance+`'`), stance)
	}
	eventually(t, "a hypothesis of the demo is decided", func() bool {
		return query(t, env, `select count(*)::int from hypotheses
			where status = 'invalidated' and decision_reason like 'An example%'`) == 1
	})
	require.Equal(t, 2, query(t, env, `select count(distinct speaker)::int from import_speakers
		where role = 'participant'`), "the interviewer is no participant")

	// A second stack over the same folder is refused, and one on the same ports is told which ones.
	sameFolder := startStack(t, stateDir, freePorts(t))
	require.Equal(t, 1, sameFolder.waitForEnd(t))
	require.Contains(t, sameFolder.out.String(),
		fmt.Sprintf("another stack (process %d) uses the folder", first.cmd.Process.Pid))
	samePorts := startStack(t, filepath.Join(devtest.OpenFolder(t), "busy"), ports)
	require.Equal(t, 1, samePorts.waitForEnd(t))
	for _, setting := range ports {
		name, _, _ := strings.Cut(setting, "=")
		require.Contains(t, samePorts.out.String(), name+": 127.0.0.1:")
	}

	// Another stack runs beside it.
	beside := startStack(t, filepath.Join(devtest.OpenFolder(t), "beside"), freePorts(t))
	other := beside.waitUntilReady(t)
	require.NotEqual(t, env["DATABASE_URL"], other["DATABASE_URL"])
	requireReady(t, other)
	require.NoError(t, beside.cmd.Process.Signal(os.Interrupt))
	require.Equal(t, 0, beside.waitForEnd(t))

	// Ctrl-C ends everything and leaves nothing but the data.
	require.NoError(t, first.cmd.Process.Signal(os.Interrupt))
	require.Equal(t, 0, first.waitForEnd(t), first.out.String())
	require.Empty(t, processesOf(t, stateDir))
	require.NoFileExists(t, filepath.Join(stateDir, "dev.env"))

	// It starts again over its data, with the same keys. After kill -9, the next start waits until the parts
	// have ended.
	again := startStack(t, stateDir, ports)
	require.Equal(t, env, again.waitUntilReady(t))
	require.Equal(t, 2, query(t, env, countImports))
	require.NotEmpty(t, processesOf(t, stateDir))
	require.NoError(t, again.cmd.Process.Kill())
	eventually(t, "the process has ended, its parts may not", func() bool {
		return errors.Is(again.cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
	})
	after := startStack(t, stateDir, ports)
	require.Equal(t, env, after.waitUntilReady(t))
	require.Equal(t, 2, query(t, env, countImports))
	require.Equal(t, 1, query(t, env, `with older as (
			update private.migrations set checksum = repeat('0', 64) where version_id = 3 returning 1
		)
		select count(*)::int from older`))
	require.NoError(t, after.cmd.Process.Kill())
	eventually(t, "kill -9 leaves no process", func() bool { return len(processesOf(t, stateDir)) == 0 })

	// The data of an older state of the schema is of no use, and its folder is named.
	older := startStack(t, stateDir, ports)
	require.Equal(t, 1, older.waitForEnd(t))
	require.Contains(t, older.out.String(), "the database was made by a version before 1.0.0 or by a "+
		"development build: restore a backup of a release, or start over with an empty database: "+
		"remove the folder "+stateDir)
}

func TestPartsAreStartedAgain(t *testing.T) {
	t.Parallel()
	s := startStack(t, filepath.Join(devtest.OpenFolder(t), "state"), freePorts(t))
	env := s.waitUntilReady(t)
	content, err := os.ReadFile(filepath.Join(s.stateDir, "postgres", "data", "postmaster.pid"))
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(line)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	eventually(t, "PostgreSQL is back", func() bool {
		return strings.Contains(s.out.String(), "PostgreSQL is back.")
	})
	requireReady(t, env)
	require.Equal(t, 2, query(t, env, countImports))
}

func TestExec(t *testing.T) {
	t.Parallel()

	t.Run("returns the exit code, passes the variables, and leaves nothing", func(t *testing.T) {
		t.Parallel()
		temporary := devtest.OpenFolder(t)
		script := `test -n "$TEST_DATABASE_URL" && test -n "$TEST_TEMPORAL_ADDRESS" && test -x "$TEST_RESEARCH" &&
			ls "$TMPDIR" && exit 7`
		cmd := devtest.Command(t, "dev", "--", "sh", "-c", script)
		cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, string(out))
		require.Equal(t, 7, exit.ExitCode(), string(out))
		require.Contains(t, string(out), "research-test-")
		entries, err := os.ReadDir(temporary)
		require.NoError(t, err)
		require.Empty(t, entries)
		require.Empty(t, processesOf(t, temporary))
	})

	t.Run("passes signals on", func(t *testing.T) {
		t.Parallel()
		ready := filepath.Join(t.TempDir(), "ready")
		script := `trap 'exit 9' TERM; touch "$0"; while :; do sleep 0.1; done`
		cmd := devtest.Command(t, "dev", "--", "sh", "-c", script, ready)
		require.NoError(t, cmd.Start())
		waitForFile(t, ready)
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		var exit *exec.ExitError
		require.ErrorAs(t, cmd.Wait(), &exit)
		require.Equal(t, 9, exit.ExitCode())
	})

	t.Run("after kill -9 leaves no process, and the next run removes the folder", func(t *testing.T) {
		t.Parallel()
		temporary := devtest.OpenFolder(t)
		ready := filepath.Join(temporary, "ready")
		cmd := devtest.Command(t, "dev", "--", "sh", "-c", `touch "$0"; exec sleep 600`, ready)
		cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
		require.NoError(t, cmd.Start())
		waitForFile(t, ready)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		eventually(t, "PostgreSQL has ended", func() bool { return len(processesOf(t, temporary)) == 0 })
		next := devtest.Command(t, "dev", "--", "true")
		next.Env = append(next.Env, "TMPDIR="+temporary)
		out, err := next.CombinedOutput()
		require.NoError(t, err, string(out))
		left, err := filepath.Glob(filepath.Join(temporary, "research-test-*"))
		require.NoError(t, err)
		require.Empty(t, left)
	})

	t.Run("names a command that does not exist", func(t *testing.T) {
		t.Parallel()
		out, err := devtest.Command(t, "dev", "--", "there-is-no-such-command").CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "there-is-no-such-command")
	})
}

func waitForFile(t *testing.T, path string) {
	t.Helper()
	eventually(t, path+" exists", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}
