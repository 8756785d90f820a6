// Package devtest runs the binary `research` for tests, as a separate process.
package devtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/dev"
)

// Binary returns the path of the binary: the one that runs the tests.
func Binary(t testing.TB) string {
	t.Helper()
	path := os.Getenv("TEST_RESEARCH")
	if path == "" {
		t.Fatal("this test needs the binary `research`, and TEST_RESEARCH is not set: " +
			"run it with `make test`, or with `go run . dev -- go test ./...`")
	}
	return path
}

// NeedPrograms skips a test where a program is not installed. Where TEST_ALL_PROGRAMS is set, as in CI, which
// installs them, the test fails instead.
func NeedPrograms(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv("TEST_ALL_PROGRAMS") != "" {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

// Command returns a command of the binary that runs in the root of the repository, in an environment without
// settings.
func Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Binary(t), args...)
	// A test that ends asks the process to stop, so that it stops its children.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir = ".." // tests run in the folder of their package
	kept := []string{"PATH", "HOME", "TMPDIR", "USER", "XDG_CACHE_HOME"}
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); slices.Contains(kept, name) || strings.HasPrefix(name, "GO") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	return cmd
}

// OpenFolder returns a temporary folder that every user may pass, since PostgreSQL does not run as root.
func OpenFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	return dir
}

// FreePort returns an unused port.
func FreePort(t testing.TB) string {
	t.Helper()
	number, err := dev.FreePort(t.Context())
	require.NoError(t, err)
	return strconv.Itoa(number)
}
