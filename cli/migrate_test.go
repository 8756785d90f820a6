package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	empty := dbtest.Empty(t)
	settings := []string{"DATABASE_URL=" + empty.URL}
	r := run(t, settings, "", "migrate")
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, `^applied 0001_roles\.sql\n(applied \d{4}_\w+\.sql\n)+$`, r.stdout)
	r = run(t, settings, "", "migrate")
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, "nothing to apply\n", r.stdout)

	t.Run("no command uses a database of an older state", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		d.Exec(t, `alter table private.migrations drop column checksum`)
		for _, args := range [][]string{{"migrate"}, {"user", "list"}, {"keys", "list"}} {
			r := run(t, databaseSettings(d), "", args...)
			require.Equal(t, 1, r.code, args)
			require.Equal(t, "research: the database was made by a version before 1.0.0 or by a "+
				"development build: restore a backup of a release, or start over with an empty database\n",
				r.stderr, args)
		}
	})
}
