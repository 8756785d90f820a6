package temporalclient

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"research/workflows"
)

// accountMailTimeout ends a run that no worker takes: by then the person has asked again.
const accountMailTimeout = time.Hour

// SendAccountMail starts the workflow that mails what the row of auth.one_time_tokens asks for. Nothing is
// mailed for an id without a row. Its error is ErrUnavailable.
func (c *Client) SendAccountMail(ctx context.Context, request uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := c.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       workflows.AccountMailWorkflowID(request),
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionTimeout: accountMailTimeout,
		StaticSummary:            "Mail about an account",
	}, workflows.SendAccountMail, workflows.SendAccountMailInput{RequestID: request})
	if err != nil {
		return unreachable(fmt.Sprintf("start the mail of request %s", request), err)
	}
	return nil
}
