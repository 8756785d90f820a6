package cli

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"

	"research/config"
)

// checkSettings checks what can be judged without asking a dependency.
func (d *doctor) checkSettings(context.Context) {
	d.checkRequired()
	k := d.cfg.Keys
	switch {
	case k.Anon != "" && k.Anon == k.Service:
		d.fail("keys",
			"ANON_KEY, which every client knows, is the SERVICE_ROLE_KEY, which bypasses row-level security",
			"make new keys: research secrets")
	case k.CronSecret != "" && slices.Contains([]string{k.Anon, k.Service}, k.CronSecret):
		d.fail("keys", "CRON_SECRET is also an API key", "make new keys: research secrets")
	}
	if u, err := url.Parse(d.cfg.HTTP.PublicURL); err == nil {
		ip := net.ParseIP(u.Hostname())
		switch {
		case u.Hostname() == "" || ip != nil && ip.IsUnspecified():
			d.fail("public url", "PUBLIC_URL is not set, and HTTP_ADDR names no host: links in mails lead to "+
				d.cfg.HTTP.PublicURL, "set PUBLIC_URL to the address that people open")
		case u.Scheme == "http" && !isLocal(u.Hostname()):
			d.warn("public url", "PUBLIC_URL is http: passwords and tokens travel in plain text",
				"put a proxy with TLS in front, and set PUBLIC_URL to its https address")
		case u.Scheme == "https" && d.cfg.Identity.TrustedHops == 0:
			d.warn("proxies", "PUBLIC_URL is https, so that a proxy is in front, but TRUSTED_PROXY_HOPS is 0: "+
				"all clients share one address, and its limits",
				"set TRUSTED_PROXY_HOPS to the number of proxies that add to X-Forwarded-For")
		}
	}
	d.checkSignUp()
	if addr := d.cfg.Observability.MetricsAddr; addr != "" && addr == d.cfg.HTTP.Addr {
		d.fail("metrics", "METRICS_ADDR is HTTP_ADDR: "+addr, "choose another port, or remove METRICS_ADDR")
	}
}

func (d *doctor) checkRequired() {
	err := d.cfg.Require(serveSettings...)
	var problems *config.Problems
	if !errors.As(err, &problems) {
		d.ok("settings", "all that serve and worker require are set")
		return
	}
	var missing []string
	for _, p := range problems.List {
		missing = append(missing, p.Setting)
	}
	d.fail("settings", strings.Join(missing, ", ")+" missing",
		"set them; `research secrets` makes new keys; `research dev` provides all of them on one machine")
}

// freeMail are domains of which anybody can have an address.
var freeMail = []string{
	"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "yahoo.com", "icloud.com",
	"aol.com", "proton.me", "protonmail.com", "gmx.com", "gmx.de", "gmx.net", "web.de", "mail.ru", "yandex.ru",
	"qq.com", "163.com",
}

// checkSignUp warns of settings with which anybody on the internet gets in.
func (d *doctor) checkSignUp() {
	i := d.cfg.Identity
	u, err := url.Parse(d.cfg.HTTP.PublicURL)
	if err != nil || i.Off || isLocal(u.Hostname()) {
		return
	}
	if strings.EqualFold(i.SignUp, "on") && !i.ConfirmEmail {
		d.warn("sign-up", "anybody who reaches PUBLIC_URL can sign up, with any address",
			"set SIGNUP_CONFIRM=on, or SIGNUP to off or to your domains")
	}
	for domain := range strings.SplitSeq(strings.ToLower(i.SignUp), ",") {
		if domain = strings.TrimPrefix(strings.TrimSpace(domain), "@"); slices.Contains(freeMail, domain) {
			d.warn("sign-up", "SIGNUP has "+domain+", of which anybody can have an address",
				"name the domains of your organization only")
		}
	}
	for _, limit := range []struct {
		setting string
		value   int
	}{
		{"LIMIT_ACCOUNT_FAILURES", i.AccountFailures},
		{"LIMIT_ACCOUNT_FAILURES_TOTAL", i.AccountFailuresTotal},
		{"LIMIT_ADDRESS_FAILURES", i.AddressFailures},
		{"LIMIT_ADDRESS_SIGNUPS", i.AddressSignUps},
		{"LIMIT_ADDRESS_CLIENTS", i.AddressClients},
	} {
		if limit.value == 0 {
			d.warn("limits", limit.setting+" is 0, which means no limit: "+
				"passwords can be guessed, or accounts and apps made, as fast as requests arrive",
				"remove "+limit.setting+", so that its default applies")
		}
	}
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
