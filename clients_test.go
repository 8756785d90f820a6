//go:build clients

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// leastChecks is how many checks a run has to consist of: a file that is not found would pass as well.
const leastChecks = 60

// The identity server, driven by supabase-js as it comes from npm. Needs Node (20 or newer) and npm.
func TestClientSupabaseJS(t *testing.T) {
	t.Parallel()
	s := startService(t)
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "supabase.test.js"} {
		raw, err := os.ReadFile(filepath.Join("api", "auth", "clienttest", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	}
	runIn(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	out := runIn(t, dir, []string{
		"API_URL=" + s.cfg.HTTP.PublicURL, "ANON_KEY=" + s.cfg.Keys.Anon, "SERVICE_ROLE_KEY=" + s.cfg.Keys.Service, "MAIL_DIR=" + s.cfg.Mail.Dir,
	}, "node", "--test", "--test-reporter=tap", "supabase.test.js")
	passed := regexp.MustCompile(`(?m)^# pass (\d+)$`).FindSubmatch(out)
	require.NotNil(t, passed, "%s", out)
	count, err := strconv.Atoi(string(passed[1]))
	require.NoError(t, err)
	require.GreaterOrEqual(t, count, leastChecks)
	t.Logf("supabase-js: %d checks", count)
}

// runIn runs a program of others and returns what it prints; a failure shows all of it.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Run(), "%s: %s", name, &out)
	return out.Bytes()
}
