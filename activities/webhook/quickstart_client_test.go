//go:build clients

package webhook

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The receiver in JavaScript, run as it is. Needs Node (20 or newer).
func TestClientQuickStartOfReceivers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{
		filepath.Join("clienttest", "package.json"), filepath.Join("clienttest", "package-lock.json"),
		filepath.Join(quickStarts, "webhook.mjs"),
	} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600))
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir = dir
	out, err := install.CombinedOutput()
	require.NoError(t, err, "%s", out)
	requireVerifies(t, dir, "node", "webhook.mjs")
}
