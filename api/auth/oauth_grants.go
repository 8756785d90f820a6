package auth

import (
	"net/http"

	"research/identity"
)

// A grantDetails is what a user has allowed to an app, in GoTrue's format. The last field is ours.
type grantDetails struct {
	Client     clientDetails `json:"client"`
	Scopes     []string      `json:"scopes"`
	GrantedAt  string        `json:"granted_at"`
	LastUsedAt string        `json:"last_used_at"`
}

// listGrants handles GET /user/oauth/grants.
func (s *server) listGrants(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	grants, err := s.identity.Grants(r.Context(), current.ID)
	if err != nil {
		return err
	}
	list := make([]grantDetails, len(grants))
	for i, grant := range grants {
		list[i] = grantDetails{
			Client: newClientDetails(grant.App, grant.RedirectHost), Scopes: grant.Scopes,
			GrantedAt: inMilliseconds(grant.GrantedAt), LastUsedAt: inMilliseconds(grant.LastUsedAt),
		}
	}
	s.edge.WriteJSON(w, http.StatusOK, list)
	return nil
}

// revokeGrant handles DELETE /user/oauth/grants?client_id=….
func (s *server) revokeGrant(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	app := r.URL.Query().Get("client_id")
	if app == "" {
		return invalid("client_id query parameter is required")
	}
	if err := s.identity.RevokeGrant(r.Context(), s.client(r), current, app); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
