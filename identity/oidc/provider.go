package oidc

import (
	"context"
	"crypto/x509"
	"errors"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"research/internal/publicnet"
)

// Options are what all providers have in common.
type Options struct {
	// RedirectURI is PUBLIC_URL/auth/v1/callback.
	RedirectURI string
	// AllowedHosts is EXTERNAL_ALLOWED_HOSTS: "host" or "host:port". They may have private addresses. Plain
	// http is accepted only for loopback hosts in this list.
	AllowedHosts []string
	// Now defaults to time.Now.
	Now func() time.Time
	// Roots are the certificate authorities of providers; nil means those of the system.
	Roots *x509.CertPool
}

const (
	// requestTimeout bounds a request. Somebody waits for it in front of a browser.
	requestTimeout = 10 * time.Second
	// maxBodyBytes bounds a response. Microsoft's key set is the largest one known, with some 20 KB.
	maxBodyBytes = 1 << 20
	// clockSkew is how far a provider's clock and ours may differ.
	clockSkew = time.Minute
)

// Providers are the providers of a service. A nil *Providers has none.
type Providers struct{ list []*Provider }

// A Provider is an OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	config      Config
	issuers     issuers
	redirectURI string
	now         func() time.Time
	net         network
	metadata    *kept[metadata]
	keys        *kept[[]signingKey]
	// authStyle is the oauth2.AuthStyle that the token endpoint has accepted, where that is not the first
	// choice.
	authStyle atomic.Int32
}

// New returns the providers. It connects to none of them: discovery and keys are fetched when they are
// needed. The configs are those of Google, Azure and ParseConfigs, whose names differ. Its error is a
// *ConfigError if a config is wrong.
func New(configs []Config, o Options) (*Providers, error) {
	return newProviders(configs, o, requestTimeout)
}

func newProviders(configs []Config, o Options, timeout time.Duration) (*Providers, error) {
	redirect, err := url.Parse(o.RedirectURI)
	if err != nil || redirect.Host == "" {
		return nil, errors.New("the redirect URI is not a URL")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	net := network{client: publicnet.NewClient(publicnet.Config{
		ExemptHosts: o.AllowedHosts, Timeout: timeout, Roots: o.Roots,
	})}
	all := &Providers{}
	for _, config := range configs {
		if wrong := config.check(); wrong != nil {
			return nil, wrong
		}
		if wrong := net.check(config.Issuer); wrong != "" {
			return nil, &ConfigError{config.Name, "issuer", "has an issuer that " + wrong}
		}
		all.list = append(all.list, newProvider(config, o, net))
	}
	return all, nil
}

func newProvider(config Config, o Options, net network) *Provider {
	p := &Provider{
		config: config, issuers: newIssuers(config), redirectURI: o.RedirectURI, now: o.Now, net: net,
	}
	p.metadata = &kept[metadata]{fresh: metadataFresh, now: o.Now, fetch: p.fetchMetadata}
	p.keys = &kept[[]signingKey]{fresh: keysFresh, now: o.Now, fetch: func(ctx context.Context) (
		[]signingKey, error,
	) {
		m, err := p.metadata.get(ctx)
		if err != nil {
			return nil, err
		}
		return p.fetchKeys(ctx, m)
	}}
	return p
}

// Get returns a provider by its name, or nil.
func (p *Providers) Get(name string) *Provider {
	for _, provider := range p.List() {
		if provider.config.Name == name {
			return provider
		}
	}
	return nil
}

// List returns the providers in the order of their configs.
func (p *Providers) List() []*Provider {
	if p == nil {
		return nil
	}
	return slices.Clone(p.list)
}

// Config returns how the provider is configured. Its slices must not be changed.
func (p *Provider) Config() Config { return p.config }

// client returns what package oauth2 needs to speak to a provider, with a style of authentication.
func (p *Provider) client(m metadata, style oauth2.AuthStyle) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.config.ClientIDs[0], ClientSecret: p.config.ClientSecret, RedirectURL: p.redirectURI,
		Endpoint: oauth2.Endpoint{
			AuthURL: m.AuthorizationEndpoint, TokenURL: m.TokenEndpoint, AuthStyle: style,
		},
	}
}
