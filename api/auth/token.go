package auth

import (
	"net/http"
)

// grantToken handles POST /token. A malformed request is an invalid_request of RFC 6749, section 5.2.
func (s *server) grantToken(w http.ResponseWriter, r *http.Request) error {
	return s.asInvalidRequest(s.grant(w, r))
}

// asInvalidRequest gives the error of a malformed request the name of RFC 6749, section 5.2.
func (s *server) asInvalidRequest(err error) error {
	failed := s.edge.Known(err)
	if failed == nil || failed.Code != "bad_json" && failed.Code != "validation_failed" {
		return err
	}
	malformed := *failed
	malformed.Details = details{oauthError: "invalid_request"}
	return &malformed
}

func (s *server) grant(w http.ResponseWriter, r *http.Request) error {
	switch r.URL.Query().Get("grant_type") {
	case "password":
		return s.grantByPassword(w, r)
	case "refresh_token":
		return s.grantByRefreshToken(w, r)
	case "pkce":
		return s.grantByCode(w, r)
	case "id_token":
		return s.grantByIDToken(w, r)
	case "web3":
		return errNoWeb3
	}
	return fail(http.StatusBadRequest, "unsupported_grant_type",
		"grant_type must be password, refresh_token, pkce or id_token")
}

func (s *server) grantByPassword(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	session, err := s.identity.SignIn(r.Context(), s.client(r), body.Email, body.Password)
	if err != nil {
		return err
	}
	return s.writeSession(w, r, session)
}

func (s *server) grantByRefreshToken(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		RefreshToken string `json:"refresh_token"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.RefreshToken == "" {
		return invalid("refresh_token required")
	}
	session, err := s.identity.Refresh(r.Context(), s.client(r), body.RefreshToken)
	if err != nil {
		return err
	}
	return s.writeSession(w, r, session)
}
