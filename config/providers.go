package config

import "strings"

// readProviders reads the OpenID Connect providers with which people sign in. Client ids, the tenant and
// EXTERNAL_PROVIDERS are checked where the providers are opened.
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
		}
	}
	if i.Off && (i.GoogleClientID != "" || i.AzureClientID != "" || i.Providers != "") {
		r.problem("IDENTITY", "is off, so that nobody signs in here, but a provider is set: remove "+
			"EXTERNAL_GOOGLE_CLIENT_ID, EXTERNAL_AZURE_CLIENT_ID and EXTERNAL_PROVIDERS, or set IDENTITY=on")
	}
}
