package db_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
	"research/dev"
	"research/dev/devtest"
)

// openDefaults are default privileges as set-up scripts and hosted consoles leave them, in their forms.
const openDefaults = `
	alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
	alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
	alter default privileges in schema public grant all on functions to anon, authenticated, service_role;
	alter default privileges in schema public grant all on types to anon, authenticated, service_role;
	alter default privileges grant all on tables to anon, authenticated, service_role, public;
	alter default privileges grant all on sequences to anon, authenticated, service_role, public;
	alter default privileges grant all on functions to anon, authenticated, service_role, public;
	alter default privileges grant all on types to anon, authenticated, authenticator;
	alter default privileges grant all on schemas to anon, authenticated, public;
	grant all on schema public to public, anon, authenticated, authenticator;`

// widened are changes of a database that give roles more, or less, than the migrations do.
const widened = openDefaults + `
	grant all on all tables in schema public, private, auth to anon, authenticated with grant option;
	grant all on all tables in schema public, private, auth to public;
	grant all on all sequences in schema public, private, auth to anon;
	grant all on all functions in schema public, private, auth to public;
	grant all on type public.import_status to anon;
	grant select (ctid) on public.imports to anon;
	grant create on schema private, auth to authenticated;
	revoke all on public.projects from service_role;
	revoke usage on schema private from authenticated;
	grant anon to current_user;
	set role anon; grant select on public.imports to authenticator; reset role;
	alter function private.add_first_owner() owner to current_user;
	alter function private.add_first_owner() set search_path = public;
	alter function private.add_first_owner() reset search_path;
	alter table public.evidence no force row level security;
	alter table public.projects disable row level security;
	alter policy see on public.projects to public;`

func TestPrivilegesAreThoseOfAPlainDatabase(t *testing.T) {
	t.Parallel()
	plain := privilegesOf(t, dbtest.New(t))

	t.Run("whatever default privileges there are", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Empty(t)
		dbtest.New(t) // the server has the roles
		d.Exec(t, openDefaults)
		_, err := db.Migrate(t.Context(), d.URL)
		require.NoError(t, err)
		require.Equal(t, plain, privilegesOf(t, d))
		require.Zero(t, dbtest.Value[int](t, d, `
			select count(*)::int from pg_default_acl d, aclexplode(d.defaclacl) a
			where a.grantee <> d.defaclrole and not (d.defaclobjtype = 'T' and a.grantee = 0)`))
	})

	t.Run("whatever was granted since", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		d.Exec(t, widened)
		found := inspect(t, d.URL)
		require.Greater(t, len(found.Widenings), 100)
		_, err := db.Migrate(t.Context(), d.URL)
		require.NoError(t, err)
		require.Equal(t, plain, privilegesOf(t, d))
		found = inspect(t, d.URL)
		require.Empty(t, found.Widenings)
		require.Empty(t, found.Gone)
	})

	t.Run("not for what is the operator's", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		reader := "reader_" + strings.TrimPrefix(dbtest.Value[string](t, d, `select current_database()`), "test_")
		d.Exec(t, `create role `+reader+`; grant select on public.imports, public.projects to `+reader)
		t.Cleanup(func() { d.Exec(t, `drop owned by `+reader+`; drop role `+reader) })
		d.Exec(t, `
			create table public.theirs (id int);
			grant select on public.theirs to authenticated;
			create policy theirs on public.projects for select to authenticated using (true)`)
		_, err := db.Migrate(t.Context(), d.URL)
		require.NoError(t, err)
		require.True(t, dbtest.Value[bool](t, d, `
			select has_table_privilege($1, 'public.imports', 'select')
				and has_table_privilege('authenticated', 'public.theirs', 'select')`, reader))
		found := inspect(t, d.URL)
		require.Equal(t, []string{reader + " on table public.imports and 1 more"}, found.ForeignGrants)
		var whats []string
		for _, w := range found.Widenings {
			require.False(t, w.IsSevere, w.What)
			whats = append(whats, w.What)
		}
		require.Equal(t, []string{
			"clients reach table public.theirs without row-level security",
			"the policy theirs on public.projects is not one of the migrations",
		}, whats)
	})
}

// A server of its own for what belongs to a whole server: roles and their memberships.
func TestPrivilegesOfRoles(t *testing.T) {
	t.Parallel()
	admin, owner := startServer(t)
	_, err := db.Migrate(t.Context(), owner)
	require.NoError(t, err)
	requireClean := func() {
		t.Helper()
		require.Empty(t, inspect(t, owner).Widenings)
	}
	isOld := dbtest.Value[int](t, admin, `select current_setting('server_version_num')::int`) < 150000
	if isOld {
		admin.Exec(t, `revoke create on schema public from public`)
	}
	requireClean()

	for _, c := range []struct {
		name, widen, what string
		mayCorrect        bool // the owner may, in some versions
	}{
		{"an attribute", `alter role anon bypassrls`, "anon has BYPASSRLS", false},
		{
			"a membership", `grant pg_read_all_data to authenticated`, "authenticated is a member of pg_read_all_data",
			true,
		},
		{"another of the roles", `grant service_role to anon`, "anon is a member of service_role", true},
		{"a grant by another role", `
			create role other; grant select on public.imports to other with grant option;
			set role other; grant select on public.imports to anon; reset role`,
			"anon has select on table public.imports", false},
		{"an owner", `alter table public.imports owner to other`, "other owns table public.imports", false},
		{
			"a schema of another role",
			`alter schema public owner to other; grant create on schema public to authenticated`,
			"authenticated has create on schema public", false,
		},
	} {
		admin.Exec(t, c.widen)
		_, err := db.Migrate(t.Context(), owner)
		if !c.mayCorrect || err != nil {
			var wide *db.WideningsError
			require.ErrorAs(t, err, &wide, c.name)
			require.Contains(t, err.Error(), c.what)
			_, commands, _ := strings.Cut(err.Error(), "again:\n")
			admin.AsOwner(t, func(conn *pgx.Conn) {
				_, err := conn.PgConn().Exec(t.Context(), commands).ReadAll()
				require.NoError(t, err, commands)
			})
			_, err = db.Migrate(t.Context(), owner)
			require.NoError(t, err, "%s: %s", c.name, commands)
		}
		requireClean()
	}
	admin.Exec(t, `alter role authenticator inherit; alter role authenticator superuser`)
	admin.Exec(t, `grant pg_read_all_data to authenticator; alter role service_role bypassrls`)
	var whats []string
	for _, w := range inspect(t, owner).Widenings {
		whats = append(whats, w.What)
		admin.Exec(t, w.Command)
	}
	require.Contains(t, whats, "authenticator has SUPERUSER")
	require.Contains(t, whats, "service_role has BYPASSRLS")
	require.Contains(t, whats, "authenticator is a member of pg_read_all_data")
	requireClean()
}

// startServer starts a server, and returns its administrator's connection and the URL of an owner who is not
// a superuser.
func startServer(t *testing.T) (admin *dbtest.DB, owner string) {
	t.Helper()
	cluster, adminURL, err := dev.NewPostgres(t.Context(), devtest.OpenFolder(t))
	require.NoError(t, err)
	require.NoError(t, cluster.Start(t.Context()))
	t.Cleanup(cluster.End)
	admin = &dbtest.DB{URL: adminURL}
	admin.Exec(t, `create role founder login createrole createdb password 'founder'`)
	admin.Exec(t, `alter database research owner to founder`)
	return admin, withUser(t, adminURL, "founder", "founder")
}

func withUser(t *testing.T, at, user, password string) string {
	t.Helper()
	u, err := url.Parse(at)
	require.NoError(t, err)
	u.User = url.UserPassword(user, password)
	return u.String()
}

func inspect(t *testing.T, url string) db.Inspection {
	t.Helper()
	found, err := db.Inspect(t.Context(), url)
	require.NoError(t, err)
	return found
}

func privilegesOf(t *testing.T, d *dbtest.DB) (lines []string) {
	t.Helper()
	d.AsOwner(t, func(c *pgx.Conn) {
		var err error
		lines, err = db.DescribePrivileges(t.Context(), c)
		require.NoError(t, err)
	})
	return lines
}
