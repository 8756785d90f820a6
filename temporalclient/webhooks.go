package temporalclient

import (
	"context"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"research/workflows"
)

// DeliverWebhooks starts the workflow that sends the due deliveries of an endpoint, unless it is running. Its
// error is ErrUnavailable.
func (c *Client) DeliverWebhooks(ctx context.Context, endpoint uuid.UUID) error {
	id := workflows.DeliverWebhooksWorkflowID(endpoint)
	_, err := c.execute(ctx, requestTimeout, client.StartWorkflowOptions{
		ID:                       id,
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionTimeout: workflows.DeliverWebhooksTimeout,
		StaticSummary:            workflows.DeliverWebhooksSummary,
	}, workflows.DeliverWebhooks, workflows.DeliverWebhooksInput{EndpointID: endpoint})
	if err != nil {
		return Failure("start "+id, err)
	}
	return nil
}
