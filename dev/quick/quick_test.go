package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The module of the tests: the root, a <- b <- c, and the whole service in e2e.
var files = map[string]string{
	"go.mod":          "module example\n\ngo 1.26\n",
	"main.go":         "package main\n",
	"root_test.go":    "package main\n",
	"a/a.go":          "package a\n",
	"a/a_test.go":     "package a\n",
	"b/b.go":          "package b\n\nimport _ \"example/a\"\n",
	"b/b_test.go":     "package b\n",
	"c/c.go":          "package c\n\nimport _ \"example/b\"\n",
	"c/c_test.go":     "package c\n",
	"d/d_test.go":     "package d\n\nimport _ \"example/a\"\n",
	"e2e/one_test.go": "package e2e\n\nimport _ \"example/c\"\n\nfunc TestOne(t *T) {}\n",
	"e2e/two_test.go": "package e2e\n\nfunc TestTwo(t *T) {}\n\nfunc TestThree(t *T) {}\n",
	"db/db.go":        "package db\n",
}

func TestPlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change map[string]string // files that are written; an empty one is removed
		want   string
	}{
		"nothing": {nil, `0 files changed since HEAD
tests: make --no-print-directory test PKG=./
`},
		"a package, and those that import it": {map[string]string{"a/a.go": "package a\n\nconst A = 1\n"},
			`1 files changed since HEAD
format: make --no-print-directory check-format
linter: make --no-print-directory check-lint PKG=./a
tests: make --no-print-directory test PKG=./ ./a ./b ./d
left out: other tests of ./c ./e2e: make test PKG=…
`},
		"a file that is not Go, in a new folder": {map[string]string{"c/testdata/new/x.txt": "x"},
			`1 files changed since HEAD
format: make --no-print-directory check-format
linter: make --no-print-directory check-lint PKG=./c
tests: make --no-print-directory test PKG=./ ./c
left out: other tests of ./e2e: make test PKG=…
`},
		"tests of the whole service": {
			map[string]string{
				"e2e/one_test.go": "",
				"e2e/two_test.go": "package e2e\n\nfunc TestTwo(t *T) {}\n",
				"e2e/x_test.go":   "//go:build clients\n\npackage e2e\n\nfunc TestClient(t *T) {}\n",
			},
			`3 files changed since HEAD
format: make --no-print-directory check-format
linter: make --no-print-directory check-lint PKG=./e2e
tests: make --no-print-directory test PKG=./
changed tests of e2e: make --no-print-directory test PKG=./e2e RUN=^(TestTwo)$$
left out: other tests of ./e2e: make test PKG=…
`,
		},
		"queries": {map[string]string{"db/queries/x.sql": "select 1"}, `1 files changed since HEAD
format: make --no-print-directory check-format
linter: make --no-print-directory check-lint PKG=./db
tests: make --no-print-directory test PKG=./
generated code: make --no-print-directory check-generated
`},
		"a tool": {map[string]string{"tools/go.mod": "module tools\n"}, `1 files changed since HEAD
tests: make --no-print-directory test PKG=./
left out: the modules: make check-modules
left out: the tools: make check
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t)
			for file, content := range c.change {
				path := filepath.Join(dir, file)
				if content == "" {
					require.NoError(t, os.Remove(path))
					continue
				}
				write(t, path, content)
			}
			var out bytes.Buffer
			require.NoError(t, run(t.Context(), []string{"-C", dir, "-n"}, &out))
			require.Equal(t, c.want, out.String())
		})
	}

	t.Run("what was committed since a revision, and what was not", func(t *testing.T) {
		t.Parallel()
		dir := newRepository(t)
		write(t, filepath.Join(dir, "c/c.go"), "package c\n")
		git(t, dir, "commit", "-qam", "Second")
		write(t, filepath.Join(dir, "d/d_test.go"), "package d\n")
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), []string{"-C", dir, "-n", "-since", "HEAD~1"}, &out))
		require.Contains(t, out.String(), "2 files changed since HEAD~1\n")
		require.Contains(t, out.String(), " PKG=./c ./d\n")
	})
}

func TestSteps(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := runSteps(t.Context(), t.TempDir(), []step{
		{"good", []string{"sh", "-c", "echo quiet"}},
		{"bad", []string{"sh", "-c", "echo loud; exit 3"}},
	}, &out)
	require.EqualError(t, err, "bad: exit status 3")
	require.Contains(t, out.String(), "ok    good (")
	require.NotContains(t, out.String(), "quiet\n")
	require.Contains(t, out.String(), "loud\n\nFAIL  bad (")
}

func newRepository(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for file, content := range files {
		write(t, filepath.Join(dir, file), content)
	}
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "First")
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
