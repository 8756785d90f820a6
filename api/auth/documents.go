package auth

import (
	"errors"
	"net/http"

	"research/api/problem"
	"research/api/token"
)

// Documents are the handlers of the metadata documents outside of /auth/v1, by path. They answer GET and
// HEAD.
type Documents map[string]http.Handler

// NewDocuments returns the documents in which apps find out how to ask for access: those of the issuer, whose
// path RFC 8414 inserts after the well-known part and OpenID Connect appends; those at the root, where apps
// of the first revisions of MCP look; and those of what is protected (RFC 9728).
//
// A document about a resource must name the address from which its own is derived, so that there is one for
// the service and one for /mcp. Both are missing if withoutMCP says why.
func NewDocuments(cfg Config, d Deps, withoutMCP string) (Documents, error) {
	if d.Keys == nil || d.Log == nil {
		return nil, errors.New("auth: a dependency is missing")
	}
	s := &server{keys: d.Keys, cfg: cfg, edge: problem.Edge{Log: d.Log, Format: format, Lenient: true}}
	public := cfg.Identity.PublicURL
	issuer, resource, service := s.showDiscovery, s.showResource(token.Resource(public)), s.showResource(public)
	if d.Keys.Off() {
		issuer, resource, service = switchedOff, switchedOff, switchedOff
	} else if withoutMCP != "" {
		resource = func(http.ResponseWriter, *http.Request) error {
			return fail(http.StatusNotFound, "feature_disabled", withoutMCP)
		}
		service = resource
	}
	return Documents{
		"/.well-known/oauth-authorization-server":         s.edge.Handle(issuer),
		"/.well-known/oauth-authorization-server/auth/v1": s.edge.Handle(issuer),
		"/.well-known/openid-configuration":               s.edge.Handle(issuer),
		"/.well-known/openid-configuration/auth/v1":       s.edge.Handle(issuer),
		"/.well-known/oauth-protected-resource":           s.edge.Handle(service),
		"/.well-known/oauth-protected-resource/mcp":       s.edge.Handle(resource),
	}, nil
}

// showDiscovery handles the metadata of the authorization server (RFC 8414). The document has the fields of
// OpenID Connect Discovery 1.0 §3 as well, for verifiers of our tokens: some apps look for that one alone.
func (s *server) showDiscovery(w http.ResponseWriter, _ *http.Request) error {
	issuer := s.keys.Issuer()
	w.Header().Set("Cache-Control", keySetCaching)
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{
		"issuer":                                issuer,
		"authorization_endpoint":                issuer + "/oauth/authorize",
		"token_endpoint":                        issuer + "/oauth/token",
		"registration_endpoint":                 issuer + "/oauth/clients/register",
		"userinfo_endpoint":                     token.Userinfo(issuer),
		"jwks_uri":                              issuer + "/.well-known/jwks.json",
		"scopes_supported":                      token.KnownScopes(),
		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic", "client_secret_post"},
		"code_challenge_methods_supported":      []string{"S256"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{s.keys.Algorithm()},
		"claims_supported": []string{
			"aud", "exp", "iat", "iss", "sub", "email", "role", "session_id", "amr", "aal", "client_id", "scope",
			"app_metadata", "user_metadata",
		},
		"client_id_metadata_document_supported":          true, // draft-ietf-oauth-client-id-metadata-document
		"authorization_response_iss_parameter_supported": true, // RFC 9207
	})
	return nil
}

// showResource returns the handler of the metadata of a resource.
func (s *server) showResource(resource string) problem.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Cache-Control", keySetCaching)
		s.edge.WriteJSON(w, http.StatusOK, map[string]any{
			"resource":                 resource,
			"authorization_servers":    []string{s.keys.Issuer()},
			"scopes_supported":         token.PersonalScopes(),
			"bearer_methods_supported": []string{"header"},
			"resource_name":            "Research",
			"resource_documentation":   s.cfg.Identity.PublicURL + "/docs/assistants.md",
		})
		return nil
	}
}
