// Package smtptest is a mail server for tests. It rejects mails temporarily or permanently, drops connections
// at any stage, replies late, and requires TLS and a password, as configured. It keeps the mails that it
// accepted.
package smtptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Stage is a point in a session.
type Stage string

// The stages, in order. At Body the whole mail was read.
const (
	Connect Stage = "connect"
	Hello   Stage = "hello"
	From    Stage = "from"
	To      Stage = "to"
	Data    Stage = "data"
	Body    Stage = "body"
)

// A Behavior returns one of these, a reply such as "451 4.7.1 greylisted", or "" for the usual reply.
const (
	Drop    = "drop"    // close the connection without a reply
	Swallow = "swallow" // at Body: accept the mail, then close the connection without a reply
	Stall   = "stall"   // do not reply until the client disconnects
)

// A Behavior decides the reply at a stage. The recipient is empty until it is known. Concurrent sessions call
// it concurrently.
type Behavior func(stage Stage, recipient string) string

// Config configures a Server.
type Config struct {
	Behave       Behavior
	ImplicitTLS  bool
	STARTTLS     bool
	User, Pass   string        // required, if not empty
	Auth         []string      // offered mechanisms; empty means PLAIN and LOGIN
	PerMail      time.Duration // delay before each mail is accepted
	NoExtensions bool          // EHLO is unknown
	Forget       bool          // count mails without keeping them
}

// A Mail is an accepted mail.
type Mail struct {
	From, To, Raw string
	Secured       bool // sent over TLS
	User          string
}

// A Server is a mail server on this machine that runs until the test ends.
type Server struct {
	Addr string         // host:port
	Pool *x509.CertPool // contains the authority of its certificate

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

// Mails returns the mails accepted so far.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// Taken returns the number of mails accepted so far.
func (s *Server) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Connections returns the number of connections so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// certificate returns a certificate for 127.0.0.1 and localhost, and a pool with its authority.
func certificate(t testing.TB) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "test"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IsCA:         true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	pair := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, pool
}
