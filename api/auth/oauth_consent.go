package auth

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"research/identity"
)

// A clientDetails is an app in GoTrue's format. The last two fields are ours.
type clientDetails struct {
	ID               string `json:"id"` // the client_id
	Name             string `json:"name"`
	URI              string `json:"uri"`
	LogoURI          string `json:"logo_uri"`
	RegistrationType string `json:"registration_type"`
	Host             string `json:"host"` // see identity.OAuthClient.Host
}

func newClientDetails(app identity.OAuthClient, redirectHost string) clientDetails {
	return clientDetails{
		ID: app.ID(), Name: app.ClientName, URI: app.ClientUri, LogoURI: app.LogoUri,
		RegistrationType: app.RegistrationType, Host: app.Host(redirectHost),
	}
}

// An authorizationDetails is the request of an app in GoTrue's format, for the page of consents. The last two
// fields are ours.
type authorizationDetails struct {
	AuthorizationID uuid.UUID     `json:"authorization_id"`
	RedirectURI     string        `json:"redirect_uri"`
	Client          clientDetails `json:"client"`
	User            struct {
		ID    uuid.UUID `json:"id"`
		Email string    `json:"email"`
	} `json:"user"`
	Scope        string `json:"scope"`
	Resource     string `json:"resource"`
	RedirectHost string `json:"redirect_host"`
}

// fromOwnPage is middleware for what only our page of consents may ask. Programs other than browsers send no
// Origin.
func (s *server) fromOwnPage(next http.Handler) http.HandlerFunc {
	return s.edge.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if origin := r.Header.Get("Origin"); origin != "" && !s.isOwnOrigin(origin, r.Host) {
			return fail(http.StatusForbidden, "cross_origin_request", "This request was sent by another site.")
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// isOwnOrigin reports whether an origin is that of PUBLIC_URL or of the request.
func (s *server) isOwnOrigin(origin, host string) bool {
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return false
	}
	public, err := url.Parse(s.cfg.Identity.PublicURL)
	samePublic := err == nil && from.Scheme == public.Scheme && strings.EqualFold(from.Host, public.Host)
	return samePublic || strings.EqualFold(from.Host, host)
}

// showAuthorization handles GET /oauth/authorizations/{id}. If the user has allowed the same before, there is
// nothing to show.
func (s *server) showAuthorization(
	w http.ResponseWriter, r *http.Request, current identity.CurrentUser,
) error {
	id, err := pathID(r, identity.ErrAuthorizationNotFound)
	if err != nil {
		return err
	}
	a, err := s.identity.Authorization(r.Context(), s.client(r), current, id)
	if err != nil {
		return err
	}
	if a.Code != "" {
		s.writeAnswer(w, a)
		return nil
	}
	redirectHost := identity.RedirectHost(a.RedirectURI)
	details := authorizationDetails{
		AuthorizationID: a.ID, RedirectURI: a.RedirectURI, Client: newClientDetails(a.App, redirectHost),
		Scope: strings.Join(a.Scopes, " "), Resource: a.Resource, RedirectHost: redirectHost,
	}
	details.User.ID, details.User.Email = current.ID, text(current.Email)
	s.edge.WriteJSON(w, http.StatusOK, details)
	return nil
}

// answerAuthorization handles POST /oauth/authorizations/{id}/consent.
func (s *server) answerAuthorization(
	w http.ResponseWriter, r *http.Request, current identity.CurrentUser,
) error {
	id, err := pathID(r, identity.ErrAuthorizationNotFound)
	if err != nil {
		return err
	}
	var body struct {
		Action string `json:"action"`
		Nonce  string `json:"nonce"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.Action != "approve" && body.Action != "deny" {
		return invalid("action must be 'approve' or 'deny'")
	}
	answer := identity.ConsentAnswer{Approve: body.Action == "approve", Code: body.Nonce}
	a, err := s.identity.Consent(r.Context(), s.client(r), current, id, answer)
	if err != nil {
		return err
	}
	s.writeAnswer(w, a)
	return nil
}

// writeAnswer responds with where the page sends the browser, which brings the answer to the app.
func (s *server) writeAnswer(w http.ResponseWriter, a identity.Authorization) {
	address := s.refusalURL(a.RedirectURI, a.State, refusal{"access_denied", "User denied the request"})
	if !a.Denied {
		address = s.answerURL(a.RedirectURI, a.State, url.Values{"code": {a.Code}})
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string]string{"redirect_url": address})
}
