package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"research/internal/redact"
)

// submissionFactor extends the timeout of the reply to the whole mail. Giving up too early leaves open
// whether the mail was accepted.
const submissionFactor = 4

// A connection is an SMTP session, ready for the next mail.
type connection struct {
	client    *smtp.Client
	conn      net.Conn // closing it interrupts whatever the client waits for
	timeout   time.Duration
	mails     int
	idleSince time.Time
}

// connect opens a session: it connects, starts TLS and authenticates. All its errors are ErrUnavailable,
// since none is about a recipient.
func (e *endpoint) connect(ctx context.Context) (*connection, error) {
	dialer := &net.Dialer{Timeout: e.timeout}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(e.host, e.port))
	if err != nil {
		return nil, unavailable("it cannot be reached", err)
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	c := &connection{conn: conn, timeout: e.timeout}
	if err := e.open(c); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

// open begins the session on a new connection.
func (e *endpoint) open(c *connection) error {
	if err := c.conn.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return unavailable("it cannot be reached", err)
	}
	transport := c.conn
	if e.tlsMode == tlsImplicit {
		transport = tls.Client(c.conn, e.tlsConfig)
	}
	var err error
	if c.client, err = smtp.NewClient(transport, e.host); err != nil {
		return unavailable("no greeting", err)
	}
	if err := c.command(func() error { return c.client.Hello(e.localName) }); err != nil {
		return unavailable("EHLO failed", err)
	}
	if e.tlsMode == tlsRequired || e.tlsMode == tlsOpportunistic {
		if err := e.startTLS(c); err != nil {
			return err
		}
	}
	if e.user != "" {
		return e.authenticate(c)
	}
	return nil
}

func (e *endpoint) startTLS(c *connection) error {
	if offered, _ := c.client.Extension("STARTTLS"); !offered {
		if e.tlsMode == tlsRequired {
			return unavailable("it does not offer STARTTLS, which SMTP_URL requires", nil)
		}
		return nil
	}
	if err := c.command(func() error { return c.client.StartTLS(e.tlsConfig) }); err != nil {
		return unavailable("STARTTLS failed", err)
	}
	return nil
}

// authenticate sends the password, never over an unencrypted connection to another machine.
func (e *endpoint) authenticate(c *connection) error {
	_, encrypted := c.client.TLSConnectionState()
	if !encrypted && !e.isLocal() {
		return unavailable("the connection is not encrypted, so that the password was not sent", nil)
	}
	_, list := c.client.Extension("AUTH")
	offered := strings.Fields(strings.ToUpper(list))
	mechanism := strings.ToUpper(e.auth)
	if mechanism == "" {
		mechanism = mechanisms[0] // where it offers none, as it does before TLS
		if i := slices.IndexFunc(mechanisms, func(m string) bool { return slices.Contains(offered, m) }); i >= 0 {
			mechanism = mechanisms[i]
		} else if len(offered) > 0 {
			return &LoginError{Offered: offered}
		}
	}
	if err := c.command(func() error { return c.client.Auth(e.login(mechanism)) }); err != nil {
		var reply *textproto.Error
		if !errors.As(err, &reply) {
			return unavailable("it rejected the user or the password", err)
		}
		return &LoginError{Code: reply.Code, Mechanism: mechanism, Offered: offered}
	}
	return nil
}

// mechanisms are those of a user and a password, the most usual first.
var mechanisms = []string{"PLAIN", "LOGIN", "SCRAM-SHA-256", "CRAM-MD5"}

func (e *endpoint) login(mechanism string) smtp.Auth {
	switch mechanism {
	case "LOGIN":
		return smtp.LoginAuth(e.user, e.password, e.host, e.isLocal())
	case "SCRAM-SHA-256":
		return smtp.ScramSHA256Auth(e.user, e.password)
	case "CRAM-MD5":
		return smtp.CRAMMD5Auth(e.user, e.password)
	}
	return smtp.PlainAuth("", e.user, e.password, e.host, e.isLocal())
}

// command runs one command within the timeout.
func (c *connection) command(run func() error) error { return c.within(c.timeout, run) }

func (c *connection) within(timeout time.Duration, run func() error) error {
	if err := c.client.UpdateDeadline(timeout); err != nil {
		return err
	}
	return run()
}

// begin starts a mail. The server does not know the recipient yet: if it rejects the mail here, it rejects
// the sender.
func (c *connection) begin(ctx context.Context, from, to *mail.Address) error {
	defer c.closeOnDone(ctx)()
	if offered, _ := c.client.Extension("SMTPUTF8"); !isASCII(to.Address) && !offered {
		return &PermanentError{Code: 553} // RFC 6531 §3.5
	}
	// Servers cannot relay SMTPUTF8 mails to all others.
	return c.sender(from, !isASCII(from.Address+to.Address))
}

// sender names the sender of a mail.
func (c *connection) sender(from *mail.Address, international bool) error {
	if offered, _ := c.client.Extension("SMTPUTF8"); international && !offered {
		return &SenderError{Code: 553} // RFC 6531 §3.5
	}
	c.client.SkipSMTPUTF8(!international)
	if err := c.command(func() error { return c.client.Mail(envelope(from)) }); err != nil {
		var reply *textproto.Error
		if errors.As(err, &reply) {
			return &SenderError{Code: reply.Code}
		}
		return unavailable("it rejected the sender", err)
	}
	return nil
}

// send names the recipient and transmits the mail.
func (c *connection) send(ctx context.Context, to *mail.Address, raw []byte) error {
	defer c.closeOnDone(ctx)()
	if err := c.command(func() error { return c.client.Rcpt(envelope(to)) }); err != nil {
		return rejection(err, to)
	}
	transmitted := false
	err := c.command(func() error {
		body, err := c.client.Data()
		if err != nil {
			return err
		}
		if err := c.client.UpdateDeadline(submissionFactor * c.timeout); err != nil {
			return err
		}
		if _, err := body.Write(raw); err != nil {
			return err // the server discards a mail without its end
		}
		transmitted = true
		return body.Close()
	})
	var reply *textproto.Error
	if transmitted && err != nil && !errors.As(err, &reply) {
		return ErrUncertain
	}
	c.mails++
	return rejection(err, to)
}

// reset makes the session ready for the next mail, and reports whether that succeeded.
func (c *connection) reset() bool { return c.command(c.client.Reset) == nil }

// quit ends the session.
func (c *connection) quit() {
	_ = c.command(c.client.Quit)
	_ = c.conn.Close()
}

// closeOnDone closes the connection when the context ends. The caller must call stop.
func (c *connection) closeOnDone(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = c.conn.Close() })
}

// envelope returns an address as SMTP commands have it, quoted if necessary.
func envelope(a *mail.Address) string { return (&mail.Address{Address: a.Address}).String() }

// unavailable describes a failure before the recipient was named. It leaves out the server's text, which may
// repeat addresses.
func unavailable(what string, err error) error {
	var reply *textproto.Error
	if errors.As(err, &reply) {
		return fmt.Errorf("%w: %s (%d)", ErrUnavailable, what, reply.Code)
	}
	var unknown x509.UnknownAuthorityError
	var wrong x509.HostnameError
	if errors.As(err, &unknown) || errors.As(err, &wrong) {
		return fmt.Errorf("%w: %s: its certificate is not trusted", ErrUnavailable, what)
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, what)
}

// rejection classifies a failure after the recipient was named, and quotes the server.
func rejection(err error, to *mail.Address) error {
	if err == nil {
		return nil
	}
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		return &TemporaryError{}
	}
	quoted := redact.Reply(reply.Msg, to.Address)
	if reply.Code >= 500 {
		return &PermanentError{Code: reply.Code, Reply: quoted}
	}
	return &TemporaryError{Code: reply.Code, Reply: quoted}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 127 })
}
