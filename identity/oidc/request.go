package oidc

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"
)

// A Request asks a provider to sign somebody in.
type Request struct {
	// State and Nonce are random.
	State, Nonce string
	// Verifier is that of PKCE (RFC 7636) towards the provider. Its challenge is always S256.
	Verifier string
	// Scopes are those that the client requests in addition. What is not a scope is left out.
	Scopes []string
	// Params are passed on, such as prompt or login_hint. Those that decide who gets a code, and how it is
	// sent, are left out.
	Params url.Values
}

// reserved are the parameters of OAuth and OpenID Connect that callers cannot set, in lower case. They
// identify the client and the request, decide where and how the provider sends the code, or prove something.
var reserved = []string{
	"client_assertion", "client_assertion_type", "client_id", "client_secret", "code", "code_challenge",
	"code_challenge_method", "code_verifier", "grant_type", "id_token_hint", "iss", "nonce", "redirect_uri",
	"registration", "request", "request_uri", "response_mode", "response_type", "scope", "state",
}

// Reserved reports whether a parameter of the authorization endpoint is one that Request.Params cannot set.
// The case of the name does not matter, as it does not for some providers.
func Reserved(name string) bool { return slices.Contains(reserved, strings.ToLower(name)) }

// maxScopeBytes bounds a scope.
const maxScopeBytes = 200

// AuthorizationURL returns the address of the provider to which the browser goes. Its error is an *Error, or
// that of ctx.
func (p *Provider) AuthorizationURL(ctx context.Context, r Request) (_ string, err error) {
	defer func() { err = p.named(err) }()
	m, err := p.metadata.get(ctx)
	if err != nil {
		return "", err
	}
	client := p.client(m, oauth2.AuthStyleInHeader)
	client.Scopes = p.scopes(r.Scopes)
	options := []oauth2.AuthCodeOption{
		oauth2.SetAuthURLParam("nonce", r.Nonce), oauth2.S256ChallengeOption(r.Verifier),
	}
	for name, values := range r.Params {
		if len(values) > 0 && !Reserved(name) {
			options = append(options, oauth2.SetAuthURLParam(name, values[0]))
		}
	}
	return client.AuthCodeURL(r.State, options...), nil
}

// scopes returns each scope once.
func (p *Provider) scopes(requested []string) (all []string) {
	for _, scope := range slices.Concat([]string{"openid", "email", "profile"}, p.config.Scopes, requested) {
		if isScope(scope) && !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// isScope reports whether a text is a scope (RFC 6749, section 3.3).
func isScope(s string) bool {
	return s != "" && len(s) <= maxScopeBytes && isPlainText(s) && !strings.ContainsAny(s, `"\`)
}
