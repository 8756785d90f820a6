package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/joho/godotenv"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/dev/devtest"
)

// shellBlock returns the block of a document that has a text, without its indentation.
func shellBlock(t *testing.T, document, text string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "docs", document))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^( *)```sh\n(.*?)^ *```$")
	for _, m := range blocks.FindAllStringSubmatch(string(content), -1) {
		if strings.Contains(m[2], text) {
			return regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], "")
		}
	}
	require.FailNow(t, document+" has no such block", text)
	return ""
}

// paste runs a script with the binary, as root of a machine without systemd.
func paste(t *testing.T, dir, script string, env ...string) (output string) {
	t.Helper()
	devtest.NeedPrograms(t, "bash")
	programs := t.TempDir()
	require.NoError(t, os.Symlink(devtest.Binary(t), filepath.Join(programs, "research")))
	for name, content := range map[string]string{"sudo": `exec "$@"`, "systemctl": ":"} {
		path := filepath.Join(programs, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+content+"\n"), 0o700))
	}
	shell := devtest.Command(t)
	shell.Path, shell.Args, shell.Dir = "/bin/bash", []string{"bash", "-c", script}, dir
	shell.Env = append(append(shell.Env, env...), "PATH="+programs+":"+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// Blocks about backups and the schema are pasted by an owner without superuser, whose programs have logins.
func TestOperationsAsPasted(t *testing.T) {
	t.Parallel()
	devtest.NeedPrograms(t, "psql", "pg_dump")
	h := startHost(t)
	dir := t.TempDir()
	env := []string{
		"DATABASE_URL=" + h.owner.String(), "BACKUPS=" + filepath.Join(dir, "backups"),
		"DATABASE_SERVE_PASSWORD=password-of-serve", "DATABASE_WORKER_PASSWORD=password-of-worker",
	}
	paste(t, dir, `set -e; research migrate; research backup "$BACKUPS"`, env...)
	paste(t, dir, "set -e\n"+shellBlock(t, "operations.md", "research restore "), env...)
	for database, admits := range map[string]bool{"research_restored": true, "research": false} {
		require.Equal(t, admits, dbtest.Value[bool](t, h.admin,
			"select has_database_privilege('authenticator', $1, 'connect')", database), database)
	}

	env[0] = strings.Replace(env[0], "/research", "/research_restored", 1)
	paste(t, dir, `psql "$DATABASE_URL" --command 'drop view theme_people cascade'`, env...)
	// There is no Temporal here for doctor.
	repair := strings.TrimSuffix(shellBlock(t, "operations.md", "research_empty"), "research doctor\n")
	out := paste(t, dir, repair+`psql "$DATABASE_URL" --command 'table theme_people'`, env...)
	require.NotContains(t, out, "DATABASE_SERVE_LOGIN", "the empty database needs no logins")
}

// The settings of the units are read by systemd, by the commands of operators, and by shells.
func TestUnitsAsPasted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "etc/systemd/system"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "usr/local/bin"), 0o700))
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(filepath.Join(root, "docs"), filepath.Join(dir, "docs")))
	require.NoError(t, os.Symlink(devtest.Binary(t), filepath.Join(dir, "research")))
	const database = "postgres://research:PASSWORD@127.0.0.1:5432/research?sslmode=verify-full&connect_timeout=9"
	block := strings.NewReplacer(
		"/etc/", dir+"/etc/", "/usr/local/", dir+"/usr/local/", "sudo research doctor", "true",
		"postgres://research:PASSWORD@127.0.0.1:5432/research", database,
		"MAIL_FROM=research@example.com", "MAIL_FROM='Research <research@example.com>'",
	).Replace(shellBlock(t, "operations.md", "research.env"))
	paste(t, dir, "set -e\n"+block)

	settings := filepath.Join(dir, "etc", "research", ".env")
	values, err := godotenv.Read(settings)
	require.NoError(t, err)
	require.Equal(t, database, values["DATABASE_URL"])
	require.Equal(t, "Research <research@example.com>", values["MAIL_FROM"])
	require.NotEmpty(t, values["SERVICE_ROLE_KEY"])
	require.Equal(t, database, paste(t, dir, `set -eu; . "$SETTINGS"; printf %s "$DATABASE_URL"`,
		"SETTINGS="+settings))
}

func TestRequestsAsPasted(t *testing.T) {
	t.Parallel()
	devtest.NeedPrograms(t, "curl")
	s := startService(t)
	const email, password = "new@example.com", "correct horse battery"
	status, session := s.post(t, "/auth/v1/signup", "", map[string]string{"email": email, "password": password})
	require.Equal(t, http.StatusOK, status, "%v", session)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "interview.vtt"), []byte(zoom), 0o600))
	env := []string{"API_URL=" + s.url(), "ANON_KEY=" + anonKey, "EMAIL=" + email, "PASSWORD=" + password}

	first := shellBlock(t, "api.md", "api() {")
	out := paste(t, dir, "set -e\n"+first+`
		until api "$API_URL/api/import/$IMPORT" | grep '"parsed"'; do sleep 0.1; done
		`+shellBlock(t, "api.md", "evidence_hypotheses(stance)"), env...)
	require.Contains(t, out, `"stance"`)

	signIn, _, found := strings.Cut(first, "WORKSPACE=")
	require.True(t, found)
	preferences := shellBlock(t, "digests.md", "digest_preferences")
	require.Contains(t, paste(t, dir, "set -e\n"+signIn+preferences, env...), `"timezone":"Europe/Berlin"`)
	out = paste(t, dir, signIn+shellBlock(t, "digests.md", "digest/preview"), env...)
	require.Contains(t, out, `"period"`)
	require.Contains(t, out, "nothing_new")
}
