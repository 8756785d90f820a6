package auth

import (
	"cmp"
	"net/http"

	"research/identity"
)

// A generatedLink is the user with the link, in GoTrue's format.
type generatedLink struct {
	userResponse
	ActionLink       string `json:"action_link"`
	EmailOTP         string `json:"email_otp"`
	HashedToken      string `json:"hashed_token"` // what clients send as token_hash
	VerificationType string `json:"verification_type"`
	RedirectTo       string `json:"redirect_to"`
}

// orderedTypes are the types of links in GoTrue's words.
var orderedTypes = map[string]identity.LinkType{
	"signup":               identity.LinkSignUp,
	"invite":               identity.LinkInvite,
	"magiclink":            identity.LinkMagic,
	"recovery":             identity.LinkRecovery,
	"email_change_current": identity.LinkEmailChangeCurrent,
	"email_change_new":     identity.LinkEmailChange,
}

// generateLink handles POST /admin/generate_link: it returns what a mail would contain.
func (s *server) generateLink(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Type       string            `json:"type"`
		Email      string            `json:"email"`
		NewEmail   string            `json:"new_email"`
		Password   string            `json:"password"`
		Data       identity.Metadata `json:"data"`
		RedirectTo string            `json:"redirect_to"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	linkType, known := orderedTypes[body.Type]
	if !known {
		return invalid("type must be signup, invite, magiclink, recovery, email_change_current or email_change_new")
	}
	if linkType == identity.LinkSignUp && body.Password == "" {
		return invalid("Signup requires a valid password")
	}
	link, err := s.identity.GenerateLink(r.Context(), s.client(r), identity.LinkOrder{
		Type: linkType, Email: body.Email, NewEmail: body.NewEmail, Password: body.Password, Metadata: body.Data,
		RedirectTo: cmp.Or(body.RedirectTo, redirectTo(r)),
	})
	if err != nil {
		return err
	}
	answer := generatedLink{
		userResponse: s.newUserResponse(link.User),
		ActionLink:   link.URL, EmailOTP: link.Code, HashedToken: link.Token,
		VerificationType: body.Type, RedirectTo: link.RedirectTo,
	}
	if link.Type != linkType {
		answer.VerificationType = string(link.Type)
	}
	w.Header().Set("Cache-Control", "no-store")
	s.edge.WriteJSON(w, http.StatusOK, answer)
	return nil
}
