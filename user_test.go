package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/config"
	"research/db/dbtest"
)

// operate runs a command over a database and returns what it prints.
func operate(t *testing.T, d *dbtest.DB, in string, args ...string) (string, error) {
	t.Helper()
	cfg, err := config.Load(func(name string) string {
		return map[string]string{"DATABASE_URL": d.URL, "BCRYPT_COST": "4"}[name]
	})
	require.NoError(t, err)
	var out bytes.Buffer
	run := map[string]func(context.Context, config.Config, []string, io.Reader, io.Writer) error{
		"user": userCommand,
		"keys": func(ctx context.Context, cfg config.Config, args []string, _ io.Reader, out io.Writer) error {
			return keysCommand(ctx, cfg, args, out)
		},
	}[args[0]]
	err = run(t.Context(), cfg, args[1:], strings.NewReader(in), &out)
	return out.String(), err
}

func TestUserCommand(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	mustOperate := func(in string, args ...string) string {
		t.Helper()
		out, err := operate(t, d, in, args...)
		require.NoError(t, err)
		return out
	}
	stored := func(email string) string {
		return dbtest.Value[string](t, d, `select encrypted_password from auth.users where email = $1`, email)
	}

	out := mustOperate("", "user", "create", "ada@example.com")
	made := regexp.MustCompile(`(?m)^id: +([0-9a-f-]{36})\npassword: (\S{20,})\n$`).FindStringSubmatch(out)
	require.NotNil(t, made, out)
	id := made[1]

	out = mustOperate("a fine passphrase\n", "user", "create", "--password-stdin", "grace@example.com")
	require.NotContains(t, out, "password")
	require.NotEmpty(t, stored("grace@example.com"))
	_, err := operate(t, d, "short\n", "user", "create", "--password-stdin", "short@example.com")
	require.ErrorContains(t, err, "8 characters")

	before := stored("ada@example.com")
	mustOperate("another passphrase", "user", "set-password", id, "--password-stdin")
	require.NotEqual(t, before, stored("ada@example.com"))
	require.Regexp(t, `^password: \S{20,}\n$`, mustOperate("", "user", "set-password", "ada@example.com"))

	mustOperate("", "user", "ban", "ada@example.com", "--for", "24h")
	out = mustOperate("", "user", "list")
	require.Regexp(t, `(?m)^`+id+`  ada@example.com +\d{4}-\d\d-\d\d \d\d:\d\dZ  - +banned until `, out)
	require.Regexp(t, `grace@example.com .* active`, out)
	mustOperate("", "user", "ban", "ada@example.com", "--lift")
	require.NotContains(t, mustOperate("", "user", "list"), "banned")
	mustOperate("", "user", "ban", "ada@example.com")
	require.Equal(t, 99, dbtest.Value[int](t, d, `select extract(year from age(banned_until, now()))::int from auth.users where id = $1`, uuid.MustParse(id)))
	for line := range strings.Lines(mustOperate("", "user", "list", "--json")) {
		require.True(t, json.Valid([]byte(line)), line)
	}

	d.Exec(t, `insert into auth.sessions (user_id, user_agent, ip) values ($1, E'evil\x1b[2J', '192.0.2.1')`, uuid.MustParse(id))
	out = mustOperate("", "user", "sessions", "ada@example.com")
	require.Regexp(t, `192\.0\.2\.1 +evil\[2J`, out)
	session := regexp.MustCompile(`(?m)^([0-9a-f-]{36}) `).FindStringSubmatch(out)[1]
	require.Equal(t, "sessions ended: 0\n", mustOperate("", "user", "sessions", "grace@example.com", "--end", session))
	require.Equal(t, "sessions ended: 1\n", mustOperate("", "user", "sessions", "ada@example.com", "--end", session))
	require.Equal(t, "sessions ended: 0\n", mustOperate("", "user", "sessions", "ada@example.com", "--end", "all"))

	file := filepath.Join(t.TempDir(), "users.csv")
	require.NoError(t, os.WriteFile(file, []byte("email,encrypted_password,x\nnew@example.com,$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW,\nada@example.com,,\n"), 0o600))
	require.Equal(t, "added: 1\nthere already, and left as they are: 1\ncolumns that mean nothing here: x\n", mustOperate("", "user", "import", file))
	require.Equal(t, "added: 1\nthere already, and left as they are: 0\n", mustOperate(`{"email":"json@example.com","password_hash":""}`, "user", "import", "-"))

	for _, args := range [][]string{
		{"user", "explode"}, {"user", "create"}, {"user", "create", "a@example.com", "b@example.com"}, {"user", "create", "--password", "x", "a@example.com"},
		{"user", "ban", "ada@example.com", "--for", "soon"}, {"user", "ban", "nobody@example.com"}, {"user", "sessions", "ada@example.com", "--end", "7"},
		{"user", "import", filepath.Join(t.TempDir(), "none.csv")}, {"user", "list", "all"},
	} {
		out, err := operate(t, d, "", args...)
		require.Error(t, err, args)
		require.Empty(t, out)
	}
	require.Equal(t, userUsage, mustOperate("", "user"))
}

func TestKeysCommand(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	out, err := operate(t, d, "", "keys", "rotate")
	require.NoError(t, err)
	first := strings.TrimSpace(strings.TrimPrefix(out, "new key:"))
	_, err = operate(t, d, "", "keys", "rotate")
	require.NoError(t, err)
	out, err = operate(t, d, "", "keys", "list")
	require.NoError(t, err)
	require.Regexp(t, `(?m)^`+first+` .* signs$`, out, "a new key is only published at first")
	require.Regexp(t, `(?m) published$`, out)
	_, err = operate(t, d, "", "keys", "rotate", "--revoke")
	require.NoError(t, err)
	require.Equal(t, 1, dbtest.Value[int](t, d, `select count(*)::int from auth.signing_keys`))

	for _, args := range [][]string{{"keys", "explode"}, {"keys", "rotate", "now"}, {"keys", "mint", "anon"}, {"keys", "mint", "postgres"}} {
		_, err := operate(t, d, "", args...)
		require.Error(t, err, args)
	}
	secret := config.Config{Keys: config.Keys{JWTSecret: strings.Repeat("s", 32)}}
	var minted bytes.Buffer
	require.NoError(t, keysCommand(t.Context(), secret, []string{"mint", "anon"}, &minted))
	require.Equal(t, 2, strings.Count(minted.String(), "."))
	cfg, err := config.Load(func(name string) string {
		return map[string]string{"DATABASE_URL": d.URL, "JWT_SECRET": strings.Repeat("s", 32)}[name]
	})
	require.NoError(t, err)
	require.ErrorContains(t, keysCommand(t.Context(), cfg, []string{"rotate"}, io.Discard), "JWT_SECRET")
}
