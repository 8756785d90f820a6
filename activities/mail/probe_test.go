package mail_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/mail"
	"research/activities/mail/smtptest"
)

// Relays refuse what only a mail shows: a sender that is not the user's, or anybody who has not logged in.
func TestProbe(t *testing.T) {
	t.Parallel()
	sender := func(reply string) smtptest.Config {
		return smtptest.Config{Behave: func(stage smtptest.Stage, _ string) string {
			if stage == smtptest.From {
				return reply
			}
			return ""
		}}
	}
	login := func(mechanisms ...string) smtptest.Config {
		return smtptest.Config{User: "u", Pass: "p", Auth: mechanisms}
	}
	for name, c := range map[string]struct {
		server smtptest.Config
		url    string
		says   string // empty means that the relay accepts the sender
	}{
		"accepts mails":          {sender(""), "smtp://HOST", ""},
		"accepts the login":      {login(), "smtp://u:p@HOST", ""},
		"requires a login":       {login(), "smtp://HOST", "it requires a login (530)"},
		"wants another sender":   {sender("553 5.7.1 not yours"), "smtp://HOST", "it rejected the sender (553)"},
		"is busy":                {sender("451 4.7.1 later"), "smtp://HOST", "for now (451)"},
		"rejects the password":   {login(), "smtp://u:sekret@HOST", "it rejected the user or the password (535)"},
		"wants a token of OAuth": {login("XOAUTH2", "OAUTHBEARER"), "smtp://u:sekret@HOST", "XOAUTH2, OAUTHBEARER"},
		"does not speak what SMTP_URL chooses": {
			login("CRAM-MD5"), "smtp://u:sekret@HOST?auth=plain", "it accepts no login by PLAIN (504)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.New(t, c.server)
			cfg := config(server, c.url)
			err := mail.Probe(t.Context(), cfg)
			if c.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.says)
				require.ErrorIs(t, err, mail.ErrUnavailable)
				require.NotContains(t, err.Error(), "sekret")
			}
			require.Empty(t, server.Mails())
			if sending := newSender(t, cfg).Send(t.Context(), message("dana@example.com")); err != nil {
				require.Equal(t, err.Error(), sending.Error(), "a worker says the same")
			} else {
				require.NoError(t, sending)
			}
		})
	}

	t.Run("says which mechanisms we speak", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, login("NTLM"))
		err := mail.Probe(t.Context(), config(server, "smtp://u:p@HOST"))
		var refused *mail.LoginError
		require.True(t, errors.As(err, &refused))
		require.True(t, refused.IsMechanism())
		require.ErrorContains(t, err, "NTLM and none of PLAIN, LOGIN, SCRAM-SHA-256, CRAM-MD5")
	})

	t.Run("requires SMTPUTF8 for a sender beyond ASCII", func(t *testing.T) {
		t.Parallel()
		server := smtptest.New(t, sender(""))
		cfg := config(server, "smtp://HOST")
		cfg.From = strings.Replace(cfg.From, "digests@", "grüße@", 1)
		require.ErrorContains(t, mail.Probe(t.Context(), cfg), "it rejected the sender (553)")
	})
}
