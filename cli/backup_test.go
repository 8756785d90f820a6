package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestBackupAndRestoreCommands(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Tenant(t)
	folder := filepath.Join(t.TempDir(), "backups")
	settings := databaseSettings(d)
	r := run(t, settings, "", "backup", folder)
	require.Zero(t, r.code, r.stderr)
	path := strings.TrimSpace(r.stdout)
	require.Regexp(t, `/research-\d{8}T\d{6}Z\.dump$`, path)
	require.Less(t, dbtest.Value[float64](t, d, `select extract(epoch from now() - value::timestamptz)::float8
		from private.settings where name = 'last_backup_at'`), 600., "the database knows its last backup")

	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	t.Cleanup(func() { d.Exec(t, "drop database "+name+" with (force)") })
	target := []string{"DATABASE_URL=" + d.URL[:strings.LastIndex(d.URL, "/")+1] + name}
	r = run(t, target, "", "restore", path)
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, `^restored in \S+: the state of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ
migrations: all applied

Before you start serve and worker on this database:
  research restore-fence --since \S+
  research doctor
$`, r.stdout)

	for name, tt := range map[string]struct {
		settings []string
		args     []string
		stderr   string
	}{
		"a database with contents": {target, []string{"restore", path}, "the database is not empty"},
		"a file that is missing":   {target, []string{"restore", path + "x"}, "no such file"},
		"a drill without Temporal": {settings, []string{"drill", folder}, "TEMPORAL_ADDRESS is missing"},
		"no database":              {nil, []string{"backup", folder}, "DATABASE_URL is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, tt.settings, "", tt.args...)
			require.NotZero(t, r.code)
			require.Contains(t, r.stderr, tt.stderr)
			require.Empty(t, r.stdout)
		})
	}
}
