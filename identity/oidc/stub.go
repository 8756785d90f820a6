package oidc

import (
	"context"
	"crypto/x509"
	"errors"
	"net/url"
	"time"
)

const tenantCommon = "common"

// ParseConfigs reads EXTERNAL_PROVIDERS.
func ParseConfigs(text string) ([]Config, error) { return nil, errors.New("is not supported yet") }

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

// Providers are the providers of a service. A nil *Providers has none.
type Providers struct{ list []*Provider }

// A Provider is an OpenID Connect provider. It is safe for concurrent use.
type Provider struct{ config Config }

// New returns the providers. It connects to none of them: discovery and keys are fetched when they are needed.
func New(configs []Config, o Options) (*Providers, error) {
	p := &Providers{}
	for _, c := range configs {
		p.list = append(p.list, &Provider{config: c})
	}
	return p, nil
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
	return p.list
}

// Config returns how the provider is set.
func (p *Provider) Config() Config { return p.config }

// A Request asks a provider to sign somebody in.
type Request struct {
	State, Nonce string
	// Verifier is that of PKCE (RFC 7636) towards the provider. Its challenge is always S256.
	Verifier string
	// Scopes are those that the client requests in addition.
	Scopes []string
	// Params are passed on. Reserved ones are ignored.
	Params url.Values
}

// AuthorizationURL returns the address of the provider to which the browser goes.
func (p *Provider) AuthorizationURL(ctx context.Context, r Request) (string, error) {
	return "", &Error{Reason: "is not supported yet"}
}

// An Answer is what a provider sent the browser back with, and what belongs to it.
type Answer struct {
	// Code and Issuer are the parameters code and iss (RFC 9207) of the redirect.
	Code, Issuer string
	// Nonce and Verifier are those of the Request.
	Nonce, Verifier string
}

// Exchange exchanges the code of an answer for who has signed in.
func (p *Provider) Exchange(ctx context.Context, a Answer) (Account, error) {
	return Account{}, &Error{Reason: "is not supported yet"}
}

// An IDToken is one that a client got from the provider by itself.
type IDToken struct {
	// Raw is the token, a JWT.
	Raw string
	// AccessToken is optional. It must belong to the token if that has at_hash.
	AccessToken string
	// Nonce is in the clear: the claim is its SHA-256 in hex. There must be both or neither.
	Nonce string
}

// VerifyIDToken returns who an ID token is about.
func (p *Provider) VerifyIDToken(ctx context.Context, t IDToken) (Account, error) {
	return Account{}, &Error{Reason: "is not supported yet"}
}

// An Account is what a provider says about a person. All texts are bounded valid UTF-8 without NUL.
type Account struct {
	// Issuer and Subject identify the account. Subject has 1 to 255 bytes.
	Issuer, Subject string
	// Email is as the provider has it. It is empty if there is none, or none that is plausible.
	Email string
	// EmailProven means that the provider vouches for Email by the rules of docs/sign-in.md.
	EmailProven bool
	// Name and Picture are empty if there are none. Picture is an https URL.
	Name, Picture string
	// MFA means that the provider asked for a second factor, and that it is trusted with that.
	MFA bool
}

// A Report is what Check found.
type Report struct {
	// Problem is the predicate of a sentence about the provider. It is empty if all is well.
	Problem string
	// Advice is a sentence that says what to do about it.
	Advice string
}

// OK reports whether there is no problem.
func (r Report) OK() bool { return r.Problem == "" }

// Check asks discovery, keys and the token endpoint, with a code that cannot exist.
func (p *Provider) Check(ctx context.Context) Report { return Report{Problem: "is not supported yet"} }
