package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A database that can only be read, such as a standby or one above a provider's limit, is read. Everything
// says so, also to programs that start meanwhile, and nothing has to be restarted afterwards.
func TestDatabaseThatCanOnlyBeRead(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	name := dbtest.Value[string](t, s.DB, `select quote_ident(current_database())`)
	s.Exec(t, "delete from private.settings")
	s.Exec(t, "alter database "+name+" set default_transaction_read_only = on")
	p := s.with("HTTP_ADDR=" + unusedAddress(t))
	p.start(t, "serve")
	eventually(t, "the API is ready, and says what it cannot do", func() bool {
		status, body := p.get(t, "/readyz", "")
		return status == http.StatusOK && body["status"] == "degraded" && body["writes"] == "read_only"
	})
	require.Contains(t, p.readData(t, "projects?select=id", serviceKey), p.Project.String())
	persona := map[string]any{"project_id": p.Project, "name": "A"}
	status, body := p.post(t, "/rest/v1/personas", serviceKey, persona)
	require.Equal(t, http.StatusMethodNotAllowed, status)
	require.Contains(t, body["message"], "read-only transaction")
	status, body = p.post(t, "/auth/v1/signup", "", map[string]any{
		"email": "new@example.com", "password": "correct horse battery",
	})
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, body["msg"], "the database is read-only")
	p.waitForFinding(t, finding{Check: "writes", State: "FAIL", Found: "default_transaction_read_only is on"})
	findings, _ := p.doctor(t)
	for _, f := range findings {
		require.False(t, f.Check == "tokens" && f.State == "FAIL", "what is not the cause is not blamed: %v", f)
	}
	_, err := p.command(t, "migrate")
	require.ErrorContains(t, err, "the database is read-only")

	s.Exec(t, "set transaction_read_only = off; alter database "+name+" reset default_transaction_read_only")
	s.Exec(t, `select pg_terminate_backend(pid) from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid() and application_name like 'research serve%'`)
	eventually(t, "the API is well", func() bool {
		status, body := p.get(t, "/readyz", "")
		return status == http.StatusOK && body["status"] == "ok"
	})
	eventually(t, "settings are stored", func() bool {
		return dbtest.Value[int](t, s.DB, `select count(*)::int from private.settings`) > 0
	})
}
