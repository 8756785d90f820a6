package oidc

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"research/internal/publicnet"
)

// A network sends requests to providers. It is the http.RoundTripper of package oauth2.
type network struct{ client *publicnet.Client }

// check returns what is wrong with the address of a provider, as a predicate, or "".
func (n network) check(address string) string {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Hostname() == "" || len(address) > maxAddressBytes || !isPlainText(address):
		return "is not a URL"
	case parsed.User != nil || parsed.Fragment != "":
		return "has a user name or a fragment"
	case parsed.Scheme == "https":
		return ""
	case parsed.Scheme != "http":
		return "does not begin with https://"
	case !isLoopback(parsed):
		return "does not begin with https:// (plain http is accepted for hosts of this machine alone)"
	case !n.client.Exempts(parsed):
		return "does not begin with https:// (plain http needs its host in EXTERNAL_ALLOWED_HOSTS)"
	}
	return ""
}

// maxAddressBytes bounds the addresses of providers.
const maxAddressBytes = 1000

// isPlainText reports whether a text has printable ASCII characters alone.
func isPlainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func isLoopback(address *url.URL) bool {
	host := address.Hostname()
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// fetchJSON reads a JSON document. what names it in an Error.
func (n network) fetchJSON(ctx context.Context, what, address string, header http.Header, into any) error {
	if wrong := n.check(address); wrong != "" {
		return unusable("address of the "+what, wrong)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return unusable("address of the "+what, "is not a URL")
	}
	for name, values := range header {
		r.Header[name] = values
	}
	document, err := n.client.RequestJSON(r, maxBodyBytes)
	if err != nil {
		return notFetched(what, r.URL, err)
	}
	if err := json.Unmarshal(document.Body, into); err != nil {
		return unusable(what, "is not JSON, or has other types")
	}
	return nil
}

// RoundTrip implements http.RoundTripper. The body of its response was read.
func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json")
	resp, err := n.client.Fetch(r, maxBodyBytes)
	if err != nil {
		return nil, notFetched("token response", r.URL, err)
	}
	return &http.Response{
		Status: http.StatusText(resp.Status), StatusCode: resp.Status, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(resp.Body)),
		ContentLength: int64(len(resp.Body)), Request: r,
	}, nil
}

// forOAuth has package oauth2 send its requests by the network. Redirects are not followed.
func (n network) forOAuth(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
		Transport:     n,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}
