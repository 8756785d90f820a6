package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/temporalclient"
	"research/workflows"
)

// sendDigests calls the digest endpoint as a scheduler does, again where the answer asks for it, and returns
// how many digests were sent meanwhile. If a request is repeated, an earlier run may have sent them.
func (s *service) sendDigests(t *testing.T, frequency string) (sent int) {
	t.Helper()
	countSent := func() int {
		return dbtest.Value[int](t, s.DB, `
			select count(*) from digest_deliveries where frequency = $1::digest_frequency
			and status = 'sent'`, frequency)
	}
	before, requests := countSent(), 0
	var answer map[string]any
	eventually(t, "the digests are sent", func() bool {
		requests++
		var status int
		path := "/api/notifications/digest?frequency=" + frequency
		status, answer = s.request(t, http.MethodPost, path, cronSecret, "", nil)
		if status == http.StatusServiceUnavailable || status == http.StatusAccepted {
			return false
		}
		require.Equal(t, http.StatusOK, status, "%v", answer)
		return true
	})
	require.Equal(t, true, answer["ok"])
	require.Equal(t, frequency, answer["frequency"])
	sent = countSent() - before
	if requests == 1 {
		require.EqualValues(t, sent, answer["sent"])
	}
	return sent
}

// noonZone returns a time zone in which it is between twelve and one o'clock, so that no day ends during a
// test.
func noonZone(now time.Time) string {
	return fmt.Sprintf("Etc/GMT%+d", now.UTC().Hour()-12) // its sign is that of POSIX
}

// moveEventsToYesterday dates everything that has happened so far to noon of the day before.
func (s *service) moveEventsToYesterday(t *testing.T) {
	t.Helper()
	s.Exec(t, `update activity_events set occurred_at = date_trunc('day', now(), $1) - interval '12 hours'`,
		s.zone)
}

func (s *service) setDigestFrequency(t *testing.T, frequency string, users ...uuid.UUID) {
	t.Helper()
	s.Exec(t, `update digest_preferences set frequency = $1::digest_setting where user_id = any ($2)`,
		frequency, users)
}

func TestFromUploadToOneDigest(t *testing.T) {
	t.Parallel()
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)
	id := s.add(t, editor, "talk.txt", []byte("Dana: Closing the books took us four days last month.\n\n"+
		"Omar: And why?\n\nDana: Receipts were missing, <b>as always</b>.\n"))
	s.startParse(t, editor, id, h)
	s.waitForStatus(t, editor, id, "parsed")

	s.setDigestFrequency(t, "daily", s.Editor, s.Viewer)
	require.Zero(t, s.sendDigests(t, "daily"), "the day is not over")
	s.moveEventsToYesterday(t)

	// Two requests at the same time share a run.
	s.stopWorker()
	starter := temporalclient.New(s.temporal, timeout)
	first, err := starter.SendDigests(t.Context(), workflows.Daily)
	require.NoError(t, err)
	second, err := starter.SendDigests(t.Context(), workflows.Daily)
	require.NoError(t, err)
	require.Equal(t, first.RunID, second.RunID)
	s.startWorker(t)
	for _, run := range []temporalclient.DigestRun{first, second} {
		result, err := run.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, result.Sent)
		require.Equal(t, 2, result.Planned)
		require.Zero(t, result.Open)
	}
	require.Zero(t, s.sendDigests(t, "daily"), "a later request sends nothing")
	history := s.historyText(t, first.WorkflowID, first.RunID)
	for _, private := range []string{"four days", "Dana", s.email(t, s.Viewer)} {
		require.NotContains(t, history, private)
	}

	mails := s.receivedMails(t)
	require.Len(t, mails, 2)
	viewer := mails[s.email(t, s.Viewer)]
	require.Len(t, viewer, 1)
	require.Contains(t, viewer[0].text, "Closing the books took us four days last month.")
	require.Contains(t, viewer[0].text, "Dana")
	require.Contains(t, viewer[0].text, s.url()+"/imports/"+id)
}

// Members set their digest through the data API. The next digest obeys, and so does the one after the link at
// its end.
func TestDigestPreferences(t *testing.T) {
	t.Parallel()
	s := startService(t)
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	change := func(token string, user uuid.UUID, body string) (status int) {
		path := "/rest/v1/digest_preferences?user_id=eq." + user.String()
		status, _ = s.request(t, http.MethodPatch, path, token, "application/json", []byte(body))
		return status
	}
	frequency := func(user uuid.UUID) string {
		query := `select frequency::text from digest_preferences where user_id = $1`
		return dbtest.Value[string](t, s.DB, query, user)
	}
	require.Equal(t, "weekly", frequency(s.Viewer), "DIGEST_DEFAULT_FREQUENCY applies")
	s.setDigestFrequency(t, "off", s.Owner, s.Admin)
	require.Equal(t, http.StatusNoContent,
		change(viewer, s.Viewer, fmt.Sprintf(`{"frequency": "daily", "timezone": %q}`, s.zone)))
	require.Equal(t, http.StatusNoContent, change(editor, s.Editor, `{"frequency": "daily"}`))
	change(editor, s.Viewer, `{"frequency": "off"}`)
	require.Equal(t, "daily", frequency(s.Viewer), "members cannot change the preferences of others")
	for _, invalid := range []string{
		`{"timezone": "Europe/Nowhere"}`, `{"hour": 24}`, `{"weekday": 0}`, `{"frequency": "hourly"}`,
	} {
		require.Equal(t, http.StatusBadRequest, change(viewer, s.Viewer, invalid), invalid)
	}

	s.Exec(t, `update activity_events set occurred_at = now() - interval '60 days'`)
	require.Zero(t, s.sendDigests(t, "daily"), "a quiet day")
	require.Zero(t, s.sendDigests(t, "weekly"), "a quiet week")
	status, _ := s.post(t, "/rest/v1/hypotheses", editor,
		map[string]any{"project_id": s.Project, "statement": "Closing the books takes days"})
	require.Equal(t, http.StatusCreated, status)
	s.Exec(t, `update activity_events set occurred_at = date_trunc('day', now(), $1) - interval '12 hours'
		where occurred_at > now() - interval '30 days'`, s.zone)
	require.Equal(t, 1, s.sendDigests(t, "daily"), "the editor is not told of the editor's own work")
	all := s.receivedMails(t)
	require.Len(t, all, 1)
	mails := all[s.email(t, s.Viewer)]
	require.Len(t, mails, 1)

	link := strings.Trim(mails[0].header.Get("List-Unsubscribe"), "<>")
	require.Equal(t, "List-Unsubscribe=One-Click", mails[0].header.Get("List-Unsubscribe-Post"))
	require.Contains(t, mails[0].text, link)
	for _, visit := range []struct{ method, frequencyAfter string }{
		{http.MethodGet, "daily"}, {http.MethodPost, "off"},
	} {
		body := strings.NewReader("List-Unsubscribe=One-Click")
		r, err := http.NewRequestWithContext(t.Context(), visit.method, link, body)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, visit.frequencyAfter, frequency(s.Viewer), visit.method)
	}
	require.Regexp(t, `"msg":"unsubscribed from digests".*"user_id":"`+s.Viewer.String()+`"`, s.logs.String(),
		"restore-fence needs the id")
	s.Exec(t, `delete from digest_deliveries`)
	require.Zero(t, s.sendDigests(t, "daily"))
}
