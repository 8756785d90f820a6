package temporalclient

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"research/workflows"
)

// previewTimeout ends a run that no worker picks up. A preview that arrives later is of no use.
const previewTimeout = 15 * time.Minute

// ErrPreviewSent means that the user had a preview sent a short time ago: see workflows.PreviewInterval.
var ErrPreviewSent = errors.New("a preview was sent a short time ago")

// SendDigestPreview starts the workflow that mails a user the digest that would be sent now. Its errors are
// ErrPreviewSent and ErrUnavailable.
func (c *Client) SendDigestPreview(ctx context.Context, user uuid.UUID, frequency string) error {
	_, err := c.execute(ctx, requestTimeout, client.StartWorkflowOptions{
		ID:                       workflows.PreviewWorkflowID(user, time.Now()),
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionTimeout: previewTimeout,
		StaticSummary:            "Mail a preview of a digest",
		// By default the SDK returns the earlier run instead of an error.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, workflows.SendDigestPreview, workflows.SendDigestPreviewInput{UserID: user, Frequency: frequency})
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	switch {
	case errors.As(err, &started):
		return ErrPreviewSent
	case err != nil:
		return Failure("start the preview of a digest", err)
	}
	return nil
}
