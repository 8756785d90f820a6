//go:build clients

package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The identity server, driven by supabase-js as it comes from npm. Needs Node (20 or newer) and npm.
func TestClientSupabaseJS(t *testing.T) {
	t.Parallel()
	s := startService(t)
	folder := filepath.Join("..", "api", "auth", "clienttest")
	s.runNodeChecks(t, folder, "supabase.test.js", 60, "MAIL_DIR="+s.mailDir(), "OLD_SESSION="+s.oldSession(t))
}

// Apps that act for users, driven by supabase-js: auth.oauth and auth.admin.oauth.
func TestClientSupabaseApps(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	folder := filepath.Join("..", "api", "auth", "clienttest")
	s.runNodeChecks(t, folder, "apps.test.js", 14, "EMAIL="+s.email(t, s.Editor), "PASSWORD=correct horse")
}

// oldSession returns a session that began more than a day ago, as JSON.
func (s *service) oldSession(t *testing.T) string {
	t.Helper()
	const email = "signed-in-long-ago@example.com"
	user := s.User(t, email)
	status, session := s.post(t, "/auth/v1/token?grant_type=password", "",
		map[string]string{"email": email, "password": "correct horse"})
	require.Equal(t, http.StatusOK, status, "%v", session)
	s.Exec(t, `update auth.sessions set created_at = now() - interval '25 hours' where user_id = $1`, user)
	old, err := json.Marshal(map[string]any{"email": email, "refreshToken": session["refresh_token"]})
	require.NoError(t, err)
	return string(old)
}

// The data API, driven by supabase-js, for the owner and a viewer of a workspace, and for the owner of
// another workspace whose rows contain a marker.
func TestClientData(t *testing.T) {
	t.Parallel()
	const marker = "marker-of-the-rival"
	s := startService(t)
	rival := s.DB.Tenant(t)
	s.Exec(t, `update workspaces set name = $2 where id = $1`, rival.Workspace, marker)
	s.Exec(t, `update projects set name = $2 where id = $1`, rival.Project, marker)
	s.Exec(t, `update profiles set display_name = $2 where id = $1`, rival.Owner, marker)
	s.Hypothesis(t, rival, marker)
	users, err := json.Marshal(map[string]string{
		"owner": s.email(t, s.Owner), "viewer": s.email(t, s.Viewer), "rival": s.email(t, rival.Owner),
	})
	require.NoError(t, err)
	folder := filepath.Join("..", "api", "rest", "clienttest")
	s.runNodeChecks(t, folder, "data.test.js", 60,
		"USERS="+string(users), "PASSWORD=correct horse", "RIVAL_MARKER="+marker)
}

// runNodeChecks runs a file of checks on Node, with the packages that its folder names. Some number of checks
// must pass: a file in which none is found would pass as well.
func (s *service) runNodeChecks(t *testing.T, folder, file string, least int, env ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", file} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	}
	installPackages(t, dir)
	env = append(env, "API_URL="+s.url(), "ANON_KEY="+anonKey, "SERVICE_ROLE_KEY="+serviceKey)
	out := runProgram(t, dir, env, "node", "--test", "--test-reporter=tap", file)
	requireChecks(t, out, least)
}

// installAttempts is how often npm is run: it repeats some requests that fail, but not after a connection
// that was cut off, nor while a name cannot be resolved.
const installAttempts = 3

// installPackages installs the packages of a folder's lock file.
func installPackages(t *testing.T, dir string) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error",
			"--fetch-timeout=60000")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err == nil {
			return
		}
		require.Less(t, attempt, installAttempts, "npm cannot install the packages of a test: %s: %s", err, out)
		t.Logf("npm is run again, because it failed: %s: %s", err, out)
	}
}

var passedChecks = regexp.MustCompile(`(?m)^# pass (\d+)$`)

// requireChecks requires a number of passed checks, as Node's TAP output counts them.
func requireChecks(t *testing.T, out []byte, least int) {
	t.Helper()
	passed := passedChecks.FindSubmatch(out)
	require.NotNil(t, passed, "%s", out)
	count, err := strconv.Atoi(string(passed[1]))
	require.NoError(t, err)
	require.GreaterOrEqual(t, count, least)
	t.Logf("%d checks", count)
}

// runProgram runs a program in a folder, and returns what it prints. A failure shows all of it.
func runProgram(t *testing.T, dir string, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Run(), "%s: %s", name, &out)
	return out.Bytes()
}
