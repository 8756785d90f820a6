package auth

import (
	"net/http"

	"research/identity"
)

// mailMagicLink handles POST /otp and POST /magiclink: it mails a link and a code that sign in. The newer
// path can be asked not to create users.
func (s *server) mailMagicLink(w http.ResponseWriter, r *http.Request) error {
	body := struct {
		Email      string            `json:"email"`
		Phone      string            `json:"phone"`
		CreateUser bool              `json:"create_user"`
		Data       identity.Metadata `json:"data"`
		codeChallenge
	}{CreateUser: true}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	challenge, err := body.parse()
	if err != nil {
		return err
	}
	switch {
	case body.Phone != "":
		return errNoPhones
	case body.Email == "":
		return invalid("One of email or phone must be set")
	}
	err = s.identity.RequestMagicLink(r.Context(), s.client(r), identity.MagicLinkRequest{
		LinkRequest: identity.LinkRequest{Email: body.Email, RedirectTo: redirectTo(r), Challenge: challenge},
		CreateUser:  body.CreateUser, Metadata: body.Data,
	})
	if err != nil {
		return err
	}
	return s.writeEmpty(w)
}

// errNoPhones is the response to what requires messages to phones.
var errNoPhones = fail(http.StatusBadRequest, "phone_provider_disabled", "Unsupported phone provider")
