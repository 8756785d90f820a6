package temporalclient

import (
	"context"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"research/workflows"
)

// SendAccountMail starts the workflow that sends the mail of a row of auth.one_time_tokens, unless it is
// running. Nothing is sent for an id without a row, or if the mail was sent. Its error is ErrUnavailable.
func (c *Client) SendAccountMail(ctx context.Context, request uuid.UUID) error {
	return c.startMail(ctx, workflows.AccountMailWorkflowID(request), workflows.SendAccountMail,
		workflows.SendAccountMailInput{RequestID: request})
}

// SendAccountNotice starts the workflow that sends the notice of a row of auth.notices, unless it is running.
// Its error is ErrUnavailable.
func (c *Client) SendAccountNotice(ctx context.Context, notice uuid.UUID) error {
	return c.startMail(ctx, workflows.AccountNoticeWorkflowID(notice), workflows.SendAccountNotice,
		workflows.SendAccountNoticeInput{NoticeID: notice})
}

// startMail starts a run whose row says whether there is still a mail to send, so that a closed run does not
// keep another one from trying again.
func (c *Client) startMail(ctx context.Context, id string, workflow, input any) error {
	_, err := c.execute(ctx, requestTimeout, client.StartWorkflowOptions{
		ID:                       id,
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionTimeout: workflows.AccountMailTimeout,
		StaticSummary:            workflows.AccountMailSummary,
	}, workflow, input)
	if err != nil {
		return Failure("start "+id, err)
	}
	return nil
}
