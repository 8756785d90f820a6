package mail

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// defaultTimeout bounds one reply of the server. RFC 5321 §4.5.3.2 allows five minutes, but a server that
// takes half a minute is out of order.
const defaultTimeout = 30 * time.Second

// A tlsMode says when a connection is encrypted.
type tlsMode string

// The modes, as SMTP_URL names them by ?tls=, except for implicit, which is the scheme smtps.
const (
	tlsImplicit      tlsMode = "implicit"      // from the first byte
	tlsRequired      tlsMode = "required"      // by STARTTLS, or not at all
	tlsOpportunistic tlsMode = "opportunistic" // by STARTTLS if the server offers it
	tlsOff           tlsMode = "off"
)

// An endpoint is a server that accepts mails for delivery (RFC 6409), and the way to connect to it.
type endpoint struct {
	host, port     string
	tlsMode        tlsMode
	tlsConfig      *tls.Config
	user, password string
	auth           string // one of mechanisms, in any case; "" means one that the server offers
	localName      string // for EHLO
	timeout        time.Duration
}

// errURL does not repeat the value, which contains a password.
var errURL = errors.New("SMTP_URL must be smtp://user:password@host:port or smtps://…, " +
	"optionally with ?tls=required, opportunistic or off and ?auth=plain, login, scram-sha-256 or cram-md5")

func newEndpoint(cfg Config) (*endpoint, error) {
	u, err := url.Parse(cfg.SMTPURL)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errURL
	}
	e := &endpoint{
		host:      u.Hostname(),
		port:      u.Port(),
		user:      u.User.Username(),
		auth:      u.Query().Get("auth"),
		localName: localName(),
		timeout:   cmp.Or(cfg.Timeout, defaultTimeout),
		tlsConfig: &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs},
	}
	e.password, _ = u.User.Password()
	if e.auth != "" && !slices.Contains(mechanisms, strings.ToUpper(e.auth)) {
		return nil, errURL
	}
	if e.tlsMode, err = e.parseTLSMode(u); err != nil {
		return nil, err
	}
	if e.port == "" {
		e.port = "587"
		if e.tlsMode == tlsImplicit {
			e.port = "465"
		}
	}
	return e, nil
}

func (e *endpoint) parseTLSMode(u *url.URL) (tlsMode, error) {
	mode := tlsMode(u.Query().Get("tls"))
	if u.Scheme == "smtps" {
		if mode != "" {
			return "", errURL
		}
		return tlsImplicit, nil
	}
	switch mode {
	case "":
		// A password must be encrypted, unless the server is on this machine.
		if e.user != "" && !e.isLocal() {
			return tlsRequired, nil
		}
		return tlsOpportunistic, nil
	case tlsRequired, tlsOpportunistic, tlsOff:
		return mode, nil
	}
	return "", errURL
}

// isLocal reports whether the server is on this machine.
func (e *endpoint) isLocal() bool {
	ip := net.ParseIP(e.host)
	return e.host == "localhost" || ip != nil && ip.IsLoopback()
}

// localName returns the name of this machine, if it can be used in EHLO.
func localName() string {
	name, err := os.Hostname()
	if err != nil || name == "" || strings.ContainsAny(name, " \r\n") {
		return "localhost"
	}
	return name
}
