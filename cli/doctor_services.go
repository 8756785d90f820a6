package cli

import (
	"context"
	"errors"
	"net/http"

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
	if _, err := telemetry.ParseHeaders(o.OTLPHeaders); err != nil {
		d.fail("traces", "OTEL_EXPORTER_OTLP_HEADERS "+err.Error(), "write them as name=value, separated by commas")
		return
	}
	if _, err := fetchStatus(ctx, o.OTLPEndpoint+"/v1/traces"); err != nil {
		d.warn("traces", "nothing answers at OTEL_EXPORTER_OTLP_ENDPOINT: traces are lost",
			"check the address; it is OTLP over HTTP, usually port 4318")
		return
	}
	d.ok("traces", "the collector answers")
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
