//go:build cluster

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// Fifty imports, from sign-up to evidence, by HTTP through nginx.
func TestClusterImports(t *testing.T) {
	c := startCluster(t, nil)
	m := signUp(t, c.api())
	const imports = 50
	m.parseAll(t, m.uploadAll(t, imports, interview(420)))
	m.waitUntilParsed(t, imports)

	var evidence []struct {
		Quote, Speaker string
		ImportID       string `json:"import_id"`
		Hypotheses     []struct{ Stance string }
	}
	const columns = "quote,speaker,import_id,hypotheses:evidence_hypotheses(stance)"
	r := get("/rest/v1/evidence?select=" + columns + "&project_id=eq." + m.project)
	require.NoError(t, m.expect(t.Context(), m.token, http.StatusOK, r, &evidence))
	ids := map[string]bool{}
	for _, one := range evidence {
		ids[one.ImportID] = true
		require.Contains(t, one.Quote, "Closing the books takes us five days")
		require.Equal(t, "Omar", one.Speaker)
		require.NotEmpty(t, one.Hypotheses)
	}
	require.Len(t, ids, imports, "each import has evidence")
}

// The limits of the service are reached through nginx: an upload of 10 MB is stored, and what is larger is
// rejected by serve in the form that clients know.
func TestClusterPassesLargeUploads(t *testing.T) {
	c := startCluster(t, nil)
	m := signUp(t, c.api())
	line := "Dana: " + strings.Repeat("we exported the card statement and pasted it in. ", 20) + "\n\n"
	transcript := []byte(strings.Repeat(line, 10<<20/len(line)-1))
	require.NoError(t, m.expect(t.Context(), m.token, http.StatusCreated, m.upload(transcript), nil))
	got, err := m.send(t.Context(), m.token, m.upload(append(transcript, transcript[:4<<20]...)))
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
	require.True(t, json.Valid(got.body), "%s", got.body)
}

// serve takes a client's address from the entry that nginx adds to X-Forwarded-For, and not from what clients
// send themselves. Each serve counts failures for itself.
func TestClusterKnowsClientsByTheirAddress(t *testing.T) {
	const limit = 2
	c := startCluster(t, settings{"LIMIT_ADDRESS_FAILURES": strconv.Itoa(limit)})
	signIn := post("/auth/v1/token?grant_type=password",
		map[string]string{"email": "nobody@example.com", "password": "wrong"})
	statuses := map[int]int{}
	for i := range 4 * limit * serves {
		signIn.header = map[string]string{"X-Forwarded-For": "192.0.2." + strconv.Itoa(i)}
		got, err := c.api().send(t.Context(), "", signIn)
		require.NoError(t, err)
		statuses[got.status]++
	}
	require.Equal(t, map[int]int{
		http.StatusBadRequest: limit * serves, http.StatusTooManyRequests: 3 * limit * serves,
	}, statuses)
}

// supabase-js, unchanged from npm, against the cluster: the checks of the identity server and of the data API
// that `make test-clients` runs. Needs Node and npm.
func TestClusterSupabaseJS(t *testing.T) {
	c := startCluster(t, nil)
	env := []string{
		"API_URL=http://" + c.at.api, "ANON_KEY=" + c.secrets["ANON_KEY"],
		"SERVICE_ROLE_KEY=" + c.secrets["SERVICE_ROLE_KEY"], "MAIL_DIR=" + c.path("mail"),
	}
	t.Run("identity", func(t *testing.T) { runNode(t, "api/auth/clienttest", "supabase.test.js", env) })

	t.Run("data", func(t *testing.T) {
		database := &dbtest.DB{URL: c.databaseURL}
		ours, rival, marker := database.Tenant(t), database.Tenant(t), "marker-of-the-rival"
		database.Exec(t, `update workspaces set name = $2 where id = $1`, rival.Workspace, marker)
		database.Exec(t, `update projects set name = $2 where id = $1`, rival.Project, marker)
		database.Exec(t, `update profiles set display_name = $2 where id = $1`, rival.Owner, marker)
		database.Hypothesis(t, rival, marker)
		email := func(id uuid.UUID) string {
			return dbtest.Value[string](t, database, `select email from auth.users where id = $1`, id)
		}
		people, err := json.Marshal(map[string]string{
			"owner": email(ours.Owner), "viewer": email(ours.Viewer), "rival": email(rival.Owner),
		})
		require.NoError(t, err)
		more := []string{"USERS=" + string(people), "PASSWORD=correct horse", "RIVAL_MARKER=" + marker}
		runNode(t, "api/rest/clienttest", "data.test.js", append(env, more...))
	})
}

// runNode runs a file of checks with the npm packages that its folder names.
func runNode(t *testing.T, folder, file string, env []string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", file} {
		content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(folder), name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	for _, args := range [][]string{
		{"npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"},
		{"node", "--test", "--test-reporter=tap", file},
	} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if args[0] == "node" {
			require.Regexp(t, `(?m)^# pass [1-9]\d+$`, string(out))
		}
	}
}
