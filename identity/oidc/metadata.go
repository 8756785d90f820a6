package oidc

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// metadataFresh is how long a discovery document is used before it is fetched again.
const metadataFresh = time.Hour

// metadata is a discovery document (OpenID Connect Discovery 1.0, section 3, and RFC 9207, section 3).
type metadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	UserInfoEndpoint      string   `json:"userinfo_endpoint"` // optional
	KeySet                string   `json:"jwks_uri"`
	Algorithms            []string `json:"id_token_signing_alg_values_supported"`
	AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`
	SendsIssuer           bool     `json:"authorization_response_iss_parameter_supported"`
}

// algorithms are those by which ID tokens may be signed: with public keys alone. A secret that both sides
// have would let either of them sign, and "none" is no signature.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512,
	oidc.EdDSA,
}

// fetchMetadata fetches and checks the discovery document. Its error is an *Error or that of ctx.
func (p *Provider) fetchMetadata(ctx context.Context) (metadata, error) {
	m, err := p.discover(ctx)
	if err != nil {
		return m, err
	}
	return p.checkMetadata(m)
}

// checkMetadata returns a discovery document that can be used. Its error is an *Error.
func (p *Provider) checkMetadata(m metadata) (metadata, error) {
	if !p.issuers.discovered(m.Issuer) {
		return m, unusable(discoveryDocument, "is that of another issuer")
	}
	for _, endpoint := range []struct{ what, address string }{
		{"authorization endpoint", m.AuthorizationEndpoint},
		{"token endpoint", m.TokenEndpoint},
		{"key set", m.KeySet},
		{"userinfo endpoint", m.UserInfoEndpoint},
	} {
		if endpoint.address == "" && endpoint.what == "userinfo endpoint" {
			continue
		}
		if wrong := p.net.check(endpoint.address); wrong != "" {
			return m, unusable("address of the "+endpoint.what, wrong)
		}
	}
	return m.limitAlgorithms()
}

const (
	discoveryDocument = "discovery document"
	discoveryPath     = "/.well-known/openid-configuration"
)

// discover fetches the discovery document without checking what is in it.
func (p *Provider) discover(ctx context.Context) (metadata, error) {
	var m metadata
	err := p.net.fetchJSON(ctx, discoveryDocument, p.discoveryAddress(), nil, &m)
	return m, err
}

// discoveryAddress is that of OpenID Connect Discovery 1.0, section 4.
func (p *Provider) discoveryAddress() string {
	return strings.TrimSuffix(p.config.Issuer, "/") + discoveryPath
}

// limitAlgorithms leaves those that are accepted.
func (m metadata) limitAlgorithms() (metadata, error) {
	if len(m.Algorithms) == 0 {
		m.Algorithms = []string{oidc.RS256} // the one that all providers must have
		return m, nil
	}
	m.Algorithms = slices.DeleteFunc(m.Algorithms, func(name string) bool {
		return !slices.Contains(algorithms, name)
	})
	if len(m.Algorithms) == 0 {
		return m, unusable("ID tokens", "are not signed with a public key")
	}
	return m, nil
}
