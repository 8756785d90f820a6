package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestImportCommand(t *testing.T) {
	t.Parallel()
	s := startService(t)
	operate := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := importCommand(t.Context(), s.cfg, args, strings.NewReader(""), &out)
		return out.String(), err
	}
	mustOperate := func(args ...string) string {
		t.Helper()
		out, err := operate(args...)
		require.NoError(t, err)
		return out
	}
	status := func(id string) string {
		return dbtest.Value[string](t, s.DB, `select status::text from public.imports where id = $1`, id)
	}
	parsed := func(id string) {
		t.Helper()
		s.eventually(t, func() bool { return status(id) == "parsed" })
	}

	file := filepath.Join(t.TempDir(), "interview.txt")
	require.NoError(t, os.WriteFile(file, []byte("Ada: We pay far too much for invoicing.\nBen: Invoicing takes us two days a month.\n"), 0o600))
	lines := strings.Split(strings.TrimSpace(mustOperate("add", s.Project.String(), file, file)), "\n")
	require.Len(t, lines, 2)
	first, second := strings.Fields(lines[0])[0], strings.Fields(lines[1])[0]
	require.Equal(t, "uploaded", status(first))

	_, err := operate("parse", first)
	require.ErrorContains(t, err, "--hypotheses")
	hypothesis := s.Hypothesis(t, s.Tenant, "Invoicing takes too long")
	require.Contains(t, mustOperate("parse", first, "--hypotheses", hypothesis.String()), "queued")
	parsed(first)
	require.Contains(t, mustOperate("show", first), `"status": "parsed"`)
	_, err = operate("parse", first)
	require.ErrorContains(t, err, "already parsed")
	_, err = operate("cancel", first)
	require.ErrorContains(t, err, "nothing to cancel")

	s.Exec(t, `update public.imports set status = 'failed', error_code = 'model_unauthorized', error_message = 'x', title = e'a\u009b title' where id = $1`, first)
	list := mustOperate("list", "--status", "failed", "--error", "model_unauthorized")
	require.Contains(t, list, first)
	require.Contains(t, list, "a title", "what clients sent does not steer the terminal")
	require.NotContains(t, list, second)
	require.Empty(t, mustOperate("retry", "--error", "model_quota"))
	require.Contains(t, mustOperate("retry", "--error", "model_unauthorized"), first)
	parsed(first)
	require.Equal(t, "uploaded", status(second))

	for _, wrong := range [][]string{{"add", s.Project.String()}, {"show"}, {"nothing"}, {"list", "--limit", "x"}, {"list", "--status", "x"}} {
		_, err := operate(wrong...)
		require.Error(t, err, wrong)
	}
	_, err = operate("show", "00000000-0000-4000-8000-000000000000")
	require.ErrorContains(t, err, "no such import")
	require.Equal(t, importUsage, mustOperate("help"))
	s.cfg.HTTP.PublicURL = "http://" + freeAddress(t)
	_, err = operate("list")
	require.ErrorContains(t, err, "PUBLIC_URL")
}
