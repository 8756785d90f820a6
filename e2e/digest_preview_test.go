package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestMembersPreviewTheirDigest(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.Exec(t, `delete from activity_events`)
	s.setDigestFrequency(t, "daily", s.Viewer)
	viewer := s.signIn(t, s.Viewer)
	preview := func(method, query string) (status int, answer map[string]any) {
		t.Helper()
		return s.request(t, method, "/api/notifications/digest/preview"+query, viewer, "", nil)
	}
	address := s.email(t, s.Viewer)

	status, answer := preview(http.MethodGet, "?frequency=daily")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, true, answer["empty"])
	status, answer = preview(http.MethodPost, "?frequency=daily")
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "nothing_new", answer["error"])
	for _, wrong := range []string{"", "?frequency=hourly", "?frequency=daily&frequency=daily"} {
		status, _ = preview(http.MethodGet, wrong)
		require.Equal(t, http.StatusBadRequest, status, wrong)
	}

	s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	s.moveEventsToYesterday(t)
	status, answer = preview(http.MethodGet, "?frequency=daily")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, false, answer["empty"])
	require.Equal(t, true, answer["mailable"])
	require.Nil(t, answer["obstacle"])
	require.NotEmpty(t, answer["subject"])
	require.Contains(t, answer["text"], "Closing the books takes days")
	require.Contains(t, answer["html"], "Closing the books takes days")
	_, answer = preview(http.MethodGet, "?frequency=weekly")
	require.Equal(t, "unsubscribed", answer["obstacle"])

	s.Exec(t, `insert into private.mail_refusals (address, code, suppressed_at, suppressed_by)
		values (lower($1), 550, now(), 'hard_bounce')`, address)
	_, answer = preview(http.MethodGet, "?frequency=daily")
	require.Equal(t, false, answer["mailable"])
	status, answer = preview(http.MethodPost, "?frequency=daily")
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "not_mailable", answer["error"])
	s.Exec(t, `delete from private.mail_refusals`)

	eventually(t, "the preview is accepted", func() bool {
		status, _ = preview(http.MethodPost, "?frequency=daily")
		return status == http.StatusAccepted
	})
	eventually(t, "the preview is mailed", func() bool { return len(s.receivedMails(t)[address]) > 0 })
	mail := s.receivedMails(t)[address][0]
	require.Contains(t, mail.header.Get("Subject"), "Preview: ")
	require.Contains(t, mail.text, "Closing the books takes days")
	eventually(t, "a second preview has to wait", func() bool { // unless the interval just ended
		status, answer = preview(http.MethodPost, "?frequency=daily")
		return status == http.StatusTooManyRequests && answer["error"] == "preview_sent"
	})

	require.Zero(t, dbtest.Value[int](t, s.DB, `select count(*) from digest_deliveries`))
	require.Equal(t, 1, s.sendDigests(t, "daily"), "the digest itself is still sent")
}
