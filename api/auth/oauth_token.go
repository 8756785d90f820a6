package auth

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/identity"
)

// A tokenRequest is the body of POST /oauth/token, a form or JSON.
type tokenRequest struct {
	GrantType    string `json:"grant_type"`
	Code         string `json:"code"`
	RefreshToken string `json:"refresh_token"`
	RedirectURI  string `json:"redirect_uri"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	CodeVerifier string `json:"code_verifier"`
	Resource     string `json:"resource"`

	resources []string // a form may have several
}

// grantAppToken handles POST /oauth/token (RFC 6749, section 3.2). A malformed request is an invalid_request.
func (s *server) grantAppToken(w http.ResponseWriter, r *http.Request) error {
	return s.asInvalidRequest(s.grantApp(w, r))
}

func (s *server) grantApp(w http.ResponseWriter, r *http.Request) error {
	request, err := s.readTokenRequest(w, r)
	if err != nil {
		return err
	}
	switch request.GrantType {
	case "":
		return invalid("grant_type is required")
	case identity.GrantAuthorizationCode, identity.GrantRefreshToken:
	default:
		return fail(http.StatusBadRequest, "unsupported_grant_type",
			"grant_type must be authorization_code or refresh_token")
	}
	resource, ok := s.resource(request.resources)
	if !ok {
		return identity.ErrAuthorizationResource
	}
	app, err := s.authenticateApp(r, request)
	if err != nil {
		return err
	}
	if !app.AllowsGrant(request.GrantType) {
		return fail(http.StatusBadRequest, "unauthorized_client", "The app has not registered this grant_type.")
	}
	var session identity.Session
	if request.GrantType == identity.GrantAuthorizationCode {
		session, err = s.exchangeCode(r, app, request, resource)
	} else {
		session, err = s.refreshApp(r, app, request, resource)
	}
	if err != nil {
		return err
	}
	return s.writeAppTokens(w, r, app, session)
}

// readTokenRequest reads the body. Parameters of the address do not count: addresses end up in logs.
func (s *server) readTokenRequest(w http.ResponseWriter, r *http.Request) (request tokenRequest, err error) {
	if !hasForm(r) {
		err := readJSON(w, r, &request)
		request.resources = []string{request.Resource}
		return request, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
	if err := r.ParseForm(); problem.IsUnavailable(err) {
		return request, err
	} else if err != nil {
		return request, invalid("The form cannot be read.")
	}
	for name, values := range r.PostForm {
		if len(values) > 1 && name != "resource" { // RFC 8707 allows several
			return request, invalid("A parameter was given more than once.")
		}
	}
	return tokenRequest{
		GrantType: r.PostForm.Get("grant_type"), Code: r.PostForm.Get("code"),
		RefreshToken: r.PostForm.Get("refresh_token"), RedirectURI: r.PostForm.Get("redirect_uri"),
		ClientID: r.PostForm.Get("client_id"), ClientSecret: r.PostForm.Get("client_secret"),
		CodeVerifier: r.PostForm.Get("code_verifier"), resources: r.PostForm["resource"],
	}, nil
}

// authenticateApp returns the app that sent a request. A client that used the header Authorization is asked
// to use it again (RFC 6749, section 5.2).
func (s *server) authenticateApp(r *http.Request, request tokenRequest) (identity.OAuthClient, error) {
	credentials := identity.ClientCredentials{
		ID: request.ClientID, Secret: request.ClientSecret, Method: identity.AuthMethodNone,
	}
	if request.ClientSecret != "" {
		credentials.Method = identity.AuthMethodPost
	}
	id, secret, basic := r.BasicAuth()
	if basic {
		// The two are encoded as in a form (RFC 6749, section 2.3.1): the id may be a URL.
		id, errID := url.QueryUnescape(id)
		secret, errSecret := url.QueryUnescape(secret)
		switch {
		case request.ClientSecret != "" || request.ClientID != "" && request.ClientID != id:
			return identity.OAuthClient{}, invalid("A client must not use more than one way to authenticate.")
		case errID != nil || errSecret != nil:
			id = ""
		}
		credentials = identity.ClientCredentials{ID: id, Secret: secret, Method: identity.AuthMethodBasic}
	}
	if credentials.ID == "" && !basic {
		return identity.OAuthClient{}, invalid("client_id is required")
	}
	app, err := s.identity.AuthenticateOAuthClient(r.Context(), credentials)
	if !errors.Is(err, identity.ErrInvalidClient) {
		return app, err
	}
	refused := fail(http.StatusUnauthorized, "invalid_client", "The client is unknown, or its secret is wrong.")
	if basic {
		refused.Header = http.Header{"Www-Authenticate": {`Basic realm="research"`}}
	}
	return app, refused
}

// exchangeCode begins the session of an app.
func (s *server) exchangeCode(
	r *http.Request, app identity.OAuthClient, request tokenRequest, resource string,
) (identity.Session, error) {
	for _, required := range []struct{ name, value string }{
		{"code", request.Code}, {"code_verifier", request.CodeVerifier},
	} {
		if required.value == "" {
			return identity.Session{}, invalid(required.name + " is required")
		}
	}
	return s.identity.ExchangeAuthorizationCode(r.Context(), s.client(r), identity.CodeExchange{
		App: app, Code: request.Code, RedirectURI: request.RedirectURI, Verifier: request.CodeVerifier,
		Resource: resource,
	})
}

// refreshApp refreshes the session of an app. If the app asks for another resource than that of the session,
// the next refresh token is lost, and the current one still yields it.
func (s *server) refreshApp(
	r *http.Request, app identity.OAuthClient, request tokenRequest, resource string,
) (identity.Session, error) {
	if request.RefreshToken == "" {
		return identity.Session{}, invalid("refresh_token is required")
	}
	session, err := s.identity.RefreshOAuth(r.Context(), s.client(r), app, request.RefreshToken)
	if err == nil && resource != "" && resource != session.Resource {
		return identity.Session{}, identity.ErrAuthorizationResource
	}
	return session, err
}

// writeAppTokens responds with the tokens of an app's session (RFC 6749, section 5.1).
func (s *server) writeAppTokens(
	w http.ResponseWriter, r *http.Request, app identity.OAuthClient, session identity.Session,
) error {
	access, err := s.signAppToken(r.Context(), app, session)
	if err != nil {
		return err
	}
	w.Header().Set("Pragma", "no-cache") // Cache-Control is no-store anyway
	answer := map[string]any{
		"access_token": access, "token_type": "bearer", "expires_in": int(s.keys.Lifetime() / time.Second),
		"scope": strings.Join(session.Scopes, " "),
	}
	if app.AllowsGrant(identity.GrantRefreshToken) {
		answer["refresh_token"] = session.RefreshToken
	}
	s.edge.WriteJSON(w, http.StatusOK, answer)
	return nil
}

// signAppToken signs an access token that is good for one resource, and for nothing else here.
func (s *server) signAppToken(
	ctx context.Context, app identity.OAuthClient, session identity.Session,
) (string, error) {
	claims := jwt.MapClaims{
		"aud": cmp.Or(session.Resource, token.Userinfo(s.keys.Issuer())),
		"sub": session.User.ID.String(), "role": db.RoleAuthenticated,
		"aal": session.AAL(), "amr": session.AMR, "session_id": session.ID.String(),
		"is_anonymous": session.User.IsAnonymous,
		"client_id":    app.ID(), "scope": strings.Join(session.Scopes, " "),
	}
	if slices.Contains(session.Scopes, token.ScopeEmail) { // the app can read its tokens
		claims["email"] = text(session.User.Email)
	}
	access, _, err := s.keys.Sign(ctx, claims)
	return access, err
}
