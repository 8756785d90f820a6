package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A drillReport is what `research drill --json` prints, as far as it is compared.
type drillReport struct {
	Imports struct {
		Continued, Started int
		Ended              map[string]int
	}
	Digests struct{ Due, Sent int }
	Tables  []struct {
		Table                          string
		Rows, Lost, Reverted, Returned int
	}
}

// The drill forecasts what a restore does, and leaves nothing behind.
func TestDrill(t *testing.T) {
	t.Parallel()
	model := newHeldModel(t)
	s := startService(t, model.settings()...)
	editor := s.signIn(t, s.Editor)
	folder := t.TempDir()
	_, err := s.command(t, "drill", folder)
	require.ErrorContains(t, err, "has no backup")

	s.Exec(t, `delete from activity_events`)
	ended, goesOn := s.addHeld(t, model, editor, "case-ended"), s.addHeld(t, model, editor, "case-goes-on")
	neverStarted := s.addHeld(t, model, editor, "case-never-started")
	ended.parseFirstChunk(t)
	goesOn.parseFirstChunk(t)
	neverStarted.claim(t)
	neverStarted.makeClaimOverdue(t)
	s.setDigestFrequency(t, "off", s.Owner, s.Admin, s.Editor) // on a Monday, yesterday was of the last week
	s.setDigestFrequency(t, "daily", s.Viewer)
	s.moveEventsToYesterday(t)
	s.mustCommand(t, "backup", folder)

	// What happens after the backup.
	ended.release(t)
	require.Equal(t, 1, s.sendDigests(t, "daily"))
	s.add(t, editor, "later.vtt", []byte(zoom))
	s.Exec(t, `update digest_preferences set frequency = 'off' where user_id = $1`, s.Viewer)
	s.Exec(t, `delete from workspace_members where user_id = $1`, s.Admin)

	var report drillReport
	eventually(t, "the drill succeeds", func() bool { // Temporal may answer late while the machine is busy
		out, err := s.command(t, "drill", folder, "--json")
		if err == nil {
			require.NoError(t, json.Unmarshal([]byte(out), &report))
		}
		return err == nil
	})
	require.Equal(t, 1, report.Imports.Continued)
	require.Equal(t, 1, report.Imports.Started)
	require.Equal(t, map[string]int{"internal": 1}, report.Imports.Ended)
	require.Equal(t, 1, report.Digests.Due)
	require.Equal(t, 1, report.Digests.Sent)
	for _, table := range report.Tables {
		switch table.Table {
		case "public.imports":
			require.Equal(t, 3, table.Rows)
			require.Equal(t, 1, table.Lost)
		case "public.digest_preferences":
			require.Equal(t, 1, table.Reverted)
		case "public.workspace_members":
			require.Equal(t, 1, table.Returned)
		}
	}
	text := s.mustCommand(t, "drill", folder)
	require.Regexp(t, `open imports +1 would go on, 1 would be started, 1 would be ended`, text)
	require.Regexp(t, `digests +1 would be sent, of which 1 were sent already`, text)

	require.Zero(t, dbtest.Value[int](t, s.DB,
		`select count(*)::int from pg_database where datname = current_database() || '_drill'`))
	require.Equal(t, "queued", neverStarted.status(t), "nothing was started")
	goesOn.release(t)
}
