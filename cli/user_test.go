package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// databaseSettings are those of a command that works on a database.
func databaseSettings(d *dbtest.DB) []string {
	return []string{"DATABASE_URL=" + d.URL, "BCRYPT_COST=4"}
}

func TestUserCommand(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	settings := databaseSettings(d)
	user := func(stdin string, args ...string) string {
		t.Helper()
		r := run(t, settings, stdin, append([]string{"user"}, args...)...)
		require.Zero(t, r.code, r.stderr)
		return r.stdout
	}
	hash := func(email string) string {
		return dbtest.Value[string](t, d, `select encrypted_password from auth.users where email = $1`, email)
	}

	out := user("", "create", "ada@example.com")
	created := regexp.MustCompile(`(?m)^id: +([0-9a-f-]{36})\npassword: (\S{20,})\n$`).FindStringSubmatch(out)
	require.NotNil(t, created, out)
	id := created[1]

	out = user("a fine passphrase\n", "create", "--password-stdin", "grace@example.com")
	require.NotContains(t, out, "password")
	require.NotEmpty(t, hash("grace@example.com"))
	short := run(t, settings, "short\n", "user", "create", "--password-stdin", "short@example.com")
	require.Equal(t, 1, short.code)
	require.Contains(t, short.stderr, "8 characters")

	before := hash("ada@example.com")
	user("another passphrase", "set-password", id, "--password-stdin")
	require.NotEqual(t, before, hash("ada@example.com"))
	require.Regexp(t, `^password: \S{20,}\n$`, user("", "set-password", "ada@example.com"))

	user("", "ban", "ada@example.com", "--for", "24h")
	out = user("", "list")
	require.Regexp(t, `(?m)^`+id+`  ada@example.com +\d{4}-\d\d-\d\d \d\d:\d\dZ  - +banned until `, out)
	require.Regexp(t, `grace@example.com .* active`, out)
	user("", "ban", "ada@example.com", "--lift")
	require.NotContains(t, user("", "list"), "banned")
	user("", "ban", "ada@example.com")
	years := `select extract(year from age(banned_until, now()))::int from auth.users where id = $1`
	require.Equal(t, 99, dbtest.Value[int](t, d, years, uuid.MustParse(id)))
	for line := range strings.Lines(user("", "list", "--json")) {
		require.True(t, json.Valid([]byte(line)), line)
	}

	d.Exec(t, `insert into auth.sessions (user_id, user_agent, ip) values ($1, E'evil\x1b[2J', '192.0.2.1')`,
		uuid.MustParse(id))
	out = user("", "sessions", "ada@example.com")
	require.Regexp(t, `192\.0\.2\.1 +evil\[2J`, out)
	session := regexp.MustCompile(`(?m)^([0-9a-f-]{36}) `).FindStringSubmatch(out)[1]
	require.Equal(t, "sessions ended: 0\n", user("", "sessions", "grace@example.com", "--end", session))
	require.Equal(t, "sessions ended: 1\n", user("", "sessions", "ada@example.com", "--end", session))
	require.Equal(t, "sessions ended: 0\n", user("", "sessions", "ada@example.com", "--end", "all"))

	file := filepath.Join(t.TempDir(), "users.csv")
	require.NoError(t, os.WriteFile(file, []byte("email,encrypted_password,x\n"+
		"new@example.com,$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW,\n"+
		"ada@example.com,,\n"), 0o600))
	require.Equal(t, "added: 1\nalready present, unchanged: 1\ncolumns ignored: x\n",
		user("", "import", file))
	require.Equal(t, "added: 1\nalready present, unchanged: 0\n",
		user(`{"email":"json@example.com","password_hash":""}`, "import", "-"))

	for _, args := range [][]string{
		{"create", "a@example.com", "b@example.com"}, {"create", "--password", "x", "a@example.com"},
		{"ban", "nobody@example.com"}, {"ban", "ada@example.com", "--for", "-1h"},
		{"sessions", "ada@example.com", "--end", "7"}, {"import", filepath.Join(t.TempDir(), "none.csv")},
		{"list", "all"},
	} {
		r := run(t, settings, "", append([]string{"user"}, args...)...)
		require.NotZero(t, r.code, args)
		require.NotEmpty(t, r.stderr, args)
		require.Empty(t, r.stdout, args)
	}
}
