// Package mail renders and sends mails: by SMTP, or into files where there is no server. It knows nothing of the database, and stores nothing.
package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Message is one mail to one person.
type Message struct {
	To      string // an address
	Subject string
	Text    string
	HTML    string            // may be empty
	ID      string            // the left part of Message-ID; empty: a random one
	Headers map[string]string // more, such as List-Unsubscribe
}

// A PermanentError is a refusal that will not change by trying again: the server does not take this recipient or this mail.
type PermanentError struct {
	Code int // SMTP's
}

func (e *PermanentError) Error() string {
	return fmt.Sprintf("the mail server refuses for good (%d)", e.Code)
}

// A TemporaryError is a refusal of this recipient or this mail for now; the mail was not taken.
type TemporaryError struct {
	Code int // SMTP's; 0: the talk broke off before the whole mail was out
}

func (e *TemporaryError) Error() string {
	return fmt.Sprintf("the mail server refuses for now (%d)", e.Code)
}

var (
	// ErrUnavailable: the server cannot be reached or does not serve us, whoever the recipient is; the mail was not taken.
	ErrUnavailable = errors.New("the mail server is unavailable")
	// ErrUncertain: the talk broke off after the whole mail was out, so that nobody knows whether it was taken.
	ErrUncertain = errors.New("the talk with the mail server broke off after the mail")
)

// A Sender sends mails from one address. It is safe for concurrent use.
type Sender struct {
	from    *mail.Address
	deliver func(ctx context.Context, from, to string, raw []byte, id string) error
	close   func()
	now     func() time.Time
}

// Config says how mails go out.
type Config struct {
	SMTPURL     string         // smtp://user:password@host:587 or smtps://…:465; empty: files
	From        string         // an address, with a name or without
	Dir         string         // where files go
	Connections int            // to the server at once; 0: one
	Timeout     time.Duration  // of one answer of the server; 0: half a minute
	RootCAs     *x509.CertPool // who may sign the server's certificate; nil: whom the system trusts
}

// New makes a sender. Nothing is sent or written yet.
func New(cfg Config) (*Sender, error) {
	from, err := mail.ParseAddress(cfg.From)
	if err != nil {
		return nil, errors.New("MAIL_FROM is no address")
	}
	s := &Sender{from: from, close: func() {}, now: time.Now}
	if cfg.SMTPURL == "" {
		if cfg.Dir == "" {
			return nil, errors.New("mail: neither SMTP_URL nor a folder")
		}
		s.deliver = toFolder(cfg.Dir)
		return s, nil
	}
	server, err := newServer(cfg.SMTPURL, cfg)
	if err != nil {
		return nil, err
	}
	s.deliver, s.close = server.deliver, server.close
	return s, nil
}

// Close ends connections that wait for the next mail.
func (s *Sender) Close() { s.close() }

// MessageID is the Message-ID of a mail whose Message has this ID, without the angle brackets.
func (s *Sender) MessageID(id string) string {
	_, domain, _ := strings.Cut(s.from.Address, "@")
	return id + "@" + domain
}

// Send sends a mail. Its error is a *PermanentError, a *TemporaryError, ErrUncertain or ErrUnavailable. Errors never hold the address.
func (s *Sender) Send(ctx context.Context, m Message) error {
	to, err := mail.ParseAddress(m.To)
	if err != nil {
		return &PermanentError{Code: 501} // RFC 5321: no address
	}
	id := m.ID
	if id == "" {
		b := make([]byte, 16)
		_, _ = rand.Read(b) // never fails, see crypto/rand
		id = hex.EncodeToString(b)
	}
	raw, err := s.compose(m, to, id)
	if err != nil {
		return err
	}
	return s.deliver(ctx, s.from.Address, to.Address, raw, id)
}

// compose writes the mail as it goes over the wire (RFC 5322, RFC 2045).
func (s *Sender) compose(m Message, to *mail.Address, id string) ([]byte, error) {
	var out bytes.Buffer
	header := func(name, value string) {
		// A header ends at a line's end; nobody adds one by a subject.
		fmt.Fprintf(&out, "%s: %s\r\n", name, strings.NewReplacer("\r", "", "\n", " ").Replace(value))
	}
	header("Date", s.now().Format(time.RFC1123Z))
	header("From", s.from.String())
	header("To", to.String())
	header("Subject", mime.QEncoding.Encode("utf-8", m.Subject))
	header("Message-ID", "<"+s.MessageID(id)+">")
	header("MIME-Version", "1.0")
	header("Auto-Submitted", "auto-generated") // RFC 3834: no vacation notes, please
	names := make([]string, 0, len(m.Headers))
	for name := range m.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		header(textproto.CanonicalMIMEHeaderKey(name), m.Headers[name])
	}
	parts := multipart.NewWriter(&out)
	header("Content-Type", `multipart/alternative; boundary="`+parts.Boundary()+`"`)
	out.WriteString("\r\n")
	for _, part := range [][2]string{{"text/plain", m.Text}, {"text/html", m.HTML}} {
		if part[1] == "" {
			continue
		}
		w, err := parts.CreatePart(textproto.MIMEHeader{
			"Content-Type": {part[0] + "; charset=utf-8"}, "Content-Transfer-Encoding": {"quoted-printable"},
		})
		if err != nil {
			return nil, err
		}
		q := quotedprintable.NewWriter(w)
		if _, err := io.WriteString(q, part[1]); err != nil {
			return nil, err
		}
		if err := q.Close(); err != nil {
			return nil, err
		}
	}
	if err := parts.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// toFolder writes each mail as a file that mail programs open. It appears in one piece.
func toFolder(dir string) func(context.Context, string, string, []byte, string) error {
	return func(_ context.Context, _, _ string, raw []byte, id string) error {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("%w: the folder of mails cannot be made", ErrUnavailable)
		}
		path := filepath.Join(dir, time.Now().UTC().Format("20060102T150405.000")+"-"+id+".eml")
		if err := os.WriteFile(path+".partial", raw, 0o600); err != nil {
			return fmt.Errorf("%w: the mail cannot be written", ErrUnavailable)
		}
		if err := os.Rename(path+".partial", path); err != nil {
			return fmt.Errorf("%w: the mail cannot be moved into its place", ErrUnavailable)
		}
		return nil
	}
}
