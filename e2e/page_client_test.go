//go:build clients

package e2e

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
)

// pageFolder holds the browser tests, and the scene in which they look around.
const pageFolder = "../api/web/clienttest"

// The page, driven in headless Chromium as researchers use it. Needs Node (20 or newer), npm and Chromium.
// With PICTURES=folder it keeps a picture of each view.
func TestClientPage(t *testing.T) {
	t.Parallel()
	gates := newPageGates(t)
	model := modeltest.New(t).Always(pageModel(t, gates))
	s := startService(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_API_KEY=sk-test", "OPENAI_MODEL=test-model",
		"PARSE_CONCURRENCY=1", "TEMPORAL_UI_URL=http://temporal.example", "RECONCILE_INTERVAL=1s",
		"REST_MAX_ROWS=500")
	s.addScene(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(pageFolder)))
	installPackages(t, dir)
	env := []string{
		"BASE_URL=" + s.url(), "ANON_KEY=" + anonKey, "SERVICE_ROLE_KEY=" + serviceKey, "GATES_URL=" + gates.URL,
		"CHROMIUM=" + findChromium(t), "MAIL_DIR=" + s.mailDir(),
		"TMPDIR=" + t.TempDir(), // the browser's profile is removed with the test
	}
	if pictures := os.Getenv("PICTURES"); pictures != "" {
		folder, err := filepath.Abs(pictures)
		require.NoError(t, err)
		env = append(env, "PICTURES="+folder)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.test.js"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			out := runProgram(t, dir, env, "node", "--test", "--test-reporter=tap", file)
			requireChecks(t, out, checksOf(t, file))
			for _, figure := range regexp.MustCompile(`(?m)^\s*# (figure: .*)$`).FindAllSubmatch(out, -1) {
				t.Logf("%s", figure[1])
			}
		})
	}
}

// checksOf returns the number of checks that a file declares outside loops.
func checksOf(t *testing.T, file string) int {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	return len(regexp.MustCompile(`(?m)^\s*test\(`).FindAll(source, -1))
}

// The page's code has the format of Prettier, as Go code has that of gofmt, and types that TypeScript checks.
func TestClientPageCode(t *testing.T) {
	t.Parallel()
	runProgram(t, "..", nil, "make", "check-page")
}
