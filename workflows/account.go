package workflows

import (
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// accounts is nil; it names the activity methods.
var accounts *activities.Accounts

// SendAccountMail mails a link that a person asked for: to confirm an address, to accept an invitation, or to
// set a new password.
func SendAccountMail(
	ctx workflow.Context, in SendAccountMailInput,
) (activities.MailAccountLinkResult, error) {
	return call(ctx, accountMailOptions(), accounts.MailAccountLink, activities.MailAccountLinkInput(in))
}
