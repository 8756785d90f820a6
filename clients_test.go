//go:build clients

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// leastChecks is how many checks a run has to consist of: a file that is not found would pass as well.
const leastChecks = 60

// The identity server, driven by supabase-js as it comes from npm. Needs Node (20 or newer) and npm.
func TestClientSupabaseJS(t *testing.T) {
	t.Parallel()
	s := startService(t)
	runChecks(t, s, filepath.Join("api", "auth", "clienttest"), "supabase.test.js", "MAIL_DIR="+s.cfg.Mail.Dir)
}

// The data API, driven by supabase-js: the owner and a viewer of a workspace, and the owner of another, whose rows hold a marker.
func TestClientData(t *testing.T) {
	t.Parallel()
	s := startService(t)
	rival, marker := s.DB.Tenant(t), "marker-of-the-rival"
	s.Exec(t, `update workspaces set name = $2 where id = $1`, rival.Workspace, marker)
	s.Exec(t, `update projects set name = $2 where id = $1`, rival.Project, marker)
	s.Exec(t, `update profiles set display_name = $2 where id = $1`, rival.Owner, marker)
	s.Hypothesis(t, rival, marker)
	users := map[string]string{}
	for name, id := range map[string]uuid.UUID{"owner": s.Owner, "viewer": s.Viewer, "rival": rival.Owner} {
		users[name] = dbtest.Value[string](t, s.DB, `select email from auth.users where id = $1`, id)
	}
	people, err := json.Marshal(users)
	require.NoError(t, err)
	runChecks(t, s, filepath.Join("api", "rest", "clienttest"), "data.test.js", "USERS="+string(people), "PASSWORD=correct horse", "RIVAL_MARKER="+marker)
}

// runChecks runs a file of checks on Node, with the packages that its folder names.
func runChecks(t *testing.T, s *service, folder, file string, env ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", file} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	}
	runIn(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	env = append(env, "API_URL="+s.cfg.HTTP.PublicURL, "ANON_KEY="+s.cfg.Keys.Anon, "SERVICE_ROLE_KEY="+s.cfg.Keys.Service)
	out := runIn(t, dir, env, "node", "--test", "--test-reporter=tap", file)
	passed := regexp.MustCompile(`(?m)^# pass (\d+)$`).FindSubmatch(out)
	require.NotNil(t, passed, "%s", out)
	count, err := strconv.Atoi(string(passed[1]))
	require.NoError(t, err)
	require.GreaterOrEqual(t, count, leastChecks)
	t.Logf("%s: %d checks", file, count)
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
