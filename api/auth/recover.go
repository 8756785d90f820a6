package auth

import (
	"net/http"

	"research/identity"
)

// recoverPassword handles POST /recover: it mails a link for setting a new password.
func (s *server) recoverPassword(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Email string `json:"email"`
		codeChallenge
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	challenge, err := body.parse()
	if err != nil {
		return err
	}
	request := identity.LinkRequest{Email: body.Email, RedirectTo: redirectTo(r), Challenge: challenge}
	if err := s.identity.RequestRecovery(r.Context(), s.client(r), request); err != nil {
		return err
	}
	return s.writeEmpty(w)
}

// resend handles POST /resend: it mails the link of a sign-up again.
func (s *server) resend(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Type  identity.LinkType `json:"type"`
		Email string            `json:"email"`
		codeChallenge
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	challenge, err := body.parse()
	if err != nil {
		return err
	}
	if body.Type != identity.LinkSignUp {
		return invalid("Only the mail of a sign-up can be sent again: type must be signup")
	}
	request := identity.LinkRequest{Email: body.Email, RedirectTo: redirectTo(r), Challenge: challenge}
	if err := s.identity.ResendConfirmation(r.Context(), s.client(r), request); err != nil {
		return err
	}
	return s.writeEmpty(w)
}
