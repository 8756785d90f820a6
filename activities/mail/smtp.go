package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/smtp"
	"net/textproto"
	"net/url"
	"time"
)

// dialogueTimeout bounds one delivery; greylisting servers answer slowly.
const dialogueTimeout = time.Minute

// A server is where mails are handed over (RFC 6409).
type server struct {
	host, port string
	implicit   bool // TLS from the first byte
	user, pass string
}

func parseServer(address string) (server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return server{}, errors.New("SMTP_URL must be smtp://user:password@host:port or smtps://…") // the value holds a password
	}
	s := server{host: u.Hostname(), port: u.Port(), implicit: u.Scheme == "smtps", user: u.User.Username()}
	s.pass, _ = u.User.Password()
	if s.port == "" {
		s.port = "587"
		if s.implicit {
			s.port = "465"
		}
	}
	return s, nil
}

func (s server) deliver(ctx context.Context, from, to string, raw []byte, _ string) error {
	ctx, cancel := context.WithTimeout(ctx, dialogueTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return errors.New("the mail server cannot be reached")
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	secure := &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}
	if s.implicit {
		conn = tls.Client(conn, secure)
	}
	return failed(s.talk(conn, secure, from, to, raw))
}

func (s server) talk(conn net.Conn, secure *tls.Config, from, to string, raw []byte) error {
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return err
	}
	if offered, _ := c.Extension("STARTTLS"); offered && !s.implicit {
		if err := c.StartTLS(secure); err != nil {
			return err
		}
	}
	if s.user != "" {
		// It refuses to send a password over a line without TLS, but to this machine.
		if err := c.Auth(smtp.PlainAuth("", s.user, s.pass, s.host)); err != nil {
			return err
		}
	}
	if err := c.Mail(from); err != nil {
		return err
	}
	if err := c.Rcpt(to); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(raw); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_ = c.Quit() // the mail has been taken
	return nil
}

// failed keeps a server's words, which repeat addresses, out of our errors.
func failed(err error) error {
	var said *textproto.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said) && said.Code >= 500:
		return &PermanentError{Code: said.Code, cause: err}
	case errors.As(err, &said):
		return fmt.Errorf("the mail server refuses for now (%d)", said.Code)
	}
	return errors.New("the talk with the mail server broke off")
}
