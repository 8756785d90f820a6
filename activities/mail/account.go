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

// accountMail is what a mail about an account says.
type accountMail struct{ Subject, Lead, Button, Note string }

var accountMails = map[string]accountMail{
	"signup":       {"Confirm your e-mail address", "Confirm that this address is yours, and your account is ready.", "Confirm my address", "If you did not sign up, ignore this mail: nothing happens."},
	"invite":       {"You have been invited", "An account was made for you. Accept the invitation to set it up.", "Accept the invitation", "If you did not expect this, ignore this mail."},
	"recovery":     {"Set a new password", "Somebody, hopefully you, asked for a new password for your account.", "Set a new password", "If it was not you, ignore this mail: your password stays as it is."},
	"email_change": {"Confirm your new e-mail address", "Confirm that this is the new address of your account.", "Confirm my new address", "If you did not ask for this, ignore this mail: nothing changes."},
}

// Account writes the mail that leads to a link: kind is signup, invite, recovery or email_change, lasts says how long the link is good for.
func Account(kind, to, link, lasts string) (Message, error) {
	words, known := accountMails[kind]
	if !known {
		return Message{}, fmt.Errorf("there is no mail of the kind %q", kind)
	}
	var html bytes.Buffer
	if err := accountHTML.Execute(&html, struct {
		accountMail
		Link, Lasts string
	}{words, link, lasts}); err != nil {
		return Message{}, fmt.Errorf("write the mail %s: %w", kind, err)
	}
	text := strings.Join([]string{words.Lead, link, "The link is good for " + lasts + " and works once.", words.Note}, "\n\n") + "\n"
	return Message{To: to, Subject: words.Subject, Text: text, HTML: html.String()}, nil
}
