package backup_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/backup"
	"research/db/dbtest"
	"research/dev"
)

func tools() backup.Tools {
	return backup.Tools{Folders: append([]string{""}, dev.PostgresFolders()...)}
}

// atDatabase returns the URL of another database of a server, as another login if user is not empty.
func atDatabase(t *testing.T, server, user, name string) string {
	t.Helper()
	u, err := url.Parse(server)
	require.NoError(t, err)
	u.Path = "/" + name
	if user != "" {
		u.User = url.UserPassword(user, "secret")
	}
	return u.String()
}

// unusedDatabase returns the URL of a database that does not exist. It is dropped when the test ends.
func unusedDatabase(t *testing.T) *dbtest.DB {
	t.Helper()
	server := dbtest.ServerURL(t)
	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	t.Cleanup(func() { onServer(t, "drop database if exists "+name+" with (force)") })
	return &dbtest.DB{URL: atDatabase(t, server, "", name)}
}

// onServer executes statements as the superuser of the server.
func onServer(t *testing.T, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dbtest.ServerURL(t))
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for _, statement := range statements {
		_, err := conn.Exec(context.Background(), statement)
		require.NoError(t, err, statement)
	}
}

// schemaSQL describes everything that migrations create, one object a line, in which OWNER is the owner of
// the database.
const schemaSQL = `
	with owner as (
		select datdba as oid, rolname as name from pg_database join pg_roles on pg_roles.oid = datdba
		where datname = current_database()
	), objects as (
		select concat_ws(' ', 'function', p.oid::regprocedure, md5(p.prosrc), p.prosecdef, p.proconfig)
				as description,
			p.proowner as owner, coalesce(p.proacl, acldefault('f', p.proowner)) as acl, p.pronamespace as n
		from pg_proc p
		union all
		select concat_ws(' ', 'relation', c.relkind, c.oid::regclass, c.relrowsecurity, c.relforcerowsecurity),
			c.relowner,
			coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner)),
			c.relnamespace
		from pg_class c where c.relkind <> 'c'
		union all
		select concat_ws(' ', 'column', a.attrelid::regclass, a.attname,
				format_type(a.atttypid, a.atttypmod), a.attnotnull), c.relowner, a.attacl, c.relnamespace
		from pg_attribute a join pg_class c on c.oid = a.attrelid
		where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'v')
		union all
		select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid, true)),
			null, null,
			connamespace
		from pg_constraint
		union all
		select concat_ws(' ', 'trigger', pg_get_triggerdef(g.oid, true)), null,
			null, c.relnamespace
		from pg_trigger g join pg_class c on c.oid = g.tgrelid where not g.tgisinternal
		union all
		select concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid, 0, true)), null,
			null, c.relnamespace
		from pg_index i join pg_class c on c.oid = i.indrelid
		union all
		select concat_ws(' ', 'policy', polname, polrelid::regclass, polcmd, polpermissive, polroles::regrole[],
			pg_get_expr(polqual, polrelid, true), pg_get_expr(polwithcheck, polrelid, true)), null,
			null, c.relnamespace
		from pg_policy join pg_class c on c.oid = polrelid
		union all
		select concat_ws(' ', 'schema', nspname), nspowner, coalesce(nspacl, acldefault('n', nspowner)), oid
		from pg_namespace
		union all
		select concat_ws(' ', 'default privileges', defaclobjtype), defaclrole, defaclacl, 'public'::regnamespace
		from pg_default_acl
	)
	select string_agg(line, e'\n' order by line)
	from (
		select replace(concat_ws(' ', description, 'owner ' || o.owner::regrole::text, (
			select string_agg(concat(a.grantee::regrole, '=', a.privilege_type, a.is_grantable), ' '
				order by a.grantee::regrole::text, a.privilege_type)
			from aclexplode(o.acl) a)), owner.name, 'OWNER') as line
		from objects o cross join owner
		where o.n in (select oid from pg_namespace where nspname in ('public', 'auth', 'private'))
	) lines`

func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	hypothesis := d.Hypothesis(t, n, "Closing the books takes days")
	folder := filepath.Join(t.TempDir(), "backups")
	before := time.Now().Truncate(time.Second)
	path, err := backup.Create(t.Context(), tools(), d.URL, folder)
	require.NoError(t, err)
	after := time.Now()
	for _, file := range []string{path, path + ".sha256"} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "a backup has password hashes")
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 2, "no partial file is left")

	target := unusedDatabase(t)
	restored, err := backup.Restore(t.Context(), tools(), path, target.URL, 2)
	require.NoError(t, err)
	require.True(t, restored.Created)
	require.Zero(t, restored.Migrations)
	require.WithinRange(t, restored.TakenAt, before, after)
	require.Equal(t, dbtest.Value[string](t, d, schemaSQL), dbtest.Value[string](t, target, schemaSQL))
	differences, err := backup.Compare(t.Context(), target.URL, d.URL)
	require.NoError(t, err)
	for _, difference := range differences {
		require.Zero(t, difference.Lost+difference.Reverted+difference.Returned, difference)
	}

	store, err := db.Open(t.Context(), db.Config{URL: target.URL})
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, store.AsUser(t.Context(), db.User(n.Owner), func(q *db.Queries) error {
		_, err := q.GetProject(t.Context(), n.Project)
		return err
	}))

	t.Run("a database with contents is refused", func(t *testing.T) {
		_, err := backup.Restore(t.Context(), tools(), path, target.URL, 1)
		require.ErrorIs(t, err, backup.ErrNotEmpty)
	})

	t.Run("what differs is counted", func(t *testing.T) {
		d.Hypothesis(t, n, "Added since")
		d.Exec(t, `update hypotheses set statement = 'Changed since' where id = $1`, hypothesis)
		d.Exec(t, `delete from workspace_members where user_id = $1`, n.Viewer)
		differences, err := backup.Compare(t.Context(), target.URL, d.URL)
		require.NoError(t, err)
		require.Contains(t, differences,
			backup.Difference{Table: "public.hypotheses", Rows: 1, Lost: 1, Reverted: 1})
		require.Contains(t, differences,
			backup.Difference{Table: "public.workspace_members", Rows: 4, Returned: 1})
	})

	t.Run("a damaged backup is refused, and leaves no database", func(t *testing.T) {
		damaged := filepath.Join(t.TempDir(), filepath.Base(path))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		sum, err := os.ReadFile(path + ".sha256")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(damaged, content[:len(content)/2], 0o600))
		nowhere := unusedDatabase(t)
		_, err = backup.Restore(t.Context(), tools(), damaged, nowhere.URL, 1)
		require.ErrorContains(t, err, "pg_restore failed")
		require.NoError(t, os.WriteFile(damaged+".sha256", sum, 0o600))
		_, err = backup.Restore(t.Context(), tools(), damaged, nowhere.URL, 1)
		require.ErrorContains(t, err, "its checksum is not the one in")
		_, err = pgx.Connect(t.Context(), nowhere.URL)
		require.ErrorContains(t, err, "does not exist")
	})
}

// On a managed PostgreSQL nobody is a superuser, and the login of a new server may have another name.
func TestBackupAndRestoreNeedNoSuperuser(t *testing.T) {
	t.Parallel()
	_ = dbtest.New(t) // the template has created the roles
	tag := strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	owner, other, plain := "owner_"+tag, "other_"+tag, "plain_"+tag
	source, target := "test_source_"+tag, "test_target_"+tag
	t.Cleanup(func() {
		for _, name := range []string{source, target} {
			onServer(t, "drop database if exists "+name+" with (force)")
		}
		for _, role := range []string{owner, other, plain} {
			onServer(t, "drop owned by "+role, "drop role "+role)
		}
	})
	for _, role := range []string{owner, other} {
		onServer(t, "create role "+role+" login createrole createdb password 'secret'",
			"grant anon, authenticated, service_role, authenticator to "+role+" with admin option")
	}
	onServer(t, "create database "+source+" owner "+owner, "create role "+plain+" login password 'secret'")
	from := &dbtest.DB{URL: atDatabase(t, dbtest.ServerURL(t), owner, source)}
	to := &dbtest.DB{URL: atDatabase(t, dbtest.ServerURL(t), other, target)}
	_, err := db.Migrate(t.Context(), from.URL)
	require.NoError(t, err)
	from.Tenant(t)
	from.Exec(t, "delete from workspaces where id = $1", from.Tenant(t).Workspace)

	path, err := backup.Create(t.Context(), tools(), from.URL, t.TempDir())
	require.NoError(t, err)
	_, err = backup.Restore(t.Context(), tools(), path, to.URL, 4)
	require.NoError(t, err)
	require.Equal(t, dbtest.Value[string](t, from, schemaSQL), dbtest.Value[string](t, to, schemaSQL))
	differences, err := backup.Compare(t.Context(), to.URL, from.URL)
	require.NoError(t, err)
	require.Contains(t, differences, backup.Difference{Table: "public.workspace_members", Rows: 4})

	t.Run("what is marked deleted is in the backup, and counts as absent", func(t *testing.T) {
		require.Equal(t, 1, dbtest.Value[int](t, to, "select count(*) from private.deletions"))
		require.Equal(t, 2, dbtest.Value[int](t, to, "select count(*) from projects"))
		require.Contains(t, differences, backup.Difference{Table: "public.workspaces", Rows: 1})
		require.Contains(t, differences, backup.Difference{Table: "public.projects", Rows: 1})
	})

	t.Run("a login from which policies hide rows is refused", func(t *testing.T) {
		_, err := backup.Create(t.Context(), tools(), atDatabase(t, from.URL, plain, source), t.TempDir())
		require.ErrorContains(t, err, "row-level security hides rows of ")
	})
}

func TestMissingBinaries(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	server, err := db.Inspect(t.Context(), d.URL)
	require.NoError(t, err)
	major := strconv.Itoa(server.Number / 10000)
	folder := t.TempDir()
	_, err = backup.Create(t.Context(), backup.Tools{Folders: []string{folder}}, d.URL, t.TempDir())
	require.ErrorContains(t, err, "the server is PostgreSQL "+major+" and needs pg_dump of version "+major+
		" (none is installed): install it (Debian: apt-get install postgresql-client-"+major)

	old := "#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "pg_dump"), []byte(old), 0o700))
	_, err = backup.Create(t.Context(), backup.Tools{Folders: []string{folder}}, d.URL, t.TempDir())
	require.ErrorContains(t, err, "(installed: 9)")
}

func TestOldBackupsAreDeleted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := []string{
		"research-20260101T030000Z.dump", "research-20260102T030000Z.dump", "research-20260103T030000Z.dump",
	}
	for _, name := range append(names, "other.dump") {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".sha256"), nil, 0o600))
	}
	deleted, err := backup.Prune(folder, 2)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(folder, names[0])}, deleted)
	require.NoFileExists(t, filepath.Join(folder, names[0]+".sha256"))
	require.FileExists(t, filepath.Join(folder, "other.dump"), "it is not ours")
	left, err := backup.List(folder)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(folder, names[2]), filepath.Join(folder, names[1])}, left)
}
