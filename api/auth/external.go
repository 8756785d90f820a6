package auth

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"research/api/problem"
	"research/identity"
)

// The handlers of sign-in with accounts at other services. The browser goes to /authorize, to the provider,
// back to /callback, and to the client with a code.

// What may be wrong with a request for /authorize.
var (
	errBadTicket = fail(http.StatusBadRequest, "bad_oauth_state",
		"The address was opened before, or too late: begin again.")
	errNoState    = fail(http.StatusBadRequest, "bad_oauth_callback", "OAuth state parameter missing")
	errNoIDToken  = invalid("provider and id_token are required")
	errNoIDTokens = fail(http.StatusBadRequest, "provider_disabled", "Provider is not enabled")
	errParams     = invalid("The parameters for the provider are too many or too long.")
)

// authorize handles GET /authorize, to which signInWithOAuth sends the browser. A person gets a page if
// something is wrong.
func (s *server) authorize(w http.ResponseWriter, r *http.Request) error {
	browser := s.browser(r)
	if browser == "" {
		browser = rand.Text()
	}
	address, err := s.providerAddress(r, browser)
	if err == nil {
		s.rememberBrowser(w, browser)
		redirectBrowser(w, r, http.StatusFound, address)
		return nil
	}
	s.warnProvider(r, err)
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return err
	}
	status, _, message := s.failedFlow(r, err)
	s.writeLinkPage(w, r, status, linkPage{
		Title: "You cannot be signed in this way",
		Texts: []string{message, "Go back, and try again, or sign in in another way."},
	})
	return nil
}

// failedFlow returns what an error is to a browser, and logs one that is ours.
func (s *server) failedFlow(r *http.Request, err error) (status int, code, message string) {
	failed := s.edge.Answer(r, err)
	if failed.Cause != nil {
		s.edge.Log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	}
	code, _, message = inGoTruesWords(failed)
	return failed.Status, code, message
}

// providerAddress begins a flow, or opens one by its ticket, and returns the address of the provider.
func (s *server) providerAddress(r *http.Request, browser string) (string, error) {
	query := r.URL.Query()
	asked, err := askedOfProvider(query)
	if err != nil {
		return "", err
	}
	if ticket := query.Get("flow"); ticket != "" {
		address, err := s.identity.OpenIdentityLink(r.Context(), browser, ticket, asked)
		if errors.Is(err, identity.ErrProviderFlowNotFound) {
			return "", errBadTicket
		}
		return address, err
	}
	request, err := providerRequest(query, asked)
	if err != nil {
		return "", err
	}
	return s.identity.BeginProviderSignIn(r.Context(), s.client(r), browser, request)
}

func providerRequest(query url.Values, asked identity.AskedOfProvider) (identity.ProviderRequest, error) {
	challenge, err := identity.NewCodeChallenge(query.Get("code_challenge"), query.Get("code_challenge_method"))
	return identity.ProviderRequest{
		Provider: query.Get("provider"), RedirectTo: query.Get("redirect_to"), Challenge: challenge, Asked: asked,
	}, err
}

const (
	maxProviderParams     = 20
	maxProviderParamBytes = 2000
)

// ownParams are meant for us, and not passed on to providers. Neither are those that OAuth reserves, which
// package oidc knows.
var ownParams = []string{
	"provider", "redirect_to", "scopes", "flow", "invite_token", "skip_http_redirect", "apikey", "jwt",
}

// askedOfProvider reads what a client asks of the provider: scopes, and parameters such as login_hint.
func askedOfProvider(query url.Values) (identity.AskedOfProvider, error) {
	asked := identity.AskedOfProvider{Scopes: strings.Fields(query.Get("scopes")), Params: url.Values{}}
	size := len(query.Get("scopes"))
	for name, values := range query {
		if slices.Contains(ownParams, strings.ToLower(name)) {
			continue
		}
		asked.Params.Set(name, values[0])
		size += len(name) + len(values[0])
	}
	if len(asked.Params)+len(asked.Scopes) > maxProviderParams || size > maxProviderParamBytes {
		return identity.AskedOfProvider{}, errParams
	}
	return asked, nil
}

// browserLifetime is how long a browser keeps its cookie, in seconds. A flow takes ten minutes at most.
const browserLifetime = 60 * 60

var browserSecret = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// browserCookie is the name of the cookie that tells browsers apart. The prefix keeps other hosts, also
// those below ours, from setting it; browsers accept it with https only.
func (s *server) browserCookie() string {
	if s.secure() {
		return "__Host-research-browser"
	}
	return "research-browser"
}

func (s *server) secure() bool { return strings.HasPrefix(s.cfg.Identity.PublicURL, "https://") }

// browser returns the secret of the browser, or "".
func (s *server) browser(r *http.Request) string {
	cookie, err := r.Cookie(s.browserCookie())
	if err != nil || !browserSecret.MatchString(cookie.Value) {
		return ""
	}
	return cookie.Value
}

// rememberBrowser sets the cookie. It is the same for flows that begin at the same time.
func (s *server) rememberBrowser(w http.ResponseWriter, secret string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.browserCookie(), Value: secret, Path: "/", MaxAge: browserLifetime, HttpOnly: true,
		Secure:   s.secure(),
		SameSite: http.SameSiteLaxMode, // sent when the provider sends the browser back
	})
}

// maxAnswerBytes bounds the answer of a provider, whose codes may be tokens.
const maxAnswerBytes = 16 << 10

// receiveForm handles POST /callback, as GoTrue does: a provider may be set to answer by a form. The browser
// sends no cookie with it, but does with the request to which it is redirected.
func (s *server) receiveForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxAnswerBytes)
	if err := r.ParseForm(); problem.IsUnavailable(err) {
		return err
	} else if err != nil {
		return invalid("The form cannot be read.")
	}
	if r.PostForm.Get("state") == "" {
		return errNoState
	}
	answer := url.Values{}
	for _, name := range []string{"state", "code", "iss", "error", "error_description"} {
		if r.PostForm.Has(name) {
			answer.Set(name, r.PostForm.Get(name))
		}
	}
	redirectBrowser(w, r, http.StatusSeeOther, s.cfg.Identity.PublicURL+"/auth/v1/callback?"+answer.Encode())
	return nil
}

// receiveAnswer handles GET /callback, to which the provider sends the browser.
func (s *server) receiveAnswer(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if len(r.URL.RawQuery) > maxAnswerBytes {
		return invalid("The answer of the provider is too long.")
	}
	answer := identity.ProviderAnswer{
		State: query.Get("state"), Code: query.Get("code"), Issuer: query.Get("iss"), Error: query.Get("error"),
		Browser: s.browser(r),
	}
	finished, err := s.identity.FinishProviderFlow(r.Context(), s.client(r), answer)
	if err == nil {
		return redirectToClient(w, r, http.StatusFound, finished.RedirectTo, url.Values{"code": {finished.Code}})
	}
	s.warnProvider(r, err)
	return redirectToClient(w, r, http.StatusFound, finished.RedirectTo, s.refusedFlow(r, err))
}

// refusedFlow returns what a client is told of a flow that failed, in GoTrue's form.
func (s *server) refusedFlow(r *http.Request, err error) url.Values {
	if errors.Is(err, identity.ErrProviderDisabled) {
		return refusedAnswer("invalid_request", "oauth_provider_not_supported",
			"This provider is not set up any more.")
	}
	var denied *identity.ProviderDeniedError
	if errors.As(err, &denied) {
		code := "server_error"
		if slices.Contains(providerErrors, denied.Code) {
			code = denied.Code
		}
		return refusedAnswer(code, "bad_oauth_callback", "The provider did not sign you in.")
	}
	status, errorCode, message := s.failedFlow(r, err)
	code := "server_error"
	switch {
	case slices.Contains(denials, errorCode):
		code = "access_denied"
	case status < http.StatusInternalServerError && status != http.StatusTooManyRequests:
		code = "invalid_request"
	}
	return refusedAnswer(code, errorCode, message)
}

// denials are the errors of a flow that is in order, for a person who may not sign in.
var denials = []string{
	"signup_disabled", "user_banned", "email_address_not_authorized", "provider_email_needs_verification",
}

// providerErrors are those of RFC 6749, section 4.1.2.1, and of OpenID Connect Core 1.0, section 3.1.2.6.
var providerErrors = []string{
	"access_denied", "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope",
	"server_error", "temporarily_unavailable", "interaction_required", "login_required",
	"account_selection_required", "consent_required",
}

func refusedAnswer(code, errorCode, description string) url.Values {
	return url.Values{"error": {code}, "error_code": {errorCode}, "error_description": {description}}
}

// warnProvider logs what an operator can do something about: a provider that does not answer as it should, or
// that does not know this service. People who change their mind are no reason.
func (s *server) warnProvider(r *http.Request, err error) {
	const message = "sign-in with a provider failed: see research doctor"
	if denied, ok := errors.AsType[*identity.ProviderDeniedError](err); ok {
		switch denied.Code {
		case "access_denied", "login_required", "interaction_required", "consent_required":
			return
		}
		s.edge.Log.WarnContext(r.Context(), message, "provider", denied.Provider,
			"reason", "the provider responded with "+plain(denied.Code, 60),
			"description", plain(r.URL.Query().Get("error_description"), 200))
		return
	}
	if refused, ok := errors.AsType[*identity.ProviderError](err); ok {
		s.edge.Log.WarnContext(r.Context(), message, "provider", refused.Provider, "reason", refused.Error())
	}
}

// plain returns the first printable characters of ASCII of a stranger's text.
func plain(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
	return text[:min(len(text), most)]
}

// grantByIDToken handles POST /token?grant_type=id_token (signInWithIdToken, and linkIdentity with a token).
func (s *server) grantByIDToken(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Provider     string `json:"provider"`
		IDToken      string `json:"id_token"`
		AccessToken  string `json:"access_token"`
		Nonce        string `json:"nonce"`
		LinkIdentity bool   `json:"link_identity"`
	}
	if !s.hasProviders() {
		return errNoIDTokens
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.Provider == "" || body.IDToken == "" {
		return errNoIDToken
	}
	granted := identity.IDTokenGrant{
		Provider: body.Provider, IDToken: body.IDToken, AccessToken: body.AccessToken, Nonce: body.Nonce,
	}
	var session identity.Session
	var err error
	if body.LinkIdentity {
		var current identity.CurrentUser
		if current, err = s.currentUser(r); err != nil {
			return err
		}
		session, err = s.identity.LinkIDToken(r.Context(), s.client(r), current, granted)
	} else {
		session, err = s.identity.SignInWithIDToken(r.Context(), s.client(r), granted)
	}
	if errors.Is(err, identity.ErrProviderDisabled) {
		return errNoIDTokens
	}
	if refused, ok := errors.AsType[*identity.ProviderError](err); ok && !refused.Temporary {
		return fail(http.StatusBadRequest, "bad_oauth_callback", "Bad ID token: "+refused.Error()+".")
	}
	if err != nil {
		s.warnProvider(r, err)
		return err
	}
	return s.writeSession(w, r, session)
}

// beginLink handles GET /user/identities/authorize (linkIdentity). The address that it responds with is ours,
// so that the browser gets its cookie before it goes to the provider.
func (s *server) beginLink(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	if !s.hasProviders() {
		return errNoLinking
	}
	query := r.URL.Query()
	asked, err := askedOfProvider(query)
	if err != nil {
		return err
	}
	request, err := providerRequest(query, asked)
	if err != nil {
		return err
	}
	ticket, err := s.identity.BeginIdentityLink(r.Context(), s.client(r), current, request)
	if err != nil {
		return err
	}
	forward := asked.Params
	forward.Set("flow", ticket)
	if len(asked.Scopes) > 0 {
		forward.Set("scopes", strings.Join(asked.Scopes, " "))
	}
	address := s.cfg.Identity.PublicURL + "/auth/v1/authorize?" + forward.Encode()
	if query.Get("skip_http_redirect") != "true" {
		redirectBrowser(w, r, http.StatusFound, address)
		return nil
	}
	w.Header().Set("Cache-Control", "no-store")
	s.edge.WriteJSON(w, http.StatusOK, map[string]string{"url": address})
	return nil
}

func (s *server) hasProviders() bool { return len(s.cfg.Identity.Providers.List()) > 0 }

// unlinkIdentity handles DELETE /user/identities/{id}.
func (s *server) unlinkIdentity(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	id, err := pathID(r, fail(http.StatusNotFound, "validation_failed", "identity_id must be an UUID"))
	if err != nil {
		return err
	}
	err = s.identity.UnlinkIdentity(r.Context(), s.client(r), current, id)
	if errors.Is(err, identity.ErrIdentityNotFound) && !s.hasProviders() {
		return errNoLinking
	}
	if err != nil {
		return err
	}
	return s.writeEmpty(w)
}
