package cli

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/google/uuid"

	"research/db"
	"research/identity/oidc"
	"research/server"
)

// checkProviders asks the providers with which people sign in.
func (d *doctor) checkProviders(ctx context.Context) {
	providers, err := server.OpenProviders(d.cfg)
	if err != nil {
		d.fail("sign-in", strings.TrimPrefix(err.Error(), "settings: "),
			"correct the setting; docs/sign-in.md has examples")
		return
	}
	d.askProviders(ctx, providers)
}

// askProviders asks all providers at the same time: each has most of the time of a check.
func (d *doctor) askProviders(ctx context.Context, providers *oidc.Providers) {
	list := providers.List()
	if len(list) == 0 {
		return
	}
	d.checkRedirectURI(providers)
	reports := make([]oidc.Report, len(list))
	var asking sync.WaitGroup
	for i, p := range list {
		if reports[i] = judgeClient(p.Config()); reports[i].OK() {
			asking.Go(func() { reports[i] = p.Check(ctx) })
		}
	}
	asking.Wait()
	for i, p := range list {
		d.checkCustomIssuer(p.Config())
		d.reportProvider(p.Config(), reports[i])
	}
}

func (d *doctor) reportProvider(c oidc.Config, r oidc.Report) {
	check := "sign-in " + c.Name
	switch {
	case !r.OK():
		d.fail(check, c.Label+" "+r.Problem, r.Advice)
	case r.Advice != "":
		d.warn(check, c.Label+" answers, and does not say whether it accepts the client", r.Advice)
	default:
		d.ok(check, "%s answers, and accepts the client", c.Label)
	}
}

// checkCustomIssuer reports a provider whose own settings are safer: those know what proves an address there.
func (d *doctor) checkCustomIssuer(c oidc.Config) {
	issuer, err := url.Parse(c.Issuer)
	if err != nil || !strings.HasPrefix(c.Name, oidc.CustomPrefix) {
		return
	}
	prefix := map[string]string{
		"accounts.google.com": "EXTERNAL_GOOGLE", "login.microsoftonline.com": "EXTERNAL_AZURE",
	}[strings.ToLower(issuer.Hostname())]
	if prefix != "" {
		d.warn("sign-in "+c.Name, "email_verified of "+issuer.Hostname()+" does not prove an address",
			"remove the provider from EXTERNAL_PROVIDERS, and set "+prefix+"_CLIENT_ID and "+prefix+
				"_CLIENT_SECRET")
	}
}

// checkRedirectURI names the address to which providers send people back, and says why they may not.
func (d *doctor) checkRedirectURI(providers *oidc.Providers) {
	u, err := url.Parse(d.cfg.HTTP.PublicURL)
	if err != nil {
		return // checkSettings says so
	}
	d.ok("sign-in", "the redirect address to register at each provider is %s",
		server.ProviderRedirectURI(d.cfg))
	host := u.Hostname()
	switch {
	case u.Scheme == "http" && !isLocal(host):
		d.fail("sign-in", "PUBLIC_URL is http, and providers send nobody back to such an address",
			"put a proxy with TLS in front, and set PUBLIC_URL to its https address")
	case u.Scheme == "http" && host != "localhost" && providers.Get(oidc.NameAzure) != nil:
		d.warn("sign-in", "PUBLIC_URL has the host "+host+": of http addresses, Microsoft takes those of "+
			"localhost alone", "set PUBLIC_URL to http://localhost and the port, for tests on this machine")
	case net.ParseIP(host) != nil && !isLocal(host) && providers.Get(oidc.NameGoogle) != nil:
		d.warn("sign-in", "PUBLIC_URL has no name, and Google takes no redirect addresses without one",
			"give the service a name in a public domain, and set PUBLIC_URL to it")
	}
}

// checkIssuers reports custom providers that have moved: who has linked an account before is kept out.
func (d *doctor) checkIssuers(ctx context.Context, store *db.Store) {
	providers, err := server.OpenProviders(d.cfg)
	if err != nil {
		return // checkProviders says so
	}
	for _, p := range providers.List() {
		c := p.Config()
		if !strings.HasPrefix(c.Name, oidc.CustomPrefix) {
			continue
		}
		foreign, err := db.AsService(ctx, store, func(q *db.Queries) (int64, error) {
			return q.CountForeignIssuers(ctx, db.CountForeignIssuersParams{Provider: c.Name, Issuer: c.Issuer})
		})
		switch {
		case err != nil:
			d.fail("sign-in "+c.Name, "the linked accounts cannot be read",
				"check what the programs may do in the database")
		case foreign > 0:
			d.warn("sign-in "+c.Name, fmt.Sprintf("accounts that are linked to another issuer, and cannot sign in "+
				"with %s: %d", c.Label, foreign), "see \"A provider that moves\" in docs/sign-in.md")
		}
	}
}

// judgeClient reports ids and secrets that cannot be right, which providers answer with less.
func judgeClient(c oidc.Config) oidc.Report {
	isUUID := func(text string) bool { return uuid.Validate(text) == nil }
	switch {
	case c.Name == oidc.NameAzure && !isUUID(c.ClientIDs[0]):
		return oidc.Report{
			Problem: "has no client with this id: EXTERNAL_AZURE_CLIENT_ID is not a UUID",
			Advice:  "set it to the Application (client) ID of the app registration",
		}
	case c.Name == oidc.NameAzure && isUUID(c.ClientSecret):
		return oidc.Report{
			Problem: "has no such secret: EXTERNAL_AZURE_CLIENT_SECRET is the id of a secret",
			Advice:  "set it to the Value of the secret; if you have not kept that, make another secret",
		}
	case c.Name == oidc.NameGoogle && !strings.HasSuffix(c.ClientIDs[0], ".apps.googleusercontent.com"):
		return oidc.Report{
			Problem: "has no client with this id: EXTERNAL_GOOGLE_CLIENT_ID does not end with " +
				".apps.googleusercontent.com",
			Advice: "copy the client id of the web application at console.cloud.google.com/auth/clients",
		}
	}
	return oidc.Report{}
}
