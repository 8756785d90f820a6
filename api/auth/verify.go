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

	"research/identity"
)

//go:embed verify.html
var verifyHTML string

var verifyPage = template.Must(template.New("verify").Parse(verifyHTML))

// verifyPolicy is the content security policy of the page. It allows the page's style by its hash. It has no
// form-action, since some browsers apply that to the redirect after the form as well, which may lead
// elsewhere.
var verifyPolicy = func() string {
	_, rest, _ := strings.Cut(verifyHTML, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; frame-ancestors 'none'; base-uri 'none'"
}()

// linkTypes returns the types of links that a client's type stands for. The newer name "email" stands for
// every link that confirms an address.
func linkTypes(name string) []identity.LinkType {
	switch t := identity.LinkType(name); t {
	case identity.LinkSignUp, identity.LinkInvite, identity.LinkRecovery, identity.LinkEmailChange:
		return []identity.LinkType{t}
	case "email":
		return []identity.LinkType{identity.LinkSignUp, identity.LinkInvite}
	}
	return nil
}

// showVerifyPage answers GET /verify, where the links in mails lead, with a page that has a button. Only the
// button uses the token, since mail programs and scanners open links by themselves.
func (s *server) showVerifyPage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	page := struct{ Token, Type, Title, Button string }{
		Token: cmp.Or(query.Get("token"), query.Get("token_hash")),
		Type:  query.Get("type"),
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
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address has the token
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", verifyPolicy)
	w.WriteHeader(status)
	if err := verifyPage.Execute(w, page); err != nil {
		s.edge.Log.DebugContext(r.Context(), "answer not sent", "error", err)
	}
	return nil
}

func verifyTexts(t identity.LinkType) (title, button string) {
	switch t {
	case identity.LinkRecovery:
		return "Set a new password", "Continue"
	case identity.LinkEmailChange:
		return "Confirm your new e-mail address", "Confirm"
	case identity.LinkInvite:
		return "You have been invited", "Accept"
	}
	return "Confirm your e-mail address", "Confirm"
}

// verify answers POST /verify. A client that sends JSON, such as supabase-js, gets a session. The form of the
// page is redirected, with the session in the fragment of the address.
func (s *server) verify(w http.ResponseWriter, r *http.Request) error {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isForm := media == "application/x-www-form-urlencoded"
	var body struct {
		Type      string `json:"type"`
		Token     string `json:"token"`
		TokenHash string `json:"token_hash"`
	}
	if isForm {
		r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
		if err := r.ParseForm(); err != nil {
			return invalid("The form cannot be read.")
		}
		body.Type, body.Token = r.PostForm.Get("type"), r.PostForm.Get("token")
	} else if err := readJSON(w, r, &body); err != nil {
		return err
	}
	secret, types := cmp.Or(body.TokenHash, body.Token), linkTypes(body.Type)
	switch {
	case body.Type == "":
		return invalid("Verify requires a verification type")
	case types == nil:
		return invalid("Unsupported verification type")
	case secret == "":
		return invalid("Verify requires a token or a token hash")
	}
	used, err := s.identity.UseLink(r.Context(), s.client(r), secret, types)
	if err != nil {
		return err
	}
	if isForm {
		return s.redirectWithSession(w, r, used)
	}
	return s.writeSession(w, r, used.Session)
}

func (s *server) redirectWithSession(w http.ResponseWriter, r *http.Request, used identity.UsedLink) error {
	session, err := s.newSessionResponse(r.Context(), used.Session)
	if err != nil {
		return err
	}
	fragment := url.Values{
		"access_token":  {session.AccessToken},
		"refresh_token": {session.RefreshToken},
		"token_type":    {session.TokenType},
		"expires_in":    {fmt.Sprint(session.ExpiresIn)},
		"expires_at":    {fmt.Sprint(session.ExpiresAt)},
		"type":          {string(used.Type)},
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	address, _, _ := strings.Cut(used.RedirectTo, "#")
	http.Redirect(w, r, address+"#"+fragment.Encode(), http.StatusSeeOther)
	return nil
}
