// Package mail renders mails, and sends them by SMTP or writes them into files. It uses no database.
package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"research/internal/mailbox"
)

// A Message is one mail to one recipient.
type Message struct {
	To      string // an address
	Subject string
	Text    string
	HTML    string            // may be empty
	ID      string            // the left part of Message-ID; a random one if empty
	Headers map[string]string // further headers, such as List-Unsubscribe
}

// A PermanentError means that the server rejects this recipient or this mail, and that a retry is of no use.
type PermanentError struct {
	Code  int    // SMTP reply code
	Reply string // the server's text without the recipient's address; may be empty
}

func (e *PermanentError) Error() string {
	return fmt.Sprintf("the mail server permanently rejected the mail (%d)", e.Code)
}

// A TemporaryError means that the server did not accept this mail now, and that a retry may help.
type TemporaryError struct {
	Code  int    // SMTP reply code, or 0 if the connection broke before the mail was sent completely
	Reply string // the server's text without the recipient's address; may be empty
}

func (e *TemporaryError) Error() string {
	return fmt.Sprintf("the mail server temporarily rejected the mail (%d)", e.Code)
}

var (
	// ErrUnavailable means that the server cannot be reached or rejects the sender, whoever the recipient is.
	// The mail was not accepted.
	ErrUnavailable = errors.New("the mail server is unavailable")
	// ErrUncertain means that the connection broke after the whole mail was sent: it may have been accepted or
	// not.
	ErrUncertain = errors.New("the connection to the mail server broke after the mail was sent")
)

// A LoginError means that the server refuses the login of SMTP_URL. It wraps ErrUnavailable: the mail was not
// accepted.
type LoginError struct {
	Code      int      // SMTP reply code; 0 if no mechanism was tried
	Mechanism string   // that was tried, such as PLAIN
	Offered   []string // mechanisms
}

// IsMechanism reports whether the server does not speak the mechanism, or we none that it speaks.
func (e *LoginError) IsMechanism() bool {
	return e.Code == 0 || e.Code >= 500 && e.Code <= 504 // RFC 5321 §4.2.2, RFC 4954 §6
}

// Temporary reports whether the server may accept the login later.
func (e *LoginError) Temporary() bool { return e.Code > 0 && e.Code < 500 }

func (e *LoginError) Error() string {
	what := fmt.Sprintf("it rejected the user or the password (%d)", e.Code)
	switch {
	case e.Code == 0:
		what = "it offers the logins " + strings.Join(e.Offered, ", ") + " and none of " +
			strings.Join(mechanisms, ", ")
	case e.IsMechanism():
		what = fmt.Sprintf("it accepts no login by %s (%d)", e.Mechanism, e.Code)
	case e.Temporary():
		what = fmt.Sprintf("it cannot check logins for now (%d)", e.Code)
	}
	return ErrUnavailable.Error() + ": " + what
}

func (e *LoginError) Unwrap() error { return ErrUnavailable }

// A SenderError means that the server refuses MAIL FROM, whoever the recipient is. It wraps ErrUnavailable:
// the mail was not accepted.
type SenderError struct {
	Code int // SMTP reply code
}

// NeedsLogin reports whether the server accepts no mails without a login (RFC 4954 §6).
func (e *SenderError) NeedsLogin() bool { return e.Code == 530 }

// Temporary reports whether the server may accept the sender later.
func (e *SenderError) Temporary() bool { return e.Code < 500 }

func (e *SenderError) Error() string {
	what := "it rejected the sender"
	switch {
	case e.NeedsLogin():
		what = "it requires a login"
	case e.Temporary():
		what = "it accepts no mails of the sender for now"
	}
	return fmt.Sprintf("%s: %s (%d)", ErrUnavailable, what, e.Code)
}

func (e *SenderError) Unwrap() error { return ErrUnavailable }

// A Sender sends mails from one address. It is safe for concurrent use.
type Sender struct {
	from      *mail.Address
	transport transport
	now       func() time.Time
}

// A transport delivers composed mails. The id is that of the mail.
type transport interface {
	deliver(ctx context.Context, from, to *mail.Address, raw []byte, id string) error
	close()
}

// Config configures a Sender.
type Config struct {
	SMTPURL     string         // smtp://user:password@host:587 or smtps://…:465; empty means files
	From        string         // an address, with or without a name
	Dir         string         // the folder of the files
	Connections int            // concurrent connections to the server; 0 means 1
	Timeout     time.Duration  // of one reply of the server; 0 means 30 s
	RootCAs     *x509.CertPool // authorities for the server's certificate; nil means the system's
}

// New returns a Sender. It neither connects nor writes.
func New(cfg Config) (*Sender, error) {
	from, err := mail.ParseAddress(cfg.From)
	if err != nil {
		return nil, errors.New("MAIL_FROM is not a valid address")
	}
	from.Address = mailbox.ASCIIDomain(from.Address)
	s := &Sender{from: from, now: time.Now}
	switch {
	case cfg.SMTPURL != "":
		if s.transport, err = newPool(cfg); err != nil {
			return nil, err
		}
	case cfg.Dir != "":
		s.transport = folder{cfg.Dir}
	default:
		return nil, errors.New("mail: requires an SMTP URL or a folder")
	}
	return s, nil
}

// Close closes idle connections.
func (s *Sender) Close() { s.transport.close() }

// MessageID returns the Message-ID, without angle brackets, of a mail whose Message has this ID.
func (s *Sender) MessageID(id string) string {
	_, domain, _ := strings.Cut(s.from.Address, "@")
	return id + "@" + domain
}

// Send sends a mail. Its error is a *PermanentError, a *TemporaryError, ErrUncertain or ErrUnavailable, and
// never contains the address.
func (s *Sender) Send(ctx context.Context, m Message) error {
	to, err := mail.ParseAddress(m.To)
	if err != nil {
		return &PermanentError{Code: 501} // RFC 5321 §4.2.2: syntax error in parameters
	}
	to.Address = mailbox.ASCIIDomain(to.Address) // users of other issuers may have another form
	id := m.ID
	if id == "" {
		id = randomID()
	}
	raw, err := s.compose(m, to, id)
	if err != nil {
		return err
	}
	return s.transport.deliver(ctx, s.from, to, raw, id)
}

func randomID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// compose writes the mail as it is sent (RFC 5322, RFC 2045). Line breaks in a header's value are encoded, so
// that no value can add a header.
func (s *Sender) compose(m Message, to *mail.Address, id string) ([]byte, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.SetAddrHeaderFromMailAddress(gomail.HeaderFrom, s.from)
	msg.SetAddrHeaderFromMailAddress(gomail.HeaderTo, to)
	msg.SetDateWithValue(s.now())
	msg.SetMessageIDWithValue(s.MessageID(id))
	msg.Subject(m.Subject)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no automatic replies
	for name, value := range m.Headers {
		msg.SetGenHeader(gomail.Header(name), value)
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	var raw bytes.Buffer
	if _, err := msg.WriteTo(&raw); err != nil {
		return nil, fmt.Errorf("compose the mail: %w", err)
	}
	return raw.Bytes(), nil
}
