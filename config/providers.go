package config

import (
	"regexp"
	"strings"
)

// readProviders reads the OpenID Connect providers with which people sign in. EXTERNAL_PROVIDERS is parsed
// where the providers are opened.
func readProviders(r *reader, i *Identity) {
	r.group = "Sign-in with providers"
	i.GoogleClientID = r.text("EXTERNAL_GOOGLE_CLIENT_ID", "",
		"Turns on sign-in with Google ([how](sign-in.md#google)): the client id of a web application. After a "+
			"comma, those of native apps, whose ID tokens are accepted as well.")
	i.GoogleClientSecret = r.secret("EXTERNAL_GOOGLE_CLIENT_SECRET", 0,
		"The secret of the first client id at Google.")
	i.AzureClientID = r.text("EXTERNAL_AZURE_CLIENT_ID", "",
		"Turns on sign-in with Microsoft ([how](sign-in.md#microsoft-entra)): the application (client) id of a "+
			"web application. After a comma, those of native apps, whose ID tokens are accepted as well.")
	i.AzureClientSecret = r.secret("EXTERNAL_AZURE_CLIENT_SECRET", 0,
		"The value, not the id, of a client secret of the first application at Microsoft.")
	i.AzureTenant = strings.ToLower(r.read(Setting{
		Name: "EXTERNAL_AZURE_TENANT", Default: "common",
		Values: "common, organizations, consumers, an id or a domain",
		Description: "Whose accounts may sign in with Microsoft: those of one directory, by its id or domain; of " +
			"all directories (`organizations`); private ones (`consumers`); or both (`common`).",
	}))
	i.Providers = r.secret("EXTERNAL_PROVIDERS", 0,
		"Other OpenID Connect providers, such as Okta, Keycloak, Auth0 and Authentik, as a JSON array "+
			"([how](sign-in.md#any-other-provider)).")
	i.ProviderHosts = r.hosts("EXTERNAL_ALLOWED_HOSTS",
		"Hosts (`host` or `host:port`, separated by commas) of providers that may have private addresses. Those "+
			"of this machine may then be http.")
	checkProviders(r, *i)
}

func checkProviders(r *reader, i Identity) {
	const id, secret = "_CLIENT_ID", "_CLIENT_SECRET"
	for _, p := range []struct{ prefix, id, secret string }{
		{"EXTERNAL_GOOGLE", i.GoogleClientID, i.GoogleClientSecret},
		{"EXTERNAL_AZURE", i.AzureClientID, i.AzureClientSecret},
	} {
		switch {
		case p.id == "" && p.secret != "":
			r.problem(p.prefix+id, "is missing, and %s is set: set both", p.prefix+secret)
		case p.id != "" && p.secret == "":
			r.problem(p.prefix+secret, "is missing, and %s is set: set both", p.prefix+id)
		case !validClientIDs(p.id):
			r.problem(p.prefix+id, "must be a client id, or several separated by commas")
		}
	}
	if !tenantPattern.MatchString(i.AzureTenant) {
		r.problem("EXTERNAL_AZURE_TENANT",
			"must be common, organizations, consumers, or the id or a domain of a directory")
	}
	if i.Off && (i.GoogleClientID != "" || i.AzureClientID != "" || i.Providers != "") {
		r.problem("IDENTITY", "is off, so that nobody signs in here, but a provider is set: remove "+
			"EXTERNAL_GOOGLE_CLIENT_ID, EXTERNAL_AZURE_CLIENT_ID and EXTERNAL_PROVIDERS, or set IDENTITY=on")
	}
}

// maxClientID is in bytes. It is far above what providers give out.
const maxClientID = 255

// validClientIDs reports whether a list has client ids (RFC 6749, appendix A.1), or nothing.
func validClientIDs(list string) bool {
	ids := split(list)
	for _, id := range ids {
		if len(id) > maxClientID || strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return false
		}
	}
	return len(ids) > 0 || list == ""
}

// tenantPattern matches what stands for a directory in the addresses of Microsoft.
var tenantPattern = regexp.MustCompile(`^(common|organizations|consumers|` +
	`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+)$`)
