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
