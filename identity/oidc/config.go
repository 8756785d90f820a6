package oidc

import "strings"

// The names of the providers whose rules are known. All others begin with CustomPrefix.
const (
	NameGoogle   = "google"
	NameAzure    = "azure"
	CustomPrefix = "custom:"
)

// A Config is a provider as an operator sets it.
type Config struct {
	// Name is what clients send: "google", "azure" or "custom:acme". It is also auth.identities.provider.
	Name string
	// Label is for people: "Google".
	Label string
	// Issuer is exactly what discovery and ID tokens say. Azure's is
	// https://login.microsoftonline.com/TENANT/v2.0, also where the tenant is "common" or a domain.
	Issuer string
	// ClientIDs are ours. The first one signs in by code; ID tokens for any of them are accepted, if they were
	// issued to one of them (azp): to an app on Android, for example.
	ClientIDs []string
	// ClientSecret belongs to the first of the ClientIDs. It may be empty for a public client.
	ClientSecret string
	// Scopes are requested besides openid, email and profile.
	Scopes []string
	// TrustsEmail means that email_verified of this provider proves an address. Only for custom providers.
	TrustsEmail bool
	// TrustsMFA means that "mfa" in the claim amr of this provider counts as a second factor.
	TrustsMFA bool
}

// Google returns the Config of Google. clientIDs are separated by commas.
func Google(clientIDs, clientSecret string) Config {
	return Config{
		Name: NameGoogle, Label: "Google", Issuer: "https://accounts.google.com",
		ClientIDs: splitList(clientIDs), ClientSecret: clientSecret,
	}
}

// Azure returns the Config of Microsoft Entra ID. clientIDs are separated by commas. tenant is common (the
// default), organizations, consumers, or the id or a domain of a tenant.
func Azure(clientIDs, clientSecret, tenant string) Config {
	// Azure's own documents have ids in lower case.
	if tenant = strings.ToLower(strings.TrimSpace(tenant)); tenant == "" {
		tenant = tenantCommon
	}
	return Config{
		Name: NameAzure, Label: "Microsoft", Issuer: "https://login.microsoftonline.com/" + tenant + "/v2.0",
		ClientIDs: splitList(clientIDs), ClientSecret: clientSecret,
	}
}

func splitList(text string) (list []string) {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}
