package mail_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/mail/smtptest"
)

func TestConcurrentMailsShareTheConnections(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t, smtptest.Config{})
	s := newSender(t, config(server, "smtp://HOST"))
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			if err := s.Send(t.Context(), message(fmt.Sprintf("user-%d@example.com", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, server.Mails(), 60)
	require.LessOrEqual(t, server.Connections(), 2)
}

func TestAConnectionSendsAHundredMails(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t, smtptest.Config{})
	cfg := config(server, "smtp://HOST")
	cfg.Connections = 1
	s := newSender(t, cfg)
	for range 101 {
		require.NoError(t, s.Send(t.Context(), message("dana@example.com")))
	}
	require.Equal(t, 2, server.Connections())
}

func TestAConnectionIsReusedAfterARejection(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t, replyAt(smtptest.To, "550 nobody"))
	s := newSender(t, config(server, "smtp://HOST"))
	requirePermanent(t, s.Send(t.Context(), message("odd@example.com")), 550)
	require.NoError(t, s.Send(t.Context(), message("dana@example.com")))
	require.Equal(t, 1, server.Connections())
}

func TestAConnectionThatTheServerClosedIsReplaced(t *testing.T) {
	t.Parallel()
	var mails atomic.Int32
	server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, _ string) string {
		if stage == smtptest.From && mails.Add(1) == 2 {
			return "421 idle for too long"
		}
		return ""
	}})
	s := newSender(t, config(server, "smtp://HOST"))
	require.NoError(t, s.Send(t.Context(), message("dana@example.com")))
	require.NoError(t, s.Send(t.Context(), message("omar@example.com")))
	require.Len(t, server.Mails(), 2)
	require.Equal(t, 2, server.Connections())
}
