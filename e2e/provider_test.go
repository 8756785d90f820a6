package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"research/api/reference/contract"
	"research/dev"
	"research/dev/devtest"
)

// A provider is an OpenID Connect provider on this machine: the example of zitadel/oidc, unchanged. Its ID
// tokens have no address if they come with an access token, which is what OpenID Connect prescribes.
type provider struct {
	issuer string // with a slash at its end
}

// The clients of the provider, and the secret of both.
const (
	providerClient = "web" // this service
	otherClient    = "api" // another one with people of the same provider
	providerSecret = "secret"
)

// A person has an account at the provider. The field names are those of zitadel's file.
type person struct {
	ID, Username, Password string
	FirstName, LastName    string
	Email                  string
	EmailVerified          bool
}

// newPerson returns a person NAME@example.com whose address the provider has verified.
func newPerson(name string) person {
	return person{
		ID: "id-" + name, Username: name, Password: "verysecure", FirstName: strings.ToUpper(name[:1]) + name[1:],
		LastName: "Person", Email: name + "@example.com", EmailVerified: true,
	}
}

// buildProvider builds the provider's program once.
var buildProvider = sync.OnceValues(func() (program string, err error) {
	const name = "bin/openid-provider"
	build := exec.CommandContext(context.Background(), "make", "--no-print-directory", "-C", "..", name)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("make %s: %w: %s", name, err, out)
	}
	return filepath.Abs(filepath.Join("..", name))
})

// startProvider starts a provider with these people, whose clients are at these redirect URIs, until the test
// ends.
func startProvider(t testing.TB, people []person, redirectURIs ...string) *provider {
	t.Helper()
	program, err := buildProvider()
	require.NoError(t, err)
	accounts := map[string]person{}
	for _, who := range people {
		accounts[who.ID] = who
	}
	raw, err := json.Marshal(accounts)
	require.NoError(t, err)
	dir, port := t.TempDir(), devtest.FreePort(t)
	users := filepath.Join(dir, "users.json")
	require.NoError(t, os.WriteFile(users, raw, 0o600))
	part := dev.NewProgram("openid-provider", dir, func() *exec.Cmd {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program) // End stops it
		cmd.Env = []string{
			"PORT=" + port, "USERS_FILE=" + users, "REDIRECT_URI=" + strings.Join(redirectURIs, ","),
		}
		return cmd
	})
	require.NoError(t, part.Start(t.Context()))
	t.Cleanup(part.End)
	p := &provider{issuer: "http://localhost:" + port + "/"}
	eventually(t, "the provider answers", func() bool {
		return getStatus(t, p.issuer+".well-known/openid-configuration") == http.StatusOK
	})
	return p
}

// client returns a client of the provider.
func (p *provider) client(id, redirectURI string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: id, ClientSecret: providerSecret, RedirectURL: redirectURI,
		Scopes:   []string{"openid", "email", "profile"},
		Endpoint: oauth2.Endpoint{AuthURL: p.issuer + "auth", TokenURL: p.issuer + "oauth/token"},
	}
}

// tokens are what the provider issues to a client for a person.
type tokens struct{ id, access string }

// issue signs in a person as a client of the provider does by itself. Without a nonce, the ID token has none.
func (p *provider) issue(t testing.TB, clientID, redirectURI, nonce string, who person) tokens {
	t.Helper()
	c, verifier := p.client(clientID, redirectURI), oauth2.GenerateVerifier()
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if nonce != "" {
		options = append(options, oauth2.SetAuthURLParam("nonce", nonce))
	}
	callback := newBrowser(t).logIn(t, parseURL(t, c.AuthCodeURL("state", options...)), who)
	token, err := c.Exchange(t.Context(), callback.Query().Get("code"), oauth2.VerifierOption(verifier))
	require.NoError(t, err)
	idToken, _ := token.Extra("id_token").(string)
	require.NotEmpty(t, idToken)
	return tokens{idToken, token.AccessToken}
}

// claimsOf returns what a token says.
func claimsOf(t testing.TB, token string) (claims map[string]any) {
	t.Helper()
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &claims))
	return claims
}

// A browser keeps cookies. It goes to one address at a time, so that tests see each redirect.
type browser struct {
	http.Client
	received map[string]*http.Cookie // as they were set, by name
}

func newBrowser(t testing.TB) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &browser{client, map[string]*http.Cookie{}}
}

// open goes to an address, and returns the one to which the answer redirects.
func (b *browser) open(t testing.TB, address string) (next *url.URL) {
	t.Helper()
	return b.do(t, http.MethodGet, address, nil)
}

// submit sends a form, as open goes to an address.
func (b *browser) submit(t testing.TB, address string, form url.Values) (next *url.URL) {
	t.Helper()
	return b.do(t, http.MethodPost, address, form)
}

func (b *browser) do(t testing.TB, method, address string, form url.Values) (next *url.URL) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := b.Do(request)
	require.NoError(t, err)
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	contract.Check(t, contract.Exchange{
		Method: method, Path: request.URL.RequestURI(), Status: response.StatusCode, Header: response.Header,
		Body: raw,
	})
	for _, cookie := range response.Cookies() {
		b.received[cookie.Name] = cookie
	}
	redirects := []int{http.StatusFound, http.StatusSeeOther}
	require.Contains(t, redirects, response.StatusCode, "%s %s: %s", method, address, raw)
	next, err = response.Location() // absolute
	require.NoError(t, err)
	return next
}

// logIn goes to the provider, fills in its form as a person, and returns where the provider leads back to.
func (b *browser) logIn(t testing.TB, authorization *url.URL, who person) (callback *url.URL) {
	t.Helper()
	form := b.open(t, authorization.String())
	require.Equal(t, "/login/username", form.Path)
	request := form.Query().Get("authRequestID")
	next := b.submit(t, form.String(), url.Values{
		"id": {request}, "username": {who.Username}, "password": {who.Password},
	})
	return b.open(t, next.String())
}

// A provider that tests rely on: what it says about people, and where.
func TestTheProviderOfTests(t *testing.T) {
	t.Parallel()
	const redirectURI = "http://127.0.0.1/callback"
	ann := newPerson("ann")
	p := startProvider(t, []person{ann}, redirectURI)
	issued := p.issue(t, providerClient, redirectURI, "of the client", ann)
	claims := claimsOf(t, issued.id)
	require.Equal(t, p.issuer, claims["iss"])
	require.Equal(t, ann.ID, claims["sub"])
	require.Equal(t, []any{providerClient}, claims["aud"])
	require.Equal(t, "of the client", claims["nonce"])
	require.NotContains(t, claims, "email")

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.issuer+"userinfo", nil)
	require.NoError(t, err)
	client := &http.Client{Transport: bearer(issued.access)}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var info map[string]any
	require.NoError(t, json.NewDecoder(response.Body).Decode(&info))
	require.Equal(t, ann.Email, info["email"])
	require.Equal(t, true, info["email_verified"])
}
