package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/dev/devtest"
)

// A quickStart is a program of docs/quickstart.
type quickStart struct {
	needs, command []string
}

var quickStarts = map[string]quickStart{
	"curl":   {[]string{"bash", "curl"}, []string{"bash", "quickstart.sh"}},
	"Go":     {[]string{"go"}, []string{"go", "run", "."}},
	"Python": {[]string{"python3"}, []string{"python3", "quickstart.py"}},
}

// Programs of docs/quickstart, run as they are.
func TestQuickStarts(t *testing.T) {
	t.Parallel()
	for name, q := range quickStarts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q.test(t)
		})
	}
}

// test runs a quick start as a new account does, and with what makes it fail.
func (q quickStart) test(t *testing.T) {
	t.Helper()
	devtest.NeedPrograms(t, q.needs...)
	s := startService(t)
	const email, password, statement = "new@example.com", "correct horse battery",
		`Closing the "books" takes days, & 100% because of missing receipts`
	status, session := s.post(t, "/auth/v1/signup", "", map[string]string{"email": email, "password": password})
	require.Equal(t, http.StatusOK, status, "%v", session)
	interview := filepath.Join(t.TempDir(), "interview.vtt")
	require.NoError(t, os.WriteFile(interview, []byte(zoom), 0o600))
	run := func(password string, args ...string) (output string, err error) {
		program := exec.CommandContext(t.Context(), q.command[0], append(q.command[1:], args...)...)
		program.Dir = filepath.Join("..", "docs", "quickstart")
		program.Env = append(os.Environ(), "API_URL="+s.url(), "ANON_KEY="+anonKey, "EMAIL="+email,
			"PASSWORD="+password)
		out, err := program.CombinedOutput()
		return string(out), err
	}
	requireSentence := func(sentence, password string, args ...string) {
		t.Helper()
		out, err := run(password, args...)
		require.Error(t, err, out)
		require.Contains(t, out, sentence)
		for _, trace := range []string{"Traceback", "goroutine", "    at "} {
			require.NotContains(t, out, trace)
		}
	}

	requireSentence("usage: ", password)
	requireSentence("invalid_credentials", "wrong", interview, statement)
	for range 2 {
		out, err := run(password, interview, statement)
		require.NoError(t, err, out)
		require.Contains(t, out, "missing receipts")
		require.Contains(t, out, "takes days, & 100%")
	}
	require.Equal(t, 1, dbtest.Value[int](t, s.DB, "select count(*) from hypotheses"), "the second run takes it")
	out, err := run(password, interview, "Elephants fly")
	require.NoError(t, err, out)
	require.Contains(t, out, "No evidence was found")
	requireSentence("statement", password, interview, " ")
	requireSentence("interview.vtt.gone", password, interview+".gone", statement)
}
