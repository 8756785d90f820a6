package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestDigestCommand(t *testing.T) {
	t.Parallel()
	s := startService(t)
	viewer := s.email(t, s.Viewer)
	delivery := func() string {
		query := `select concat_ws(' ', status, attempts) from digest_deliveries where user_id = $1`
		return dbtest.Value[string](t, s.DB, query, s.Viewer)
	}

	s.Exec(t, `delete from activity_events`)
	s.setDigestFrequency(t, "daily", s.Viewer)
	preview := func(args ...string) string {
		t.Helper()
		return s.mustCommand(t, append([]string{"digest", "preview"}, args...)...)
	}
	require.Contains(t, preview(viewer, "--frequency", "daily"), "Nothing worth a mail happened.")
	s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	s.moveEventsToYesterday(t)
	text := preview(s.Viewer.String(), "--frequency", "daily")
	require.Contains(t, text, viewer)
	require.Contains(t, text, "Closing the books takes days")
	require.NotContains(t, text, "Obstacle")
	require.Contains(t, preview(viewer, "--frequency", "weekly"), "Obstacle: unsubscribed: it would not be sent")
	require.Contains(t, preview(viewer, "--frequency", "daily", "--at", "2026-01-01T08:00:00Z"),
		"Nothing worth a mail happened.")
	page := filepath.Join(t.TempDir(), "digest.html")
	preview(viewer, "--frequency", "daily", "--html", page)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(html), "Closing the books takes days")
	require.Empty(t, s.receivedMails(t), "a preview is not sent")

	// Temporal may answer late while the machine is busy: commands that need it are repeated.
	var run string
	attempts := 0
	eventually(t, "the digests are sent", func() bool {
		attempts++
		run, err = s.command(t, "digest", "run", "daily")
		return err == nil
	})
	if attempts == 1 { // otherwise an earlier run may have sent it
		require.Contains(t, run, "sent:      1")
	}
	require.Zero(t, s.sendDigests(t, "daily"))
	require.Regexp(t, `daily +\d{4}-\d\d-\d\d +sent +- +1`, s.mustCommand(t, "digest", "status"))

	id := dbtest.Value[string](t, s.DB, `select id::text from digest_deliveries where user_id = $1`, s.Viewer)
	_, err = s.command(t, "digest", "resend", id)
	require.ErrorContains(t, err, "--force")
	eventually(t, "the digest is planned again", func() bool {
		_, err := s.command(t, "digest", "resend", id, "--force")
		return err == nil
	})
	eventually(t, "the digest is sent again", func() bool { return delivery() == "sent 2" })
	mails := s.receivedMails(t)[viewer]
	require.Len(t, mails, 2)
	require.Equal(t, mails[0].header.Get("Message-ID"), mails[1].header.Get("Message-ID"),
		"mail programs may recognize the same mail")

	s.Exec(t, `update digest_deliveries set status = 'failed', reason = 'refused_550: 5.1.1 no such user'`)
	s.Exec(t, `insert into private.mail_refusals (address, code, refusals, suppressed_at)
		values (lower($1), 550, 3, now())`, viewer)
	status := s.mustCommand(t, "digest", "status")
	require.Contains(t, status, id)
	require.Regexp(t, `failed +refused_550 +1\n`, status, "periods are summarized by the code")
	require.Regexp(t, `failed +refused_550: 5\.1\.1 no such user +`, status, "a delivery quotes the server")
	require.Contains(t, status, "addresses suppressed: 1")
	eventually(t, "the digest is planned again", func() bool {
		_, err := s.command(t, "digest", "resend", id)
		return err == nil
	})
	eventually(t, "the digest is sent again", func() bool { return delivery() == "sent 3" })
	require.Contains(t, s.mustCommand(t, "digest", "status"), "addresses suppressed: 0")

	for _, invalid := range [][]string{
		{"run", "hourly"}, {"preview", viewer, "--frequency", "hourly"}, {"preview", viewer, "--at", "yesterday"},
		{"resend", "x"}, {"status", "--since", "x"}, {"run"},
	} {
		_, err := s.command(t, append([]string{"digest"}, invalid...)...)
		require.Error(t, err, invalid)
	}
	_, err = s.command(t, "digest", "preview", "nobody@example.com")
	require.ErrorContains(t, err, "no such user")
	_, err = s.command(t, "digest", "resend", uuid.NewString())
	require.ErrorContains(t, err, "no such delivery")
}
