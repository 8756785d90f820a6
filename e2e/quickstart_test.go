package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"research/dev/devtest"
)

// Programs of docs/quickstart, run as they are.
func TestQuickStarts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		needs   []string
		command []string
	}{
		"curl":   {[]string{"bash", "curl"}, []string{"bash", "quickstart.sh"}},
		"Go":     {[]string{"go"}, []string{"go", "run", "."}},
		"Python": {[]string{"python3"}, []string{"python3", "quickstart.py"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			devtest.NeedPrograms(t, c.needs...)
			requireEvidence(t, c.command...)
		})
	}
}

// requireEvidence runs a quick start, and requires that it prints evidence.
func requireEvidence(t *testing.T, command ...string) {
	t.Helper()
	s := startService(t)
	s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	interview := filepath.Join(t.TempDir(), "interview.vtt")
	require.NoError(t, os.WriteFile(interview, []byte(zoom), 0o600))
	run := exec.CommandContext(t.Context(), command[0], append(command[1:], interview)...)
	run.Dir = filepath.Join("..", "docs", "quickstart")
	run.Env = append(os.Environ(), "API_URL="+s.url(), "ANON_KEY="+anonKey,
		"EMAIL="+s.email(t, s.Editor), "PASSWORD=correct horse")
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "receipts")
	require.Contains(t, string(out), "Closing the books takes days")
}
