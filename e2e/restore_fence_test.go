package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"research/db/dbtest"
	"research/workflows"
)

// tick has the schedule of daily digests start a run, and returns its result.
func (s *service) tick(t *testing.T) (result workflows.PlanDigestsResult) {
	t.Helper()
	schedule := s.temporal.ScheduleClient().GetHandle(t.Context(), "digest-daily")
	runs := func() []client.ScheduleActionResult {
		described, err := schedule.Describe(t.Context())
		if err != nil {
			return nil
		}
		return described.Info.RecentActions
	}
	before := len(runs())
	eventually(t, "the schedule is triggered", func() bool {
		return schedule.Trigger(t.Context(), client.ScheduleTriggerOptions{}) == nil
	})
	eventually(t, "the tick has planned", func() bool {
		all := runs()
		if len(all) <= before {
			return false
		}
		id := all[len(all)-1].StartWorkflowResult.WorkflowID
		run, err := s.temporal.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil || run.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED {
			return false
		}
		return s.temporal.GetWorkflow(t.Context(), id, "").Get(t.Context(), &result) == nil
	})
	return result
}

func TestARestoredDatabaseMailsNobodyTwice(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.Exec(t, `delete from activity_events`)
	s.setDigestFrequency(t, "daily", s.Viewer, s.Editor)
	s.setDigestFrequency(t, "off", s.Owner, s.Admin)
	s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	s.moveEventsToYesterday(t)
	s.tick(t)
	backup := dbtest.Value[time.Time](t, s.DB, `select seen_at from private.digest_fence`)
	require.Equal(t, 2, s.sendDigests(t, "daily"))
	require.False(t, s.tick(t).Held)
	require.NotContains(t, s.mustCommand(t, "digest", "status"), "held")
	eventually(t, "nothing works on digests", func() bool {
		run, err := s.temporal.DescribeWorkflowExecution(t.Context(), workflows.DeliverDigestsWorkflowID, "")
		return err == nil &&
			run.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})

	// What a copy of the files knows that was made before the digests were sent.
	s.Exec(t, `delete from digest_deliveries`)
	s.Exec(t, `update private.digest_fence set seen_at = $1`, backup)
	const path = "/api/notifications/digest?frequency=daily"
	status, answer := s.request(t, http.MethodPost, path, cronSecret, "", nil)
	require.Equal(t, http.StatusServiceUnavailable, status, "the first request after the restore is held")
	require.Equal(t, "digests_held", answer["error"])
	require.True(t, s.tick(t).Held)
	require.Contains(t, s.mustCommand(t, "digest", "status"), "held: the database was restored")
	s.waitForFinding(t, finding{Check: "digests", State: "FAIL", Found: "held"})

	out := s.mustCommand(t, "restore-fence", "--since", backup.Format(time.RFC3339))
	require.Regexp(t, `uncertain: +2 digests`, out)
	require.Regexp(t, `paused: +2 members`, out)
	require.False(t, s.tick(t).Held)
	require.Zero(t, s.sendDigests(t, "daily"))
	require.Regexp(t, `daily +\S+ +uncertain +restored +2`, s.mustCommand(t, "digest", "status"))

	list := filepath.Join(t.TempDir(), "unsubscribed.txt")
	require.NoError(t, os.WriteFile(list, []byte(s.Viewer.String()+"\n\n"), 0o600))
	out = s.mustCommand(t, "restore-fence", "--since", backup.Format(time.RFC3339), "--unsubscribed", list)
	require.Regexp(t, `unsubscribed: 1 members`, out)
	require.Regexp(t, `resumed: +2 members`, out)
	require.NoError(t, os.WriteFile(list, []byte(s.email(t, s.Viewer)), 0o600))
	_, err := s.command(t, "restore-fence", "--since", backup.Format(time.RFC3339), "--unsubscribed", list)
	require.ErrorContains(t, err, "line 1 is not a user id")
	require.Zero(t, s.sendDigests(t, "daily"))
	for address, mails := range s.receivedMails(t) {
		require.Len(t, mails, 1, address)
	}
}
