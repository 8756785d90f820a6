package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// SendDigestPreview mails a user, on request, the digest that would be sent now.
func SendDigestPreview(
	ctx workflow.Context, in SendDigestPreviewInput,
) (activities.SendDigestPreviewResult, error) {
	return call(ctx, previewOptions(), digests.SendDigestPreview, activities.SendDigestPreviewInput(in))
}

// previewOptions are for a mail that a person waits for. After some minutes it is of no use.
func previewOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              QueueControl,
		StartToCloseTimeout:    90 * time.Second, // an SMTP session is bounded by a minute
		ScheduleToCloseTimeout: 10 * time.Minute,
		Summary:                "compose and mail the preview",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    2 * time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	}
}
