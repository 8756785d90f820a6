package config

import (
	"net/mail"
	"path/filepath"
)

// Digest configures the digests.
type Digest struct {
	DefaultFrequency string // off, daily or weekly
}

// Mail configures how mails are sent.
type Mail struct {
	SMTPURL     string // empty means that mails become files
	From        string
	Dir         string // for the files
	Connections int    // of one worker, for digests
	Rate        int    // digests a second over all workers; 0 means no limit

	EventsSecret string // of relays that report bounces and complaints; empty means that none may
}

func readDigest(r *reader) Digest {
	r.group = "Digests and mail"
	return Digest{
		DefaultFrequency: r.choice("DIGEST_DEFAULT_FREQUENCY", "weekly", []string{"off", "daily", "weekly"},
			"The frequency for members who have not chosen one."),
	}
}

func readMail(r *reader, stateDir string) Mail {
	m := Mail{
		SMTPURL: r.secretURL("SMTP_URL", []string{"smtp", "smtps"},
			"The mail server: `smtp://user:password@host:587` or `smtps://…:465`. Not set: mails become files. See "+
				"[digests](digests.md#mail-servers)."),
		From: r.text("MAIL_FROM", "Research <research@localhost>", "The sender of all mails."),
		Dir: r.text("MAIL_DIR", "",
			"The folder for mails that become files. Defaults to `STATE_DIR/mail`."),
		Connections: r.number("SMTP_CONNECTIONS", 4, 1, 100,
			"Connections of one worker to the mail server, for digests."),
		// The default is below what large providers allow a new customer.
		Rate: r.number("MAIL_RATE", 10, 0, 10_000,
			"Digests that all workers together send in a second. `0`: no limit."),
		EventsSecret: r.secret("MAIL_EVENTS_SECRET", 16,
			"The secret of a mail relay that reports bounces and complaints. Not set: none may. See "+
				"[digests](digests.md#bounces-and-complaints)."),
	}
	if m.Dir == "" {
		m.Dir = filepath.Join(stateDir, "mail")
	}
	if _, err := mail.ParseAddress(m.From); err != nil {
		r.problem("MAIL_FROM", "is not a valid address")
	}
	return m
}
