package mail_test

import (
	"context"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/mail"
	"research/activities/mail/smtptest"
)

// config connects to the server by a URL, in which HOST stands for its address.
func config(server *smtptest.Server, url string) mail.Config {
	return mail.Config{
		SMTPURL:     strings.Replace(url, "HOST", server.Addr, 1),
		From:        "Research <digests@research.example.com>",
		Connections: 2,
		Timeout:     5 * time.Minute, // sendToStalled has shorter ones
		RootCAs:     server.Pool,
	}
}

func newSender(t *testing.T, cfg mail.Config) *mail.Sender {
	t.Helper()
	s, err := mail.New(cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func message(to string) mail.Message {
	return mail.Message{
		To:      to,
		Subject: "Weekly digest: 2 hypotheses moved – ✓",
		Text:    "Hello\n.\n.. a line that begins with dots\n",
		HTML:    "<p>Hello</p>",
		ID:      "digest.1",
		Headers: map[string]string{"List-Unsubscribe": "<https://research.example.com/u?token=1>"},
	}
}

func requirePermanent(t *testing.T, err error, code int) {
	t.Helper()
	var rejected *mail.PermanentError
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, code, rejected.Code)
}

func requireTemporary(t *testing.T, err error, code int) {
	t.Helper()
	var rejected *mail.TemporaryError
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, code, rejected.Code)
}

// replyAt replies to one stage of a mail to odd@example.com, and as usual to all others.
func replyAt(stage smtptest.Stage, reply string) smtptest.Config {
	return smtptest.Config{Behave: func(at smtptest.Stage, recipient string) string {
		if at == stage && (recipient == "" || recipient == "odd@example.com") {
			return reply
		}
		return ""
	}}
}

// sendToStalled sends a mail to odd@example.com, to which the server does not reply from a stage on. It
// returns the error of the timeout at that stage. A slow machine may need longer for the stages before it:
// then a longer timeout is tried.
func sendToStalled(t *testing.T, stage smtptest.Stage) (s *mail.Sender, server *smtptest.Server, err error) {
	t.Helper()
	stall := replyAt(stage, smtptest.Stall).Behave
	for timeout := 200 * time.Millisecond; ; timeout *= 2 {
		var reached atomic.Bool
		server = smtptest.New(t, smtptest.Config{Behave: func(at smtptest.Stage, recipient string) string {
			reply := stall(at, recipient)
			if reply == smtptest.Stall {
				reached.Store(true)
			}
			return reply
		}})
		cfg := config(server, "smtp://HOST")
		cfg.Timeout = timeout
		s = newSender(t, cfg)
		err = s.Send(t.Context(), message("odd@example.com"))
		if reached.Load() {
			return s, server, err
		}
	}
}

// requireNextIsSent requires that a sender still sends mails, however slow the machine is.
func requireNextIsSent(t *testing.T, s *mail.Sender) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Send(t.Context(), message("next@example.com")) == nil },
		time.Minute, time.Millisecond, "the next mail is sent")
}

func TestTheEnvelopeNamesSenderAndRecipient(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t, smtptest.Config{})
	s := newSender(t, config(server, "smtp://HOST"))
	require.NoError(t, s.Send(t.Context(), message("Dana <dana@example.com>")))
	require.NoError(t, s.Send(t.Context(), message(`"odd name"@example.com`)))
	mails := server.Mails()
	require.Len(t, mails, 2)
	require.Equal(t, "digests@research.example.com", mails[0].From)
	require.Equal(t, "dana@example.com", mails[0].To)
	require.Equal(t, `"odd name"@example.com`, mails[1].To)
}

func TestFailuresBeforeTheRecipientAreUnavailable(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]smtptest.Config{
		"no greeting":                     replyAt(smtptest.Connect, smtptest.Drop),
		"service refused":                 replyAt(smtptest.Connect, "554 no service"),
		"too busy at EHLO":                replyAt(smtptest.Hello, "421 too busy"),
		"the sender rejected permanently": replyAt(smtptest.From, "550 5.7.1 who are you"),
		"the sender rejected temporarily": replyAt(smtptest.From, "451 later"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.New(t, server)
			err := newSender(t, config(server, "smtp://HOST")).Send(t.Context(), message("odd@example.com"))
			require.ErrorIs(t, err, mail.ErrUnavailable)
			require.NotContains(t, err.Error(), "odd@example.com")
			require.Empty(t, server.Mails())
		})
	}

	t.Run("no reply to EHLO", func(t *testing.T) {
		t.Parallel()
		_, server, err := sendToStalled(t, smtptest.Hello)
		require.ErrorIs(t, err, mail.ErrUnavailable)
		require.NotContains(t, err.Error(), "odd@example.com")
		require.Empty(t, server.Mails())
	})

	t.Run("no server", func(t *testing.T) {
		t.Parallel()
		s := newSender(t, mail.Config{SMTPURL: "smtp://127.0.0.1:1", From: "research@example.com"})
		require.ErrorIs(t, s.Send(t.Context(), message("dana@example.com")), mail.ErrUnavailable)
	})
}

func TestRejectionsAreOfOneRecipient(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		server    smtptest.Config
		permanent bool
		code      int
	}{
		{"no such mailbox", replyAt(smtptest.To, "550 5.1.1 nobody"), true, 550},
		{"relaying denied", replyAt(smtptest.To, "554 5.7.1 no"), true, 554},
		{"greylisted", replyAt(smtptest.To, "451 4.7.1 greylisted"), false, 451},
		{"mailbox full", replyAt(smtptest.To, "452 4.2.2 full"), false, 452},
		{"disconnected at the recipient", replyAt(smtptest.To, smtptest.Drop), false, 0},
		{"shutting down at the recipient", replyAt(smtptest.To, "421 4.3.2 shutting down"), false, 421},
		{"data rejected", replyAt(smtptest.Data, "554 no valid recipients"), true, 554},
		{"disconnected before data", replyAt(smtptest.Data, smtptest.Drop), false, 0},
		{"taken for spam", replyAt(smtptest.Body, "554 5.7.1 spam"), true, 554},
		{"disk full", replyAt(smtptest.Body, "452 4.3.1 full"), false, 452},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.New(t, c.server)
			s := newSender(t, config(server, "smtp://HOST"))
			err := s.Send(t.Context(), message("odd@example.com"))
			if c.permanent {
				requirePermanent(t, err, c.code)
			} else {
				requireTemporary(t, err, c.code)
			}
			require.NotContains(t, err.Error(), "odd@example.com")
			require.Empty(t, server.Mails())
			require.NoError(t, s.Send(t.Context(), message("next@example.com")), "the next mail is sent")
		})
	}

	t.Run("no reply at the recipient", func(t *testing.T) {
		t.Parallel()
		s, server, err := sendToStalled(t, smtptest.To)
		requireTemporary(t, err, 0)
		require.NotContains(t, err.Error(), "odd@example.com")
		require.Empty(t, server.Mails())
		requireNextIsSent(t, s)
	})
}

func TestRejectionsQuoteTheServer(t *testing.T) {
	t.Parallel()
	send := func(reply string) error {
		server := smtptest.New(t, replyAt(smtptest.To, reply))
		return newSender(t, config(server, "smtp://HOST")).Send(t.Context(), message("odd@example.com"))
	}
	var permanent *mail.PermanentError
	require.ErrorAs(t, send("550 5.1.1 <odd@example.com>: mailbox odd is unknown"), &permanent)
	require.Equal(t, "5.1.1 <[address]>: mailbox [address] is unknown", permanent.Reply)
	require.NotContains(t, permanent.Error(), "mailbox", "errors are stored in histories")
	var temporary *mail.TemporaryError
	require.ErrorAs(t, send("450-4.7.1 greylisted\r\n450 4.7.1 try ODD@example.com in 5 minutes"), &temporary)
	require.Equal(t, "4.7.1 greylisted 4.7.1 try [address] in 5 minutes", temporary.Reply)
}

func TestAConnectionThatBreaksAfterTheMailIsUncertain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply    string
		accepted int
	}{
		"without accepting it": {smtptest.Drop, 0},
		"after accepting it":   {smtptest.Swallow, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.New(t, replyAt(smtptest.Body, c.reply))
			s := newSender(t, config(server, "smtp://HOST"))
			err := s.Send(t.Context(), message("odd@example.com"))
			require.ErrorIs(t, err, mail.ErrUncertain)
			require.NotContains(t, err.Error(), "odd@example.com")
			require.Len(t, server.Mails(), c.accepted)
			require.NoError(t, s.Send(t.Context(), message("next@example.com")), "the next mail is sent")
		})
	}

	t.Run("by a timeout", func(t *testing.T) {
		t.Parallel()
		s, server, err := sendToStalled(t, smtptest.Body)
		require.ErrorIs(t, err, mail.ErrUncertain)
		require.NotContains(t, err.Error(), "odd@example.com")
		require.Empty(t, server.Mails())
		requireNextIsSent(t, s)
	})

	t.Run("by the end of the context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		server := smtptest.New(t, smtptest.Config{Behave: func(stage smtptest.Stage, _ string) string {
			if stage == smtptest.Body {
				cancel()
				return smtptest.Stall
			}
			return ""
		}})
		err := newSender(t, config(server, "smtp://HOST")).Send(ctx, message("dana@example.com"))
		require.ErrorIs(t, err, mail.ErrUncertain)
	})
}

func TestAServerWithoutExtensions(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t, smtptest.Config{NoExtensions: true})
	s := newSender(t, config(server, "smtp://HOST"))
	require.NoError(t, s.Send(t.Context(), message("dana@example.com")))
}

func TestInvalidAddressesAreRejectedPermanently(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t, smtptest.Config{})
	s := newSender(t, config(server, "smtp://HOST"))
	requirePermanent(t, s.Send(t.Context(), message("dana")), 501)
	requirePermanent(t, s.Send(t.Context(), message("dana@example.com>\r\nRCPT TO:<eve@example.com")), 501)
	requirePermanent(t, s.Send(t.Context(), message("dänä@example.com")), 553)
	require.Empty(t, server.Mails())
}

func TestADomainBeyondASCIINeedsNoExtension(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t, smtptest.Config{NoExtensions: true})
	cfg := config(server, "smtp://HOST")
	cfg.From = "Research <digests@grüße.example>"
	s := newSender(t, cfg)
	require.NoError(t, s.Send(t.Context(), message("dana@bücher.example")))
	sent := server.Mails()[0]
	require.Equal(t, "dana@xn--bcher-kva.example", sent.To)
	require.Equal(t, "digests@xn--gre-6ka8l.example", sent.From)
	require.NotContains(t, sent.Raw, "bücher")
}

func TestTLS(t *testing.T) {
	t.Parallel()
	var (
		implicit = smtptest.Config{ImplicitTLS: true}
		startTLS = smtptest.Config{STARTTLS: true}
		plain    = smtptest.Config{}
	)
	for _, c := range []struct {
		name      string
		url       string
		server    smtptest.Config
		untrusted bool // the client does not know the authority of the certificate
		encrypted bool
		fails     bool
	}{
		{name: "implicit", url: "smtps://HOST", server: implicit, encrypted: true},
		{name: "implicit, untrusted", url: "smtps://HOST", server: implicit, untrusted: true, fails: true},
		{name: "offered", url: "smtp://HOST", server: startTLS, encrypted: true},
		{name: "offered, untrusted", url: "smtp://HOST", server: startTLS, untrusted: true, fails: true},
		{name: "not offered", url: "smtp://HOST", server: plain},
		{name: "required and offered", url: "smtp://HOST?tls=required", server: startTLS, encrypted: true},
		{name: "required and not offered", url: "smtp://HOST?tls=required", server: plain, fails: true},
		{name: "off and offered", url: "smtp://HOST?tls=off", server: startTLS},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.New(t, c.server)
			cfg := config(server, c.url)
			if c.untrusted {
				cfg.RootCAs = nil
			}
			err := newSender(t, cfg).Send(t.Context(), message("dana@example.com"))
			if c.fails {
				require.ErrorIs(t, err, mail.ErrUnavailable)
				require.Empty(t, server.Mails())
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.encrypted, server.Mails()[0].Secured)
			require.Equal(t, 1, server.Connections(), "STARTTLS needs no other connection")
		})
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	const user, password = "mailer@example.com", "pa:ss w@rd"
	withPassword := func(password string) string {
		u := url.URL{Scheme: "smtp", User: url.UserPassword(user, password), Host: "HOST"}
		return u.String()
	}
	for _, c := range []struct {
		name, url  string
		mechanisms []string
		fails      bool
	}{
		{name: "PLAIN", url: withPassword(password)},
		{name: "LOGIN, if only that is offered", url: withPassword(password), mechanisms: []string{"LOGIN"}},
		{name: "LOGIN, if it is set", url: withPassword(password) + "?auth=login"},
		{name: "CRAM-MD5, if only that is offered", url: withPassword(password), mechanisms: []string{"CRAM-MD5"}},
		{name: "a wrong password", url: withPassword("wrong"), fails: true},
		{name: "a wrong password by CRAM-MD5", url: withPassword("wrong") + "?auth=cram-md5", fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.New(t, smtptest.Config{
				STARTTLS: true, User: user, Pass: password, Auth: c.mechanisms,
			})
			err := newSender(t, config(server, c.url)).Send(t.Context(), message("dana@example.com"))
			if c.fails {
				require.ErrorIs(t, err, mail.ErrUnavailable)
				require.NotContains(t, err.Error(), "wrong")
				return
			}
			require.NoError(t, err)
			require.Equal(t, user, server.Mails()[0].User)
			require.True(t, server.Mails()[0].Secured)
		})
	}

	t.Run("without TLS on this machine", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, smtptest.Config{User: user, Pass: password})
		s := newSender(t, config(server, withPassword(password)))
		require.NoError(t, s.Send(t.Context(), message("dana@example.com")))
	})
}

func TestAnInvalidURLIsRejectedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for _, invalid := range []string{
		"smtp://u:secret@",
		"http://u:secret@mail",
		"smtp://u:secret@mail?tls=maybe",
		"smtp://u:secret@mail?tls=implicit",
		"smtps://u:secret@mail?tls=off",
		"smtp://u:secret@mail?auth=ntlm",
		"smtp://u:sec%zzret@mail",
	} {
		_, err := mail.New(mail.Config{SMTPURL: invalid, From: "research@example.com"})
		require.Error(t, err, invalid)
		require.NotContains(t, err.Error(), "sec")
	}
}
