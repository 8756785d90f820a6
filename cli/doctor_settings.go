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
		switch {
		case u.Scheme == "http" && !isLocal(u.Hostname()):
			d.warn("public url", "PUBLIC_URL is http: passwords and tokens travel in plain text",
				"put a proxy with TLS in front, and set PUBLIC_URL to its https address")
		case u.Scheme == "https" && d.cfg.Identity.TrustedHops == 0:
			d.warn("proxies", "PUBLIC_URL is https, so that a proxy is in front, but TRUSTED_PROXY_HOPS is 0: "+
				"all clients share one address, and its limits",
				"set TRUSTED_PROXY_HOPS to the number of proxies that add to X-Forwarded-For")
		}
	}
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

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
