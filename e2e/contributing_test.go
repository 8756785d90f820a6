package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// The worked examples of CONTRIBUTING.md apply to the code as it is, and what they make compiles and works.
func TestExamplesOfContributing(t *testing.T) {
	t.Parallel()

	t.Run("a format", func(t *testing.T) {
		t.Parallel()
		example := applyExample(t, "format")
		example.runGo(t, "test", "./transcript", "-run", "^(TestPiped|TestGolden)$")
	})

	t.Run("an endpoint", func(t *testing.T) {
		t.Parallel()
		example := applyExample(t, "endpoint")
		example.runGo(t, "build", "./api/imports")
	})

	t.Run("an activity", func(t *testing.T) {
		t.Parallel()
		example := applyExample(t, "activity")
		example.runGo(t, "build", "./activities", "./workflows")
	})

	t.Run("a change of the schema", func(t *testing.T) {
		t.Parallel()
		example := applyExample(t, "migration")
		_, query, found := strings.Cut(
			example.read(t, "db/queries/imports.sql"), "-- name: SetImportSource :execrows\n")
		require.True(t, found)
		d := dbtest.Empty(t)
		released, err := filepath.Glob("../db/migrations/*.sql")
		require.NoError(t, err)
		const added = "db/migrations/0029_source.sql"
		require.Contains(t, example.files, added)
		for _, file := range released {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			d.Exec(t, string(content))
		}
		d.Exec(t, example.read(t, added))
		d.AsOwner(t, func(c *pgx.Conn) {
			_, err := c.Prepare(t.Context(), "query", query)
			require.NoError(t, err)
		})
	})
}

// An example is a patch that was applied to copies of the files that it changes.
type example struct {
	dir   string   // with the copies
	files []string // their paths, relative to dir and to the root of the repository
}

var changedFile = regexp.MustCompile(`(?m)^\+\+\+ b/(.+)$`)

func applyExample(t *testing.T, name string) example {
	t.Helper()
	patch, err := filepath.Abs(filepath.Join("testdata", "recipes", name+".patch"))
	require.NoError(t, err)
	content, err := os.ReadFile(patch)
	require.NoError(t, err)
	e := example{dir: t.TempDir()}
	for _, match := range changedFile.FindAllStringSubmatch(string(content), -1) {
		e.files = append(e.files, match[1])
		original, err := os.ReadFile(filepath.Join("..", match[1]))
		if os.IsNotExist(err) {
			continue // the patch creates it
		}
		require.NoError(t, err)
		copied := filepath.Join(e.dir, match[1])
		require.NoError(t, os.MkdirAll(filepath.Dir(copied), 0o755))
		require.NoError(t, os.WriteFile(copied, original, 0o600))
	}
	apply := exec.CommandContext(t.Context(), "git", "apply", patch)
	apply.Dir = e.dir
	out, err := apply.CombinedOutput()
	require.NoError(t, err, "%s does not apply to the code any more: %s", patch, out)
	return e
}

func (e example) read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(e.dir, file))
	require.NoError(t, err)
	return string(content)
}

// runGo runs the go command in the repository, with the changed files in place of its own.
func (e example) runGo(t *testing.T, command string, args ...string) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	replace := map[string]string{}
	for _, file := range e.files {
		replace[filepath.Join(root, file)] = filepath.Join(e.dir, file)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlayFile := filepath.Join(e.dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlayFile, overlay, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", append([]string{command, "-overlay", overlayFile}, args...)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}
