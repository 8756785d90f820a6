package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestImportCommand(t *testing.T) {
	t.Parallel()
	s := startService(t)
	command := func(args ...string) (string, error) {
		return s.command(t, append([]string{"import"}, args...)...)
	}
	mustCommand := func(args ...string) string {
		t.Helper()
		return s.mustCommand(t, append([]string{"import"}, args...)...)
	}
	status := func(id string) string {
		return dbtest.Value[string](t, s.DB, `select status::text from public.imports where id = $1`, id)
	}
	waitUntilParsed := func(id string) {
		t.Helper()
		eventually(t, "the import is parsed", func() bool { return status(id) == "parsed" })
	}

	file := filepath.Join(t.TempDir(), "interview.txt")
	interview := "Ada: We pay far too much for invoicing.\nBen: Invoicing takes us two days a month.\n"
	require.NoError(t, os.WriteFile(file, []byte(interview), 0o600))
	lines := strings.Split(strings.TrimSpace(mustCommand("add", s.Project.String(), file, file)), "\n")
	require.Len(t, lines, 2)
	first, second := strings.Fields(lines[0])[0], strings.Fields(lines[1])[0]
	require.Equal(t, "uploaded", status(first))

	_, err := command("parse", first)
	require.ErrorContains(t, err, "--hypotheses")
	hypothesis := s.Hypothesis(t, s.Tenant, "Invoicing takes too long")
	require.Contains(t, mustCommand("parse", first, "--hypotheses", hypothesis.String()), "queued")
	waitUntilParsed(first)
	require.Contains(t, mustCommand("show", first), `"status": "parsed"`)
	_, err = command("parse", first)
	require.ErrorContains(t, err, "already parsed")
	_, err = command("cancel", first)
	require.ErrorContains(t, err, "nothing to cancel")

	s.Exec(t, `update public.imports
		set status = 'failed', error_code = 'model_unauthorized', error_message = 'x',
			title = e'a\u009b title' where id = $1`, first)
	list := mustCommand("list", "--status", "failed", "--error", "model_unauthorized")
	require.Contains(t, list, first)
	require.Contains(t, list, "a title", "control characters are dropped")
	require.NotContains(t, list, second)
	s.Exec(t, `update public.imports set unread = '[{"from": 1, "to": 1, "reason": "model_refused"}]'
		where id = $1`, first)
	list = mustCommand("list", "--unread")
	require.Contains(t, list, first)
	require.NotContains(t, list, second)
	for _, filter := range [][]string{
		{"--workspace", s.Workspace.String()}, {"--project", s.Project.String()}, {"--older-than", "1ns"},
	} {
		require.Contains(t, mustCommand(append([]string{"list"}, filter...)...), first, filter)
	}
	for _, filter := range [][]string{
		{"--workspace", uuid.NewString()}, {"--project", uuid.NewString()}, {"--waiting", "paused"},
		{"--older-than", "24h"},
	} {
		require.NotContains(t, mustCommand(append([]string{"list"}, filter...)...), first, filter)
	}
	require.Empty(t, mustCommand("retry", "--error", "model_quota"))
	require.Contains(t, mustCommand("retry", "--error", "model_unauthorized"), first)
	waitUntilParsed(first)
	require.Equal(t, "uploaded", status(second))

	for _, invalid := range [][]string{
		{"add", s.Project.String()}, {"show"}, {"nothing"}, {"list", "--limit", "x"}, {"list", "--status", "x"},
	} {
		_, err := command(invalid...)
		require.Error(t, err, invalid)
	}
	_, err = command("show", "00000000-0000-4000-8000-000000000000")
	require.ErrorContains(t, err, "no such import")
	_, err = s.with("PUBLIC_URL=http://"+unusedAddress(t)).command(t, "import", "list")
	require.ErrorContains(t, err, "PUBLIC_URL")
}
