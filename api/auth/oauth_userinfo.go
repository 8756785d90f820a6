package auth

import (
	"errors"
	"net/http"

	"research/api/token"
	"research/identity"
)

// showUserinfo handles GET and POST /oauth/userinfo (OpenID Connect Core 1.0, section 5.3) for access tokens
// that are good for nothing else.
func (s *server) showUserinfo(w http.ResponseWriter, r *http.Request) error {
	p, err := s.authenticator.AdmitResource(r, token.Userinfo(s.keys.Issuer()))
	var user identity.CurrentUser
	if err == nil {
		ref := identity.SessionRef{UserID: p.Subject.UserID, SessionID: p.SessionID}
		user, err = s.identity.CurrentUser(r.Context(), ref)
	}
	if err != nil {
		return asChallenge(err)
	}
	info := map[string]any{"sub": user.ID}
	if p.Allows(token.ScopeEmail) && text(user.Email) != "" {
		info["email"], info["email_verified"] = *user.Email, user.EmailConfirmedAt != nil
	}
	s.edge.WriteJSON(w, http.StatusOK, info)
	return nil
}

// asChallenge turns the rejection of a token into that of RFC 6750, section 3.
func asChallenge(err error) error {
	challenge := "Bearer"
	switch {
	case errors.Is(err, token.ErrNoToken):
	case token.IsUnauthenticated(err), errors.Is(err, identity.ErrSessionEnded),
		errors.Is(err, identity.ErrSessionUserGone), errors.Is(err, identity.ErrBanned):
		challenge = `Bearer error="invalid_token"`
	default:
		return err
	}
	refused := fail(http.StatusUnauthorized, "invalid_token",
		"This endpoint requires an access token of an app without a resource: "+err.Error())
	refused.Header = http.Header{"Www-Authenticate": {challenge}}
	return refused
}
