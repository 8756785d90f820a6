package mail

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed templates
var templates embed.FS

var accountHTML = template.Must(template.ParseFS(templates, "templates/account.html"))

// An accountMail has the texts of one kind of mail about an account. Those without a link have no button, and
// those with a link and a code have a text between the two.
type accountMail struct{ Subject, Lead, Button, CodeLead, Note string }

// KindProviderSignUp is the mail for a new account whose address a provider does not vouch for.
const KindProviderSignUp = "provider_signup"

var accountMails = map[string]accountMail{
	"signup": {
		Subject: "Confirm your e-mail address",
		Lead:    "Confirm that this address is yours, and your account is ready.",
		Button:  "Confirm my address",
		Note:    "If you did not sign up, do not open the link: it would confirm an account of somebody else.",
	},
	KindProviderSignUp: {
		Subject: "Confirm your e-mail address",
		Lead: "Somebody, hopefully you, signed in with an account at another service, such as Google or " +
			"Microsoft, that names this address. Confirm that it is yours.",
		Button: "Confirm my address",
		Note: "If it was not you, do not open the link: the account of somebody else could then sign in with " +
			"your address.",
	},
	"invite": {
		Subject: "You have been invited",
		Lead:    "An account was made for you. Accept the invitation to set it up.",
		Button:  "Accept the invitation",
		Note:    "If you did not expect this, ignore this mail.",
	},
	"magiclink": {
		Subject: "Sign in",
		Lead:    "Somebody, hopefully you, asked to sign in with this address.",
		Button:  "Sign in",
		Note:    "If it was not you, ignore this mail, and tell nobody the code.",
	},
	"recovery": {
		Subject: "Set a new password",
		Lead:    "Somebody, hopefully you, asked for a new password for your account.",
		Button:  "Set a new password",
		Note:    "If it was not you, ignore this mail: your password stays as it is.",
	},
	"workspace_invitation": {
		Subject: "You have been invited to a workspace",
		Lead:    "You are invited to a workspace.",
		Button:  "See the invitation",
		Note:    "If you did not expect this, ignore this mail: nothing happens.",
	},
	"email_change": {
		Subject: "Confirm your new e-mail address",
		Lead:    "Confirm that this is the new address of your account.",
		Button:  "Confirm my new address",
		Note:    "If you did not ask for this, ignore this mail: nothing changes.",
	},
	"email_change_current": {
		Subject: "Confirm the change of your e-mail address",
		Lead: "Somebody, hopefully you, asked for another e-mail address for your account. " +
			"Confirm that you want it.",
		Button: "Confirm the change",
		Note:   "If it was not you, do not open the link, and change your password: somebody else is signed in.",
	},
	"reauthentication": {
		Subject: "Your code",
		Lead:    "Enter this code to confirm the change of your account:",
		Note:    "If you did not ask for it, change your password: somebody else is signed in.",
	},
	"password_changed": {
		Subject: "Your password was changed",
		Lead:    "The password of your account was changed, and all other sessions have ended.",
		Button:  "Undo the change",
		Note: "If it was not you, open the link. It makes the new password unusable, and we mail you another " +
			"link to set your own.",
	},
	"email_changed": {
		Subject: "Your e-mail address was changed",
		Lead:    "Your account has another e-mail address now. This one no longer belongs to it.",
		Button:  "Undo the change",
		Note:    "If it was not you, open the link. It gives your account this address again.",
	},
	"factor_added": {
		Subject: "Your account has a second factor",
		Lead:    "An app that shows codes was added to your account. Your other sessions have ended.",
		Button:  "Undo the change",
		Note:    "If it was not you, open the link. It removes the app, so that you can sign in.",
	},
	"factor_removed": {
		Subject: "A second factor was removed",
		Lead:    "An app that shows codes no longer belongs to your account.",
		Button:  "Undo the change",
		Note:    "If it was not you, open the link. The app then belongs to your account again.",
	},
	"recovery_codes_renewed": {
		Subject: "New recovery codes were made",
		Lead:    "Your account has new recovery codes, and earlier ones do not work any more.",
		Button:  "Undo the change",
		Note:    "If it was not you, open the link. The new codes then do not work either; make your own.",
	},
	"recovery_code_used": {
		Subject: "A recovery code was used",
		Lead:    "Somebody, hopefully you, signed in with one of your recovery codes.",
		Button:  "Secure my account",
		Note: "If it was not you, open the link. Your recovery codes and your password then do not work any " +
			"more, and we mail you another link to set a new password.",
	},
	"app_connected": {
		Subject: "An app was given access to your account",
		Lead:    "An app, such as an assistant, was given access to your account.",
		Button:  "Undo the change",
		Note:    "If it was not you, open the link. It ends the access of all apps and access tokens.",
	},
	"personal_token_created": {
		Subject: "An access token was made for your account",
		Lead:    "A personal access token was made for your account. Anyone who has it can act as you.",
		Button:  "Undo the change",
		Note:    "If it was not you, open the link. It ends the access of all apps and access tokens.",
	},
	"identity_linked": {
		Subject: "A way to sign in was added to your account",
		Lead:    "An account at another service, such as Google or Microsoft, can now sign in as you.",
		Button:  "Undo the change",
		Note:    "If it was not you, open the link. The other account then cannot sign in here any more.",
	},
	"identity_unlinked": {
		Subject: "A way to sign in was removed from your account",
		Lead:    "One of the ways to sign in to your account does not work any more.",
		Button:  "Undo the change",
		Note: "If it was not you, open the link. What was removed then works again; if it was the password, we " +
			"mail you another link to set a new one.",
	},
	"webhook_paused": {
		Subject: "A webhook was paused",
		Lead: "An endpoint for webhooks of a workspace that you administer accepted no events any more. " +
			"It was paused, and receives none until somebody makes it active again.",
		Note: "The endpoints of your workspaces say when they were paused, and why.",
	},
	"account_deleted": {
		Subject: "Your account was deleted",
		Lead:    "Your account was deleted, and with it the workspaces that had no other member.",
		Note:    "If it was not you, tell whoever runs this service.",
	},
}

// A Link is what a mail about an account is for.
type Link struct {
	// Kind is signup, KindProviderSignUp, invite, recovery, magiclink, email_change, email_change_current,
	// workspace_invitation, or a notice.
	Kind     string
	URL      string
	Code     string // replaces the link in apps that ask for a code; empty means that there is none
	Validity string // how long the link is valid, in words
	Inviter  string // workspace_invitation: the address of the inviter; empty means that there is none
}

// Account renders the mail that contains a link. Except for the address of an inviter, it has no text that a
// user wrote: anybody could have it mailed to any address.
func Account(to string, link Link) (Message, error) {
	texts, err := accountTexts(link.Kind)
	if err != nil {
		return Message{}, err
	}
	if link.Inviter != "" {
		texts.Lead = link.Inviter + " invites you to a workspace."
	}
	if link.Code == "" {
		texts.Note = "The link is valid for " + link.Validity + " and works once. " + texts.Note
		return texts.render(to, link.URL, "")
	}
	texts.CodeLead = "If an app asks you for a code, enter this one instead:"
	texts.Note = "The link or the code works once, for " + link.Validity + ". " + texts.Note
	return texts.render(to, link.URL, link.Code)
}

// AccountCode renders the mail of the kind reauthentication.
func AccountCode(to, code, validity string) (Message, error) {
	texts := accountMails["reauthentication"]
	texts.Note = "The code is valid for " + validity + " and works once. " + texts.Note
	return texts.render(to, "", code)
}

// AccountNotice renders a mail that tells of a change, such as that of the kind password_changed, with the
// link that undoes the change. An empty URL means that there is no such link.
func AccountNotice(to string, undo Link) (Message, error) {
	texts, err := accountTexts(undo.Kind)
	if err != nil {
		return Message{}, err
	}
	if undo.URL == "" {
		texts.Note = "If it was not you, tell whoever runs this service."
		return texts.render(to, "", "")
	}
	texts.Note += " All sessions end. The link is valid for " + undo.Validity + " and works once. If you have " +
		"several such mails, open the link of the oldest: it undoes the later changes as well."
	return texts.render(to, undo.URL, "")
}

func accountTexts(kind string) (accountMail, error) {
	texts, known := accountMails[kind]
	if !known {
		return accountMail{}, fmt.Errorf("unknown kind of mail: %q", kind)
	}
	return texts, nil
}

func (m accountMail) render(to, link, code string) (Message, error) {
	var html bytes.Buffer
	err := accountHTML.Execute(&html, struct {
		accountMail
		Link, Code string
	}{m, link, code})
	if err != nil {
		return Message{}, fmt.Errorf("render the mail %q: %w", m.Subject, err)
	}
	paragraphs := slices.DeleteFunc([]string{m.Lead, link, m.CodeLead, code, m.Note},
		func(p string) bool { return p == "" })
	text := strings.Join(paragraphs, "\n\n") + "\n"
	return Message{To: to, Subject: m.Subject, Text: text, HTML: html.String()}, nil
}
