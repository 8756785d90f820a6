package cli

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/config"
	"research/db/dbtest"
)

func TestDoctorNamesImportsThatCannotMove(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	examine := func() []finding {
		check := &doctor{cfg: config.Config{Parse: config.Parse{ReconcileInterval: time.Second}}}
		check.checkImports(t.Context(), d.Store)
		return check.findings
	}
	require.Equal(t, []finding{
		{"imports", stateOK, "none is kept from moving", ""},
		{"reconciler", stateOK, "compares the open imports with their runs", ""},
	}, examine())

	first := uuid.New()
	for i, id := range []uuid.UUID{first, uuid.New()} {
		d.Exec(t, `
			insert into imports (id, workspace_id, project_id, title, format, size_bytes, sha256, status,
				waiting_reason, queued_at)
			values ($1, $2, $3, 'I', 'vtt', 1, '', 'parsing', 'no_worker_of_version', now() + $4 * interval '1 s')`,
			id, n.Workspace, n.Project, i)
	}
	found := examine()[0]
	require.Equal(t, stateFail, found.State)
	require.Equal(t, "2 open on a worker version without workers, the first is "+first.String(), found.Found)
	require.Contains(t, found.Do, "--workflow-id import-"+first.String())

	claim := uuid.New()
	d.Exec(t, `update imports set claim_id = $2 where id = $1`, first, claim)
	d.Exec(t, `insert into private.import_runs (claim_id, import_id, seen_at)
		values ($1, $2, now() - interval '90 seconds')`, claim, first)
	found = examine()[1]
	require.Equal(t, stateFail, found.State)
	require.Equal(t, "an open import was not compared with its run for 1m30s", found.Found)
	d.Exec(t, `update private.import_runs set seen_at = to_timestamp(0)`)
	require.Equal(t, stateOK, examine()[1].State, "a suspected run is compared next")
}
