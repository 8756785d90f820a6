package cli

import (
	"context"
	"net/http"

	"research/activities/mail"
	"research/telemetry"
)

func (d *doctor) checkMail(ctx context.Context) {
	m := d.cfg.Mail
	err := mail.Probe(ctx, mail.Config{SMTPURL: m.SMTPURL, From: m.From, Dir: m.Dir, Timeout: checkTimeout})
	switch {
	case err != nil && m.SMTPURL == "":
		d.fail("mail", err.Error(), "make MAIL_DIR a folder that the worker may write to, or set SMTP_URL")
	case err != nil:
		d.fail("mail", err.Error(), "check SMTP_URL: scheme, host, port, user and password")
	case m.SMTPURL == "":
		d.warn("mail", "mails become files in "+m.Dir+": nobody receives them", "set SMTP_URL")
	default:
		d.ok("mail", "the server accepts mails")
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
