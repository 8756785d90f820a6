package main

import (
	"bytes"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"research/db/dbtest"
	"research/temporalclient"
	"research/workflows"
)

// sendDigests calls the endpoint as a scheduler does, which comes again where the answer says so, and returns how many were sent.
func (s *service) sendDigests(t *testing.T, frequency string) (sent int) {
	t.Helper()
	s.eventually(t, func() bool {
		status, answer := s.do(t, http.MethodPost, "/api/notifications/digest?frequency="+frequency, s.cfg.Keys.CronSecret, "", nil)
		if status == http.StatusServiceUnavailable || status == http.StatusAccepted {
			return false // a slow machine
		}
		require.Equal(t, http.StatusOK, status, "%v", answer)
		require.Equal(t, true, answer["ok"])
		require.Equal(t, frequency, answer["frequency"])
		sent = int(answer["sent"].(float64))
		return true
	})
	return sent
}

// A letter is a mail as its reader gets it.
type letter struct {
	header     mail.Header
	text, html string
}

// letters reads the mails of the folder, by recipient.
func (s *service) letters(t *testing.T) map[string][]letter {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.cfg.Mail.Dir, "*.eml"))
	require.NoError(t, err)
	all := map[string][]letter{}
	for _, file := range files {
		raw, err := os.Open(file)
		require.NoError(t, err)
		l := readLetter(t, raw)
		require.NoError(t, raw.Close())
		to, err := mail.ParseAddress(l.header.Get("To"))
		require.NoError(t, err)
		all[to.Address] = append(all[to.Address], l)
	}
	return all
}

func readLetter(t *testing.T, raw io.Reader) letter {
	t.Helper()
	m, err := mail.ReadMessage(raw)
	require.NoError(t, err)
	l := letter{header: m.Header}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // the reader's own sentinel
			return l
		}
		require.NoError(t, err)
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		require.NoError(t, err)
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			l.html = string(body)
		} else {
			l.text = strings.ReplaceAll(string(body), "\r\n", "\n")
		}
	}
}

func (s *service) address(t *testing.T, user uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, s.DB, `select email from auth.users where id = $1`, user)
}

// yesterday moves everything that has happened so far to noon of the day before, and the week's to the week before.
func (s *service) yesterday(t *testing.T) {
	t.Helper()
	s.Exec(t, `update activity_events set occurred_at = date_trunc('day', now(), 'UTC') - interval '12 hours'`)
}

func (s *service) wants(t *testing.T, frequency string, users ...uuid.UUID) {
	t.Helper()
	s.Exec(t, `update digest_preferences set frequency = $1::digest_setting where user_id = any ($2)`, frequency, users)
}

// From upload to a mail that is delivered once.
func TestDigest(t *testing.T) {
	t.Parallel()
	s := startService(t)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	editor := s.signIn(t, s.Editor)
	_, uploaded := s.upload(t, editor, "talk.txt", []byte("Dana: Closing the books took us four days last month.\n\nOmar: And why?\n\nDana: Receipts were missing, <b>as always</b>.\n"))
	id := uploaded["importId"].(string)
	status, _ := s.post(t, "/api/import/"+id+"/parse", editor, map[string]any{"hypothesisIds": []uuid.UUID{h}})
	require.Equal(t, http.StatusOK, status)
	s.waitForStatus(t, editor, id, "parsed")

	s.wants(t, "daily", s.Editor, s.Viewer)
	require.Zero(t, s.sendDigests(t, "daily"), "the day is not over")
	s.yesterday(t)
	// Two calls at once share the work.
	s.stopWork()
	starter := temporalclient.New(s.temporal)
	var runs [2]temporalclient.DigestRun
	for i := range runs {
		var err error
		runs[i], err = starter.SendDigests(t.Context(), workflows.Daily)
		require.NoError(t, err)
	}
	require.Equal(t, runs[0].RunID, runs[1].RunID)
	s.startWork(t)
	for _, run := range runs {
		result, err := run.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, workflows.SendDigestsResult{Sent: 2, Planned: 2}, result)
	}
	require.Zero(t, s.sendDigests(t, "daily"), "a later call sends nothing")
	if *record {
		s.record(t, runs[0].WorkflowID, runs[0].RunID, "SendDigests/sent.json")
	}
	history := s.history(t, runs[0].WorkflowID, runs[0].RunID)
	for _, private := range []string{"four days", "Dana", s.address(t, s.Viewer)} {
		require.NotContains(t, history, private)
	}

	all := s.letters(t)
	require.Len(t, all, 2)
	viewer := all[s.address(t, s.Viewer)]
	require.Len(t, viewer, 1)
	require.Contains(t, viewer[0].text, "Closing the books took us four days last month.")
	require.Contains(t, viewer[0].text, "Dana")
	require.Contains(t, viewer[0].text, s.cfg.HTTP.PublicURL+"/imports/"+id)
}

// A member says by the data API what mail is wanted; the next digest obeys, and so does the one after the link at its foot.
func TestDigestPreferences(t *testing.T) {
	t.Parallel()
	s := startService(t)
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	change := func(token string, user uuid.UUID, body string) int {
		status, _ := s.do(t, http.MethodPatch, "/rest/v1/digest_preferences?user_id=eq."+user.String(), token, "application/json", []byte(body))
		return status
	}
	setting := func(user uuid.UUID) string {
		return dbtest.Value[string](t, s.DB, `select frequency::text from digest_preferences where user_id = $1`, user)
	}
	require.Equal(t, "weekly", setting(s.Viewer), "whoever chose nothing: DIGEST_DEFAULT_FREQUENCY")
	s.wants(t, "off", s.Owner, s.Admin)
	require.Equal(t, http.StatusNoContent, change(viewer, s.Viewer, `{"frequency": "daily", "timezone": "UTC"}`))
	require.Equal(t, http.StatusNoContent, change(editor, s.Editor, `{"frequency": "daily"}`))
	change(editor, s.Viewer, `{"frequency": "off"}`)
	require.Equal(t, "daily", setting(s.Viewer), "nobody sets another's")
	for _, wrong := range []string{`{"timezone": "Europe/Nowhere"}`, `{"hour": 24}`, `{"weekday": 0}`, `{"frequency": "hourly"}`} {
		require.Equal(t, http.StatusBadRequest, change(viewer, s.Viewer, wrong), wrong)
	}

	s.Exec(t, `update activity_events set occurred_at = now() - interval '60 days'`)
	require.Zero(t, s.sendDigests(t, "daily"), "a quiet day")
	require.Zero(t, s.sendDigests(t, "weekly"), "a quiet week")
	status, _ := s.post(t, "/rest/v1/hypotheses", editor, map[string]any{"project_id": s.Project, "statement": "Closing the books takes days"})
	require.Equal(t, http.StatusCreated, status)
	s.Exec(t, `update activity_events set occurred_at = date_trunc('day', now(), 'UTC') - interval '12 hours' where occurred_at > now() - interval '30 days'`)
	require.Equal(t, 1, s.sendDigests(t, "daily"), "the editor's own work is no news to the editor")
	all := s.letters(t)
	require.Len(t, all, 1)
	mails := all[s.address(t, s.Viewer)]
	require.Len(t, mails, 1)

	link := strings.Trim(mails[0].header.Get("List-Unsubscribe"), "<>")
	require.Equal(t, "List-Unsubscribe=One-Click", mails[0].header.Get("List-Unsubscribe-Post"))
	require.Contains(t, mails[0].text, link)
	for _, c := range []struct{ method, after string }{{http.MethodGet, "daily"}, {http.MethodPost, "off"}} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, link, strings.NewReader("List-Unsubscribe=One-Click"))
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, c.after, setting(s.Viewer), c.method)
	}
	s.Exec(t, `delete from digest_deliveries`)
	require.Zero(t, s.sendDigests(t, "daily"))
}

// What operators do by `research digest`.
func TestDigestCommand(t *testing.T) {
	t.Parallel()
	s := startService(t)
	operate := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := digestCommand(t.Context(), s.cfg, args, &out, slog.New(slog.DiscardHandler))
		return out.String(), err
	}
	mustOperate := func(args ...string) string {
		t.Helper()
		out, err := operate(args...)
		require.NoError(t, err)
		return out
	}
	viewer := s.address(t, s.Viewer)
	state := func() string {
		return dbtest.Value[string](t, s.DB, `select concat_ws(' ', status, attempts) from digest_deliveries where user_id = $1`, s.Viewer)
	}

	s.Exec(t, `delete from activity_events`)
	s.wants(t, "daily", s.Viewer)
	require.Contains(t, mustOperate("preview", viewer, "--frequency", "daily"), "Nothing worth a mail happened.")
	s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	s.yesterday(t)
	preview := mustOperate("preview", s.Viewer.String(), "--frequency", "daily")
	require.Contains(t, preview, viewer)
	require.Contains(t, preview, "Closing the books takes days")
	require.NotContains(t, preview, "Obstacle")
	require.Contains(t, mustOperate("preview", viewer, "--frequency", "weekly"), "Obstacle: unsubscribed: it would not be sent")
	require.Contains(t, mustOperate("preview", viewer, "--frequency", "daily", "--at", "2026-01-01T08:00:00Z"), "Nothing worth a mail happened.")
	page := filepath.Join(t.TempDir(), "digest.html")
	mustOperate("preview", viewer, "--frequency", "daily", "--html", page)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(html), "Closing the books takes days")
	require.Empty(t, s.letters(t), "a preview goes to nobody")

	var run string
	s.eventually(t, func() bool {
		run, err = operate("run", "daily") // Temporal may take long while the machine is busy
		return err == nil
	})
	require.Contains(t, run, "sent:      1")
	require.Zero(t, s.sendDigests(t, "daily"))
	require.Regexp(t, `daily +\d{4}-\d\d-\d\d +sent +- +1`, mustOperate("status"))

	delivery := dbtest.Value[string](t, s.DB, `select id::text from digest_deliveries where user_id = $1`, s.Viewer)
	_, err = operate("resend", delivery)
	require.ErrorContains(t, err, "--force")
	s.eventually(t, func() bool {
		_, err := operate("resend", delivery, "--force")
		return err == nil
	})
	s.eventually(t, func() bool { return state() == "sent 2" })
	all := s.letters(t)[viewer]
	require.Len(t, all, 2)
	if *record {
		s.record(t, "digest-retry-daily", "", "RetryDigests/sent.json")
	}
	require.Equal(t, all[0].header.Get("Message-ID"), all[1].header.Get("Message-ID"), "so that a mail program may take them for one")

	s.Exec(t, `update digest_deliveries set status = 'failed', reason = 'refused_550'`)
	s.Exec(t, `insert into private.mail_refusals (address, code, refusals, suppressed_at) values (lower($1), 550, 3, now())`, viewer)
	status := mustOperate("status")
	require.Contains(t, status, delivery)
	require.Contains(t, status, "refused_550")
	require.Contains(t, status, "addresses suppressed: 1")
	// The run of the first resend must have ended: one that is about to end does not see the delivery.
	s.eventually(t, func() bool {
		run, err := s.temporal.DescribeWorkflowExecution(t.Context(), "digest-retry-daily", "")
		return err == nil && run.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	})
	s.eventually(t, func() bool {
		_, err := operate("resend", delivery)
		return err == nil
	})
	s.eventually(t, func() bool { return state() == "sent 3" })
	require.Contains(t, mustOperate("status"), "addresses suppressed: 0")

	for _, wrong := range [][]string{{"run", "hourly"}, {"preview", viewer, "--frequency", "hourly"}, {"preview", viewer, "--at", "yesterday"}, {"resend", "x"}, {"status", "--since", "x"}, {"run"}} {
		_, err := operate(wrong...)
		require.Error(t, err, wrong)
	}
	_, err = operate("preview", "nobody@example.com")
	require.ErrorContains(t, err, "no such user")
	_, err = operate("resend", uuid.NewString())
	require.ErrorContains(t, err, "no such delivery")
	require.Equal(t, digestUsage, mustOperate("help"))
}
