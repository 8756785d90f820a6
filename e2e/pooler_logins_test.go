package e2e

import (
	"context"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/dev/devtest"
)

// The pooler logs in by each of the documented ways, and still does after another migrate with the same
// passwords.
func TestPoolerLogins(t *testing.T) {
	t.Parallel()
	devtest.NeedPrograms(t, "pgbouncer")
	const serve, worker = "password-of-serve", "password-of-worker"
	h := startHost(t)
	s := h.newCustomer(t, "DATABASE_SERVE_PASSWORD="+serve, "DATABASE_WORKER_PASSWORD="+worker)
	s.mustCommand(t, "migrate")
	operations, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```sql\n([^`]*create function pgbouncer[^`]*)```").FindSubmatch(operations)
	require.NotNil(t, block)
	h.admin.Exec(t, strings.ReplaceAll(string(block[1]), "…", "password-of-the-pooler"))
	lines := regexp.MustCompile("(?s)```ini\n(auth_user[^`]*)```").FindSubmatch(operations)
	require.NotNil(t, lines)

	plain := `"authenticator" "` + serve + `"` + "\n" + `"research_worker" "` + worker + `"` + "\n"
	asking := `"pgbouncer" "password-of-the-pooler"` + "\n"
	poolers := map[string]string{
		"verifiers":     startPooler(t, h.admin, "authenticator", "research_worker"),
		"passwords":     startPoolerOf(t, h.admin, "transaction", poolSize, plain, ""),
		"an auth_query": startPoolerOf(t, h.admin, "transaction", poolSize, asking, "\n"+string(lines[1])),
	}
	requireLogins := func() {
		t.Helper()
		h.admin.Exec(t, `select pg_terminate_backend(pid, 10000) from pg_stat_activity
			where usename in ('authenticator', 'research_worker')`)
		for name, address := range poolers {
			for login, password := range map[string]string{"authenticator": serve, "research_worker": worker} {
				at, err := url.Parse(strings.Replace(h.login(login, password), h.owner.Host, address, 1))
				require.NoError(t, err)
				eventually(t, name+" log in", func() bool { return answers(t, at.String()) })
			}
		}
	}
	requireLogins()
	s.mustCommand(t, "migrate")
	requireLogins()
}

// answers reports whether a pooler's connection reaches PostgreSQL.
func answers(t *testing.T, at string) bool {
	cfg, err := pgx.ParseConfig(at)
	require.NoError(t, err)
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(t.Context(), cfg)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var one int
	return conn.QueryRow(t.Context(), "select 1").Scan(&one) == nil && one == 1
}
