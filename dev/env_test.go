package dev_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/joho/godotenv"
	"github.com/stretchr/testify/require"

	"research/dev"
)

// Documents source the file; a folder may have a space, and a URL parameters.
func TestWriteEnv(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dev.env")
	values := map[string]string{
		"MAIL_DIR":     "/home/ada/My Projects/.dev/mail",
		"DATABASE_URL": "postgres://u:p$HOME@h/research?sslmode=verify-full&sslrootcert=/etc/ca.pem",
		"DEMO_EMAIL":   "demo@example.com",
		"EMPTY":        "",
	}
	var pairs [][2]string
	for name, value := range values {
		pairs = append(pairs, [2]string{name, value})
	}
	require.NoError(t, dev.WriteEnv(path, pairs))

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	read, err := godotenv.Read(path)
	require.NoError(t, err)
	require.Equal(t, values, read)
	for name, value := range values {
		script := `set -eu; . "$1"; eval "printf %s \"\$$2\""`
		shell := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", path, name)
		out, err := shell.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, value, string(out))
	}

	require.NoError(t, dev.WriteEnv(path, [][2]string{{"PASSWORD", "it's"}}))
	const script = `. "$1"; printf %s "$PASSWORD"`
	out, err := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", path).Output()
	require.NoError(t, err)
	require.Equal(t, "it's", string(out))
}
