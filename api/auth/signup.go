package auth

import (
	"net/http"

	"research/identity"
)

// signUp handles POST /signup: with a session, or with a user who must follow a link first.
func (s *server) signUp(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.Identity.SignUpDisabled() {
		return identity.ErrSignUpDisabled
	}
	var body struct {
		Email    string            `json:"email"`
		Phone    string            `json:"phone"`
		Password string            `json:"password"`
		Data     identity.Metadata `json:"data"`
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
	case body.Phone != "":
		return fail(http.StatusBadRequest, "phone_provider_disabled", "Phone signups are disabled")
	case body.Email == "" && body.Password == "":
		session, err := s.identity.SignUpAnonymously(r.Context(), s.client(r), body.Data)
		if err != nil {
			return err
		}
		return s.writeSession(w, r, session)
	case body.Password == "":
		return invalid("Signup requires a valid password")
	}
	user, session, err := s.identity.SignUp(r.Context(), s.client(r), identity.SignUp{
		Email: body.Email, Password: body.Password, Metadata: body.Data, RedirectTo: redirectTo(r),
		Challenge: challenge,
	})
	if err != nil {
		return err
	}
	if session != nil {
		return s.writeSession(w, r, *session)
	}
	return s.writeUser(w, user)
}

// redirectTo returns the address to which a link in a mail should lead. Package identity ignores it unless it
// is allowed. Nothing else in a request affects links.
func redirectTo(r *http.Request) string { return r.URL.Query().Get("redirect_to") }
