// Package smtptest plays a mail server that behaves as badly as real ones do: it refuses for now or for good, breaks off at any point, answers late, wants TLS and a
// password. It keeps what it took.
package smtptest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Stage is where a conversation stands.
type Stage string

// The stages, in their order. At Body the whole mail has been read.
const (
	Connect Stage = "connect"
	Hello   Stage = "hello"
	From    Stage = "from"
	To      Stage = "to"
	Data    Stage = "data"
	Body    Stage = "body"
)

// What a Behavior may return beside a reply such as "451 4.7.1 greylisted"; "" is the usual reply.
const (
	Drop    = "drop"    // the connection ends without a word
	Swallow = "swallow" // at Body: the mail is taken, and the connection ends without a word
	Stall   = "stall"   // nothing is said until the client goes away
)

// A Behavior answers a stage; recipient is that of the mail, where it is known. It is called by several conversations at once.
type Behavior func(stage Stage, recipient string) string

// Config says what the server offers and wants.
type Config struct {
	Behave       Behavior
	ImplicitTLS  bool
	STARTTLS     bool
	User, Pass   string   // wanted, if not empty
	Auth         []string // offered mechanisms; empty: PLAIN and LOGIN
	PerMail      time.Duration
	NoExtensions bool // as before 1995: EHLO is unknown
	Forget       bool // mails are only counted
}

// A Mail is one that was taken.
type Mail struct {
	From, To, Raw string
	Secured       bool // by TLS
	User          string
}

// A Server listens until the test ends.
type Server struct {
	Addr string         // host:port
	Pool *x509.CertPool // who signed its certificate

	cfg      Config
	secure   *tls.Config
	listener net.Listener

	mu    sync.Mutex
	mails []Mail
	taken int
	conns int
	open  map[net.Conn]bool
}

// New starts a server.
func New(t testing.TB, cfg Config) *Server {
	t.Helper()
	if cfg.Behave == nil {
		cfg.Behave = func(Stage, string) string { return "" }
	}
	s := &Server{cfg: cfg, open: map[net.Conn]bool{}}
	s.secure, s.Pool = certificate(t)
	var err error
	s.listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.Addr = s.listener.Addr().String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns++
			s.open[conn] = true
			s.mu.Unlock()
			all.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = s.listener.Close()
		s.mu.Lock()
		for conn := range s.open {
			_ = conn.Close()
		}
		s.mu.Unlock()
		all.Wait()
	})
	return s
}

// Mails are those that were taken so far.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// Taken is how many mails were taken so far.
func (s *Server) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Connections is how many there were so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// A talk is one connection.
type talk struct {
	s         *Server
	conn      net.Conn
	in        *bufio.Reader
	secured   bool
	user      string
	from, to  string
	recipient string
}

func (s *Server) serve(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		s.mu.Lock()
		delete(s.open, conn)
		s.mu.Unlock()
	}()
	t := &talk{s: s, conn: conn, in: bufio.NewReader(conn)}
	if s.cfg.ImplicitTLS {
		t.secureLine()
	}
	if !t.stage(Connect, "220 test ESMTP") {
		return
	}
	for {
		line, err := t.in.ReadString('\n')
		if err != nil || !t.answer(strings.TrimRight(line, "\r\n")) {
			return
		}
	}
}

func (t *talk) say(format string, args ...any) { _, _ = fmt.Fprintf(t.conn, format+"\r\n", args...) }

// stage answers as the test wants, else as usual; false ends the connection.
func (t *talk) stage(stage Stage, usual string) bool {
	switch reply := t.s.cfg.Behave(stage, t.recipient); reply {
	case "":
		t.say("%s", usual)
	case Drop, Swallow:
		return false
	case Stall:
		_, _ = t.in.ReadByte() // until the client goes away
		return false
	default:
		t.say("%s", reply)
		return !strings.HasPrefix(reply, "421")
	}
	return true
}

func (t *talk) secureLine() {
	t.conn = tls.Server(t.conn, t.s.secure)
	t.in = bufio.NewReader(t.conn)
	t.secured = true
}

func (t *talk) answer(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO":
		if t.s.cfg.NoExtensions {
			t.say("500 unknown")
			return true
		}
		return t.stage(Hello, t.offers())
	case "HELO":
		t.say("250 test")
	case "STARTTLS":
		t.say("220 go ahead")
		t.secureLine()
	case "AUTH":
		return t.authenticate(rest)
	case "MAIL":
		if t.s.cfg.User != "" && t.user == "" {
			t.say("530 5.7.0 log in first")
			return true
		}
		t.from, t.to, t.recipient = address(rest), "", ""
		return t.stage(From, "250 2.1.0 ok")
	case "RCPT":
		t.recipient = address(rest)
		t.to = t.recipient
		return t.stage(To, "250 2.1.5 ok")
	case "DATA":
		return t.data()
	case "RSET":
		t.recipient = ""
		t.say("250 ok")
	case "NOOP":
		t.say("250 ok")
	case "QUIT":
		t.say("221 bye")
		return false
	default:
		t.say("502 what?")
	}
	return true
}

func (t *talk) offers() string {
	lines := []string{"test"}
	if t.s.cfg.STARTTLS && !t.secured {
		lines = append(lines, "STARTTLS")
	}
	if t.s.cfg.User != "" {
		mechanisms := t.s.cfg.Auth
		if len(mechanisms) == 0 {
			mechanisms = []string{"PLAIN", "LOGIN"}
		}
		lines = append(lines, "AUTH "+strings.Join(mechanisms, " "))
	}
	lines = append(lines, "8BITMIME")
	for i := range lines[:len(lines)-1] {
		lines[i] = "250-" + lines[i]
	}
	lines[len(lines)-1] = "250 " + lines[len(lines)-1]
	return strings.Join(lines, "\r\n")
}

func (t *talk) authenticate(rest string) bool {
	mechanism, initial, _ := strings.Cut(rest, " ")
	var user, pass string
	switch mechanism {
	case "PLAIN":
		raw, _ := base64.StdEncoding.DecodeString(initial)
		if parts := strings.Split(string(raw), "\x00"); len(parts) == 3 {
			user, pass = parts[1], parts[2]
		}
	case "LOGIN":
		if raw, err := base64.StdEncoding.DecodeString(initial); err == nil && initial != "" {
			user = string(raw)
		} else {
			user = t.ask("VXNlcm5hbWU6")
		}
		pass = t.ask("UGFzc3dvcmQ6")
	}
	if user != t.s.cfg.User || pass != t.s.cfg.Pass {
		t.say("535 5.7.8 no")
		return true
	}
	t.user = user
	t.say("235 2.7.0 welcome")
	return true
}

func (t *talk) ask(what string) string {
	t.say("334 %s", what)
	line, _ := t.in.ReadString('\n')
	raw, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
	return string(raw)
}

func (t *talk) data() bool {
	if reply := t.s.cfg.Behave(Data, t.recipient); reply != "" {
		if reply == Drop {
			return false
		}
		t.say("%s", reply)
		return true
	}
	t.say("354 go on")
	var raw strings.Builder
	for {
		line, err := t.in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		raw.WriteString(strings.TrimPrefix(line, "."))
	}
	time.Sleep(t.s.cfg.PerMail)
	reply := t.s.cfg.Behave(Body, t.recipient)
	if reply == "" || reply == Swallow {
		t.s.mu.Lock()
		t.s.taken++
		if !t.s.cfg.Forget {
			t.s.mails = append(t.s.mails, Mail{From: t.from, To: t.to, Raw: raw.String(), Secured: t.secured, User: t.user})
		}
		t.s.mu.Unlock()
	}
	switch reply {
	case "":
		t.say("250 2.0.0 taken")
	case Drop, Swallow:
		return false
	case Stall:
		_, _ = t.in.ReadByte()
		return false
	default:
		t.say("%s", reply)
	}
	return true
}

// address reads what stands between the angle brackets of FROM:<…> and TO:<…>.
func address(rest string) string {
	_, rest, _ = strings.Cut(rest, "<")
	inside, _, _ := strings.Cut(rest, ">")
	return inside
}

// certificate is one for 127.0.0.1 and localhost, of an authority of its own.
func certificate(t testing.TB) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, pool
}
