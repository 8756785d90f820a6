package auth

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"research/db"
)

// What a link in a mail is for: the values of one_time_tokens.token_type and of GoTrue's type.
const (
	linkSignUp      = "signup"
	linkInvite      = "invite"
	linkRecovery    = "recovery"
	linkEmailChange = "email_change"
)

// recoverPassword answers POST /recover. Known and unknown addresses take the same way and get the same answer.
func (s *Server) recoverPassword(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Email string `json:"email"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	email, err := emailAddress(body.Email)
	if err != nil {
		return err
	}
	return s.askByEmail(w, r, email, linkRecovery)
}

// resend answers POST /resend: the link of a sign-up once more. It tells nobody whether one is awaited.
func (s *Server) resend(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Type  string `json:"type"`
		Email string `json:"email"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.Type != linkSignUp {
		return fail(http.StatusBadRequest, "validation_failed", "Only the mail of a sign-up can be sent again: type must be signup")
	}
	email, err := emailAddress(body.Email)
	if err != nil {
		return err
	}
	return s.askByEmail(w, r, email, linkSignUp)
}

func (s *Server) askByEmail(w http.ResponseWriter, r *http.Request, email, kind string) error {
	ctx := r.Context()
	if err := s.mayMail(r, email); err != nil {
		return err
	}
	request := uuid.New()
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		asked, err := q.AskForToken(ctx, db.AskForTokenParams{
			ID: request, Email: email, TokenType: kind, RedirectTo: s.redirect(r), LifetimeSeconds: linkLifetime.Seconds(), OnlyUnconfirmed: kind == linkSignUp,
		})
		if err != nil {
			return err
		}
		return s.audit(ctx, q, r, "mail_requested", nil, map[string]any{"type": kind, "known": asked > 0})
	})
	if err != nil {
		return err
	}
	if err := s.mail.SendAccountMail(ctx, request); err != nil {
		return err
	}
	s.writeJSON(w, http.StatusOK, struct{}{})
	return nil
}

func (s *Server) askForEmailChange(ctx context.Context, q *db.Queries, r *http.Request, user uuid.UUID, email string, request uuid.UUID) error {
	_, err := q.GetUserByEmail(ctx, email)
	if err == nil {
		return errEmailExists
	}
	if !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := q.SetEmailChange(ctx, db.SetEmailChangeParams{ID: user, Email: email}); err != nil {
		return err
	}
	return q.AskForUserToken(ctx, db.AskForUserTokenParams{
		ID: request, UserID: user, TokenType: linkEmailChange, RelatesTo: email, RedirectTo: s.redirect(r), LifetimeSeconds: linkLifetime.Seconds(),
	})
}

// mayMail counts a mail, whether the address is known or not.
func (s *Server) mayMail(r *http.Request, email string) error {
	if wait := s.limits.addressMails.take(network(s.address(r))); wait > 0 {
		return tooMany("over_email_send_rate_limit", "Too many mails were asked for from this address. Try again later.", wait)
	}
	if wait := s.limits.accountMails.take(email); wait > 0 {
		return tooMany("over_email_send_rate_limit", "Too many mails were asked for this account. Try again later.", wait)
	}
	return nil
}

// redirect is where the link will lead: the query's redirect_to where it is allowed, else our own page. Nothing else of the request has a say in it.
func (s *Server) redirect(r *http.Request) string {
	wanted := r.URL.Query().Get("redirect_to")
	if wanted != "" && len(wanted) <= 2000 && s.mayLead(wanted) {
		return wanted
	}
	return s.cfg.PublicURL
}

// mayLead tells whether an address is one of the allowed ones, or below it.
func (s *Server) mayLead(address string) bool {
	target, err := url.Parse(address)
	// What a browser reads in another way than url.Parse is refused.
	if err != nil || target.Host == "" || target.User != nil || target.Opaque != "" || target.Scheme != "http" && target.Scheme != "https" || strings.ContainsAny(address+target.Path, "\\\t\r\n") {
		return false
	}
	for _, one := range append(slices.Clone(s.cfg.RedirectURLs), s.cfg.PublicURL) {
		allowed, err := url.Parse(one)
		if err != nil || allowed.Scheme != target.Scheme || !strings.EqualFold(allowed.Host, target.Host) {
			continue
		}
		base := strings.TrimRight(allowed.Path, "/")
		clean := path.Clean("/" + target.Path) // decoded, and without dots
		if clean == base || strings.HasPrefix(clean, base+"/") || base == "" {
			return true
		}
	}
	return false
}

//go:embed verify.html
var verifyHTML string

var verifyPage = template.Must(template.New("verify").Parse(verifyHTML))

// showVerify answers GET /verify, to which the links in mails lead: a page with a button. Only the button uses the token, since mail programs and scanners follow links
// by themselves.
func (s *Server) showVerify(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	secret, kind := query.Get("token"), query.Get("type")
	if secret == "" {
		secret = query.Get("token_hash")
	}
	page := struct{ Token, Type, Title, Button string }{Token: secret, Type: kind}
	status := http.StatusOK
	err := s.store.AsService(r.Context(), func(q *db.Queries) error {
		found, err := q.FindToken(r.Context(), hash(secret))
		if err == nil && (!found.Valid || !slices.Contains(typesOf(kind), found.TokenType)) {
			return errLink
		}
		return err
	})
	switch {
	case errors.Is(err, errLink), errors.Is(err, db.ErrNotFound):
		page.Title, status = "This link is no longer valid. It may have been used already, or a newer one was sent.", http.StatusForbidden
	case err != nil:
		return err
	case kind == linkRecovery:
		page.Title, page.Button = "Set a new password", "Continue"
	case kind == linkEmailChange:
		page.Title, page.Button = "Confirm your new e-mail address", "Confirm"
	case kind == linkInvite:
		page.Title, page.Button = "You have been invited", "Accept"
	default:
		page.Title, page.Button = "Confirm your e-mail address", "Confirm"
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address holds the token
	h.Set("X-Frame-Options", "DENY")
	// form-action is left out: some browsers apply it to the redirect as well, which may lead elsewhere.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+verifyStyle+"'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	if err := verifyPage.Execute(w, page); err != nil {
		s.log.DebugContext(r.Context(), "the client went away", "error", err)
	}
	return nil
}

// verifyStyle is the hash of the page's style, by which the policy knows it.
var verifyStyle = func() string {
	_, rest, _ := strings.Cut(verifyHTML, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	return base64.StdEncoding.EncodeToString(hash(style))
}()

// typesOf lists the tokens that a client's type stands for: "email" is GoTrue's newer name of every one that proves the address.
func typesOf(kind string) []string {
	switch kind {
	case linkSignUp, linkInvite, linkRecovery, linkEmailChange:
		return []string{kind}
	case "email":
		return []string{linkSignUp, linkInvite}
	}
	return nil
}

// verify answers POST /verify: supabase-js with JSON, for which it gets a session, and the page's button with a form, which leads on with the session behind the #.
func (s *Server) verify(w http.ResponseWriter, r *http.Request) error {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var body struct {
		Type      string `json:"type"`
		Token     string `json:"token"`
		TokenHash string `json:"token_hash"`
	}
	form := media == "application/x-www-form-urlencoded"
	if form {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := r.ParseForm(); err != nil {
			return fail(http.StatusBadRequest, "validation_failed", "The form cannot be read.")
		}
		body.Type, body.Token = r.PostForm.Get("type"), r.PostForm.Get("token")
	} else if err := readJSON(w, r, &body); err != nil {
		return err
	}
	secret := body.TokenHash
	if secret == "" {
		secret = body.Token
	}
	kinds := typesOf(body.Type)
	switch {
	case body.Type == "":
		return fail(http.StatusBadRequest, "validation_failed", "Verify requires a verification type")
	case kinds == nil:
		return fail(http.StatusBadRequest, "validation_failed", "Unsupported verification type")
	case secret == "":
		return fail(http.StatusBadRequest, "validation_failed", "Verify requires a token or a token hash")
	}
	answer, redirect, kind, err := s.useLink(r, secret, kinds)
	if err != nil {
		return err
	}
	if !form {
		s.writeJSON(w, http.StatusOK, answer)
		return nil
	}
	session := url.Values{
		"access_token": {answer.AccessToken}, "refresh_token": {answer.RefreshToken}, "token_type": {answer.TokenType},
		"expires_in": {fmt.Sprint(answer.ExpiresIn)}, "expires_at": {fmt.Sprint(answer.ExpiresAt)}, "type": {kind},
	}
	if !s.mayLead(redirect) { // REDIRECT_URLS has changed since the mail was asked for
		redirect = s.cfg.PublicURL
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, strings.SplitN(redirect, "#", 2)[0]+"#"+session.Encode(), http.StatusSeeOther)
	return nil
}

// useLink uses a token up, does what it is for, and begins a session.
func (s *Server) useLink(r *http.Request, secret string, kinds []string) (answer tokenResponse, redirect, kind string, err error) {
	var user account
	var used db.UseTokenRow
	// Twice in one transaction would be one; but the session has its own, so that it is begun for a user who is read after the change.
	err = s.store.AsService(r.Context(), func(q *db.Queries) error {
		ctx := r.Context()
		if used, err = q.UseToken(ctx, db.UseTokenParams{TokenHash: hash(secret), TokenTypes: kinds}); errors.Is(err, db.ErrNotFound) {
			return errLink
		} else if err != nil {
			return err
		}
		row, err := q.LockUser(ctx, used.UserID)
		if errors.Is(err, db.ErrNotFound) {
			return errLink
		}
		if err != nil {
			return err
		}
		if user = (account{row.AuthUser, row.Identities}); user.banned(s.now()) {
			return errBanned
		}
		if used.TokenType == linkEmailChange {
			if err := q.ApplyEmailChange(ctx, db.ApplyEmailChangeParams{ID: user.ID, Email: used.RelatesTo}); err != nil {
				return err
			}
		} else if user.EmailConfirmedAt == nil {
			now := s.now()
			if err := q.UpdateUser(ctx, db.UpdateUserParams{ID: user.ID, EmailConfirmedAt: &now}); err != nil {
				return err
			}
		}
		// What else was under way was sent to what may now be an old address.
		if err := q.ForgetUserTokens(ctx, user.ID); err != nil {
			return err
		}
		changed, err := q.GetUser(ctx, user.ID)
		user = account{changed.AuthUser, changed.Identities}
		return err
	})
	if db.Constraint(err) == emailKey {
		return answer, "", "", errEmailExists
	}
	if err != nil {
		return answer, "", "", err
	}
	method := "otp"
	if used.TokenType == linkRecovery {
		method = "recovery"
	}
	answer, err = s.beginSession(r, user, method, "login", nil)
	return answer, used.RedirectTo, used.TokenType, err
}
