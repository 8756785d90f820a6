//go:build clients

package dev_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/dev/devtest"
)

// The walk-through and the commands of README.md are pasted into a shell, as a newcomer does.
func TestClientReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(readme), "<!-- walk-through: tested as it stands -->\n```sh\n")
	require.True(t, found)
	script, _, found := strings.Cut(after, "\n```")
	require.True(t, found)

	s := startStack(t, filepath.Join(devtest.OpenFolder(t), "state"), freePorts(t))
	env := s.waitUntilReady(t)
	shell := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	shell.Dir = ".."
	shell.Env = append(os.Environ(), "STATE_DIR="+s.stateDir)
	out, err := shell.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), `"status":"parsed"`)
	require.Contains(t, string(out), `"result":"`)
	require.Contains(t, string(out), `"quote":"`)
	require.Zero(t, query(t, env, `select count(*)::int
		from evidence e join private.transcripts t using (import_id)
		where substring(t.body from e.byte_start + 1 for e.byte_end - e.byte_start)
			<> convert_to(e.quote, 'UTF8')`), "quotes that are not a slice of their source")
	require.Contains(t, string(out), env["TEMPORAL_UI_URL"]+"/namespaces/default/workflows/import-")

	_, after, found = strings.Cut(string(readme), "\n## Commands\n")
	require.True(t, found)
	commands, _, found := strings.Cut(after, "\n## ")
	require.True(t, found)
	folder := t.TempDir()
	const users = "email,password_hash\n" +
		"bob@example.com,$2a$10$7EqJtq98hPqEX7fNZaFWoOhi5Q9sQW2oAzQfX5ej6N1p6nLh0Q5aW\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "users.csv"), []byte(users), 0o600))
	script = "cd ..\n"
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(commands, -1) {
		if !strings.Contains(block[1], "docker") {
			script += block[1] + "cd " + folder + "\n" // which has the files that commands read and write
		}
	}
	shell = exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	shell.Env = append(os.Environ(), "STATE_DIR="+s.stateDir)
	out, err = shell.CombinedOutput()
	require.NoError(t, err, string(out))
	require.FileExists(t, filepath.Join(folder, "database.types.ts"))
}
