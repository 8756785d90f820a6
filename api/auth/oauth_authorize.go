package auth

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"research/api/token"
	"research/identity"
)

// maxStateBytes bounds what an app gets back. What it stores in state is a key, or an address of its own.
const maxStateBytes = 2000

// s256Challenge matches a code challenge of the method S256: a SHA-256 in base64url (RFC 7636, section 4.2).
var s256Challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// A refusal is an error that the app gets in its redirect URI (RFC 6749, section 4.1.2.1).
type refusal struct{ code, description string }

// beginAuthorization handles GET /oauth/authorize, to which an app sends the browser of a user. The user
// answers on the page of consents. What is wrong with the app or its redirect URI is told to the user, since
// the browser must not be sent to an address that is not the app's. The app is told of everything else.
func (s *server) beginAuthorization(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	app, err := s.askingApp(r, query)
	if err != nil {
		return s.refuseApp(w, r, err)
	}
	request, refused := s.readAuthorization(query)
	request.App, request.RedirectURI = app, query.Get("redirect_uri")
	if refused != nil {
		redirectBrowser(w, r, http.StatusFound, s.refusalURL(request.RedirectURI, request.State, *refused))
		return nil
	}
	id, err := s.identity.BeginAuthorization(r.Context(), s.client(r), request)
	if errors.Is(err, identity.ErrTooManyAuthorizations) {
		busy := refusal{"temporarily_unavailable", "Too many requests came from this network. Try again later."}
		redirectBrowser(w, r, http.StatusFound, s.refusalURL(request.RedirectURI, request.State, busy))
		return nil
	}
	if err != nil {
		return err
	}
	page := url.Values{"authorization_id": {id.String()}}
	redirectBrowser(w, r, http.StatusFound, s.cfg.Identity.PublicURL+"/oauth/consent?"+page.Encode())
	return nil
}

// What may be wrong with an app, besides its metadata document.
var (
	errIncomplete = invalid("client_id and redirect_uri are required, each once")
	errUnknownApp = fail(http.StatusBadRequest, "oauth_client_not_found",
		"invalid client_id: there is no such app here, or it was removed because it was not used")
	errForeignRedirect = invalid("invalid redirect_uri: it is not one of those that the app has registered")
)

// askingApp returns the app of a request, if the redirect URI is one of its own.
func (s *server) askingApp(r *http.Request, query url.Values) (identity.OAuthClient, error) {
	for _, name := range []string{"client_id", "redirect_uri"} {
		if len(query[name]) != 1 || query.Get(name) == "" {
			return identity.OAuthClient{}, errIncomplete
		}
	}
	app, err := s.identity.OAuthClient(r.Context(), s.client(r), query.Get("client_id"))
	if errors.Is(err, identity.ErrOAuthClientNotFound) {
		return app, errUnknownApp
	}
	if err != nil {
		return app, err
	}
	if !app.AllowsRedirect(query.Get("redirect_uri")) {
		return identity.OAuthClient{}, errForeignRedirect
	}
	return app, nil
}

// refuseApp responds with what is wrong with an app. A person gets a page, which says what to do.
func (s *server) refuseApp(w http.ResponseWriter, r *http.Request, err error) error {
	known := s.edge.Known(err)
	if known == nil || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return err
	}
	again := "Remove the connector in the app, and add it again."
	texts := []string{
		known.Message, "Try again in the app. If that does not help, ask whoever runs this server.",
	}
	switch {
	case known == errIncomplete:
		texts[0] = "The app does not say which app it is, or where the answer goes."
	case known == errUnknownApp:
		texts = []string{"This server does not know the app.", again}
	case known == errForeignRedirect:
		texts = []string{"The app wants the answer at another address than it has registered here.", again}
	case known.Status == http.StatusTooManyRequests:
		texts = texts[:1] // it says when to try again
	}
	s.writeLinkPage(w, r, known.Status, linkPage{Title: "This app cannot be connected", Texts: texts})
	return nil
}

// readAuthorization reads what an app asks for. The state is there with a refusal as well, if it can be
// returned.
func (s *server) readAuthorization(query url.Values) (request identity.AuthorizationRequest, _ *refusal) {
	state := query.Get("state")
	if len(state) > maxStateBytes || !utf8.ValidString(state) || strings.ContainsRune(state, 0) {
		return request, &refusal{"invalid_request", "state must be text of at most 2000 bytes."}
	}
	request.State = state
	for name, values := range query {
		if len(values) > 1 && name != "resource" { // RFC 8707 allows several
			return request, &refusal{"invalid_request", "A parameter was given more than once."}
		}
	}
	switch query.Get("response_type") {
	case "code":
	case "":
		return request, &refusal{"invalid_request", "response_type is required, and must be code."}
	default:
		return request, &refusal{"unsupported_response_type", "response_type must be code."}
	}
	if mode := query.Get("response_mode"); mode != "" && mode != "query" {
		return request, &refusal{"invalid_request", "response_mode must be query."}
	}
	request.CodeChallenge = query.Get("code_challenge")
	switch {
	case request.CodeChallenge == "":
		return request, &refusal{"invalid_request", "PKCE is required: send code_challenge."}
	case query.Get("code_challenge_method") != "S256":
		return request, &refusal{"invalid_request", "code_challenge_method must be S256."}
	case !s256Challenge.MatchString(request.CodeChallenge):
		return request, &refusal{"invalid_request", "code_challenge must be a SHA-256 in base64url."}
	}
	var ok bool
	if request.Resource, ok = s.resource(query["resource"]); !ok {
		return request, &refusal{"invalid_target", "resource must be " + s.mcpResource() + "."}
	}
	if request.Scopes = scopes(query.Get("scope"), request.Resource); len(request.Scopes) == 0 {
		return request, &refusal{"invalid_scope", "None of the scopes is known. Known ones are " +
			strings.Join(token.KnownScopes(), ", ") + "."}
	}
	return request, nil
}

// scopes returns the scopes that an app asks for, without those that are unknown. It needs none for refresh
// tokens, which every app gets.
func scopes(asked, resource string) []string {
	names := strings.Fields(asked)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "offline_access" })
	switch {
	case len(names) > 0:
		unasked := func(scope string) bool { return !slices.Contains(names, scope) }
		return slices.DeleteFunc(token.KnownScopes(), unasked)
	case resource != "":
		return []string{token.ScopeRead}
	}
	return []string{token.ScopeEmail}
}

// mcpResource is the resource that apps can ask for.
func (s *server) mcpResource() string { return token.Resource(s.cfg.Identity.PublicURL) }

// resource returns the resource that the values of a parameter name, or "" if they name none. Clients take
// the address of the service for that of the resource, or add a slash.
func (s *server) resource(values []string) (resource string, ok bool) {
	for _, value := range values {
		if value == "" {
			continue // a parameter without a value is omitted (RFC 6749, section 3.1)
		}
		value = strings.TrimSuffix(value, "/")
		if value != s.mcpResource() && value != s.cfg.Identity.PublicURL {
			return "", false
		}
		resource = s.mcpResource()
	}
	return resource, true
}

// redirectBrowser redirects a browser to an address that has a secret or may have one. The status is 302, or
// 303 after a form.
func redirectBrowser(w http.ResponseWriter, r *http.Request, status int, address string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, address, status)
}

// refusalURL returns where the browser goes with an error.
func (s *server) refusalURL(redirectURI, state string, refused refusal) string {
	answer := url.Values{"error": {refused.code}, "error_description": {refused.description}}
	return s.answerURL(redirectURI, state, answer)
}

// answerURL adds an answer to the redirect URI of an app. The app sees from iss that it is ours (RFC 9207).
func (s *server) answerURL(redirectURI, state string, answer url.Values) string {
	answer.Set("iss", s.keys.Issuer())
	if state != "" {
		answer.Set("state", state)
	}
	address, err := url.Parse(redirectURI)
	if err != nil {
		return s.cfg.Identity.PublicURL // never: AllowsRedirect has parsed it
	}
	if address.RawQuery != "" { // it is kept as it is (RFC 6749, section 3.1.2)
		address.RawQuery += "&"
	}
	address.RawQuery += answer.Encode()
	return address.String()
}
