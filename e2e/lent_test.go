package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/dev/devtest"
)

// A pooler's address alone, which is what consoles of providers show first, is found before anything of ours
// stays with its connections.
func TestPoolerWithoutDirectURL(t *testing.T) {
	t.Parallel()
	devtest.NeedPrograms(t, "pgbouncer")
	const lent = "is a pooler that lends its connections for one transaction: set DATABASE_DIRECT_URL"
	for name, c := range map[string]struct {
		mode string
		size int
		says string // empty means that it works
	}{
		"transaction":                      {"transaction", 4, lent},
		"transaction, one connection":      {"transaction", 1, lent},
		"statement":                        {"statement", 4, "lends its connections for one statement"},
		"session, which is like no pooler": {"session", 20, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startAPI(t)
			login := "login_" + strings.ReplaceAll(uuid.NewString(), "-", "")
			const password = "password-of-a-login"
			require.NoError(t, db.EnsureLogin(t.Context(), s.URL, login, password))
			t.Cleanup(func() { s.Exec(t, "drop role "+login) })
			pooled, err := url.Parse(s.URL)
			require.NoError(t, err)
			pooled.User = url.UserPassword(login, password)
			pooled.Host = startPoolerAs(t, s.DB, c.mode, c.size, login)
			p := s.with("DATABASE_URL="+pooled.String(), "HTTP_ADDR="+unusedAddress(t), "DATABASE_MAX_CONNS=6")

			if c.says == "" {
				p.start(t, "serve")
				eventually(t, "the API is ready", func() bool {
					status, _ := p.get(t, "/readyz", "")
					return status == http.StatusOK
				})
				findings, _ := p.doctor(t)
				require.NotContains(t, checks(findings), "pooler")
				return
			}
			for _, program := range []string{"serve", "worker", "migrate"} {
				_, err := p.command(t, program)
				require.ErrorContains(t, err, c.says, program)
			}
			_, err = p.with("DATABASE_DIRECT_URL="+pooled.String()).command(t, "serve")
			require.ErrorContains(t, err, strings.Replace(c.says, ": set DATABASE_DIRECT_URL", "", 1))
			check := map[bool]string{true: "pooler", false: "postgresql"}[c.says == lent]
			p.waitForFinding(t, finding{Check: check, State: "FAIL", Found: "lends its connections"})
			findings, _ := p.doctor(t)
			require.NotContains(t, checks(findings), "tokens", "what is not the cause is not blamed")
			_, err = db.Open(t.Context(), db.Config{URL: pooled.String()})
			require.ErrorContains(t, err, "lends its connections")

			// Whoever uses the connections next is who it is.
			cfg, err := pgx.ParseConfig(pooled.String())
			require.NoError(t, err)
			cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
			for range 2 * c.size {
				conn, err := pgx.ConnectConfig(t.Context(), cfg)
				require.NoError(t, err)
				var user, jit string
				require.NoError(t, conn.QueryRow(t.Context(),
					"select current_user, (select reset_val = setting from pg_settings where name = 'jit')").
					Scan(&user, &jit))
				require.Equal(t, []string{login, "t"}, []string{user, jit})
				require.NoError(t, conn.Close(t.Context()))
			}
		})
	}
}

// checks are the names of the checks of findings.
func checks(findings []finding) (names []string) {
	for _, f := range findings {
		names = append(names, f.Check)
	}
	return names
}
