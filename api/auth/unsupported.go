package auth

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"research/api/problem"
)

// What GoTrue can offer and this service does not, in GoTrue's words for a server where it is switched off.
var (
	errNoProviders = fail(http.StatusBadRequest, "validation_failed",
		"Unsupported provider: provider is not enabled")
	errNoIDTokens = fail(http.StatusBadRequest, "provider_disabled",
		"Provider is not enabled: sign in with an e-mail address")
	errNoWeb3     = unprocessable("web3_provider_disabled", "Web3 provider is disabled")
	errNoSSO      = fail(http.StatusNotFound, "saml_provider_disabled", "SAML 2.0 is disabled")
	errNoLinking  = fail(http.StatusNotFound, "manual_linking_disabled", "Manual linking is disabled")
	errNoPasskeys = fail(http.StatusNotFound, "passkey_disabled", "Passkeys are disabled")
	errNoSCIM     = fail(http.StatusNotFound, "feature_disabled", "SCIM server is disabled")
)

// refuse returns a handler that responds with an error.
func (s *server) refuse(err *problem.Error) http.HandlerFunc {
	return s.edge.Handle(func(http.ResponseWriter, *http.Request) error { return err })
}

// unsupportedRoutes respond with an error that says what is not offered.
func (s *server) unsupportedRoutes(r chi.Router) {
	for _, unsupported := range []struct {
		path string
		err  *problem.Error
	}{
		{"/user/identities", errNoLinking},
		{"/sso", errNoSSO}, {"/admin/sso", errNoSSO},
		{"/passkeys", errNoPasskeys}, {"/admin/users/{id}/passkeys", errNoPasskeys},
		{"/scim", errNoSCIM},
	} {
		r.Handle(unsupported.path, s.refuse(unsupported.err))
		r.Handle(unsupported.path+"/*", s.refuse(unsupported.err))
	}
}

// refuseProvider handles GET /authorize, to which signInWithOAuth sends the browser. A person gets a page.
func (s *server) refuseProvider(w http.ResponseWriter, r *http.Request) error {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return errNoProviders
	}
	s.writeLinkPage(w, r, errNoProviders.Status, linkPage{
		Title: "Signing in with an account of another service is not offered here",
		Texts: []string{"Go back, and sign in with your e-mail address."},
	})
	return nil
}
