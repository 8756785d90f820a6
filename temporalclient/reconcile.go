package temporalclient

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"research/workflows"
)

// SignalReconciler tells the reconciler that open imports have no recent heartbeat, and starts it if it is
// not running. Its errors are those of CheckNamespace.
func (c *Client) SignalReconciler(ctx context.Context) error {
	if err := c.CheckNamespace(ctx); err != nil {
		return err
	}
	err := c.request(ctx, requestTimeout, func(ctx context.Context) error {
		_, err := c.temporal.SignalWithStartWorkflow(ctx,
			workflows.ReconcileWorkflowID, workflows.ReconcileSignal, nil,
			client.StartWorkflowOptions{
				TaskQueue:                workflows.QueueControl,
				WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
				WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
				StaticSummary:            workflows.ReconcileSummary,
			}, workflows.ReconcileOpenImports, workflows.ReconcileOpenImportsInput{})
		return err
	})
	if err != nil {
		return unreachable("signal the reconciler", err)
	}
	return nil
}
