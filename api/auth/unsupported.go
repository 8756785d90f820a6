package auth

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"research/api/problem"
)

// What GoTrue can offer and this service does not, in GoTrue's words for a server where it is switched off.
var (
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
		{"/sso", errNoSSO}, {"/admin/sso", errNoSSO},
		{"/passkeys", errNoPasskeys}, {"/admin/users/{id}/passkeys", errNoPasskeys},
		{"/scim", errNoSCIM},
	} {
		r.Handle(unsupported.path, s.refuse(unsupported.err))
		r.Handle(unsupported.path+"/*", s.refuse(unsupported.err))
	}
}
