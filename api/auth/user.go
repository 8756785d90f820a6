package auth

import (
	"encoding/json"
	"net/http"

	"research/identity"
)

// showUser handles GET /user.
func (s *server) showUser(w http.ResponseWriter, _ *http.Request, current identity.CurrentUser) error {
	return s.writeUser(w, current.User)
}

// updateUser handles PUT /user.
func (s *server) updateUser(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	var body struct {
		Email       string                     `json:"email"`
		Phone       string                     `json:"phone"`
		Password    *string                    `json:"password"`
		Nonce       string                     `json:"nonce"`
		Data        identity.Metadata          `json:"data"`
		AppMetadata map[string]json.RawMessage `json:"app_metadata"`
		codeChallenge
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	challenge, err := body.parse()
	if err != nil {
		return err
	}
	switch {
	case body.AppMetadata != nil:
		return fail(http.StatusForbidden, "not_admin", "Updating app_metadata requires admin privileges")
	case body.Phone != "" && body.Phone != text(current.Phone):
		return fail(http.StatusBadRequest, "phone_provider_disabled", "Phone numbers are not supported")
	}
	user, err := s.identity.UpdateSelf(r.Context(), s.client(r), current, identity.SelfChange{
		Email: body.Email, Password: body.Password, Metadata: body.Data, RedirectTo: redirectTo(r),
		Code: body.Nonce, Challenge: challenge,
	})
	if err != nil {
		return err
	}
	return s.writeUser(w, user)
}

// mailNonce handles GET /reauthenticate: it mails a nonce that replaces a recent sign-in.
func (s *server) mailNonce(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	if r.Method == http.MethodHead { // promises to change nothing
		return s.writeEmpty(w)
	}
	if err := s.identity.RequestCode(r.Context(), s.client(r), current); err != nil {
		return err
	}
	return s.writeEmpty(w)
}

// reauthenticate handles POST /reauthenticate: a password or a nonce makes the session as recent as a
// sign-in. GoTrue has no such endpoint.
func (s *server) reauthenticate(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	var body struct {
		Password string `json:"password"`
		Nonce    string `json:"nonce"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if (body.Password == "") == (body.Nonce == "") {
		return invalid("Send either the password or the nonce of GET /auth/v1/reauthenticate.")
	}
	err := s.identity.Reauthenticate(r.Context(), s.client(r), current, identity.Proof{
		Password: body.Password, Code: body.Nonce,
	})
	if err != nil {
		return err
	}
	return s.writeEmpty(w)
}
