package e2e

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/dev"
	"research/dev/devtest"
)

// A host is a cluster of PostgreSQL as providers offer it: its customers are no superusers.
type host struct {
	admin *dbtest.DB
	owner url.URL // of the customer's database, and of its login
}

// startHost starts a cluster in which a customer owns a database, and may create roles and databases.
func startHost(t *testing.T) *host {
	t.Helper()
	cluster, admin, err := dev.NewPostgres(t.Context(), devtest.OpenFolder(t))
	require.NoError(t, err)
	require.NoError(t, cluster.Start(t.Context()))
	t.Cleanup(cluster.End)
	owner, err := url.Parse(admin)
	require.NoError(t, err)
	owner.User = url.UserPassword("founder", "p@ss:w/rd#1%?&x")
	h := &host{admin: &dbtest.DB{URL: admin}, owner: *owner}
	if major := os.Getenv("TEST_POSTGRES"); major != "" && major != "installed" {
		require.Equal(t, major, dbtest.Value[string](t, h.admin,
			`select (current_setting('server_version_num')::int / 10000)::text`), "another PostgreSQL was started")
	}
	h.admin.Exec(t, `create role founder login createrole createdb password 'p@ss:w/rd#1%?&x'`)
	h.admin.Exec(t, `alter database research owner to founder`)
	return h
}

// login returns the URL of a role of the programs.
func (h *host) login(role, password string) string {
	u := h.owner
	u.User = url.UserPassword(role, password)
	return u.String()
}

// newCustomer returns the service of a customer, whose programs have yet to be started.
func (h *host) newCustomer(t *testing.T, settings ...string) *service {
	t.Helper()
	s := &service{DB: h.admin, namespace: newNamespace(t), logs: &logBuffer{}}
	s.settings = newSettings(t, h.owner.String(), s.namespace)
	return s.with(settings...)
}

// requireWholeRun requires that everything works that people and operators do.
func (s *service) requireWholeRun(t *testing.T) {
	t.Helper()
	eventually(t, "the API is ready", func() bool {
		status, _ := s.get(t, "/readyz", "")
		return status == http.StatusOK
	})
	const address = "founder@example.com"
	status, session := s.post(t, "/auth/v1/signup", "",
		map[string]string{"email": address, "password": "correct horse battery"})
	require.Equal(t, http.StatusOK, status, "%v", session)
	token := session["access_token"].(string)
	insert := func(table string, row map[string]any) uuid.UUID {
		id := uuid.New()
		row["id"] = id
		status, answer := s.post(t, "/rest/v1/"+table, token, row)
		require.Equal(t, http.StatusCreated, status, "%s: %v", table, answer)
		return id
	}
	workspace := insert("workspaces", map[string]any{"name": "Straße & Co"})
	s.Project = insert("projects", map[string]any{"workspace_id": workspace, "name": "Receipts"})
	hypothesis := insert("hypotheses", map[string]any{
		"project_id": s.Project, "statement": "People lose receipts and cannot claim what they paid",
	})
	interview, err := os.ReadFile("../dev/demo/interview-jonas.txt")
	require.NoError(t, err)
	id := s.add(t, token, "interview-jonas.txt", interview)
	s.startParse(t, token, id, hypothesis)
	s.waitForStatus(t, token, id, "parsed")
	require.Contains(t, s.readData(t, "evidence?select=quote&import_id=eq."+id, token), "lost the receipt")
	require.Contains(t, s.readData(t, "rpc/search_project?query=JACKET&project="+s.Project.String(), token),
		"They live in my jacket.")
	require.Contains(t, s.mustCommand(t, "digest", "preview", address, "--frequency", "daily"), address)
	findings, healthy := s.doctor(t)
	require.True(t, healthy, "%v", findings)
}

// The service works on the oldest and the newest PostgreSQL, whose versions differ in what an owner may do.
func TestHostedPostgreSQL(t *testing.T) {
	t.Parallel()
	const serve, worker = "password-of-serve", "password-of-worker"
	t.Run("as the owner", func(t *testing.T) {
		t.Parallel()
		s := startHost(t).newCustomer(t)
		s.mustCommand(t, "migrate")
		s.start(t, "serve")
		s.start(t, "worker")
		s.requireWholeRun(t)
	})
	t.Run("by logins of the programs", func(t *testing.T) {
		t.Parallel()
		h := startHost(t)
		s := h.newCustomer(t, "DATABASE_SERVE_PASSWORD="+serve, "DATABASE_WORKER_PASSWORD="+worker)
		s.mustCommand(t, "migrate")
		s.with("DATABASE_URL="+h.login("authenticator", serve)).start(t, "serve")
		s.with("DATABASE_URL="+h.login("research_worker", worker)).start(t, "worker")
		s.requireWholeRun(t)
	})
	t.Run("behind a transaction pooler", func(t *testing.T) {
		t.Parallel()
		devtest.NeedPrograms(t, "pgbouncer")
		h := startHost(t)
		s := h.newCustomer(t, "DATABASE_SERVE_PASSWORD="+serve, "DATABASE_WORKER_PASSWORD="+worker)
		s.mustCommand(t, "migrate")
		pooler := startPooler(t, h.admin, "authenticator", "research_worker")
		for program, login := range map[string]string{
			"serve":  h.login("authenticator", serve),
			"worker": h.login("research_worker", worker),
		} {
			pooled := strings.Replace(login, h.owner.Host, pooler, 1)
			s.with("DATABASE_URL="+pooled, "DATABASE_DIRECT_URL="+login).start(t, program)
		}
		s.requireWholeRun(t)
	})
}
