package cli

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"research/activities/mail"
	"research/telemetry"
)

func (d *doctor) checkMail(ctx context.Context) {
	m := d.cfg.Mail
	err := mail.Probe(ctx, mail.Config{SMTPURL: m.SMTPURL, From: m.From, Dir: m.Dir, Timeout: checkTimeout})
	var sender *mail.SenderError
	var login *mail.LoginError
	switch {
	case errors.As(err, &sender) && sender.Temporary():
		d.warn("mail", err.Error(), "run research doctor again in some minutes; mails wait meanwhile")
	case errors.As(err, &sender) && sender.NeedsLogin():
		d.fail("mail", err.Error(), "add the user and the password to SMTP_URL: smtp://user:password@host:587")
	case errors.As(err, &sender):
		d.fail("mail", err.Error(), "set MAIL_FROM to an address that this user of the server may send as")
	case errors.As(err, &login) && login.Temporary():
		d.warn("mail", err.Error(), "run research doctor again in some minutes; mails wait meanwhile")
	case errors.As(err, &login) && login.IsMechanism():
		d.fail("mail", err.Error(),
			"make a password for programs at the provider, or use another server; ?auth= of SMTP_URL chooses a login")
	case errors.As(err, &login):
		d.fail("mail", err.Error(), "correct user and password in SMTP_URL; special characters are written as %40 "+
			"(@), %3A (:), %2F (/), %23 (#) and %25 (%)")
	case err != nil && m.SMTPURL == "":
		d.fail("mail", err.Error(), "make MAIL_DIR a folder that the worker may write to, or set SMTP_URL")
	case err != nil:
		d.fail("mail", err.Error(), "check SMTP_URL: scheme, host, port, user and password")
	case m.SMTPURL == "":
		d.warn("mail", "mails become files in "+m.Dir+": nobody receives them", "set SMTP_URL")
	default:
		d.ok("mail", "the server accepts mails of MAIL_FROM")
	}
}

func (d *doctor) checkTraces(ctx context.Context) {
	o := d.cfg.Observability
	if o.OTLPEndpoint == "" {
		return
	}
	headers, err := telemetry.ParseHeaders(o.OTLPHeaders)
	if err != nil {
		d.fail("traces", "OTEL_EXPORTER_OTLP_HEADERS "+err.Error(), "write them as name=value, separated by commas")
		return
	}
	status, contentType, err := sendNoTraces(ctx, o.OTLPEndpoint+"/v1/traces", headers)
	switch {
	case err != nil:
		d.warn("traces", "nothing answers at OTEL_EXPORTER_OTLP_ENDPOINT: traces are lost",
			"check the address; it is OTLP over HTTP, usually port 4318")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		d.warn("traces", "the collector refuses the credentials: traces are lost",
			"check OTEL_EXPORTER_OTLP_HEADERS")
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		d.warn("traces", fmt.Sprintf("the collector answers %d: traces are lost meanwhile", status),
			"check the collector")
	case status != http.StatusOK || contentType == "text/html":
		d.warn("traces", "what answers at OTEL_EXPORTER_OTLP_ENDPOINT is no collector: traces are lost",
			"check the address; it is OTLP over HTTP, usually port 4318, and without /v1/traces, which is added")
	default:
		d.ok("traces", "the collector accepts them")
	}
}

// sendNoTraces exports no traces, which a collector accepts as it does some: the message has no field.
func sendNoTraces(
	ctx context.Context, address string, headers map[string]string,
) (status int, contentType string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	contentType, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return resp.StatusCode, contentType, resp.Body.Close()
}

// checkPublicURL checks that PUBLIC_URL leads to this deployment, whose page tells every browser its
// ANON_KEY.
func (d *doctor) checkPublicURL(ctx context.Context) {
	address := d.cfg.HTTP.PublicURL
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || net.ParseIP(u.Hostname()).IsUnspecified() {
		return // checkSettings says so
	}
	key, status, err := fetchAnonKey(ctx, address+"/config.json")
	switch {
	case err != nil:
		d.warn("public url", "nothing answers at PUBLIC_URL, "+address+", from here: "+shortReason(err),
			"start `research serve`, or check PUBLIC_URL and the proxy; people must reach it, this machine need not")
	case status >= http.StatusInternalServerError:
		d.warn("public url", fmt.Sprintf("PUBLIC_URL, %s, answers %d", address, status),
			"start `research serve`, and check where the proxy sends requests")
	case key == "":
		d.fail("public url",
			"what answers at PUBLIC_URL, "+address+", is not this service: links in mails lead there",
			"set PUBLIC_URL to the address that people open, and check where the proxy sends requests")
	case d.cfg.Keys.Anon != "" && key != d.cfg.Keys.Anon:
		d.fail("public url", "PUBLIC_URL, "+address+", leads to a service with another ANON_KEY",
			"correct PUBLIC_URL or ANON_KEY; restart `research serve` if the key was changed")
	default:
		d.ok("public url", "%s leads to this service", address)
	}
}

// maxConfigBytes suffices for what the page is configured with.
const maxConfigBytes = 64 << 10

// fetchAnonKey returns the key that a service tells browsers; none means that the answer is not a service's.
func fetchAnonKey(ctx context.Context, address string) (key string, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	var told struct{ AnonKey string }
	if json.NewDecoder(io.LimitReader(resp.Body, maxConfigBytes)).Decode(&told) != nil {
		return "", resp.StatusCode, nil
	}
	return told.AnonKey, resp.StatusCode, nil
}

// shortReason is why a request got no answer, without the URL.
func shortReason(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns):
		return "its host name has no address"
	case errors.As(err, &certificate):
		return "its certificate is not valid: " + certificate.Err.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection is refused"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return "the connection fails"
}

func fetchStatus(ctx context.Context, url string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}
