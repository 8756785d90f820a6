package auth

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"research/api/problem"
	"research/identity"
)

//go:embed verify.html
var verifyHTML string

var verifyPage = template.Must(template.New("verify").Parse(verifyHTML))

// verifyPolicy is the content security policy of the page. It allows the page's style by its hash. It has no
// form-action, since some browsers also apply that to the redirect after the form, which may lead to another
// site.
var verifyPolicy = func() string {
	_, rest, _ := strings.Cut(verifyHTML, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; frame-ancestors 'none'; base-uri 'none'"
}()

// linkTypes returns the types of links that a client's type includes. The newer name "email" stands for every
// link that begins a session. A magic link that creates an account is a sign-up in GoTrue.
func linkTypes(name string) []identity.LinkType {
	switch t := identity.LinkType(name); t {
	case identity.LinkInvite, identity.LinkRecovery, identity.LinkMagic:
		return []identity.LinkType{t}
	case identity.LinkSignUp:
		return []identity.LinkType{t, identity.LinkMagic}
	case identity.LinkEmailChange:
		return []identity.LinkType{t, identity.LinkEmailChangeCurrent}
	case "email":
		return []identity.LinkType{
			identity.LinkSignUp, identity.LinkInvite, identity.LinkMagic, identity.LinkRecovery,
		}
	}
	return nil
}

// showVerifyPage handles GET /verify, the target of links in mails, with a page that has a button. Only the
// button uses the token, since mail programs and scanners open links by themselves.
func (s *server) showVerifyPage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	page := linkPage{
		Action: "verify", Token: cmp.Or(query.Get("token"), query.Get("token_hash")), Type: query.Get("type"),
	}
	status := http.StatusOK
	err := s.identity.CheckLink(r.Context(), page.Token, linkTypes(page.Type))
	switch {
	case errors.Is(err, identity.ErrInvalidLink):
		status = http.StatusForbidden
		page.Title = "This link is no longer valid. It may have been used already, or a newer one was sent."
	case err != nil:
		return err
	default:
		page.Title, page.Button = verifyTexts(identity.LinkType(page.Type))
	}
	s.writeLinkPage(w, r, status, page)
	return nil
}

// A linkPage is the page of a link in a mail. Only its button uses the link, by a form.
type linkPage struct {
	Title  string
	Texts  []string
	Button string // empty means that there is no form
	Action string
	Token  string
	Type   string // of a link of verify
}

func (s *server) writeLinkPage(w http.ResponseWriter, r *http.Request, status int, page linkPage) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "strict-origin") // the address has the token, and the form must send its origin
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", verifyPolicy)
	w.WriteHeader(status)
	if err := verifyPage.Execute(w, page); err != nil {
		s.edge.Log.DebugContext(r.Context(), "answer not sent", "error", err)
	}
}

func verifyTexts(t identity.LinkType) (title, button string) {
	switch t {
	case identity.LinkRecovery:
		return "Set a new password", "Continue"
	case identity.LinkMagic:
		return "Sign in", "Sign in"
	case identity.LinkEmailChange:
		return "Confirm the change of your e-mail address", "Confirm"
	case identity.LinkInvite:
		return "You have been invited", "Accept"
	}
	return "Confirm your e-mail address", "Confirm"
}

// verify handles POST /verify. A client that sends JSON, such as supabase-js, gets a session. The form of the
// page is redirected, with the session in the fragment of the address, or with a code in its query if the
// link was requested with a code challenge.
func (s *server) verify(w http.ResponseWriter, r *http.Request) error {
	isForm := hasForm(r)
	var body struct {
		Type      string `json:"type"`
		Token     string `json:"token"`
		TokenHash string `json:"token_hash"`
		Email     string `json:"email"`
		Phone     string `json:"phone"`
	}
	if isForm {
		if err := s.readForm(w, r); err != nil {
			return err
		}
		body.Type, body.Token = r.PostForm.Get("type"), r.PostForm.Get("token")
	} else if err := readJSON(w, r, &body); err != nil {
		return err
	}
	secret, types := cmp.Or(body.TokenHash, body.Token), linkTypes(body.Type)
	switch {
	case body.Type == "":
		return invalid("Verify requires a verification type")
	case body.Phone != "" || body.Type == "sms" || body.Type == "phone_change":
		return wrongPhoneCode(body.Phone)
	case types == nil:
		return invalid("Unsupported verification type")
	case secret == "":
		return invalid("Verify requires a token or a token hash")
	}
	used, err := s.useLink(r, isForm, body.Email, secret, types)
	if err != nil {
		return err
	}
	switch {
	case used.Code != "":
		return redirectToClient(w, r, http.StatusSeeOther, used.RedirectTo, url.Values{"code": {used.Code}})
	case used.OtherLink && isForm:
		s.redirectWithFragment(w, r, used, url.Values{"message": {otherLinkMessage}})
		return nil
	case used.OtherLink:
		s.edge.WriteJSON(w, http.StatusOK, map[string]string{"code": "200", "msg": otherLinkMessage})
		return nil
	case isForm:
		return s.redirectWithSession(w, r, used)
	}
	return s.writeSession(w, r, used.Session)
}

// useLink uses a link, or the code beside it if the request names the address to which both were mailed.
func (s *server) useLink(
	r *http.Request, isForm bool, email, secret string, types []identity.LinkType,
) (identity.UsedLink, error) {
	switch {
	case isForm:
		return s.identity.FollowLink(r.Context(), s.client(r), secret, types)
	case email != "":
		return s.identity.UseCode(r.Context(), s.client(r), email, secret, types)
	}
	return s.identity.UseLink(r.Context(), s.client(r), secret, types)
}

// wrongPhoneCode is the response to a code that was sent to a phone, which none ever was.
func wrongPhoneCode(phone string) error {
	if phone = strings.TrimPrefix(phone, "+"); phone == "" || strings.Trim(phone, "0123456789") != "" {
		return invalid("Invalid phone number format (E.164 required)")
	}
	return identity.ErrWrongMailedCode
}

func hasForm(r *http.Request) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media == "application/x-www-form-urlencoded"
}

// readForm reads a form of our own page. Another site could sign a user in to an account that is not theirs.
func (s *server) readForm(w http.ResponseWriter, r *http.Request) error {
	if err := s.sameOrigin.Check(r); err != nil {
		return fail(http.StatusForbidden, "cross_origin_request", "This form was sent by another site.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
	if err := r.ParseForm(); problem.IsUnavailable(err) {
		return err
	} else if err != nil {
		return invalid("The form cannot be read.")
	}
	return nil
}

// otherLinkMessage is GoTrue's.
const otherLinkMessage = "Confirmation link accepted. Please proceed to confirm link sent to the other email"

func (s *server) redirectWithSession(w http.ResponseWriter, r *http.Request, used identity.UsedLink) error {
	session, err := s.newSessionResponse(r.Context(), used.Session)
	if err != nil {
		return err
	}
	s.redirectWithFragment(w, r, used, url.Values{
		"access_token":  {session.AccessToken},
		"refresh_token": {session.RefreshToken},
		"token_type":    {session.TokenType},
		"expires_in":    {fmt.Sprint(session.ExpiresIn)},
		"expires_at":    {fmt.Sprint(session.ExpiresAt)},
		"type":          {string(used.Type)},
	})
	return nil
}

func (s *server) redirectWithFragment(
	w http.ResponseWriter, r *http.Request, used identity.UsedLink, fragment url.Values,
) {
	address, _, _ := strings.Cut(used.RedirectTo, "#")
	redirectBrowser(w, r, http.StatusSeeOther, address+"#"+fragment.Encode())
}
