//go:build clients

package dev_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The walk-through of README.md is pasted into a shell, as a newcomer does.
func TestClientReadme(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(raw), "<!-- walk-through: tested as it stands -->\n```sh\n")
	require.True(t, found)
	script, _, found := strings.Cut(after, "\n```")
	require.True(t, found)

	s := startStack(t, filepath.Join(openFolder(t), "state"), freeSettings(t))
	env := s.ready(t)
	shell := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	shell.Dir = ".."
	shell.Env = append(os.Environ(), "STATE_DIR="+s.folder)
	out, err := shell.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), `"status":"parsed"`)
	require.Contains(t, string(out), `"result":"`)
	require.Contains(t, string(out), `"quote":"`)
	// Every quote is a slice of the source, and the run can be looked at.
	require.Zero(t, query(t, env, `select count(*)::int from evidence e join private.transcripts t using (import_id)
		where substring(t.body from e.byte_start + 1 for e.byte_end - e.byte_start) <> convert_to(e.quote, 'UTF8')`))
	require.Contains(t, string(out), env["TEMPORAL_UI_URL"]+"/namespaces/default/workflows/import-")
}
