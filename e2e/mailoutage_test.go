package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities/mail/smtptest"
	"research/cli"
	"research/db/dbtest"
	"research/workflows"
)

// A mail server is away for longer than a run tries: the invitation and the notice arrive when it returns.
func TestMailsWaitForTheMailServer(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	var tried atomic.Int64
	away.Store(true)
	server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, _ string) string {
		if stage == smtptest.Connect && away.Load() {
			tried.Add(1)
			return smtptest.Drop
		}
		return ""
	}})
	s := startService(t, "SMTP_URL=smtp://"+server.Addr)
	status, failure := s.post(t, "/rest/v1/workspace_invitations", s.signIn(t, s.Owner),
		map[string]any{"workspace_id": s.Workspace, "email": "guest@example.com", "role": "viewer"})
	require.Equal(t, http.StatusCreated, status, "%v", failure)
	notice := dbtest.Value[uuid.UUID](t, s.DB, `insert into auth.notices (user_id, kind, recipient)
		values ($1, 'password_changed', 'former@example.com') returning id`, s.Viewer)
	request := dbtest.Value[uuid.UUID](t, s.DB, `select id from auth.one_time_tokens`)
	runs := []string{workflows.AccountMailWorkflowID(request), workflows.AccountNoticeWorkflowID(notice)}

	eventually(t, "both were tried", func() bool { return tried.Load() >= 4 })
	require.True(t, dbtest.Value[bool](t, s.DB, `select sent_at is null from auth.one_time_tokens`))
	for _, run := range runs { // as its timeout does
		require.NoError(t, s.temporal.TerminateWorkflow(t.Context(), run, "", "it has tried for half an hour"))
	}
	s.Exec(t, `update auth.one_time_tokens set created_at = now() - interval '1 hour'`)
	var out bytes.Buffer
	cli.Run(t.Context(), []string{"doctor"}, s.system(nil, &out, &out))
	require.Contains(t, out.String(),
		"2 about accounts (links, invitations, notices) wait, the oldest for 1h0m0s")
	eventually(t, "the metric tells", func() bool {
		values, _ := scrape(t, s.url()+"/metrics")
		return values["research_account_mail_overdue_seconds"] > 3599
	})

	away.Store(false)
	s.Exec(t, `update auth.one_time_tokens set started_at = now() - interval '6 minutes'`)
	s.Exec(t, `update auth.notices set started_at = now() - interval '6 minutes'`)
	eventually(t, "both arrive", func() bool { return len(server.Mails()) == 2 })
	subjects := ""
	for _, m := range server.Mails() {
		subjects += m.Raw
	}
	require.Equal(t, 1, strings.Count(subjects, "Subject: You have been invited to a workspace"))
	require.Equal(t, 1, strings.Count(subjects, "Subject: Your password was changed"))
	eventually(t, "they count as sent", func() bool {
		return dbtest.Value[bool](t, s.DB, `select not exists (select from auth.notices)
			and not exists (select from auth.one_time_tokens where sent_at is null)`)
	})
}
