package mail_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/mail"
	"research/activities/mail/smtptest"
)

// sender makes one for the server; address may hold a scheme, a user and a query.
func sender(t *testing.T, server *smtptest.Server, address string, change ...func(*mail.Config)) *mail.Sender {
	t.Helper()
	cfg := mail.Config{SMTPURL: strings.Replace(address, "HOST", server.Addr, 1), From: "Research <digests@research.example.com>", Connections: 2, Timeout: 2 * time.Second, RootCAs: server.Pool}
	for _, c := range change {
		c(&cfg)
	}
	s, err := mail.New(cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func message(to string) mail.Message {
	return mail.Message{To: to, Subject: "Weekly digest: 2 hypotheses moved – ✓", Text: "Hello\n.\n.. a line that begins with dots\n", HTML: "<p>Hello</p>", ID: "digest.1",
		Headers: map[string]string{"List-Unsubscribe": "<https://research.example.com/u?token=1>"}}
}

func TestSend(t *testing.T) {
	t.Parallel()

	t.Run("hands the mail over as it is", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, smtptest.Config{})
		require.NoError(t, sender(t, server, "smtp://HOST").Send(t.Context(), message("dana@example.com")))
		mails := server.Mails()
		require.Len(t, mails, 1)
		require.Equal(t, "digests@research.example.com", mails[0].From)
		require.Equal(t, "dana@example.com", mails[0].To)
		require.Contains(t, mails[0].Raw, "\r\nMessage-ID: <digest.1@research.example.com>\r\n")
		require.Contains(t, mails[0].Raw, "\r\nList-Unsubscribe: <https://research.example.com/u?token=1>\r\n")
		require.Contains(t, mails[0].Raw, "\r\n.\r\n.. a line that begins with dots\r\n")
		require.Contains(t, mails[0].Raw, "\r\nSubject: =?utf-8?q?")
		for line := range strings.SplitSeq(mails[0].Raw, "\r\n") {
			require.LessOrEqual(t, len(line), 998, "RFC 5322 §2.1.1")
			require.NotContains(t, line, "\n")
		}
	})

	permanent := func(code int) func(*testing.T, error) {
		return func(t *testing.T, err error) {
			var refused *mail.PermanentError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, code, refused.Code)
		}
	}
	temporary := func(code int) func(*testing.T, error) {
		return func(t *testing.T, err error) {
			var refused *mail.TemporaryError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, code, refused.Code)
		}
	}
	is := func(want error) func(*testing.T, error) {
		return func(t *testing.T, err error) { require.ErrorIs(t, err, want) }
	}
	for _, c := range []struct {
		name  string
		at    smtptest.Stage
		reply string
		check func(*testing.T, error)
		taken int
	}{
		{"no greeting", smtptest.Connect, smtptest.Drop, is(mail.ErrUnavailable), 0},
		{"a greeting that sends us away", smtptest.Connect, "554 no service", is(mail.ErrUnavailable), 0},
		{"too busy at hello", smtptest.Hello, "421 too busy", is(mail.ErrUnavailable), 0},
		{"silence at hello", smtptest.Hello, smtptest.Stall, is(mail.ErrUnavailable), 0},
		{"the sender is refused, which is no recipient's fault", smtptest.From, "550 5.7.1 who are you", is(mail.ErrUnavailable), 0},
		{"the sender is refused for now", smtptest.From, "451 later", is(mail.ErrUnavailable), 0},
		{"no such mailbox", smtptest.To, "550 5.1.1 nobody", permanent(550), 0},
		{"a relay that relays not", smtptest.To, "554 5.7.1 no", permanent(554), 0},
		{"greylisted", smtptest.To, "451 4.7.1 greylisted", temporary(451), 0},
		{"the mailbox is full for now", smtptest.To, "452 4.2.2 full", temporary(452), 0},
		{"breaks off at the recipient", smtptest.To, smtptest.Drop, temporary(0), 0},
		{"silence at the recipient", smtptest.To, smtptest.Stall, temporary(0), 0},
		{"goes away at the recipient", smtptest.To, "421 4.3.2 shutting down", temporary(421), 0},
		{"refuses data", smtptest.Data, "554 no valid recipients", permanent(554), 0},
		{"breaks off before data", smtptest.Data, smtptest.Drop, temporary(0), 0},
		{"spam, it says", smtptest.Body, "554 5.7.1 spam", permanent(554), 0},
		{"a full disk", smtptest.Body, "452 4.3.1 full", temporary(452), 0},
		{"breaks off after the mail, which it did not take", smtptest.Body, smtptest.Drop, is(mail.ErrUncertain), 0},
		{"breaks off after the mail, which it took", smtptest.Body, smtptest.Swallow, is(mail.ErrUncertain), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, recipient string) string {
				if stage == c.at && (recipient == "" || recipient == "odd@example.com") {
					return c.reply
				}
				return ""
			}})
			s := sender(t, server, "smtp://HOST")
			err := s.Send(t.Context(), message("odd@example.com"))
			require.Error(t, err)
			c.check(t, err)
			require.NotContains(t, err.Error(), "odd@example.com")
			require.Len(t, server.Mails(), c.taken)
			if c.at == smtptest.To || c.at == smtptest.Data || c.at == smtptest.Body {
				require.NoError(t, s.Send(t.Context(), message("next@example.com")), "the next recipient is not made to pay for it")
			}
		})
	}

	t.Run("silence after the mail is uncertain, too", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, _ string) string {
			if stage == smtptest.Body {
				return smtptest.Stall
			}
			return ""
		}})
		s := sender(t, server, "smtp://HOST", func(c *mail.Config) { c.Timeout = 200 * time.Millisecond })
		require.ErrorIs(t, s.Send(t.Context(), message("dana@example.com")), mail.ErrUncertain)
	})

	t.Run("an end that comes while it waits for the answer is uncertain", func(t *testing.T) {
		t.Parallel()
		arrived := make(chan struct{})
		server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, _ string) string {
			if stage == smtptest.Body {
				close(arrived)
				return smtptest.Stall
			}
			return ""
		}})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		require.ErrorIs(t, sender(t, server, "smtp://HOST").Send(ctx, message("dana@example.com")), mail.ErrUncertain)
	})

	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		s, err := mail.New(mail.Config{SMTPURL: "smtp://127.0.0.1:1", From: "research@example.com"})
		require.NoError(t, err)
		require.ErrorIs(t, s.Send(t.Context(), message("dana@example.com")), mail.ErrUnavailable)
	})

	t.Run("a server from before extensions", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, smtptest.Config{NoExtensions: true})
		require.NoError(t, sender(t, server, "smtp://HOST").Send(t.Context(), message("dana@example.com")))
	})

	t.Run("what is no address is refused for good without asking", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, smtptest.Config{})
		permanent(501)(t, sender(t, server, "smtp://HOST").Send(t.Context(), message("dana")))
		permanent(553)(t, sender(t, server, "smtp://HOST").Send(t.Context(), message("dänä@example.com")))
		permanent(501)(t, sender(t, server, "smtp://HOST").Send(t.Context(), message("dana@example.com>\r\nRCPT TO:<eve@example.com")))
		require.Empty(t, server.Mails())
	})
}

func TestTLS(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, address string
		server        smtptest.Config
		secured, fail bool
		blind         bool // does not know who signed
	}{
		{name: "from the first byte", address: "smtps://HOST", server: smtptest.Config{ImplicitTLS: true}, secured: true},
		{name: "from the first byte, by an authority that nobody knows", address: "smtps://HOST", server: smtptest.Config{ImplicitTLS: true}, blind: true, fail: true},
		{name: "where it is offered", address: "smtp://HOST", server: smtptest.Config{STARTTLS: true}, secured: true},
		{name: "where it is offered, by an authority that nobody knows", address: "smtp://HOST", server: smtptest.Config{STARTTLS: true}, blind: true, fail: true},
		{name: "not offered, not required", address: "smtp://HOST", server: smtptest.Config{}},
		{name: "required and offered", address: "smtp://HOST?tls=required", server: smtptest.Config{STARTTLS: true}, secured: true},
		{name: "required and not offered", address: "smtp://HOST?tls=required", server: smtptest.Config{}, fail: true},
		{name: "off, though offered", address: "smtp://HOST?tls=off", server: smtptest.Config{STARTTLS: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.New(t, c.server)
			s := sender(t, server, c.address, func(cfg *mail.Config) {
				if c.blind {
					cfg.RootCAs = nil
				}
			})
			err := s.Send(t.Context(), message("dana@example.com"))
			if c.fail {
				require.ErrorIs(t, err, mail.ErrUnavailable)
				require.Empty(t, server.Mails())
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.secured, server.Mails()[0].Secured)
		})
	}
}

func TestLogIn(t *testing.T) {
	t.Parallel()
	withUser := func(pass string) string {
		return (&url.URL{Scheme: "smtp", User: url.UserPassword("mailer@example.com", pass), Host: "HOST"}).String()
	}
	for _, c := range []struct {
		name, address string
		server        smtptest.Config
		fail          bool
	}{
		{name: "plain", address: withUser("pa:ss w@rd")},
		{name: "login, where nothing else is offered", address: withUser("pa:ss w@rd"), server: smtptest.Config{Auth: []string{"LOGIN"}}},
		{name: "login by choice", address: withUser("pa:ss w@rd") + "?auth=login"},
		{name: "a wrong password is no recipient's fault", address: withUser("wrong"), fail: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.server.STARTTLS, c.server.User, c.server.Pass = true, "mailer@example.com", "pa:ss w@rd"
			server := smtptest.New(t, c.server)
			err := sender(t, server, c.address).Send(t.Context(), message("dana@example.com"))
			if c.fail {
				require.ErrorIs(t, err, mail.ErrUnavailable)
				require.NotContains(t, err.Error(), "wrong")
				return
			}
			require.NoError(t, err)
			require.Equal(t, "mailer@example.com", server.Mails()[0].User)
			require.True(t, server.Mails()[0].Secured)
		})
	}

	t.Run("a URL that cannot be used does not show its password", func(t *testing.T) {
		t.Parallel()
		for _, bad := range []string{"smtp://u:secret@", "http://u:secret@mail", "smtp://u:secret@mail?tls=maybe", "smtps://u:secret@mail?tls=off", "smtp://u:secret@mail?auth=ntlm", "smtp://u:sec%zzret@mail"} {
			_, err := mail.New(mail.Config{SMTPURL: bad, From: "research@example.com"})
			require.Error(t, err, bad)
			require.NotContains(t, err.Error(), "sec")
		}
	})
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()

	t.Run("for many mails, by as many as allowed", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, smtptest.Config{})
		s := sender(t, server, "smtp://HOST")
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
	})

	t.Run("for a hundred mails, then a new one", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, smtptest.Config{})
		s := sender(t, server, "smtp://HOST", func(c *mail.Config) { c.Connections = 1 })
		for range 101 {
			require.NoError(t, s.Send(t.Context(), message("dana@example.com")))
		}
		require.Equal(t, 2, server.Connections())
	})

	t.Run("after a refusal", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, recipient string) string {
			if stage == smtptest.To && strings.HasPrefix(recipient, "odd") {
				return "550 nobody"
			}
			return ""
		}})
		s := sender(t, server, "smtp://HOST")
		var refused *mail.PermanentError
		require.True(t, errors.As(s.Send(t.Context(), message("odd@example.com")), &refused))
		require.NoError(t, s.Send(t.Context(), message("dana@example.com")))
		require.Equal(t, 1, server.Connections())
	})

	t.Run("one that the server ended meanwhile is replaced without anybody noticing", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		mails := 0
		server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, _ string) string {
			mu.Lock()
			defer mu.Unlock()
			if stage == smtptest.From {
				if mails++; mails == 2 {
					return "421 idle for too long"
				}
			}
			return ""
		}})
		s := sender(t, server, "smtp://HOST")
		require.NoError(t, s.Send(t.Context(), message("dana@example.com")))
		require.NoError(t, s.Send(t.Context(), message("omar@example.com")))
		require.Len(t, server.Mails(), 2)
	})
}
