package mail

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"
)

//go:embed templates
var templates embed.FS

var accountHTML = template.Must(template.ParseFS(templates, "templates/account.html"))

// An accountMail has the texts of one kind of mail about an account.
type accountMail struct{ Subject, Lead, Button, Note string }

var accountMails = map[string]accountMail{
	"signup": {
		Subject: "Confirm your e-mail address",
		Lead:    "Confirm that this address is yours, and your account is ready.",
		Button:  "Confirm my address",
		Note:    "If you did not sign up, ignore this mail: nothing happens.",
	},
	"invite": {
		Subject: "You have been invited",
		Lead:    "An account was made for you. Accept the invitation to set it up.",
		Button:  "Accept the invitation",
		Note:    "If you did not expect this, ignore this mail.",
	},
	"recovery": {
		Subject: "Set a new password",
		Lead:    "Somebody, hopefully you, asked for a new password for your account.",
		Button:  "Set a new password",
		Note:    "If it was not you, ignore this mail: your password stays as it is.",
	},
	"email_change": {
		Subject: "Confirm your new e-mail address",
		Lead:    "Confirm that this is the new address of your account.",
		Button:  "Confirm my new address",
		Note:    "If you did not ask for this, ignore this mail: nothing changes.",
	},
}

// Account renders the mail that contains a link. The kind is signup, invite, recovery or email_change;
// validity says in words how long the link is valid.
func Account(kind, to, link, validity string) (Message, error) {
	texts, known := accountMails[kind]
	if !known {
		return Message{}, fmt.Errorf("there is no mail of the kind %q", kind)
	}
	var html bytes.Buffer
	if err := accountHTML.Execute(&html, struct {
		accountMail
		Link, Validity string
	}{texts, link, validity}); err != nil {
		return Message{}, fmt.Errorf("render the mail %s: %w", kind, err)
	}
	text := strings.Join([]string{
		texts.Lead,
		link,
		"The link is valid for " + validity + " and works once.",
		texts.Note,
	}, "\n\n") + "\n"
	return Message{To: to, Subject: texts.Subject, Text: text, HTML: html.String()}, nil
}
