package oidc

import (
	"regexp"
	"strings"
)

// The tenants of Microsoft Entra ID that stand for several, and the one in which all personal accounts are
// (https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc and …/id-token-claims-reference).
const (
	tenantCommon        = "common"
	tenantOrganizations = "organizations"
	tenantConsumers     = "consumers"
	personalAccounts    = "9188040d-6c67-4c5b-b112-36a304b66dad"
)

// An issuers knows which issuers a provider may name.
type issuers struct {
	exact string
	// google has named itself without https:// in ID tokens
	// (https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken).
	google bool
	// before and tenant are those of Azure, whose issuer is before + tenant + azureVersion.
	before, tenant string
}

const (
	azureVersion  = "/v2.0"
	azureTemplate = "{tenantid}"
)

var tenantID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func newIssuers(c Config) issuers {
	i := issuers{exact: c.Issuer, google: c.Name == NameGoogle}
	if c.Name == NameAzure {
		path := strings.TrimSuffix(c.Issuer, azureVersion)
		slash := strings.LastIndexByte(path, '/')
		i.before, i.tenant = path[:slash+1], path[slash+1:]
	}
	return i
}

// discovered reports whether a discovery document may be that of an issuer.
func (i issuers) discovered(issuer string) bool {
	if i.before == "" {
		return issuer == i.exact
	}
	switch {
	case i.tenant == tenantCommon, i.tenant == tenantOrganizations:
		return issuer == i.before+azureTemplate+azureVersion
	case i.tenant == tenantConsumers:
		return issuer == i.before+personalAccounts+azureVersion
	case tenantID.MatchString(i.tenant):
		return issuer == i.exact
	}
	// The document of a domain has the id of its tenant.
	id, found := strings.CutPrefix(issuer, i.before)
	id, versioned := strings.CutSuffix(id, azureVersion)
	return found && versioned && tenantID.MatchString(id)
}

// issued returns the issuer of an ID token, or "" if the token must not be accepted. discovered is that of
// the discovery document, and tid the token's claim. Where the former stands for several tenants, it is no
// issuer itself.
func (i issuers) issued(discovered, issuer, tid string) string {
	if i.before != "" && strings.Contains(discovered, azureTemplate) {
		allowed := tenantID.MatchString(tid) && (i.tenant == tenantCommon || tid != personalAccounts)
		if allowed && issuer == i.before+tid+azureVersion {
			return issuer
		}
		return ""
	}
	if issuer == discovered || i.google && "https://"+issuer == discovered {
		return discovered
	}
	return ""
}

// redirected reports whether the parameter iss of a redirect (RFC 9207) may be that of a provider.
func (i issuers) redirected(discovered, issuer string) bool {
	if id, found := strings.CutPrefix(issuer, i.before); found && i.before != "" {
		return i.issued(discovered, issuer, strings.TrimSuffix(id, azureVersion)) != ""
	}
	return issuer == discovered
}
