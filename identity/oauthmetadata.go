package identity

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// How an OAuth client became known. They are values of the column auth.oauth_clients.registration_type.
const (
	ClientManual           = "manual"            // an administrator registered it
	ClientDynamic          = "dynamic"           // it registered itself (RFC 7591)
	ClientMetadataDocument = "metadata_document" // its id is the URL of a document that describes it
)

// Whether an OAuth client can keep a secret (RFC 6749, section 2.1).
const (
	ClientPublic       = "public"
	ClientConfidential = "confidential"
)

// The methods of authentication at the token endpoint (RFC 7591, section 2).
const (
	AuthMethodNone  = "none"
	AuthMethodBasic = "client_secret_basic" // in the header Authorization
	AuthMethodPost  = "client_secret_post"  // in the body
)

// The grants that an OAuth client may use.
const (
	GrantAuthorizationCode = "authorization_code"
	GrantRefreshToken      = "refresh_token"
)

// maxClientNameCharacters bounds what a consent page shows.
const maxClientNameCharacters = 200

// ClientMetadata is what an app says about itself (RFC 7591, section 2). Empty fields have defaults.
type ClientMetadata struct {
	RedirectURIs []string // required
	// GrantTypes default to both that there are; others are dropped.
	GrantTypes      []string
	ResponseTypes   []string // must contain "code", if there are any
	AuthMethod      string   // defaults to AuthMethodBasic, or to that of ClientType
	ClientType      string   // GoTrue's; defaults to that of AuthMethod
	ApplicationType string   // "web", "native" or "" (OpenID Connect Dynamic Client Registration 1.0)
	Name            string
	URI             string
	LogoURI         string
}

// The codes of a ClientMetadataError (RFC 7591, section 3.2.2).
const (
	CodeInvalidRedirectURI    = "invalid_redirect_uri"
	CodeInvalidClientMetadata = "invalid_client_metadata"
)

// A ClientMetadataError rejects what an app says about itself. It is an ErrClientMetadata.
type ClientMetadataError struct {
	Code   string // CodeInvalidRedirectURI or CodeInvalidClientMetadata
	Reason string // a sentence for the developers of the app
}

func (e *ClientMetadataError) Error() string { return e.Reason }

// Unwrap returns ErrClientMetadata.
func (e *ClientMetadataError) Unwrap() error { return ErrClientMetadata }

func badMetadata(format string, args ...any) error {
	return &ClientMetadataError{CodeInvalidClientMetadata, fmt.Sprintf(format, args...)}
}

// prepare checks the metadata and sets the defaults. Its error is a *ClientMetadataError.
func (m ClientMetadata) prepare() (ClientMetadata, error) {
	if err := checkRedirectURIs(m.RedirectURIs, m.ApplicationType); err != nil {
		return m, err
	}
	var err error
	if m.GrantTypes, err = knownGrants(m.GrantTypes); err != nil {
		return m, err
	}
	if len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code") {
		return m, badMetadata(`response_types must contain "code".`)
	}
	m.ResponseTypes = nil // there is no other, and a list of thousands would be kept
	if err := m.setAuthMethod(); err != nil {
		return m, err
	}
	if err := checkClientName(m.Name); err != nil {
		return m, err
	}
	if err := checkWebAddress("client_uri", m.URI); err != nil {
		return m, err
	}
	return m, checkWebAddress("logo_uri", m.LogoURI)
}

func checkRedirectURIs(uris []string, applicationType string) error {
	if !slices.Contains([]string{"", "web", "native"}, applicationType) {
		return badMetadata(`application_type must be "web" or "native".`)
	}
	if len(uris) == 0 {
		return &ClientMetadataError{CodeInvalidRedirectURI, "redirect_uris must have at least one URI."}
	}
	if len(uris) > maxRedirectURIs {
		return &ClientMetadataError{CodeInvalidRedirectURI, "redirect_uris must have at most 10 URIs."}
	}
	for i, uri := range uris {
		wrong := checkRedirectURI(uri)
		scheme, _, _ := strings.Cut(uri, ":")
		if wrong == "" && applicationType == "web" && isAppScheme(strings.ToLower(scheme)) {
			wrong = `has the scheme of a native app, and application_type is "web"`
		}
		if wrong != "" {
			return &ClientMetadataError{
				CodeInvalidRedirectURI, fmt.Sprintf("redirect_uris[%d] %s.", i, wrong),
			}
		}
	}
	return nil
}

// knownGrants returns those of the wanted grants that there are. Apps also list grants that other servers
// have (VS Code: that of devices), and RFC 7591 lets a server drop them.
func knownGrants(wanted []string) ([]string, error) {
	if len(wanted) == 0 {
		return []string{GrantAuthorizationCode, GrantRefreshToken}, nil
	}
	if !slices.Contains(wanted, GrantAuthorizationCode) {
		return nil, badMetadata("grant_types must contain %q.", GrantAuthorizationCode)
	}
	if slices.Contains(wanted, GrantRefreshToken) {
		return []string{GrantAuthorizationCode, GrantRefreshToken}, nil
	}
	return []string{GrantAuthorizationCode}, nil
}

// setAuthMethod sets AuthMethod and ClientType, each to what belongs to the other.
func (m *ClientMetadata) setAuthMethod() error {
	switch m.ClientType {
	case "", ClientPublic, ClientConfidential:
	default:
		return badMetadata("client_type must be %q or %q.", ClientPublic, ClientConfidential)
	}
	if m.AuthMethod == "" {
		m.AuthMethod = AuthMethodBasic
		if m.ClientType == ClientPublic {
			m.AuthMethod = AuthMethodNone
		}
	}
	belongs := ClientConfidential
	switch m.AuthMethod {
	case AuthMethodNone:
		belongs = ClientPublic
	case AuthMethodBasic, AuthMethodPost:
	default:
		return badMetadata("token_endpoint_auth_method must be %q, %q or %q.",
			AuthMethodNone, AuthMethodBasic, AuthMethodPost)
	}
	if m.ClientType != "" && m.ClientType != belongs {
		return badMetadata("A client with the token_endpoint_auth_method %q is %s.", m.AuthMethod, belongs)
	}
	m.ClientType = belongs
	return nil
}

// checkClientName rejects names that could disguise the text around them.
func checkClientName(name string) error {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, isControl) {
		return badMetadata("client_name must be one line of text.")
	}
	if utf8.RuneCountInString(name) > maxClientNameCharacters {
		return badMetadata("client_name must have at most %d characters.", maxClientNameCharacters)
	}
	return nil
}

// checkWebAddress checks an optional address of a page or picture.
func checkWebAddress(field, address string) error {
	if address == "" {
		return nil
	}
	parsed, err := url.Parse(address)
	if err != nil || len(address) > maxRedirectURIBytes || parsed.Host == "" || parsed.User != nil ||
		parsed.Scheme != "https" && parsed.Scheme != "http" || strings.ContainsFunc(address, isControl) ||
		!utf8.ValidString(address) {
		return badMetadata("%s must be an http or https URL of at most %d bytes.", field, maxRedirectURIBytes)
	}
	return nil
}
