package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

const (
	// defaultTimeout is how long one answer may take; RFC 5321 §4.5.3.2 would allow five minutes, and nobody needs them.
	defaultTimeout = 30 * time.Second
	// submissionFactor: the answer to the whole mail may take longer, since giving up too early leaves open whether it was taken.
	submissionFactor = 4
	// idleTimeout is below what servers allow a silent client: RFC 5321 says five minutes, some say one.
	idleTimeout = 30 * time.Second
	// mailsPerConnection: many servers end a connection after a hundred mails.
	mailsPerConnection = 100
)

// The ways of using TLS, as SMTP_URL names them by ?tls=.
const (
	tlsImplicit      = "implicit"      // from the first byte; smtps://
	tlsRequired      = "required"      // STARTTLS or nothing
	tlsOpportunistic = "opportunistic" // STARTTLS where it is offered
	tlsOff           = "off"
)

// A server is where mails are handed over (RFC 6409), by connections that serve several mails each.
type server struct {
	host, port string
	mode       string // of TLS
	user, pass string
	auth       string // plain or login; empty: what the server offers
	hello      string
	timeout    time.Duration
	secure     *tls.Config

	slots chan struct{} // one for each connection that may be open
	mu    sync.Mutex
	idle  []*connection // the one used last at the end
	prune *time.Timer
}

// A connection is one that has said hello, and logged in where that is asked for.
type connection struct {
	*smtp.Client
	raw   net.Conn
	mails int
	since time.Time // idle since
}

var errURL = errors.New("SMTP_URL must be smtp://user:password@host:port or smtps://…, with ?tls=required, opportunistic or off and ?auth=plain or login if need be") // the value holds a password

func newServer(address string, cfg Config) (*server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errURL
	}
	s := &server{host: u.Hostname(), port: u.Port(), user: u.User.Username(), timeout: cmp.Or(cfg.Timeout, defaultTimeout)}
	s.pass, _ = u.User.Password()
	s.auth = u.Query().Get("auth")
	s.mode = u.Query().Get("tls")
	switch {
	case u.Scheme == "smtps" && s.mode == "":
		s.mode = tlsImplicit
	case u.Scheme == "smtps":
		return nil, errURL
	case s.mode == "":
		// Who gives a password wants it kept; a server of this machine is reached by no line that anybody listens on.
		s.mode = tlsOpportunistic
		if s.user != "" && !s.local() {
			s.mode = tlsRequired
		}
	}
	if !slices.Contains([]string{tlsImplicit, tlsRequired, tlsOpportunistic, tlsOff}, s.mode) || !slices.Contains([]string{"", "plain", "login"}, s.auth) {
		return nil, errURL
	}
	if s.port == "" {
		s.port = "587"
		if s.mode == tlsImplicit {
			s.port = "465"
		}
	}
	s.hello, err = os.Hostname()
	if err != nil || strings.ContainsAny(s.hello, " \r\n") || s.hello == "" {
		s.hello = "localhost"
	}
	s.secure = &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs}
	s.slots = make(chan struct{}, max(cfg.Connections, 1))
	return s, nil
}

// local tells whether the server is this machine.
func (s *server) local() bool {
	ip := net.ParseIP(s.host)
	return s.host == "localhost" || ip != nil && ip.IsLoopback()
}

// deliver hands one mail over. Its errors are those of Sender.Send.
func (s *server) deliver(ctx context.Context, from, to string, raw []byte, _ string) error {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return ErrUnavailable
	}
	defer func() { <-s.slots }()
	c := s.takeIdle()
	if c != nil {
		// The server may have ended it meanwhile; that shows at the first command, before anything of this mail is out.
		if err := s.begin(ctx, c, from, to); err != nil {
			_ = c.Close()
			c = nil
		}
	}
	if c == nil {
		var err error
		if c, err = s.dial(ctx); err != nil {
			return err
		}
		if err := s.begin(ctx, c, from, to); err != nil {
			_ = c.Close()
			return err
		}
	}
	err := s.hand(ctx, c, to, raw)
	s.put(c, err)
	return err
}

// guard closes the connection when the context ends, which ends whatever waits on it.
func guard(ctx context.Context, c *connection) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = c.raw.Close() })
}

// begin opens a mail. A refusal here is about us, not about the recipient.
func (s *server) begin(ctx context.Context, c *connection, from, to string) error {
	defer guard(ctx, c)()
	options := &smtp.MailOptions{}
	if !isASCII(to) {
		options.UTF8, _ = c.Extension("SMTPUTF8")
		if !options.UTF8 {
			return &PermanentError{Code: 553} // RFC 6531 §3.5
		}
	}
	if err := c.Mail(from, options); err != nil {
		return unavailable("the sender is refused", err)
	}
	return nil
}

// hand names the recipient and gives the mail.
func (s *server) hand(ctx context.Context, c *connection, to string, raw []byte) error {
	defer guard(ctx, c)()
	if err := c.Rcpt(to, nil); err != nil {
		return refusal(err)
	}
	w, err := c.Data()
	if err != nil {
		return refusal(err)
	}
	_ = c.raw.SetDeadline(time.Now().Add(submissionFactor * s.timeout)) // the library sets one for commands only
	if _, err := w.Write(raw); err != nil {
		return &TemporaryError{} // without its end the server drops the mail
	}
	err = w.Close()
	var said *smtp.SMTPError
	if err != nil && !errors.As(err, &said) {
		return ErrUncertain
	}
	c.mails++
	return refusal(err)
}

// put keeps a connection for the next mail, where it still is one.
func (s *server) put(c *connection, err error) {
	var temporary *TemporaryError
	var permanent *PermanentError
	answered := err == nil || errors.As(err, &permanent) || errors.As(err, &temporary) && temporary.Code != 0 && temporary.Code != 421 // RFC 5321: 421 ends it
	if answered && err != nil {
		answered = c.Reset() == nil
	}
	if !answered {
		_ = c.Close()
		return
	}
	if c.mails >= mailsPerConnection {
		_ = c.Quit()
		return
	}
	c.since = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, c)
	if s.prune == nil {
		s.prune = time.AfterFunc(idleTimeout, s.closeOld)
	}
}

func (s *server) takeIdle() *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) == 0 {
		return nil
	}
	c := s.idle[len(s.idle)-1]
	s.idle = s.idle[:len(s.idle)-1]
	return c
}

// closeOld ends connections that nobody used for a while, and comes back as long as there are others.
func (s *server) closeOld() {
	s.mu.Lock()
	young := slices.IndexFunc(s.idle, func(c *connection) bool { return time.Since(c.since) < idleTimeout })
	if young < 0 {
		young = len(s.idle)
	}
	old := slices.Clone(s.idle[:young])
	s.idle = slices.Delete(s.idle, 0, young)
	s.prune = nil
	if len(s.idle) > 0 {
		s.prune = time.AfterFunc(idleTimeout, s.closeOld)
	}
	s.mu.Unlock()
	for _, c := range old {
		_ = c.Quit()
		_ = c.Close()
	}
}

func (s *server) close() {
	s.mu.Lock()
	old := s.idle
	s.idle = nil
	if s.prune != nil {
		s.prune.Stop()
	}
	s.mu.Unlock()
	for _, c := range old {
		_ = c.Quit()
		_ = c.Close()
	}
}

// dial connects, secures the line and logs in. All its errors are ErrUnavailable: none is about a recipient.
func (s *server) dial(ctx context.Context) (*connection, error) {
	mode := s.mode
	c, err := s.connect(ctx, mode == tlsImplicit)
	if err != nil {
		return nil, err
	}
	if mode == tlsOpportunistic || mode == tlsRequired {
		if c, err = s.startTLS(ctx, c); err != nil {
			return nil, err
		}
	}
	if s.user != "" {
		if err := s.logIn(ctx, c); err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	return c, nil
}

func (s *server) connect(ctx context.Context, implicit bool) (*connection, error) {
	dialer := &net.Dialer{Timeout: s.timeout}
	raw, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return nil, unavailable("it cannot be reached", err)
	}
	line := raw
	if implicit {
		line = tls.Client(raw, s.secure)
	}
	c := s.client(smtp.NewClient(line), raw)
	defer guard(ctx, c)()
	if err := c.Hello(s.hello); err != nil {
		_ = c.Close()
		return nil, unavailable("it does not say hello", err)
	}
	return c, nil
}

func (s *server) client(c *smtp.Client, raw net.Conn) *connection {
	c.CommandTimeout, c.SubmissionTimeout = s.timeout, submissionFactor*s.timeout
	return &connection{Client: c, raw: raw}
}

// startTLS secures the line where the server offers it. The library starts TLS on fresh connections only, so that finding out takes one of its own.
func (s *server) startTLS(ctx context.Context, plain *connection) (*connection, error) {
	if offered, _ := plain.Extension("STARTTLS"); !offered {
		if s.mode == tlsRequired {
			_ = plain.Close()
			return nil, unavailable("it offers no STARTTLS, which SMTP_URL requires", nil)
		}
		return plain, nil
	}
	_ = plain.Quit()
	_ = plain.Close()
	raw, err := (&net.Dialer{Timeout: s.timeout}).DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return nil, unavailable("it cannot be reached", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	_ = raw.SetDeadline(time.Now().Add(s.timeout))
	secured, err := smtp.NewClientStartTLS(raw, s.secure)
	if err != nil {
		return nil, unavailable("STARTTLS failed", err)
	}
	c := s.client(secured, raw)
	if err := c.Hello(s.hello); err != nil { // the handshake is made here
		_ = c.Close()
		return nil, unavailable("TLS failed", err)
	}
	return c, nil
}

// logIn never sends a password over a line without TLS, but to this machine.
func (s *server) logIn(ctx context.Context, c *connection) error {
	defer guard(ctx, c)()
	if _, secured := c.TLSConnectionState(); !secured && !s.local() {
		return unavailable("the line is not secured, so that the password stays here", nil)
	}
	method := s.auth
	if method == "" {
		method = "plain"
		if !c.SupportsAuth(sasl.Plain) && c.SupportsAuth(sasl.Login) {
			method = "login"
		}
	}
	mechanism := sasl.NewPlainClient("", s.user, s.pass)
	if method == "login" {
		mechanism = sasl.NewLoginClient(s.user, s.pass)
	}
	if err := c.Auth(mechanism); err != nil {
		return unavailable("it does not take the password", err)
	}
	return nil
}

// unavailable says what went wrong before a recipient was named; a server's own words stay out, since they may repeat addresses.
func unavailable(what string, err error) error {
	var said *smtp.SMTPError
	if errors.As(err, &said) {
		return fmt.Errorf("%w: %s (%d)", ErrUnavailable, what, said.Code)
	}
	var unknown x509.UnknownAuthorityError
	var wrong x509.HostnameError
	if errors.As(err, &unknown) || errors.As(err, &wrong) {
		return fmt.Errorf("%w: %s: its certificate is not trusted", ErrUnavailable, what)
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, what)
}

// refusal sorts what a server says once the recipient is named.
func refusal(err error) error {
	var said *smtp.SMTPError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said) && said.Code >= 500:
		return &PermanentError{Code: said.Code}
	case errors.As(err, &said):
		return &TemporaryError{Code: said.Code}
	}
	return &TemporaryError{}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 127 })
}
