package db_test

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// Connection strings as providers, Prisma, node-postgres and JDBC write them.
func TestConnectionStringsOfProvidersAreRead(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	for _, parameters := range []string{
		"pgbouncer=true&connection_limit=1&pool_timeout=20", "schema=public", "supa=base-pooler.x",
		"uselibpqcompat=true&sslmode=prefer", "keepalives=1&keepalives_idle=30&tcp_user_timeout=1000",
		"gssencmode=disable", "load_balance_hosts=random", "fallback_application_name=x", "ssl=false",
		"sslaccept=strict&sslmode=disable", "prepareThreshold=0", "connect_timeout=10",
		"target_session_attrs=read-write", "application_name=x", "options=-c%20statement_timeout%3D60s",
		"statement_timeout=60000", "currentSchema=public&ApplicationName=x&loginTimeout=5", "pool_max_conns=7",
		"sslmode=prefer&channel_binding=prefer",
	} {
		at := withParameters(t, d.URL, parameters)
		conn, err := db.Connect(t.Context(), at)
		require.NoError(t, err, parameters)
		require.NoError(t, conn.Close(t.Context()))
		store, err := db.Open(t.Context(), db.Config{URL: at, MaxConns: 1})
		require.NoError(t, err, parameters)
		store.Close()
	}
	parsed, err := db.ParseURL(d.URL)
	require.NoError(t, err)
	require.Equal(t, 5*time.Second, parsed.ConnectTimeout, "the driver's own is none")
	_, ignored, err := db.ReadURL(withParameters(t, d.URL, "pgbouncer=true&sslmode=disable&connection_limit=1"))
	require.NoError(t, err)
	require.Equal(t, []string{"connection_limit", "pgbouncer"}, ignored)
	for given, want := range map[string]string{
		"ssl=true": "sslmode=require", "sslmode=no-verify": "sslmode=require", "ssl=0": "sslmode=disable",
		// What verifies the server is not lost to what another client needs as well.
		"sslmode=verify-full&ssl=true":        "sslmode=verify-full",
		"ssl=false&sslmode=verify-ca":         "sslmode=verify-ca",
		"sslmode=verify-full&sslmode=disable": "sslmode=verify-full",
		"sslmode=require&sslaccept=strict":    "sslmode=verify-full",
		"ssl=true&sslmode=disable":            "sslmode=disable",
	} {
		clean, _, err := db.ReadURL("postgres://u@h/d?" + given)
		require.NoError(t, err)
		require.Equal(t, "postgres://u@h/d?"+want, clean)
	}
	clean, _, err := db.ReadURL("postgres://me:p%40ss%2F%23%25@h1:1,h2:2/d?target_session_attrs=any")
	require.NoError(t, err)
	cfg, err := pgx.ParseConfig(clean)
	require.NoError(t, err)
	require.Equal(t, "p@ss/#%", cfg.Password)
}

// withParameters adds parameters to a URL.
func withParameters(t *testing.T, at, parameters string) string {
	t.Helper()
	u, err := url.Parse(at)
	require.NoError(t, err)
	u.RawQuery = parameters
	return u.String()
}

// Each failure to connect names its cause, without host, user and password, and says what to do.
func TestCausesOfFailuresToConnect(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	u, err := url.Parse(d.URL)
	require.NoError(t, err)
	change := func(change func(*url.URL)) string {
		other := *u
		change(&other)
		return other.String()
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	nobody := "nobody_" + uuid.NewString()
	advised := map[string]string{
		"no TLS": "sslmode=disable", "TLS, verified": "sslmode=disable", "binding": "remove channel_binding",
		"no such host": "correct the host", "silent": "firewalls", "port closed": "correct host and port",
		"not a standby": "target_session_attrs",
	}
	with := func(parameters string) string { return withParameters(t, d.URL, parameters) }
	user := func(name string) string {
		return change(func(u *url.URL) { u.User = url.UserPassword(name, "sekret") })
	}
	at := func(host string) string { return change(func(u *url.URL) { u.Host = host }) }
	for name, c := range map[string]struct{ url, says string }{
		"no such host": {at("db.invalid:5432"), "host of its address does not exist"},
		"port closed":  {at("127.0.0.1:1"), "nothing listens at its address"},
		"silent": {change(func(u *url.URL) {
			u.Host, u.RawQuery = listener.Addr().String(), "connect_timeout=1"
		}), "it does not answer in time"},
		"wrong password":    {user("postgres"), "password is wrong"},
		"no such login":     {user(nobody), "password is wrong"},
		"no such database":  {change(func(u *url.URL) { u.Path = "/sekret" }), "there is no database of this name"},
		"no TLS":            {with("sslmode=require"), "it does not offer TLS"},
		"TLS, verified":     {with("sslmode=verify-full"), "it does not offer TLS"},
		"unknown parameter": {with("sekrets=sekret2"), "neither we nor PostgreSQL know: sekrets"},
		"value of a setting": {
			with("statement_timeout=sekret2"), "a parameter with a value that PostgreSQL refuses: " +
				"statement_timeout",
		},
		"GSSAPI":          {with("gssencmode=require"), "gssencmode=require, which the service"},
		"options":         {with("options=endpoint%3Dsekret2"), "refuses the parameter options"},
		"another schema":  {with("schema=app"), "has schema=app: the service uses the schemas public"},
		"no such file":    {with("sslmode=verify-ca&sslrootcert=/no/ca.pem"), "names the file /no/ca.pem"},
		"not a standby":   {with("target_session_attrs=standby"), "what target_session_attrs demands"},
		"no number":       {with("connect_timeout=sekret2"), "has a connect_timeout that cannot be read"},
		"unknown sslmode": {with("sslmode=sekret"), "unknown sslmode: write one of disable"},
		"binding":         {with("sslmode=disable&channel_binding=require"), "cannot bind the login to TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := db.Inspect(t.Context(), c.url)
			require.ErrorContains(t, err, c.says)
			for _, secret := range []string{"sekret\"", "sekret2", nobody, u.Host, "127.0.0.1"} {
				require.NotContains(t, err.Error(), secret)
			}
			require.NotEmpty(t, db.Advice(err))
			if does := advised[name]; does != "" {
				require.Contains(t, db.Advice(err), does)
			}
			_, opening := db.Open(t.Context(), db.Config{URL: c.url})
			require.ErrorContains(t, opening, c.says)
			_, migrating := db.Migrate(t.Context(), c.url)
			require.ErrorContains(t, migrating, c.says)
		})
	}
}

// newTLSServer agrees to TLS as PostgreSQL does, with a certificate for 127.0.0.1. It returns the port, and
// the file with the authority of the certificate.
func newTLSServer(t *testing.T) (port, authority string) {
	t.Helper()
	issued := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(issued.Close)
	authority = filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(
		&pem.Block{Type: "CERTIFICATE", Bytes: issued.Certificate().Raw}), 0o600))
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			var request [8]byte // SSLRequest
			if _, err := io.ReadFull(conn, request[:]); err == nil {
				_, _ = conn.Write([]byte("S"))
				_ = tls.Server(conn, &tls.Config{Certificates: issued.TLS.Certificates}).HandshakeContext(t.Context())
			}
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	_, port, err = net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port, authority
}

func TestCausesOfFailedTLS(t *testing.T) {
	t.Parallel()
	port, authority := newTLSServer(t)
	for name, c := range map[string]struct{ host, parameters, says string }{
		"unknown authority": {"127.0.0.1", "sslmode=verify-full", "authority that is not known here"},
		"another name":      {"localhost", "sslmode=verify-full&sslrootcert=" + authority, "for another host name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := db.Inspect(t.Context(), "postgres://me:sekret@"+c.host+":"+port+"/d?"+c.parameters)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "sekret")
			require.Contains(t, db.Advice(err), map[string]string{
				"unknown authority": "sslrootcert", "another name": "sslmode=verify-ca",
			}[name])
		})
	}
}

// What an administrator has set for the database or the login changes nothing that the service reads.
func TestSettingsOfAdministrators(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	name := dbtest.Value[string](t, d, `select quote_ident(current_database())`)
	for _, setting := range []string{
		"client_encoding = 'LATIN1'", "row_security = off", "quote_all_identifiers = on", "jit = on",
	} {
		d.Exec(t, "alter database "+name+" set "+setting)
	}
	store, err := db.Open(t.Context(), db.Config{URL: d.URL, MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	read, err := db.AsUser(t.Context(), store, db.User(tenant.Viewer),
		func(q *db.Queries) (db.Project, error) { return q.GetProject(t.Context(), tenant.Project) })
	require.NoError(t, err)
	require.Equal(t, tenant.Project, read.ID)
	is, err := db.Inspect(t.Context(), d.URL)
	require.NoError(t, err)
	require.Empty(t, is.Gone)
	require.Empty(t, is.ReadOnly)
	d.Exec(t, `update public.projects set name = 'Größe „東京“' where id = $1`, tenant.Project)
	read, err = db.AsUser(t.Context(), store, db.User(tenant.Viewer),
		func(q *db.Queries) (db.Project, error) { return q.GetProject(t.Context(), tenant.Project) })
	require.NoError(t, err)
	require.Equal(t, "Größe „東京“", read.Name)
}

func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	store, err := db.Open(t.Context(), db.Config{URL: d.URL, MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	require.NoError(t, store.CheckWrites(t.Context()))
	d.Exec(t, "alter database "+dbtest.Value[string](t, d, `select quote_ident(current_database())`)+
		" set default_transaction_read_only = on")
	store.ForgetPrepared() // the next connection is new
	require.Eventually(t, func() bool {
		err = store.CheckWrites(t.Context())
		return err != nil
	}, time.Minute, 10*time.Millisecond)
	require.ErrorContains(t, err, "default_transaction_read_only is on")
	is, err := db.Inspect(t.Context(), d.URL)
	require.NoError(t, err)
	require.Contains(t, is.ReadOnly, "default_transaction_read_only is on")
	err = store.AsService(t.Context(), func(q *db.Queries) error {
		_, err := q.GetImport(t.Context(), uuid.New())
		require.ErrorIs(t, err, db.ErrNotFound, "it can be read")
		return q.RemoveWorker(t.Context(), uuid.New())
	})
	require.ErrorIs(t, err, db.ErrUnavailable)
	require.ErrorContains(t, err, "it is read-only")
}
