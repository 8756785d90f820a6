package temporalclient

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"research/workflows"
)

// StartDeletion starts the workflow that removes deleted data, unless it is running. Its errors are those of
// CheckNamespace.
func (c *Client) StartDeletion(ctx context.Context) error {
	if err := c.CheckNamespace(ctx); err != nil {
		return err
	}
	_, err := c.execute(ctx, requestTimeout, client.StartWorkflowOptions{
		ID:                       workflows.DeleteDataWorkflowID,
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionTimeout: workflows.DeleteDataTimeout,
		StaticSummary:            workflows.DeleteDataSummary,
	}, workflows.DeleteData, workflows.DeleteDataInput{})
	if err != nil {
		return Failure("start the deletion", err)
	}
	return nil
}
