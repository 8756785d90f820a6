package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// accounts is nil; it names the activity methods.
var accounts *activities.Accounts

// SendAccountMail mails a link that a user requested: to confirm an address, to accept an invitation, or to
// set a new password.
func SendAccountMail(
	ctx workflow.Context, in SendAccountMailInput,
) (activities.MailAccountLinkResult, error) {
	return call(ctx, accountMailOptions(), accounts.MailAccountLink, activities.MailAccountLinkInput(in))
}

// AccountMailTimeout ends a run of SendAccountMail that no worker picks up. As long as the mail is of use, a
// worker then starts another run.
const AccountMailTimeout = time.Hour

// SendAccountNotice notifies a user by mail of a change to the account.
func SendAccountNotice(
	ctx workflow.Context, in SendAccountNoticeInput,
) (activities.MailAccountNoticeResult, error) {
	return call(ctx, accountMailOptions(), accounts.MailAccountNotice, activities.MailAccountNoticeInput(in))
}
