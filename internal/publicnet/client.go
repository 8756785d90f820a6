package publicnet

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Config configures a Client.
type Config struct {
	// ExemptHosts may have private addresses: "host" or "host:port" as in the URL.
	ExemptHosts []string
	// Timeout bounds a request, with the body of its response. Required.
	Timeout time.Duration
	// Roots are the certificate authorities; nil means those of the system.
	Roots *x509.CertPool
}

// A Client sends requests to addresses that strangers choose. It is safe for concurrent use.
type Client struct {
	exempt  []string
	public  *http.Client // for all other hosts
	private *http.Client // for exempt hosts
}

// NewClient returns a Client.
func NewClient(cfg Config) *Client {
	exempt := make([]string, len(cfg.ExemptHosts))
	for i, host := range cfg.ExemptHosts {
		exempt[i] = strings.ToLower(host)
	}
	return &Client{
		exempt:  exempt,
		public:  newClient(cfg, &net.Dialer{Control: requirePublic}),
		private: newClient(cfg, &net.Dialer{}),
	}
}

func newClient(cfg Config, dialer *net.Dialer) *http.Client {
	return &http.Client{
		Timeout: cfg.Timeout,
		// A redirect could lead to another host with what is sent.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		// Without a proxy: it would connect on our behalf, to any address.
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: cfg.Timeout,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 2, IdleConnTimeout: 10 * time.Second,
			DisableCompression: true, TLSClientConfig: &tls.Config{RootCAs: cfg.Roots, MinVersion: tls.VersionTLS12},
		},
	}
}

// Exempts reports whether the host of a URL may have a private address.
func (c *Client) Exempts(target *url.URL) bool {
	return slices.Contains(c.exempt, strings.ToLower(target.Hostname())) ||
		slices.Contains(c.exempt, strings.ToLower(target.Host))
}

// Do sends a request. Redirects are returned, not followed. Its error is that of package net/http, which
// contains the address; it is ErrPrivate if the host is not public.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	if c.Exempts(r.URL) {
		return c.private.Do(r)
	}
	return c.public.Do(r)
}
