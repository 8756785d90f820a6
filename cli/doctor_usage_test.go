package cli

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/config"
	"research/db"
	"research/db/dbtest"
)

func TestDoctorNamesTheLargestConsumers(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	small, large := d.Tenant(t), d.Tenant(t)
	for n, amount := range map[uuid.UUID]int{small.Workspace: 10, large.Workspace: 85, large.Owner: 95} {
		d.Exec(t, `insert into private.daily_usage (subject, day, uploads, tokens)
			values ($1, (now() at time zone 'UTC')::date, 1, $2)`, n, amount)
	}
	d.Exec(t, `insert into imports (project_id, title, format, size_bytes, stored_bytes, sha256)
		values ($1, 'a', 'text', 1, 500, ''), ($1, 'b', 'text', 1, 500, '')`, small.Project)

	check := &doctor{cfg: config.Config{Quotas: config.Quotas{WorkspaceTokensPerDay: 100}}}
	check.checkUsage(t.Context(), d.Store)
	require.Len(t, check.findings, 3)
	require.Equal(t, finding{
		"usage", stateOK, "1000 bytes of transcripts; most by " + small.Workspace.String() + ": 1000", "",
	}, check.findings[0])
	require.Equal(t, stateOK, check.findings[1].State)
	require.Contains(t, check.findings[1].Found, "2 uploads today; most by ")
	require.Equal(t, stateWarn, check.findings[2].State)
	require.Equal(t, "95 tokens today; most by "+large.Workspace.String()+": 85, "+small.Workspace.String()+
		": 10, of at most 100", check.findings[2].Found)
	require.Contains(t, check.findings[2].Do, "WORKSPACE_TOKENS_PER_DAY")

	empty := &doctor{}
	empty.reportUsage([]db.ListConsumersRow{})
	require.Empty(t, empty.findings)
}
