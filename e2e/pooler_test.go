package e2e

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/dev/devtest"
)

const (
	poolerExample = "../docs/pgbouncer/pgbouncer.ini"
	// poolSize is fewer connections than serve and worker have to the pooler.
	poolSize = 4
)

// The main flows work behind a pooler that lends its connections for one transaction.
func TestTransactionPooler(t *testing.T) {
	t.Parallel()
	devtest.NeedPrograms(t, "pgbouncer")
	s := startAPI(t)
	login := "login_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	const password = "password-of-a-login"
	require.NoError(t, db.EnsureLogin(t.Context(), s.URL, login, password))
	t.Cleanup(func() { s.Exec(t, "drop owned by "+login+"; drop role "+login) })
	direct, err := url.Parse(s.URL)
	require.NoError(t, err)
	direct.User = url.UserPassword(login, password)
	pooled := *direct
	pooled.Host = startPooler(t, s.DB, login)

	p := s.with("DATABASE_URL="+pooled.String(), "DATABASE_DIRECT_URL="+direct.String(),
		"HTTP_ADDR="+unusedAddress(t), "DATABASE_MAX_CONNS=6")
	p.start(t, "serve")
	eventually(t, "the API is ready", func() bool {
		status, _ := p.get(t, "/readyz", "")
		return status == http.StatusOK
	})
	p.startWorker(t, "DATABASE_MAX_CONNS=4")

	editor := p.signIn(t, p.Editor)
	h := p.Hypothesis(t, p.Tenant, "Closing the books takes days because of missing receipts")
	id := p.add(t, editor, "zoom.vtt", []byte(zoom))
	p.startParse(t, editor, id, h)
	p.waitForStatus(t, editor, id, "parsed")
	require.Contains(t, p.readData(t, "evidence?select=quote,import:imports(title)&import_id=eq."+id, editor),
		`"import":{"title":"zoom"}`)
	status, _ := p.post(t, "/rest/v1/personas", editor, map[string]any{
		"project_id": p.Project, "name": "Accountant", "goals": []string{"close the books"},
	})
	require.Equal(t, http.StatusCreated, status)
	p.setDigestFrequency(t, "daily", p.Viewer)
	p.moveEventsToYesterday(t)
	require.Equal(t, 1, p.sendDigests(t, "daily"))

	p.Exec(t, "create view public.later as select 1 as one; grant select on public.later to authenticated; "+
		"notify pgrst")
	eventually(t, "changes of the schema are noticed", func() bool {
		return p.readData(t, "later", editor) == `[{"one":1}]`
	})
	require.LessOrEqual(t, dbtest.Value[int](t, p.DB,
		`select count(*)::int from pg_stat_activity where datname = current_database() and usename = $1`, login),
		poolSize+1, "those of the pooler, and the one on which serve listens")

	t.Run("the owner's login is refused", func(t *testing.T) {
		_, err := db.Open(t.Context(), db.Config{URL: s.URL, DirectURL: s.URL})
		require.ErrorContains(t, err, "must log in as authenticator or research_worker")
	})
}

// readData returns the body of a GET of the data API.
func (s *service) readData(t *testing.T, path, token string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url()+"/rest/v1/"+path, nil)
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

// startPooler starts PgBouncer with the settings of the example and returns its address.
func startPooler(t *testing.T, d *dbtest.DB, logins ...string) (address string) {
	t.Helper()
	return startPoolerAs(t, d, "transaction", poolSize, logins...)
}

// startPoolerAs is startPooler with another mode, and number of connections to PostgreSQL.
func startPoolerAs(
	t *testing.T, d *dbtest.DB, mode string, size int, logins ...string,
) (address string) {
	t.Helper()
	return startPoolerOf(t, d, mode, size, dbtest.Value[string](t, d,
		`select string_agg(format('"%s" "%s"', rolname, rolpassword), E'\n') from pg_authid
		where rolname = any ($1)`, logins), "")
}

// startPoolerOf is startPoolerAs with a list of users, and with more settings.
func startPoolerOf(
	t *testing.T, d *dbtest.DB, mode string, size int, userlist, more string,
) (address string) {
	t.Helper()
	server, err := url.Parse(d.URL)
	require.NoError(t, err)
	address = unusedAddress(t)
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	folder := t.TempDir()
	users := filepath.Join(folder, "userlist.txt")
	require.NoError(t, os.WriteFile(users, []byte(userlist), 0o600))
	example, err := os.ReadFile(poolerExample)
	require.NoError(t, err)
	settings := strings.NewReplacer(
		"research = host=127.0.0.1 port=5432 dbname=research",
		"* = host="+server.Hostname()+" port="+server.Port(),
		"listen_port = 6432", "listen_port = "+port+"\nunix_socket_dir =",
		"/etc/pgbouncer/userlist.txt", users,
		"default_pool_size = 100", "default_pool_size = "+strconv.Itoa(size),
		"pool_mode = transaction", "pool_mode = "+mode,
	).Replace(string(example))
	path := filepath.Join(folder, "pgbouncer.ini")
	require.NoError(t, os.WriteFile(path, []byte(settings+more), 0o600))

	args := []string{path}
	if os.Geteuid() == 0 { // it refuses to run as root, and reads its files before it changes its user
		args = append(args, "--user=nobody")
	}
	ctx, stop := context.WithCancel(context.Background())
	pooler := exec.CommandContext(ctx, "pgbouncer", args...)
	var output bytes.Buffer
	pooler.Stderr = &output
	require.NoError(t, pooler.Start())
	t.Cleanup(func() {
		stop()
		_ = pooler.Wait()
		if t.Failed() {
			t.Log(output.String())
		}
	})
	eventually(t, "the pooler listens", func() bool {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", address)
		return err == nil && conn.Close() == nil
	})
	return address
}

// Ten serve and fifty worker behind the pooler stay below 300 connections to PostgreSQL: each serve has one
// more, on which it listens.
func TestConnectionsBehindThePooler(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile(poolerExample)
	require.NoError(t, err)
	setting := func(name string) int {
		found := regexp.MustCompile(`(?m)^` + name + ` = (\d+)$`).FindSubmatch(example)
		require.NotNil(t, found, name)
		value, err := strconv.Atoi(string(found[1]))
		require.NoError(t, err)
		return value
	}
	const serves, workers, maxConns = 10, 50, 20
	require.GreaterOrEqual(t, setting("max_client_conn"), (serves+workers)*maxConns)
	require.Less(t, setting("max_db_connections")+serves, 300)
}
