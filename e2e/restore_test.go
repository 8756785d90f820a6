package e2e

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"research/db/dbtest"
	"research/dev"
	"research/dev/devtest"
)

// PostgreSQL and Temporal are backed up separately, so that one of them may be restored to an earlier state
// than the other has.
func TestOnlyOneStoreIsRestored(t *testing.T) {
	t.Parallel()
	in := startInstallation(t)
	p := in.newProject(t)
	done := p.add(t, 0)
	p.parse(t, done)
	in.waitUntilParsed(t, done, timeout)

	// One import is in progress when both are backed up.
	open := p.add(t, 1)
	p.parse(t, open)
	eventually(t, "the parse has begun", func() bool { return in.status(t, open) == "parsing" })
	in.parts["worker"].Kill()
	folder := filepath.Join(in.dir, "backups")
	backup := strings.TrimSpace(in.mustRun(t, "backup", folder))
	require.NoError(t, in.parts["temporal"].Stop()())
	temporalBackup := t.TempDir()
	copyTemporalFiles(t, in.dir, temporalBackup)
	in.start(t, "temporal", "worker")
	in.waitUntilParsed(t, open, chaosTimeout)
	expected := in.evidence(t, open)
	calls := len(in.model.record())

	// Temporal has forgotten that the import was parsed: its run goes on, and changes nothing.
	in.stop(t, "serve", "worker", "temporal")
	removeTemporalFiles(t, in.dir)
	copyTemporalFiles(t, temporalBackup, in.dir)
	in.start(t, "temporal", "serve", "worker")
	in.waitUntilReady(t)
	later := p.add(t, 2)
	p.parse(t, later)
	in.waitUntilParsed(t, later, chaosTimeout)
	eventually(t, "the run of the parsed import has ended", func() bool {
		return in.runStatus(t, "import-"+open) != "Running"
	})
	require.Equal(t, "parsed", in.status(t, open))
	require.Equal(t, expected, in.evidence(t, open))
	require.Len(t, in.model.record(), calls+3, "only the import that was added later was read")

	// The database has forgotten what happened since. It is restored to a new server, which has no roles.
	in.stop(t, "serve", "worker")
	in.parts["postgres"].End()
	server, databaseURL, err := dev.NewPostgres(t.Context(), devtest.OpenFolder(t))
	require.NoError(t, err)
	in.parts["postgres"] = server
	in.db = &dbtest.DB{URL: strings.Replace(databaseURL, "/research", "/restored", 1)}
	in.start(t, "postgres")
	in.settings = append(in.settings, "DATABASE_URL="+in.db.URL)
	report := in.mustRun(t, "restore", backup)
	require.Contains(t, report, "migrations: all applied")
	require.Contains(t, report, "research restore-fence --since 20")
	in.start(t, "serve", "worker")
	in.waitUntilReady(t)
	eventually(t, "the reconciler ends the import whose run ended", func() bool {
		return in.status(t, open) == "failed"
	})
	require.Equal(t, "parsed", in.status(t, done))
	require.Equal(t, "0", in.query(t, `select count(*)::text from imports where id = $1`, later), "it is lost")
	p.parse(t, open)
	in.waitUntilParsed(t, open, chaosTimeout)
	require.Equal(t, expected, in.evidence(t, open))

	// Temporal's data is lost. What is in progress ends, and can be parsed again.
	again := p.add(t, 3)
	p.parse(t, again)
	eventually(t, "the parse has begun", func() bool { return in.status(t, again) == "parsing" })
	in.parts["worker"].Kill()
	in.stop(t, "serve", "temporal")
	removeTemporalFiles(t, in.dir)
	in.start(t, "temporal")
	in.mustRun(t, "temporal", "adopt")
	in.start(t, "serve", "worker")
	in.waitUntilReady(t)
	eventually(t, "the reconciler ends what was under way", func() bool {
		return in.query(t, `select concat_ws(' ', status, error_code) from imports where id = $1`, again) ==
			"terminated history_deleted"
	})
	p.parse(t, again)
	in.waitUntilParsed(t, again, chaosTimeout)
	require.Equal(t, "0", in.query(t, `select count(*)::text from imports where status <> 'parsed'`))
}

// mustRun runs a command of the binary that must succeed, and returns its output.
func (in *installation) mustRun(t *testing.T, args ...string) string {
	t.Helper()
	cmd := devtest.Command(t, args...)
	cmd.Path = in.binary
	cmd.Env = append(cmd.Env, in.settings...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	return string(out)
}

// stop stops parts, one after the other.
func (in *installation) stop(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		in.parts[name].End()
	}
}

// status is an import's.
func (in *installation) status(t *testing.T, importID string) string {
	t.Helper()
	return in.query(t, `select status::text from imports where id = $1`, importID)
}

// runStatus is the status of the latest run of a workflow.
func (in *installation) runStatus(t *testing.T, workflowID string) string {
	t.Helper()
	temporal, err := client.Dial(client.Options{HostPort: in.temporal, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer temporal.Close()
	described, err := temporal.DescribeWorkflowExecution(t.Context(), workflowID, "")
	if err != nil {
		return err.Error()
	}
	return described.GetWorkflowExecutionInfo().GetStatus().String()
}

// temporalFiles are those in which Temporal keeps its data in a folder: SQLite's file, and its log if it has
// one.
func temporalFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "temporal.db*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func copyTemporalFiles(t *testing.T, from, to string) {
	t.Helper()
	for _, file := range temporalFiles(t, from) {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(to, filepath.Base(file)), content, 0o600))
	}
}

func removeTemporalFiles(t *testing.T, folder string) {
	t.Helper()
	for _, file := range temporalFiles(t, folder) {
		require.NoError(t, os.Remove(file))
	}
}
