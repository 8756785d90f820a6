package workflows

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// SendAccountMailInput names the request: neither the user, nor the address, nor the link enters a history.
type SendAccountMailInput struct{ RequestID uuid.UUID }

// accounts names activities without having one.
var accounts *activities.Accounts

// SendAccountMail mails the link that somebody asked for: to confirm an address, to accept an invitation, or to set a new password.
func SendAccountMail(ctx workflow.Context, in SendAccountMailInput) (activities.MailAccountLinkResult, error) {
	return call(ctx, accountMailOptions(), accounts.MailAccountLink, activities.MailAccountLinkInput(in))
}

// accountMailTimeout is the server's own end, should no worker be there.
const accountMailTimeout = time.Hour

// AccountMailWorkflowID is made from the request's id: a request is mailed once.
func AccountMailWorkflowID(request uuid.UUID) string { return "account-mail-" + request.String() }

// SendAccountMail starts the workflow that mails what the row of auth.one_time_tokens asks for. An id without a row is a mail to nobody. Its error is ErrUnavailable.
func (c *Client) SendAccountMail(ctx context.Context, request uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	_, err := c.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       AccountMailWorkflowID(request),
		TaskQueue:                QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionTimeout: accountMailTimeout,
		StaticSummary:            "Mail about an account",
	}, SendAccountMail, SendAccountMailInput{RequestID: request})
	if err != nil {
		return fmt.Errorf("start the mail of request %s: %w: %s", request, ErrUnavailable, serviceErrorName(err))
	}
	return nil
}
