package db_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// A program that logs in by itself, and not as the owner, works, and cannot become the owner.
func TestLoginsOfPrograms(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	// Roles belong to the server, which other tests use as well.
	role := "login_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	t.Cleanup(func() { d.Exec(t, "drop role "+role) })
	for _, password := range []string{"first-password", "second password'\""} {
		require.NoError(t, db.EnsureLogin(t.Context(), d.URL, role, password))
		at, err := url.Parse(d.URL)
		require.NoError(t, err)
		at.User = url.UserPassword(role, password)

		migrations, err := db.CompareMigrations(t.Context(), at.String())
		require.NoError(t, err)
		require.Empty(t, migrations.Missing)
		store, err := db.Open(t.Context(), db.Config{URL: at.String(), MaxConns: 2})
		require.NoError(t, err)
		project, err := db.AsUser(t.Context(), store, db.User(tenant.Viewer),
			func(q *db.Queries) (db.Project, error) { return q.GetProject(t.Context(), tenant.Project) })
		store.Close()
		require.NoError(t, err)
		require.Equal(t, tenant.Project, project.ID)

		conn, err := pgx.Connect(t.Context(), at.String())
		require.NoError(t, err)
		var superuser string
		require.NoError(t, conn.QueryRow(t.Context(), "select current_setting('is_superuser')").Scan(&superuser))
		require.Equal(t, "off", superuser)
		for _, sql := range []string{
			"reset role; select * from auth.users", "drop table public.projects", "alter role authenticator superuser",
			"select * from public.projects", "copy (select 1) to program 'true'",
		} {
			_, err := conn.Exec(context.Background(), sql)
			require.Equal(t, "42501", state(err), sql)
		}
		require.NoError(t, conn.Close(t.Context()))
	}
	_, err := db.CompareMigrations(t.Context(), d.URL)
	require.NoError(t, err)
	for _, password := range []string{"", "schlüssel", "line\nbreak"} {
		require.ErrorContains(t, db.EnsureLogin(t.Context(), d.URL, role, password), "printable ASCII")
	}
}

// Poolers may have copied what the server stores of a password.
func TestLoginKeepsItsVerifier(t *testing.T) {
	t.Parallel()
	admin, owner := startServer(t)
	_, err := db.Migrate(t.Context(), owner)
	require.NoError(t, err)
	verifier := func() string {
		return dbtest.Value[string](t, admin, `select rolpassword from pg_authid where rolname = 'authenticator'`)
	}
	_, err = db.AdmitLogins(t.Context(), owner)
	require.NoError(t, err)
	require.NoError(t, db.EnsureLogin(t.Context(), owner, "authenticator", "first-password"))
	first := verifier()
	for _, url := range []string{owner, admin.URL} { // the administrator may read it
		require.NoError(t, db.EnsureLogin(t.Context(), url, "authenticator", "first-password"))
		require.Equal(t, first, verifier())
	}
	admin.Exec(t, `revoke connect on database research from authenticator`)
	require.NoError(t, db.EnsureLogin(t.Context(), owner, "authenticator", "first-password"))
	require.Equal(t, first, verifier())

	require.NoError(t, db.EnsureLogin(t.Context(), owner, "authenticator", "second-password"))
	require.NotEqual(t, first, verifier())
	for _, other := range []string{
		`set password_encryption = md5; alter role authenticator password 'second-password'`,
		`alter role authenticator password null`, `alter role authenticator nologin`,
	} {
		admin.Exec(t, other)
		require.NoError(t, db.EnsureLogin(t.Context(), owner, "authenticator", "second-password"))
		require.Regexp(t, `^SCRAM-SHA-256\$`, verifier())
		conn, err := db.Connect(t.Context(), withUser(t, owner, "authenticator", "second-password"))
		require.NoError(t, err, other)
		require.NoError(t, conn.Close(t.Context()))
	}
}

// The databases of a server have the same roles, but not the same logins.
func TestSeveralDatabasesOnOneServer(t *testing.T) {
	t.Parallel()
	admin, production := startServer(t)
	migrate := func(url string, logins ...string) {
		t.Helper()
		_, err := db.Migrate(t.Context(), url)
		require.NoError(t, err)
		for _, role := range logins {
			require.NoError(t, db.CheckLogin(t.Context(), url, role, "password-of-"+role))
			require.NoError(t, db.EnsureLogin(t.Context(), url, role, "password-of-"+role))
		}
		open, err := db.AdmitLogins(t.Context(), url, logins...)
		require.NoError(t, err)
		require.False(t, open)
	}
	migrate(production, "authenticator", "research_worker")

	admin.Exec(t, `create role stager login createrole password 'stager'`)
	admin.Exec(t, `create database staging owner stager`)
	admin.Exec(t, `create database research_drill owner founder`)
	staging := strings.Replace(withUser(t, admin.URL, "stager", "stager"), "/research", "/staging", 1)
	_, err := db.Migrate(t.Context(), staging)
	if err != nil { // since PostgreSQL 16, roles belong to who created them
		admin.Exec(t, adviceOf(t, err))
	}
	_, err = db.Migrate(t.Context(), staging)
	require.NoError(t, err)
	for _, role := range []string{"authenticator", "research_worker"} {
		var shared *db.SharedLoginError
		require.ErrorAs(t, db.CheckLogin(t.Context(), staging, role, "another-password"), &shared)
		require.Equal(t, []string{"research"}, shared.Databases)
		require.NoError(t, db.CheckLogin(t.Context(), staging, role, "password-of-"+role), "nothing would change")
	}
	_, err = db.AdmitLogins(t.Context(), staging, "authenticator", "research_worker")
	require.NoError(t, err, "they are of another database")
	migrate(staging, "staging_serve", "staging_worker")
	migrate(staging, "staging_serve", "staging_worker")
	migrate(strings.Replace(production, "/research", "/research_drill", 1))
	require.NoError(t, db.CheckLogin(t.Context(), production, "authenticator", "another-password"),
		"it connects to its own database only")

	for role, admitted := range map[string]string{
		"authenticator": "research", "research_worker": "research",
		"staging_serve": "staging", "staging_worker": "staging",
	} {
		for _, database := range []string{"research", "staging"} {
			at := strings.Replace(withUser(t, production, role, "password-of-"+role), "/research", "/"+database, 1)
			store, err := db.Open(t.Context(), db.Config{URL: at, MaxConns: 2})
			if database != admitted {
				require.Error(t, err, "%s connects to %s", role, database)
				continue
			}
			require.NoError(t, err, "%s does not connect to %s", role, database)
			store.Close()
		}
	}
}

// adviceOf returns the commands that an error tells an administrator to run.
func adviceOf(t *testing.T, err error) string {
	t.Helper()
	_, advice, found := strings.Cut(err.Error(), "have an administrator run: ")
	require.True(t, found, "%v", err)
	advice, _, _ = strings.Cut(advice, ": denied")
	advice, _, _ = strings.Cut(advice, " (SQLSTATE")
	return advice
}

// What an owner may not do, an administrator does by the commands of the errors.
func TestAdviceToAdministrators(t *testing.T) {
	t.Parallel()
	for _, prepared := range []string{
		"",
		`create role anon noinherit; create role authenticated noinherit; create role service_role noinherit;
			create role authenticator noinherit login; create role research_worker login`,
	} {
		admin, owner := startServer(t)
		admin.Exec(t, `alter role founder nocreaterole`)
		if prepared != "" {
			admin.Exec(t, prepared)
		}
		steps := []func() error{
			func() error { _, err := db.Migrate(t.Context(), owner); return err },
			func() error { return db.EnsureLogin(t.Context(), owner, "authenticator", "first-password") },
			func() error { return db.EnsureLogin(t.Context(), owner, "research_worker", "first-password") },
		}
		for _, step := range steps {
			if err := step(); err != nil {
				admin.Exec(t, adviceOf(t, err))
				require.NoError(t, step())
			}
		}
		for _, role := range []string{"authenticator", "research_worker"} {
			store, err := db.Open(t.Context(), db.Config{URL: withUser(t, owner, role, "first-password"), MaxConns: 2})
			require.NoError(t, err)
			store.Close()
		}
	}
}

func TestMigrateRefusesADatabaseOfAnotherProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ create, message string }{
		{`create schema auth; create table auth.users (id uuid)`, "has schema auth in this database"},
		{`create schema private; create table private.settings (id int)`, "has schema private"},
		{`create table public.projects (id int)`, "has table public.projects"},
		{`create view public.imports as select 1 as id`, "has view public.imports"},
		{`create type public.import_status as enum ('new')`, "has type public.import_status"},
	} {
		d := dbtest.Empty(t)
		d.Exec(t, `create table public.orders (id int)`)
		d.Exec(t, c.create)
		_, err := db.Migrate(t.Context(), d.URL)
		require.ErrorContains(t, err, c.message)
		require.ErrorContains(t, err, "run: create database research")
		require.Contains(t, inspect(t, d.URL).Occupied, c.message)
		require.Zero(t, dbtest.Value[int](t, d, `
			select count(*)::int from pg_proc where pronamespace::regnamespace::text in ('auth', 'private')`),
			"nothing was changed")
	}
	d := dbtest.Empty(t)
	d.Exec(t, `create table public.orders (id int)`)
	_, err := db.Migrate(t.Context(), d.URL)
	require.NoError(t, err, "other tables do not matter")
	require.Empty(t, inspect(t, d.URL).Occupied)
}
