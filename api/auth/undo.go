package auth

import (
	"errors"
	"net/http"

	"research/identity"
)

// showUndoPage handles GET /undo, the target of the links in notices, with a page that says what its button
// does. As on the page of verify, only the button uses the token.
func (s *server) showUndoPage(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("token")
	change, err := s.identity.FindChange(r.Context(), token)
	if errors.Is(err, identity.ErrInvalidLink) {
		s.writeLinkPage(w, r, http.StatusForbidden, linkPage{Title: usedUndoLink})
		return nil
	}
	if err != nil {
		return err
	}
	changed, undone := undoTexts(change.Kind)
	s.writeLinkPage(w, r, http.StatusOK, linkPage{
		Title: "Undo a change of your account",
		Texts: []string{
			"On " + change.At.UTC().Format("2 January 2006 at 15:04 UTC") + ", " + changed,
			"If it was not you, undo it: " + undone,
			"What was changed later is undone as well, and you are signed out everywhere.",
		},
		Button: "Undo the change", Action: "undo", Token: token,
	})
	return nil
}

const usedUndoLink = "This link is no longer valid. It works once, and for a week."

// undoTexts returns what has happened, and what undoing it does.
func undoTexts(kind string) (changed, undone string) {
	switch kind {
	case identity.NoticePasswordChanged:
		return "your password was changed.",
			"the password does not work any more, and we mail you a link to set a new one."
	case identity.NoticeEmailChanged:
		return "your account was given another e-mail address.",
			"your account has the address of this mail again."
	case identity.NoticeFactorAdded:
		return "an app that shows codes was added to your account.",
			"the app is removed, so that you can sign in without its codes."
	case identity.NoticeFactorRemoved:
		return "an app that shows codes was removed from your account.",
			"the app belongs to your account again."
	case identity.NoticeRecoveryCodesRenewed:
		return "new recovery codes were made for your account.",
			"they do not work any more."
	case identity.NoticeRecoveryCodeUsed:
		return "somebody signed in with one of your recovery codes.",
			"your recovery codes and your password do not work any more, and we mail you a link to set a new " +
				"password."
	case identity.NoticeAppConnected:
		return "an app was given access to your account.",
			"no app and no access token has access any more."
	case identity.NoticePersonalTokenCreated:
		return "a personal access token was made for your account.",
			"no app and no access token has access any more."
	case identity.NoticeIdentityLinked:
		return "an account at another service was added to the ways to sign in to your account.",
			"it cannot sign in to your account any more."
	case identity.NoticeIdentityUnlinked:
		return "one of the ways to sign in to your account was removed.",
			"it works again; if it was your password, we mail you a link to set a new one."
	}
	return "your account was changed.", "your account becomes what it was before."
}

// undo handles POST /undo, the form of the page.
func (s *server) undo(w http.ResponseWriter, r *http.Request) error {
	if !hasForm(r) {
		return invalid("Send the form of the page of the link.")
	}
	if err := s.readForm(w, r); err != nil {
		return err
	}
	newPassword, err := s.identity.Undo(r.Context(), s.client(r), r.PostForm.Get("token"))
	switch {
	case errors.Is(err, identity.ErrInvalidLink):
		s.writeLinkPage(w, r, http.StatusForbidden, linkPage{Title: usedUndoLink})
		return nil
	case errors.Is(err, identity.ErrEmailTaken):
		s.writeLinkPage(w, r, http.StatusConflict, linkPage{
			Title: "Another account has this address now",
			Texts: []string{"Nothing was changed. Tell whoever runs this service."},
		})
		return nil
	case err != nil:
		return err
	}
	next := "Sign in with your password. If somebody else may know it, set a new one."
	if newPassword {
		next = "We have mailed you a link to set a new password. The old one does not work any more."
	}
	s.writeLinkPage(w, r, http.StatusOK, linkPage{
		Title: "The change is undone", Texts: []string{"You are signed out everywhere.", next},
	})
	return nil
}
