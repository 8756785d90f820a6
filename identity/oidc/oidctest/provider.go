// Package oidctest is an OpenID Connect provider for tests. It signs in whoever asks, as the User that a test
// sets, and misbehaves as a test says: in its documents, in the claims and signatures of its tokens, and in
// its responses.
//
// It speaks plain http on a loopback address, unless Options say otherwise, so that its host must be allowed:
//
//	p := oidctest.NewProvider(t, oidctest.Options{})
//	config := oidc.Config{Name: "custom:acme", Label: "Acme", Issuer: p.URL,
//		ClientIDs: []string{p.ClientID()}, ClientSecret: p.ClientSecret()}
//	providers, err := oidc.New([]oidc.Config{config}, oidc.Options{AllowedHosts: []string{p.Host()}, …})
package oidctest

import (
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The paths of a provider, below that of its issuer.
const (
	Discovery = "/.well-known/openid-configuration"
	Authorize = "/authorize"
	Token     = "/token"
	Keys      = "/keys"
	UserInfo  = "/userinfo"
)

// The client that a provider knows, unless Options name another.
const (
	ClientID     = "client-1.apps.example"
	ClientSecret = "s3cr3t-of/the+client" //nolint:gosec // of a provider that ends with its test
)

// Options configure a Provider. The zero value is a usual one.
type Options struct {
	// Path is the path of the issuer: "", "/" or "/common/v2.0".
	Path string
	// ClientID and ClientSecret default to the constants. PublicClient means that there is no secret.
	ClientID, ClientSecret string
	PublicClient           bool
	// RedirectURIs are those of the client. Empty means that any is accepted.
	RedirectURIs []string
	// TLS means https, with the certificate of Roots.
	TLS bool
}

// A User is who signs in.
type User struct {
	Subject       string
	Email         string // no claim if empty
	EmailVerified bool
	Name          string
	// Claims are added to those of the fields, and replace them. nil removes one.
	Claims map[string]any
}

// A Behavior is what a Provider does. Functions may be nil; they are called for concurrent requests, one at a
// time.
type Behavior struct {
	User User
	// Algorithm signs ID tokens: RS256 (the default), ES256, HS256 with the public key of RS256 as the secret,
	// or "none".
	Algorithm string
	// KeyID replaces the key id in the header of ID tokens. Keys with this id are not published.
	KeyID string
	// Discovery, IDToken and UserInfo change a document before it is sent, or signed. Header changes that of ID
	// tokens.
	Discovery, IDToken, UserInfo, Header func(map[string]any)
	// Redirect changes the parameters with which the browser is sent back.
	Redirect func(url.Values)
	// Deny is an error code with which the browser is sent back, as "access_denied".
	Deny string
	// AuthMethods are those of the token endpoint, and in discovery: client_secret_basic and
	// client_secret_post, which are both accepted if this is nil. AcceptedAuth, if set, is the one of them that
	// is accepted.
	AuthMethods  []string
	AcceptedAuth string
	// EmailInUserInfo means that ID tokens have no claims about the person but the subject.
	EmailInUserInfo bool
	// SendsIssuer announces the parameter iss of RFC 9207, and sends it.
	SendsIssuer bool
	// Clock is how far the clock of the provider is ahead.
	Clock time.Duration
	// Handlers replace what is at a path, such as Keys.
	Handlers map[string]http.HandlerFunc
}

// A Provider is an OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	// URL is the issuer.
	URL string

	options Options
	server  *httptest.Server
	base    string // the issuer without a slash at its end
	closed  chan struct{}

	mu       sync.Mutex
	behavior Behavior
	requests map[string]int
	grants   map[string]grant // by code
	access   map[string]User  // by access token
}

// A grant is what a code stands for.
type grant struct {
	user                          User
	redirectURI, challenge, nonce string
}

// NewProvider starts a provider that ends with the test. Its user has the address ada@example.com, which is
// verified.
func NewProvider(t testing.TB, o Options) *Provider {
	t.Helper()
	if o.ClientID == "" {
		o.ClientID = ClientID
	}
	if o.ClientSecret == "" && !o.PublicClient {
		o.ClientSecret = ClientSecret
	}
	p := &Provider{
		options: o, closed: make(chan struct{}),
		requests: map[string]int{}, grants: map[string]grant{}, access: map[string]User{},
		behavior: Behavior{User: User{
			Subject: "248289761001", Email: "ada@example.com", EmailVerified: true, Name: "Ada Lovelace",
		}},
	}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that do not trust its certificate are usual
	if o.TLS {
		p.server.StartTLS()
	} else {
		p.server.Start()
	}
	t.Cleanup(p.server.Close)
	t.Cleanup(func() { close(p.closed) }) // before, so that no handler waits
	p.URL = p.server.URL + o.Path
	p.base = strings.TrimSuffix(p.URL, "/")
	return p
}

// Set changes what the provider does from now on.
func (p *Provider) Set(change func(*Behavior)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.behavior)
}

// SetUser changes who signs in from now on.
func (p *Provider) SetUser(u User) { p.Set(func(b *Behavior) { b.User = u }) }

// Handle replaces what is at a path. nil restores it.
func (p *Provider) Handle(path string, h http.HandlerFunc) {
	p.Set(func(b *Behavior) {
		b.Handlers = maps.Clone(b.Handlers)
		if b.Handlers == nil {
			b.Handlers = map[string]http.HandlerFunc{}
		}
		b.Handlers[path] = h
	})
}

// Requests returns how many requests there were for a path.
func (p *Provider) Requests(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[path]
}

// Host returns host and port.
func (p *Provider) Host() string { return p.server.Listener.Addr().String() }

// Roots has the certificate of a provider with TLS.
func (p *Provider) Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	if certificate := p.server.Certificate(); certificate != nil {
		pool.AddCert(certificate)
	}
	return pool
}

// Stop ends the provider before the test ends: connections to it are refused.
func (p *Provider) Stop() { p.server.Listener.Close() } //nolint:errcheck,gosec // it is closed again later

// ClientID returns that of the client.
func (p *Provider) ClientID() string { return p.options.ClientID }

// ClientSecret returns that of the client.
func (p *Provider) ClientSecret() string { return p.options.ClientSecret }

func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	prefix := strings.TrimPrefix(p.base, p.server.URL)
	path, below := strings.CutPrefix(r.URL.Path, prefix)
	p.mu.Lock()
	p.requests[path]++
	replaced := p.behavior.Handlers[path]
	clock := p.behavior.Clock
	p.mu.Unlock()
	w.Header().Set("Date", time.Now().Add(clock).UTC().Format(http.TimeFormat))
	handlers := map[string]http.HandlerFunc{
		Discovery: p.discovery, Authorize: p.authorize, Token: p.token, Keys: p.keys, UserInfo: p.userInfo,
	}
	switch {
	case replaced != nil:
		replaced(w, r)
	case below && handlers[path] != nil:
		handlers[path](w, r)
	default:
		http.NotFound(w, r)
	}
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.behavior
	methods := b.AuthMethods
	if methods == nil {
		methods = []string{"client_secret_post", "client_secret_basic"}
	}
	document := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.base + Authorize, "token_endpoint": p.base + Token,
		"jwks_uri": p.base + Keys, "userinfo_endpoint": p.base + UserInfo,
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported":          []string{"RS256", "ES256", "HS256", "none"},
		"token_endpoint_auth_methods_supported":          methods,
		"code_challenge_methods_supported":               []string{"S256"},
		"scopes_supported":                               []string{"openid", "email", "profile"},
		"authorization_response_iss_parameter_supported": b.SendsIssuer,
	}
	if b.Discovery != nil {
		b.Discovery(document)
	}
	writeJSON(w, http.StatusOK, document)
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{"keys": slices.Clone(publicKeys())})
}

func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	user, known := p.access[token]
	if !known {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "invalid_token"})
		return
	}
	claims := user.claims()
	if p.behavior.UserInfo != nil {
		p.behavior.UserInfo(claims)
	}
	writeJSON(w, http.StatusOK, claims)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
